"""Staged loops in NumPy mode.

Names that exchange arrays, as in `a, b = b, a`, carry the elements and the number of the array that
each stands for. During the loop these names are the only ones of their arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from ....autograph.forms import counted_for
from ....autograph.operators.raising import Retrace
from ....autograph.operators.undefined import Undefined, UndefinedReturnValue
from ....runtime.core.dtypes import FROM_NUMPY
from ....runtime.ir.constant_values import full_constant
from ....runtime.ir.op import TABLE as OPS
from ....runtime.tensors.apply import BUILDER
from ....runtime.tensors.graph_builder import Builder
from ...control_flow.recorded_statements import StagedLoop, plain
from ..iteration import items_of
from ..lists.traced_list import TracedList
from ..new_arrays import is_traced
from ..refusal import SHARED, Layouts, RefusedError, Statement, is_interruption, noun, numpy_trace
from ..storage import ExchangedElements, SelectedStorage, Storage
from ..traced_array import TracedArray
from ..traced_scalar import TracedScalar, boolean, require, scalar_of
from . import changing_sizes
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
    share,
    storages_of,
    united,
    without_flag,
)
from .staged_statements import retried
from .tuples import Absent, body_of_parts, spread, with_tuples

MOST_ITERATIONS = 2**56  # in any feasible time
ENTERED = "entered"  # the option that says whether there is an iteration in each call


def record_while(test: Callable, body: Callable, state, names, options: dict) -> tuple:
    """The state after a loop, as the stager gives it.

    Where a name has another type after the first iteration than before, as in `x = x * 0.5` of
    integers, that iteration is recorded before the loop. Python runs calls without one. It runs
    calls with one where an item of an empty list, whose type is a guess, makes each raise.
    """
    builder = BUILDER.get()
    try:
        return _recorded(test, body, state, names, options)
    except Exception as error:
        if is_interruption(error) or not numpy_trace().has_guessed:
            raise
        require(OPS["logical_not"](boolean(test(*state))))
        return tuple(map(without_flag, state))
    except RefusedError as error:
        if error.about is not builder:
            raise
    if not options.get(ENTERED, False):
        require(boolean(test(*state)))
    options[ENTERED] = False
    return _recorded(test, body, tuple(body(*state)), names, options)


def _recorded(test: Callable, body: Callable, state, names, options: dict) -> tuple:
    builder, state = BUILDER.get(), tuple(map(without_flag, state))

    def attempt(statement: Statement):
        forms = statement.forms
        parts = spread(forms, state)
        goes_on = lambda *values: test(*with_tuples(forms, values))  # noqa: E731
        step = partial(body_of_parts, builder, forms, body)
        loop = _While(goes_on, step, parts, spread(forms, names), statement.layouts)
        loop.options = options
        loop.is_entered = options.get(ENTERED, False)
        return with_tuples(forms, loop.results())

    return retried(attempt, (None,) * len(state), (*names, *map(carried_as, state)))


class _While(StagedLoop):
    """One attempt to record a loop: `layouts` says of each name how it is carried, or None."""

    def __init__(self, test, body, state, names, layouts):
        super().__init__()
        self.test, self.body = test, body
        self.state = tuple(state)
        self.layouts: list[Carried | None] = layouts or [
            None if type(value) is TracedArray else carried_as(value) for value in self.state
        ]
        self.rows = list(zip(names, self.state, self.layouts, strict=True))
        self.options = None  # of the loop in the program
        self.is_entered = False  # whether there is an iteration in each call
        self.has_entered = False  # whether the graph leaves to Python a loop without iterations

    def results(self) -> tuple:
        self._require_an_iteration()
        self.names = [CarriedName(self, *row) for row in self.rows]
        originals = self._exchanged(self.state)
        for storage in originals:
            storage.is_exchanged_in_loop = True
        try:
            goes_on, after, carried = self.traced()
        finally:
            for storage in originals:
                storage.is_exchanged_in_loop = False
        numpy_trace().check_writes(self.outer)
        self._check_names(after)
        values = self.after_loop(goes_on, after, carried)
        numpy_trace().leave([self.tester, self.stepper])
        ends = [after] if self.has_entered else [self.state, after]
        own = [at for at, layout in enumerate(self.layouts) if type(layout) is Array]
        values = united(values, own, ends)
        places = self._exchanged(values)
        entered = self._exchanged([carried.entered for carried in self.names])
        is_written = any(storage.is_written for storage in entered)
        for index, storage in enumerate(originals):
            storage.is_written = storage.is_written or is_written
            storage.exchanged = ExchangedElements(index, places)
        return tuple(values)

    def traced_test(self, state):
        goes_on = boolean(self.test(*state))
        numpy_trace().indexed.check(self.tester)
        return goes_on

    def traced_body(self, state) -> tuple[tuple, list]:
        after = self._with_lists(state, tuple(map(without_flag, self.body(*state))))
        self._check(after)
        pairs = zip(self.names, after, strict=True)
        tensors = [tensor for carried, final in pairs for tensor in carried.flatten(final)]
        numpy_trace().indexed.check(self.stepper)
        return after, tensors

    def _with_lists(self, before: tuple, after: tuple) -> tuple:
        """The state after an iteration, where a name that leads to another list than before keeps
        its list, which gets the items of the other one.
        """
        result = list(after)
        for at, (old, new) in enumerate(zip(before, after, strict=True)):
            is_list = isinstance(old, TracedList) and new is not old
            if is_list and old.may_take(new, self.options) and _has_one_name(new, old, after):
                old.adopt(new)
                result[at] = old
        return tuple(result)

    def _check_names(self, after: tuple) -> None:
        """Refuse what changes in an iteration under one name, and is used in a later one under
        another: an array from outside, or one that two names have after an iteration.
        """
        trace, here = numpy_trace(), {self.tester, self.stepper}
        changed = [each for builder in here for each in trace.outdated.get(builder, ())]
        for storage in outside(self.outer, changed):
            for reader in trace.readers.get(storage, ()):
                if reader in here or any(map(reader.encloses, here)):
                    raise RefusedError(SHARED)
        pairs = zip(self.names, after, strict=True)
        ends = [final for carried, final in pairs if carried.has_changed(changed)]
        for final in ends:
            names = [each for each in after if type(each) is TracedArray and share(each, final)]
            if len(names) > 1:
                raise RefusedError(SHARED)

    def _exchanged(self, values) -> list[Storage]:
        """The storages of the names that exchange arrays."""
        pairs = zip(values, self.layouts, strict=True)
        return [value.storage for value, layout in pairs if type(layout) is Exchanged]

    def _require_an_iteration(self) -> None:
        """Where the state has other arrays after an iteration than before, or a value at all."""
        for _, value, layout in self.rows:
            if isinstance(value, UndefinedReturnValue):  # the flag of the `return` guards it
                continue
            if type(layout) is Array or (layout is not None and isinstance(value, Undefined)):
                self.has_entered = True
        if self.has_entered and not self.is_entered:
            require(boolean(self.test(*self.state)))
        self.has_entered |= self.is_entered

    def _check(self, after: tuple) -> None:
        """Raise Retrace where names are to be carried in another way, RefusedError where there is
        none.
        """
        exchanged = self._exchanged_names(after)
        originals = tuple(self.state[at].storage for at in sorted(exchanged))
        try:
            wanted = [
                Exchanged(originals, now.dtype, now.shape)
                if at in exchanged
                else carried.wanted(now)
                for at, (carried, now) in enumerate(zip(self.names, after, strict=True))
            ]
        except RefusedError as error:
            raise RefusedError(str(error), self.outer) from None
        if wanted != self.layouts:
            raise Retrace(Layouts(self.outer, wanted))

    def _exchanged_names(self, after: tuple) -> set[int]:
        """The positions of the names that exchange whole arrays, which no other name has."""
        position = {
            id(carried.entered.storage): at
            for at, carried in enumerate(self.names)
            if carried.may_be(carried.entered) and self._is_free(carried)
        }
        pairs = zip(self.names, after, strict=True)
        names = {
            at: position[id(now.storage)]
            for at, (carried, now) in enumerate(pairs)
            if at in position.values() and carried.may_be(now) and id(now.storage) in position
        }
        while set(names) != set(names.values()):
            ends = set(names.values())
            names = {at: source for at, source in names.items() if source in names and at in ends}
        return {
            at
            for at, source in names.items()
            if at != source or type(self.layouts[at]) is Exchanged
        }

    def _is_free(self, carried: CarriedName) -> bool:
        """Whether nothing else than a name has the array that an iteration finds in it."""
        storage, initial = carried.entered.storage, carried.value.storage
        count = sum(type(each) is TracedArray and each.storage is initial for each in self.state)
        is_known = storage.copy_of or storage.copies or storage.exchanged
        return not is_known and count == 1 and initial.scope is self.outer


class CarriedName:
    """How a loop carries a name: by a `layout`, or not where that is None, as it must not change.

    value    what it holds before the loop
    slots    the tensors of that
    entered  what it holds at the start of an iteration
    """

    def __init__(self, loop: _While, name, value, layout: Carried | None):
        self.loop, self.name, self.value, self.layout = loop, name, value, layout
        self.slots = [] if layout is None else flattened(value, layout)
        self.entered: Any = value

    def placeholder(self, builder: Builder):
        if self.layout is None:
            return self.value
        leaves = [
            builder.input(FROM_NUMPY[dtype], shape, plain(self.name))
            for dtype, shape in self.layout.leaves
        ]
        if isinstance(self.value, Absent) or not isinstance(self.value, Undefined):
            self.entered = self.layout.unflatten(iter(leaves))
        return self.entered

    def flatten(self, final) -> list:
        """The tensors of the value after an iteration, which may overwrite what it began with."""
        if self.layout is None:
            return []
        return flattened(final, self.layout, (*storages_of(self.entered), None)[0])

    def has_changed(self, changed: list[Storage]) -> bool:
        """Whether an iteration changes the array that it begins with; some may be `changed`."""
        if type(self.layout) is not Array or type(self.entered) is not TracedArray:
            return False
        return self.entered.storage.is_written or self.entered.storage in changed

    def wanted(self, now) -> Carried | None:
        """How to carry the name that holds this value after an iteration."""
        layout, before = self.layout, self.entered
        if layout is None and is_same(before, now):
            return None
        if changing_sizes.has_other_size(before, now, bool(getattr(layout, "sized", ()))):
            return self._of_other_size(now)
        if type(now) is TracedArray and not now.computed and not is_same(before, now):
            if not isinstance(self.value, (Undefined, TracedArray)):
                raise RefusedError(f"'{self.name}' is an array after an iteration")
            arrays = [value for value in (self.value, now) if type(value) is TracedArray]
            return joined_arrays(self.loop.outer, layout, arrays)
        if layout is None and isinstance(before, Undefined):
            if not self.name.isidentifier():  # its presence may have decided what is traced
                raise RefusedError(f"a loop sets {self.name}, which is missing before it")
            return None if isinstance(now, Undefined) else carried_as(now)
        return self._joined(layout, now)

    def _joined(self, known: Carried | None, now) -> Carried:
        """How to carry the name that is carried as known, and holds this after an iteration."""
        last = carried_or_nothing(now)
        if known is None:
            known = carried_or_nothing(self.entered)
            if None in (known, last):
                numpy_trace().let_change(self.entered)
                raise RefusedError(f"'{self.name}' changes in a loop, and is no number")
        elif last is None:
            raise RefusedError(f"'{self.name}' is no number after an iteration")
        return joined(self.name, known, last)

    def _of_other_size(self, now: TracedArray) -> Array:
        """How to carry the name that stands for an array of another size after an iteration."""
        if type(self.layout) is Array and self.layout.sized:
            memory = changing_sizes.grown(self.layout.shape, now)
        else:
            is_array = type(self.value) is TracedArray
            memory = changing_sizes.largest([self.value if is_array else self.entered, now])
        return joined_sizes(self.loop.outer, self.layout, memory, [self.value, now])

    def may_be(self, value) -> bool:
        """Whether a value is a whole array, of the type of the one that the name has."""
        if type(value) is not TracedArray or value.path or type(self.value) is not TracedArray:
            return False
        if SelectedStorage in (type(value.storage), type(self.value.storage)):
            return False
        return None is not carried_as(value) == carried_as(self.value)

    def after_loop(self, outputs: Iterator, final):
        layout, has_entered = self.layout, self.loop.has_entered
        if layout is None:
            return self._constant(final)
        if has_entered and type(layout) is Array and layout.sources:  # an iteration has given it
            made_of = outside(self.loop.outer, storages_of(final))
            layout = layout._replace(sources=tuple(dict.fromkeys(made_of)))
        value = layout.unflatten(outputs)
        if type(value) is type(self.value) is TracedArray:
            value.storage.grown_from = self.value.storage
        if has_entered and type(layout) is Number and layout.others:
            is_known = layout._replace(others=()) == carried_as(final)
            value.others = () if is_known else value.others  # an iteration has given it
        return value

    def _constant(self, final):
        """The value after the loop of a name that is not carried."""
        if type(self.value) is list:  # the loop may give it another list of the same items
            return list(self.value)
        if isinstance(final, Undefined) and isinstance(self.value, Undefined):
            return final  # with the reason why there is none, or why it differs
        if not isinstance(self.value, UndefinedReturnValue):
            return self.value
        if not is_from_outside(self.loop.outer, final):
            raise RefusedError(f"{noun(final)} of an iteration is returned")
        return final  # the flag of the `return` guards it


def _has_one_name(new: TracedList, old: TracedList, values: tuple) -> bool:
    """Whether a list of an iteration has one name after it, and the one of before has none."""
    return new.home is BUILDER.get() and sum(value is new or value is old for value in values) == 1


# ---- for -------------------------------------------------------------------------------------


def record_for(source, body: Callable, extra_test, state, names, options=None) -> tuple:
    """The state after a loop over a range, or over the rows of an array."""
    items = items_of(source)
    if items is None:
        raise RefusedError(f"a loop over {noun(source)}")

    def at(index):
        return items.at(TracedScalar(index.tensor, int, MOST_ITERATIONS))

    options = {} if options is None else options
    options[ENTERED] = has_items(items, extra_test, state)
    if _is_empty(items):
        return state
    start = scalar_of(0)
    results = counted_for(start, items.count, at, body, extra_test, state, names, options)
    items.check_lists()
    return results


def both_hold(test, other: Callable):
    """Whether two tests of a loop hold, of which one is computed: `other()` has no effects."""
    more = other()
    return more & test if is_traced(more) else (test if more else False)


def _is_empty(items) -> bool:
    """Whether there are no items in any call."""
    count = full_constant(BUILDER.get().value_of(items.count.tensor))
    return items.count.bound == 0 if count is None else int(count) < 1


def has_items(items, extra_test=None, state: tuple = ()) -> bool:
    """Whether a loop over items has an iteration in each call."""
    count = full_constant(BUILDER.get().value_of(items.count.tensor))
    if count is None or count < 1:
        return False
    more = True if extra_test is None else extra_test(*state)
    return not is_traced(more) and bool(more)
