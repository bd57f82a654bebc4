"""Sets and dictionaries whose keys are integers, or tuples of integers, that the graph computes.

The keys are a list that grows, in the order in which they came, and the values another one. The
slots of a hash table say where a key is: 0 is an empty slot, other numbers count the keys from 1.
What is in no slot from that of the hash of a key up to the next empty one, is not there.
"""

from __future__ import annotations

import operator
from collections import Counter, defaultdict
from collections.abc import Callable
from typing import Any

import numpy as np

from ....runtime.core.dtypes import int64
from ....runtime.core.numpy_dtypes import is_integer
from ....runtime.ir.op import TABLE as OPS
from ....runtime.ops.array.masking import where
from ....runtime.ops.array.slicing import getitem, set_item
from ....runtime.tensors.apply import constant_of
from ..iteration import TracedRange, items_of
from ..refusal import Fallback, RefusedError, numpy_trace
from ..statements.staged_loops import record_for, record_while
from ..statements.staged_statements import record_if
from ..storage import Storage
from ..traced_array import MOST_ELEMENTS, TracedArray
from ..traced_scalar import TracedScalar, require, scalar_of
from .growing_lists import GrowingList, has_one_name
from .traced_list import ListWithoutArray, TracedList

SLOTS = 64  # of a table at first; a power of two
MULTIPLIER = np.uint64(0x9E3779B97F4A7C15).view(np.int64)


def use_tables() -> bool:
    """Whether what is met, a set or a dictionary that may change, is a hash table."""
    return numpy_trace().uses(Fallback.HASH_TABLES)


class _Keys(GrowingList):
    """The keys, and the slots that say where they are.

    slots  the numbers of the keys
    room   how many slots there are, a power of two
    """

    def allocate(self, types: tuple, is_guess: bool = False) -> None:
        super().allocate(types, is_guess)
        one = constant_of(np.int64(1))  # row, which is read where there is no key
        self.columns = [Storage(OPS["ensure_length"](each.tensor, one)) for each in self.columns]
        self.room = Storage(constant_of(np.int64(SLOTS)))
        none = constant_of(np.zeros(SLOTS, np.int64))
        self.slots = Storage(OPS["ensure_length"](none, self.room.tensor))
        self.made = self.scope.nodes[-1]

    def find(self, key) -> tuple:
        """The place of a key, or -1, and its slot, or the empty one that it would get."""
        self.require_types(key)
        parts = _parts_of(key)

        def goes_on(slot, place):
            index = OPS["maximum"](place.tensor, constant_of(np.int64(0)))
            is_other = OPS["less_equal"](constant_of(np.int64(0)), place.tensor)
            same = constant_of(np.bool_(True))
            for one, part in zip(self._parts_at(index), parts, strict=True):
                same = OPS["logical_and"](same, OPS["equal"](one, part))
            return _truth(OPS["logical_and"](is_other, OPS["logical_not"](same)))

        def step(slot, place):
            after = self._next(slot.tensor)
            return _number(after), _number(self._place_in(after))

        first = self._slot_of(parts)
        state = (_number(first), _number(self._place_in(first)))
        slot, place = record_while(goes_on, step, state, ("slot", "place"))
        return place, slot

    def add(self, key, slot: TracedScalar) -> None:
        """Take a key that is not there, into its slot."""
        self.append(key)
        count = self.count.read()
        self.slots.write(set_item(self.slots.read(), slot.tensor, count))
        room = self.room.read()
        is_full = OPS["less_equal"](room, count + count)
        when(_truth(is_full), lambda: self._grow(room + room))

    def _grow(self, room) -> None:
        self.room.write(room)
        self.slots.write(OPS["ensure_length"](self.slots.read(), room))

        def empty(index):
            none = constant_of(np.int64(0))
            self.slots.write(set_item(self.slots.read(), index.tensor, none))
            return ()

        def put(index):
            slot = self._slot_of(self._parts_at(index.tensor))
            (free,) = record_while(
                lambda slot: _number(self._place_in(slot.tensor)) >= 0,
                lambda slot: (_number(self._next(slot.tensor)),),
                (_number(slot),), ("slot",),
            )  # fmt: skip
            number = (index + 1).tensor
            self.slots.write(set_item(self.slots.read(), free.tensor, number))
            return ()

        record_for(TracedRange(_number(room)), empty, None, (), ())
        record_for(TracedRange(self.length), put, None, (), ())

    def _slot_of(self, parts: list):
        """The slot of the hash of a key."""
        found = constant_of(np.int64(0))
        for part in parts:
            found = OPS["multiply"](OPS["bitwise_xor"](found, part), constant_of(MULTIPLIER))
            high = OPS["right_shift"](found, constant_of(np.int64(32)))
            found = OPS["bitwise_xor"](found, high)
        return OPS["bitwise_and"](found, self.room.read() - constant_of(np.int64(1)))

    def _next(self, slot):
        last = self.room.read() - constant_of(np.int64(1))
        return OPS["bitwise_and"](slot + constant_of(np.int64(1)), last)

    def _place_in(self, slot):
        return getitem(self.slots.read(), slot) - constant_of(np.int64(1))

    def _parts_at(self, place) -> list:
        """The integers of the key at a place."""
        columns = iter(self.columns)
        parts = []
        for one in self.types or ():
            parts.append(OPS["cast"](getitem(next(columns).read(), place), dtype=int64))
            if one.alternative is not None:
                next(columns)
        return parts


def _parts_of(key) -> list:
    """The integers of a key."""
    parts = []
    for one in map(scalar_of, key if type(key) is tuple else (key,)):
        dtype = one.numpy_dtype
        if not is_integer(dtype) or dtype == np.uint64 or one.none is not None or one.is_large:
            raise RefusedError("a set or a dictionary with other keys than integers")
        parts.append(OPS["cast"](one.tensor, dtype=int64))
    return parts


def _number(tensor) -> TracedScalar:
    return TracedScalar(tensor, int, MOST_ELEMENTS)


def _truth(tensor) -> TracedScalar:
    return TracedScalar(tensor, bool, 1)


def when(test: TracedScalar, change: Callable) -> None:
    """Change something where a condition holds."""

    def changed() -> tuple:
        change()
        return ()

    record_if(test, changed, tuple, ())


class TracedSet(ListWithoutArray):
    """A set of integers, or of tuples of integers. Nothing goes over its items, whose order is that
    of Python's hashes.
    """

    _noun = "set"
    called = "the items of a set, or of a dictionary"

    def __init__(self, items=()):
        self.held = Storage(None)
        self.is_known = False
        self.keys_of = _Keys([])
        if type(items) is not tuple or items:
            self.update(items)

    scope = property(lambda self: self.keys_of.scope)
    home = scope
    changes = property(lambda self: self.keys_of.changes)
    length = property(lambda self: self.keys_of.length)
    truth = property(lambda self: self.keys_of.truth)

    def at(self, index):
        return self.array

    def contains(self, key) -> TracedScalar:
        place, _ = self.keys_of.find(key)
        return place >= 0

    def add(self, key) -> None:
        place, slot = self.keys_of.find(key)
        when(place < 0, lambda: self.keys_of.add(key, slot))

    def update(self, items) -> None:
        given = items_of(items)
        if given is not None:
            record_for(given, lambda item: self.add(item) or (), None, (), ())
            return
        for one in items:
            self.add(one)


class TracedDict(TracedSet):
    """A dictionary with such keys, and numbers as values.

    missing  the value of what is not there, None if that is an error
    is_kept  whether such a value is kept when it is read
    cls      the class of Python's
    """

    _noun = "dictionary"

    def __init__(self, items: dict, cls: type = dict, missing=None):
        self.values_of = GrowingList([])
        self.cls = cls
        self.missing = missing
        super().__init__()
        for key, value in items.items():
            self[key] = value

    def __setitem__(self, key, value):
        place, slot = self.keys_of.find(key)

        def put() -> tuple:
            self.values_of[place] = value
            return ()

        def append() -> tuple:
            self.keys_of.add(key, slot)
            self.values_of.append(value)
            return ()

        if isinstance(value, (TracedArray, TracedList)):
            raise RefusedError("a dictionary that gets arrays in a loop")
        self.values_of.require_types(value)
        record_if(place >= 0, put, append, ())

    def __getitem__(self, key):  # type: ignore[override]
        if self.missing is not None:
            read = self.setdefault if self.cls is defaultdict else self.get
            return read(key, self.missing)
        place, _ = self.keys_of.find(key)
        require((place >= 0).tensor)
        return self.values_of.at(place)

    def get(self, key, default=None):
        if default is None:
            raise RefusedError("dict.get without a number for what is not there")
        place, _ = self.keys_of.find(key)
        self.values_of.guess_types()
        one = lambda: (self.values_of.at(place),)  # noqa: E731
        return record_if(place >= 0, one, lambda: (default,), ("item",))[0]

    def setdefault(self, key, default=None):
        if default is None:
            raise RefusedError("dict.setdefault without a number")
        place, slot = self.keys_of.find(key)

        def append() -> tuple:
            self.keys_of.add(key, slot)
            self.values_of.append(default)
            return ()

        self.values_of.require_types(default)
        record_if(place < 0, append, tuple, ())
        found = where((place < 0).tensor, (self.length - 1).tensor, place.tensor)
        return self.values_of.at(_number(found))

    def at(self, index):
        return self.keys_of.at(index)

    def keys(self) -> _View:
        return _View(self, self.keys_of.at, self.keys_of.is_tuple)

    def values(self) -> _View:
        return _View(self, self.values_of.at, self.values_of.is_tuple)

    def items(self) -> _View:
        return _View(self, lambda at: (self.keys_of.at(at), self.values_of.at(at)), True)

    add = update = None  # type: ignore[assignment]


class _View(ListWithoutArray):
    """The keys, the values or the items of a dictionary."""

    _noun = "view of a dictionary"
    called = "an array of a view of a dictionary"

    def __init__(self, table: TracedDict, at: Callable, is_tuple: bool):
        self.table = table
        self.at = at  # type: ignore[method-assign]
        self.is_tuple = is_tuple

    home = property(lambda self: self.table.home)
    changes = property(lambda self: self.table.changes)
    length = property(lambda self: self.table.length)


# ---- what makes them -------------------------------------------------------------------------


def _counted(items=()) -> TracedDict:
    made = TracedDict({}, Counter, 0)

    def count(item):
        made[item] = made[item] + 1
        return ()

    given = items_of(items)
    if given is not None:
        record_for(given, count, None, (), ())
        return made
    for one in items:
        count(one)
    return made


def _with_default(factory=None) -> TracedDict:
    if factory not in (int, float):
        raise RefusedError("a defaultdict of other values than numbers")
    return TracedDict({}, defaultdict, factory())


def _dictionary(items=(), **named) -> TracedDict:
    if items_of(items) is not None:
        raise RefusedError("dict() of items that are computed")
    return TracedDict(dict(items, **named))


MAKERS: dict[Any, Callable] = {
    set: TracedSet, dict: _dictionary, defaultdict: _with_default, Counter: _counted,
}  # fmt: skip


def with_tables(get_state: Callable, set_state: Callable, names) -> None:
    """Replace the dictionaries that a loop may change by hash tables, where nothing else refers to
    them.
    """
    values = get_state()
    made = [
        TracedDict(one)
        if type(one) is dict and has_one_name(one) and _has_integers(one) and use_tables()
        else one
        for _, one in zip(names, values, strict=True)
    ]
    if any(map(operator.is_not, made, values)):
        set_state(tuple(made))


def _has_integers(items: dict) -> bool:
    """Whether all keys are integers, or tuples of integers."""
    parts = [part for key in items for part in (key if type(key) is tuple else (key,))]
    return all(type(one) in (int, TracedScalar) or isinstance(one, np.integer) for one in parts)
