"""Comprehensions over items that a loop goes over, or with a test that the graph computes."""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ....autograph import forms
from ....autograph.current_trace import TRACE
from ....autograph.operators.calls import callee
from ....autograph.operators.comprehensions import (
    CollectedItem,
    Single,
    Tested,
    comprehension,
    unchanging,
)
from ....autograph.operators.raising import StagedTestError
from ....python_library.numpy_functions import joined_rows
from ....runtime.core.classes import NamedTuple
from ....runtime.ir.op import TABLE as OPS
from ....runtime.tensors.apply import BUILDER, constant_of
from ....runtime.tensors.graph_builder import Builder
from ..iteration import Items, items_of
from ..new_arrays import array_of_list, holds_traced, is_traced
from ..refusal import How, RefusedError, noun, numpy_trace
from ..statements.carried_values import Array, Number
from ..statements.chosen_objects import is_of_trace
from ..statements.staged_loops import has_items, record_for
from ..statements.staged_statements import record_if, retried
from ..traced_array import fresh, stacked
from ..traced_scalar import TracedScalar, scalar_of
from .growing_lists import GrowingList, item_type_of, place_of_list
from .traced_list import TracedList

# The comprehensions that make lists that grow.

MOST_OBJECTS = 16  # of a list
OBJECTS: Any = object()  # in place of a type
REFERENCES = next(sys.getrefcount(row[0]) for row in [[[]]])  # to an item with no other name


def collected(source, build: Callable) -> TracedList | list:
    """The list `build(items)` for a comprehension over items that a loop goes over."""
    items = items_of(source)
    if items is None:
        raise RefusedError(f"a comprehension over {noun(source)}")

    def sampled(_):
        with Builder("sample", BUILDER.get()):  # of an item, whose type the list is made for
            sample = build(Single((items.at(scalar_of(0)),)))
            return OBJECTS if sample and is_of_trace(sample[0]) else _item_type_of(sample)

    code = build.__code__
    try:
        item_type = None if numpy_trace().options.has(code, How.GROWN) else retried(sampled)
        if item_type is OBJECTS:
            return _objects(source, items, build)
    except StagedTestError:
        item_type = None
    if item_type is None or not (items.count.arguments or has_items(items)):
        grown = GrowingList([])
        record_for(items, lambda item: _appended(item, build, grown), None, (), ())
        return grown
    result = _of_known_length(items, build, item_type)
    result.made_by = code
    return result


def _objects(source, items: Items, build: Callable) -> list:
    """A list of Python's of a few objects."""
    count = known_count(items.count)
    if count > MOST_OBJECTS:
        raise RefusedError(f"a comprehension that makes more than {MOST_OBJECTS} objects")
    known_items = source if type(source) is range else map(items.at, map(scalar_of, range(count)))
    return build(list(known_items))


def collected_each(items, build: Callable, taken: list, first) -> GrowingList:
    """The list `build(items)` for a comprehension with a computed test over Python's items, after
    those `taken` and that of the first computed test.
    """
    result = GrowingList(taken)
    _OneItem(None, result).add_when(first.test, first.value)
    for item in items:
        _appended(item, build, result)
    return result


class _OneItem(CollectedItem):
    """An item, and the growing list of the comprehension."""

    def add_when(self, test, value: Callable) -> None:
        def append() -> tuple:
            item = value()
            if type(item) is _Inside:
                item.add_to(self.made)
            else:
                self.made.append(item)
            return ()

        if is_traced(test):
            record_if(test, append, tuple, ())
        elif test:
            append()


class _Inside(NamedTuple):
    """The items of a `for` inside a comprehension, after that of the first computed test."""

    rows: Any
    build: Callable
    first: StagedTestError | None = None

    def add_to(self, target: GrowingList) -> None:
        if self.first is not None:
            _OneItem(None, target).add_when(self.first.test, self.first.value)
        build = unchanging(self.build)
        if TRACE.get().stager.is_staged(self.rows):
            record_for(self.rows, lambda item: _appended(item, build, target), None, (), ())
        else:
            for item in self.rows:
                _appended(item, build, target)


def each(items, test, rows: Callable, build: Callable, source: str):
    """The items of one iteration of a comprehension that has another `for` inside."""
    if type(items) is _OneItem:
        items.add_when(test, lambda: _Inside(rows(), build))
        return ()
    if type(items) is not Single:
        return forms.each(items, test, rows, build, source)
    if is_traced(test):
        raise StagedTestError(test, lambda: _Inside(rows(), build))
    return _items_inside(rows(), build) if test else ()


def _items_inside(rows, build: Callable):
    """The items of a `for` inside, up to the first computed test."""
    if TRACE.get().stager.is_staged(rows):
        raise StagedTestError(True, lambda: _Inside(rows, build))
    tested, first = Tested(build, rows), None
    try:
        yield from tested.steps
    except StagedTestError as error:
        first = error
    if first is not None:
        raise StagedTestError(True, lambda: _Inside(tested.items, build, first))


def gathered(build: Callable, items, make: type):
    """The set or dictionary of the items that a comprehension gives."""

    def together(*parts):
        return parts if make is dict else parts[0]

    rows = comprehension(lambda items: build(items, together), items, tested=True)
    is_staged = isinstance(rows, TracedList) or holds_traced(
        list(dict(rows)) if make is dict else rows
    )
    return callee(make, None)(rows) if is_staged else make(rows)


def _appended(item, build: Callable, target: GrowingList) -> tuple:
    items = build(_OneItem(item, target))
    for at in range(len(items)):
        is_new = type(items[at]) is list and sys.getrefcount(items[at]) <= REFERENCES
        key = (place_of_list(), "item")
        target.append(GrowingList(items[at], key=key) if is_new else items[at])
    return ()


def _of_known_length(items: Items, build: Callable, item_type: Number | Array) -> TracedList:
    shape = [known_count(items.count), *(item_type.shape or ())]
    array = fresh(OPS["fill"](shape, constant_of(np.zeros((), item_type.dtype))))
    result = TracedList(array, item_type.python, item_type.levels)

    def store(item):
        index, element = item
        row = build([element])
        if _item_type_of(row) != item_type:
            raise RefusedError("a comprehension that makes items of several types or shapes")
        item = _item_in(row)
        result.hold(item)
        array[index] = array_of_list(item)
        return ()

    record_for(Items(items.count, lambda index: (index, items.at(index))), store, None, (), ())
    return result


def _item_type_of(items: list) -> Number | Array | None:
    """The type of the items that a comprehension makes; None for those of unknown types."""
    item_type = item_type_of(_item_in(items)) if len(items) == 1 else None
    is_plain = type(item_type) in (Number, Array) and not item_type.others
    return item_type if is_plain else None


def _item_in(items: list) -> Any:
    """The item that a comprehension has made; a list of items of one type as one of the graph."""
    if type(items[0]) is not list or sys.getrefcount(items[0]) > REFERENCES:
        return items[0]
    types = {item_type_of(item) for item in items[0]}
    only = types.pop() if len(types) == 1 else None
    if only is None or only.others:
        return items[0]
    parts = list(map(array_of_list, items[0]))
    traced = TracedList(fresh(stacked(parts, only.dtype)), only.python, only.levels)
    for item in items[0]:
        traced.hold(item)
    return traced


# ---- arrays of lists of arrays -----------------------------------------------------------------


def joined_items(function: Callable, /, arrays, *args, **options):
    """A function of NumPy's that joins arrays, for one list of arrays that the graph computes."""
    if not isinstance(arrays, TracedList):
        return function(arrays, *args, **options)
    has_axis = function in (np.stack, np.concatenate)
    (axis,) = args or (options.pop("axis", 0) if has_axis else 0,)
    if options or axis is None or (args and not has_axis):
        raise RefusedError(f"np.{function.__name__} of a list with options")
    return joined_rows(function, arrays.to_array(), axis)


def known_count(count: TracedScalar) -> int:
    """A number of items while tracing; an argument that decides it becomes a constant."""
    constant = count.tensor
    value = constant.graph_value.constant if hasattr(constant, "graph_value") else constant.array
    return operator.index(count) if value is None else int(value)


JOINING: dict[Any, Callable] = {
    function: partial(joined_items, function)
    for function in (np.stack, np.concatenate, np.vstack, np.hstack, np.column_stack)
}
