"""Bitwise operations on integers; on bools `&`, `|`, `^` and `~` are logical operations."""

from __future__ import annotations

import numpy as np

from ...core.dtypes import BOOLS, INTEGERS
from ...tensors.operation import op

BITS = BOOLS | INTEGERS


@op
class BitwiseAnd:
    """`x & y`, bit by bit; on bools, logical and.

    Takes integers or bools of one dtype; the shapes broadcast.

    >>> ag.bitwise.bitwise_and([6, 5], 3).numpy()
    array([2, 1], dtype=int32)
    """

    accepts = BITS
    kernel = np.bitwise_and
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
    kernel = np.bitwise_or
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
    kernel = np.bitwise_xor
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
    kernel = np.invert
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
    kernel = np.left_shift
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
    kernel = np.right_shift
    operator = ("__rshift__", "__rrshift__")
    public = ("bitwise.right_shift",)

    def scalar(dtype):
        width = 8 * dtype.size
        beyond = "{x} * 0" if dtype.is_unsigned else f"{{x}} >> {width - 1}"
        return f"({{x}} >> {{y}} if 0 <= {{y}} < {width} else {beyond})"
