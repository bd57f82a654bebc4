"""What the mistakes of newcomers print: the user's lines, the cause, and a cure that works.

Each section of a page is a program, what it prints, and the change that cures it. A line
`@@ text @@` in the change is what is pasted from the message. `pytest --update-golden` rewrites
what is printed; lines of carets, which differ between versions of Python, are left out.
"""

import re
import traceback
import warnings
from pathlib import Path

import pytest

import allograph as ag
from allograph.library.keras.layers.call_context import reset_names

PAGES = Path(__file__).parent / "pages"
SECTION = re.compile(
    r"^## (?P<title>[^\n]*)\n\n```python\n(?P<code>.*?)^```\n\n```text\n(?P<printed>.*?)^```\n"
    r"(?:\n```diff\n(?P<change>.*?)^```\n)?",
    re.DOTALL | re.MULTILINE,
)
SECTIONS = [
    pytest.param(page, match, id=f"{page.stem}-{match['title']}")
    for page in sorted(PAGES.glob("*.md"))
    for match in SECTION.finditer(page.read_text(encoding="utf-8"))
]
MOST_LINES = 10


def run(code, folder):
    """Run a program as the file `example.py`: its exception, or the first warning."""
    script = folder / "example.py"
    script.write_text(code, encoding="utf-8")
    reset_names()
    names = {} if "import allograph" in code else {"ag": ag}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            exec(compile(code, str(script), "exec"), {**names, "__name__": "example"})
        except Exception as error:
            return error
        finally:
            ag.debugging.disable_check_numerics()
    return caught[0].message if caught else None


def printed_by(error, folder) -> str:
    """What Python prints for an exception that nobody catches; for a warning, its message."""
    if isinstance(error, Warning):
        shown = f"{type(error).__name__}: {error}\n"
    else:
        error.__traceback__ = error.__traceback__.tb_next  # without the call of `exec`
        shown = "".join(traceback.format_exception(error))
    lines = shown.replace(f"{folder}/", "").splitlines(keepends=True)
    return "".join(line for line in lines if set(line) - set(" ^~\n"))


def changed(code, change):
    """The program after a change, and what of it is pasted from the message."""
    pasted, old, new = None, [], []
    for line in [*change.splitlines(), "-"]:
        if line.startswith("@@"):
            pasted = line.removeprefix("@@ ").removesuffix(" @@")
        elif line.startswith("+"):
            new.append(line[1:])
        else:
            if new:
                before = "\n".join(old) + "\n"
                assert before in code, f"no such line: {before}"
                code, old, new = code.replace(before, "\n".join(new) + "\n", 1), [], []
            old.append(line[1:])
    return code, pasted


def in_words_of_all_versions(printed):
    """What is printed, without what versions of Python say differently around errors."""
    printed = re.sub(r"cannot use '[\w.]+' as a dict key \((.*)\)$", r"\1", printed, flags=re.M)
    return printed.replace("float division by zero", "division by zero")


@pytest.mark.parametrize("page, section", SECTIONS)
def test_a_mistake_is_told_in_a_few_lines_with_its_line_and_cause(
    page, section, tmp_path, golden_update
):
    error = run(section["code"], tmp_path)
    assert error is not None, "the program prints nothing"
    printed = printed_by(error, tmp_path)
    if golden_update:
        text = page.read_text(encoding="utf-8")
        block = f"```python\n{section['code']}```\n\n```text\n"
        text = text.replace(f"{block}{section['printed']}", block + printed)
        page.write_text(text, encoding="utf-8")
        return
    assert in_words_of_all_versions(section["printed"]) in (
        in_words_of_all_versions(printed),
        in_words_of_all_versions(re.sub(r"\. Did you mean:? '\w+'\?", "", printed)),
    )
    assert len(printed.splitlines()) <= MOST_LINES
    assert not re.search(r"<unknown>|, \.\.\.\]|During handling|direct cause", printed)


CURED = [pytest.param(row.values[1], id=row.id) for row in SECTIONS if row.values[1]["change"]]


@pytest.mark.parametrize("section", CURED)
def test_the_cure_of_a_message_works_when_it_is_pasted(section, tmp_path):
    cured, pasted = changed(section["code"], section["change"])
    assert pasted is None or (pasted in section["printed"] and pasted in cured)
    error = run(cured, tmp_path)
    assert error is None, printed_by(error, tmp_path)
