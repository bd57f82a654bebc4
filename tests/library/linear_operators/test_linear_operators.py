"""Linear operators compute what their dense matrices do."""

import numpy as np
import pytest

import allograph as ag

linalg = ag.linalg
RNG = np.random.default_rng(0)
MATRIX = RNG.normal(size=(4, 4)) + 4 * np.eye(4)
BATCH = RNG.normal(size=(2, 3, 3)) + 4 * np.eye(3)
VECTOR = np.array([3.0, 4.0, 5.0, 6.0])
SQUARE = MATRIX @ MATRIX.T
full, diag = linalg.LinearOperatorFullMatrix, linalg.LinearOperatorDiag

MADE = {
    "full": lambda: full(MATRIX),
    "complex": lambda: full(MATRIX + 1j * SQUARE),
    "batch": lambda: full(BATCH),
    "diag": lambda: diag(VECTOR),
    "diag batch": lambda: diag(BATCH[0] + 9),
    "identity": lambda: linalg.LinearOperatorIdentity(3, [2], ag.float64),
    "scaled": lambda: linalg.LinearOperatorScaledIdentity(3, np.array([2.0, 3.0])),
    "lower": lambda: linalg.LinearOperatorLowerTriangular(BATCH),
    "tridiagonal": lambda: linalg.LinearOperatorTridiag(MATRIX[:3] + [[0], [5], [0]]),
    "toeplitz": lambda: linalg.LinearOperatorToeplitz(VECTOR, np.array([3.0, 0.5, 0.6, 0.7])),
    "circulant": lambda: linalg.LinearOperatorCirculant(np.fft.fft(VECTOR), ag.float64),
    "reflection": lambda: linalg.LinearOperatorHouseholder(BATCH[0]),
    "permutation": lambda: linalg.LinearOperatorPermutation([2, 0, 3, 1], ag.float64),
    "update": lambda: linalg.LinearOperatorLowRankUpdate(diag(VECTOR), MATRIX[:, :2], [1.0, 2.0]),
    "update of two": lambda: linalg.LinearOperatorLowRankUpdate(
        full(MATRIX), MATRIX[:, :1], None, SQUARE[:, :1]
    ),
    "block diagonal": lambda: linalg.LinearOperatorBlockDiag([full(BATCH), diag(VECTOR)]),
    "block triangular": lambda: linalg.LinearOperatorBlockLowerTriangular(
        [[full(MATRIX)], [full(SQUARE[:2]), diag(VECTOR[:2])]]
    ),
    "kronecker": lambda: linalg.LinearOperatorKronecker([full(BATCH), diag(VECTOR), full(MATRIX)]),
    "product": lambda: full(MATRIX).matmul(diag(VECTOR)),
    "adjoint": lambda: full(MATRIX).adjoint(),
    "inverse": lambda: full(MATRIX).inverse(),
}  # fmt: skip


def close(found, expected):
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-8)


NEEDS_SCIPY = {"tridiagonal"}  # whose import takes a second


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.slow] * (name in NEEDS_SCIPY)) for name in MADE],
)
def test_an_operator_does_what_its_matrix_does(name):
    operator = MADE[name]()
    dense = operator.to_dense().numpy()
    assert operator.shape == dense.shape
    assert operator.shape_tensor().numpy().tolist() == list(dense.shape)
    x = RNG.normal(size=(dense.shape[-1], 2)).astype(dense.dtype)
    adjoint = np.swapaxes(dense, -1, -2).conj()
    close(operator @ x, dense @ x)
    close(operator.matmul(x.T.copy(), adjoint_arg=True), dense @ x)
    close(operator.matmul(x, adjoint=True), adjoint @ x)
    close(operator.H @ x, adjoint @ x)
    close(operator.matvec(x[:, 0]), dense @ x[:, 0])
    close(operator.solve(dense @ x), np.broadcast_to(x, (dense @ x).shape))
    close(operator.solve(adjoint @ x, adjoint=True), np.broadcast_to(x, (adjoint @ x).shape))
    close(operator.inverse() @ x, np.linalg.inv(dense) @ x)
    close(operator.determinant(), np.linalg.det(dense))
    close(np.real(operator.log_abs_determinant()), np.linalg.slogdet(dense)[1])
    close(operator.diag_part(), np.diagonal(dense, axis1=-2, axis2=-1))
    close(operator.matmul(operator).to_dense(), dense @ dense)


def test_structure_is_kept_where_it_can_be():
    double = diag(VECTOR)
    assert isinstance(double.matmul(double), diag)
    assert isinstance(double.inverse(), diag)
    assert linalg.LinearOperatorIdentity(4, dtype=ag.float64).matmul(double) is double
    matrix = full(MATRIX)
    assert matrix.inverse().inverse() is matrix
    assert full(SQUARE, is_self_adjoint=True).adjoint().to_dense() is not None
    positive = full(SQUARE, is_self_adjoint=True, is_positive_definite=True)
    root = positive.cholesky()
    close(root.matmul(root, adjoint_arg=True).to_dense(), SQUARE)
    parts = linalg.LinearOperatorBlockDiag([matrix, double]).matmul([MATRIX, SQUARE])
    close(parts[1], np.diag(VECTOR) @ SQUARE)


def test_what_does_not_fit_or_has_no_inverse_is_refused():
    wide = full(MATRIX[:2])
    with pytest.raises(ValueError, match="does not fit"):
        wide.matvec([1.0, 2.0])
    with pytest.raises(ValueError, match="is not square"):
        wide.determinant()
    with pytest.raises(ValueError, match="is singular"):
        linalg.LinearOperatorZeros(2).solvevec([1.0, 2.0])
    with pytest.raises(ValueError, match="is_positive_definite=True"):
        full(SQUARE).cholesky()
    with pytest.raises(ag.errors.InvalidArgumentError, match="is singular"):
        full(np.ones((2, 2))).assert_non_singular()
    full(SQUARE).assert_self_adjoint()


def test_operators_are_made_while_tracing_and_have_gradients():
    weights = ag.Variable(VECTOR)

    @ag.function(input_signature=[ag.TensorSpec([None, None], ag.float64)])
    def solved(matrix):
        operator = linalg.LinearOperatorKronecker([full(matrix), diag(weights)])
        return ag.reduce_sum(operator.solvevec(ag.ones([operator.domain_dimension_tensor()],
                                                       ag.float64)))  # fmt: skip

    with ag.GradientTape() as tape:
        tape.watch(matrix := ag.constant(BATCH[0]))
        y = solved(matrix)
    slopes = tape.gradient(y, [matrix, weights])
    inverse = np.linalg.inv(BATCH[0])
    total = inverse.sum()
    close(y, total * np.sum(1 / VECTOR))
    close(slopes[1], -total / VECTOR**2)
    close(slopes[0], -np.sum(1 / VECTOR) * np.outer(inverse.sum(0), inverse.sum(1)))
    assert full(weights_matrix := ag.Variable(MATRIX)).variables[0] is weights_matrix
