"""Staged loops in NumPy mode.

Names that exchange arrays, as in `a, b = b, a`, carry the elements and the number of the array that
each stands for. During the loop these names are the only ones of their arrays.
"""

from __future__ import annotations

from collections.abc import Callable

from ....autograph.operators.raising import Retrace
from ....autograph.operators.undefined import Undefined, UndefinedReturnValue
from ....runtime.core.dtypes import FROM_NUMPY
from ....runtime.ir.constant_values import full_constant
from ....runtime.tensors.apply import BUILDER
from ....runtime.tensors.graph_builder import Builder
from ...control_flow.recorded_statements import LoopBuilders, plain
from ..iteration import items_of
from ..lists.traced_list import TracedList
from ..new_arrays import is_traced
from ..refusal import Layouts, RefusedError, Statement, noun, numpy_trace
from ..storage import Places, Reference, Storage
from ..traced_array import TracedArray
from ..traced_scalar import LARGE, Growth, TracedScalar, boolean, require, scalar_of
from .carried_values import (
    Array,
    Carried,
    Exchanged,
    Number,
    carried_as,
    carried_or_nothing,
    flattened,
    is_from_outside,
    is_same,
    joined,
    joined_arrays,
    joined_sizes,
    outside,
    storages_of,
    united,
)
from .changing_sizes import has_other_size, largest
from .staged_statements import retried
from .tuples import body_of_parts, spread, with_tuples

MOST_ITERATIONS = 2**56  # in any feasible time


def record_while(
    test: Callable,
    body: Callable,
    state,
    names,
    is_entered: bool = False,
    most: int | None = None,
    options=None,
) -> tuple:
    """The state after a loop; `test` and `body` as for the stager.

    is_entered  whether there is an iteration in each call
    most        an upper bound of the trip count, if one is known
    options     what the converted loop gives to the stager, if it is one of the program

    Where a name has another type after the first iteration than before, as in `x = x * 0.5` of
    integers, that iteration is recorded before the loop. Python runs calls without one.
    """
    builder = BUILDER.get()
    try:
        return _recorded(test, body, state, names, is_entered, most, options)
    except RefusedError as error:
        if error.builder is not builder:
            raise
    if not is_entered:
        require(boolean(test(*state)))
    return _recorded(test, body, tuple(body(*state)), names, False, most, options)


def _recorded(
    test: Callable, body: Callable, state, names, is_entered: bool, most, options
) -> tuple:
    builder = BUILDER.get()

    def attempt(statement: Statement):
        forms = statement.forms
        parts = spread(forms, state)
        goes_on = lambda *values: test(*with_tuples(forms, values))  # noqa: E731
        step = body_of_parts(builder, forms, body)
        loop = _While(goes_on, step, parts, spread(forms, names), statement.layouts)
        loop.is_entered, loop.most_iterations, loop.options = is_entered, most, options
        return with_tuples(forms, loop.results())

    return retried(attempt, (None,) * len(state))


class _While(LoopBuilders):
    """One attempt to record a loop: `layouts` says of each name how it is carried, or None."""

    def __init__(self, test, body, state, names, layouts):
        super().__init__()
        self.test = test
        self.body = body
        self.state = tuple(state)
        self.names = names
        self.layouts: list[Carried | None] = layouts or [
            None if type(value) is TracedArray else carried_as(value) for value in self.state
        ]
        self.most_iterations: int | None = None
        self.options = None  # of the loop in the program
        self.is_entered = False  # whether there is an iteration in each call
        self.has_entered = False  # whether the graph leaves to Python a loop without iterations

    def results(self) -> tuple:
        self._require_an_iteration()
        originals = self._exchanged(self.state)
        start = self._tensors(self.state)
        for one in originals:
            one.is_lent = True
        try:
            with self.tester:
                goes_on = boolean(self.test(*self._entered(self.tester)))
                numpy_trace().indexed.check(self.tester)
            with self.stepper:
                entered = self._entered(self.stepper)
                after = self._with_lists(entered, tuple(self.body(*entered)))
                self._check(entered, after)
                carried = self._tensors(after, entered)
                numpy_trace().indexed.check(self.stepper)
        finally:
            for one in originals:
                one.is_lent = False
        outputs = iter(self.record(start, goes_on, carried))
        values = [
            self._constant(at, after[at])
            if layout is None
            else self._after(at, outputs, entered[at], after[at])
            for at, layout in enumerate(self.layouts)
        ]
        ends = [after] if self.has_entered else [self.state, after]
        own = [at for at, layout in enumerate(self.layouts) if type(layout) is Array]
        values = united(values, own, ends)
        places = self._exchanged(values)
        is_written = any(one.is_written for one in self._exchanged(entered))
        for index, one in enumerate(originals):
            one.is_written = one.is_written or is_written
            one.places = Places(index, places)
        return tuple(values)

    def _with_lists(self, before: tuple, after: tuple) -> tuple:
        """The state after an iteration, where a name that leads to another list than before keeps
        its list, which gets the items of the other one.
        """
        result = list(after)
        for at, (old, new) in enumerate(zip(before, after, strict=True)):
            is_list = isinstance(old, TracedList) and new is not old
            if is_list and old.may_take(new, self.options) and _has_one_name(new, old, after):
                old.take(new)
                result[at] = old
        return tuple(result)

    def _exchanged(self, values) -> list[Storage]:
        """The storages of the names that exchange arrays."""
        pairs = zip(values, self.layouts, strict=True)
        return [value.storage for value, layout in pairs if type(layout) is Exchanged]

    def _tensors(self, values, entered=None) -> list:
        """The tensors that carry the state. The memory of what `entered` an iteration may be
        overwritten.
        """
        tensors = []
        for value, layout, old in zip(values, self.layouts, entered or values, strict=True):
            if layout is not None:
                is_free = entered and type(layout) is Array and layout.sized
                has_room = is_free and type(old) is TracedArray
                tensors += flattened(value, layout, old.storage.read() if has_room else None)
        return tensors

    def _require_an_iteration(self) -> None:
        """Where the state has other arrays after an iteration than before, or a value at all."""
        for value, layout in zip(self.state, self.layouts, strict=True):
            if isinstance(value, UndefinedReturnValue):  # the flag of the `return` guards it
                continue
            if type(layout) is Array or (layout is not None and isinstance(value, Undefined)):
                self.has_entered = True
        if self.has_entered and not self.is_entered:
            require(boolean(self.test(*self.state)))
        self.has_entered |= self.is_entered

    def _entered(self, builder: Builder) -> tuple:
        """The state as an iteration sees it."""
        values = []
        for name, value, layout in zip(self.names, self.state, self.layouts, strict=True):
            if layout is not None:
                leaves = [
                    builder.input(FROM_NUMPY[dtype], shape, plain(name))
                    for dtype, shape in layout.leaves
                ]
                if not isinstance(value, Undefined):
                    value = layout.unflatten(iter(leaves))
                    if _is_integer(layout):
                        value.growth = Growth(object(), 0)
            values.append(value)
        return tuple(values)

    def _check(self, entered: tuple, after: tuple) -> None:
        """Raise Retrace where names are to be carried in another way, RefusedError where there is
        none.
        """
        try:
            wanted = self._wanted(entered, after)
        except RefusedError as error:
            raise RefusedError(str(error), builder=self.outer) from None
        if wanted != self.layouts:
            raise Retrace(Layouts(self.outer, wanted))

    def _wanted(self, entered: tuple, after: tuple) -> list:
        """How each name is carried that has these values before and after an iteration."""
        wanted = list(self.layouts)
        exchanged = self._exchanged_names(entered, after)
        originals = tuple(self.state[at].storage for at in sorted(exchanged))
        growths = map(_growth_of, after)
        is_checked = any(one is not None and one.is_checked for one in growths)  # bounds save that
        for at, (before, now) in enumerate(zip(entered, after, strict=True)):
            layout = self.layouts[at]
            if at in exchanged:
                wanted[at] = Exchanged(originals, now.dtype, now.shape)
            elif layout is None and is_same(before, now):
                continue
            elif has_other_size(before, now, bool(getattr(layout, "sized", ()))):
                wanted[at] = self._of_other_size(at, before, now)
            elif type(now) is TracedArray and not now.computed and not is_same(before, now):
                if not isinstance(self.state[at], (Undefined, TracedArray)):
                    raise RefusedError(f"'{self.names[at]}' is an array after an iteration")
                arrays = [one for one in (self.state[at], now) if type(one) is TracedArray]
                wanted[at] = joined_arrays(self.outer, layout, arrays)
            elif layout is None and isinstance(before, Undefined):
                wanted[at] = carried_as(now)
            else:
                wanted[at] = self._joined(at, before, now)
                if is_checked or self._unbounded(at) != layout:
                    bound = self._bound(at, wanted[at], before, now)
                    wanted[at] = wanted[at] if bound is None else wanted[at]._replace(bound=bound)
        return wanted

    def _unbounded(self, at: int) -> Carried | None:
        """How a name is carried, but for the limit of an integer."""
        layout = self.layouts[at]
        return layout._replace(bound=None) if type(layout) is Number else layout

    def _joined(self, at: int, before, now) -> Carried:
        """How a name is carried that holds this value after an iteration."""
        known, last = self._unbounded(at), carried_or_nothing(now)
        if known is None:
            known = carried_or_nothing(before)
            if None in (known, last):
                raise RefusedError(f"'{self.names[at]}' changes in a loop, and is no number")
        elif last is None:
            raise RefusedError(f"'{self.names[at]}' is no number after an iteration")
        return joined(self.names[at], known, last)

    def _bound(self, at: int, layout: Carried, before, now) -> int | None:
        """A limit of an integer that each iteration adds to, if one is known."""
        growth = _growth_since(before, now)
        if None in (self.most_iterations, growth) or not _is_integer(layout):
            return None
        bound = scalar_of(self.state[at]).bound + self.most_iterations * growth.by
        return bound if bound + growth.by < LARGE else None

    def _of_other_size(self, at: int, before: TracedArray, now: TracedArray) -> Array:
        """How a name is carried that stands for an array of another size after an iteration."""
        layout, start = self.layouts[at], self.state[at]
        if type(layout) is Array and layout.sized:
            memory = layout.shape
        else:
            memory = largest([start if type(start) is TracedArray else before, now])
        return joined_sizes(self.outer, layout, memory, [start, now])

    def _exchanged_names(self, before: tuple, after: tuple) -> set[int]:
        """The positions of the names that exchange whole arrays, which no other name has."""
        position = {
            id(value.storage): at for at, value in enumerate(before) if self._is_owned(at, value)
        }
        names = {
            at: position[id(now.storage)]
            for at, now in enumerate(after)
            if at in position.values() and self._is_owned(at, now, position)
        }
        while set(names) != set(names.values()):
            sources = set(names.values())
            names = {at: one for at, one in names.items() if one in names and at in sources}
        return {
            at
            for at, source in names.items()
            if at != source or type(self.layouts[at]) is Exchanged
        }

    def _is_owned(self, at: int, value, position=None) -> bool:
        """Whether a value is a whole array, of the type of the state, that a name may take over."""
        if type(value) is not TracedArray or value.path or type(self.state[at]) is not TracedArray:
            return False
        if Reference in (type(value.storage), type(self.state[at].storage)):
            return False
        if carried_as(value) != carried_as(self.state[at]):
            return False
        one = value.storage
        if position is not None:
            return id(one) in position
        is_free = not (one.copy_of or one.copies or one.places)
        count = sum(type(other) is TracedArray and other.storage is self.state[at].storage
                    for other in self.state)  # fmt: skip
        return is_free and count == 1 and self.state[at].storage.scope is self.outer

    def _constant(self, at: int, final):
        """The value after the loop of a name that is not carried."""
        initial = self.state[at]
        if type(initial) is list:
            return list(initial)  # the loop may have given the name another list of the same items
        if not isinstance(initial, UndefinedReturnValue) or final is initial:
            return initial
        if isinstance(final, Undefined):  # with the reason why there is none
            return final
        if not is_from_outside(self.outer, final):
            raise RefusedError(f"{noun(final)} of an iteration is returned")
        return final  # the flag of the `return` guards it

    def _after(self, at: int, outputs, entered, final):
        layout = self.layouts[at]
        if (
            self.has_entered and type(layout) is Array and layout.sources
        ):  # an iteration has given it
            made_of = outside(self.outer, storages_of(final))
            layout = layout._replace(sources=tuple(dict.fromkeys(made_of)))
        value = layout.unflatten(outputs)
        if _is_integer(layout):
            value.growth = self._growth(at, entered, final)
        if self.has_entered and type(layout) is Number and layout.alternative is not None:
            is_known = layout._replace(alternative=None, bound=None) == carried_as(final)
            value.alternative = None if is_known else value.alternative  # an iteration has given it
        return value

    def _growth(self, at: int, entered, final) -> Growth | None:
        """How much the loop adds to an integer that a loop around it carries."""
        start, added = _growth_of(self.state[at]), _growth_since(entered, final)
        if None in (start, added, self.most_iterations):
            return None
        by = start.by + self.most_iterations * added.by
        return Growth(start.origin, by, start.is_checked or added.is_checked)


def _growth_since(before, now) -> Growth | None:
    """How much an integer has grown in an iteration, if it did nothing else."""
    first, last = map(_growth_of, (before, now))
    return last if first is not None and last is not None and last.origin is first.origin else None


def _growth_of(value) -> Growth | None:
    return value.growth if type(value) is TracedScalar else None


def _is_integer(layout: Carried | None) -> bool:
    return type(layout) is Number and layout.is_integer


def _has_one_name(new: TracedList, old: TracedList, values: tuple) -> bool:
    """Whether a list of an iteration has one name after it, and the one of before has none."""
    return new.home is BUILDER.get() and sum(one is new or one is old for one in values) == 1


# ---- for -------------------------------------------------------------------------------------


def record_for(source, body: Callable, extra_test, state, names, options=None) -> tuple:
    """The state after a loop over a range, or over the rows of an array; `options` as for
    `record_while`.
    """
    items = items_of(source)
    if items is None:
        raise RefusedError(f"a loop over {noun(source)}")

    def test(index, *values):
        inside = index < items.count
        if extra_test is None:
            return inside
        more = extra_test(*values)
        return more & inside if is_traced(more) else (inside if more else False)

    def step_body(index, *values):
        item = items.at(TracedScalar(index.tensor, int, MOST_ITERATIONS))
        after = index + 1
        return (TracedScalar(after.tensor, int, LARGE), *body(item, *values))

    changes = source.changes if isinstance(source, TracedList) else 0
    names = ("loop counter", *names)
    state = (scalar_of(0), *state)
    is_entered, most = _has_items(items, extra_test, state), _most_items(items)
    results = record_while(test, step_body, state, names, is_entered, most, options)[1:]
    if isinstance(source, TracedList) and source.changes != changes:
        raise RefusedError("a list grows while a loop goes over it")
    return results


def _most_items(items) -> int | None:
    """An upper bound of the number of items, if one is known."""
    count = full_constant(BUILDER.get().value_of(items.count.tensor))
    if count is not None:
        return max(int(count), 0)
    return items.count.bound if items.count.bound < LARGE else None


def _has_items(items, extra_test, state: tuple) -> bool:
    """Whether a loop over items has an iteration in each call."""
    count = full_constant(BUILDER.get().value_of(items.count.tensor))
    if count is None or count < 1:
        return False
    more = True if extra_test is None else extra_test(*state[1:])
    return not is_traced(more) and bool(more)
