"""Diagonal operators: any diagonal, the identity, its multiples, and zero."""

from __future__ import annotations

import numpy as np

from ... import (
    as_dtype,
    cast,
    concat,
    convert_to_tensor,
    float32,
    get_static_value,
    int32,
    linalg,
    reduce_prod,
    reduce_sum,
    shape,
    zeros,
)
from ...extend.operations import ops
from ...extend.registration import expose
from .operator import LinearOperator, kept


class Diagonal(LinearOperator):
    """What operators with a diagonal and nothing else share; `diagonal` gives it."""

    @property
    def diagonal(self):
        raise NotImplementedError

    def _factors(self, adjoint: bool):
        """The diagonal as a column."""
        column = self.diagonal[..., None]
        return ops.conj(column) if adjoint and self.dtype.is_complex else column

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        return self._factors(adjoint) * (linalg.adjoint(x) if adjoint_arg else x)

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        return (linalg.adjoint(rhs) if adjoint_arg else rhs) / self._factors(adjoint)

    def _to_dense(self):
        return linalg.diag(self.diagonal)

    def _diag_part(self):
        return self.diagonal

    def _determinant(self):
        return reduce_prod(self.diagonal, -1)

    def _log_abs_determinant(self):
        logarithm = ops.log(ops.abs(self.diagonal))
        return cast(reduce_sum(logarithm, -1), self.dtype)

    def _eigvals(self):
        return self.diagonal

    def composed(self, right):
        if isinstance(right, Diagonal) and not right.is_identity:
            return LinearOperatorDiag(self.diagonal * right.diagonal)
        return super().composed(right)

    def _adjoint(self):
        return LinearOperatorDiag(ops.conj(self.diagonal), **self._same_hints())

    def _inverse(self):
        return LinearOperatorDiag(1 / self.diagonal, **self._same_hints())

    def _cholesky(self):
        return LinearOperatorDiag(ops.sqrt(self.diagonal), is_non_singular=self.is_non_singular)

    def _same_hints(self) -> dict:
        names = ("is_non_singular", "is_self_adjoint", "is_positive_definite")
        return {name: getattr(self, name) for name in names}


class LinearOperatorDiag(Diagonal):
    """A diagonal matrix, or a batch of them, of the diagonal [..., n].

    >>> operator = ag.linalg.LinearOperatorDiag([1.0, 2.0])
    >>> operator.solvevec([3.0, 4.0]).numpy()
    array([3., 2.], dtype=float32)
    """

    def __init__(self, diag, is_non_singular=None, is_self_adjoint=None, is_positive_definite=None,
                 is_square=None, name=None):  # fmt: skip
        self._diag = kept(diag)
        dtype = self._diag.dtype
        if is_self_adjoint is None and not dtype.is_complex:
            is_self_adjoint = True
        super().__init__(dtype, None, is_non_singular, is_self_adjoint, is_positive_definite,
                         True if is_square is None else is_square, name)  # fmt: skip

    @property
    def diag(self):
        return self._diag

    @property
    def diagonal(self):
        return convert_to_tensor(self._diag)

    def _shape(self):
        dims = self.diagonal.dims
        return (*dims, dims[-1])

    def _shape_tensor(self):
        whole = shape(self.diagonal)
        return concat([whole, whole[-1:]], 0)


class Sized(Diagonal):
    """An operator of a number of rows, and a batch shape that is known or a tensor."""

    def __init__(self, num_rows, batch_shape, dtype, hints: dict, name):
        self._rows = num_rows if isinstance(num_rows, int) else get_static_value(num_rows)
        self._num_rows = num_rows
        known = [] if batch_shape is None else get_static_value(batch_shape)
        self._batch = None if known is None else tuple(map(int, np.reshape(known, -1)))
        self._batch_shape_argument = batch_shape
        super().__init__(dtype, None, name=name, **hints)

    @property
    def size(self):
        return self._num_rows if self._rows is None else int(self._rows)

    def _dims_of_batch(self):
        if self._batch is None:
            return (None,) * convert_to_tensor(self._batch_shape_argument).dims[0]
        return self._batch

    def _shape(self):
        rows = self.size if self._rows is not None else None
        return (*self._dims_of_batch(), rows, rows)

    def _shape_tensor(self):
        rows = cast(convert_to_tensor(self.size), int32)
        return concat([self._batch_sizes(), ops.stack(rows, rows, axis=0)], 0)

    def _batch_sizes(self):
        """The batch shape as a tensor."""
        if self._batch is not None:
            return convert_to_tensor(np.array(self._batch, np.int32))
        return cast(convert_to_tensor(self._batch_shape_argument), int32)


class LinearOperatorIdentity(Sized):
    """The identity of `num_rows` rows, or a batch of them.

    >>> operator = ag.linalg.LinearOperatorIdentity(2)
    >>> operator.matmul([[1.0], [2.0]]).numpy().tolist()
    [[1.0], [2.0]]
    """

    is_identity = True

    def __init__(self, num_rows, batch_shape=None, dtype=None, is_non_singular=True,
                 is_self_adjoint=True, is_positive_definite=True, is_square=True,
                 assert_proper_shapes=False, name=None):  # fmt: skip
        hints = {"is_non_singular": is_non_singular, "is_self_adjoint": is_self_adjoint,
                 "is_positive_definite": is_positive_definite, "is_square": is_square}  # fmt: skip
        if not all(hints.values()):
            raise ValueError("the identity is square, self-adjoint and positive definite")
        super().__init__(num_rows, batch_shape, as_dtype(dtype or float32), hints, name)

    @property
    def diagonal(self):
        sizes = concat([self._batch_sizes(), convert_to_tensor(self.size, int32)[None]], 0)
        return zeros(sizes, self.dtype) + cast(1, self.dtype)

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        x = linalg.adjoint(x) if adjoint_arg else x
        return x if self._batch == () else self._factors(adjoint) * x

    _solve = _matmul

    def composed(self, right):
        return right if self._batch == () else super().composed(right)

    def _inverse(self):
        return self

    _adjoint = _cholesky = _inverse


class LinearOperatorScaledIdentity(Sized):
    """The identity of `num_rows` rows times a number, or times a batch of numbers.

    >>> operator = ag.linalg.LinearOperatorScaledIdentity(2, 3.0)
    >>> operator.determinant().numpy(), operator.trace().numpy()
    (np.float32(9.0), np.float32(6.0))
    """

    def __init__(self, num_rows, multiplier, is_non_singular=None, is_self_adjoint=None,
                 is_positive_definite=None, is_square=True, assert_proper_shapes=False,
                 name=None):  # fmt: skip
        self._multiplier = kept(multiplier)
        dtype = self._multiplier.dtype
        if is_self_adjoint is None and not dtype.is_complex:
            is_self_adjoint = True
        hints = {"is_non_singular": is_non_singular, "is_self_adjoint": is_self_adjoint,
                 "is_positive_definite": is_positive_definite, "is_square": is_square}  # fmt: skip
        super().__init__(num_rows, shape(convert_to_tensor(self._multiplier)), dtype, hints, name)

    @property
    def multiplier(self):
        return self._multiplier

    @property
    def diagonal(self):
        ones = zeros(convert_to_tensor(self.size, int32)[None], self.dtype) + cast(1, self.dtype)
        return convert_to_tensor(self._multiplier)[..., None] * ones

    def _adjoint(self):
        conjugated = ops.conj(convert_to_tensor(self._multiplier))
        return LinearOperatorScaledIdentity(self.size, conjugated, **self._same_hints())

    def _inverse(self):
        inverted = 1 / convert_to_tensor(self._multiplier)
        return LinearOperatorScaledIdentity(self.size, inverted, **self._same_hints())

    def _cholesky(self):
        root = ops.sqrt(convert_to_tensor(self._multiplier))
        return LinearOperatorScaledIdentity(self.size, root)

    def composed(self, right):
        if isinstance(right, LinearOperatorScaledIdentity):
            product = convert_to_tensor(self._multiplier) * convert_to_tensor(right.multiplier)
            return LinearOperatorScaledIdentity(self.size, product)
        return super().composed(right)


class LinearOperatorZeros(Sized):
    """The operator that gives zero, of `num_rows` rows and `num_columns` columns.

    >>> ag.linalg.LinearOperatorZeros(2, 3, is_square=False, is_self_adjoint=False).matvec(
    ...     [1.0, 2.0, 3.0]).numpy()
    array([0., 0.], dtype=float32)
    """

    def __init__(self, num_rows, num_columns=None, batch_shape=None, dtype=None,
                 is_non_singular=False, is_self_adjoint=True, is_positive_definite=False,
                 is_square=True, assert_proper_shapes=False, name=None):  # fmt: skip
        if is_non_singular or is_positive_definite:
            raise ValueError("the operator that gives zero is singular")
        hints = {"is_non_singular": False, "is_self_adjoint": is_self_adjoint,
                 "is_positive_definite": False, "is_square": is_square}  # fmt: skip
        self._columns = num_rows if num_columns is None else num_columns
        super().__init__(num_rows, batch_shape, as_dtype(dtype or float32), hints, name)

    @property
    def diagonal(self):
        size = min(self.size, self._columns)
        return zeros(concat([self._batch_sizes(), convert_to_tensor([size], int32)], 0), self.dtype)

    def _shape(self):
        return (*self._dims_of_batch(), self.size, self._columns)

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        x = linalg.adjoint(x) if adjoint_arg else x
        rows = self._columns if adjoint else self.size
        sums = reduce_sum(x, -2, keepdims=True) * 0
        return sums + zeros(concat([self._batch_sizes(), convert_to_tensor([rows, 1], int32)], 0),
                            self.dtype)  # fmt: skip

    def _to_dense(self):
        return zeros(self.shape_tensor(), self.dtype)

    def _adjoint(self):
        return LinearOperatorZeros(self._columns, self.size, self._batch_shape_argument, self.dtype,
                                   is_self_adjoint=self.is_self_adjoint,
                                   is_square=self.is_square)  # fmt: skip

    def composed(self, right):
        return LinearOperator.composed(self, right)


for _class in (
    LinearOperatorDiag,
    LinearOperatorIdentity,
    LinearOperatorScaledIdentity,
    LinearOperatorZeros,
):
    expose(_class, f"linalg.{_class.__name__}")
