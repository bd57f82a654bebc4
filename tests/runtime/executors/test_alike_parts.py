"""Statements of a long kernel that differ in names and numbers are one function."""

import numpy as np
import pytest
from helpers.large_paths import set_to

from allograph.runtime.executors.alike_parts import with_functions
from allograph.runtime.jit.backends import OWN
from allograph.runtime.jit.kernel_types import ArrayType
from allograph.runtime.kernel_ir.reader import kernel_ir


@pytest.fixture(autouse=True)
def _all_kernels_are_long():
    with set_to({"CALLS_FROM": 1, "SAVED_BY_CALLS": 1}):
        yield


def code(*lines):
    return kernel_ir("def kernel(x, y):\n" + "".join(f"    {line}\n" for line in lines))


def nest(size, factor=2.0, source="x", target="y", name="r"):
    value = f"np.float64({source}[i] * np.float64({factor}))"
    return (f"for i in range({size}):", f"    {name} = {value}", f"    {target}[i] = {name}")


def functions(*lines):
    return [function.name for function in with_functions(code(*lines)).functions]


def test_nests_of_two_sizes_are_calls_of_one_function():
    shared = with_functions(code(*nest(3), *nest(4, 5.0), "return ()"))
    assert shared.source == (
        "def disjoint_0(p2, p3, number_0, number_1):\n"
        "    for p0 in range(number_0):\n"
        "        p1 = np.float64(p2[p0] * np.float64(number_1))\n"
        "        p3[p0] = p1\n"
        "def kernel(x, y):\n"
        "    disjoint_0(x, y, 3, 2.0)\n"
        "    disjoint_0(x, y, 4, 5.0)\n"
        "    return ()\n"
    )


def test_the_function_computes_what_the_nests_did():
    total = "for i in range({0}):", "    total = np.float64(total + np.float64(y[i] * {1}))"
    lines = ("total = np.float64(0.0)",
             *nest(5), *(line.format(5, 3.0) for line in total),
             *nest(3, 0.5), *(line.format(3, 7.0) for line in total))  # fmt: skip
    shared = with_functions(code(*lines, "return (total,)"))
    assert shared.source.count("(total,) = disjoint_") == 2
    types = (ArrayType(np.dtype(np.float64), (5,)),) * 2
    x, y = np.arange(5.0), np.zeros(5)
    result = OWN.compiled(shared, types, (np.dtype(np.float64),)).function(x, y)
    assert np.ravel(result) == 3.0 * (2 * x).sum() + 7.0 * (0.5 * x[:3]).sum()
    assert y.tolist() == [0.0, 0.5, 1.0, 6.0, 8.0]


def test_numbers_that_are_the_same_in_all_parts_stay_constants():
    shared = with_functions(code(*nest(3), *nest(3, 5.0), "return ()"))
    assert "for p0 in range(3):" in shared.source


def test_arrays_that_may_share_memory_are_not_passed_as_disjoint_ones():
    lines = (
        "z = reshaped(x, (9,))",
        *nest(3, source="z", target="x"),
        *nest(4, source="z", target="x"),
    )
    assert functions(*lines) == ["kernel"]


def test_arrays_that_a_statement_exchanges_may_share_memory():
    lines = ("x, y = y, x", *nest(3), *nest(4), "return ()")
    assert functions(*lines) == ["kernel"]


@pytest.mark.parametrize("last", ["return (r,)", "y[0] = r", "for i in range(r):", "while r < 2:"])
def test_a_nest_that_assigns_what_is_read_later_stays(last):
    body = ("    pass",) if last.endswith(":") else ()
    assert functions(*nest(3), *nest(4), last, *body) == ["kernel"]


def test_a_name_that_each_reader_assigns_first_is_local():
    reader = ("if x[0] > 0:", "    r = x[0]", "    y[0] = r")
    assert functions(*nest(3), *nest(4), *reader) == ["disjoint_0", "kernel"]


def test_a_statement_that_leaves_the_kernel_stays():
    lines = ("for i in range({}):", "    if x[i] > 0:", "        return ()")
    assert functions(*(line.format(3) for line in lines), *(line.format(4) for line in lines)) == [
        "kernel"
    ]


def test_the_parts_of_a_loop_around_them_are_calls_too():
    inside = [f"    {line}" for line in (*nest(3), *nest(4), *nest(5))]
    shared = with_functions(code("for k in range(7):", *inside, "return ()"))
    assert shared.source.count("    disjoint_0(x, y") == 3


def test_loops_that_poll_stay():
    assert functions(*nest(1 << 30), *nest(1 << 29)) == ["kernel"]
