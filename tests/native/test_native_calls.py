"""Operations with a native form of their own: the values of NumPy, in and out of loops."""

import numpy as np
import pytest

import allograph as ag

pytest.importorskip("numba")


def both(f, *args):
    """The result on NumPy and in native code."""
    native = ag.function(f, jit_compile=True, autograph=False)
    found = native(*args).numpy()
    assert native.get_concrete_function(*args).kernels()
    return ag.function(f, jit_compile=False, autograph=False)(*args).numpy(), found


def numbers(*shape, dtype=np.float32):
    generator = np.random.default_rng(sum(shape))
    if np.dtype(dtype).kind == "i":
        return ag.constant(generator.integers(-9, 9, shape).astype(dtype))
    return ag.constant(generator.standard_normal(shape).astype(dtype))


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.int64])
@pytest.mark.parametrize(
    "a, b",
    [
        ((3, 4), (4, 2)),
        ((5, 3, 4), (5, 4, 2)),
        ((5, 3, 4), (4, 2)),
        ((2, 1, 3, 4), (5, 4, 2)),
        ((3, 0), (0, 2)),
        ((0, 3, 4), (0, 4, 2)),
    ],
)
def test_products_of_matrices_and_batches(a, b, dtype):
    plan, native = both(ag.matmul, numbers(*a, dtype=dtype), numbers(*b, dtype=dtype))
    np.testing.assert_allclose(native, plan, rtol=1e-5, atol=1e-5)
    assert native.dtype == plan.dtype


@pytest.mark.parametrize("scan", [ag.cumsum, ag.math.cumprod])
@pytest.mark.parametrize("options", [{}, {"exclusive": True}, {"reverse": True}])
@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("dtype", [np.float32, np.int32])
def test_running_sums_and_products(scan, axis, options, dtype):
    for shape in ((2, 5, 3), (2, 0, 3)):
        x = numbers(*shape, dtype=dtype)
        plan, native = both(lambda x: scan(x, axis=axis, **options), x)
        assert np.array_equal(native, plan)


def test_integers_wrap_in_products_and_sums():
    x = ag.constant([[2**30, 2**30], [2**30, 1]])
    for f in (lambda x: ag.matmul(x, x), lambda x: ag.cumsum(x, axis=0)):
        plan, native = both(f, x)
        assert np.array_equal(native, plan)
