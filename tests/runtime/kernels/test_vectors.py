"""Vectors in kernels: each lane holds what a number would, to the last bit."""

import numpy as np
import pytest

pytest.importorskip("llvmlite")

from exact_math import REAL, special_points
from kernel_compilation import call, compiled, llvm_of

from allograph.runtime.jit.kernel_types import UntranslatableError
from allograph.runtime.kernels.math_functions import LIBRARY, PLAIN, functions, named
from allograph.runtime.kernels.vector_math import FORMULAS, STEPS

pytestmark = pytest.mark.slow
LANES = 8
OF_TWO = ("power", "atan2", "copysign", "divide", "mean_of", "floor_divide", "floor_mod", "plus")
OF_TWO += ("times", "maximum", "minimum", "larger", "smaller", "hypot", "truncate_mod", "nextafter")
WHOLE = ("uint8", "int32", "int64")
TYPES = ("float32", "float64", *WHOLE)
GROUP = 12  # loops of one kernel

NUMBERS = """
    for i in range(out{0}.size):
        a, b = x[i], y[i]
        out{0}[i] = {1}
"""
VECTORS = f"""
    for i in range(0, out{{0}}.size, {LANES}):
        a, b = vector_load(x, i, {LANES}), vector_load(y, i, {LANES})
        vector_store(out{{0}}, i, {{1}})
"""


def kernel_of(loop, expressions):
    """A kernel with a loop for each expression, which fills an array of its own."""
    outs = "".join(f", out{at}" for at in range(len(expressions)))
    loops = "".join(loop.format(*pair) for pair in enumerate(expressions))
    return f"def kernel(x, y{outs}):{loops}    return ()\n"


def operands(dtype, size=1001, seed=0):
    """Pairs of numbers of a type: ordinary ones, and those at the limits with each other."""
    rng, dtype = np.random.default_rng(seed), np.dtype(dtype)
    if dtype.kind == "f":
        x, y = (3 * rng.standard_normal((2, size))).astype(dtype)
        special = special_points(8 * dtype.itemsize)
    else:
        limits = np.iinfo(dtype)
        x, y = rng.integers(limits.min, limits.max, (2, size), dtype, endpoint=True)
        special = np.array([limits.min, 0, 1, limits.max], dtype)
    pairs = np.repeat(special, special.size), np.tile(special, special.size)
    return np.concatenate([x, pairs[0]]), np.concatenate([y, pairs[1]])


def alike(expressions, dtype, given, **scope):
    """For elements `a` and `b` of this type, lanes give the bits that numbers give. `dtype` is that
    of the results, or one for each expression.
    """
    x, y = operands(given)
    dtypes = [dtype] * len(expressions) if isinstance(dtype, (str, type)) else dtype
    rows = [(*pair, np.zeros((2, x.size), pair[1])) for pair in zip(expressions, dtypes)]
    for start in range(0, len(rows), GROUP):
        group = rows[start : start + GROUP]
        for at, loop in enumerate((NUMBERS, VECTORS)):
            source = kernel_of(loop, [expression for expression, _, _ in group])
            call(source, x, y, *(outs[at] for _, _, outs in group), **scope)
    for expression, _, (wanted, found) in rows:
        np.testing.assert_array_equal(found, wanted, expression)
        np.testing.assert_array_equal(np.signbit(found), np.signbit(wanted), expression)


# ---- what is done in each lane -----------------------------------------------------------------


@pytest.mark.parametrize("bits", REAL)
@pytest.mark.parametrize("family", ["f", "l"])
def test_formulas_give_for_lanes_what_they_give_for_numbers(family, bits):
    table = functions(family, bits)
    if family == "l":  # the others are the same
        table = {name: one for name, one in table.items() if name in LIBRARY}
    calls = [f"{name}(a, b)" if name in OF_TWO else f"{name}(a)" for name in table]
    dtypes = [bool if name in ("isinf", "isfinite") else REAL[bits] for name in table]
    alike(calls, dtypes, REAL[bits], **table)


@pytest.mark.parametrize("dtype", WHOLE)
def test_functions_of_integers_give_for_lanes_what_they_give_for_numbers(dtype):
    names = ["sign", "maximum", "minimum"]
    table = {name: functions("i", 64)[name] for name in names}
    alike(["sign(a)", "maximum(a, b)", "minimum(a, b)"], dtype, dtype, **table)


@pytest.mark.parametrize("dtype", TYPES)
def test_arithmetic_and_choices_of_lanes(dtype):
    arithmetic = ["a + b", "a - b", "a * b", "-a", "abs(a)", "2 * a - 1", "1 - a"]
    with_a_number = ["a + y[3]", "y[3] * a", "select(y[3] < b, y[3], a)"]
    choices = ["select(a < b, a, 2 * b)", "select(a < b, 0, b)", "a if a < b else b"]
    choices += ["1 if a == 0 else b", "a if x.size > 3 else b"]
    floats = ["a / b", "a % b", "0.5 * a", "min(a, b, 1.0)", "max(a, 0.0, b)"]
    bits = ["a & b", "a | b", "a ^ b", "~a", "a >> 3", "a << 2", "a // 7"]
    alike(arithmetic + with_a_number + choices, dtype, dtype)
    alike(bits if dtype in WHOLE else floats, dtype, dtype)


@pytest.mark.parametrize("dtype", TYPES)
def test_comparisons_and_logic_give_a_truth_value_for_each_lane(dtype):
    compared = ["a < b", "a <= b", "a > b", "a >= 1", "a == b", "a != b", "0 <= a < b", "not a"]
    logic = ["a < 1 and b < 1", "a < 1 or b < 1", "(a < 1) != (b < 1)"]
    alike(compared + logic, bool, dtype)


@pytest.mark.parametrize(
    "given, made", [*((one, TYPES) for one in WHOLE), ("float32", ("float64",))]
)
def test_lanes_become_those_of_other_types(given, made):
    alike([f"np.{one}(a) + np.{one}(a > b)" for one in made], made, given)


def test_small_floats_become_integers():
    alike(["np.int32(0.0 if a != a or abs(a) > 9.0 else a)"], "int32", "float64")


# ---- arrays ------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [*TYPES, "bool"])
def test_vectors_end_where_the_array_does(dtype):
    source = kernel_of(VECTORS, ["b"]).replace("(x, y, out0)", "(x, y, out0, n)")
    source = source.replace("    for", "    x, y, out0 = x[:n], y[:n], out0[:n]\n    for")
    given = np.arange(1, 1010).astype(dtype)
    for start in (0, 1):  # aligned to a vector, and not
        made = np.zeros(1010, dtype)
        kernel = compiled(source, [given, given, made[start:][:1009], np.int64(0)])
        for size in (0, 1, 7, 8, 9, 63, 64, 65, 1000, 1001):
            made[:] = 0
            kernel(given, given, made[start:][:1009], np.int64(size))
            np.testing.assert_array_equal(made[start:][:size], given[:size])
            assert not made[start + size :].any()


def test_arrays_whose_sizes_are_known_end_there_too():
    sizes = (1, 8, 65)
    given = np.arange(1.0, 74.0)
    made = [np.zeros(size + 8) for size in sizes]
    source = kernel_of(VECTORS, ["b"] * len(sizes))
    call(source, given, given, *(one[:size] for one, size in zip(made, sizes)))
    for one, size in zip(made, sizes):
        np.testing.assert_array_equal(one[:size], given[:size])
        assert not one[size:].any()


# ---- variables and branches --------------------------------------------------------------------


def test_a_variable_that_takes_a_number_and_lanes_holds_lanes():
    text = """
def kernel(x, y, out):
    total = 0
    for i in range(0, out.size, 8):
        total = total + vector_load(x, i, 8)
        vector_store(out, i, total)
    return ()
"""
    x, out = np.arange(16, dtype=np.int32), np.zeros(16)
    call(text, x, x, out)
    np.testing.assert_array_equal(out.reshape(2, 8), np.cumsum(x.reshape(2, 8), axis=0))


@pytest.mark.parametrize("change", [None, 0, 17, 31])
def test_lanes_differ_where_a_bit_does(change):
    text = """
def kernel(x, y):
    differs = vector_differs(vector_load(x, 0, 32), vector_load(y, 0, 32))
    return (differs, vector_differs(vector_load(x, 0, 32), 0.0, 1, 1), )
"""
    x, y = np.zeros((2, 32))
    if change is not None:
        x[change] = -0.0
    assert call(text, x, y, results=(True, True)) == (change is not None,) * 2


def test_lanes_do_not_branch():
    text = "def kernel(x):\n    {} vector_load(x, 0, 8) > 0:\n        x[0] = 1\n    return ()\n"
    for word in ("if", "while"):
        with pytest.raises(UntranslatableError, match="elements"):
            llvm_of(text.format(word), [np.zeros(8)])


def test_a_function_of_both_families_is_in_one_table():
    assert not PLAIN.keys() & {*FORMULAS, *STEPS, *LIBRARY}
    assert all(named(f"{name}_f32") is functions("f", 32)[name] for name in functions("f", 32))
