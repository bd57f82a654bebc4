"""Loops whose state starts with Python numbers, and whose body computes in 64 bits.

    total = 0.0
    for x in xs:            # float64
        total += x

A Python number in the state of a loop is float32 or int32, as it is alone. Where the body then
mixes or returns other types, the loop is traced again with 64 bits for its numbers.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable

from ...runtime.core.dtypes import float64, int64
from ...runtime.core.errors import DTypeError
from ...runtime.tensors.apply import BUILDER, convert_to_tensor
from ..structures import nest
from ..structures.errors import InconsistentBranchError, InconsistentLoopError

MISMATCHES = (DTypeError, InconsistentBranchError, InconsistentLoopError)
WIDTHS = ({float: float64}, {int: int64}, {float: float64, int: int64})


def traced(trace: Callable, state, mark: int):
    """`trace(state)`, or with 64 bits for the numbers in `state` where only that fits.

    The error is the first one where nothing fits.
    """
    try:
        return trace(state)
    except MISMATCHES:
        kinds = {type(leaf) for value in state for leaf in nest.flatten(value)}
        for widths in WIDTHS:
            if widths.keys() <= kinds:
                del BUILDER.get().nodes[mark:]
                with contextlib.suppress(*MISMATCHES):
                    return trace([_widened(value, widths) for value in state])
        raise


def _widened(value, widths: dict):
    """A value with tensors for the numbers in it that get another width."""

    def widened(leaf):
        dtype = widths.get(type(leaf))
        return leaf if dtype is None else convert_to_tensor(leaf, dtype)

    return nest.map_structure(widened, value)
