"""The mathematics of native kernels: exact to 2 units in the last place, NumPy's special values."""

import functools

import mpmath
import numpy as np
import pytest

pytest.importorskip("llvmlite")

from exact_math import (
    EXACT,
    REAL,
    SPAN,
    largest_error,
    on_arrays,
    pairs,
    points,
    special_points,
    text_of,
)
from kernel_compilation import call, llvm_of

import allograph as ag
from allograph.runtime.jit import llvm_values
from allograph.runtime.jit.loader import llvm_backend
from allograph.runtime.kernels.math_functions import functions

pytestmark = pytest.mark.slow
BITS = pytest.mark.parametrize("bits", REAL)
NAMES = pytest.mark.parametrize("name", EXACT)
functions = functools.cache(functions)  # one object for each function, and one kernel for that
OF_TWO = {"power": (mpmath.power, np.power), "atan2": (mpmath.atan2, np.arctan2)}


def evaluated(name, *operands, kind="f"):
    return on_arrays(functions(kind, operands[0].dtype.itemsize * 8)[name], *operands)


def assert_like(found, expected):
    """Nearly the same numbers; the same signs, infinities and NaNs."""
    np.testing.assert_allclose(found, expected, rtol=1e-5)
    numbers = ~np.isnan(expected)
    np.testing.assert_array_equal(np.signbit(found)[numbers], np.signbit(expected)[numbers])


@BITS
@NAMES
def test_results_are_within_two_units_in_the_last_place(name, bits):
    xs = points(name, bits, 150)
    error, place = largest_error(evaluated(name, xs), EXACT[name][0], xs)
    assert error <= 2, place


@NAMES
def test_many_results_of_float32_are_near_those_of_float64(name):
    xs = points(name, 32, 40_000, seed=1)
    exact = EXACT[name][1](xs.astype(np.float64))
    limits = np.finfo(np.float32)
    with np.errstate(divide="ignore"):
        exponents = np.maximum(np.floor(np.log2(abs(exact))), limits.minexp)
    errors = abs(evaluated(name, xs) - exact) / np.exp2(exponents - limits.nmant)
    inside = abs(exact) < float(limits.max)
    assert errors[inside].max() <= 2, xs[inside][errors[inside].argmax()]


@BITS
def test_tanh_is_odd_and_ends_at_one(bits):
    end = {32: 10, 64: 21}[bits]
    xs = np.linspace(0, end, 200_000, dtype=REAL[bits])
    found = evaluated("tanh", xs)
    np.testing.assert_array_equal(evaluated("tanh", -xs), -found)
    assert found.max() == found[-1] == 1


@BITS
@pytest.mark.parametrize("name", OF_TWO)
def test_functions_of_two_are_within_two_units_in_the_last_place(name, bits):
    xs, ys = pairs(name, bits, 300)
    error, place = largest_error(evaluated(name, xs, ys), OF_TWO[name][0], xs, ys)
    assert error <= 2, place


@BITS
@NAMES
@pytest.mark.parametrize("kind", "fl")
def test_special_values_are_numpys(name, bits, kind):
    xs = special_points(bits)
    if name in ("sin", "cos", "tan"):
        xs = xs[~(abs(xs) > SPAN[name][bits][1]) | np.isinf(xs)]
    with np.errstate(all="ignore"):
        assert_like(evaluated(name, xs, kind=kind), EXACT[name][1](xs))


@BITS
@pytest.mark.parametrize("name", OF_TWO)
def test_special_values_of_two_are_numpys(name, bits):
    xs = special_points(bits)
    xs, ys = np.repeat(xs, len(xs)), np.tile(xs, len(xs))
    with np.errstate(all="ignore"):
        assert_like(evaluated(name, xs, ys), OF_TWO[name][1](xs, ys))


@BITS
@pytest.mark.parametrize("name", ["sin", "cos", "tan"])
@pytest.mark.parametrize("where", ["all", "one"])
def test_angles_out_of_reach_of_the_formulas_are_exact_too(name, bits, where):
    xs = np.linspace(-5, 5, 64, dtype=REAL[bits])
    xs[slice(None) if where == "all" else 17] *= REAL[bits](1e19)
    kernel = ag.function(lambda x: getattr(ag, name)(x) * 1.0, jit_compile=True)
    error, place = largest_error(kernel(ag.constant(xs)).numpy(), EXACT[name][0], xs)
    assert error <= 2, place


@pytest.mark.parametrize("beyond", [(), (0,), (1,), (0, 1)])
def test_angles_of_both_precisions_in_one_loop_are_exact(beyond):
    x, y = np.linspace(-9, 9, 40, dtype=np.float32), np.linspace(-1e6, 1e6, 40)
    x[:2], y[:2] = (np.inf, np.nan), (np.nan, -np.inf)
    for operand in (x, y):
        operand[7] = 1e5
    for index in beyond:
        (x, y)[index][7] *= 1e4
    kernel = ag.function(lambda x, y: ag.cast(ag.sin(x), ag.float64) + ag.cos(y), jit_compile=True)
    with np.errstate(invalid="ignore"):
        wanted = np.sin(x.astype(np.float64)) + np.cos(y)
    np.testing.assert_allclose(kernel(ag.constant(x), ag.constant(y)), wanted, atol=2e-7)


@BITS
@pytest.mark.parametrize("exponent", [-2, -1, 0.5, 1, 2, 3, 4])
def test_a_small_known_power_is_that_of_numpy(exponent, bits):
    xs = np.array([*np.linspace(0.1, 9, 50), 0.0, np.inf, np.nan], REAL[bits])
    kernel = ag.function(lambda x: x**exponent + 0.0, jit_compile=True)
    with np.errstate(all="ignore"):
        expected = np.power(xs, REAL[bits](exponent))
    np.testing.assert_allclose(kernel(ag.constant(xs)).numpy(), expected, rtol=4e-7)
    assert "power" not in kernel.get_concrete_function(ag.constant(xs)).kernels()[0].source


def test_precise_math_calls_the_c_library():
    xs = ag.constant(np.linspace(0, 1, 50, dtype=np.float32))
    ag.config.set_precise_math(True)
    try:
        kernel = ag.function(lambda x: ag.exp(x) + ag.sin(x), jit_compile=True)
        text = kernel.get_concrete_function(xs).kernels()[0].source
    finally:
        ag.config.set_precise_math(False)
    assert "exp_l32(" in text and "sin_l32(" in text and "exp_f32(" not in text
    np.testing.assert_allclose(kernel(xs), np.exp(xs) + np.sin(xs), rtol=1e-6)


@BITS
@pytest.mark.parametrize(
    "name",
    [
        *("exp", "log1p", "sin", "sinh", "atan", "acos", "tanh", "tan", "erfc", "power", "asinh"),
        *("acosh", "atanh", "sigmoid"),
    ],
)
def test_the_bound_holds_without_fused_multiply_add(name, bits, monkeypatch):
    monkeypatch.setattr(llvm_values, "has_fused_multiply_add", lambda: False)
    operands = pairs(name, bits, 200) if name in OF_TWO else (points(name, bits, 100),)
    out = on_arrays(functions("f", bits)[name], *operands)
    error, place = largest_error(out, {**EXACT, **OF_TWO}[name][0], *operands)
    assert error <= 2, place


@BITS
@pytest.mark.parametrize("name", ["exp", "power", "sigmoid"])
def test_powers_of_two_from_two_factors_are_exact_too(name, bits, monkeypatch):
    monkeypatch.setattr(llvm_values, "has_ldexp", lambda: False)
    text = text_of(2 if name in OF_TWO else 1)
    operands = pairs(name, bits, 200) if name in OF_TWO else (points(name, bits, 200),)
    out = np.empty_like(operands[0])
    call(text, *operands, out, function=functions("f", bits)[name])
    error, place = largest_error(out, {**EXACT, **OF_TWO}[name][0], *operands)
    assert error <= 2, place


@BITS
@pytest.mark.parametrize("odds", [17, 1000])
def test_powers_of_float32_near_the_end_of_the_range_are_exact(bits, odds):
    rng = np.random.default_rng(odds)
    x = rng.uniform(0.5, 2, 300).astype(REAL[bits])
    reach = np.log(np.finfo(REAL[bits]).max) * rng.choice([-1, 1], 300) * (1 - 1 / odds)
    with np.errstate(divide="ignore"):
        y = (reach / np.log(x.astype(float))).astype(REAL[bits])
    error, place = largest_error(evaluated("power", x, y), mpmath.power, x, y)
    assert error <= 2, place


@BITS
@NAMES
def test_a_loop_over_elements_uses_vectors(name, bits):
    xs = np.ones(1000, REAL[bits])
    code = llvm_of(text_of(), [xs, xs], (), function=functions("f", bits)[name])
    code = str(llvm_backend.optimized(code))
    assert f" x {'float' if bits == 32 else 'double'}>" in code


DIVISIONS = {
    "floor_divide": np.floor_divide, "floor_mod": np.remainder, "truncate_mod": np.fmod,
}  # fmt: skip


@pytest.mark.parametrize("name", DIVISIONS)
def test_integer_division_rounds_as_numpy(name):
    lowest = np.iinfo(np.int64).min  # divided by -1 it is too large, which processors signal
    numbers = [*range(-7, 8), lowest, -lowest - 1]
    x, y = (each.ravel() for each in np.meshgrid(numbers, [-3, -2, -1, 1, 2, 3]))
    with np.errstate(over="ignore"):
        wanted = DIVISIONS[name](x, y)
    assert np.array_equal(evaluated(name, x, y, kind="i"), wanted)


@pytest.mark.parametrize("name", DIVISIONS)
def test_integer_division_by_zero_is_signalled(name):
    with pytest.raises(ArithmeticError):
        evaluated(name, np.array([1]), np.array([0]), kind="i")


@BITS
def test_the_sign_of_zero_is_zero_and_nan_stays(bits):
    xs = np.array([-2, -0.0, 0.0, 3, -np.inf, np.nan], REAL[bits])
    np.testing.assert_array_equal(evaluated("sign", xs), np.sign(xs))
