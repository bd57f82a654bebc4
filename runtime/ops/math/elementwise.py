"""Elementwise arithmetic."""

from __future__ import annotations

import numpy as np

from ...core.dtypes import FLOATS, NUMBERS, REALS, STRINGS, float32, float64, string
from ...core.errors import InvalidArgumentError
from ...core.numpy_dtypes import is_integer, is_signed
from ...ir.constant_values import full_constant
from ...ir.op import Spec, broadcast_shapes, no_gradient
from ...tensors.apply import get_static_value
from ...tensors.operation import attach_method, hidden_op, op, ops
from ...tensors.tensor import SymbolicTensor
from ..gradient_helpers import select_cotangents, through
from ..shape_rules import real_like_input


def refuse_zero(y, name: str) -> None:
    """Raise InvalidArgumentError if the integer divisor `y` has a zero."""
    if is_integer(y.dtype) and np.any(y == 0):
        raise InvalidArgumentError(f"{name}: integer division by zero")


def divides_by_zero(node) -> bool:
    """Whether the divisor of an integer division may be 0."""
    divisor = full_constant(node.inputs[1])
    return node.output.dtype.is_integer and not (divisor is not None and np.all(divisor != 0))


def has_negative_exponent(node) -> bool:
    """Whether an integer may be raised to a negative power."""
    exponent, dtype = full_constant(node.inputs[1]), node.output.dtype
    signed = dtype.is_integer and is_signed(dtype.numpy_dtype)
    return signed and not (exponent is not None and np.all(exponent >= 0))


@op
class Add:
    """`x + y`; strings are concatenated. The shapes broadcast.

    >>> ag.add([1, 2], 10).numpy()
    array([11, 12], dtype=int32)
    """

    accepts = NUMBERS | STRINGS
    scalar = "{x} + {y}"
    combine = "add"
    identity = 0
    operator = ("__add__", "__radd__")

    def gradient(dy, y, x1, x2):
        return dy, dy


@op
class Subtract:
    """`x - y`; the shapes broadcast.

    >>> ag.subtract([1, 2], 10).numpy()
    array([-9, -8], dtype=int32)
    """

    accepts = NUMBERS
    scalar = "{x} - {y}"
    combine = "add"
    operator = ("__sub__", "__rsub__")

    def gradient(dy, y, x1, x2):
        return dy, -dy


@op
class Multiply:
    """`x * y`; the shapes broadcast.

    >>> ag.multiply([1, 2], [[3], [4]]).numpy()
    array([[3, 6],
           [4, 8]], dtype=int32)
    """

    public = ("multiply", "math.multiply", "scalar_mul", "math.scalar_mul")
    accepts = NUMBERS
    scalar = "{x} * {y}"
    combine = "multiply"
    identity = 1
    operator = ("__mul__", "__rmul__")

    def gradient(dy, y, x1, x2):
        return dy * x2, dy * x1


@op
class Divide:
    """`x / y`; the shapes broadcast.

    Integers of at most 16 bits give float32, larger integers float64. Other dtypes are kept.

    >>> ag.divide(7, 2)
    <ag.Tensor: shape=(), dtype=float64, numpy=3.5>
    """

    accepts = NUMBERS
    operator = ("__truediv__", "__rtruediv__")
    public = ("divide", "truediv", "math.divide", "math.truediv")
    scalar = "divide({x}, {y})"
    computes_in_result_dtype = True
    float_ufunc = np.divide

    def kernel(x, y):
        dtype = np.float32 if x.dtype.itemsize <= 2 and is_integer(x.dtype) else np.float64
        return np.divide(x, y, dtype=dtype) if is_integer(x.dtype) else np.divide(x, y)

    def result(x, y):
        small = x.dtype.is_integer and x.dtype.size <= 2
        dtype = float32 if small else float64 if x.dtype.is_integer else x.dtype
        return Spec(dtype, broadcast_shapes(x, y))

    def gradient(dy, y, x1, x2):
        return dy / x2, -dy * y / x2


@op
class FloorDivide:
    """`x // y`, rounded towards minus infinity; the shapes broadcast.

    >>> int(ag.floordiv(-7, 2))
    -4

    Raises InvalidArgumentError for integer division by zero.
    """

    accepts = REALS
    scalar = "floor_divide({x}, {y})"
    may_raise = divides_by_zero
    operator = ("__floordiv__", "__rfloordiv__")
    public = ("floordiv", "math.floordiv", "math.floor_div")
    gradient = no_gradient

    def kernel(x, y):
        refuse_zero(y, "floordiv")
        return np.floor_divide(x, y)


@op
class FloorMod:
    """`x % y`, with the sign of `y`; the shapes broadcast.

    >>> ag.math.floormod([-7, 7], 3).numpy()
    array([2, 1], dtype=int32)

    Raises InvalidArgumentError for integer division by zero.
    """

    accepts = REALS
    scalar = "floor_mod({x}, {y})"
    may_raise = divides_by_zero
    operator = ("__mod__", "__rmod__")
    public = ("math.floormod", "math.mod", "math.floor_mod")

    def kernel(x, y):
        refuse_zero(y, "floormod")
        return np.remainder(x, y)

    def gradient(dy, y, x1, x2):
        return dy, -dy * ops.floor(x1 / x2)


@op
class Pow:
    """`x ** y`; integers give integers. The shapes broadcast.

    >>> ag.pow([2, 3], 2).numpy()
    array([4, 9], dtype=int32)

    Raises InvalidArgumentError for an integer raised to a negative power.
    """

    accepts = NUMBERS
    scalar = "power({x}, {y})"
    may_raise = has_negative_exponent
    float_ufunc = np.power
    operator = ("__pow__", "__rpow__")

    def kernel(x, y):
        if is_signed(y.dtype) and np.any(y < 0):
            raise InvalidArgumentError("pow: an integer to a negative power", "Use floats.")
        return np.power(x, y)

    def gradient(dy, y, x1, x2):
        exponent = get_static_value(x2) if x2.dims == () and not x2.dtype.is_complex else None
        if exponent is not None and exponent >= 1:
            by_base = dy * x2 * ops.pow(x1, x2 - 1)
        else:  # the power 0 of 0 has the slope 0, others have infinite ones
            by_base = through(dy, ops.multiply_no_nan(ops.pow(x1, x2 - 1), x2))
        positive = ops.not_equal(x1, 0) if x1.dtype.is_complex else ops.greater(x1, 0)
        safe = ops.select(positive, x1, 1)
        by_exponent = y * ops.select(positive, ops.log(safe), 0)
        return by_base, through(dy, by_exponent)


@op
class Negative:
    """`-x` for each element.

    >>> ag.negative([1, -2]).numpy()
    array([-1,  2], dtype=int32)
    """

    accepts = NUMBERS
    scalar = "-{x}"
    operator = ("__neg__",)

    def gradient(dy, y, x):
        return (-dy,)


def _positive(self):
    """`+x`, which is `x`; of what stands for a bool of Python, an int."""
    if type(self) is not SymbolicTensor:
        return self
    from ...tensors.python_numbers import counted, is_range  # it is made of operations

    if is_range(self) or self.dtype is string:
        raise TypeError("bad operand type for unary +")
    return counted(self)


attach_method("__pos__", _positive)


@op
class Abs:
    """The absolute value of each element; for complex numbers the magnitude, as a float.

    >>> ag.abs([1, -2]).numpy()
    array([1, 2], dtype=int32)
    """

    accepts = NUMBERS
    kernel = np.absolute
    result = real_like_input
    scalar = "abs({x})"
    operator = ("__abs__",)

    def gradient(dy, y, x):
        if not x.dtype.is_complex:
            return (dy * ops.sign(x),)
        return (ops.complex(dy, dy * 0) * ops.sign(x),)


@op
class Sign:
    """The sign of each element: -1, 0 or 1. NaN stays NaN.

    A nonzero complex number gives the number of magnitude 1 with the same angle.

    >>> ag.sign([-2.5, 0.0, 7.0]).numpy()
    array([-1.,  0.,  1.], dtype=float32)
    """

    accepts = NUMBERS
    scalar = "sign({x})"
    gradient = no_gradient


@hidden_op
class CopySign:
    """The size of `x` with the sign of `y`, elementwise."""

    accepts = FLOATS
    kernel = np.copysign
    scalar = "copysign({x}, {y})"

    def gradient(dy, z, x, y):
        unit = x.dtype.numpy_dtype.type(1)
        return dy * CopySign(unit, x) * CopySign(unit, y), None


@op
class Maximum:
    """The larger of `x` and `y`, elementwise; NaN if either is NaN. The shapes broadcast.

    >>> ag.maximum([1, 5], 3).numpy()
    array([3, 5], dtype=int32)
    """

    accepts = REALS
    scalar = "maximum({x}, {y})"
    combine = "maximum"

    def gradient(dy, y, x1, x2):
        return select_cotangents(dy, x1 >= x2)


@op
class Minimum:
    """The smaller of `x` and `y`, elementwise; NaN if either is NaN. The shapes broadcast.

    >>> ag.minimum([1, 5], 3).numpy()
    array([1, 3], dtype=int32)
    """

    accepts = REALS
    scalar = "minimum({x}, {y})"
    combine = "minimum"

    def gradient(dy, y, x1, x2):
        return select_cotangents(dy, x1 <= x2)


@op
class Square:
    """`x * x` for each element.

    >>> ag.square([2, -3]).numpy()
    array([4, 9], dtype=int32)
    """

    accepts = NUMBERS
    scalar = "{x} * {x}"

    def gradient(dy, y, x):
        return (dy * 2 * x,)


@op
class Floor:
    """The largest integer not greater than each element, as a float of the same dtype.

    >>> ag.floor([1.5, -1.5]).numpy()
    array([ 1., -2.], dtype=float32)
    """

    accepts = FLOATS
    scalar = "floor({x})"
    gradient = no_gradient


@op
class Ceil:
    """The smallest integer not less than each element, as a float of the same dtype.

    >>> ag.math.ceil([1.5, -1.5]).numpy()
    array([ 2., -1.], dtype=float32)
    """

    accepts = FLOATS
    scalar = "ceil({x})"
    public = ("math.ceil", "math.ceiling")
    gradient = no_gradient


@op
class Round:
    """Each element rounded to the nearest integer, halves to even. The dtype is kept.

    >>> ag.round([0.5, 1.5, 2.6]).numpy()
    array([0., 2., 3.], dtype=float32)
    """

    accepts = REALS
    scalar = "rint({x})"
    float_ufunc = np.rint
    may_return_operand = True
    public = ("round", "math.round", "math.rint")
    gradient = no_gradient

    def kernel(x):
        return x if is_integer(x.dtype) else np.rint(x)
