"""Statements that tracers of JAX drive, as `lax.cond`, `lax.while_loop` and `lax.scan`."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import jax
from jax import lax

from ...autograph.current_trace import unsupported
from ...autograph.errors import NotStagedError
from ...autograph.forms import counted_for, for_each
from ...autograph.operators import undefined
from ...autograph.operators.raising import StagedRaise, TraceSignal
from ...autograph.stager import OUTER, Stager
from .builtins_on_tracers import TABLE, scalar_truth
from .carried_names import (
    UNSET,
    agree,
    arrays_after,
    arrays_of,
    cast,
    is_type,
    joined,
    mapped,
    state_of,
    typed,
)
from .items_of_loops import Items, items_of

SIDES = "after the two sides of a choice"
ITERATIONS = "before and after an iteration of a loop"
NOT_READ = "nothing reads it after a staged statement"


class OtherLayout(TraceSignal):
    """A statement was traced with another layout of its state than the one that it needs."""


class JaxStager(Stager):
    """Tracers whose values are unknown are staged; arrays and Python's values are not. There is one
    for each call from outside, which remembers how choices carry their states. One that is traced
    again, because a choice around it is, begins with that, so that its blocks are traced once.
    """

    refusals = (
        NotStagedError, undefined.UnsetByBranchError, jax.errors.JAXTypeError,
        jax.errors.JAXIndexError,
    )  # fmt: skip

    def __init__(self) -> None:
        self.forms = {**TABLE, for_each: self.for_each}
        # By the place of a choice: the layouts after its first side, and after both.
        self.known: dict[tuple, tuple] = {}
        self.place: tuple = ()  # of the block that is being traced: numbers of statements
        self.count = self.choices = 0  # statements in it so far, and choices in all

    def is_staged(self, value) -> bool:
        if isinstance(value, jax.core.Tracer):
            known = getattr(value, "to_concrete_value", None)  # under `grad` alone
            return known is None or known() is None
        return isinstance(value, Items)

    def is_tensor(self, value) -> bool:
        return isinstance(value, jax.Array)

    def scope_of(self, value) -> int:
        return OUTER

    def checkpoint(self) -> Any:
        return 0  # what nobody reads is dead code, so nothing is dropped

    def cond(self, test, then, orelse, names, live: int) -> tuple:
        test, place, self.choices = scalar_truth(test), self._next_place(), self.choices + 1
        while True:
            try:
                return self._choice(place, test, (then, orelse), names, live)
            except OtherLayout as needed:
                self.known[place] = needed.args

    def _choice(self, place: tuple, test, sides, names, live: int) -> tuple:
        """The state after a choice, each number of which is carried, as few are the same on both
        sides. A side that raises has zeros in their place.
        """
        unread = tuple(undefined.Undefined(name, NOT_READ) for name in names[live:])
        names = tuple(names[:live])
        first = layout = after = None  # `after` the sides that do not raise
        is_one = False

        def arrays_of_side(number: int) -> list:
            nonlocal first, layout, after, is_one
            state = (undefined.UndefinedReturnValue(),) * len(names)  # never read, if it raises
            with contextlib.suppress(StagedRaise):
                state = self._inside((*place, number), sides[number])[:live]
                is_one = after is None
                after = state if is_one else joined(names, after, state, SIDES)
            needed = None if after is None else mapped(typed, after)
            if number == 0:
                first, known = needed, self.known.get(place)
                layout = known[1] if known and agree(known[0], first) else first
            elif agree(layout, needed):
                layout = needed
            else:
                raise OtherLayout(first, needed)
            return [] if layout is None else arrays_of(layout, state)

        arrays = lax.cond(test, lambda: arrays_of_side(0), lambda: arrays_of_side(1))
        if after is None:
            raise StagedRaise
        if is_one:
            after = joined(names, after, mapped(lambda _: UNSET, after), SIDES)
        arrays = map(cast, arrays, filter(is_type, jax.tree.leaves(layout)))
        return (*state_of(layout, arrays, after), *unread)

    def while_loop(self, test, body, state, names, options) -> tuple:
        limit = options.get("maximum_iterations")
        if isinstance(limit, int):  # masked steps, which have a derivative in reverse mode
            loop = (lambda _, *values: body(*values), test, state, names)
            return self._counted(Items(limit, ()), *loop)

        def loop_of(place, layout, step):
            def truth(arrays):
                values = state_of(layout, arrays)
                return scalar_truth(self._inside((*place, "test"), test, *values))

            start = arrays_of(layout, state)
            return lax.while_loop(truth, lambda arrays: step(body, arrays), start)

        return self._looped(loop_of, state, names)

    def enter_loop(self, items, body, get_state, set_state, names, options) -> tuple:
        """A list that grows in a loop of known length has Python run the loop, as JAX does."""
        if self.is_staged(items) and options.get("lists"):
            items = items_of(items)
            items = list(items) if isinstance(items.count, int) else items
        return items, None

    def for_each(self, items, body, extra_test, state, names, options) -> tuple:
        """A loop over a known number of items is a `scan`, which has a derivative in reverse mode.
        After `break`, its steps do nothing.
        """
        items, limit = items_of(items), options.get("maximum_iterations")
        if not isinstance(items.count, int):
            loop = (body, extra_test, state, names, options)
            return counted_for(0, items.count, items.at, *loop)
        if isinstance(limit, int) and limit < items.count:
            items = Items(limit, items.parts)
        return self._counted(items, body, extra_test, state, names)

    def _counted(self, items: Items, body, extra_test, state, names) -> tuple:
        """The state after `body(item, *state)` for each item, while `extra_test(*state)` holds."""
        if items.count == 0:
            return state
        first: tuple = ()

        def iteration(item, *values):
            nonlocal first
            first = body(item, *values)
            return first

        def masked(item, *values):
            going_on = True if extra_test is None else extra_test(*values)
            if self.is_staged(going_on):
                sides = (lambda: iteration(item, *values), lambda: values)
                return self.cond(going_on, *sides, names, len(names))
            return iteration(item, *values) if going_on else values

        def loop_of(place, layout, step):
            def numbered(carried, row):
                arrays, index = carried
                item = items.item(row, index)
                after = step(lambda *values: masked(item, *values), arrays)
                return (after, index + 1 if items.is_numbered else index), None

            start = arrays_of(layout, state), 0 if items.is_numbered else ()
            return lax.scan(numbered, start, items.rows(), items.count)[0][0]

        finals = self._looped(loop_of, state, names)
        starts = True if extra_test is None else extra_test(*state)
        if self.is_staged(starts) or not starts:
            return finals
        # the first iteration surely runs, and what it sets has a value from then on
        pairs = zip(finals, first, strict=True)
        return tuple(
            final.value
            if isinstance(final, undefined.MaybeSet) and not isinstance(one, undefined.Undefined)
            else final
            for final, one in pairs
        )

    def _looped(self, loop_of: Callable, state: tuple, names) -> tuple:
        """The state after a loop that `loop_of(place, layout, step)` makes, where `step(body,
        arrays)` is what is carried after `body(*state)`. At first all numbers are carried; where
        one has to be Python's, those that an iteration changes.
        """
        place, layout, is_fixed = self._next_place(), mapped(typed, state), False
        while True:
            try:
                return self._loop(place, layout, loop_of, state, names)
            except OtherLayout as needed:
                (layout,), is_fixed = needed.args, True
            except self.refusals:
                if is_fixed:
                    raise
                layout, is_fixed = state, True

    def _loop(self, place: tuple, layout, loop_of: Callable, state: tuple, names) -> tuple:
        final, choices = state, self.choices

        def step(body, arrays) -> list:
            before = state_of(layout, arrays)
            try:
                after = self._inside((*place, "body"), body, *before)
            except StagedRaise:
                cure = "Raise it without the loop."
                raise unsupported("each iteration of a loop raises", cure) from None
            nonlocal final
            final = joined(names, state, after, ITERATIONS, before)
            needed = joined(names, layout, final, ITERATIONS)
            # JAX begins with types as strong as these, which sides of choices are cast to
            if not agree(layout, needed, weakly=self.choices == choices):
                raise OtherLayout(needed)
            return arrays_after(layout, after, final, arrays)

        return state_of(layout, loop_of(place, layout, step), final)

    def _next_place(self) -> tuple:
        self.count += 1
        return (*self.place, self.count)

    def _inside(self, place: tuple, trace: Callable, *values) -> Any:
        """`trace(*values)` in a block of a statement."""
        around = self.place, self.count
        self.place, self.count = place, 0
        try:
            return trace(*values)
        finally:
            self.place, self.count = around
