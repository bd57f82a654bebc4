"""Operators made of others: adjoints, inverses and products."""

from __future__ import annotations

from ... import concat, linalg
from ...extend.operations import ops
from ...extend.registration import expose
from .operator import HINTS, LinearOperator, broadcast_dims


class Wrapping(LinearOperator):
    """An operator made of one other."""

    def __init__(self, operator, is_non_singular=None, is_self_adjoint=None,
                 is_positive_definite=None, is_square=None, name=None):  # fmt: skip
        self.operator = operator
        given = dict(zip(HINTS, (is_non_singular, is_self_adjoint, is_positive_definite,
                                 is_square), strict=True))  # fmt: skip
        hints = {
            hint: getattr(operator, hint) if value is None else value
            for hint, value in given.items()
        }
        super().__init__(operator.dtype, **hints, name=name)

    def _shape(self):
        *batch, rows, columns = self.operator.shape.as_list()
        return (*batch, columns, rows)

    def _shape_tensor(self):
        whole = self.operator.shape_tensor()
        return concat([whole[:-2], whole[-1:], whole[-2:-1]], 0)


class LinearOperatorAdjoint(Wrapping):
    """The conjugate transpose of an operator.

    >>> matrix = ag.linalg.LinearOperatorFullMatrix([[1.0, 2.0], [3.0, 4.0]])
    >>> ag.linalg.LinearOperatorAdjoint(matrix).to_dense().numpy().tolist()
    [[1.0, 3.0], [2.0, 4.0]]
    """

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        return self.operator.matmul(x, adjoint=not adjoint, adjoint_arg=adjoint_arg)

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        return self.operator.solve(rhs, adjoint=not adjoint, adjoint_arg=adjoint_arg)

    def _adjoint(self):
        return self.operator

    def _to_dense(self):
        return linalg.adjoint(self.operator.to_dense())

    def _diag_part(self):
        return ops.conj(self.operator.diag_part())

    def _determinant(self):
        return ops.conj(self.operator.determinant())

    def _log_abs_determinant(self):
        return self.operator.log_abs_determinant()


class LinearOperatorInversion(Wrapping):
    """The inverse of an operator, whose products are solutions.

    >>> double = ag.linalg.LinearOperatorFullMatrix([[2.0, 0.0], [0.0, 4.0]])
    >>> ag.linalg.LinearOperatorInversion(double).matvec([2.0, 2.0]).numpy()
    array([1. , 0.5], dtype=float32)
    """

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        return self.operator.solve(x, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        return self.operator.matmul(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def _inverse(self):
        return self.operator

    def _determinant(self):
        return 1 / self.operator.determinant()

    def _log_abs_determinant(self):
        return -self.operator.log_abs_determinant()


class LinearOperatorComposition(LinearOperator):
    """The product of several operators, applied from the last to the first.

    >>> left = ag.linalg.LinearOperatorFullMatrix([[0.0, 1.0], [1.0, 0.0]])
    >>> right = ag.linalg.LinearOperatorDiag([2.0, 3.0])
    >>> ag.linalg.LinearOperatorComposition([left, right]).matvec([1.0, 1.0]).numpy()
    array([3., 2.], dtype=float32)

    Raises ValueError if sizes do not fit.
    """

    def __init__(self, operators, is_non_singular=None, is_self_adjoint=None,
                 is_positive_definite=None, is_square=None, name=None):  # fmt: skip
        self.operators = list(operators)
        if not self.operators:
            raise ValueError("LinearOperatorComposition takes at least one operator")
        for left, right in zip(self.operators, self.operators[1:], strict=False):
            left.check_fits(right.range_dimension, right.shape)
        if is_non_singular is None and all(operator.is_non_singular for operator in self.operators):
            is_non_singular = True
        super().__init__(self.operators[0].dtype, None, is_non_singular, is_self_adjoint,
                         is_positive_definite, is_square, name)  # fmt: skip

    def _shape(self):
        batch = broadcast_dims(*(operator.batch_shape.as_list() for operator in self.operators))
        return (*batch, self.operators[0].range_dimension, self.operators[-1].domain_dimension)

    def _shape_tensor(self):
        first, *rest = [one.shape_tensor() for one in self.operators]
        batch = first[:-2]
        for one in rest:
            batch = ops.broadcast_dynamic_shape(batch, one[:-2])
        last = rest[-1] if rest else first
        return concat([batch, first[-2:-1], last[-1:]], 0)

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        x = linalg.adjoint(x) if adjoint_arg else x
        for operator in self.operators if adjoint else reversed(self.operators):
            x = operator.matmul(x, adjoint=adjoint)
        return x

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        rhs = linalg.adjoint(rhs) if adjoint_arg else rhs
        for operator in reversed(self.operators) if adjoint else self.operators:
            rhs = operator.solve(rhs, adjoint=adjoint)
        return rhs

    def _all_square(self) -> bool:
        return all(operator.is_square for operator in self.operators)

    def _determinant(self):
        if not self._all_square():
            return super()._determinant()
        result = self.operators[0].determinant()
        for operator in self.operators[1:]:
            result = result * operator.determinant()
        return result

    def _log_abs_determinant(self):
        if not self._all_square():
            return super()._log_abs_determinant()
        return sum(operator.log_abs_determinant() for operator in self.operators)


for _class in (LinearOperatorAdjoint, LinearOperatorInversion, LinearOperatorComposition):
    expose(_class, f"linalg.{_class.__name__}")

LinearOperator.adjoint_class = LinearOperatorAdjoint
LinearOperator.inversion_class = LinearOperatorInversion
LinearOperator.composition_class = LinearOperatorComposition
