"""Golden pages: under each heading a function, and the code that is generated for it.

`pytest --update-golden` rewrites the second block of each heading.
"""

import re
from pathlib import Path

import pytest

import allograph as ag

PAGES = Path(__file__).parents[2] / "golden"
BLOCK = re.compile(r"```python\n(.*?)```", re.S)


def cases():
    for page in sorted(PAGES.glob("*.md")):
        for section in page.read_text(encoding="utf-8").split("\n## ")[1:]:
            yield pytest.param(
                page, section.splitlines()[0], id=f"{page.stem}: {section.splitlines()[0]}"
            )


def generated(source: str) -> str:
    """The body of the generated function, without the scope around it."""
    lines = whole(source).splitlines()
    end = lines.index("    ) as fscope:")
    start = max(row for row in range(end) if lines[row].startswith("    with "))
    return "\n".join([*lines[:start], *(line[4:] for line in lines[end + 1 :])]) + "\n"


def whole(source: str) -> str:
    import linecache

    file = "<golden page>"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    scope: dict = {"__name__": "golden"}
    exec(compile(source, file, "exec"), scope)
    function = next(value for value in scope.values() if getattr(value, "__code__", None))
    return ag.autograph.to_code(function, laid_out=True)


@pytest.mark.parametrize("page, heading", list(cases()))
def test_the_page_is_true(page, heading, golden_update):
    text = page.read_text(encoding="utf-8")
    section = next(part for part in text.split("\n## ")[1:] if part.startswith(heading + "\n"))
    blocks = BLOCK.findall(section)
    made = generated(blocks[0])
    if golden_update:
        before = f"```python\n{blocks[0]}```"
        fresh = f"{heading}\n{before}\n```python\n{made}```\n"
        page.write_text(text.replace("\n## " + section, "\n## " + fresh), encoding="utf-8")
        return
    assert blocks[1] == made
