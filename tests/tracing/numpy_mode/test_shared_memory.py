"""`jit`: what shares memory with an argument, and what is written when, is as in NumPy."""

import numpy as np
import pytest
from native_calls import is_native
from numpy_programs import assert_native, assert_same_outcome

import allograph as ag

ROW = np.arange(12.0)


def changed_ravel(a, b):
    flat = a.ravel()
    flat[0] = 100.0
    return flat, b


def computed_ravel(a, b):
    end = int(b[1])
    flat = a[:end:2].ravel()
    return flat * 2, b


def own_conjugate(a, b):
    c = a.conj()
    c[0] = 5.0
    return c, b


def squared_truths(a, b):
    return (a > 1) ** 2, (a > 1) ** 3, b


def copied_sums(a, b):
    np.cumsum(b.astype(np.int8) * 100, out=a)
    return a, b


def scaled_by_dot(a, b):
    np.dot(2.0, a, out=a)
    return a, b


def added_fractions(a, b):
    c = a.astype(np.int16)
    np.add.at(c, b.astype(np.int64) % 3, -1.75)
    return c, b


def refused_copy(a, b):
    c = a.astype(np.int64)
    np.copyto(c, b)
    return c, b


@pytest.mark.parametrize("function", [
    scaled_by_dot, changed_ravel, computed_ravel, own_conjugate, squared_truths, copied_sums,
    added_fractions, refused_copy,
])  # fmt: skip
@pytest.mark.parametrize("step", [1, 2, -1])
def test_a_function_means_the_same_in_memory_of_any_step(function, step):
    compiled = ag.jit(function)
    a = ROW.copy()[::step][:6]
    for _ in range(2):
        assert_same_outcome(function, compiled, (a, ROW[:6] * 0.5))
    given, other = a.copy()[::1], a.copy()[::1]
    try:
        expected, found = function(given, ROW[:6].copy()), compiled(other, ROW[:6].copy())
    except (TypeError, ValueError):
        return
    shares = [np.shares_memory(*pair) for pair in ((expected[0], given), (found[0], other))]
    assert shares[0] == shares[1]


def test_an_argument_that_is_only_written_is_not_written_before_a_failure():
    def masked(a, mask, b, target):
        np.any(target + b)
        a[mask] *= np.full(a.shape, 0.5)
        target[:] = b

    compiled = ag.jit(masked)
    given = (np.ones(6), np.arange(6) % 2 == 0, np.arange(6, dtype=np.uint8), np.zeros(6, int))
    with pytest.raises(ValueError, match="broadcast"):
        compiled(*given)
    assert not given[3].any()
    assert is_native(compiled)


@pytest.mark.parametrize("name", ["max", "argmin", "median", "sum", "mean", "sort"])
@pytest.mark.parametrize("axis", [None, 0, 1])
def test_arrays_of_no_elements_are_reduced_as_by_numpy(name, axis):
    def reduced(a):
        return (getattr(np, name)(a, axis=axis),)

    for shape in ((0, 3), (3, 0)):
        assert_same_outcome(reduced, ag.jit(reduced), (np.zeros(shape),))


def test_elements_under_a_mask_from_the_same_array_are_those_of_numpy():
    def turned(a):
        a[a != 2] = a[::-1]

    assert_same_outcome(turned, ag.jit(turned), (np.arange(5.0) + 3,))


def test_powers_of_zero_are_those_of_complex_numbers_in_numpy():
    def power(x, y):
        return (x**y,)

    exponents = np.array([0, 1, -1, 1j, 1 + 1j, -0.5, np.nan])
    assert_same_outcome(power, ag.jit(power), (np.zeros(7, complex), exponents))


def sums_of_truths(a, b):
    small, large = a < 4, a > 1
    return small + large, small * large, np.maximum(small, large), np.add(small, large, out=small)


def finite_numbers(a, b):
    return np.isfinite(a.astype(np.int8)), np.isnan(a.astype(np.uint64)), np.isinf(b)


def imaginary_components(a, b):
    return a.imag + 1, b * a.imag, a.astype(np.int64).imag.sum()


def numbers_into_arrays(a, b):
    np.add(1.5, b[0], out=a)
    return a, np.multiply(b.sum(), 2, out=b[1:2])


@pytest.mark.parametrize(
    "function", [sums_of_truths, finite_numbers, imaginary_components, numbers_into_arrays]
)
def test_operations_on_truths_integers_and_real_components_are_native(function):
    assert_native(function, (ROW[:6].copy(), ROW[:6] * 0.5))


def test_imaginary_components_of_real_numbers_cannot_change():
    def changed(a):
        a.imag[0] = 1.0

    assert_same_outcome(changed, ag.jit(changed), (ROW.copy(),))
