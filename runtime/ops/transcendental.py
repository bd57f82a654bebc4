"""Exponentials, logarithms, trigonometry and what is made of them, on each element."""

from __future__ import annotations

import numpy as np

from ..dtypes import COMPLEX, FLOATS
from ..op import op
from .rules import broadcast_together, same_as_input

SMOOTH = FLOATS | COMPLEX


@op
class Exp:
    """`e ** x`."""

    accepts = SMOOTH
    kernel = np.exp
    result = same_as_input
    scalar = "exp({x})"
    inputs = ("x",)


@op
class Expm1:
    """`e ** x - 1`, exact near 0."""

    accepts = SMOOTH
    kernel = np.expm1
    result = same_as_input
    scalar = "expm1({x})"
    inputs = ("x",)
    public = ("math.expm1",)


@op
class Log:
    """The natural logarithm."""

    accepts = SMOOTH
    kernel = np.log
    result = same_as_input
    scalar = "log({x})"
    inputs = ("x",)
    public = ("math.log",)


@op
class Log1p:
    """`log(1 + x)`, exact near 0."""

    accepts = SMOOTH
    kernel = np.log1p
    result = same_as_input
    scalar = "log1p({x})"
    inputs = ("x",)
    public = ("math.log1p",)


@op
class Sqrt:
    """The square root."""

    accepts = SMOOTH
    kernel = np.sqrt
    result = same_as_input
    scalar = "sqrt({x})"
    inputs = ("x",)


@op
class Rsqrt:
    """`1 / sqrt(x)`."""

    accepts = SMOOTH
    result = same_as_input
    scalar = "divide(one({x}), sqrt({x}))"
    public = ("math.rsqrt",)

    def kernel(x):
        return np.divide(x.dtype.type(1), np.sqrt(x))


@op
class Sin:
    """The sine."""

    accepts = SMOOTH
    kernel = np.sin
    result = same_as_input
    scalar = "sin({x})"
    inputs = ("x",)


@op
class Cos:
    """The cosine."""

    accepts = SMOOTH
    kernel = np.cos
    result = same_as_input
    scalar = "cos({x})"
    inputs = ("x",)


@op
class Tan:
    """The tangent."""

    accepts = SMOOTH
    kernel = np.tan
    result = same_as_input
    scalar = "tan({x})"
    inputs = ("x",)


@op
class Asin:
    """The angle whose sine is `x`."""

    accepts = SMOOTH
    kernel = np.arcsin
    result = same_as_input
    scalar = "asin({x})"
    inputs = ("x",)


@op
class Acos:
    """The angle whose cosine is `x`."""

    accepts = SMOOTH
    kernel = np.arccos
    result = same_as_input
    scalar = "acos({x})"
    inputs = ("x",)


@op
class Atan:
    """The angle whose tangent is `x`."""

    accepts = SMOOTH
    kernel = np.arctan
    result = same_as_input
    scalar = "atan({x})"
    inputs = ("x",)


@op
class Atan2:
    """The angle of the point `(x, y)`."""

    accepts = FLOATS
    kernel = np.arctan2
    result = broadcast_together
    scalar = "atan2({y}, {x})"
    inputs = ("y", "x")


@op
class Sinh:
    """The hyperbolic sine."""

    accepts = SMOOTH
    kernel = np.sinh
    result = same_as_input
    scalar = "sinh({x})"
    inputs = ("x",)


@op
class Cosh:
    """The hyperbolic cosine."""

    accepts = SMOOTH
    kernel = np.cosh
    result = same_as_input
    scalar = "cosh({x})"
    inputs = ("x",)


@op
class Tanh:
    """The hyperbolic tangent.

    >>> import allograph as ag
    >>> ag.tanh([0.0, 1.0]).numpy().round(3)
    array([0.   , 0.762], dtype=float32)
    """

    accepts = SMOOTH
    kernel = np.tanh
    result = same_as_input
    scalar = "tanh({x})"
    inputs = ("x",)
    public = ("tanh", "math.tanh", "nn.tanh")


@op
class Asinh:
    """The inverse of `sinh`."""

    accepts = SMOOTH
    kernel = np.arcsinh
    result = same_as_input
    scalar = "asinh({x})"
    inputs = ("x",)


@op
class Acosh:
    """The inverse of `cosh`."""

    accepts = SMOOTH
    kernel = np.arccosh
    result = same_as_input
    scalar = "acosh({x})"
    inputs = ("x",)


@op
class Atanh:
    """The inverse of `tanh`."""

    accepts = SMOOTH
    kernel = np.arctanh
    result = same_as_input
    scalar = "atanh({x})"
    inputs = ("x",)


@op
class Sigmoid:
    """`1 / (1 + exp(-x))`.

    >>> import allograph as ag
    >>> float(ag.sigmoid(0.0))
    0.5
    """

    accepts = FLOATS
    result = same_as_input
    scalar = "sigmoid({x})"
    public = ("sigmoid", "math.sigmoid", "nn.sigmoid")

    def kernel(x):
        one = x.dtype.type(1)
        return one / (one + np.exp(-x))


@op
class Softplus:
    """`log(1 + exp(x))`, without overflow."""

    accepts = FLOATS
    result = same_as_input
    scalar = "softplus({x})"
    public = ("math.softplus", "nn.softplus")

    def kernel(x):
        return np.logaddexp(x, x.dtype.type(0))


@op
class Erf:
    """The error function."""

    accepts = FLOATS
    result = same_as_input
    scalar = "erf({x})"
    public = ("math.erf",)

    def kernel(x):
        from scipy.special import erf

        return erf(x)


@op
class Erfc:
    """`1 - erf(x)`, exact for large `x`."""

    accepts = FLOATS
    result = same_as_input
    scalar = "erfc({x})"
    public = ("math.erfc",)

    def kernel(x):
        from scipy.special import erfc

        return erfc(x)


@op
class Lgamma:
    """The logarithm of the absolute value of the gamma function."""

    accepts = FLOATS
    result = same_as_input
    scalar = "lgamma({x})"
    public = ("math.lgamma",)

    def kernel(x):
        from scipy.special import gammaln

        return gammaln(x)
