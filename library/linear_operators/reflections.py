"""Operators that move vectors without scaling them: reflections and permutations."""

from __future__ import annotations

from ... import (
    argsort,
    as_dtype,
    cast,
    concat,
    convert_to_tensor,
    float32,
    gather,
    linalg,
    matmul,
    one_hot,
    reduce_sum,
    shape,
)
from ...extend.operations import ops
from ...extend.registration import expose
from .operator import LinearOperator, kept


class LinearOperatorHouseholder(LinearOperator):
    """The reflection at the plane that is orthogonal to `reflection_axis` [..., n].

    >>> operator = ag.linalg.LinearOperatorHouseholder([2.0, 0.0])
    >>> operator.matvec([1.0, 3.0]).numpy(), operator.determinant().numpy()
    (array([-1.,  3.], dtype=float32), np.float32(-1.0))
    """

    def __init__(self, reflection_axis, is_non_singular=None, is_self_adjoint=None,
                 is_positive_definite=None, is_square=None, name=None):  # fmt: skip
        self._reflection_axis = kept(reflection_axis)
        if is_non_singular is False or is_self_adjoint is False or is_positive_definite:
            raise ValueError("a reflection is self-adjoint, not singular, not positive definite")
        super().__init__(self._reflection_axis.dtype, None, True, True, None, True, name)

    @property
    def reflection_axis(self):
        return self._reflection_axis

    def _shape(self):
        dims = convert_to_tensor(self._reflection_axis).dims
        return (*dims, dims[-1])

    def _shape_tensor(self):
        whole = shape(convert_to_tensor(self._reflection_axis))
        return concat([whole, whole[-1:]], 0)

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        x = linalg.adjoint(x) if adjoint_arg else x
        axis = convert_to_tensor(self._reflection_axis)
        squares = reduce_sum(ops.abs(axis) ** 2, -1, keepdims=True)
        unit = (axis * cast(ops.rsqrt(squares), axis.dtype))[..., None]
        return x - 2 * unit * matmul(unit, x, adjoint_a=True)

    _solve = _matmul

    def _inverse(self):
        return self

    def _determinant(self):
        return convert_to_tensor(self._reflection_axis)[..., 0] * 0 - 1

    def _log_abs_determinant(self):
        return convert_to_tensor(self._reflection_axis)[..., 0] * 0


class LinearOperatorPermutation(LinearOperator):
    """The matrix that puts rows in the order `perm` [..., n].

    >>> operator = ag.linalg.LinearOperatorPermutation([2, 0, 1])
    >>> operator.matvec([1.0, 2.0, 3.0]).numpy()
    array([3., 1., 2.], dtype=float32)
    """

    def __init__(self, perm, dtype=float32, is_non_singular=None, is_self_adjoint=None,
                 is_positive_definite=None, is_square=None, name=None):  # fmt: skip
        self._perm = kept(perm)
        if is_non_singular is False or is_positive_definite:
            raise ValueError("a permutation is not singular")
        super().__init__(as_dtype(dtype), None, True, is_self_adjoint, None, True, name)

    @property
    def perm(self):
        return self._perm

    def _shape(self):
        dims = convert_to_tensor(self._perm).dims
        return (*dims, dims[-1])

    def _shape_tensor(self):
        whole = shape(convert_to_tensor(self._perm))
        return concat([whole, whole[-1:]], 0)

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        x = linalg.adjoint(x) if adjoint_arg else x
        order = convert_to_tensor(self._perm)
        order = argsort(order, axis=-1) if adjoint else order
        if len(order.dims) == 1:
            return gather(x, order, axis=len(x.dims) - 2)
        return matmul(one_hot(order, shape(order)[-1], dtype=self.dtype), x)

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        return self._matmul(rhs, not adjoint, adjoint_arg)

    def _to_dense(self):
        order = convert_to_tensor(self._perm)
        return one_hot(order, shape(order)[-1], dtype=self.dtype)

    def _adjoint(self):
        return LinearOperatorPermutation(argsort(convert_to_tensor(self._perm)), self.dtype)

    _inverse = _adjoint

    def _log_abs_determinant(self):
        return cast(convert_to_tensor(self._perm)[..., 0] * 0, self.dtype)


for _class in (LinearOperatorHouseholder, LinearOperatorPermutation):
    expose(_class, f"linalg.{_class.__name__}")
