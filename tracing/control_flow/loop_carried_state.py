"""A loop to be traced, and its state: Python values spread over the tensors that are carried."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ...autograph.operators.undefined import MaybeSet, Undefined
from ...runtime.core.classes import record
from ...runtime.core.dtypes import DType
from ...runtime.core.shapes import Shape
from ...runtime.ir.graph import Value
from ...runtime.tensors.graph_builder import Builder
from ...runtime.tensors.python_numbers import is_python_number, is_range
from ..structures import nest
from ..structures.leaves import Deferred, DeferredInLoop
from . import conditionally_assigned
from .recorded_statements import plain
from .variable_aliases import adopted

Key = tuple[str, int]  # a leaf of the state: the name, and the position among its leaves


@record()
class Loop:
    """A loop to be traced, as one attempt starts it.

    `test(*state)` gives a tensor (or bool), `body(*state)` the next state. The fields from
    `none_state` on are adjustments that earlier attempts asked for.
    """

    test: Callable
    body: Callable
    state: Sequence
    names: Sequence[str]
    options: Mapping[str, Any]
    none_state: Any = None  # a `retrace_none_state.NoneState`
    dtypes: Mapping[Key, DType] = dataclasses.field(default_factory=dict)  # of Python numbers
    shapes: Mapping[Key, Shape] = dataclasses.field(default_factory=dict)  # of what changes shape
    late: Mapping[str, Any] = dataclasses.field(default_factory=dict)  # items the body sets first
    numbers: Mapping[Key, Any] = dataclasses.field(default_factory=dict)  # starts of such leaves
    keeps_shapes: bool = False  # whether shapes that may differ at run time are checked then

    def with_state(self, state) -> Loop:
        """The same loop from another start; what was learned of None in its state is void."""
        return dataclasses.replace(self, state=state, none_state=None)


class LoopState:
    """The loop-carried state as a flat list of tensors.

    Numbers and tensors are carried. Other objects must not change. A name without a value is
    carried once the body assigns it. A conditionally assigned variable is the pair of its value
    and its flag.
    """

    def __init__(self, loop: Loop, declared: Mapping[str, Shape]):
        state, names = loop.state, loop.names
        self.names = names
        self.declared = declared  # by `shape_invariants`
        self.shapes = loop.shapes
        self.entered: dict[Value, tuple[Key, Any]] = {}  # inputs of test and body, with the starts
        self.variables = {
            position: value for position, value in enumerate(state) if isinstance(value, MaybeSet)
        }  # by position: conditionally assigned before the loop, or in an iteration of it
        self.state = [
            (value.value, value.is_set) if position in self.variables else value
            for position, value in enumerate(state)
        ]
        self.deferred: dict = {}
        self.slots: list[list] = [
            self._spread(name, value) for name, value in zip(names, self.state, strict=True)
        ]

    def _spread(self, name, value):
        """For each leaf of a name: the carried tensor, or None for a constant object."""
        if isinstance(value, Undefined):
            return [None]
        return [
            adopted(leaf, None, name) if not isinstance(leaf, (str, bytes)) else None
            for leaf in nest.flatten(value)
        ]

    def tensors(self) -> list:
        return [tensor for slots in self.slots for tensor in slots if tensor is not None]

    def placeholders(self, builder: Builder) -> tuple:
        """The state as the body sees it."""
        values = []
        entries = zip(self.names, self.state, self.slots, strict=True)
        for position, (name, value, slots) in enumerate(entries):
            leaves = [value] if isinstance(value, Undefined) else nest.flatten(value)
            inside = [
                self._placeholder(builder, (name, index), *pair)
                for index, pair in enumerate(zip(leaves, slots, strict=True))
            ]
            if isinstance(value, Undefined):
                values.append(self._as_variable(position, inside[0]))
            else:
                values.append(self._as_variable(position, nest.pack_sequence_as(value, inside)))
        return tuple(values)

    def _as_variable(self, position: int, value):
        if position not in self.variables:
            return value
        return conditionally_assigned.as_seen(self.variables[position].holding(*value))

    def after_iteration(self, after) -> list:
        """The state after an iteration, with pairs for conditionally assigned variables."""
        state = list(after)
        for position, before in self.variables.items():
            state[position] = conditionally_assigned.as_before(before, state[position])
            self.variables[position] = conditionally_assigned.after_loop(before.name, before)
        return state

    def _placeholder(self, builder: Builder, key: Key, leaf, slot):
        if isinstance(leaf, Deferred):
            inside = DeferredInLoop(leaf, builder, plain(key[0]))
            self.deferred[builder, id(leaf)] = inside
            return inside
        if slot is None:
            return leaf
        tensor = builder.input(slot.dtype, self.shape_of(key, slot), plain(key[0]))
        self.entered[tensor.graph_value] = key, slot
        if is_python_number(slot):
            builder.numbers[tensor.graph_value] = True
        if is_range(slot):
            builder.ranges.add(tensor.graph_value)
        return tensor

    def shape_of(self, key: Key, tensor) -> Shape:
        return self.shapes.get(key, self.declared.get(key[0], tensor.dims))

    def rebuild(self, outputs, after) -> tuple:
        """The state after the loop, from its output tensors."""
        tensors, values = iter(outputs), []
        entries = zip(self.state, self.slots, after, strict=True)
        for position, (value, slots, final) in enumerate(entries):
            like = final if isinstance(value, Undefined) else value
            leaves = nest.flatten(like)
            packed = [
                leaf if slot is None else next(tensors)
                for leaf, slot in zip(leaves, slots, strict=True)
            ]
            after_loop = self._as_variable(position, nest.pack_sequence_as(like, packed))
            if isinstance(after_loop, MaybeSet):
                after_loop = conditionally_assigned.settled(after_loop)
            values.append(after_loop)
        return tuple(values)
