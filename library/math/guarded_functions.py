"""Squared differences, quotients and logarithms that are defined at zero, and functions that do not
overflow; truncating division.
"""

from __future__ import annotations

import numpy as np

from ...extend.operations import (
    FLOATS,
    INTEGERS,
    NUMBERS,
    divides_by_zero,
    no_gradient,
    op,
    ops,
    refuse_zero,
    through,
)

INEXACT = NUMBERS - INTEGERS


def _unless_zero(condition, value):
    """`value`, but 0 where `condition` is 0."""
    return np.where(condition == 0, value.dtype.type(0), value)


def _is_not_zero(x):
    return ops.cast(x != 0, dtype=x.dtype)


@op
class SquaredDifference:
    """`(x - y) * (x - y)`; the shapes broadcast.

    >>> ag.math.squared_difference([1, 5], 3).numpy()
    array([4, 4], dtype=int32)
    """

    accepts = NUMBERS
    public = ("math.squared_difference", "squared_difference")
    scalar = "({x} - {y}) * ({x} - {y})"

    def kernel(x, y):
        return np.square(np.subtract(x, y))

    def gradient(dy, y, x1, x2):
        return dy * 2 * (x1 - x2), dy * 2 * (x2 - x1)


@op
class ReciprocalNoNan:
    """`1 / x`, but 0 where `x` is 0.

    >>> ag.math.reciprocal_no_nan([2.0, 0.0]).numpy()
    array([0.5, 0. ], dtype=float32)
    """

    accepts = INEXACT
    scalar = "zero({x}) if {x} == 0 else divide(one({x}), {x})"
    public = ("math.reciprocal_no_nan",)

    def kernel(x):
        return _unless_zero(x, np.divide(x.dtype.type(1), x))

    def gradient(dy, y, x):
        return (-dy * y * y,)


@op
class DivideNoNan:
    """`x / y`, but 0 where `y` is 0. The shapes broadcast.

    >>> ag.math.divide_no_nan([1.0, 2.0], [0.0, 4.0]).numpy()
    array([0. , 0.5], dtype=float32)
    """

    accepts = INEXACT
    scalar = "zero({x}) if {y} == 0 else divide({x}, {y})"
    public = ("math.divide_no_nan",)

    def kernel(x, y):
        return _unless_zero(y, np.divide(x, y))

    def gradient(dy, y, x1, x2):
        return ops.divide_no_nan(dy, x2), ops.divide_no_nan(-dy * y, x2)


@op
class Xlogy:
    """`x * log(y)`, but 0 where `x` is 0. The shapes broadcast.

    >>> ag.math.xlogy([0.0, 2.0], [0.0, 1.0]).numpy()
    array([0., 0.], dtype=float32)
    """

    accepts = INEXACT
    scalar = "zero({x}) if {x} == 0 else {x} * log({y})"
    public = ("math.xlogy",)

    def kernel(x, y):
        return _unless_zero(x, np.multiply(x, np.log(y)))

    def gradient(dy, y, x1, x2):
        slopes = ops.xlogy(_is_not_zero(x1), x2), ops.xdivy(x1, x2)
        return through(dy, slopes[0]), through(dy, slopes[1])


@op
class Xlog1py:
    """`x * log(1 + y)`, but 0 where `x` is 0. The shapes broadcast.

    >>> ag.math.xlog1py([0.0, 2.0], [-1.0, 0.0]).numpy()
    array([0., 0.], dtype=float32)
    """

    accepts = INEXACT
    scalar = "zero({x}) if {x} == 0 else {x} * log1p({y})"
    public = ("math.xlog1py",)

    def kernel(x, y):
        return _unless_zero(x, np.multiply(x, np.log1p(y)))

    def gradient(dy, y, x1, x2):
        slopes = ops.xlog1py(_is_not_zero(x1), x2), ops.xdivy(x1, x2 + 1)
        return through(dy, slopes[0]), through(dy, slopes[1])


@op
class Xdivy:
    """`x / y`, but 0 where `x` is 0. The shapes broadcast.

    >>> ag.math.xdivy([0.0, 1.0], [0.0, 2.0]).numpy()
    array([0. , 0.5], dtype=float32)
    """

    accepts = INEXACT
    scalar = "zero({x}) if {x} == 0 else divide({x}, {y})"
    public = ("math.xdivy",)

    def kernel(x, y):
        return _unless_zero(x, np.divide(x, y))

    def gradient(dy, y, x1, x2):
        slopes = ops.xdivy(_is_not_zero(x1), x2), -ops.xdivy(y, x2)
        return through(dy, slopes[0]), through(dy, slopes[1])


@op
class LogSigmoid:
    """`log(sigmoid(x))`, without underflow.

    >>> ag.math.log_sigmoid([-100.0, 100.0]).numpy().round(3)
    array([-100.,   -0.], dtype=float32)
    """

    accepts = FLOATS
    scalar = "-softplus(-{x})"
    public = ("math.log_sigmoid", "nn.log_sigmoid")

    def kernel(x):
        return -np.logaddexp(-x, x.dtype.type(0))

    def gradient(dy, y, x):
        return (dy * ops.sigmoid(-x),)


@op
class Softsign:
    """`x / (1 + abs(x))` for each element.

    >>> ag.nn.softsign([-1.0, 3.0]).numpy()
    array([-0.5 ,  0.75], dtype=float32)
    """

    accepts = FLOATS
    scalar = "divide({x}, one({x}) + abs({x}))"
    public = ("math.softsign", "nn.softsign")

    def kernel(x):
        return np.divide(x, x.dtype.type(1) + np.abs(x))

    def gradient(dy, y, x):
        return (dy * ops.reciprocal(ops.square(1 + ops.abs(x))),)


@op
class TruncateDivide:
    """`x / y` of integers, rounded towards 0. The shapes broadcast.

    >>> int(ag.truncatediv(-7, 2))
    -3

    Raises InvalidArgumentError for division by zero.
    """

    accepts = INTEGERS
    scalar = "truncate_divide({x}, {y})"
    may_raise = divides_by_zero
    public = ("truncatediv", "math.truncatediv")
    gradient = no_gradient

    def kernel(x, y):
        refuse_zero(y, "truncatediv")
        floor = np.floor_divide(x, y)
        return floor + ((floor < 0) & (floor * y != x)).astype(x.dtype)


@op
class TruncateMod:
    """The remainder of `x / y`, with the sign of `x`. The shapes broadcast.

    >>> ag.truncatemod([-7, 7], 3).numpy()
    array([-1,  1], dtype=int32)

    Raises InvalidArgumentError for integer division by zero.
    """

    accepts = FLOATS | INTEGERS
    scalar = "truncate_mod({x}, {y})"
    may_raise = divides_by_zero
    public = ("truncatemod", "math.truncatemod")

    def kernel(x, y):
        refuse_zero(y, "truncatemod")
        return np.fmod(x, y)

    def gradient(dy, y, x1, x2):
        quotient = x1 / x2
        return dy, -dy * ops.select(quotient < 0, ops.ceil(quotient), ops.floor(quotient))
