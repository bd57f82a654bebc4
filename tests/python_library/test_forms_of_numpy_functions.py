"""The forms of NumPy functions that are made of others give what NumPy gives."""

import numpy as np
import pytest

import allograph as ag
from allograph.python_library.numpy_functions import FORMS, hypotenuse
from allograph.python_library.sums_of_products import in_pairs

MATRIX, VECTOR = np.random.default_rng(0).random((4, 6)), np.array([0.5, -2.0, 0.0, 3.0, np.inf])
PLACES, FEW = np.array([2, 0, 1]), np.array([1.0, -1.0, 0.5])
CALLS = (
    (np.ix_, (PLACES, PLACES), {}),
    (np.convolve, (MATRIX[0], FEW), {}),
    (np.convolve, (FEW, MATRIX[0]), {"mode": "same"}),
    (np.convolve, (PLACES, PLACES), {"mode": "valid"}),
    (np.gradient, (MATRIX, 0.5), {"axis": 1}),
    (np.gradient, (MATRIX, 2.0, 3.0), {}),
    (np.gradient, (PLACES,), {}),
    (np.vander, (FEW, 4), {}),
    (np.vander, (PLACES,), {"increasing": True}),
    (np.cov, (MATRIX,), {"rowvar": False, "bias": True}),
    (np.cov, (MATRIX[0], MATRIX[1]), {"ddof": 0}),
    (np.corrcoef, (MATRIX,), {}),
    (np.corrcoef, (MATRIX[0], MATRIX[1]), {}),
    (np.delete, (PLACES, 0), {}),
    (np.delete, (FEW, -2), {"axis": 0}),
    (np.nancumsum, (np.array([1.0, np.nan, 2.0]),), {}),
    (np.nancumsum, (PLACES,), {}),
    (np.nancumprod, (np.array([[1.5, np.nan], [np.nan, 2.0]], np.float32),), {"axis": 0}),
)


@pytest.mark.parametrize("function, args, options", CALLS)
def test_a_form_gives_what_numpy_gives(function, args, options):
    expected, result = function(*args, **options), FORMS[function](*args, **options)
    assert type(result) is type(expected)
    parts = (row if isinstance(row, tuple) else (row,) for row in (result, expected))
    for part, other in zip(*parts, strict=True):
        np.testing.assert_allclose(part, other)
        assert part.dtype == other.dtype


SUMS = (
    ("ii->i", 1),
    ("ij->ji", 1),
    ("ij,jk,kl->il", 3),
    ("ii,jk,kl", 3),
    ("iij->j", 0),
    ("iii", 0),
)


@pytest.mark.parametrize("subscripts, count", SUMS)
def test_a_sum_of_products_is_that_of_numpy(subscripts, count):
    square, cube = MATRIX[:, :4], np.arange(27.0).reshape(3, 3, 3)
    operands = [square] * count or [cube]
    result = in_pairs(subscripts, *operands)
    np.testing.assert_allclose(result, np.einsum(subscripts, *operands))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_hypotenuse_is_that_of_numpy(dtype):
    x, y = VECTOR.astype(dtype), VECTOR[::-1].astype(dtype)
    np.testing.assert_allclose(hypotenuse(x, y), np.hypot(x, y))
    assert type(hypotenuse(x[0], y[0])) is dtype


def test_what_a_form_does_not_take_is_computed_by_numpy():
    @ag.jit
    def edges(x):
        total = 0.0
        for i in range(1, len(x)):
            total += x[i] * x[i - 1]
        return np.gradient(x, edge_order=2), total

    slopes, _ = edges(np.arange(5.0) ** 2)
    np.testing.assert_allclose(slopes, [0.0, 2.0, 4.0, 6.0, 8.0])
    assert "calls of gradient" in edges.inspect()


def test_all_of_an_array_is_a_view():
    @ag.jit
    def whole(x):
        y = x * 2
        return y[()], x[()]

    x = np.arange(3.0)
    doubled, same = whole(x)
    same[0] = 5.0
    assert x[0] == 5.0 and doubled.tolist() == [0.0, 2.0, 4.0]
