"""Staged loops in NumPy mode.

Names that exchange arrays, as in `a, b = b, a`, carry the elements and the number of the array that
each stands for. During the loop these names are the only ones of their arrays.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ....autograph.operators.undefined import Undefined, UndefinedReturnValue
from ....runtime.core.dtypes import FROM_NUMPY
from ....runtime.ir.constant_values import full_constant
from ....runtime.ir.op import TABLE as OPS
from ....runtime.tensors.apply import BUILDER, constant_of
from ....runtime.tensors.graph_builder import Builder
from ...control_flow.staged_cond import share_operands
from ..iteration import items_of
from ..lists.traced_list import TracedList
from ..new_arrays import is_traced
from ..refusal import ChangingStateError, RefusedError, StateTypesError, noun
from ..storage import Places, Reference, Storage
from ..traced_array import TracedArray
from ..traced_scalar import LARGE, Growth, TracedScalar, boolean, require, scalar_of
from ..views import INDEXED
from .changing_sizes import has_other_size, largest, sized_axes
from .staged_statements import retried
from .state_types import (
    StateType,
    array_type,
    is_from_outside,
    is_same,
    joined,
    origins_of,
    outside,
    state_type_of,
    storages_of,
    tensors_as,
    type_or_nothing,
    united,
    value_from,
)
from .tuples import body_of_parts, named, spread, with_tuples

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
    except ChangingStateError as error:
        if error.builder is not builder:
            raise
    if not is_entered:
        require(boolean(test(*state)))
    return _recorded(test, body, tuple(body(*state)), names, False, most, options)


def _recorded(
    test: Callable, body: Callable, state, names, is_entered: bool, most, options
) -> tuple:
    forms: list = [None] * len(state)  # of names that hold tuples
    builder = BUILDER.get()

    def attempt(state_types):
        parts = spread(forms, state)
        goes_on = lambda *values: test(*with_tuples(forms, values))  # noqa: E731
        step = body_of_parts(builder, forms, body)
        loop = _While(goes_on, step, parts, named(forms, names), state_types)
        loop.is_entered, loop.most_iterations, loop.options = is_entered, most, options
        return with_tuples(forms, loop.results())

    def restructure(error):
        forms[error.at] = error.form

    return retried(attempt, restructure)


class _While:
    def __init__(self, test, body, state, names, state_types):
        self.test = test
        self.body = body
        self.state = tuple(state)
        self.names = names
        self.outer = BUILDER.get()
        self.state_types = state_types or [
            None if type(value) is TracedArray else state_type_of(value) for value in self.state
        ]
        self.most_iterations: int | None = None
        self.options = None  # of the loop in the program
        self.is_entered = False  # whether there is an iteration in each call
        self.has_entered = False  # whether the graph leaves to Python a loop without iterations

    def results(self) -> tuple:
        self._require_an_iteration()
        tester = Builder(f"{self.outer.name}.test", self.outer)
        stepper = Builder(f"{self.outer.name}.body", self.outer)
        originals = self._exchanged(self.state)
        start = self._tensors(self.state, originals)
        for one in originals:
            one.is_lent = True
        try:
            with tester:
                goes_on = boolean(self.test(*self._entered(tester)))
                INDEXED.get().check(tester)
            with stepper:
                entered = self._entered(stepper)
                after = self._with_lists(entered, tuple(self.body(*entered)))
                self._check(entered, after)
                carried = self._tensors(after, rooms=entered)
                INDEXED.get().check(stepper)
        finally:
            for one in originals:
                one.is_lent = False
        graphs, operands = share_operands([tester, stepper], [[goes_on], carried])
        attrs = {"test": graphs[0], "body": graphs[1], "carried": len(carried)}
        made = self.outer.record(OPS["while"], [*start, *operands], attrs, "while")
        outputs = iter(made if isinstance(made, tuple) else (made,))
        values = tuple(
            self._constant(at, after[at])
            if state_type is None
            else self._after(at, outputs, entered[at], after[at])
            for at, state_type in enumerate(self.state_types)
        )
        ends = [after] if self.has_entered else [self.state, after]
        carried = [at for at, one in enumerate(self.state_types) if one and not one.is_exchanged]
        values = tuple(united(values, carried, ends))
        places = self._exchanged(values)
        is_written = any(one.is_written for one in self._exchanged(entered))
        for index, one in enumerate(originals):
            one.is_written = one.is_written or is_written
            one.places = Places(index, places)
        return values

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
        return [
            value.storage
            for value, state_type in zip(values, self.state_types, strict=True)
            if state_type is not None and state_type.is_exchanged
        ]

    def _tensors(self, values, originals=(), rooms=None) -> list:
        """The tensors that carry the state. Of `originals`, each is the array of its number.
        `rooms` are the values whose memory may be overwritten.
        """
        tensors = []
        for value, state_type, old in zip(values, self.state_types, rooms or values, strict=True):
            if state_type is None:
                continue
            if originals and state_type.is_exchanged:
                number = next(at for at, one in enumerate(originals) if one is value.storage)
                tensors += [value.read(), constant_of(np.int64(number))]
            else:
                is_free = rooms is not None and state_type.sized and type(old) is TracedArray
                tensors += tensors_as(value, state_type, old.storage.read() if is_free else None)
        return tensors

    def _require_an_iteration(self) -> None:
        """Where the state has other arrays after an iteration than before, or a value at all."""
        for value, state_type in zip(self.state, self.state_types, strict=True):
            is_late = isinstance(value, Undefined) and not isinstance(value, UndefinedReturnValue)
            is_other = state_type is not None and state_type.shape is not None
            is_known = is_other and (state_type.is_exchanged or state_type.references)
            if isinstance(value, UndefinedReturnValue):
                is_known = True  # the flag of the `return` guards it
            if (is_late and state_type is not None) or (is_other and not is_known):
                self.has_entered = True
        if self.has_entered and not self.is_entered:
            require(boolean(self.test(*self.state)))
        self.has_entered |= self.is_entered

    def _entered(self, builder: Builder) -> tuple:
        """The state as an iteration sees it."""
        values = []
        for at, state_type in enumerate(self.state_types):
            value = self.state[at]
            if state_type is not None:
                name = _plain(self.names[at])
                tensors = [
                    builder.input(FROM_NUMPY[dtype], shape, name)
                    for dtype, shape in state_type.tensors
                ]
                if not isinstance(value, Undefined):
                    value = value_from(state_type, iter(tensors), self._exchanged(self.state))
                    if state_type.is_integer:
                        value.growth = Growth(object(), 0)
            values.append(value)
        return tuple(values)

    def _check(self, entered: tuple, after: tuple) -> None:
        """Raise StateTypesError where another state_type of state is needed, ChangingStateError
        where there is none.
        """
        try:
            wanted = self._wanted(entered, after)
        except RefusedError as error:
            raise ChangingStateError(self.outer, str(error)) from None
        if wanted != self.state_types:
            raise StateTypesError(self.outer, wanted)

    def _wanted(self, entered: tuple, after: tuple) -> list:
        """How each name is carried that has these values before and after an iteration."""
        wanted = list(self.state_types)
        exchanged = self._exchanged_names(entered, after)
        growths = map(_growth_of, after)
        is_checked = any(one is not None and one.is_checked for one in growths)  # bounds save that
        for at, (before, now) in enumerate(zip(entered, after, strict=True)):
            if at in exchanged:
                wanted[at] = state_type_of(now)._replace(is_exchanged=True)
                continue
            known = self.state_types[at]
            if known is None and is_same(before, now):
                continue
            if has_other_size(before, now, known is not None and bool(known.sized)):
                wanted[at] = self._sized_type(at, before, now)
                continue
            if type(now) is TracedArray and not now.computed and not is_same(before, now):
                wanted[at] = self._array_type(at, now)
                continue
            if self.state_types[at] is None:
                if isinstance(before, Undefined):
                    wanted[at] = state_type_of(now)
                    continue
                state_types = type_or_nothing(before), type_or_nothing(now)
                if None in state_types:
                    raise RefusedError(f"'{self.names[at]}' changes in a loop, and is no number")
                wanted[at] = joined(self.names[at], *state_types)
            else:
                state_type = type_or_nothing(now)
                if state_type is None:
                    raise RefusedError(f"'{self.names[at]}' is no number after an iteration")
                known = self.state_types[at]._replace(bound=None)
                wanted[at] = joined(self.names[at], known, state_type)
                if is_checked or known != self.state_types[at]:
                    bound = self._bound(at, wanted[at], before, now)
                    wanted[at] = wanted[at]._replace(bound=bound)
        return wanted

    def _bound(self, at: int, state_type: StateType, before, now) -> int | None:
        """A limit of an integer that each iteration adds to, if one is known."""
        if self.most_iterations is None or not state_type.is_integer:
            return None
        growth = _growth_since(before, now)
        if growth is None:
            return None
        bound = scalar_of(self.state[at]).bound + self.most_iterations * growth.by
        return bound if bound + growth.by < LARGE else None

    def _array_type(self, at: int, now: TracedArray) -> StateType:
        """How a name is carried that stands for another array after an iteration."""
        initial, known = self.state[at], self.state_types[at]
        if not isinstance(initial, (Undefined, TracedArray)):
            raise RefusedError(f"'{self.names[at]}' is an array after an iteration")
        return array_type(self.outer, known, initial, now)

    def _sized_type(self, at: int, before: TracedArray, now: TracedArray) -> StateType:
        """How a name is carried that stands for an array of another size after an iteration."""
        known, start = self.state_types[at], self.state[at]
        memory, sized = (known.shape, known.sized) if known else (None, ())
        if not sized:
            memory = largest([start if type(start) is TracedArray else before, now])
        sources = known.sources if known else ()
        sources += tuple(outside(self.outer, storages_of(start, now)))
        axes = sized_axes(memory, sized, start, now)
        found = tuple(dict.fromkeys(sources))
        state_type = StateType(now.dtype, None, memory, sources=found, sized=axes)
        return state_type._replace(origins=origins_of(known, [start, now]))

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
            if at != source or (self.state_types[at] and self.state_types[at].is_exchanged)
        }

    def _is_owned(self, at: int, value, position=None) -> bool:
        """Whether a value is a whole array, of the type of the state, that a name may take over."""
        if type(value) is not TracedArray or value.path or type(self.state[at]) is not TracedArray:
            return False
        if Reference in (type(value.storage), type(self.state[at].storage)):
            return False
        if state_type_of(value) != state_type_of(self.state[at]):
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
        state_type = self.state_types[at]
        if self.has_entered and state_type.sources:  # an iteration has given it
            made_of = outside(self.outer, storages_of(final))
            state_type = state_type._replace(sources=tuple(dict.fromkeys(made_of)))
        value = value_from(state_type, outputs, self._exchanged(self.state))
        if state_type.is_integer:
            value.growth = self._growth(at, entered, final)
        known = state_type._replace(alternative=None, bound=None)
        if self.has_entered and state_type != known == state_type_of(final):
            value.alternative = None  # an iteration has given it
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


def _plain(name: str) -> str:
    return (
        "".join(letter if letter.isalnum() else "_" for letter in str(name)).strip("_") or "state"
    )


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
