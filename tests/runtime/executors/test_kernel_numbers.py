"""The numbers of a kernel that may become variables."""

import numpy as np
import pytest

from allograph.runtime.executors.kernel_numbers import numbers_of
from allograph.runtime.jit.backends import OWN
from allograph.runtime.jit.kernel_types import ArrayType
from allograph.runtime.kernel_ir.kernels import KernelIR
from allograph.runtime.kernel_ir.nodes import Name, Param, transformed
from allograph.runtime.kernel_ir.reader import kernel_ir


def left(*lines: str) -> str:
    """The body of a kernel with `?` for such numbers."""
    source = "".join(f"    {line}\n" for line in lines)
    found, _ = numbers_of(kernel_ir(f"def kernel(x, y, v1):\n{source}")).key
    return found.split("\n", 1)[1]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("y = new_array((7, 1, 0), np.float64)", "y = new_array((?, 1, 0), np.float64)"),
        ("y = reshaped(x, (6, 2))", "y = reshaped(x, (?, ?))"),
        ("y = x.reshape((6, 2))", "y = x.reshape((?, ?))"),
        ("y = x.shape[2]", "y = x.shape[2]"),
        ("y = x[2, 1]", "y = x[?, 1]"),
        ("y = x[4:9]", "y = x[?:?]"),
        ("r1 = np.float64(x[0] * np.float64(0.5))", "r1 = np.float64(x[0] * np.float64(?))"),
        ("r1 = np.float64(np.float64(1.0))", "r1 = np.float64(np.float64(1.0))"),
        ("r1 = np.float64(x[0] * 3)", "r1 = np.float64(x[0] * ?)"),
        ("r1 = np.float64(x[0] / 8 + (4 - 2))", "r1 = np.float64(x[0] / 8 + (? - ?))"),
        ("r1 = np.float32(-np.float32(2.5))", "r1 = np.float32(-np.float32(?))"),
        ("r1 = np.float64(np.float64(-2.5))", "r1 = np.float64(np.float64(-2.5))"),
        ("k1 = wrapped_index(v1, 9)", "k1 = wrapped_index(v1, ?)"),
        ("b = bool(v1 < 3)", "b = bool(v1 < ?)"),
        ("b = 3 < 4", "b = 3 < 4"),
        ("table[5] = 3", "table[5] = 3"),
        ("z = some_function(x, 8)", "z = some_function(x, 8)"),
        (f"k1 = wrapped_index(v1, {1 << 31})", f"k1 = wrapped_index(v1, {1 << 31})"),
    ],
)
def test_numbers_become_variables_where_these_mean_the_same(line, expected):
    assert left(line) == f"    {expected}\n"


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        ("for i in range(9):", "for i in range(?):"),
        ("for i in range(3, 9, 2):", "for i in range(?, ?, 2):"),
        ("for i in range(9 - 2, -1, -1):", "for i in range(? - ?, -1, -1):"),
        ("for i in range(opaque(300)):", "for i in range(?):"),
        ("for i in range(min(64, 300 - v1)):", "for i in range(min(?, ? - v1)):"),
    ],
)
def test_the_steps_of_loops_stay(head, expected):
    assert left(head, "    pass") == f"    {expected}\n        pass\n"


def test_literals_beside_what_is_computed_become_variables():
    found = left(
        "for i in range(4):",
        "    j = 3 + i",
        "    k = np.int64(i)",
        "    x[j // 8 + k % 5] = i * 2.0",
        "    r = np.float64(r * 2)",
        "    r //= 6",
        "    b = bool(j < 6)",
    )
    assert found.splitlines() == [
        "    for i in range(?):",
        "        j = ? + i",
        "        k = np.int64(i)",
        "        x[j // 8 + k % 5] = i * ?",
        "        r = np.float64(r * ?)",
        "        r //= 6",
        "        b = bool(j < ?)",
    ]


FORMULAS = (
    "y * {n}", "{n} - y", "y / ({n} - 2)", "({n} // 2 - 8) * y", "{n} if y > {n} else y",
    "{n} * 0.3 + y", "{n} / 7 - y",
)  # fmt: skip


@pytest.mark.parametrize(
    "x", [np.float32([0.1]), np.float64([0.1]), np.int64([5]), np.int32([7]), np.array([True])]
)
def test_a_number_at_run_time_has_the_type_of_the_literal(x):
    def compiled(number, parameters, head, arrays):
        results = ", ".join(f"({formula.format(n=number)}) * 1" for formula in FORMULAS)
        source = f"def kernel({parameters}):\n    {head}\n    y = x[0]\n    return ({results},)\n"
        code = kernel_ir(source)
        functions = tuple(transformed(function, named) for function in code.functions)
        types = tuple(ArrayType(array.dtype, array.shape) for array in arrays)
        wide = (np.dtype(np.float64),) * len(FORMULAS)  # shows in which type each is computed
        return OWN.compiled(KernelIR(functions), types, wide).function(*arrays)

    def named(part):
        return Param(0, "number_0") if isinstance(part, Name) and part.id == "n" else part

    found = compiled("n", "x, numbers", "number_0 = size_at(numbers, 0)", [x, np.array([9])])
    expected = compiled("9", "x", "pass", [x])
    assert found == expected
