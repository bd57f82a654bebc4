"""A loop to be traced, and its state: Python values spread over the tensors that are carried."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ...autograph.operators.undefined import MaybeSet, Undefined
from ...runtime.core.classes import record
from ...runtime.core.dtypes import DType
from ...runtime.core.shapes import Shape
from ...runtime.tensors.graph_builder import Builder
from ...runtime.tensors.python_numbers import note_types
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
    depends_on_none: bool = False  # whether the first iteration has a form of its own
    dtypes: Mapping[Key, DType] = dataclasses.field(default_factory=dict)  # of Python numbers
    shapes: Mapping[Key, Shape] = dataclasses.field(default_factory=dict)  # of what changes shape
    types: Mapping[Key, frozenset] = dataclasses.field(default_factory=dict)  # of Python values
    late: Mapping[str, Any] = dataclasses.field(default_factory=dict)  # items the body sets first
    numbers: Mapping[Key, Any] = dataclasses.field(default_factory=dict)  # starts of such leaves
    keeps_shapes: bool = False  # whether shapes that may differ at run time are checked then

    def with_state(self, state) -> Loop:
        """The same loop from another start; what was learned of None in its state is void."""
        return dataclasses.replace(self, state=state, none_state=None)


class CarriedName:
    """How a loop carries a name: by the tensors that stand for the leaves of its value.

    start     its value before the loop; of a conditionally assigned variable, value and flag
    variable  that variable, or None
    slots     for each leaf the tensor that is carried, or None for an object that must not change
    recording of the loop: it knows the shapes, and the inputs of its graphs
    """

    def __init__(self, recording, name: str, value):
        self.recording, self.name = recording, name
        self.variable = value if isinstance(value, MaybeSet) else None
        self.start = value if self.variable is None else (value.value, value.is_set)
        self.slots: list = [
            None if isinstance(leaf, (str, bytes, Undefined)) else adopted(leaf, None, name)
            for leaf in self.leaves
        ]

    @property
    def is_bound(self) -> bool:
        """Whether the name has a value before the loop."""
        return not isinstance(self.start, Undefined)

    @property
    def leaves(self) -> list:
        return nest.flatten(self.start) if self.is_bound else [self.start]

    def placeholder(self, builder: Builder):
        """The value as the test or the body sees it."""
        pairs = enumerate(zip(self.leaves, self.slots, strict=True))
        inside = [self._input(builder, (self.name, index), *pair) for index, pair in pairs]
        if not self.is_bound:
            return inside[0]
        return self.holding(nest.pack_sequence_as(self.start, inside))

    def _input(self, builder: Builder, key: Key, leaf, slot):
        if isinstance(leaf, Deferred):
            inside = DeferredInLoop(leaf, builder, plain(self.name))
            self.recording.deferred[builder, id(leaf)] = inside
            return inside
        if slot is None:
            return leaf
        shape = self.recording.shape_of(key, slot)
        tensor = builder.input(slot.dtype, shape, plain(self.name))
        self.recording.entered[tensor.graph_value] = key, slot
        note_types(tensor, slot)
        return tensor

    def holding(self, value):
        """The value of the name that the user's code gets."""
        if self.variable is None:
            return value
        return conditionally_assigned.as_seen(self.variable.holding(*value))

    def after_iteration(self, final):
        """The value to carry after an iteration: of a variable, value and flag."""
        if self.variable is None:
            return final
        state = conditionally_assigned.as_before(self.variable, final)
        self.variable = conditionally_assigned.after_loop(self.name, self.variable)
        return state

    def pairs_with(self, final) -> Iterator[tuple]:
        """The leaves before the loop, and those of the first value that an iteration gives."""
        leaves = nest.flatten(final)
        if not self.is_bound and not isinstance(final, Undefined):
            self.slots = [None] * len(leaves)
            return zip([self.start] * len(leaves), leaves, strict=True)
        return zip(self.leaves, leaves, strict=False)  # of another structure: that is refused

    def after_loop(self, outputs: Iterator, final):
        """The value after the loop, of which an iteration gives `final`."""
        like = self.start if self.is_bound else final
        pairs = zip(nest.flatten(like), self.slots, strict=True)
        packed = [leaf if slot is None else next(outputs) for leaf, slot in pairs]
        value = self.holding(nest.pack_sequence_as(like, packed))
        return conditionally_assigned.settled(value) if isinstance(value, MaybeSet) else value
