"""Linear systems and decompositions in native code: LAPACK for large matrices, loops for small."""

import numpy as np
import pytest

import allograph as ag
from allograph.errors import InvalidArgumentError

pytest.importorskip("llvmlite")
pytest.importorskip("scipy")
linalg = ag.linalg


def everything(definite, general, right):
    """One result of each operation, and of each side of those that have two."""
    lower, upper = linalg.triangular_solve, linalg.triangular_solve
    return (
        *(linalg.cholesky(definite), linalg.inv(definite), linalg.det(general)),
        *(*linalg.slogdet(general), linalg.solve(general, right)),
        *(lower(definite, right), upper(definite, right, lower=False)),
        *(*linalg.qr(general), *linalg.qr(general[..., :3], full_matrices=True)),
        *(*linalg.svd(general), *linalg.svd(general[..., :3, :], full_matrices=True)),
        *linalg.eigh(definite),
    )


@pytest.mark.slow
@pytest.mark.parametrize("shape", [(2, 4, 4), (19, 19)])
def test_native_decompositions_equal_those_of_numpy(shape):
    rng = np.random.default_rng(1)
    general = rng.normal(size=shape)
    definite = general @ np.swapaxes(general, -1, -2) + np.eye(shape[-1])
    given = definite, general, rng.normal(size=(*shape[:-1], 2))
    native = ag.function(everything, jit_compile=True)
    for dtype, close in ((np.float64, 1e-9), (np.float32, 1e-3)):
        operands = [ag.constant(one.astype(dtype)) for one in given]
        for found, wanted in zip(native(*operands), everything(*operands), strict=True):
            np.testing.assert_allclose(found.numpy(), wanted.numpy(), rtol=close, atol=close)
            assert found.dtype == wanted.dtype


@pytest.mark.parametrize("size", [1, 2, 16, 17, 40])
def test_native_complex_systems_and_inverses_equal_those_of_numpy(size):
    rng = np.random.default_rng(3)
    matrix, right = (
        rng.normal(size=(size, count)) + 1j * rng.normal(size=(size, count)) for count in (size, 3)
    )
    native = ag.jit(lambda a, b: (np.linalg.solve(a, b), np.linalg.inv(a)))
    for dtype, close in ((np.complex128, 1e-9), (np.complex64, 1e-3)):
        operands = matrix.astype(dtype), right.astype(dtype)
        wanted = np.linalg.solve(*operands), np.linalg.inv(operands[0])
        for result, value in zip(native(*operands), wanted, strict=True):
            np.testing.assert_allclose(result, value, rtol=close, atol=close)
            assert result.dtype == value.dtype
    assert native.inspect().count("native code") == 2


def test_complex_systems_of_very_small_numbers_and_singular_ones():
    native = ag.jit(np.linalg.solve)
    tiny = 1e-310 * np.array([[1, 2j], [3j, 1 - 1j]])
    np.testing.assert_allclose(native(tiny, tiny), np.eye(2), atol=1e-9)
    with pytest.raises(np.linalg.LinAlgError, match="Singular"):
        native(np.zeros((2, 2), complex), tiny)


@ag.function
def riccati(a, b, weight, steps):
    p = ag.eye(4, dtype=ag.float64)
    for _ in ag.range(steps):
        across = ag.matmul(b, p, transpose_a=True)
        factor = linalg.cholesky(weight * ag.eye(2, dtype=ag.float64) + across @ b)
        gain = linalg.cholesky_solve(factor, across @ a)
        p = ag.eye(4, dtype=ag.float64) + ag.matmul(a, p @ (a - b @ gain), transpose_a=True)
    return p


@pytest.mark.slow
def test_a_loop_over_decompositions_is_one_kernel_and_fails_at_the_users_line():
    rng = np.random.default_rng(2)
    given = ag.constant(rng.normal(size=(4, 4)) / 3), ag.constant(rng.normal(size=(4, 2)))
    native = ag.function(riccati.python_function, jit_compile=True)
    weight, steps = ag.constant(1.0, ag.float64), ag.constant(40)
    given = *given, weight, steps
    np.testing.assert_allclose(native(*given), riccati(*given), rtol=1e-9)
    assert len(native.get_concrete_function(*given).executable.native.kernels) == 1
    with pytest.raises(InvalidArgumentError, match="cholesky") as caught:
        native(*given[:2], -100 * weight, steps)
    assert "factor = linalg.cholesky" in str(caught.value)
