"""Statements that tracers of JAX drive, as `lax.cond`, `lax.while_loop` and `lax.scan`."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from ...autograph.current_trace import unsupported
from ...autograph.errors import NotStagedError
from ...autograph.forms import counted_for, for_each
from ...autograph.operators.raising import StagedRaise
from ...autograph.operators.undefined import MaybeSet, Undefined, UnsetByBranchError
from ...autograph.stager import OUTER, Stager
from .builtins_on_tracers import TABLE, scalar_truth
from .carried_names import ARRAYS, FIRST, Block, Carried, arrays_of, leaves_of, state_of, type_of
from .items_of_loops import Items, items_of

SIDES = "after the two sides of a choice"
ITERATIONS = "before and after an iteration of a loop"


class JaxStager(Stager):
    """Tracers whose values are unknown are staged; arrays and Python's values are not."""

    refusals = (
        NotStagedError, UnsetByBranchError, jax.errors.JAXTypeError, jax.errors.JAXIndexError,
    )  # fmt: skip

    def __init__(self) -> None:
        self.forms = {**TABLE, for_each: self.for_each}

    def is_staged(self, value) -> bool:
        if isinstance(value, jax.core.Tracer):
            known = getattr(value, "to_concrete_value", None)  # under `grad` alone
            return known is None or known() is None
        return isinstance(value, Items)

    def is_tensor(self, value) -> bool:
        return isinstance(value, jax.Array)

    def scope_of(self, value) -> int:
        return OUTER

    def form(self, function: Callable) -> Callable | None:
        try:
            return self.forms.get(function)
        except TypeError:  # it has no hash
            return None

    def checkpoint(self) -> Any:
        return 0  # what nobody reads is dead code, so nothing is dropped

    def cond(self, test, then, orelse, names, live: int) -> tuple:
        test = scalar_truth(test)
        blocks = [Block(lambda _: then()), Block(lambda _: orelse())]
        states = [block.state for block in blocks if not block.raises]
        rows = enumerate(zip(names, *states, strict=True)) if states else ()
        layouts = [_after_choice(*row, is_live=at < live) for at, row in rows]
        arrays = lax.cond(test, *(functools.partial(block.arrays, layouts) for block in blocks))
        if not states:
            raise StagedRaise
        return state_of(layouts, arrays)

    def while_loop(self, test, body, state, names, options) -> tuple:
        limit = options.get("maximum_iterations")
        if isinstance(limit, int):  # masked steps, which have a derivative in reverse mode
            loop = (lambda _, *values: body(*values), test, state, names)
            return self._counted(Items(limit, is_numbered=False), *loop)
        layouts, block = _traced_body(body, state, names)
        after = lax.while_loop(
            lambda arrays: scalar_truth(test(*state_of(layouts, arrays))),
            lambda arrays: block.arrays(layouts, *arrays),
            arrays_of(layouts, state),
        )
        return state_of(layouts, after)

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

        def step(row, index, *values):
            item = items.item_of(row, index)
            going_on = True if extra_test is None else extra_test(*values)
            if self.is_staged(going_on):
                sides = (lambda: iteration(item, *values), lambda: values)
                return self.cond(going_on, *sides, names, len(names))
            return iteration(item, *values) if going_on else values

        rows = items.rows, jnp.arange(items.count) if items.is_numbered else ()
        layouts, block = _traced_body(step, state, names, rows)
        after, _ = lax.scan(
            lambda arrays, row: (block.arrays(layouts, *jax.tree.leaves(row), *arrays), None),
            arrays_of(layouts, state), rows, items.count,
        )  # fmt: skip
        finals = state_of(layouts, after)
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


def _after_choice(name: str, value, *others, is_live: bool) -> Carried:
    """How a name is carried after the sides of a choice, one of which may raise."""
    layout = Carried.of(name, value, SIDES)
    try:
        return layout.joined(*others) if others else layout.owned()
    except NotStagedError:
        if is_live:
            raise
        reason = "it has another type on each side of an `if`"
        return Carried.of(name, Undefined(name, reason), SIDES)


def _traced_body(step: Callable, state: tuple, names, rows=()) -> tuple[list[Carried], Block]:
    """How a loop carries its state, and its body, traced until its types are those that it began
    with. All numbers are carried at first, and then those that an iteration may change.
    """
    arrays, structure = jax.tree.flatten(rows)
    heads = [type_of(FIRST, jax.typeof(array)) for array in arrays]
    if arrays and len(jax.tree.leaves(rows[1])):
        heads[-1] = jax.typeof(0)  # an index is as weakly typed as a number of Python
    inside: tuple = ()

    def traced(layouts: list[Carried]) -> Block:
        def run(values) -> tuple:
            nonlocal inside
            row = jax.tree.unflatten(structure, values[: len(heads)])
            inside = state_of(layouts, values[len(heads) :])
            return step(*row, *inside)

        block = Block(run, [*heads, *(each for layout in layouts for each in layout.types())])
        if block.raises:
            raise unsupported("each iteration of a loop raises", "Raise it without the loop.")
        return block

    starts = [Carried.of(*row, ITERATIONS) for row in zip(names, state, strict=True)]
    layouts = [start.owned(ARRAYS) for start in starts]
    try:
        block = traced(layouts)
        keeping = zip(layouts, starts, inside, block.state, strict=True)
        kept = [layout.keeping(*row) for layout, *row in keeping]
    except JaxStager.refusals:  # a number may have to be one of Python's
        kept = starts
    if any(map(operator.is_not, kept, layouts)):
        block = traced(layouts := kept)
    while True:
        pairs = zip(layouts, block.state, strict=True)
        joined = [layout.joined(value) for layout, value in pairs]
        if all(map(operator.is_, joined, layouts)):
            return layouts, block
        block = traced(layouts := joined)
