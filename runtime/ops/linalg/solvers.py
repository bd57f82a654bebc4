"""Systems of linear equations, inverses and determinants; leading axes are batches."""

from __future__ import annotations

import numpy as np

from ...core.dtypes import complex64, complex128, float32, float64
from ...core.errors import InvalidArgumentError, ShapeError
from ...core.public_names import public
from ...core.shapes import broadcast, show
from ...ir.op import Spec
from ...tensors.apply import convert_to_tensor
from ...tensors.operation import op, ops
from ..array.diagonals import diag, diag_part
from ..array.shape_ops import expand_dims, matrix_transpose
from ..math.casting import Conj
from ..math.reductions import reduce_sum
from ..math.transcendental import Log

PRECISE = {float32, float64, complex64, complex128}


def adjoint_of(x):
    turned = matrix_transpose(x)
    return Conj(turned) if x.dtype.is_complex else turned


def square_shape(shape, who: str):
    """The shape, of square matrices; ShapeError otherwise."""
    if shape is not None and (
        len(shape) < 2 or (None not in shape[-2:] and shape[-1] != shape[-2])
    ):
        raise ShapeError(f"{who}: {show(shape)} is not the shape of square matrices")
    return shape


def _solved_shape(matrix, rhs, who: str):
    """The shape of X in `matrix @ X = rhs`."""
    square_shape(matrix, who)
    if rhs is not None and len(rhs) < 2:
        raise ShapeError(
            f"{who}: the right side has the shape {show(rhs)}; it has at least 2 axes",
            "Make a vector a column: rhs[:, None].",
        )
    if matrix is None or rhs is None:
        return None
    if None not in (matrix[-1], rhs[-2]) and matrix[-1] != rhs[-2]:
        raise ShapeError(f"{who}: {show(matrix)} and {show(rhs)} do not fit")
    return (*broadcast(matrix[:-2], rhs[:-2]), *rhs[-2:])


def uncounted(*shapes) -> None:
    """The operations on numbers of what a library computes in its own way."""


def by_numpy(function, *arrays, who: str = "linalg", **options):
    """NumPy's function; InvalidArgumentError where it finds a matrix unfit."""
    try:
        return function(*arrays, **options)
    except np.linalg.LinAlgError as error:
        raise InvalidArgumentError(f"{who}: {error}") from None


# ---- systems of equations --------------------------------------------------------------------


@op
class MatrixSolve:
    """X in `matrix @ X = rhs`."""

    accepts = PRECISE
    flops = uncounted
    hidden = True

    def kernel(matrix, rhs):
        _solved_shape(matrix.shape, rhs.shape, "solve")
        return by_numpy(np.linalg.solve, matrix, rhs, who="solve")

    def result(matrix, rhs):
        return Spec(matrix.dtype, _solved_shape(matrix.shape, rhs.shape, "solve"))

    def gradient(dy, y, matrix, rhs):
        found = ops.matrix_solve(adjoint_of(matrix), dy)
        return -ops.matmul(found, adjoint_of(y)), found


@public("linalg.solve")
def solve(matrix, rhs, adjoint=False, name=None):
    """X in `matrix @ X = rhs`; with `adjoint`, the matrix is turned first.

    >>> ag.linalg.solve([[2.0, 0.0], [0.0, 4.0]], [[2.0], [2.0]]).numpy()
    array([[1. ],
           [0.5]], dtype=float32)

    Raises InvalidArgumentError for a singular matrix, ShapeError where the sides do not fit.
    """
    matrix = convert_to_tensor(matrix)
    return MatrixSolve(adjoint_of(matrix) if adjoint else matrix, rhs, name=name)


@op
class TriangularSolve:
    """X in `matrix @ X = rhs`, for matrices of which one triangle counts."""

    accepts = PRECISE
    flops = uncounted
    hidden = True

    def kernel(matrix, rhs, *, lower):
        _solved_shape(matrix.shape, rhs.shape, "triangular_solve")
        part = np.tril(matrix) if lower else np.triu(matrix)
        return by_numpy(np.linalg.solve, part, rhs, who="triangular_solve")

    def result(matrix, rhs, *, lower):
        return Spec(matrix.dtype, _solved_shape(matrix.shape, rhs.shape, "triangular_solve"))

    def gradient(dy, y, matrix, rhs, *, lower):
        found = ops.triangular_solve(adjoint_of(matrix), dy, lower=not lower)
        return triangle(-ops.matmul(found, adjoint_of(y)), lower), found


def triangle(x, lower: bool):
    """The lower or the upper triangle, with the diagonal."""
    sides = ([-1], [0]) if lower else ([0], [-1])
    return ops.band_part(x, *(np.int32(side[0]) for side in sides))


@public("linalg.triangular_solve")
def triangular_solve(matrix, rhs, lower=True, adjoint=False, name=None):
    """X in `matrix @ X = rhs`, where only the lower (or upper) triangle of the matrix counts.

    >>> ag.linalg.triangular_solve([[2.0, 9.0], [1.0, 1.0]], [[2.0], [2.0]]).numpy()
    array([[1.],
           [1.]], dtype=float32)
    """
    matrix = convert_to_tensor(matrix)
    if adjoint:
        return TriangularSolve(adjoint_of(matrix), rhs, lower=not lower)
    return TriangularSolve(matrix, rhs, lower=bool(lower), name=name)


@public("linalg.cholesky_solve")
def cholesky_solve(chol, rhs, name=None):
    """X in `A @ X = rhs`, given the Cholesky factor of A.

    >>> ag.linalg.cholesky_solve([[2.0]], [[4.0]]).numpy()
    array([[1.]], dtype=float32)
    """
    return triangular_solve(chol, triangular_solve(chol, rhs), adjoint=True)


@public("linalg.lstsq")
def lstsq(matrix, rhs, l2_regularizer=0.0, fast=True, name=None):
    """X for which `matrix @ X` is nearest to `rhs`.

    >>> ag.linalg.lstsq([[1.0], [1.0]], [[1.0], [3.0]]).numpy().round(3)
    array([[2.]], dtype=float32)
    """
    matrix = convert_to_tensor(matrix)
    rhs = convert_to_tensor(rhs, dtype_hint=matrix.dtype)
    turned = adjoint_of(matrix)
    if matrix.dims[-2] >= matrix.dims[-1]:
        return MatrixSolve(_with_ridge(ops.matmul(turned, matrix), l2_regularizer),
                           ops.matmul(turned, rhs))  # fmt: skip
    inner = MatrixSolve(_with_ridge(ops.matmul(matrix, turned), l2_regularizer), rhs)
    return ops.matmul(turned, inner)


def _with_ridge(square, weight: float):
    if not weight:
        return square
    return square + weight * diag(ops.fill([square.dims[-1]], square.dtype.numpy_dtype.type(1)))


# ---- inverses and determinants ---------------------------------------------------------------


@op
class Inv:
    """The inverse.

    >>> ag.linalg.inv([[2.0, 0.0], [0.0, 4.0]]).numpy()
    array([[0.5 , 0.  ],
           [0.  , 0.25]], dtype=float32)

    Raises InvalidArgumentError for a singular matrix.
    """

    accepts = PRECISE
    flops = uncounted
    public = ("linalg.inv",)

    def kernel(input):
        square_shape(input.shape, "inv")
        return by_numpy(np.linalg.inv, input, who="inv: the matrix has no inverse")

    def result(input):
        return Spec(input.dtype, square_shape(input.shape, "inv"))

    def gradient(dy, y, input):
        turned = adjoint_of(y)
        return [-ops.matmul(ops.matmul(turned, dy), turned)]


@op
class Det:
    """The determinant.

    >>> float(ag.linalg.det([[1.0, 2.0], [3.0, 5.0]]))
    -1.0
    """

    accepts = PRECISE
    flops = uncounted
    public = ("linalg.det",)

    def kernel(input):
        square_shape(input.shape, "det")
        return np.asarray(np.linalg.det(input), input.dtype)

    def result(input):
        shape = square_shape(input.shape, "det")
        return Spec(input.dtype, None if shape is None else shape[:-2])

    def gradient(dy, y, input):
        return [_wide(dy * y) * adjoint_of(ops.inv(input))]


def _wide(x):
    """A scalar for each matrix, ready to be multiplied with it."""
    return expand_dims(expand_dims(x, -1), -1)


@op
class Slogdet:
    """The sign of the determinant, and the logarithm of its size.

    >>> [float(one) for one in ag.linalg.slogdet([[2.0, 0.0], [0.0, -0.5]])]
    [-1.0, 0.0]
    """

    accepts = PRECISE
    flops = uncounted
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
        return [_wide(dy[1]) * adjoint_of(ops.inv(input))]


@public("linalg.logdet")
def logdet(matrix, name=None):
    """The logarithm of the determinant of a positive definite matrix.

    >>> float(ag.linalg.logdet([[1.0, 0.0], [0.0, 1.0]]))
    0.0
    """
    return 2 * reduce_sum(Log(diag_part(Cholesky(matrix))), -1)


@op
class Cholesky:
    """The lower triangle L with `L @ transpose(L)` equal to a positive definite matrix.

    >>> ag.linalg.cholesky([[4.0, 2.0], [2.0, 5.0]]).numpy()
    array([[2., 0.],
           [1., 2.]], dtype=float32)

    Raises InvalidArgumentError for a matrix that is not positive definite.
    """

    accepts = PRECISE
    flops = uncounted
    public = ("linalg.cholesky",)

    def kernel(input):
        square_shape(input.shape, "cholesky")
        return by_numpy(np.linalg.cholesky, input, who="cholesky")

    def result(input):
        return Spec(input.dtype, square_shape(input.shape, "cholesky"))

    def gradient(dy, y, input):
        inner = triangle(ops.matmul(adjoint_of(y), dy), True)
        inner = inner - diag(diag_part(inner)) / 2
        left = ops.triangular_solve(adjoint_of(y), inner, lower=False)
        both = adjoint_of(ops.triangular_solve(adjoint_of(y), adjoint_of(left), lower=False))
        return [(both + adjoint_of(both)) / 2]
