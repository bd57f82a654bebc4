"""Statements that tracers of JAX drive, as `lax.cond`, `lax.while_loop` and `lax.scan`."""

from __future__ import annotations

import contextlib
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
from .carried_names import agree, arrays_of, cast, is_type, joined, mapped, state_of, typed
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
        first = layout = after = None
        ends: set[int] = set()  # the sides that come to their ends

        def arrays_of_side(number: int) -> list:
            nonlocal first, layout, after
            state = (undefined.UndefinedReturnValue(),) * len(names)  # never read, if it raises
            with self.ended_by_raise():
                state = self._inside((*place, number), sides[number])[:live]
                ends.add(number)
            after = joined(names, after, state, SIDES) if number else state
            needed = mapped(typed, after)
            if number == 0:
                first, known = needed, self.known.get(place)
                layout = known[1] if known and agree(known[0], first) else first
            elif agree(layout, needed):
                layout = needed
            else:
                raise OtherLayout(first, needed)
            return arrays_of(layout, state)

        arrays = lax.cond(test, lambda: arrays_of_side(0), lambda: arrays_of_side(1))
        if not ends:
            self.checked_in = get_opaque_trace_state()
            raise StagedRaise
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

        return self._looped(loop_of, state, names, lambda: self._once(test, body, state, names))

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

        def loop_of(place, layout, step):
            def numbered(carried, row):
                arrays, index = carried
                item = items.item(row, index)
                after = step(lambda *values: masked(item, *values), arrays)
                return (after, index + 1 if items.is_numbered else index), None

            start = arrays_of(layout, state), 0 if items.is_numbered else ()
            return lax.scan(numbered, start, items.rows(), items.count)[0][0]

        finals = self._looped(loop_of, state, names, lambda: masked(items.at(0), *state))
        starts = True if extra_test is None else extra_test(*state)
        if self.is_staged(starts) or not starts:
            return finals
        # the first iteration surely runs, and what it sets has a value from then on
        are_set = [not isinstance(value, undefined.Undefined) for value in first]
        return tuple(
            final.value if is_set and isinstance(final, undefined.MaybeSet) else final
            for final, is_set in zip(finals, are_set, strict=True)
        )

    def _looped(self, loop_of: Callable, state: tuple, names, once: Callable) -> tuple:
        """The state after a loop that `loop_of(place, layout, step)` makes, where `step(body,
        arrays)` is what is carried after `body(*state)`. At first all numbers are carried; where
        one has to be Python's, those that an iteration changes. A loop all of whose iterations
        raise is `once()`, its first one.
        """
        place, layout, final, is_fixed = self._next_place(), mapped(typed, state), state, False

        def step(body, arrays) -> list:
            nonlocal final
            before, choices = state_of(layout, arrays), self.choices
            after = self._inside((*place, "body"), body, *before)
            final = joined(names, state, after, ITERATIONS, before)
            needed = joined(names, layout, final, ITERATIONS)
            # JAX begins with types as strong as these, which sides of choices are cast to
            if not agree(layout, needed, weakly=self.choices == choices):
                raise OtherLayout(needed)
            return arrays_of(layout, after, final, arrays)

        while True:
            try:
                return state_of(layout, loop_of(place, layout, step), final)
            except OtherLayout as needed:
                (layout,), is_fixed = needed.args, True
            except StagedRaise:
                return once()
            except self.refusals:
                if is_fixed:
                    raise
                layout, is_fixed = state, True

    @contextlib.contextmanager
    def ended_by_raise(self):
        """A block that a `raise` may end. JAX forgets one in a function that it traces inside."""
        try:
            yield
        except StagedRaise as end:
            if self.checked_in != get_opaque_trace_state():
                refusal = unsupported("JAX traces a function that always raises", "Return a value.")
                raise refusal.with_traceback(end.__traceback__) from None

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
