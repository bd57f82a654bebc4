"""`LinearOperator`: a matrix, or a batch of them, by what it does.

A subclass defines `_shape`, `_matmul`, and whichever of `_to_dense`, `_solve`, `_diag_part`,
`_determinant` and `_log_abs_determinant` its structure makes cheaper than the dense matrix does.
"""

from __future__ import annotations

import numpy as np

from ... import (
    TensorShape,
    Variable,
    as_dtype,
    convert_to_tensor,
    debugging,
    eigvals,
    expand_dims,
    eye,
    int32,
    linalg,
    matmul,
    reduce_all,
    reduce_max,
    reduce_min,
    reduce_sum,
    shape,
    squeeze,
)
from ...extend.operations import check, ops
from ...extend.registration import public
from ..module import Module

HINTS = ("is_non_singular", "is_self_adjoint", "is_positive_definite", "is_square")


def kept(value, dtype=None):
    """A variable as it is, so that gradients reach it; anything else as a tensor."""
    return value if isinstance(value, Variable) else convert_to_tensor(value, dtype)


def broadcast_dims(*shapes):
    """The common batch shape of several, None where a size is not known."""
    rank = max(map(len, shapes))
    columns = zip(*[(1,) * (rank - len(shape)) + tuple(shape) for shape in shapes], strict=True)
    return tuple(
        next((size for size in column if size not in (1, None)), None if None in column else 1)
        for column in columns
    )


@public("linalg.LinearOperator")
class LinearOperator(Module):
    """A matrix [..., rows, columns], or a batch of them, that may not be stored as one.

    `matmul` and `solve` multiply by it and by its inverse; `@` is `matmul`. The hints
    `is_non_singular`, `is_self_adjoint`, `is_positive_definite` and `is_square` say what the caller
    knows. A subclass defines `_shape` and `_matmul`, and what it computes better than from the
    dense matrix.

    >>> class Twice(ag.linalg.LinearOperator):
    ...     def _shape(self):
    ...         return ag.TensorShape([2, 2])
    ...     def _matmul(self, x, adjoint=False, adjoint_arg=False):
    ...         return 2 * (ag.linalg.adjoint(x) if adjoint_arg else x)
    >>> twice = Twice(ag.float32)
    >>> twice.solvevec([2.0, 4.0]).numpy(), twice.determinant().numpy()
    (array([1., 2.], dtype=float32), np.float32(4.0))
    """

    is_identity = False

    def __init__(
        self,
        dtype,
        graph_parents=None,
        is_non_singular=None,
        is_self_adjoint=None,
        is_positive_definite=None,
        is_square=None,
        name=None,
        parameters=None,
    ):
        super().__init__(name=name or type(self).__name__)
        self._dtype = as_dtype(dtype)
        if is_positive_definite and is_non_singular is False:
            raise ValueError("a positive definite operator is not singular")
        self.is_non_singular = True if is_positive_definite else is_non_singular
        self.is_self_adjoint = is_self_adjoint
        self.is_positive_definite = is_positive_definite
        needs_square = is_self_adjoint or is_positive_definite or self.is_non_singular
        if needs_square and is_square is False:
            raise ValueError("only a square operator has an inverse or is self-adjoint")
        self._is_square = True if needs_square else is_square

    # ---- shape -----------------------------------------------------------------------------------

    @property
    def dtype(self):
        return self._dtype

    @property
    def shape(self) -> TensorShape:
        return TensorShape(self._shape())

    def _shape(self):
        raise NotImplementedError("a linear operator defines _shape")

    def _shape_tensor(self):
        raise NotImplementedError("a linear operator of unknown sizes defines _shape_tensor")

    def shape_tensor(self, name=None):
        """The shape as a tensor."""
        dims = self.shape.as_list() if self.shape.rank is not None else [None]
        return self._shape_tensor() if None in dims else convert_to_tensor(dims, int32)

    @property
    def batch_shape(self) -> TensorShape:
        return self.shape[:-2]

    def batch_shape_tensor(self, name=None):
        return self.shape_tensor()[:-2]

    @property
    def tensor_rank(self):
        return self.shape.rank

    def tensor_rank_tensor(self, name=None):
        return shape(self.shape_tensor())[0]

    @property
    def range_dimension(self):
        """The number of rows, None where it is not known."""
        return None if self.shape.rank is None else self.shape[-2]

    @property
    def domain_dimension(self):
        """The number of columns, None where it is not known."""
        return None if self.shape.rank is None else self.shape[-1]

    def range_dimension_tensor(self, name=None):
        return self.shape_tensor()[-2]

    def domain_dimension_tensor(self, name=None):
        return self.shape_tensor()[-1]

    @property
    def is_square(self):
        sizes = (self.range_dimension, self.domain_dimension)
        return self._is_square if None in sizes else sizes[0] == sizes[1]

    @property
    def H(self):  # noqa: N802 - as in the reference
        return self.adjoint()

    # ---- products --------------------------------------------------------------------------------

    def matmul(self, x, adjoint=False, adjoint_arg=False, name=None):
        """The product with a matrix [..., columns, n], or with an operator, which gives one.

        Raises ValueError if the sizes do not fit.
        """
        if isinstance(x, LinearOperator):
            left, right = self.adjoint() if adjoint else self, x.adjoint() if adjoint_arg else x
            left.check_fits(right.range_dimension, right.shape)
            return left.composed(right)
        x = convert_to_tensor(x, dtype_hint=self.dtype)
        self.check_fits(x.dims[-1 if adjoint_arg else -2], x.shape, adjoint)
        return self._matmul(x, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def check_fits(self, size, operand, adjoint=False) -> None:
        """Raises ValueError if an operand of this size does not fit."""
        wanted = self.range_dimension if adjoint else self.domain_dimension
        if None not in (size, wanted) and size != wanted:
            raise ValueError(f"{self.name} of shape {self.shape} does not fit {operand}")

    def composed(self, right):
        """The operator of the product with another one."""
        return self if right.is_identity else self.composition_class([self, right])

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        return matmul(self.to_dense(), x, adjoint_a=adjoint, adjoint_b=adjoint_arg)

    def __matmul__(self, other):
        return self.matmul(other)

    def matvec(self, x, adjoint=False, name=None):
        """The product with a vector [..., columns]."""
        x = convert_to_tensor(x, dtype_hint=self.dtype)
        return squeeze(self.matmul(expand_dims(x, -1), adjoint=adjoint), [-1])

    def solve(self, rhs, adjoint=False, adjoint_arg=False, name=None):
        """The X for which the product with X is `rhs`, a matrix or an operator.

        Raises ValueError for an operator that is not square or known to be singular.
        """
        self._check_invertible()
        if isinstance(rhs, LinearOperator):
            left = self.adjoint() if adjoint else self
            return left.inverse().matmul(rhs, adjoint_arg=adjoint_arg)
        rhs = convert_to_tensor(rhs, dtype_hint=self.dtype)
        self.check_fits(rhs.dims[-1 if adjoint_arg else -2], rhs.shape)
        return self._solve(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def _check_invertible(self) -> None:
        if self.is_square is False:
            raise ValueError(f"{self.name} of shape {self.shape} is not square")
        if self.is_non_singular is False:
            raise ValueError(f"{self.name} is singular: is_non_singular is False")

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        return linalg.solve(
            self.to_dense(), linalg.adjoint(rhs) if adjoint_arg else rhs, adjoint=adjoint
        )

    def solvevec(self, rhs, adjoint=False, name=None):
        """The x for which the product with x is the vector `rhs` [..., rows]."""
        rhs = convert_to_tensor(rhs, dtype_hint=self.dtype)
        return squeeze(self.solve(expand_dims(rhs, -1), adjoint=adjoint), [-1])

    # ---- other operators -------------------------------------------------------------------------

    def adjoint(self, name=None):
        """The operator of the conjugate transpose."""
        return self if self.is_self_adjoint else self._adjoint()

    def _adjoint(self):
        return self.adjoint_class(self)

    def inverse(self, name=None):
        """The operator of the inverse. Raises ValueError as `solve` does."""
        self._check_invertible()
        return self._inverse()

    def _inverse(self):
        return self.inversion_class(self)

    def cholesky(self, name=None):
        """The lower triangular operator whose product with its adjoint is this one."""
        if not (self.is_self_adjoint and self.is_positive_definite):
            raise ValueError(
                f"{self.name}.cholesky: is_self_adjoint=True and is_positive_definite=True say "
                "that it exists"
            )
        return self._cholesky()

    def _cholesky(self):
        return self.lower_triangular(ops.cholesky(self.to_dense()))

    # The operators of results, which their modules state.
    lower_triangular: type
    adjoint_class: type
    inversion_class: type
    composition_class: type

    # ---- what matrices have ----------------------------------------------------------------------

    def to_dense(self, name=None):
        """The matrix."""
        return self._to_dense()

    def _to_dense(self):
        size = self.domain_dimension
        size = self.domain_dimension_tensor() if size is None else size
        return self._matmul(eye(size, dtype=self.dtype))

    def diag_part(self, name=None):
        """The elements on the diagonal."""
        return self._diag_part()

    def _diag_part(self):
        return linalg.diag_part(self.to_dense())

    def trace(self, name=None):
        return reduce_sum(self.diag_part(), -1)

    def determinant(self, name=None):
        self._check_square()
        return self._determinant()

    def _determinant(self):
        return ops.det(self.to_dense())

    def log_abs_determinant(self, name=None):
        """The logarithm of the absolute value of the determinant."""
        self._check_square()
        return self._log_abs_determinant()

    def _log_abs_determinant(self):
        return ops.slogdet(self.to_dense())[1]

    def _check_square(self) -> None:
        if self.is_square is False:
            raise ValueError(f"{self.name} of shape {self.shape} is not square")

    def eigvals(self, name=None):
        return self._eigvals()

    def _eigvals(self):
        return (linalg.eigvalsh if self.is_self_adjoint else eigvals)(self.to_dense())

    def cond(self, name=None):
        """The ratio of the largest to the smallest singular value."""
        values = linalg.svd(self.to_dense(), compute_uv=False)
        return reduce_max(values, -1) / reduce_min(values, -1)

    def add_to_tensor(self, x, name=None):
        """The sum of the matrix and a tensor."""
        return self.to_dense() + x

    # ---- checks ----------------------------------------------------------------------------------

    def assert_non_singular(self, name=None):
        """An error if the condition number is beyond the precision of the data type."""
        limit = 1 / np.finfo(self.dtype.real_dtype.numpy_dtype).eps
        below = self.cond() < convert_to_tensor(limit, self.dtype.real_dtype)
        return check(reduce_all(below), [f"{self.name} is singular"])

    def assert_self_adjoint(self, name=None):
        """An error if the matrix is not its own adjoint."""
        dense = self.to_dense()
        return debugging.assert_near(dense, linalg.adjoint(dense))

    def assert_positive_definite(self, name=None):
        """An error if an eigenvalue of the self-adjoint matrix is not positive."""
        positive = linalg.eigvalsh(self.to_dense()) > 0
        return check(reduce_all(positive), [f"{self.name} is not positive definite"])
