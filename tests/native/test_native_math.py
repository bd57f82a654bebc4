"""The mathematics of native kernels: exact to 2 units in the last place, NumPy's special values."""

import functools

import numpy as np
import pytest

pytest.importorskip("numba")

from exact_math import EXACT, REAL, largest_error, on_arrays, points, special_points

from allograph.runtime.native_math import functions

BITS = pytest.mark.parametrize("bits", REAL)
NAMES = pytest.mark.parametrize("name", EXACT)


@functools.cache
def native(name, kind, bits):
    return on_arrays(functions(kind, bits)[name])


def evaluated(name, xs, kind="f"):
    out = np.empty_like(xs)
    native(name, kind, xs.dtype.itemsize * 8)(xs, out)
    return out


@BITS
@NAMES
def test_results_are_within_two_units_in_the_last_place(name, bits):
    xs = points(name, bits, 150)
    error, place = largest_error(evaluated(name, xs), EXACT[name][0], xs)
    assert error <= 2, place


@BITS
@NAMES
@pytest.mark.parametrize("kind", "fl")
def test_special_values_are_numpys(name, bits, kind):
    xs = special_points(bits)
    found = evaluated(name, xs, kind)
    with np.errstate(all="ignore"):
        expected = EXACT[name][1](xs)
    np.testing.assert_allclose(found, expected, rtol=1e-5)
    numbers = ~np.isnan(expected)
    np.testing.assert_array_equal(np.signbit(found)[numbers], np.signbit(expected)[numbers])


@BITS
@NAMES
def test_a_loop_over_elements_uses_vectors(name, bits):
    xs = np.ones(8, REAL[bits])
    evaluated(name, xs)
    loop = native(name, "f", bits)
    code = loop.inspect_llvm(loop.signatures[0])
    assert f" x {'float' if bits == 32 else 'double'}>" in code


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
