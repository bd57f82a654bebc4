"""`jit`: results of rank 0 are arrays or numbers as in NumPy, and zeros have its signs."""

import numpy as np
import pytest

import allograph as ag

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
