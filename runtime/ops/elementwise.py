"""Arithmetic on each element."""

from __future__ import annotations

import numpy as np

from ..dtypes import FLOATS, NUMBERS, REALS, STRINGS, float32, float64
from ..errors import InvalidArgumentError
from ..op import Spec, op
from .rules import broadcast_shapes, broadcast_together, same_as_input


def refuse_zero(y, name: str) -> None:
    """Integer division by zero has no value: it is an error wherever it happens."""
    if y.dtype.kind in "iu" and np.any(y == 0):
        raise InvalidArgumentError(f"{name}: integer division by zero")


@op
class Add:
    """`x + y`; texts are joined.

    >>> import allograph as ag
    >>> ag.add([1, 2], 10).numpy()
    array([11, 12], dtype=int32)
    """

    accepts = NUMBERS | STRINGS
    kernel = np.add
    result = broadcast_together
    scalar = "{x} + {y}"
    inputs = ("x", "y")
    operator = ("__add__", "__radd__")


@op
class Subtract:
    """`x - y`."""

    accepts = NUMBERS
    kernel = np.subtract
    result = broadcast_together
    scalar = "{x} - {y}"
    inputs = ("x", "y")
    operator = ("__sub__", "__rsub__")


@op
class Multiply:
    """`x * y`."""

    accepts = NUMBERS
    kernel = np.multiply
    result = broadcast_together
    scalar = "{x} * {y}"
    inputs = ("x", "y")
    operator = ("__mul__", "__rmul__")


@op
class Divide:
    """`x / y`; integers give float64.

    >>> import allograph as ag
    >>> ag.divide(7, 2)
    <tf.Tensor: shape=(), dtype=float64, numpy=3.5>
    """

    accepts = NUMBERS
    operator = ("__truediv__", "__rtruediv__")
    public = ("divide", "truediv", "math.divide", "math.truediv")
    scalar = "divide({x}, {y})"

    def kernel(x, y):
        wide = np.float32 if x.dtype.itemsize <= 2 and x.dtype.kind in "iu" else np.float64
        return np.divide(x, y, dtype=wide) if x.dtype.kind in "iu" else np.divide(x, y)

    def result(x, y):
        small = x.dtype.is_integer and x.dtype.size <= 2
        dtype = float32 if small else float64 if x.dtype.is_integer else x.dtype
        return Spec(dtype, broadcast_shapes(x, y))


@op
class FloorDivide:
    """`x // y`, rounded towards minus infinity.

    >>> import allograph as ag
    >>> int(ag.floordiv(-7, 2))
    -4

    Raises InvalidArgumentError for an integer division by zero.
    """

    accepts = REALS
    result = broadcast_together
    scalar = "floor_divide({x}, {y})"
    operator = ("__floordiv__", "__rfloordiv__")
    public = ("floordiv", "math.floordiv", "math.floor_div")

    def kernel(x, y):
        refuse_zero(y, "floordiv")
        return np.floor_divide(x, y)


@op
class FloorMod:
    """`x % y`, with the sign of `y`.

    Raises InvalidArgumentError for an integer division by zero.
    """

    accepts = REALS
    result = broadcast_together
    scalar = "floor_mod({x}, {y})"
    operator = ("__mod__", "__rmod__")
    public = ("math.floormod", "math.mod", "math.floor_mod")

    def kernel(x, y):
        refuse_zero(y, "floormod")
        return np.remainder(x, y)


@op
class Pow:
    """`x ** y`; integers stay integers.

    Raises InvalidArgumentError for an integer to a negative power.
    """

    accepts = NUMBERS
    result = broadcast_together
    scalar = "power({x}, {y})"
    operator = ("__pow__", "__rpow__")

    def kernel(x, y):
        if y.dtype.kind == "i" and np.any(y < 0):
            raise InvalidArgumentError("pow: an integer to a negative power", "Use floats.")
        return np.power(x, y)


@op
class Negative:
    """`-x`."""

    accepts = NUMBERS
    kernel = np.negative
    result = same_as_input
    scalar = "-{x}"
    inputs = ("x",)
    operator = ("__neg__",)


@op
class Abs:
    """The absolute value; of a complex number, its length."""

    accepts = NUMBERS
    kernel = np.absolute
    scalar = "abs({x})"
    inputs = ("x",)
    operator = ("__abs__",)
    public = ("abs", "math.abs")

    def result(x):
        return Spec(x.dtype.real_dtype, x.shape)


@op
class Sign:
    """-1, 0 or 1; NaN stays NaN."""

    accepts = REALS
    kernel = np.sign
    result = same_as_input
    scalar = "sign({x})"
    inputs = ("x",)


@op
class Maximum:
    """The larger of `x` and `y`; NaN if either is."""

    accepts = REALS
    kernel = np.maximum
    result = broadcast_together
    scalar = "maximum({x}, {y})"
    inputs = ("x", "y")


@op
class Minimum:
    """The smaller of `x` and `y`; NaN if either is."""

    accepts = REALS
    kernel = np.minimum
    result = broadcast_together
    scalar = "minimum({x}, {y})"
    inputs = ("x", "y")


@op
class Square:
    """`x * x`."""

    accepts = NUMBERS
    kernel = np.square
    result = same_as_input
    scalar = "{x} * {x}"
    inputs = ("x",)


@op
class SquaredDifference:
    """`(x - y) * (x - y)`."""

    accepts = NUMBERS
    result = broadcast_together
    scalar = "({x} - {y}) * ({x} - {y})"

    def kernel(x, y):
        return np.square(np.subtract(x, y))


@op
class Reciprocal:
    """`1 / x`."""

    accepts = FLOATS
    result = same_as_input
    scalar = "divide(one({x}), {x})"

    def kernel(x):
        return np.divide(x.dtype.type(1), x)


@op
class DivideNoNan:
    """`x / y`, and 0 where `y` is 0."""

    accepts = FLOATS
    result = broadcast_together
    scalar = "zero({x}) if {y} == 0 else divide({x}, {y})"
    public = ("math.divide_no_nan",)

    def kernel(x, y):
        quotient = np.divide(x, y)
        return np.where(y == 0, quotient.dtype.type(0), quotient)


@op
class MultiplyNoNan:
    """`x * y`, and 0 where `y` is 0 even if `x` is not finite."""

    accepts = FLOATS
    result = broadcast_together
    scalar = "zero({x}) if {y} == 0 else {x} * {y}"
    public = ("math.multiply_no_nan",)

    def kernel(x, y):
        product = np.multiply(x, y)
        return np.where(y == 0, product.dtype.type(0), product)


@op
class Floor:
    """The largest whole number that is not above `x`."""

    accepts = FLOATS
    kernel = np.floor
    result = same_as_input
    scalar = "floor({x})"
    inputs = ("x",)


@op
class Ceil:
    """The smallest whole number that is not below `x`."""

    accepts = FLOATS
    kernel = np.ceil
    result = same_as_input
    scalar = "ceil({x})"
    inputs = ("x",)
    public = ("math.ceil", "math.ceiling")


@op
class Round:
    """The nearest whole number, halves to even."""

    accepts = REALS
    result = same_as_input
    scalar = "rint({x})"
    public = ("round", "math.round", "math.rint")

    def kernel(x):
        return x if x.dtype.kind in "iu" else np.rint(x)
