"""Files and functions stay small enough to be read at once."""

import ast

import pytest
from source_tree import modules, nodes_of, tree_of

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
MOST_PROGRAMS_OF_A_LAW = 200  # random ones: `tests/fuzz.py` runs more, for as long as wanted


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


def random_programs_of(test: ast.FunctionDef) -> int:
    """How many random programs a law has, as a decorator says: `@programs(60)`, or the seeds of
    `@pytest.mark.parametrize("seed", range(1000, 1060, 5))`, which starts where a test goes on.
    """
    for call in (each for each in test.decorator_list if isinstance(each, ast.Call)):
        words = ast.unparse(call.func), ast.unparse(call.args[0]) if call.args else ""
        if words[0] in ("programs", "examples"):
            return ast.literal_eval(call.args[0])
        if words == ("pytest.mark.parametrize", "'seed'"):
            seeds = call.args[1]
            if isinstance(seeds, ast.List):
                return len(seeds.elts)
            first, *end = map(ast.literal_eval, seeds.args[:2])
            return end[0] - first if end else first
    return 0


def test_a_law_has_few_random_programs_in_the_suite():
    words = ("@programs(", "@examples(", '"seed"')
    files = [path for path in modules("tests") if any(map(path.read_text("utf-8").count, words))]
    tests = [
        (path, node)
        for path in files
        for node in tree_of(path).body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    ]
    counts = {f"{path.name}: {test.name}": random_programs_of(test) for path, test in tests}
    assert sum(map(bool, counts.values())) > 50  # laws, at least, are found
    assert not [law for law, count in counts.items() if count > MOST_PROGRAMS_OF_A_LAW]
