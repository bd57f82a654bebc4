"""Vectors in kernels: each lane holds what a number would, to the last bit."""

import numpy as np
import pytest

pytest.importorskip("llvmlite")

from exact_math import REAL, special_points
from kernel_compilation import call, llvm_of

from allograph.runtime.jit.kernel_types import UntranslatableError
from allograph.runtime.kernels.math_functions import functions

pytestmark = pytest.mark.slow
LANES = 8
OF_TWO = ("power", "atan2", "divide", "mean_of", "floor_divide", "floor_mod", "plus", "times")
OF_TWO += ("maximum", "minimum", "larger", "smaller")
FORMULAS = [(kind, name) for kind in "fl" for name in sorted(functions(kind, 64))]
WHOLE = ("uint8", "int32", "int64")
TYPES = ("float32", "float64", *WHOLE)

NUMBERS = """
def kernel(x, y, out):
    for i in range(out.size):
        a, b = x[i], y[i]
        out[i] = {}
    return ()
"""
VECTORS = f"""
def kernel(x, y, out):
    for i in range(0, out.size, {LANES}):
        a, b = lanes_at(x, i, {LANES}), lanes_at(y, i, {LANES})
        lanes_put(out, i, {{}})
    return ()
"""


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


def alike(expression, dtype, given, **scope):
    """For elements `a` and `b` of this type, lanes give the bits that numbers give."""
    x, y = operands(given)
    wanted, found = np.zeros((2, x.size), dtype)
    for text, out in ((NUMBERS, wanted), (VECTORS, found)):
        call(text.format(expression), x, y, out, **scope)
    np.testing.assert_array_equal(found, wanted)
    np.testing.assert_array_equal(np.signbit(found), np.signbit(wanted))


# ---- what is done in each lane -----------------------------------------------------------------


@pytest.mark.parametrize("bits", REAL)
@pytest.mark.parametrize("kind, name", FORMULAS)
def test_a_formula_gives_for_lanes_what_it_gives_for_numbers(kind, name, bits):
    dtype = bool if name in ("isinf", "isfinite") else REAL[bits]
    expression = "formula(a, b)" if name in OF_TWO else "formula(a)"
    alike(expression, dtype, REAL[bits], formula=functions(kind, bits)[name])


@pytest.mark.parametrize("name", ["sign", "maximum", "minimum"])
@pytest.mark.parametrize("dtype", WHOLE)
def test_a_function_of_integers_gives_for_lanes_what_it_gives_for_numbers(name, dtype):
    given = "a" if name == "sign" else "a, b"
    alike(f"function({given})", dtype, dtype, function=functions("i", 64)[name])


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("text", ["a + b", "a - b", "a * b", "-a", "abs(a)", "2 * a - 1", "1 - a"])
def test_arithmetic_of_lanes(text, dtype):
    alike(text, dtype, dtype)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("text", ["a + y[3]", "y[3] * a", "either(y[3] < b, y[3], a)"])
def test_a_number_that_meets_lanes_is_in_each_of_them(text, dtype):
    alike(text, dtype, dtype)


@pytest.mark.parametrize("text", ["a / b", "a % b", "0.5 * a", "min(a, b, 1.0)", "max(a, 0.0, b)"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_arithmetic_of_floats(text, dtype):
    alike(text, dtype, dtype)


@pytest.mark.parametrize("dtype", WHOLE)
@pytest.mark.parametrize("text", ["a & b", "a | b", "a ^ b", "~a", "a >> 3", "a << 2", "a // 7"])
def test_bits_of_lanes(text, dtype):
    alike(text, dtype, dtype)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize(
    "text", ["a < b", "a <= b", "a > b", "a >= 1", "a == b", "a != b", "0 <= a < b", "not a"]
)
def test_comparisons_give_a_truth_value_for_each_lane(text, dtype):
    alike(text, bool, dtype)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize(
    "text",
    [
        "either(a < b, a, 2 * b)",
        "either(a < b, 0, b)",
        "a if a < b else b",
        "1 if a == 0 else b",
        "a if x.size > 3 else b",
    ],
)
def test_a_choice_is_made_for_each_lane(text, dtype):
    alike(text, dtype, dtype)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("text", ["a < 1 and b < 1", "a < 1 or b < 1", "(a < 1) != (b < 1)"])
def test_logic_of_lanes(text, dtype):
    alike(text, bool, dtype)


@pytest.mark.parametrize(
    "given, made",
    [(one, other) for one in WHOLE for other in TYPES] + [("float32", "float64")],
)
def test_lanes_become_those_of_other_types(given, made):
    alike(f"np.{made}(a) + np.{made}(a > b)", made, given)


def test_small_floats_become_integers():
    alike("np.int32(0.0 if a != a or abs(a) > 9.0 else a)", "int32", "float64")


# ---- arrays ------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [*TYPES, "bool"])
@pytest.mark.parametrize("size", [1, 7, 8, 9, 63, 64, 65, 1000, 1001])
def test_vectors_end_where_the_array_does(size, dtype):
    given = np.arange(1, size + 9).astype(dtype)
    made = np.zeros(size + 8, dtype)
    call(VECTORS.format("b"), given[:size], given[:size], made[:size])
    np.testing.assert_array_equal(made[:size], given[:size])
    assert not made[size:].any()


def test_an_array_whose_size_is_known_when_the_kernel_runs_has_vectors_too():
    text = VECTORS.format("a + b").replace("(x, y, out)", "(x, y, out, n)")
    text = text.replace("    for", "    x, y, out = x[:n], y[:n], out[:n]\n    for")
    x, out = np.arange(50.0), np.zeros(50)
    call(text, x, x, out, np.int64(21))
    np.testing.assert_array_equal(out, np.where(x < 21, 2 * x, 0))


# ---- variables and branches --------------------------------------------------------------------


def test_a_variable_that_takes_a_number_and_lanes_holds_lanes():
    text = """
def kernel(x, y, out):
    total = 0
    for i in range(0, out.size, 8):
        total = total + lanes_at(x, i, 8)
        lanes_put(out, i, total)
    return ()
"""
    x, out = np.arange(16, dtype=np.int32), np.zeros(16)
    call(text, x, x, out)
    np.testing.assert_array_equal(out.reshape(2, 8), np.cumsum(x.reshape(2, 8), axis=0))


@pytest.mark.parametrize("change", [None, 0, 17, 31])
def test_lanes_differ_where_a_bit_does(change):
    text = """
def kernel(x, y):
    differs = lanes_differ(lanes_at(x, 0, 32), lanes_at(y, 0, 32))
    return (differs, lanes_differ(lanes_at(x, 0, 32), 0.0, 1, 1), )
"""
    x, y = np.zeros((2, 32))
    if change is not None:
        x[change] = -0.0
    assert call(text, x, y, results=(True, True)) == (change is not None,) * 2


def test_lanes_do_not_branch():
    text = "def kernel(x):\n    {} lanes_at(x, 0, 8) > 0:\n        x[0] = 1\n    return ()\n"
    for word in ("if", "while"):
        with pytest.raises(UntranslatableError, match="lanes"):
            llvm_of(text.format(word), [np.zeros(8)])
