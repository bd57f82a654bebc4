"""The vector math of native kernels: a few units in the last place, and NumPy's special values."""

import mpmath
import numpy as np
import pytest

pytest.importorskip("numba")

from allograph.runtime.native_math import functions

REAL = {32: np.float32, 64: np.float64}
EXACT = {
    "exp": mpmath.exp,
    "tanh": mpmath.tanh,
    "sigmoid": lambda x: 1 / (1 + mpmath.exp(-x)),
}
SPECIAL = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-30, -1e-30, 200.0, -200.0, 1e30, -1e30]


@pytest.mark.parametrize("bits", REAL)
@pytest.mark.parametrize(
    "name, low, high", [("exp", -80, 80), ("tanh", -9, 9), ("sigmoid", -30, 30)]
)
def test_results_are_within_four_units_in_the_last_place(bits, name, low, high):
    function = functions("f", bits)[name]
    for x in np.linspace(low, high, 500).astype(REAL[bits]):
        exact = EXACT[name](mpmath.mpf(float(x)))
        unit = float(np.spacing(REAL[bits](abs(exact))))
        assert abs(float(mpmath.mpf(float(function(x))) - exact)) <= 4 * unit, x


@pytest.mark.parametrize("bits", REAL)
@pytest.mark.parametrize("name, numpy", [("exp", np.exp), ("tanh", np.tanh)])
def test_special_values_are_numpys(bits, name, numpy):
    xs = np.array(SPECIAL, REAL[bits])
    found = np.array([functions("f", bits)[name](x) for x in xs])
    with np.errstate(all="ignore"):
        expected = numpy(xs)
    np.testing.assert_allclose(found, expected, rtol=1e-6)
    assert (np.signbit(found) == np.signbit(expected))[~np.isnan(expected)].all()


@pytest.mark.parametrize(
    "name, numpy", [("floor_divide", np.floor_divide), ("floor_mod", np.remainder)]
)
def test_integer_division_floors(name, numpy):
    function = functions("i", 64)[name]
    for x in range(-7, 8):
        for y in (-3, -2, -1, 1, 2, 3):
            assert function(x, y) == numpy(x, y)


@pytest.mark.parametrize("name", ["floor_divide", "floor_mod"])
def test_integer_division_by_zero_is_signalled(name):
    with pytest.raises(ZeroDivisionError):
        functions("i", 64)[name](1, 0)
