"""`jit`: results of rank 0 are arrays or numbers as in NumPy, and zeros have its signs."""

import numpy as np
import pytest
from native_calls import is_native

import allograph as ag

pytestmark = pytest.mark.slow

NEGATIVE = -np.zeros(3)


def contracted(a):
    return np.tensordot(a, a, 1), np.tensordot(a[0], 2.0, 0), np.tensordot(a, a, 0)


def contiguous(a):
    last = np.ascontiguousarray(a[-1, ...])
    last[0] = 7.0
    return last, np.ascontiguousarray(a)


def running_sums(a):
    return np.cumsum(a), np.cumsum(a[:, None] + a, axis=0)


def cube_roots(a):
    return np.cbrt(a), np.cbrt(a**3), np.floor(np.cbrt(np.float64(64.0) + a * 0))


def quantiles_of_truths(a):
    return np.percentile(a > 1, 50)


@pytest.mark.parametrize("a", [
    np.arange(1.0, 5.0), np.array([4.0, -0.0, -np.inf]), NEGATIVE, np.arange(3, dtype=np.float32),
])  # fmt: skip
@pytest.mark.parametrize("function", [contracted, contiguous, running_sums, cube_roots])
def test_types_shapes_and_signs_are_those_of_numpy(function, a):
    one, other = a.copy(), a.copy()
    compiled = ag.jit(function)
    with np.errstate(all="ignore"):
        pairs = [*zip(function(one), compiled(other), strict=True), (one, other)]
    for expected, found in pairs:
        assert type(found) is type(expected) and found.dtype == expected.dtype
        assert found.shape == expected.shape
        np.testing.assert_allclose(found, expected, rtol=1e-6)
        if function in (running_sums, cube_roots):  # those of products depend on BLAS
            np.testing.assert_array_equal(np.signbit(found), np.signbit(expected))
    assert "native" in compiled.inspect()


def test_numpy_refuses_quantiles_of_truths():
    with pytest.raises(TypeError, match="subtract"):
        ag.jit(quantiles_of_truths)(np.arange(3.0))


def _same_with_signs(function, *args) -> None:
    expected, found = np.asarray(function(*args)), np.asarray(ag.jit(function)(*args))
    np.testing.assert_array_equal(found, expected)
    for part in ("real", "imag"):
        signs = [np.signbit(getattr(one, part)) for one in (found, expected)]
        known = ~np.isnan(getattr(expected, part))
        np.testing.assert_array_equal(*(one[known] for one in signs))


ZEROS = np.array([-0.0, 0.0, -0.0, 1.0, -1.0, 0.0])
NAN = np.nan
LIMITS = [(0.0, 1.0), (-0.0, 1), (-1, -0.0), (1.0, 0.0), (NAN, 1.0), (0.0, NAN), (ZEROS[::-1], 2),
          (0.0, ZEROS), (ZEROS, ZEROS[::-1])]  # fmt: skip


@pytest.mark.parametrize("limits", LIMITS)
def test_clip_gives_the_zero_of_numpy(limits):
    for x in (ZEROS, np.where(ZEROS > 0, NAN, ZEROS), ZEROS.astype(np.float32)):
        _same_with_signs(lambda x, low, high: np.clip(x, low, high), x, *limits)


def test_medians_are_means_from_zero_of_what_is_in_the_middle():
    for x in (ZEROS[:3], -np.abs(ZEROS) * 0, np.array([1e308, 1.2e308, 1.5e308]), ZEROS[3:5]):
        _same_with_signs(np.median, x)
        _same_with_signs(lambda x: np.median(x.reshape(1, -1), axis=1), x)


@pytest.mark.parametrize("heights", [[-2.0, -0.0, 5.0], [1.0, 2.0, np.inf], [np.inf, np.inf, 0.0]])
def test_interpolation_at_a_known_place_gives_the_height_there(heights):
    x = np.array([-2, -1, -0.5, -0.0, 0.0, 0.5, 1, 2, NAN, np.inf])
    for places in ([-1.0, 0.0, 1.0], [-np.inf, 0.0, np.inf]):
        _same_with_signs(lambda x, xp, fp: np.interp(x, xp, fp), x, np.array(places),
                         np.array(heights))  # fmt: skip


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_reciprocals_of_complex_numbers_have_no_form_for_zero(dtype):
    x = np.array([0, 1, -2, 3j, 1 + 2j, -1 - 1j, np.inf, complex(0, np.inf)], dtype)
    with np.errstate(all="ignore"):
        expected, found = np.reciprocal(x), ag.jit(lambda x: np.reciprocal(x))(x)
    np.testing.assert_array_equal(np.isnan(found.real), np.isnan(expected.real))
    np.testing.assert_allclose(found, expected, rtol=1e-6)
    _same_with_signs(lambda x: np.reciprocal(x), x[1:4])


@pytest.mark.parametrize("exponent", [0.5, np.float64(0.5), np.array(0.5), np.array([0.5]), 2, -1])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_powers_with_computed_exponents_at_the_ends_of_floats(exponent, dtype):
    """NumPy takes the root of an array, and the power of a number, of several exponents, and in
    `np.float_power`.
    """

    def powers(x, y):
        each = np.empty_like(x)
        if isinstance(y, (int, float)):
            for i in range(len(x)):
                each[i] = x[i] ** y
        return x**y, np.power(x, y), each, np.float_power(x, y), x ** np.full(len(x), 0.5)

    x = np.array([-0.0, -np.inf, np.inf, 0.0, 4.0], dtype)
    compiled = ag.jit(powers)
    with np.errstate(all="ignore"):
        assert repr(compiled(x, exponent)) == repr(powers(x, exponent))
    assert is_native(compiled)


@pytest.mark.parametrize("shape", [(), (1,), (1, 1)])
@pytest.mark.parametrize("of_exponent", [(), (1,), (1, 1), (1, 1, 1)])
def test_one_exponent_of_one_number_is_special_where_numpy_repeats_it(shape, of_exponent):
    x, y = np.full(shape, -np.inf), np.full(of_exponent, 0.5)
    with np.errstate(all="ignore"):
        assert repr(ag.jit(lambda x, y: np.power(x, y))(x, y)) == repr(np.power(x, y))
