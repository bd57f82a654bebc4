"""Elementwise trigonometric and hyperbolic functions; angles are in radians."""

from __future__ import annotations

import numpy as np

from ...core.dtypes import COMPLEX, FLOATS
from ...tensors.operation import op, ops
from ..gradient_helpers import through

SMOOTH = FLOATS | COMPLEX
REDUCED_UP_TO = {32: 2.0**18, 64: 2.0**22}  # to which the argument is exact modulo pi / 2


@op
class Sin:
    """The sine of each element, an angle in radians.

    >>> ag.sin([0.0, 1.0]).numpy().round(3)
    array([0.   , 0.841], dtype=float32)
    """

    accepts = SMOOTH
    scalar = "sin({x})"
    slow_path_beyond = REDUCED_UP_TO

    def gradient(dy, y, x):
        return (dy * ops.cos(x),)


@op
class Cos:
    """The cosine of each element, an angle in radians.

    >>> ag.cos([0.0, 1.0]).numpy().round(3)
    array([1.  , 0.54], dtype=float32)
    """

    accepts = SMOOTH
    scalar = "cos({x})"
    slow_path_beyond = REDUCED_UP_TO

    def gradient(dy, y, x):
        return (-dy * ops.sin(x),)


@op
class Tan:
    """The tangent of each element, an angle in radians.

    >>> ag.tan([0.0, 1.0]).numpy().round(3)
    array([0.   , 1.557], dtype=float32)
    """

    accepts = SMOOTH
    scalar = "tan({x})"
    slow_path_beyond = REDUCED_UP_TO

    def gradient(dy, y, x):
        return (dy * (1 + y * y),)


@op
class Asin:
    """The inverse sine of each element, in radians; NaN for reals outside [-1, 1].

    >>> ag.asin([0.0, 1.0]).numpy().round(3)
    array([0.   , 1.571], dtype=float32)
    """

    accepts = SMOOTH
    kernel = np.arcsin
    scalar = "asin({x})"

    def gradient(dy, y, x):
        return (through(dy, ops.rsqrt(1 - x * x)),)


@op
class Acos:
    """The inverse cosine of each element, in radians; NaN for reals outside [-1, 1].

    >>> ag.acos([0.0, 1.0]).numpy().round(3)
    array([1.571, 0.   ], dtype=float32)
    """

    accepts = SMOOTH
    kernel = np.arccos
    scalar = "acos({x})"

    def gradient(dy, y, x):
        return (through(-dy, ops.rsqrt(1 - x * x)),)


@op
class Atan:
    """The inverse tangent of each element, in radians.

    >>> ag.atan([0.0, 1.0]).numpy().round(3)
    array([0.   , 0.785], dtype=float32)
    """

    accepts = SMOOTH
    kernel = np.arctan
    scalar = "atan({x})"

    def gradient(dy, y, x):
        return (dy / (1 + x * x),)


@op
class Atan2:
    """The angle of the point `(x, y)` in radians, from -pi to pi; the shapes broadcast.

    >>> ag.atan2([1.0, -1.0], -1.0).numpy().round(3)
    array([ 2.356, -2.356], dtype=float32)
    """

    accepts = FLOATS
    kernel = np.arctan2
    scalar = "atan2({y}, {x})"
    inputs = ("y", "x")

    def gradient(dz, z, y, x):
        squares = x * x + y * y
        return through(dz, x / squares), through(dz, -y / squares)


@op
class Hypot:
    """`sqrt(x * x + y * y)`, without overflow; the shapes broadcast.

    >>> float(ag.math.hypot(3.0, 4.0))
    5.0
    """

    accepts = FLOATS
    scalar = "hypot({x}, {y})"
    public = ("math.hypot",)

    def gradient(dy, y, x1, x2):
        return through(dy, x1 / y), through(dy, x2 / y)


@op
class Sinh:
    """The hyperbolic sine of each element.

    >>> ag.sinh([0.0, 1.0]).numpy().round(3)
    array([0.   , 1.175], dtype=float32)
    """

    accepts = SMOOTH
    scalar = "sinh({x})"

    def gradient(dy, y, x):
        return (dy * ops.cosh(x),)


@op
class Cosh:
    """The hyperbolic cosine of each element.

    >>> ag.cosh([0.0, 1.0]).numpy().round(3)
    array([1.   , 1.543], dtype=float32)
    """

    accepts = SMOOTH
    scalar = "cosh({x})"

    def gradient(dy, y, x):
        return (dy * ops.sinh(x),)


@op
class Asinh:
    """The inverse hyperbolic sine of each element.

    >>> ag.asinh([0.0, 1.0]).numpy().round(3)
    array([0.   , 0.881], dtype=float32)
    """

    accepts = SMOOTH
    kernel = np.arcsinh
    scalar = "asinh({x})"

    def gradient(dy, y, x):
        return (dy / ops.sqrt(x * x + 1),)


@op
class Acosh:
    """The inverse hyperbolic cosine of each element; NaN for reals below 1.

    >>> ag.acosh([1.0, 2.0]).numpy().round(3)
    array([0.   , 1.317], dtype=float32)
    """

    accepts = SMOOTH
    kernel = np.arccosh
    scalar = "acosh({x})"

    def gradient(dy, y, x):
        return (through(dy, ops.rsqrt(x - 1) * ops.rsqrt(x + 1)),)


@op
class Atanh:
    """The inverse hyperbolic tangent of each element; NaN for reals outside [-1, 1].

    >>> ag.atanh([0.0, 0.5]).numpy().round(3)
    array([0.   , 0.549], dtype=float32)
    """

    accepts = SMOOTH
    kernel = np.arctanh
    scalar = "atanh({x})"

    def gradient(dy, y, x):
        return (through(dy, ops.reciprocal(1 - x * x)),)
