"""Logic on truth values, and bits of integers."""

from __future__ import annotations

import numpy as np

from ..dtypes import BOOLS, INTEGERS
from ..op import op
from .rules import bool_like_input, broadcast_to_bool, broadcast_together, same_as_input

BITS = BOOLS | INTEGERS


@op
class LogicalAnd:
    """Where both hold."""

    accepts = BOOLS
    kernel = np.logical_and
    result = broadcast_to_bool
    scalar = "{x} and {y}"
    inputs = ("x", "y")


@op
class LogicalOr:
    """Where either holds."""

    accepts = BOOLS
    kernel = np.logical_or
    result = broadcast_to_bool
    scalar = "{x} or {y}"
    inputs = ("x", "y")


@op
class LogicalXor:
    """Where one of both holds."""

    accepts = BOOLS
    kernel = np.logical_xor
    result = broadcast_to_bool
    scalar = "{x} != {y}"
    inputs = ("x", "y")


@op
class LogicalNot:
    """Where `x` does not hold."""

    accepts = BOOLS
    kernel = np.logical_not
    result = bool_like_input
    scalar = "not {x}"
    inputs = ("x",)


@op
class BitwiseAnd:
    """`x & y`, bit by bit; of truth values, where both hold."""

    accepts = BITS
    kernel = np.bitwise_and
    result = broadcast_together
    scalar = "{x} & {y}"
    inputs = ("x", "y")
    operator = ("__and__", "__rand__")
    public = ("bitwise.bitwise_and",)


@op
class BitwiseOr:
    """`x | y`, bit by bit."""

    accepts = BITS
    kernel = np.bitwise_or
    result = broadcast_together
    scalar = "{x} | {y}"
    inputs = ("x", "y")
    operator = ("__or__", "__ror__")
    public = ("bitwise.bitwise_or",)


@op
class BitwiseXor:
    """`x ^ y`, bit by bit."""

    accepts = BITS
    kernel = np.bitwise_xor
    result = broadcast_together
    scalar = "{x} ^ {y}"
    inputs = ("x", "y")
    operator = ("__xor__", "__rxor__")
    public = ("bitwise.bitwise_xor",)


@op
class Invert:
    """`~x`: every bit, or truth value, turned round."""

    accepts = BITS
    kernel = np.invert
    result = same_as_input
    inputs = ("x",)
    operator = ("__invert__",)
    public = ("bitwise.invert",)

    def scalar(dtype):
        return "not {x}" if dtype.is_bool else "~{x}"


@op
class LeftShift:
    """`x << y`; a shift by the width of the type or more gives 0."""

    accepts = INTEGERS
    kernel = np.left_shift
    result = broadcast_together
    scalar = "left_shift({x}, {y})"
    inputs = ("x", "y")
    operator = ("__lshift__", "__rlshift__")
    public = ("bitwise.left_shift",)


@op
class RightShift:
    """`x >> y`; the sign is kept."""

    accepts = INTEGERS
    kernel = np.right_shift
    result = broadcast_together
    scalar = "right_shift({x}, {y})"
    inputs = ("x", "y")
    operator = ("__rshift__", "__rrshift__")
    public = ("bitwise.right_shift",)
