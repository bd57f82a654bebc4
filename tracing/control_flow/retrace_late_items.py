"""Retrace a loop whose body is the first to set an item or an attribute.

    counts = {}
    for x in xs:
        counts["n"] = counts.get("n", 0) + 1        # there from the second iteration on

The first trace of the body does not have the item, but later iterations do. The second trace starts
with an item that is carried with a flag, so that questions about it are answered in each iteration.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from ...autograph.operators.undefined import MaybeSet, Undefined, UndefinedReturnValue
from ...runtime.core.classes import record
from ...runtime.ops.control.loop_results import NONE_ON_A_SIDE, ONLY_BY_THE_BODY
from ...runtime.tensors.apply import BUILDER, tensor_of
from ..structures import nest
from ..structures.leaves import blank
from . import conditionally_assigned
from .loop_carried_state import Loop, LoopState


@record()
class LateItems:
    """What the first trace of a loop gave for missing items and attributes, and for names that may
    be None after an iteration, by name: the values, and why there may be none.
    """

    finals: dict[str, tuple[Any, str]]

    def adjusted(self, loop: Loop) -> Loop:
        return dataclasses.replace(loop, none_state=None, late={**loop.late, **self.finals})


def late_items(layout: LoopState, after) -> dict[str, tuple[Any, str]]:
    """The values after an iteration of items and attributes that are missing before the loop, and
    of names that are None before it and may be so after it.
    """
    found = {}
    for name, value, final in zip(layout.names, layout.state, after, strict=True):
        variable = conditionally_assigned.optional(final)
        is_none = value is None or isinstance(value, UndefinedReturnValue)
        if is_none and variable is not None:
            found[name] = variable.value, NONE_ON_A_SIDE
        if type(value) is not Undefined or value.reason or name.isidentifier():
            continue
        if isinstance(final, MaybeSet) and final.is_deleted:
            continue
        given, is_set = conditionally_assigned.value_and_flag(final)
        is_plain = not conditionally_assigned.holds_container(given)
        if is_set is not False and is_plain and conditionally_assigned.can_be_carried(given):
            found[name] = given, ONLY_BY_THE_BODY
    return found


def with_late_items(loop: Loop) -> Loop:
    """The loop with items that are not set yet in place of those that its body sets first."""
    outer, read = BUILDER.get(), conditionally_assigned.read
    state = list(map(conditionally_assigned.as_carried, loop.state))
    shapes = dict(loop.shapes)
    for position, name in enumerate(loop.names):
        if name not in loop.late:
            continue
        like, reason = loop.late[name]
        value = nest.map_structure(lambda leaf: blank(leaf, outer, ""), like)
        state[position] = MaybeSet(name, reason, value, False, read)
        for index, leaf in enumerate(map(tensor_of, nest.flatten(like))):
            if leaf is not None:
                shapes.setdefault((name, index), leaf.dims)
    return dataclasses.replace(loop, state=state, shapes=shapes)
