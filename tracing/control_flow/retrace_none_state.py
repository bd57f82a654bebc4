"""Loops whose state starts as what is no tensor: None, or a text that the loop replaces.

    last = None
    for x in xs:
        last = x            # None before the loop, a tensor after it

The body is traced a first time to learn the types, and again with tensors in their place. Where it
asks for the None (`if last is None:`), so that the two traces differ, the first turn is a choice of
its own.
"""

from __future__ import annotations

from collections.abc import Callable

from ...autograph.operators.undefined import Undefined
from ...runtime.core.dtypes import string
from ...runtime.ir.graph import Graph
from ...runtime.ops.control.loop_results import SetByLoop
from ...runtime.tensors.apply import BUILDER, convert_to_tensor, tensor_of
from ...runtime.tensors.graph_builder import Builder
from ..structures import nest
from ..structures.leaves import adopt, as_test, blank, dtype_of, same_literal
from .staged_cond import cond

TEXTS = (str, bytes)


class RestartError(Exception):
    """The loop has to be traced again: `finals` is what a turn gave, by place, where the state
    started as no tensor; the test and the body were recorded in `builders`.
    """

    def __init__(self, finals: dict, builders: list[Builder]):
        super().__init__("a loop starts with what is no tensor")
        self.finals = finals
        self.builders = builders  # which also keep alive what `recorded` compares


def finals_of(state, after) -> dict:
    """By place: the value after a turn, where the state starts as None or a text that changes."""
    finals = {}
    for place, (value, final) in enumerate(zip(state, after, strict=True)):
        if isinstance(value, Undefined) or isinstance(final, Undefined):
            continue
        if value is None:
            leaves = nest.flatten(final)
            if leaves and None not in [adopt(leaf, None) for leaf in leaves]:
                finals[place] = final
        elif nest.same_structure(value, final):
            pairs = list(zip(nest.flatten(value), nest.flatten(final), strict=True))
            if any(_is_replaced(*pair) for pair in pairs):
                finals[place] = final
    return finals


def with_texts(value, final):
    """The state before the loop with tensors for the texts that change."""
    rows = zip(nest.flatten(value), nest.flatten(final), strict=True)
    made = [convert_to_tensor(old) if _is_replaced(old, new) else old for old, new in rows]
    return nest.pack_sequence_as(value, made)


def _is_replaced(old, new) -> bool:
    if not isinstance(old, TEXTS) or (tensor_of(new) is None and same_literal(old, new)):
        return False
    return isinstance(new, TEXTS) or dtype_of(new) is string


def recorded(builder: Builder) -> tuple:
    """All that a builder holds, to be compared: its text, and what it captured."""
    inputs = (*builder.inputs, *(value for _, value in builder.captures.values()))
    text = Graph("part", inputs, tuple(builder.nodes), ()).as_text()
    return text.partition("\n")[2], list(builder.captures)


class DiffersError(Exception):
    """The second trace is another one than the first: the body asked what the state holds."""


def again(first: RestartError, mark: int, loop: Callable, *parts) -> tuple:
    """The state after the loop, traced with tensors where its state started as none."""
    nodes = BUILDER.get().nodes
    chooses = False
    while True:  # each turn of this starts with one tensor more, or chooses
        del nodes[mark:]
        try:
            return _traced(first, chooses, loop, *parts)
        except DiffersError:
            chooses = True
        except RestartError as more:  # now that some are tensors, others become tensors too
            state = parts[2]
            fresh = {place - 1: final for place, final in more.finals.items()}
            if not chooses and any(state[place] is None for place in fresh):
                chooses = True  # as in `before, last = last, x`: None after the first turn
            else:
                first.finals.update(fresh)


def _traced(first, chooses, loop, test, body, state, names, options) -> tuple:
    outer = BUILDER.get()
    unset = [place for place in first.finals if state[place] is None]
    state, invariants = list(state), list(options.get("shape_invariants") or ())
    for place, final in first.finals.items():
        if place not in unset:
            state[place] = with_texts(state[place], final)
            continue
        state[place] = nest.map_structure(lambda leaf: blank(leaf, outer, ""), final)
        if tensor_of(final) is not None:
            invariants.append((state[place], tensor_of(final).dims))
    trace = SecondTrace(test, body, unset, None if chooses else [*map(recorded, first.builders)])

    after = loop(
        trace.test,
        lambda *values: trace.body(names, *values),
        (False, *state),
        ("loop has run", *names),
        {**options, "shape_invariants": invariants},
    )
    return trace.results(names, *after)


class SecondTrace:
    """The loop `test`, `body` with tensors where its state started as None, and with one flag more:
    whether a turn has ended. `expected` is what each of the two recorded the first time; without it
    the first turn is a choice.
    """

    def __init__(self, test: Callable, body: Callable, unset: list[int], expected: list | None):
        self.parts = test, body
        self.unset = unset
        self.expected = expected

    def _started(self, values) -> tuple:
        """The values with None where there is none yet."""
        return tuple(None if i in self.unset else value for i, value in enumerate(values))

    def test(self, ran, *values):
        test, _ = self.parts
        if self.expected is not None:
            return self._same(0, lambda: as_test(test(*values)))
        started = self._started(values)
        sides = (lambda: (as_test(test(*values)),), lambda: (as_test(test(*started)),))
        return cond(ran, *sides, ("the test of the loop",))[0]

    def body(self, names, ran, *values) -> tuple:
        _, body = self.parts
        if self.expected is not None:
            return (True, *self._same(1, lambda: body(*values)))
        sides = (lambda: body(*values), lambda: body(*self._started(values)))
        return (True, *cond(ran, *sides, names))

    def _same(self, which: int, part: Callable):
        """The outcome of a part that records what it did the first time."""
        made = part()
        if self.unset and recorded(BUILDER.get()) != self.expected[which]:
            raise DiffersError
        return made

    def results(self, names, ran, *after) -> tuple:
        """The state after the loop; None has no form for a loop that did not run."""

        def checked(place, value):
            if place not in self.unset:
                return value
            reason = "it is None before the loop, and the loop did not run"
            return nest.map_structure(
                lambda leaf: SetByLoop(leaf, ran, variable=names[place], reason=reason), value
            )

        return tuple(checked(place, value) for place, value in enumerate(after))
