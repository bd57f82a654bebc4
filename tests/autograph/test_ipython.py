"""IPython marks the user's line where a staged branch or the body of a staged loop fails."""

import inspect
import re

import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
from traitlets.config import Config

import allograph as ag
from allograph.autograph.conversion.display_names import starting_at

BRANCH = """
@ag.function
def f(x):
    total = x
    if ag.reduce_sum(x) > 0.0:
        total = total + 1.0
        total = ag.matmul(total, ag.ones([5, 5]))
    return total

f(ag.ones([2, 3]))
"""
LOOP = """
@ag.function
def f(x):
    total = 0
    for i in ag.range(3):
        total += i
        total += [10, 20][5]
    return total

f(ag.ones([2, 3]))
"""


@pytest.fixture(scope="module")
def shell(tmp_path_factory):
    without_history = Config({"HistoryManager": {"enabled": False}})
    folder = str(tmp_path_factory.mktemp("ipython"))
    made = InteractiveShell(config=without_history, ipython_dir=folder, colors="nocolor")
    made.run_cell("import allograph as ag")
    return made


@pytest.mark.parametrize(
    ("cell", "line"),
    [
        (BRANCH, "total = ag.matmul(total, ag.ones([5, 5]))"),
        (LOOP, "total += [10, 20][5]"),
    ],
    ids=["a branch", "a loop"],
)
def test_the_failing_line_of_a_block_is_marked(shell, cell, line):
    with capture_output() as printed:
        shell.run_cell(cell)
    marked = [row for row in printed.stdout.splitlines() if row.startswith("---->")]
    assert [row.split(maxsplit=2)[2] for row in marked] == ["f(ag.ones([2, 3]))", line]
    assert "ag__" not in printed.stdout


def test_a_block_starts_where_its_function_does():
    """Where Jupyter marks lines, it counts them from the first line of a code object."""
    codes = []

    def note(x):
        codes.append(inspect.currentframe().f_back.f_code)
        return x

    def decorated(function):
        return function

    @decorated
    def f(x):
        while x < 3:
            if x > 1:
                x = note(x) + 1
            else:
                x = note(x) + 2
        return note(x)

    ag.function(f)(ag.constant(0))
    assert len(codes) == 3
    for code in codes:
        assert inspect.getsourcelines(code) == inspect.getsourcelines(f)
        assert min(line for _, _, line in code.co_lines() if line) >= f.__code__.co_firstlineno


def test_a_code_object_with_another_first_line_keeps_the_places_of_its_instructions():
    for function in (inspect.getsourcelines, inspect.getmodule, re.compile, re.sub):
        code = function.__code__
        for line in (1, code.co_firstlineno - 1, code.co_firstlineno + 70):
            moved = starting_at(code, line)
            assert moved.co_firstlineno == line
            assert list(moved.co_positions()) == list(code.co_positions())
