"""What a staged `for` goes over: ranges, arrays, `zip`, `enumerate` and `reversed` of them."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np

from ...runtime.ir.op import TABLE as OPS
from ..staged_values.iterables import GENERATOR, Walk
from .lists.record_arrays import TracedRecords
from .lists.traced_list import TracedList
from .refusal import RefusedError, WithoutText, noun, numpy_trace
from .statements.ranges import TracedRange
from .statements.tuples import Maybe, known
from .traced_array import TracedArray
from .traced_scalar import TracedScalar, scalar_of
from .views import FlatIterator, elements_of

# The most iterations over constants that Python runs: few, or more where a loop cannot be staged.
FEW_ITERATIONS, MORE_ITERATIONS = 4, 16


class Items(Walk):
    """`count` items: `at` gives one for an index, a number of the graph. `lists` has the lists that
    grow from which they are, each with its number of changes so far.
    """

    _noun = "iterator"
    __format__, __repr__ = WithoutText.__format__, WithoutText.__repr__

    def __init__(self, count: TracedScalar, at: Callable, like=None, lists: tuple = ()):
        super().__init__(lambda: count, at, like)
        self.count, self.lists = count, lists

    def made(self, length, at, like, sources) -> Items:
        return Items(length(), at, like, tuple(row for part in sources for row in part.lists))

    def check_lists(self) -> None:
        """Refuse that a list has grown, which Python sees as long as it takes the items."""
        if any(items.changes != changes for items, changes in self.lists):
            raise RefusedError("a list grows while a loop goes over it")


def items_of(source) -> Items | None:
    """The items of a source that a staged loop can go over, else None."""
    source = known(source)
    if type(source) is Items:
        return source.taken()
    if isinstance(source, range):
        source = TracedRange(source.start, source.stop, source.step)
    if type(source) is TracedRange:
        return Items(_trip_count(source), lambda index: _item_of(source, index))
    if isinstance(source, TracedList):
        return Items(scalar_of(source.length), source.at, None, ((source, source.changes),))
    if type(source) is TracedRecords and source.key is None:
        return Items(scalar_of(source.shape[0]), lambda index: source[index])
    if type(source) is FlatIterator:
        source = elements_of(source)
    if type(source) is TracedArray and source.ndim:
        return Items(scalar_of(source.shape[0]), lambda index: source[index])
    return None


def is_iterated(source) -> bool:
    """Whether a loop over a source is staged although its length is known."""
    classes = TracedRange, TracedList, TracedRecords, Items, FlatIterator, Maybe
    return isinstance(source, classes) or (
        isinstance(source, range) and len(source) > numpy_trace().options.most_iterations
    )


def _item_of(source: TracedRange, index: TracedScalar):
    item = source.start + (index if _is_one(source.step) else index * source.step)
    item.bound = max(source.start.bound, source.stop.bound)
    return item


def _is_one(step) -> bool:
    return type(step) is int and step == 1


def _trip_count(source: TracedRange) -> TracedScalar:
    """The number of iterations, as a number of the graph."""
    is_forward = type(source.step) is TracedScalar or source.step > 0
    span = source.stop - source.start if is_forward else source.start - source.stop
    size = source.step if is_forward else -source.step
    count = scalar_of(span if _is_one(size) else (span + (size - 1)) // size)
    tensor = OPS["maximum"](count.tensor, scalar_of(0).tensor)
    return TracedScalar(tensor, int, count.bound, count.arguments)


# ---- builtins --------------------------------------------------------------------------------


def zipped(*sources, strict=False):
    """`zip`: by index where all sources have one, else of Python's lists."""
    parts = [items_of(source) for source in sources]
    if strict or None in parts:
        return zip(*map(list, sources), strict=strict)
    return parts[0].zipped(parts[1:], _least)


def _least(count: TracedScalar, other: TracedScalar) -> TracedScalar:
    tensor = OPS["minimum"](count.tensor, other.tensor)
    return TracedScalar(tensor, int, min(count.bound, other.bound))


def mapped(function: Callable, *sources):
    """`map`: by index where all sources have one, else of Python's lists."""
    rows = zipped(*sources)
    return rows.mapped(function) if type(rows) is Items else itertools.starmap(function, rows)


def enumerated(source, start=0):
    """`enumerate`: by index where the source has one, else of Python's list."""
    items = items_of(source)
    return enumerate(list(source), start) if items is None else items.enumerated(start)


def backward(source):
    """`reversed`: by index where the source has one, else of Python's list."""
    if isinstance(source, Items) and source.like is not None:
        return reversed(source.like)  # which is Python's error
    items = items_of(source)
    return reversed(list(source)) if items is None else items.backward()


def iterator(source):
    """`iter` of what has items by index; an iterator is its own."""
    if isinstance(source, Items) and source.like is not None:
        return source
    items = items_of(source)
    if items is None:
        raise RefusedError(f"iter() of {noun(source)}")
    return items.made(items.length, items.at, iter(np.empty(0)), (items,))


def taken_once(source, origin):
    """An iterator over a list that a generator expression has made of the items of another."""
    items = items_of(source)
    if items is None:
        return iter(source)
    parts = (items, *([items_of(origin)] if isinstance(origin, TracedList) else ()))
    return items.made(items.length, items.at, GENERATOR, parts)
