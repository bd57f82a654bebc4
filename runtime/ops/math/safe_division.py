"""Division and products that are defined at zero."""

from __future__ import annotations

import numpy as np

from ...core.dtypes import COMPLEX, FLOATS
from ...tensors.operation import hidden_op, op
from ..gradient_helpers import through

INEXACT = FLOATS | COMPLEX


def _unless_zero(condition, value):
    """`value`, but 0 where `condition` is 0."""
    return np.where(condition == 0, value.dtype.type(0), value)


@op
class Reciprocal:
    """`1 / x` for each float or complex element.

    >>> ag.math.reciprocal([2.0, 0.0]).numpy()
    array([0.5, inf], dtype=float32)
    """

    accepts = INEXACT
    scalar = "divide(one({x}), {x})"

    def gradient(dy, y, x):
        return (through(dy, through(y, -y)),)


@op
class MultiplyNoNan:
    """`x * y`, but 0 where `y` is 0 even if `x` is not finite. The shapes broadcast.

    >>> float(ag.math.multiply_no_nan(float("inf"), 0.0))
    0.0
    """

    accepts = INEXACT
    scalar = "zero({x}) if {y} == 0 else {x} * {y}"
    public = ("math.multiply_no_nan",)

    def kernel(x, y):
        return _unless_zero(y, np.multiply(x, y))

    def gradient(dy, y, x1, x2):
        return MaskedProduct(dy, x2), MaskedProduct(x1, dy)


@hidden_op
class MaskedProduct:
    """`x * y`, but 0 where either is 0 even if the other is not finite, for gradients."""

    accepts = INEXACT
    scalar = "zero({x}) if ({x} == 0) | ({y} == 0) else {x} * {y}"

    def kernel(x, y):
        return _unless_zero(x, _unless_zero(y, np.multiply(x, y)))

    def gradient(dy, y, x1, x2):
        return MaskedProduct(dy, x2), MaskedProduct(x1, dy)
