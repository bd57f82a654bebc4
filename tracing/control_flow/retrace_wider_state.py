"""Retrace a loop with 64-bit numbers where its body computes in 64 bits.

    total = 0.0
    for x in xs:            # float64
        total += x

A Python number in the state of a loop is float32 or int32, as it is elsewhere. If the body then
mixes or returns other dtypes, the loop is traced again with float64 or int64 for its numbers.
"""

from __future__ import annotations

import dataclasses

from ...runtime.core.dtypes import float64, int64
from ...runtime.core.errors import DTypeError
from ...runtime.tensors.apply import convert_to_tensor
from ..structures import nest
from ..structures.errors import InconsistentBranchError, InconsistentLoopError
from .loop_carried_state import Loop

MISMATCHES = (DTypeError, InconsistentBranchError, InconsistentLoopError)
WIDTHS = ({float: float64}, {int: int64}, {float: float64, int: int64})  # tried in this order


def attempts(loop: Loop) -> list[Loop]:
    """The loop once for each row of WIDTHS that applies to the numbers in its state."""
    types = {type(leaf) for value in loop.state for leaf in nest.flatten(value)}
    return [
        dataclasses.replace(loop, widths=widths, none_state=None)
        for widths in WIDTHS
        if widths.keys() <= types
    ]


def widened(loop: Loop) -> Loop:
    """The loop with tensors of `loop.widths` for the Python numbers in its state."""
    if not loop.widths:
        return loop

    def tensor(leaf):
        dtype = loop.widths.get(type(leaf))
        return leaf if dtype is None else convert_to_tensor(leaf, dtype)

    state = [nest.map_structure(tensor, value) for value in loop.state]
    return dataclasses.replace(loop, state=state)
