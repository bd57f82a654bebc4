"""Files and functions stay small enough to be read at once."""

import ast

import pytest
from source_tree import modules, nodes_of

FOLDERS = (
    "autograph",
    "backends",
    "benchmarks",
    "examples",
    "library",
    "python_library",
    "runtime",
    "tools",
    "tracing",
)
MOST_LINES_OF_A_FILE = 500  # about 400 is the aim
MOST_LINES_OF_A_FUNCTION = 60  # about 40 is the aim


def lines_of(function):
    """Lines of a function without those of kernels inside it, which are functions of their own."""
    if function.end_lineno - function.lineno < MOST_LINES_OF_A_FUNCTION:
        return 0
    functions = [node for node in ast.walk(function) if isinstance(node, ast.FunctionDef)][1:]
    inner = [node for node in functions if node.decorator_list]
    lines = set(range(function.lineno, function.end_lineno + 1))
    return len(lines.difference(*(range(node.lineno, node.end_lineno + 1) for node in inner)))


@pytest.mark.parametrize("folder", FOLDERS)
def test_files_and_their_functions_are_short(folder):
    for path in modules(folder):
        text = path.read_text(encoding="utf-8")
        assert len(text.splitlines()) <= MOST_LINES_OF_A_FILE, path
        for node in nodes_of(path):
            if isinstance(node, ast.FunctionDef):
                assert lines_of(node) <= MOST_LINES_OF_A_FUNCTION, f"{path}: {node.name}"
