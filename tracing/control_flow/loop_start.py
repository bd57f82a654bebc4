"""What a trace of a loop finds out about the start of its state, for the next trace.

    total, rows, counts = 0, ag.zeros([0, 2]), {}
    for x in xs:                             # float32
        total += x                           # an int at the start, float32 from then on
        rows = ag.concat([rows, [x]], 0)     # shape (0, 2), then (1, 2)
        counts["n"] = counts.get("n", 0) + 1 # there from the second iteration on

A Python number before a loop adopts the dtype that it has after an iteration, as NumPy's numbers
do, and the width that the loop computes in. A string that changes is a tensor. Dimensions that
change are unknown inside the loop. An item or an attribute that the body sets first is carried with
a flag, so that questions about it are answered in each iteration. A loop is traced again until
nothing has to be adjusted.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from ...autograph.operators.containers import same_literal
from ...autograph.operators.forwarding_lists import LIST_CLASSES
from ...autograph.operators.raising import Retrace
from ...autograph.operators.undefined import MaybeSet, Undefined, UndefinedReturnValue
from ...runtime.core.classes import record
from ...runtime.core.dtypes import DType, string
from ...runtime.core.shapes import Shape
from ...runtime.ir.op import TABLE
from ...runtime.ops.control.loop_results import NONE_ON_A_SIDE, ONLY_BY_THE_BODY
from ...runtime.tensors.apply import BUILDER, tensor_of
from ...runtime.tensors.python_numbers import common_dtype, is_number, represents, roots, width
from ...runtime.tensors.tensor import Tensor
from ..staged_values.staged_list import StagedList
from ..structures import nest
from ..structures.errors import OfLoop
from ..structures.leaves import adopt, blank, dtype_of
from . import conditionally_assigned
from .loop_carried_state import CarriedName, Key, Loop

STRINGS = (str, bytes)


@record()
class StartsWith(OfLoop):
    """The state that the next trace of a loop starts with.

    dtypes  of Python numbers, and of strings that change
    shapes  of tensors that change theirs
    types   of values of Python that get another one
    late    by name, the values of items and attributes that are missing before the loop, and of
            names that may be None after an iteration, and why there may be none
    lists   the names of lists that functions grow which the body calls
    """

    dtypes: Mapping[Key, DType] = dataclasses.field(default_factory=dict)
    shapes: Mapping[Key, Shape] = dataclasses.field(default_factory=dict)
    types: Mapping[Key, frozenset] = dataclasses.field(default_factory=dict)
    late: Mapping[str, tuple[Any, str]] = dataclasses.field(default_factory=dict)
    lists: Sequence[str] = ()

    def apply(self, loop: Loop) -> Loop:
        dtypes, shapes = {**loop.dtypes, **self.dtypes}, {**loop.shapes, **self.shapes}
        late, types = {**loop.late, **self.late}, {**loop.types, **self.types}
        state = with_staged_lists(loop.state, loop.names, self.lists)
        return dataclasses.replace(
            loop, state=state, none_state=None, dtypes=dtypes, shapes=shapes, types=types, late=late
        )


def with_staged_lists(state, names, growing) -> list:
    """The state with a StagedList for each list that may grow in the loop."""
    values = []
    for name, value in zip(names, state, strict=True):
        staged = StagedList.of(value) if name in growing and type(value) in LIST_CLASSES else None
        values.append(value if staged is None else staged)
    return values


def started(loop: Loop) -> Loop:
    """The loop with the state that earlier traces have asked for: its `numbers` are the starts that
    stand for Python numbers.
    """
    outer, read = BUILDER.get(), conditionally_assigned.read
    state = list(map(conditionally_assigned.as_carried, loop.state))
    shapes, numbers = dict(loop.shapes), {}
    for position, name in enumerate(loop.names):
        if name in loop.late:
            like, reason = loop.late[name]
            value = nest.map_structure(lambda leaf: blank(leaf, outer, ""), like)
            state[position] = MaybeSet(name, reason, value, False, read)
            shapes = {**shapes_of(name, like), **shapes}
    for position, name in enumerate(loop.names):
        leaves = nest.flatten(state[position])
        for index, leaf in enumerate(leaves):
            dtype = loop.dtypes.get((name, index))
            if is_number(leaf):
                numbers[name, index] = leaf
            if dtype is not None:
                leaves[index] = adopt(leaf, dtype)
            if (name, index) in loop.types:
                leaves[index] = TABLE["identity"](adopt(leaves[index], None))
                leaves[index].builder.numbers[leaves[index].graph_value] = loop.types[name, index]
        state[position] = nest.pack_sequence_as(state[position], leaves)
    return dataclasses.replace(loop, state=state, shapes=shapes, numbers=numbers)


def is_replaced(start, leaf) -> bool:
    """Whether a string before a loop is another one after an iteration."""
    if not isinstance(start, STRINGS) or (tensor_of(leaf) is None and same_literal(start, leaf)):
        return False
    return isinstance(leaf, STRINGS) or dtype_of(leaf) is string


def shapes_of(name: str, value) -> dict[Key, Shape]:
    """The shapes of the tensors in the value of a name."""
    leaves = enumerate(map(tensor_of, nest.flatten(value)))
    return {(name, index): leaf.dims for index, leaf in leaves if leaf is not None}


def late_items(names: list[CarriedName], after) -> dict[str, tuple[Any, str]]:
    """The values after an iteration of items and attributes that are missing before the loop, and
    of names that are None before it and may be so after it.
    """
    late = {}
    for carried, final in zip(names, after, strict=True):
        name, start = carried.name, carried.start
        variable = conditionally_assigned.optional(final)
        is_none = start is None or isinstance(start, UndefinedReturnValue)
        if is_none and variable is not None:
            late[name] = variable.value, NONE_ON_A_SIDE
        if type(start) is not Undefined or start.reason or name.isidentifier():
            continue
        if isinstance(final, MaybeSet) and final.is_deleted:
            continue
        value, is_set = conditionally_assigned.value_and_flag(final)
        is_plain = not conditionally_assigned.holds_container(value)
        if is_set is not False and is_plain and conditionally_assigned.can_be_carried(value):
            late[name] = value, ONLY_BY_THE_BODY
    return late


def may_start_as(loop: Loop, key: Key, dtype: DType) -> bool:
    """Whether a leaf of the state is a number that may start as `dtype`."""
    start, before = loop.numbers.get(key), loop.dtypes.get(key)
    if start is None or (before is not None and width(dtype) <= width(before)):
        return False
    if isinstance(start, Tensor):
        return width(dtype)[0] > width(start.dtype)[0]
    return represents(dtype, start)


def widen_numbers(loop: Loop, entered: Mapping, error: Exception) -> None:
    """Raise Retrace where wider numbers before the loop mend a mismatch of operands.

    Otherwise, the error gets the tensors that the numbers were before the loop as operands, which
    an outer loop may widen. `entered` tells which leaf of the state an input is, and its start.
    """
    operands = getattr(error, "operands", ())
    target = common_dtype(operands)
    if target is None:
        return
    outside = []
    for operand in operands:
        narrow = tensor_of(operand)
        if narrow is None or not width(narrow.dtype) < width(target):
            continue
        leaves = [entered[value] for value in roots(narrow) or () if value in entered]
        wider = {key: target for key, _ in leaves if may_start_as(loop, key, target)}
        if wider:
            raise Retrace(StartsWith(dtypes=wider)) from None
        outside += [start for _, start in leaves]
    if outside:
        error.operands = (*operands, *outside)  # type: ignore[attr-defined]
