"""Statements that tracers of JAX drive, as `lax.cond`, `lax.while_loop` and `lax.scan`."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
from jax import lax
from jax.extend.core import get_opaque_trace_state

from ...autograph.current_trace import unsupported
from ...autograph.errors import NotStagedError
from ...autograph.forms import counted_for, for_each
from ...autograph.operators import undefined
from ...autograph.operators.raising import StagedRaise, TraceSignal
from ...autograph.stager import OUTER, Effect, Stager
from .builtins_on_tracers import TABLE, scalar_truth
from .carried_names import Layout, arrays_of, joined
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
        # By the number of a choice: the layouts after its first side, and after both.
        self.known: dict[int, tuple] = {}
        # The number of the statement that is being traced, and that of choices so far.
        self.place = self.choices = 0
        self.checked_in: Any = None  # the trace of JAX that has the last check

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

    def effects_since(self, checkpoint) -> tuple:
        has_checks = checkpoint is None and self.checked_in is not None
        return (Effect(None, writes=True, may_raise=True, acts=True),) if has_checks else ()

    def cond(self, test, then, orelse, names, live: int) -> tuple:
        test, sides = scalar_truth(test), (then, orelse)
        self.choices, place = self.choices + 1, self.place + 1
        unread = tuple(undefined.Undefined(name, NOT_READ) for name in names[live:])
        while True:
            self.place = place
            try:
                return *self._choice(place, test, sides, tuple(names[:live])), *unread
            except OtherLayout as needed:
                self.known[place] = needed.args

    def _choice(self, place: int, test, sides, names) -> tuple:
        """The state after a choice, each number of which is carried, as few are the same on both
        sides. A side that raises has zeros in their place.
        """
        first = layout = after = Layout(())
        ends: set[int] = set()  # the sides that come to their ends

        def arrays_of_side(number: int) -> list:
            nonlocal first, layout, after
            state = self.until_raise(sides[number])
            if state is not None:
                ends.add(number)
            state = state or (undefined.UndefinedReturnValue(),) * len(names)  # which is never read
            own = Layout(state[: len(names)])
            after = joined(names, after, own, SIDES) if number else own
            needed = after.typed()
            if number == 0:
                first, known = needed, self.known.get(place)
                layout = known[1] if known and known[0].agrees(first) else first
            elif layout.agrees(needed):
                layout = needed
            else:
                raise OtherLayout(first, needed)
            return arrays_of(layout, own)

        arrays = lax.cond(test, lambda: arrays_of_side(0), lambda: arrays_of_side(1))
        if not ends:
            self.checked_in = get_opaque_trace_state()
            raise StagedRaise
        return after.after(layout, arrays)

    def while_loop(self, test, body, state, names, options) -> tuple:
        limit = options.get("maximum_iterations")
        if isinstance(limit, int):  # masked steps, which have a derivative in reverse mode
            step = (lambda _, *values: body(*values), test, state, names)
            return self._counted(Items(limit, ()), *step)

        def loop(read, step, start):
            def truth(arrays):
                return scalar_truth(test(*read(arrays)))

            return lax.while_loop(truth, lambda arrays: step(body, arrays), start)

        return self._looped(loop, state, names, lambda: self._once(test, body, state, names))

    def _once(self, test, body, state, names) -> tuple:
        """The state after `if test(*state): state = body(*state)`."""
        going_on = True if test is None else test(*state)
        if self.is_staged(going_on):
            return self.cond(going_on, lambda: body(*state), lambda: state, names, len(names))
        return body(*state) if going_on else state

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
            return counted_for(0, items.count, items.at, body, extra_test, state, names, options)
        if isinstance(limit, int):
            items = Items(min(limit, items.count), items.parts)
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
            return self._once(extra_test, functools.partial(iteration, item), values, names)

        def loop(read, step, start):
            def numbered(carried, row):
                arrays, index = carried
                item = items.at(index, row)
                after = step(lambda *values: masked(item, *values), arrays)
                return (after, index + 1 if items.is_numbered else index), None

            rows = [array[: items.count] for array in items.arrays()]
            start = start, 0 if items.is_numbered else ()
            return lax.scan(numbered, start, rows, items.count)[0][0]

        finals = self._looped(loop, state, names, lambda: masked(items.at(0), *state))
        starts = True if extra_test is None else extra_test(*state)
        if self.is_staged(starts) or not starts:
            return finals
        # the first iteration surely runs, and what it sets has a value from then on
        is_set = [not isinstance(value, undefined.Undefined) for value in first]
        return tuple(
            final.value if sure and isinstance(final, undefined.MaybeSet) else final
            for final, sure in zip(finals, is_set, strict=True)
        )

    def _looped(self, loop: Callable, state: tuple, names, once: Callable) -> tuple:
        """The state after `loop(read, step, start)`, where `read(arrays)` is the state of what is
        carried, and `step(body, arrays)` what is carried after `body(*state)`. At first all numbers
        are; where one has to be Python's, those that an iteration changes. A loop all of whose
        iterations raise is `once()`, its first one.
        """
        start, place = Layout(state), self.place + 1
        layout, final, is_fixed = start.typed(), start, False

        def read(arrays) -> tuple:
            return layout.state(layout.filled(arrays))

        def step(body, arrays) -> list:
            nonlocal final
            before, choices = read(arrays), self.choices
            after = Layout(body(*before))
            final = joined(names, start, after, ITERATIONS, Layout(before))
            needed = joined(names, layout, final, ITERATIONS)
            # JAX begins with types as strong as these, which sides of choices are cast to
            if not layout.agrees(needed, weakly=self.choices == choices):
                raise OtherLayout(needed)
            return arrays_of(layout, after, final, layout.filled(arrays))

        while True:
            self.place = place
            try:
                arrays = loop(read, step, arrays_of(layout, start))
                return final.after(layout, arrays)
            except OtherLayout as needed:
                (layout,), is_fixed = needed.args, True
            except StagedRaise:
                return once()
            except self.refusals:
                if is_fixed:
                    raise
                layout, is_fixed = start, True

    def until_raise(self, block: Callable) -> Any:
        """What a block gives; None if a `raise` ends it, which JAX forgets in inner functions."""
        try:
            return block()
        except StagedRaise as end:
            if self.checked_in != get_opaque_trace_state():
                refusal = unsupported("JAX traces a function that always raises", "Return a value.")
                raise refusal.with_traceback(end.__traceback__) from None
        return None
