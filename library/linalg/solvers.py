"""Systems of linear equations, inverses and determinants; leading axes are batches."""

from __future__ import annotations

import numpy as np

from ... import convert_to_tensor, expand_dims, reduce_sum
from ...extend.errors import ShapeError
from ...extend.operations import PRECISE, Spec, hidden_op, op, ops, unknown_flops
from ...extend.registration import public
from ...extend.specs import broadcast, show
from .diagonals import diag, diag_part
from .matrices import adjoint_of, by_numpy, conjugate, joined, square_shape, triangle


def _solved_shape(matrix, rhs, op_name: str):
    """The shape of X in `matrix @ X = rhs`."""
    square_shape(matrix, op_name)
    if rhs is not None and len(rhs) < 2:
        raise ShapeError(
            f"{op_name}: the right side has the shape {show(rhs)}; it has at least 2 axes",
            "Make a vector a column: rhs[:, None].",
        )
    if matrix is None or rhs is None:
        return None
    if None not in (matrix[-1], rhs[-2]) and matrix[-1] != rhs[-2]:
        raise ShapeError(f"{op_name}: {show(matrix)} and {show(rhs)} do not fit")
    return (*(broadcast(matrix[:-2], rhs[:-2]) or ()), *rhs[-2:])


# ---- systems of equations --------------------------------------------------------------------


@hidden_op
class MatrixSolve:
    """X in `matrix @ X = rhs`."""

    accepts = PRECISE
    flops = unknown_flops
    analytic = False

    def kernel(matrix, rhs):
        _solved_shape(matrix.shape, rhs.shape, "solve")
        return by_numpy(np.linalg.solve, matrix, rhs, op_name="solve")

    def result(matrix, rhs):
        return Spec(matrix.dtype, _solved_shape(matrix.shape, rhs.shape, "solve"))

    def gradient(dy, y, matrix, rhs):
        solution = ops.matrix_solve(adjoint_of(matrix), dy)
        return -ops.matmul(solution, adjoint_of(y)), solution


@hidden_op
class ComplexMatrixSolve:
    """The components of X in `matrix @ X = rhs`, for complex numbers by their components."""

    accepts = PRECISE
    flops = unknown_flops

    def kernel(matrix, matrix_imag, rhs, rhs_imag):
        operands = joined(matrix, matrix_imag), joined(rhs, rhs_imag)
        solution = by_numpy(np.linalg.solve, *operands, op_name="solve")
        return solution.real, solution.imag

    def result(matrix, matrix_imag, rhs, rhs_imag):
        return (Spec(matrix.dtype, _solved_shape(matrix.shape, rhs.shape, "solve")),) * 2


@public("linalg.solve")
def solve(matrix, rhs, adjoint=False, name=None):
    """The solution X of `matrix @ X = rhs`, for `matrix` [..., n, n] and `rhs` [..., n, k].

    `adjoint=True` uses the conjugate transpose of `matrix`. Leading axes are batches and broadcast.

    >>> ag.linalg.solve([[2.0, 0.0], [0.0, 4.0]], [[2.0], [2.0]]).numpy()
    array([[1. ],
           [0.5]], dtype=float32)

    Raises InvalidArgumentError for a singular matrix, ShapeError if the shapes do not fit.
    """
    matrix = convert_to_tensor(matrix)
    return MatrixSolve(adjoint_of(matrix) if adjoint else matrix, rhs, name=name)


@hidden_op
class TriangularSolve:
    """X in `matrix @ X = rhs`, for triangular matrices."""

    accepts = PRECISE
    flops = unknown_flops
    analytic = False

    def kernel(matrix, rhs, *, lower):
        _solved_shape(matrix.shape, rhs.shape, "triangular_solve")
        triangle_of_matrix = np.tril(matrix) if lower else np.triu(matrix)
        return by_numpy(np.linalg.solve, triangle_of_matrix, rhs, op_name="triangular_solve")

    def result(matrix, rhs, *, lower):
        return Spec(matrix.dtype, _solved_shape(matrix.shape, rhs.shape, "triangular_solve"))

    def gradient(dy, y, matrix, rhs, *, lower):
        solution = ops.triangular_solve(adjoint_of(matrix), dy, lower=not lower)
        return triangle(-ops.matmul(solution, adjoint_of(y)), lower), solution


@public("linalg.triangular_solve")
def triangular_solve(matrix, rhs, lower=True, adjoint=False, name=None):
    """The solution X of `matrix @ X = rhs` for triangular matrices [..., n, n].

    Only the lower triangle of `matrix` is read, or the upper one with `lower=False`.
    `adjoint=True` uses the conjugate transpose of that triangle.

    >>> ag.linalg.triangular_solve([[2.0, 9.0], [1.0, 1.0]], [[2.0], [2.0]]).numpy()
    array([[1.],
           [1.]], dtype=float32)

    Raises InvalidArgumentError for a singular matrix, ShapeError if the shapes do not fit.
    """
    matrix = convert_to_tensor(matrix)
    if adjoint:
        return TriangularSolve(adjoint_of(matrix), rhs, lower=not lower)
    return TriangularSolve(matrix, rhs, lower=bool(lower), name=name)


@public("linalg.cholesky_solve")
def cholesky_solve(chol, rhs, name=None):
    """The solution X of `A @ X = rhs`, where `chol` is the lower Cholesky factor of A.

    >>> ag.linalg.cholesky_solve([[2.0]], [[4.0]]).numpy()
    array([[1.]], dtype=float32)
    """
    return triangular_solve(chol, triangular_solve(chol, rhs), adjoint=True)


@public("linalg.lstsq")
def lstsq(matrix, rhs, l2_regularizer=0.0, fast=True, name=None):
    """The least squares solution X of `matrix @ X = rhs`, for [..., m, n] and [..., m, k].

    `l2_regularizer` is the weight of the squared norm of X. It is solved by normal equations; for
    m < n the result is the solution of smallest norm.

    >>> ag.linalg.lstsq([[1.0], [1.0]], [[1.0], [3.0]]).numpy().round(3)
    array([[2.]], dtype=float32)
    """
    matrix = convert_to_tensor(matrix)
    rhs = convert_to_tensor(rhs, dtype_hint=matrix.dtype)
    adjoint = adjoint_of(matrix)
    if matrix.dims[-2] >= matrix.dims[-1]:
        return MatrixSolve(_with_ridge(ops.matmul(adjoint, matrix), l2_regularizer),
                           ops.matmul(adjoint, rhs))  # fmt: skip
    inner = MatrixSolve(_with_ridge(ops.matmul(matrix, adjoint), l2_regularizer), rhs)
    return ops.matmul(adjoint, inner)


def _with_ridge(square, weight: float):
    if not weight:
        return square
    return square + weight * diag(ops.fill([square.dims[-1]], square.dtype.numpy_dtype.type(1)))


# ---- inverses and determinants ---------------------------------------------------------------


@op
class Inv:
    """The inverse of square matrices of shape [..., n, n].

    >>> ag.linalg.inv([[2.0, 0.0], [0.0, 4.0]]).numpy()
    array([[0.5 , 0.  ],
           [0.  , 0.25]], dtype=float32)

    Raises InvalidArgumentError for a singular matrix.
    """

    accepts = PRECISE
    flops = unknown_flops
    analytic = False
    public = ("linalg.inv",)

    def kernel(input):
        square_shape(input.shape, "inv")
        return by_numpy(np.linalg.inv, input, op_name="inv: the matrix has no inverse")

    def result(input):
        return Spec(input.dtype, square_shape(input.shape, "inv"))

    def gradient(dy, y, input):
        adjoint = adjoint_of(y)
        return [-ops.matmul(ops.matmul(adjoint, dy), adjoint)]


@hidden_op
class ComplexInv:
    """The components of the inverses of complex matrices, by theirs."""

    accepts = PRECISE
    flops = unknown_flops

    def kernel(input, imag):
        operand = joined(input, imag)
        inverse = by_numpy(np.linalg.inv, operand, op_name="inv: the matrix has no inverse")
        return inverse.real, inverse.imag

    def result(input, imag):
        return (Spec(input.dtype, square_shape(input.shape, "inv")),) * 2


@op
class Det:
    """The determinant of square matrices of shape [..., n, n], of shape [...].

    >>> float(ag.linalg.det([[1.0, 2.0], [3.0, 5.0]]))
    -1.0
    """

    accepts = PRECISE
    flops = unknown_flops
    analytic = False
    public = ("linalg.det",)

    def kernel(input):
        square_shape(input.shape, "det")
        return np.asarray(np.linalg.det(input), input.dtype)

    def result(input):
        shape = square_shape(input.shape, "det")
        return Spec(input.dtype, None if shape is None else shape[:-2])

    def gradient(dy, y, input):
        return [_for_each_matrix(dy * conjugate(y)) * adjoint_of(ops.inv(input))]


def _for_each_matrix(x):
    """Scalars of shape [...] as [..., 1, 1], to be multiplied with matrices."""
    return expand_dims(expand_dims(x, -1), -1)


@op
class Slogdet:
    """The sign of the determinant and the logarithm of its absolute value, each of shape [...].

    >>> [float(one) for one in ag.linalg.slogdet([[2.0, 0.0], [0.0, -0.5]])]
    [-1.0, 0.0]
    """

    accepts = PRECISE
    flops = unknown_flops
    analytic = False
    public = ("linalg.slogdet",)

    def kernel(input):
        square_shape(input.shape, "slogdet")
        sign, size = np.linalg.slogdet(input)
        return np.asarray(sign, input.dtype), np.asarray(size, input.dtype)

    def result(input):
        shape = square_shape(input.shape, "slogdet")
        spec = Spec(input.dtype, None if shape is None else shape[:-2])
        return spec, spec

    def gradient(dy, y, input):
        size = (dy[1] + conjugate(dy[1])) / 2
        return [_for_each_matrix(size) * adjoint_of(ops.inv(input))]


@public("linalg.logdet")
def logdet(matrix, name=None):
    """The logarithm of the determinant of positive definite matrices, of shape [...].

    >>> float(ag.linalg.logdet([[1.0, 0.0], [0.0, 1.0]]))
    0.0
    """
    return 2 * reduce_sum(ops.log(diag_part(Cholesky(matrix))), -1)


@op
class Cholesky:
    """The lower triangular L with `L @ adjoint(L)` equal to a positive definite matrix.

    >>> ag.linalg.cholesky([[4.0, 2.0], [2.0, 5.0]]).numpy()
    array([[2., 0.],
           [1., 2.]], dtype=float32)

    Raises InvalidArgumentError for a matrix that is not positive definite.
    """

    accepts = PRECISE
    flops = unknown_flops
    analytic = False
    public = ("linalg.cholesky",)

    def kernel(input):
        square_shape(input.shape, "cholesky")
        return by_numpy(np.linalg.cholesky, input, op_name="cholesky")

    def result(input):
        return Spec(input.dtype, square_shape(input.shape, "cholesky"))

    def gradient(dy, y, input):
        inner = triangle(ops.matmul(adjoint_of(y), dy), True)
        inner = inner - diag(diag_part(inner)) / 2
        left = ops.triangular_solve(adjoint_of(y), inner, lower=False)
        both = adjoint_of(ops.triangular_solve(adjoint_of(y), adjoint_of(left), lower=False))
        return [(both + adjoint_of(both)) / 2]
