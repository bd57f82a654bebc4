"""Kernel IR: what prints, what is read from source, and walks over it."""

import ast
import inspect

import pytest

from allograph.runtime.kernel_ir.kernels import KernelIR, names_read, names_written
from allograph.runtime.kernel_ir.nodes import Const, Unsupported, lines_of, transformed, walk
from allograph.runtime.kernel_ir.reader import expression, function_of, kernel_ir, statements

EXPRESSIONS = [
    "a + b * c", "(a + b) * c", "a - (b - c)", "a - b - c", "-(a + b)", "-a * b", "a ** -b",
    "(a ** b) ** c", "a ** b ** c", "not a < b", "(not a) < b", "a < b <= c", "a and (b or c)",
    "a and b or c", "(a if t else b) + c", "a if t else b if u else c",
    "(a if t else b) if u else c", "x[i + 1, 2:n]", "x[:, 1:]", "np.float64(x[i])",
    "x.ctypes.data", "(a,)", "()",    "(a, b)",
    "f(*a, b)", "~a & b | c ^ d", "a << b >> c", "a & (b == c)", "x[-1]", "a - -1", "1e-05",
    "f(a if t else b, c)", "table.view(np.float64)[3]", "x[0][1]",
]  # fmt: skip


@pytest.mark.parametrize("source", EXPRESSIONS)
def test_an_expression_prints_as_what_python_reads_alike(source):
    printed = str(expression(source))
    assert printed == source
    assert ast.dump(ast.parse(printed)) == ast.dump(ast.parse(source))


def test_parentheses_that_change_nothing_are_left_out():
    assert str(expression("((a) * (b)) + (c)")) == "a * b + c"


@pytest.mark.parametrize("source", ["a, b = b, a", "x[i] += 1", "return", "return (a,)", "raise E",
                                    "while a:\n    break", "if a:\n    pass\nelse:\n    b = 1",
                                    "for i in range(3):\n    continue", "f(a)"])  # fmt: skip
def test_a_statement_prints_as_it_was_written(source):
    assert "\n".join(line for line, _ in lines_of(statements(source), 0)) == source


def test_routines_of_kernels_read_back_as_they_print():
    from allograph.runtime.kernels import matmul_blocked, sort_kernels

    for module in (matmul_blocked, sort_kernels):
        for node in ast.walk(ast.parse(inspect.getsource(module))):
            if isinstance(node, ast.FunctionDef) and not node.args.defaults:
                code = KernelIR((function_of(node),))
                if not any(isinstance(part, Unsupported) for part in walk(code.functions)):
                    assert kernel_ir(code.source).source == code.source


def test_a_construct_that_kernels_do_not_have_is_kept_for_the_message():
    assert str(expression("[a for a in b]")) == "<ListComp>"


def test_names_that_are_only_assigned_are_not_read():
    block = statements("total = 0\nfor i in range(8):\n    total = x[i] > limit")
    assert names_read(block) == {"range", "x", "i", "limit"}
    assert names_written(block) == {"i", "total"}


def test_an_operator_with_an_assignment_reads_its_target():
    block = statements("total += 1")
    assert names_read(block) == names_written(block) == {"total"}


def test_an_element_that_is_stored_reads_its_array():
    block = statements("y[i, 0] = 1")
    assert names_read(block) == {"y", "i"} and not names_written(block)


def test_functions_are_found_where_they_are_called_and_nowhere_else():
    source = "def kernel(x):\n    y = exp_f32(x.reshaped(3))\n    return larger + np.sum(y)\n"
    assert kernel_ir(source).calls == {"exp_f32"}


def test_what_a_transformation_leaves_is_the_same_object():
    block = statements("y[i] = x[i] + 1")[0]
    changed = transformed(block, lambda part: Const(2) if type(part) is Const else part)
    assert str(changed) == "y[i] = x[i] + 2" and changed.target is block.target
