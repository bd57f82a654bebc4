"""The layout of generated code for people: the same program in shorter rows."""

import ast
import bisect
import calendar
import heapq
import textwrap
import types

import pytest

import allograph as ag
from allograph.autograph.errors import ConversionError
from allograph.autograph.printing.line_breaking import wrapped

MODULES = (bisect, calendar, heapq, textwrap)


def functions():
    for module in MODULES:
        for one in vars(module).values():
            if isinstance(one, types.FunctionType) and one.__module__ == module.__name__:
                yield pytest.param(one, id=f"{module.__name__}.{one.__name__}")


@pytest.mark.parametrize("function", list(functions()))
def test_layout_keeps_the_program_of_a_library_function(function):
    try:
        laid_out = ag.autograph.to_code(function, laid_out=True)
    except ConversionError:
        pytest.skip("not converted")
    one_row = ag.autograph.to_code(function)
    assert program(laid_out) == program(one_row)


def program(source: str) -> str:
    """The syntax tree without documentation strings, whose indentation the layout changes."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and ast.get_docstring(node) is not None:
            node.body[0] = ast.Pass()
    return ast.dump(tree)


def test_the_longest_brackets_are_opened_first():
    line = f"x = f(a, b)[{'c' * 20}] + g({'d' * 40}, {'e' * 30})"
    assert wrapped(line, 4) == [
        f"    x = f(a, b)[{'c' * 20}] + g(",
        f"        {'d' * 40}, {'e' * 30}",
        "    )",
    ]


def test_strings_are_never_broken():
    assert wrapped(f"f('{'(a, b), ' * 12}', 1)") == [
        "f(",
        f"    '{'(a, b), ' * 12}',",
        "    1",
        ")",
    ]


@pytest.mark.parametrize(
    "line",
    [
        f"x = {' + '.join(['first(a, b)'] * 12)}",
        f"x, y = ({', '.join(['name'] * 30)})",
        f"return call({', '.join(['name'] * 30)})[a + 1:f(b)]",
        f"items = [{'x' * 40} for x in {'y' * 40} if x > 2 for z in x if z not in y]",
        f"call({', '.join(f'lambda a, b: a ** {n} + b' for n in range(9))})",
        f"text = join('it\\'s (,' + 'say \"x\"' + f'{{a!r:>{{width}}}}' + b'bytes', {'a' * 60})",
        f"{'a' * 50}[{'b' * 40}], c = {'c' * 40}()",
    ],
)
def test_a_line_keeps_its_meaning(line):
    rows = wrapped(line)
    assert len(rows) > 1
    assert ast.dump(ast.parse("\n".join(rows))) == ast.dump(ast.parse(line))


def test_the_users_line_is_told_once_where_the_code_differs():
    def f(x):
        total = 0
        while x > 0:
            total += x
            x = x - 1
        return total

    lines = [line.strip() for line in ag.autograph.to_code(f, laid_out=True).splitlines()]
    told = [line for line in lines if line.startswith("# ")]
    assert told == ["# while x > 0:", "# return total"]
    assert lines.index("# while x > 0:") == lines.index("def get_state():") - 1


def test_the_line_map_is_true_for_each_row_of_a_broken_line():
    def f(x):
        return max(x, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20)

    rows = ag.autograph.to_code(f, laid_out=True).splitlines()
    lines = ag.autograph.line_map(f, laid_out=True)
    start = next(number for number, row in enumerate(rows, 1) if "return fscope.ret(" in row)
    assert {lines[number] for number in range(start, len(rows) + 1)} == {
        f.__code__.co_firstlineno + 1
    }
