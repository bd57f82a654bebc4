"""Bitwise operations on integers, and logical ones on bools; `&` and the like are both."""

from __future__ import annotations

from ...core.dtypes import BOOLS, INTEGERS
from ...tensors.operation import op
from ..shape_rules import bool_like_input, broadcast_to_bool

BITS = BOOLS | INTEGERS


@op
class BitwiseAnd:
    """`x & y`, bit by bit; on bools, logical and.

    Takes integers or bools of one dtype; the shapes broadcast.

    >>> ag.bitwise.bitwise_and([6, 5], 3).numpy()
    array([2, 1], dtype=int32)
    """

    accepts = BITS
    scalar = "{x} & {y}"
    combine = "bitwise_and"
    operator = ("__and__", "__rand__")
    public = ("bitwise.bitwise_and",)


@op
class BitwiseOr:
    """`x | y`, bit by bit; on bools, logical or.

    Takes integers or bools of one dtype; the shapes broadcast.

    >>> ag.bitwise.bitwise_or([6, 5], 3).numpy()
    array([7, 7], dtype=int32)
    """

    accepts = BITS
    scalar = "{x} | {y}"
    combine = "bitwise_or"
    operator = ("__or__", "__ror__")
    public = ("bitwise.bitwise_or",)


@op
class BitwiseXor:
    """`x ^ y`, bit by bit; on bools, exclusive or.

    Takes integers or bools of one dtype; the shapes broadcast.

    >>> ag.bitwise.bitwise_xor([6, 5], 3).numpy()
    array([5, 6], dtype=int32)
    """

    accepts = BITS
    scalar = "{x} ^ {y}"
    combine = "bitwise_xor"
    identity = 0
    operator = ("__xor__", "__rxor__")
    public = ("bitwise.bitwise_xor",)


@op
class Invert:
    """`~x`: every bit inverted; on bools, logical not.

    >>> ag.bitwise.invert([0, 5]).numpy()
    array([-1, -6], dtype=int32)
    """

    accepts = BITS
    operator = ("__invert__",)
    public = ("bitwise.invert",)

    def scalar(dtype):
        return "not {x}" if dtype.is_bool else "~{x}"


@op
class LeftShift:
    """`x << y` of integers; 0 where `y` is negative or not below the number of bits.

    >>> ag.bitwise.left_shift([1, 3], 2).numpy()
    array([ 4, 12], dtype=int32)
    """

    accepts = INTEGERS
    operator = ("__lshift__", "__rlshift__")
    public = ("bitwise.left_shift",)

    def scalar(dtype):
        return f"({{x}} << {{y}} if 0 <= {{y}} < {8 * dtype.size} else {{x}} * 0)"


@op
class RightShift:
    """`x >> y` of integers, an arithmetic shift: the sign is kept.

    Where `y` is negative or not below the number of bits, only the sign is left: 0 or -1.

    >>> ag.bitwise.right_shift([8, -8], 2).numpy()
    array([ 2, -2], dtype=int32)
    """

    accepts = INTEGERS
    operator = ("__rshift__", "__rrshift__")
    public = ("bitwise.right_shift",)

    def scalar(dtype):
        width = 8 * dtype.size
        beyond = "{x} * 0" if dtype.is_unsigned else f"{{x}} >> {width - 1}"
        return f"({{x}} >> {{y}} if 0 <= {{y}} < {width} else {beyond})"


@op
class LogicalAnd:
    """`x and y` for each element of two bool tensors; the shapes broadcast.

    >>> ag.logical_and([True, True], [True, False]).numpy()
    array([ True, False])
    """

    accepts = BOOLS
    result = broadcast_to_bool
    scalar = "{x} and {y}"
    combine = "logical_and"


@op
class LogicalOr:
    """`x or y` for each element of two bool tensors; the shapes broadcast.

    >>> ag.logical_or([False, True], [False, False]).numpy()
    array([False,  True])
    """

    accepts = BOOLS
    result = broadcast_to_bool
    scalar = "{x} or {y}"
    combine = "logical_or"


@op
class LogicalXor:
    """True where exactly one of `x` and `y` is true; the shapes broadcast.

    >>> ag.math.logical_xor([True, True], [True, False]).numpy()
    array([False,  True])
    """

    accepts = BOOLS
    result = broadcast_to_bool
    scalar = "{x} != {y}"
    combine = "logical_xor"
    identity = 0


@op
class LogicalNot:
    """`not x` for each element of a bool tensor.

    >>> ag.logical_not([True, False]).numpy()
    array([False,  True])
    """

    accepts = BOOLS
    result = bool_like_input
    scalar = "not {x}"
