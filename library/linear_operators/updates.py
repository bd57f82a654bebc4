"""An operator with a correction of low rank."""

from __future__ import annotations

from ... import convert_to_tensor, linalg, matmul, shape
from ...extend.operations import ops
from ...extend.registration import expose
from .operator import LinearOperator, kept


class LinearOperatorLowRankUpdate(LinearOperator):
    """`base + u @ diag(diag_update) @ adjoint(v)`: an operator and a matrix of low rank.

    `u` and `v` are [..., n, rank]; without `v` it is `u`, without `diag_update` it is one. Systems
    are solved by those of the base and of a matrix [rank, rank].

    >>> base = ag.linalg.LinearOperatorDiag([1.0, 2.0])
    >>> operator = ag.linalg.LinearOperatorLowRankUpdate(base, [[1.0], [1.0]])
    >>> operator.to_dense().numpy().tolist(), operator.determinant().numpy().round(3)
    ([[2.0, 1.0], [1.0, 3.0]], np.float32(5.0))
    """

    def __init__(self, base_operator, u, diag_update=None, v=None, is_diag_update_positive=None,
                 is_non_singular=None, is_self_adjoint=None, is_positive_definite=None,
                 is_square=None, name=None):  # fmt: skip
        self.base_operator = base_operator
        self._u = kept(u, base_operator.dtype)
        self._v = self._u if v is None else kept(v, base_operator.dtype)
        self._diag_update = None if diag_update is None else kept(diag_update, base_operator.dtype)
        positive = is_diag_update_positive or diag_update is None
        self.is_diag_update_positive = positive
        if v is None and is_self_adjoint is None:
            is_self_adjoint = base_operator.is_self_adjoint
        if v is None and positive and is_positive_definite is None:
            is_positive_definite = base_operator.is_positive_definite
        super().__init__(base_operator.dtype, None, is_non_singular, is_self_adjoint,
                         is_positive_definite, is_square, name)  # fmt: skip

    @property
    def u(self):
        return self._u

    @property
    def v(self):
        return self._v

    @property
    def diag_update(self):
        return self._diag_update

    def _shape(self):
        return self.base_operator.shape.as_list()

    def _shape_tensor(self):
        return self.base_operator.shape_tensor()

    def _factors(self):
        return convert_to_tensor(self._u), convert_to_tensor(self._v)

    def _scaled(self, x, adjoint: bool, invert: bool = False):
        """x with its rows multiplied by the diagonal in the middle."""
        if self._diag_update is None:
            return x
        column = convert_to_tensor(self._diag_update)[..., None]
        column = ops.conj(column) if adjoint and self.dtype.is_complex else column
        return x / column if invert else x * column

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        x = linalg.adjoint(x) if adjoint_arg else x
        u, v = self._factors()
        left, right = (v, u) if adjoint else (u, v)
        update = matmul(left, self._scaled(matmul(right, x, adjoint_a=True), adjoint))
        return self.base_operator.matmul(x, adjoint=adjoint) + update

    def _capacitance(self, adjoint: bool):
        """The matrix [rank, rank] of the Woodbury identity, times the diagonal in the middle."""
        u, v = self._factors()
        left, right = (v, u) if adjoint else (u, v)
        inner = matmul(right, self.base_operator.solve(left, adjoint=adjoint), adjoint_a=True)
        ones = ops.eye(shape(u)[-1], shape(u)[-1], dtype=self.dtype)
        return self._scaled(inner, adjoint) + ones

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        rhs = linalg.adjoint(rhs) if adjoint_arg else rhs
        u, v = self._factors()
        left, right = (v, u) if adjoint else (u, v)
        plain = self.base_operator.solve(rhs, adjoint=adjoint)
        inner = self._scaled(matmul(right, plain, adjoint_a=True), adjoint)
        correction = matmul(left, linalg.solve(self._capacitance(adjoint), inner))
        return plain - self.base_operator.solve(correction, adjoint=adjoint)

    def _to_dense(self):
        u, v = self._factors()
        return self.base_operator.to_dense() + matmul(u, self._scaled(linalg.adjoint(v), False))

    def _determinant(self):
        return self.base_operator.determinant() * ops.det(self._capacitance(False))

    def _log_abs_determinant(self):
        inner = ops.slogdet(self._capacitance(False))[1]
        return self.base_operator.log_abs_determinant() + inner


expose(LinearOperatorLowRankUpdate, "linalg.LinearOperatorLowRankUpdate")
