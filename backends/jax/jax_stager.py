"""Statements that tracers of JAX drive, as `lax.cond`, `lax.while_loop` and `lax.scan`."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from ...autograph.errors import NotStagedError
from ...autograph.forms import counted_for, for_each
from ...autograph.operators.undefined import Undefined
from ...autograph.stager import OUTER, Stager
from .builtins_on_tracers import TABLE, Items, items_of, scalar_truth
from .carried_names import Block, Carried, arrays_of, parts_of, spec_of, state_of
from .installed_jax import jax, lax

SIDES = "after the two sides of a choice"
ITERATIONS = "before and after an iteration of a loop"


class JaxStager(Stager):
    """Tracers whose values are unknown are staged; arrays and Python's values are not."""

    def __init__(self) -> None:
        errors = jax.errors
        self.refusals = (NotStagedError, errors.JAXTypeError, errors.JAXIndexError)
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
        first, second = Block(lambda _: then()), Block(lambda _: orelse())
        rows = zip(names, first.state, second.state, strict=True)
        layouts = [_after_choice(*row, at < live) for at, row in enumerate(rows)]
        sides = [lambda side=side: side.arrays(layouts) for side in (first, second)]
        return state_of(layouts, lax.cond(test, *sides))

    def while_loop(self, test, body, state, names, options) -> tuple:
        limit = options.get("maximum_iterations")
        if isinstance(limit, int):  # masked steps, which have a derivative in reverse mode
            loop = (lambda _, *values: body(*values), test, state, names)
            return self._counted(Items.of_rows(limit, ()), *loop)
        layouts, block = _traced_body(lambda _, *values: body(*values), state, names)
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
        if not items.is_numbered:
            return self._counted(items, body, extra_test, state, names)

        def numbered(row, index, *values):
            return (index + 1, *body(items.item_of(row, index), *values))

        extra = None if extra_test is None else (lambda _, *values: extra_test(*values))
        rows = Items.of_rows(items.count, items.rows)
        after = self._counted(rows, numbered, extra, (0, *state), ("loop counter", *names))
        return after[1:]

    def _counted(self, items: Items, body, extra_test, state, names) -> tuple:
        """The state after `body(row, *state)` for each row, while `extra_test(*state)` holds."""
        if items.count == 0:
            return state
        outcome: tuple = ()

        def iteration(row, *values):
            nonlocal outcome
            outcome = body(row, *values)
            return outcome

        def step(row, *values):
            going_on = True if extra_test is None else extra_test(*values)
            if self.is_staged(going_on):
                sides = (lambda: iteration(row, *values), lambda: values)
                return self.cond(going_on, *sides, names, len(names))
            return iteration(row, *values) if going_on else values

        layouts, block = _traced_body(step, state, names, items.rows)
        after, _ = lax.scan(
            lambda arrays, row: (block.arrays(layouts, *jax.tree.leaves(row), *arrays), None),
            arrays_of(layouts, state), items.rows, items.count,
        )  # fmt: skip
        finals = state_of(layouts, after)
        starts = True if extra_test is None else extra_test(*state)
        if self.is_staged(starts) or not starts:
            return finals
        # the first iteration surely runs, and what it sets has a value from then on
        are_set = [parts_of(value)[0] is True for value in outcome]
        rows = zip(finals, are_set, strict=True)
        return tuple(parts_of(final)[1] if is_set else final for final, is_set in rows)


def _after_choice(name: str, then, orelse, is_live: bool) -> Carried:
    try:
        return Carried.of(name, then, SIDES).joined(orelse)
    except NotStagedError:
        if is_live:
            raise
        reason = "it has another type on each side of an `if`"
        return Carried.of(name, Undefined(name, reason), SIDES)


def _traced_body(step: Callable, state: tuple, names, rows=()) -> tuple[list[Carried], Block]:
    """How a loop carries its state, and its body, traced until its types are those that it began
    with. It starts with the values before the loop, so what it does not change is not carried.
    """
    arrays, structure = jax.tree.flatten(rows)
    heads = [spec_of(array) for array in arrays]
    heads = [head._replace(shape=head.shape[1:]) for head in heads]
    layouts = [Carried.of(*row, ITERATIONS) for row in zip(names, state, strict=True)]
    while True:

        def run(values):
            row = jax.tree.unflatten(structure, values[: len(heads)])
            return step(row, *state_of(layouts, values[len(heads) :]))  # noqa: B023

        block = Block(run, [*heads, *(spec for layout in layouts for spec in layout.specs())])
        pairs = zip(layouts, block.state, strict=True)
        joined = [layout.joined(value) for layout, value in pairs]
        if all(map(operator.is_, joined, layouts)):
            return layouts, block
        layouts = joined
