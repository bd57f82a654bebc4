"""Polynomials, beta functions, scaled segment sums, and the extremes along an axis."""

import numpy as np
import pytest
import scipy.special

import allograph as ag

X = np.random.default_rng(0).random((3, 5))


def test_polynomials_and_beta_functions_are_those_of_numpy_and_scipy():
    x = ag.constant(X)
    with ag.GradientTape() as tape:
        tape.watch(x)
        y = ag.math.polyval([2.0, -1.0, 3.0], x)
    np.testing.assert_allclose(y, np.polyval([2.0, -1.0, 3.0], X))
    np.testing.assert_allclose(tape.gradient(y, x), 4 * X - 1)
    np.testing.assert_allclose(
        ag.math.lbeta(X[:, :2]), scipy.special.betaln(X[:, 0], X[:, 1]), rtol=1e-9
    )
    with pytest.raises(ValueError, match="a list of coefficients"):
        ag.math.polyval(1.0, X)


def test_extremes_along_any_axis_are_exact():
    values, indices = ag.function(lambda x: ag.math.approx_max_k(x, 2, 0))(X)
    order = np.argsort(-X, axis=0)[:2]
    np.testing.assert_array_equal(indices, order)
    np.testing.assert_array_equal(values, np.take_along_axis(X, order, 0))
    values, _ = ag.math.approx_min_k(X, 1)
    np.testing.assert_array_equal(values, X.min(1, keepdims=True))


def test_sums_of_segments_are_divided_by_the_root_of_their_number():
    found = ag.math.unsorted_segment_sqrt_n(X, [0, 2, 0], 3).numpy()
    np.testing.assert_allclose(found, [(X[0] + X[2]) / np.sqrt(2), 0 * X[1], X[1]])
