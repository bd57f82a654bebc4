"""IPython marks the user's line where a staged branch or the body of a staged loop fails."""

import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
from traitlets.config import Config

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
