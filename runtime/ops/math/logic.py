"""Elementwise logical operations on bools."""

from __future__ import annotations

import numpy as np

from ...core.dtypes import BOOLS
from ...tensors.operation import op
from ..shape_rules import bool_like_input, broadcast_to_bool


@op
class LogicalAnd:
    """`x and y` for each element of two bool tensors; the shapes broadcast.

    >>> ag.logical_and([True, True], [True, False]).numpy()
    array([ True, False])
    """

    accepts = BOOLS
    kernel = np.logical_and
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
    kernel = np.logical_or
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
    kernel = np.logical_xor
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
    kernel = np.logical_not
    result = bool_like_input
    scalar = "not {x}"
