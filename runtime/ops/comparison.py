"""Comparison of each element, and what is asked of floats."""

from __future__ import annotations

import numpy as np

from ..apply import tensor_of
from ..dtypes import ANY, FLOATS, REALS
from ..errors import DTypeError
from ..op import op
from ..tensor import Operators
from ..vocabulary import public
from .rules import bool_like_input, broadcast_to_bool


@op
class Equal:
    """`x == y`."""

    accepts = ANY
    kernel = np.equal
    result = broadcast_to_bool
    scalar = "{x} == {y}"
    inputs = ("x", "y")


@op
class NotEqual:
    """`x != y`."""

    accepts = ANY
    kernel = np.not_equal
    result = broadcast_to_bool
    scalar = "{x} != {y}"
    inputs = ("x", "y")


@op
class Less:
    """`x < y`."""

    accepts = REALS
    kernel = np.less
    result = broadcast_to_bool
    scalar = "{x} < {y}"
    inputs = ("x", "y")
    operator = ("__lt__",)


@op
class LessEqual:
    """`x <= y`."""

    accepts = REALS
    kernel = np.less_equal
    result = broadcast_to_bool
    scalar = "{x} <= {y}"
    inputs = ("x", "y")
    operator = ("__le__",)


@op
class Greater:
    """`x > y`."""

    accepts = REALS
    kernel = np.greater
    result = broadcast_to_bool
    scalar = "{x} > {y}"
    inputs = ("x", "y")
    operator = ("__gt__",)


@op
class GreaterEqual:
    """`x >= y`."""

    accepts = REALS
    kernel = np.greater_equal
    result = broadcast_to_bool
    scalar = "{x} >= {y}"
    inputs = ("x", "y")
    operator = ("__ge__",)


@op
class IsNan:
    """Where `x` is not a number."""

    accepts = FLOATS
    kernel = np.isnan
    result = bool_like_input
    scalar = "{x} != {x}"
    inputs = ("x",)
    public = ("math.is_nan",)


@op
class IsInf:
    """Where `x` is infinite."""

    accepts = FLOATS
    kernel = np.isinf
    result = bool_like_input
    scalar = "isinf({x})"
    inputs = ("x",)
    public = ("math.is_inf",)


@op
class IsFinite:
    """Where `x` is neither infinite nor NaN."""

    accepts = FLOATS
    kernel = np.isfinite
    result = bool_like_input
    scalar = "isfinite({x})"
    inputs = ("x",)
    public = ("math.is_finite",)


def _comparable(other) -> bool:
    return other is not None and (
        tensor_of(other) is not None
        or isinstance(
            other, (bool, int, float, complex, str, bytes, list, tuple, np.ndarray, np.generic)
        )
    )


def _eq(self, other):
    """Element by element; False beside what is no number, or no number of this kind."""
    if not _comparable(other):
        return False
    try:
        return Equal(self, other)
    except DTypeError:
        raise
    except TypeError:
        return False


def _ne(self, other):
    if not _comparable(other):
        return True
    try:
        return NotEqual(self, other)
    except DTypeError:
        raise
    except TypeError:
        return True


Operators.__eq__ = _eq
Operators.__ne__ = _ne


@public("math.is_close")
def is_close(x, y, rtol=1e-5, atol=1e-8):
    """Where `|x - y| <= atol + rtol * |y|`."""
    return LessEqual(abs(x - y), abs(y) * rtol + atol)
