"""The page of the architecture says what the folders say, and which files a program visits."""

import ast
import platform
import re
import sys
import threading
from pathlib import Path

import pytest
from source_tree import ROOMS

import allograph as ag

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
WALKS = (ROOT / "docs" / "design" / "files_to_open.md").read_text(encoding="utf-8")
FOLDERS = [
    path.parent.relative_to(ROOT).as_posix()
    for room in ROOMS
    for path in sorted((ROOT / room).rglob("__init__.py"))
]


def in_one_line(text):
    return " ".join(text.split())


def sentences():
    """What the page says of each folder: a paragraph, or a row of a table."""
    paragraphs = re.findall(r"^\*\*`([\w/]+)/`\*\*: (.*?)\n\n", PAGE, re.DOTALL | re.MULTILINE)
    rows = re.findall(r"^\| `([\w/]+)/` \| (.*) \|$", PAGE, re.MULTILINE)
    return [(folder, in_one_line(text)) for folder, text in [*paragraphs, *rows]]


def test_the_page_has_every_folder_once():
    assert sorted(folder for folder, _ in sentences()) == sorted(FOLDERS)


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_folder_is_described_by_the_docstring_of_its_init_file(folder):
    source = (ROOT / folder / "__init__.py").read_text(encoding="utf-8")
    assert in_one_line(ast.get_docstring(ast.parse(source))) == dict(sentences())[folder]


# ---- files to open ---------------------------------------------------------------------------


def listed(title):
    """The files of the numbered list below a heading."""
    section = WALKS[WALKS.index(f"## {title}") :].split("\n#", maxsplit=1)[0]
    return re.findall(r"^\d+\. `([\w/]+\.py)`", section, re.MULTILINE)


BOUNDARY = "runtime/core/tracebacks.py"  # wraps public functions, and only passes calls on


def file_of(frame):
    """The file of the package that a frame is in; None for other files."""
    path = Path(frame.f_code.co_filename)
    if not path.is_relative_to(ROOT) or ".venv" in path.parts:
        return None
    file = path.relative_to(ROOT).as_posix()
    return file if file.split("/")[0] in ROOMS and file != BOUNDARY else None


class Visited(list):
    """The files of the package of which a function has run, in the order of their first one.

    `returns` are the files to which a reader who follows the calls has to go back, to be sent on to
    another file. Hashes and comparisons are not followed.
    """

    def __init__(self):
        super().__init__()
        self.returns, self.last = [], None

    def __call__(self, frame, event, argument):
        file = file_of(frame)
        if event != "call" or file is None:
            return
        if file not in self:
            self.append(file)
        if frame.f_code.co_name in ("__hash__", "__eq__", "__init__") or file == self.last:
            return
        caller = self.caller(frame)
        if caller != self.last and self.last is not None:
            self.returns.append(caller)
        self.last = file

    def caller(self, frame):
        while (frame := frame.f_back) is not None:
            if (file := file_of(frame)) is not None:
                return file
        return None

    def during(self, function, *arguments):
        threading.setprofile(self)  # a kernel is compiled in a thread of its own
        sys.setprofile(self)
        try:
            function(*arguments)
        finally:
            sys.setprofile(None)
            threading.setprofile(None)
        return self


def halve(x):
    while ag.reduce_sum(x) > 1.375:  # no other test has this kernel
        x = x * 0.5
    return x


def shrink(x):
    while ag.reduce_sum(x) > 2.0:
        x = ag.tanh(x) * 0.25
    return x


@pytest.fixture(scope="module")
def first_call(tmp_path_factory):
    """What the first call of a loop visits, with an empty cache and all modules loaded."""
    pytest.importorskip("llvmlite")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ALLOGRAPH_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        x = ag.ones([4])
        ag.function(shrink, jit_compile=True)(x)
        return Visited().during(ag.function(halve, jit_compile=True), x)


def test_the_page_says_how_many_files_the_first_call_of_a_loop_passes(first_call):
    (count,) = re.findall(r"about (\d+) files", WALKS)
    assert abs(len(first_call) - int(count)) <= 10, len(first_call)


def in_order(files, visited):
    """Those of the files that ran, in their order."""
    return [file for file in visited if file in files]


@pytest.mark.slow
def test_a_while_becomes_native_code_through_the_files_of_the_page(first_call):
    files = listed("How a `while` becomes native code")
    assert len(files) <= 12
    assert in_order(files, first_call) == files


@pytest.mark.skipif(
    (sys.platform, platform.machine()) != ("linux", "x86_64"), reason="LLVM places other objects"
)
def test_a_kernel_is_compiled_and_loaded_through_the_files_of_the_page(first_call):
    files = listed("How a kernel is compiled, cached and loaded")
    assert len(files) <= 7
    assert in_order(files, first_call) == files


def test_a_call_on_the_general_path_visits_the_files_of_the_page():
    pytest.importorskip("llvmlite")
    function, x = ag.function(halve, jit_compile=True), ag.ones([4])
    function(x)
    files = listed("What a call does")
    # A call may also wake the thread that lets kernels notice signals.
    visited = min((Visited().during(function, x) for _ in range(2)), key=len)
    assert len(files) <= 10
    assert visited == files
    assert len(visited.returns) <= 6
