"""Operators that are a stored matrix: any, lower triangular, tridiagonal, or constant diagonals."""

from __future__ import annotations

from ... import (
    cast,
    concat,
    convert_to_tensor,
    gather,
    linalg,
    reduce_prod,
    reduce_sum,
    reverse,
    shape,
    stack,
)
from ...extend.operations import ops
from ...extend.registration import expose
from .operator import LinearOperator, kept


class LinearOperatorFullMatrix(LinearOperator):
    """A matrix [..., rows, columns] as an operator.

    >>> operator = ag.linalg.LinearOperatorFullMatrix([[1.0, 2.0], [3.0, 4.0]])
    >>> operator.matvec([1.0, 1.0]).numpy(), operator.determinant().numpy().round(3)
    (array([3., 7.], dtype=float32), np.float32(-2.0))
    """

    def __init__(self, matrix, is_non_singular=None, is_self_adjoint=None,
                 is_positive_definite=None, is_square=None, name=None):  # fmt: skip
        self._matrix = kept(matrix)
        super().__init__(self._matrix.dtype, None, is_non_singular, is_self_adjoint,
                         is_positive_definite, is_square, name)  # fmt: skip

    @property
    def matrix(self):
        return self._matrix

    def _shape(self):
        return convert_to_tensor(self._matrix).dims

    def _shape_tensor(self):
        return shape(convert_to_tensor(self._matrix))

    def _to_dense(self):
        return convert_to_tensor(self._matrix)


class LinearOperatorLowerTriangular(LinearOperator):
    """The lower triangle of a matrix [..., n, n] as an operator.

    >>> operator = ag.linalg.LinearOperatorLowerTriangular([[2.0, 9.0], [1.0, 4.0]])
    >>> operator.solvevec([2.0, 5.0]).numpy(), operator.determinant().numpy()
    (array([1., 1.], dtype=float32), np.float32(8.0))
    """

    def __init__(self, tril, is_non_singular=None, is_self_adjoint=None, is_positive_definite=None,
                 is_square=None, name=None):  # fmt: skip
        self._tril = kept(tril)
        super().__init__(self._tril.dtype, None, is_non_singular, is_self_adjoint,
                         is_positive_definite, True if is_square is None else is_square,
                         name)  # fmt: skip

    @property
    def tril(self):
        return self._tril

    def _shape(self):
        return convert_to_tensor(self._tril).dims

    def _shape_tensor(self):
        return shape(convert_to_tensor(self._tril))

    def _to_dense(self):
        return linalg.band_part(convert_to_tensor(self._tril), -1, 0)

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        rhs = linalg.adjoint(rhs) if adjoint_arg else rhs
        return linalg.triangular_solve(convert_to_tensor(self._tril), rhs, adjoint=adjoint)

    def _diag_part(self):
        return linalg.diag_part(convert_to_tensor(self._tril))

    def _determinant(self):
        return reduce_prod(self._diag_part(), -1)

    def _log_abs_determinant(self):
        return cast(reduce_sum(ops.log(ops.abs(self._diag_part())), -1), self.dtype)

    def _eigvals(self):
        return self._diag_part()


LinearOperator.lower_triangular = LinearOperatorLowerTriangular


class LinearOperatorTridiag(LinearOperator):
    """A tridiagonal matrix [..., n, n] as an operator.

    `diagonals` are three vectors above, on and below the diagonal: a tensor [..., 3, n] with the
    format "compact", a sequence of tensors with "sequence", or the matrix with "matrix". The last
    element above the diagonal and the first below it are not used.

    >>> operator = ag.linalg.LinearOperatorTridiag(
    ...     [[1.0, 1.0, 0.0], [2.0, 2.0, 2.0], [0.0, 1.0, 1.0]], "compact")
    >>> operator.matvec([1.0, 1.0, 1.0]).numpy()
    array([3., 4., 3.], dtype=float32)

    Raises ValueError for another format.
    """

    def __init__(self, diagonals, diagonals_format="compact", is_non_singular=None,
                 is_self_adjoint=None, is_positive_definite=None, is_square=None,
                 name=None):  # fmt: skip
        if diagonals_format not in ("compact", "matrix", "sequence"):
            raise ValueError(
                f"diagonals_format is 'compact', 'matrix' or 'sequence', not {diagonals_format!r}"
            )
        self._format = diagonals_format
        if diagonals_format == "sequence":
            self._diagonals = [kept(diagonal) for diagonal in diagonals]
            dtype = self._diagonals[0].dtype
        else:
            self._diagonals = kept(diagonals)
            dtype = self._diagonals.dtype
        super().__init__(dtype, None, is_non_singular, is_self_adjoint, is_positive_definite,
                         True if is_square is None else is_square, name)  # fmt: skip

    @property
    def diagonals(self):
        return self._diagonals

    @property
    def diagonals_format(self):
        return self._format

    def _compact(self):
        """The three diagonals as [..., 3, n]."""
        if self._format == "compact":
            return convert_to_tensor(self._diagonals)
        if self._format == "sequence":
            return stack([convert_to_tensor(diagonal) for diagonal in self._diagonals], -2)
        matrix = convert_to_tensor(self._diagonals)
        above, below = linalg.diag_part(matrix, k=1), linalg.diag_part(matrix, k=-1)
        zero = linalg.diag_part(matrix)[..., :1] * 0
        return stack(
            [concat([above, zero], -1), linalg.diag_part(matrix), concat([zero, below], -1)], -2
        )

    def _shape(self):
        dims = self._compact().dims
        return (*dims[:-2], dims[-1], dims[-1])

    def _shape_tensor(self):
        whole = shape(self._compact())
        return concat([whole[:-2], whole[-1:], whole[-1:]], 0)

    def _adjoint(self):
        above, middle, below = (self._compact()[..., row, :] for row in range(3))
        zero = middle[..., :1] * 0
        parts = concat([below[..., 1:], zero], -1), middle, concat([zero, above[..., :-1]], -1)
        found = ops.stack(*parts, axis=-2)
        return LinearOperatorTridiag(
            ops.conj(found) if self.dtype.is_complex else found,
            is_non_singular=self.is_non_singular,
        )

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        if adjoint:
            return self._adjoint().matmul(x, adjoint_arg=adjoint_arg)
        return linalg.tridiagonal_matmul(self._compact(), linalg.adjoint(x) if adjoint_arg else x)

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        if adjoint:
            return self._adjoint().solve(rhs, adjoint_arg=adjoint_arg)
        return linalg.tridiagonal_solve(
            self._compact(), linalg.adjoint(rhs) if adjoint_arg else rhs
        )

    def _diag_part(self):
        return self._compact()[..., 1, :]

    def _to_dense(self):
        rows = self._compact()
        return (
            linalg.diag(rows[..., 1, :])
            + linalg.diag(rows[..., 0, :-1], k=1)
            + linalg.diag(rows[..., 2, 1:], k=-1)
        )


class LinearOperatorToeplitz(LinearOperator):
    """A matrix whose diagonals are constant, of its first column and its first row [..., n].

    >>> ag.linalg.LinearOperatorToeplitz([1.0, 2.0], [1.0, 5.0]).to_dense().numpy().tolist()
    [[1.0, 5.0], [2.0, 1.0]]
    """

    def __init__(self, col, row, is_non_singular=None, is_self_adjoint=None,
                 is_positive_definite=None, is_square=None, name=None):  # fmt: skip
        self._col, self._row = kept(col), kept(row)
        super().__init__(self._col.dtype, None, is_non_singular, is_self_adjoint,
                         is_positive_definite, True if is_square is None else is_square,
                         name)  # fmt: skip

    @property
    def col(self):
        return self._col

    @property
    def row(self):
        return self._row

    def _shape(self):
        dims = convert_to_tensor(self._col).dims
        return (*dims, dims[-1])

    def _shape_tensor(self):
        whole = shape(convert_to_tensor(self._col))
        return concat([whole, whole[-1:]], 0)

    def _to_dense(self):
        col, row = convert_to_tensor(self._col), convert_to_tensor(self._row)
        values = concat([reverse(row, [len(row.dims) - 1])[..., :-1], col], -1)
        size = shape(col)[-1]
        places = ops.range(0, size, 1)
        return gather(values, places[:, None] - places + size - 1, axis=len(values.dims) - 1)

    def _diag_part(self):
        col = convert_to_tensor(self._col)
        return col * 0 + col[..., :1]

    def _adjoint(self):
        col, row = convert_to_tensor(self._col), convert_to_tensor(self._row)
        if self.dtype.is_complex:
            col, row = ops.conj(col), ops.conj(row)
        return LinearOperatorToeplitz(row, col, is_non_singular=self.is_non_singular)


for _class in (
    LinearOperatorFullMatrix,
    LinearOperatorLowerTriangular,
    LinearOperatorTridiag,
    LinearOperatorToeplitz,
):
    expose(_class, f"linalg.{_class.__name__}")
