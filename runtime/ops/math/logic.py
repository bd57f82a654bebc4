"""Logic on truth values."""

from __future__ import annotations

import numpy as np

from ...core.dtypes import BOOLS
from ...tensors.operation import op
from ..shape_rules import bool_like_input, broadcast_to_bool


@op
class LogicalAnd:
    """Where both hold.

    >>> ag.logical_and([True, True], [True, False]).numpy()
    array([ True, False])
    """

    accepts = BOOLS
    kernel = np.logical_and
    result = broadcast_to_bool
    scalar = "{x} and {y}"
    combine = "logical_and"
    inputs = ("x", "y")


@op
class LogicalOr:
    """Where either holds.

    >>> ag.logical_or([False, True], [False, False]).numpy()
    array([False,  True])
    """

    accepts = BOOLS
    kernel = np.logical_or
    result = broadcast_to_bool
    scalar = "{x} or {y}"
    combine = "logical_or"
    inputs = ("x", "y")


@op
class LogicalXor:
    """Where one of both holds.

    >>> ag.math.logical_xor([True, True], [True, False]).numpy()
    array([False,  True])
    """

    accepts = BOOLS
    kernel = np.logical_xor
    result = broadcast_to_bool
    scalar = "{x} != {y}"
    combine = "logical_xor"
    identity = 0
    inputs = ("x", "y")


@op
class LogicalNot:
    """Where `x` does not hold.

    >>> ag.logical_not([True, False]).numpy()
    array([False,  True])
    """

    accepts = BOOLS
    kernel = np.logical_not
    result = bool_like_input
    scalar = "not {x}"
    inputs = ("x",)
