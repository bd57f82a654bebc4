"""The functions of `heapq` on lists that loops change. Items get the places of Python's heaps.

A hole moves down from a place, each time to the smaller of its two children, until it is a leaf.
Then the item that is to be placed moves up from there, past all that are larger.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from typing import Any

from ....runtime.core.numpy_dtypes import is_floating
from ..iteration import TracedRange
from ..new_arrays import holds_traced
from ..python_builtins import chosen
from ..refusal import RefusedError
from ..statements.staged_loops import record_for, record_while
from ..traced_array import TracedArray
from ..traced_scalar import TracedScalar, boolean, require, scalar_of
from .growing_lists import GrowingList
from .traced_list import TracedList


def push(heap: GrowingList, item) -> None:
    heap.append(item)
    _rise(heap, heap.length - 1, 0, item)


def pop(heap: GrowingList):
    """The last item fills the hole that the first one leaves; then the last place is taken away."""
    first, end = heap.at(0), heap.length - 1
    _sink(heap, 0, end, heap.at(end))
    heap.pop()
    return first


def replace(heap: GrowingList, item):
    first = heap.at(0)
    _sink(heap, 0, heap.length, item)
    return first


def heapify(heap: GrowingList) -> None:
    half = heap.length // 2

    def settle(index):
        place = half - 1 - index
        _sink(heap, place, heap.length, heap.at(place))
        return ()

    record_for(TracedRange(half), settle, None, (), ())


def _sink(heap: GrowingList, start, end, item) -> None:
    """Place an item into the hole at a place, of a heap of items before `end`."""

    def step(place):
        left = 2 * place + 1
        right = left + 1
        is_inside = right < end
        beside = chosen(is_inside, right, left)
        is_left = _is_less(heap.at(left), heap.at(beside))
        child = chosen(_both(is_inside, _not(is_left)), right, left)
        heap[place] = heap.at(child)
        return (child,)

    (place,) = record_while(
        lambda place: 2 * place + 1 < end, step, (scalar_of(start),), ("place",)
    )
    _rise(heap, place, start, item)


def _rise(heap: GrowingList, place, start, item) -> None:
    """Place an item at a place, or above it, but not above `start`."""

    def is_above(place):
        parent = chosen(place > start, (place - 1) >> 1, place)
        return _both(place > start, _is_less(item, heap.at(parent)))

    def step(place):
        parent = (place - 1) >> 1
        heap[place] = heap.at(parent)
        return (parent,)

    (place,) = record_while(is_above, step, (scalar_of(place),), ("place",))
    heap[place] = item


def _is_less(one, other) -> TracedScalar:
    """`one < other`, of numbers or tuples of numbers."""
    if type(one) is not tuple:
        return _truth(one < other)
    found = None
    for left, right in reversed(list(zip(one, other, strict=True))):
        if isinstance(left, (TracedArray, TracedList)):
            raise RefusedError("tuples with arrays in a heap")
        for number in (left, right):
            if is_floating(scalar_of(number).numpy_dtype):
                require(boolean(number == number))  # tuples ask whether NaNs are one object
        is_less = _truth(left < right)
        found = is_less if found is None else _either(is_less, _both(_truth(left == right), found))
    return found


def _truth(value) -> TracedScalar:
    return TracedScalar(boolean(value), bool, 1)


def _both(one, other) -> TracedScalar:
    return _truth(one) & _truth(other)


def _either(one, other) -> TracedScalar:
    return _truth(one) | _truth(other)


def _not(one: TracedScalar) -> TracedScalar:
    return _truth(one) ^ True


def _on_lists_of_the_graph(function: Callable, form: Callable) -> Callable:
    def call(heap, *items):
        if type(heap) is GrowingList:
            return form(heap, *items)
        if isinstance(heap, TracedList):
            heap.refuse_change()
        if holds_traced((heap, *items)):
            raise RefusedError(f"{function.__name__}() of a list that no loop changes")
        return function(heap, *items)

    return call


HEAPS: dict[Any, Callable] = {
    function: _on_lists_of_the_graph(function, form)
    for function, form in (
        (heapq.heappush, push), (heapq.heappop, pop), (heapq.heapreplace, replace),
        (heapq.heapify, heapify),
    )
}  # fmt: skip
