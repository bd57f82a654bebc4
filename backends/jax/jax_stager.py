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
from ...autograph.operators.raising import StagedRaise, TraceSignal
from ...autograph.operators.undefined import MaybeSet, Undefined, UnsetByBranchError
from ...autograph.stager import OUTER, Stager
from .builtins_on_tracers import TABLE, scalar_truth
from .carried_names import ARRAYS, PLAIN, Carried, arrays_of, leaves_of, state_of
from .items_of_loops import Items, items_of

SIDES = "after the two sides of a choice"
ITERATIONS = "before and after an iteration of a loop"


class OtherLayouts(TraceSignal):
    """A statement was traced with other layouts of its state than those that it needs."""


class JaxStager(Stager):
    """Tracers whose values are unknown are staged; arrays and Python's values are not. There is one
    for each call from outside, which remembers how choices carry their states. One that is traced
    again, because a choice around it is, begins with that, so that its blocks are traced once.
    """

    refusals = (
        NotStagedError, UnsetByBranchError, jax.errors.JAXTypeError, jax.errors.JAXIndexError,
    )  # fmt: skip

    def __init__(self) -> None:
        self.forms = {**TABLE, for_each: self.for_each}
        # By the place of a choice: the layouts with which it began, and those that it needs.
        self.known: dict[tuple, tuple[list[Carried], list[Carried]]] = {}
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
        self.count, self.choices = self.count + 1, self.choices + 1
        test, place = scalar_truth(test), (*self.place, self.count)

        def trace() -> tuple:
            states: list[tuple] = []
            start, layouts = self.known.get(place, ([], []))

            def arrays_after(side: Callable, is_second: bool) -> list:
                nonlocal start, layouts
                state = tuple(map(Undefined, names))  # if it raises
                with contextlib.suppress(StagedRaise):
                    states.append(state := self._inside((*place, is_second), side))
                rows = enumerate(zip(names, *states, strict=True)) if states else ()
                joined = [_after_choice(*row, is_live=at < live) for at, row in rows]
                if states and is_second and not _agree(layouts, joined, weakly=True):
                    self.known[place] = start, joined
                    raise OtherLayouts
                if states and (is_second or not _agree(start, joined)):
                    layouts = joined
                start = start if is_second else joined
                return arrays_of(layouts, state) if layouts else []

            sides = lambda: arrays_after(then, False), lambda: arrays_after(orelse, True)
            arrays = lax.cond(test, *sides)
            if not states:
                raise StagedRaise
            return state_of(layouts, arrays)

        while True:
            with contextlib.suppress(OtherLayouts):
                return trace()

    def while_loop(self, test, body, state, names, options) -> tuple:
        limit = options.get("maximum_iterations")
        if isinstance(limit, int):  # masked steps, which have a derivative in reverse mode
            loop = (lambda _, *values: body(*values), test, state, names)
            return self._counted(Items(limit, is_numbered=False), *loop)

        def loop_of(place, layouts, step):
            def truth(arrays):
                values = state_of(layouts, arrays)
                return scalar_truth(self._inside((*place, "test"), test, *values))

            start = arrays_of(layouts, state)
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
        items = items_of(items)
        if not isinstance(items.count, int):
            loop = (body, extra_test, state, names, options)
            return counted_for(0, items.count, items.at, *loop)
        limit = options.get("maximum_iterations")
        if isinstance(limit, int) and limit < items.count:
            items = items.first(limit)
        return self._counted(items, body, extra_test, state, names)

    def _counted(self, items: Items, body, extra_test, state, names) -> tuple:
        """The state after `body(item, *state)` for each item, while `extra_test(*state)` holds."""
        if items.count == 0:
            return state
        outcome: tuple = ()

        def iteration(item, *values):
            nonlocal outcome
            outcome = body(item, *values)
            return outcome

        def masked(item, *values):
            going_on = True if extra_test is None else extra_test(*values)
            if self.is_staged(going_on):
                sides = (lambda: iteration(item, *values), lambda: values)
                return self.cond(going_on, *sides, names, len(names))
            return iteration(item, *values) if going_on else values

        def loop_of(place, layouts, step):
            def numbered(carried, row):
                arrays, index = carried
                item = items.item_of(row, index)
                after = step(lambda *values: masked(item, *values), arrays)
                return (after, index + 1 if items.is_numbered else index), None

            start = arrays_of(layouts, state), 0 if items.is_numbered else ()
            return lax.scan(numbered, start, items.rows, items.count)[0][0]

        finals = self._looped(loop_of, state, names)
        starts = True if extra_test is None else extra_test(*state)
        if self.is_staged(starts) or not starts:
            return finals
        # the first iteration surely runs, and what it sets has a value from then on
        are_set = [leaves_of(value)[0][-1] is True for value in outcome]
        pairs = zip(finals, are_set, strict=True)
        return tuple(
            final.value if is_set and isinstance(final, MaybeSet) else final
            for final, is_set in pairs
        )

    def _looped(self, loop_of: Callable, state: tuple, names) -> tuple:
        """The state after a loop that `loop_of(place, layouts, step)` makes, where `step(body,
        arrays)` is what is carried after `body(*state)`. At first all numbers are carried, and then
        those that an iteration may change, until their types are those that it began with.
        """
        self.count += 1
        place = (*self.place, self.count)
        fixed = [Carried.of(*row, ITERATIONS) for row in zip(names, state, strict=True)]

        def trace(layouts: list[Carried], to_join: list[Carried]) -> tuple:
            final, choices = layouts, self.choices

            def step(body, arrays) -> list:
                before = state_of(layouts, arrays)
                try:
                    after = self._inside((*place, "body"), body, *before)
                except StagedRaise:
                    cure = "Raise it without the loop."
                    raise unsupported("each iteration of a loop raises", cure) from None
                nonlocal final
                final = list(map(Carried.joined, to_join, after, before))
                # JAX begins with types as strong as these, which sides of choices are cast to
                if not _agree(layouts, final, weakly=self.choices == choices):
                    raise OtherLayouts(final)
                return arrays_of(final, after)

            arrays = loop_of(place, layouts, step)
            return state_of(final, arrays)

        layouts, to_join = [layout.owned() for layout in fixed], fixed
        while True:
            try:
                return trace(layouts, to_join)
            except OtherLayouts as shown:
                (layouts,) = shown.args
            except self.refusals:  # a number may have to be one of Python's
                if to_join is layouts:
                    raise
                layouts = fixed
            to_join = layouts

    def _inside(self, place: tuple, trace: Callable, *values) -> Any:
        """`trace(*values)` in a block of a statement."""
        around = self.place, self.count
        self.place, self.count = place, 0
        try:
            return trace(*values)
        finally:
            self.place, self.count = around


def _agree(layouts: list[Carried], others: list[Carried], weakly: bool = False) -> bool:
    rows = zip(layouts, others, strict=False)
    return len(layouts) == len(others) and all(row[0].takes(row[1], weakly) for row in rows)


def _after_choice(name: str, value, *others, is_live: bool) -> Carried:
    """How a name is carried after the sides of a choice, one of which may raise: each number is, as
    few are the same on both sides.
    """
    layout = Carried.of(name, value, SIDES).owned(ARRAYS if others else PLAIN)
    try:
        return layout.joined(*others) if others else layout
    except NotStagedError:
        if is_live:
            raise
        reason = "it has another type on each side of an `if`"
        return Carried.of(name, Undefined(name, reason), SIDES)
