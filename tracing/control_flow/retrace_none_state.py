"""Retrace a loop whose state starts with None.

    last = None
    for x in xs:
        last = x            # None before the loop, a tensor after it

The first trace of the body gives the types. The second has tensors in place of None. If the body
depends on the None (`if last is None:`), the two traces differ; then a third one has both forms of
the body, and a carried flag chooses between them.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

from ...autograph.operators.raising import Retrace
from ...autograph.operators.undefined import MaybeSet, Undefined, ld
from ...runtime.core.classes import record
from ...runtime.ir.graph import Graph
from ...runtime.ir.op import TABLE
from ...runtime.ops.control.loop_results import NONE_BEFORE
from ...runtime.tensors.apply import BUILDER, convert_to_tensor
from ...runtime.tensors.graph_builder import Builder
from ..structures import nest
from ..structures.errors import OfLoop
from ..structures.leaves import adopt, as_test, blank, still_none
from . import conditionally_assigned
from .loop_carried_state import Loop
from .loop_start import shapes_of
from .staged_cond import cond


@record()
class NoneState(OfLoop):
    """The value that the first trace of a loop gave in place of None.

    finals    the values after an iteration, by their position in the state
    nones     which values of the state after an iteration are None
    builders  of the test and the body, which the second trace has to repeat; None if the first
              iteration has a form of its own
    """

    finals: dict[int, Any]
    nones: list[bool] = dataclasses.field(default_factory=list)
    builders: list[Builder] | None = None

    def apply(self, loop: Loop) -> Loop:
        first = loop.none_state
        if first is None:
            first = dataclasses.replace(self, builders=None) if loop.depends_on_none else self
        elif first.builders is not None:  # the body depends on None, or gives it to another name
            loop = dataclasses.replace(loop, depends_on_none=True)
            first = dataclasses.replace(first, builders=None)
        else:  # now that some values are tensors, others become tensors too
            more = {position - 1: final for position, final in self.finals.items()}
            first = dataclasses.replace(first, finals={**first.finals, **more})
        return dataclasses.replace(loop, none_state=first)


def is_none(value):
    """Whether a value is None, or after a loop still the None before it."""
    variable = conditionally_assigned.optional(value)
    if variable is not None:
        return TABLE["logical_not"](convert_to_tensor(variable.is_set))
    return still_none(value)


def finals_of(state, after) -> dict[int, Any]:
    """The values after an iteration, by position, where None becomes a tensor."""
    return {
        position: final
        for position, (value, final) in enumerate(zip(state, after, strict=True))
        if value is None
        and conditionally_assigned.optional(final) is None
        and not isinstance(final, Undefined)
        and _is_of_tensors(final)
    }


def _is_of_tensors(value) -> bool:
    leaves = nest.flatten(value)
    return bool(leaves) and None not in [adopt(leaf, None) for leaf in leaves]


def nones_of(after) -> list[bool]:
    """Which values of the state after an iteration are None."""
    return [value is None for value in after]


def recorded(builder: Builder) -> tuple[str, list[int]]:
    """The recording of a builder in a form that can be compared: graph text and captures."""
    inputs = (*builder.inputs, *(value for _, value in builder.captures.values()))
    recorded = Graph("recorded", inputs, tuple(builder.nodes), ()).as_text()
    return recorded.partition("\n")[2], list(builder.captures)


class SecondTrace:
    """A loop with tensors where its state starts with None, and with a flag in front of its state:
    whether an iteration has ended.

    While the recorded test and body have to equal the first ones, `expected` holds these.
    """

    def __init__(self, loop: Loop):
        self.original = loop
        self.first: NoneState = loop.none_state
        self.finals, builders = self.first.finals, self.first.builders
        self.expected = None if builders is None else [*map(recorded, builders)]

    def loop(self) -> Loop:
        """The loop to record."""
        outer = BUILDER.get()
        loop = self.original
        state, shapes = list(loop.state), dict(loop.shapes)
        for position, final in self.finals.items():
            state[position] = nest.map_structure(lambda leaf: blank(leaf, outer, ""), final)
            shapes = {**shapes_of(loop.names[position], final), **shapes}
        return dataclasses.replace(
            loop,
            test=self._test,
            body=self._body,
            state=(False, *state),
            names=("loop has run", *loop.names),
            shapes=shapes,
            none_state=None,
        )

    def _test(self, has_run, *values):
        test, names = self.original.test, ("the test of the loop",)
        return self._outcome(0, lambda *state: (as_test(test(*state)),), has_run, values, names)[0]

    def _body(self, has_run, *values) -> tuple:
        names = self.original.names
        return (True, *self._outcome(1, self.original.body, has_run, values, names))

    def _outcome(self, index: int, run: Callable, has_run, values, names) -> tuple:
        """The outcome of the test or the body, which has to record what it did the first time, or
        has two forms.
        """
        if self.expected is None:
            start = [None if at in self.finals else value for at, value in enumerate(values)]
            return cond(has_run, lambda: run(*values), lambda: run(*start), names)
        outcome = run(*values)
        builder: Any = BUILDER.get()
        is_same = recorded(builder) == self.expected[index]
        if not is_same or (index == 1 and nones_of(outcome) != self.first.nones):
            raise Retrace(NoneState({}))
        return outcome

    def results(self, has_run, *after) -> tuple:
        """The state after the loop. Reading what is still None then is an error at run time."""

        lazily = self.original.options.get("maybe_none", ())

        def checked(position, value):
            if position not in self.finals:
                return value
            name = self.original.names[position]
            variable = MaybeSet(name, NONE_BEFORE, value, has_run, conditionally_assigned.read)
            seen = conditionally_assigned.as_seen(variable)
            return seen if seen is not variable or name in lazily else ld(variable)

        return tuple(checked(position, value) for position, value in enumerate(after))
