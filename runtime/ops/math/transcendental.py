"""Elementwise exponentials, logarithms and roots, and functions built from them."""

from __future__ import annotations

import numpy as np

from ...core.dtypes import COMPLEX, FLOATS
from ...tensors.operation import op, ops
from ..gradient_helpers import through

SMOOTH = FLOATS | COMPLEX


@op
class Exp:
    """`e ** x` for each element.

    >>> ag.exp([0.0, 1.0]).numpy().round(3)
    array([1.   , 2.718], dtype=float32)
    """

    accepts = SMOOTH
    scalar = "exp({x})"

    def gradient(dy, y, x):
        return (dy * y,)


@op
class Expm1:
    """`e ** x - 1`, accurate near 0.

    >>> format(float(ag.math.expm1(ag.constant(1e-10, ag.float64))), ".6g")
    '1e-10'
    """

    accepts = SMOOTH
    scalar = "expm1({x})"
    public = ("math.expm1",)

    def gradient(dy, y, x):
        return (dy * (y + 1),)


@op
class Log:
    """The natural logarithm of each element; NaN for negative numbers, minus infinity for 0.

    >>> ag.math.log([1.0, 0.0]).numpy()
    array([  0., -inf], dtype=float32)
    """

    accepts = SMOOTH
    scalar = "log({x})"
    public = ("math.log",)

    def gradient(dy, y, x):
        return (through(dy, ops.reciprocal(x)),)


@op
class Log1p:
    """`log(1 + x)`, accurate near 0.

    >>> format(float(ag.math.log1p(ag.constant(1e-10, ag.float64))), ".6g")
    '1e-10'
    """

    accepts = SMOOTH
    scalar = "log1p({x})"
    public = ("math.log1p",)

    def gradient(dy, y, x):
        return (through(dy, ops.reciprocal(x + 1)),)


@op
class Sqrt:
    """The square root of each element; NaN for negative numbers.

    >>> ag.sqrt([4.0, 9.0]).numpy()
    array([2., 3.], dtype=float32)
    """

    accepts = SMOOTH
    scalar = "sqrt({x})"

    def gradient(dy, y, x):
        return (through(dy, ops.reciprocal(y + y)),)


@op
class Rsqrt:
    """`1 / sqrt(x)` for each element.

    >>> ag.math.rsqrt([4.0, 0.25]).numpy()
    array([0.5, 2. ], dtype=float32)
    """

    accepts = SMOOTH
    scalar = "divide(one({x}), sqrt({x}))"
    public = ("math.rsqrt",)

    def kernel(x):
        return np.divide(x.dtype.type(1), np.sqrt(x))

    def gradient(dy, y, x):
        return (through(dy, through(through(y, y), -0.5 * y)),)


@op
class Tanh:
    """The hyperbolic tangent of each element.

    >>> ag.tanh([0.0, 1.0]).numpy().round(3)
    array([0.   , 0.762], dtype=float32)
    """

    accepts = SMOOTH
    scalar = "tanh({x})"
    public = ("tanh", "math.tanh", "nn.tanh")

    def gradient(dy, y, x):
        return (dy * (1 - y * y),)


@op
class Sigmoid:
    """`1 / (1 + exp(-x))` for each element.

    >>> float(ag.sigmoid(0.0))
    0.5
    """

    accepts = SMOOTH
    scalar = "sigmoid({x})"
    public = ("sigmoid", "math.sigmoid", "nn.sigmoid")

    def kernel(x):
        unit = x.dtype.type(1)
        return np.divide(unit, unit + np.exp(-x))

    def gradient(dy, y, x):
        return (dy * y * (1 - y),)


@op
class Softplus:
    """`log(1 + exp(x))`, without overflow.

    >>> ag.math.softplus([0.0, 100.0]).numpy().round(3)
    array([  0.693, 100.   ], dtype=float32)
    """

    accepts = FLOATS
    scalar = "softplus({x})"
    public = ("math.softplus", "nn.softplus")

    def kernel(x):
        return np.logaddexp(x, x.dtype.type(0))

    def gradient(dy, y, x):
        return (dy * ops.sigmoid(x),)
