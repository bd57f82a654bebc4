"""Every Python block in the documents runs."""

import ast
import importlib
import os
import re
import runpy
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from test_reference_pages import PAGES

ROOT = Path(__file__).parents[2]
DOCUMENTS = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
# The blocks of other pages run in test_reference_pages.py, which compares their outputs.
COMPARED = {f"docs/{name}.md" for name in PAGES}
RUN_HERE = [path for path in DOCUMENTS if path.relative_to(ROOT).as_posix() not in COMPARED]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
HOME = PYPROJECT["project"]["urls"]["Homepage"]
FENCE = re.compile(r"^\s*(`{3,}|~{3,})(\w*)")


def program_of(text):
    """The Python blocks of a document at their own line numbers; all else becomes blank lines."""
    lines, fence, language = [], None, None
    for line in text.splitlines():
        mark = FENCE.match(line)
        if mark and fence is None:
            fence, language = mark[1], mark[2]
            lines.append("")
        elif mark and mark[1] == fence and not mark[2]:
            fence = None
            lines.append("")
        else:
            lines.append(line if fence is not None and language == "python" else "")
    return "\n".join(lines) + "\n"


def test_a_program_keeps_the_blocks_at_their_lines():
    text = "# title\n```python\nx = 1\n```\ntext\n```sh\nls\n```\n~~~python\nprint(x)\n~~~\n"
    assert program_of(text) == "\n\nx = 1\n\n\n\n\n\n\nprint(x)\n\n"


def test_the_core_of_the_page_from_scratch_has_300_lines():
    text = (ROOT / "docs" / "from_scratch.md").read_text(encoding="utf-8")
    core = program_of(text[: text.index("## 7.")])
    assert len([line for line in core.splitlines() if line.strip()]) <= 300


@pytest.mark.slow
@pytest.mark.parametrize("path", RUN_HERE, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_the_blocks_of_a_document_run_in_one_namespace(path, tmp_path):
    program = program_of(path.read_text(encoding="utf-8"))
    if not program.strip():
        return
    script = tmp_path / (path.stem.lower() + ".py")
    script.write_text(program, encoding="utf-8")
    runpy.run_path(str(script))


@pytest.mark.slow
def test_the_page_of_processes_pasted_into_one_script_prints_what_it_says(tmp_path):
    pytest.importorskip("dask", reason="an extra: pip install 'allograph[dask]'")
    program = program_of((ROOT / "docs" / "processes.md").read_text(encoding="utf-8"))
    said = re.findall(r"print\(.*?\)  # (.*)$", program, re.MULTILINE)
    script = tmp_path / "pasted.py"
    script.write_text(program, encoding="utf-8")
    whole_lines = {**os.environ, "PYTHONUNBUFFERED": ""}  # of each process at once
    done = subprocess.run(
        [sys.executable, "-P", script], cwd=tmp_path, capture_output=True, text=True, timeout=300,
        env=whole_lines,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    # Processes that start the script anew print what is not under its guard, before or between.
    assert len(said) > 5
    printed = iter(done.stdout.splitlines())
    assert all(line in printed for line in said), done.stdout


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_links_to_files_of_the_project_lead_somewhere(path):
    text = path.read_text(encoding="utf-8").replace(f"]({HOME}/blob/main/", "](")
    targets = re.findall(r"\]\((?!https?:|#)([^)#\s]+)", text)
    made = ("reference/",)  # pages of the site that are made from docstrings; it checks them
    targets = [target for target in targets if not target.startswith(made)]
    assert not [target for target in targets if not (path.parent / target).exists()]


PATH = re.compile(r"(?<![\w./-])(?:[\w-]+/)+\w+\.pyi?\b")
FOLDER = re.compile(r"`((?:autograph|runtime|tracing|library|tools|tests|docs)/[\w/]*)`")


DIFF = re.compile(r"^```diff\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def files_named_in(text):
    """Relative paths of Python files, and folders of the project in backquotes."""
    text = DIFF.sub("", text)  # has a test of its own, and new files
    return PATH.findall(text) + FOLDER.findall(text)


def test_paths_are_found_in_prose_and_in_commands():
    text = (
        "See `tools/cli.py` and `tests/house/`.\n$ python examples/newton.py ../x/y.py /home/z.py\n"
    )
    assert files_named_in(text) == ["tools/cli.py", "examples/newton.py", "tests/house/"]


@pytest.mark.parametrize(
    "path",
    [path for path in DOCUMENTS if path.name != "CHANGELOG.md"],  # history names what was
    ids=lambda path: path.relative_to(ROOT).as_posix(),
)
def test_files_that_a_document_names_exist(path):
    names = files_named_in(path.read_text(encoding="utf-8"))
    assert not [name for name in names if not (ROOT / name).exists()]


def hunks(text):
    """The old path of each hunk of the diffs in a document, and the lines that it replaces."""
    for diff in DIFF.findall(text):
        for file in re.split(r"^--- ", diff, flags=re.MULTILINE)[1:]:
            head, *parts = re.split(r"^@@.*\n", file, flags=re.MULTILINE)
            for part in parts:
                rows = part.splitlines(keepends=True)
                yield head.split()[0], "".join(row[1:] for row in rows if row[0] in " -")


README = (ROOT / "README.md").read_text(encoding="utf-8")
HOW_TO_ADD = (ROOT / "docs" / "how_to_add.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("path, replaced", list(hunks(HOW_TO_ADD)))
def test_the_diffs_of_how_to_add_fit_the_files(path, replaced):
    if path != "/dev/null":
        assert replaced in (ROOT / path.removeprefix("a/")).read_text(encoding="utf-8")


def sources_changed(section):
    """The source files that the diffs of a section of how_to_add.md change or add."""
    text = HOW_TO_ADD.split(f"\n## {section}\n")[1].split("\n## ")[0]
    paths = [
        path for diff in DIFF.findall(text) for path in re.findall(r"^\+\+\+ b/(\S+)", diff, re.M)
    ]
    return [path for path in paths if path.endswith(".py") and not path.startswith("tests/")]


def test_a_construct_of_python_touches_four_source_files_and_a_numpy_function_one():
    assert len(sources_changed("A converter")) <= 4
    assert len(sources_changed("A NumPy function")) == 1


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="only git knows how to apply a diff")
@pytest.mark.parametrize("diff", DIFF.findall(HOW_TO_ADD))
def test_the_diffs_of_how_to_add_can_be_applied(diff):
    check = ["git", "apply", "--check", "-"]
    done = subprocess.run(check, cwd=ROOT, input=diff, text=True, capture_output=True)
    assert not done.returncode, done.stderr


NEW_FILE = re.compile(r"^--- /dev/null\n\+\+\+ b/(\S+)\n@@.*\n((?:\+.*\n)+)", re.MULTILINE)


def new_files(text):
    """The path of each file that a diff of a document creates, and its source."""
    for path, rows in NEW_FILE.findall(text):
        yield path, re.sub(r"^\+", "", rows, flags=re.MULTILINE)


@pytest.mark.parametrize("path, source", list(new_files(HOW_TO_ADD)))
def test_a_new_file_of_how_to_add_imports_what_there_is(path, source):
    package = f"allograph.{path.rpartition('/')[0].replace('/', '.')}"
    imports = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.ImportFrom)]
    for node in filter(lambda node: node.level, imports):
        module = importlib.import_module("." * node.level + (node.module or ""), package)
        assert not [name.name for name in node.names if not hasattr(module, name.name)]


def row_of(page, program):
    """The cells of the row of a table that a program or problem begins."""
    return next(line for line in page.splitlines() if line.startswith(f"| {program} |"))


def test_the_times_of_the_readme_are_those_of_the_performance_page():
    page = (ROOT / "docs" / "performance.md").read_text(encoding="utf-8")
    steady = row_of(page[page.index("<!-- steady -->") :], "collatz")
    (table,) = re.findall(r"^\| beside .*?\n\n", README, re.DOTALL | re.MULTILINE)
    times = re.findall(r"[\d.]+ ms", table)
    assert len(times) == 4
    assert not [time for time in times if time not in steady]
    ratio, first_call = re.search(
        r"smooth\(plate.*# ([\d.]+) times as fast.* takes ([\d.]+ ms)", README
    ).groups()
    sweeps = row_of(page, "seidel_2d")
    assert f"| {ratio}x |" in sweeps
    assert f"| {first_call} |" in sweeps


def test_the_readme_is_one_page():
    assert len(README.splitlines()) <= 60


def test_the_links_of_the_readme_lead_there_from_every_page():
    assert not re.findall(r"\]\((?!https://)", README)


def test_the_readme_names_the_two_commands_near_its_top():
    top = README.splitlines()[:10]
    assert [line.split("#")[0].strip() for line in top if line.startswith("make ")] == [
        "make demo",
        "make test",
    ]


def test_the_front_page_shows_how_to_install_a_picture_and_a_time():
    page = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    assert "pip install" in page
    assert re.search(r"!\[[^]]+\]\([^)]+\)", page)
    assert re.search(r"\d ms", page)


@pytest.mark.parametrize("path", sorted((ROOT / "docs").glob("*.svg")), ids=lambda path: path.name)
def test_a_chart_is_legible_on_light_and_on_dark_pages(path):
    chart = path.read_text(encoding="utf-8")
    assert "prefers-color-scheme: dark" in chart
    assert not re.search(r"#000000|#ffffff|\bwhite\b", chart)


def cells_of(text):
    """The cells of the tables of a page, without the addresses of links."""
    for row in re.findall(r"^\|.*\|$", text, re.MULTILINE):
        for cell in re.split(r"(?<!\\)\|", row.strip("|")):
            yield re.sub(r"\]\([^)]*\)", "]", cell)


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_no_cell_of_a_table_has_more_than_twenty_words(path):
    text = path.read_text(encoding="utf-8")
    assert not [cell for cell in cells_of(text) if len(cell.split()) > 20]
