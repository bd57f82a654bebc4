"""The reference pages hold what is true: outputs, options and errors.

On these pages a ```` ```python ```` block that prints is followed by a ```` ```text ```` block with
exactly what it prints. `pytest --update-golden` rewrites the outputs.
"""

import contextlib
import io
import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
PAGES = ["from_scratch"]
BLOCK = re.compile(
    r"^```python\n(?P<code>.*?)^```\n(?:\n*```text\n(?P<output>.*?)^```\n)?",
    re.DOTALL | re.MULTILINE,
)


def outputs_of(page, folder):
    """What each block of a page prints; every block runs as a file of its own, `example.py`."""
    namespace = {"__name__": page.stem}
    for number, block in enumerate(BLOCK.finditer(page.read_text(encoding="utf-8"))):
        script = folder / f"{page.stem}_{number}.py"
        script.write_text(block["code"], encoding="utf-8")
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(block["code"], str(script), "exec"), namespace)
        yield block, printed.getvalue().replace(str(script), "example.py")


@pytest.mark.parametrize("name", PAGES)
def test_a_page_shows_what_its_blocks_print(name, tmp_path, golden_update):
    page = DOCS / f"{name}.md"
    text, chunks, end = page.read_text(encoding="utf-8"), [], 0
    for block, printed in outputs_of(page, tmp_path):
        if golden_update and block["output"] is not None:
            chunks += [text[end : block.start("output")], printed]
            end = block.end("output")
        else:
            assert printed == (block["output"] or "")
    if golden_update:
        page.write_text("".join([*chunks, text[end:]]), encoding="utf-8")
