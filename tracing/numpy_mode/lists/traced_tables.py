"""Sets and dictionaries whose keys are integers, or tuples of integers, that the graph computes.

The keys are a list that grows, in the order in which they came, and the values another one. The
slots of a hash table say where a key is: 0 is an empty slot, other numbers count the keys from 1.
What is in no slot from that of the hash of a key up to the next empty one, is not there.
"""

from __future__ import annotations

import contextlib
import functools
import operator
from collections import Counter, defaultdict
from collections.abc import Callable
from typing import Any

import numpy as np

from ....python_library import hash_tables
from ....runtime.core.numpy_dtypes import is_integer
from ..calls.library_calls import call_library
from ..iteration import is_iterated
from ..refusal import Fallback, RefusedError, numpy_trace
from ..storage import Storage
from ..traced_array import TracedArray
from ..traced_scalar import TracedScalar, scalar_of
from .growing_lists import GrowingList, has_one_name, place_of_list
from .traced_list import ListWithoutArray, TracedList


def use_tables() -> bool:
    """Whether what is met, a set or a dictionary that may change, is a hash table."""
    return numpy_trace().uses(Fallback.HASH_TABLES)


def _check_key(key) -> None:
    for part in map(scalar_of, key if type(key) is tuple else (key,)):
        dtype = part.numpy_dtype
        if not is_integer(dtype) or dtype == np.uint64 or part.none is not None or part.is_large:
            raise RefusedError("a set or a dictionary with other keys than integers")


def _of_sets(name: str) -> Callable:
    """The operator of a method of sets, which takes nothing else."""

    def operate(left, right):
        are_sets = type(left) is type(right) is TracedSet
        return getattr(left, name)(right) if are_sets else NotImplemented

    return operate


class TracedTable(ListWithoutArray):
    """Integers, or tuples of integers, each once. Nothing goes over those of a set, whose order is
    that of Python's hashes.
    """

    _noun = "set"
    called = "the items of a set, or of a dictionary"

    def __init__(self, items=(), name=None):
        self.held = Storage(None)
        self.keys_of = GrowingList([], key=(place_of_list(), name))
        self.slots = GrowingList([0] * hash_tables.SLOTS, key=(self.keys_of.key, "slots"))
        if type(items) is not tuple or items:
            self.update(items)

    scope = property(lambda self: self.keys_of.scope)
    home = scope
    changes = property(lambda self: self.keys_of.changes)
    length = property(lambda self: self.keys_of.length)
    truth = property(lambda self: self.keys_of.truth)

    def _call(self, function: Callable, *operands):
        """The result of a function of tables for this one; the first operand is a key."""
        _check_key(operands[0])
        self.keys_of.require_types(operands[0])
        return call_library(function, self.slots, self.keys_of, *operands)

    def at(self, index):
        return self.stacked

    contains = functools.partialmethod(_call, hash_tables.contains)
    add = functools.partialmethod(_call, hash_tables.add)

    def update(self, items) -> None:
        call_library(hash_tables.update, self, items)

    def clear(self) -> None:
        call_library(hash_tables.clear, self.slots, self.keys_of)


class TracedSet(TracedTable):
    """A set of such keys."""

    def remove(self, key) -> None:
        self._call(hash_tables.remove, key)

    def discard(self, key) -> None:
        self._call(hash_tables.discard, key)

    def union(self, other) -> TracedSet:
        united = TracedSet(self.keys_of)
        united.update(other.keys_of if isinstance(other, TracedSet) else other)
        return united

    def _selected(self, other, is_in_both: bool) -> TracedSet:
        """The items that are in another set too, or are not."""
        selected, others = TracedSet(), other if isinstance(other, TracedSet) else TracedSet(other)
        call_library(hash_tables.select, selected, self.keys_of, others, is_in_both)
        return selected

    intersection = functools.partialmethod(_selected, is_in_both=True)
    difference = functools.partialmethod(_selected, is_in_both=False)
    __or__, __and__, __sub__ = map(_of_sets, ("union", "intersection", "difference"))


class TracedDict(TracedTable):
    """A dictionary with such keys, and numbers as values.

    missing  the value of what is not there, `list` for new ones, None if that is an error
    cls      the class of Python's
    """

    _noun = "dictionary"

    def __init__(self, items: dict, cls: type = dict, missing=None, name=None):
        self.values_of = GrowingList([], key=(place_of_list(), name, "values"))
        self.cls = cls
        self.missing = missing
        super().__init__(name=name)
        for key, value in items.items():
            self[key] = value

    def _call(self, function: Callable, key, *operands):
        _check_key(key)
        self.keys_of.require_types(key)
        return call_library(function, self.slots, self.keys_of, self.values_of, key, *operands)

    def __setitem__(self, key, value):
        self._call(hash_tables.set_item, key, self._value(value))

    def _value(self, value):
        """A value as it is stored."""
        if isinstance(value, TracedArray) or type(value) is TracedList:
            raise RefusedError("a dictionary that gets arrays in a loop")
        return self.values_of.require_types(value)

    def __getitem__(self, key):  # type: ignore[override]
        if self.missing is not None:
            read = self.setdefault if self.cls is defaultdict else self.get
            return read(key, GrowingList([]) if self.missing is list else self.missing)
        return self._call(hash_tables.get_item, key)

    def get(self, key, default=None):
        self.values_of.guess_types()
        return self._call(hash_tables.get, key, default)

    def pop(self, key, *default):
        self.values_of.guess_types()
        return self._call(hash_tables.pop if default else hash_tables.pop_item, key, *default)

    __delitem__ = pop

    def clear(self) -> None:
        super().clear()
        self.values_of.clear()

    def setdefault(self, key, default=None):
        if default is None:
            raise RefusedError("dict.setdefault without a number")
        return self._call(hash_tables.setdefault, key, self._value(default))

    def at(self, index):
        return self.keys_of.at(index)

    def keys(self) -> _View:
        return _View(self, self.keys_of.at, self.keys_of.is_tuple)

    def values(self) -> _View:
        return _View(self, self.values_of.at, self.values_of.is_tuple)

    def items(self) -> _View:
        return _View(self, lambda at: (self.keys_of.at(at), self.values_of.at(at)), True)


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
    counts = TracedDict({}, Counter, 0)
    call_library(hash_tables.count, counts, items)
    return counts


def _with_default(factory=None) -> TracedDict:
    if factory not in (int, float, list):
        raise RefusedError("a defaultdict of other values than numbers and lists")
    return TracedDict({}, defaultdict, list if factory is list else factory())


def _dictionary(items=(), **named) -> TracedDict:
    if named or not (is_iterated(items) or isinstance(items, TracedArray)):
        return TracedDict(dict(items, **named))
    table = TracedDict({})
    call_library(hash_tables.fill, table, items.items() if type(items) is TracedDict else items)
    return table


MAKERS: dict[Any, Callable] = {
    set: TracedSet, dict: _dictionary, defaultdict: _with_default, Counter: _counted,
}  # fmt: skip


def with_tables(get_state: Callable, set_state: Callable, names) -> None:
    """Replace the sets and dictionaries of one name that a loop may change by hash tables."""
    values = get_state()
    replaced = [
        (TracedSet if type(value) is set else TracedDict)(value, name=name)
        if has_one_name(value) and _has_integers(value) and use_tables()
        else value
        for name, value in zip(names, values, strict=True)  # as `references` counts
    ]
    if any(map(operator.is_not, replaced, values)):
        set_state(tuple(replaced))


def with_tables_around(function) -> None:
    """The same for those that a function inside finds in the function around it."""
    cells = []
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        with contextlib.suppress(ValueError):  # it is empty
            cells += [(name, cell)] if type(cell.cell_contents) in (dict, set) else []

    def set_state(values: tuple) -> None:
        for (_, cell), value in zip(cells, values, strict=True):
            cell.cell_contents = value

    names = [name for name, _ in cells]
    with_tables(lambda: tuple([cell.cell_contents for _, cell in cells]), set_state, names)


def _has_integers(items) -> bool:
    """Whether it is a set or a dictionary whose keys are integers, or tuples of integers."""
    keys = items if type(items) in (dict, set) else (None,)
    parts = [part for key in keys for part in (key if type(key) is tuple else (key,))]
    return all(
        type(index) in (int, TracedScalar) or isinstance(index, np.integer) for index in parts
    )
