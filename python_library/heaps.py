"""The functions of `heapq`. Items get the places of Python's heaps.

A hole moves down from a place, each time to the smaller of its two children, until it is a leaf.
Then the item that is to be placed moves up from there, past all that are larger.
"""

from __future__ import annotations

import heapq

from .replacements import replaces


@replaces(heapq.heappush)
def heappush(heap, item):
    heap.append(item)
    _rise(heap, len(heap) - 1, 0, item)


@replaces(heapq.heappop)
def heappop(heap):
    """The last item fills the hole that the first one leaves; then the last place is taken away."""
    first, end = heap[0], len(heap) - 1
    _sink(heap, 0, end, heap[end])
    heap.pop()
    return first


@replaces(heapq.heapreplace)
def heapreplace(heap, item):
    first = heap[0]
    _sink(heap, 0, len(heap), item)
    return first


@replaces(heapq.heappushpop)
def heappushpop(heap, item):
    if heap and is_less(heap[0], item):
        first = heap[0]
        _sink(heap, 0, len(heap), item)
        item = first
    return item


@replaces(heapq.heapify)
def heapify(heap):
    half = len(heap) // 2
    for index in range(half):
        place = half - 1 - index
        _sink(heap, place, len(heap), heap[place])


def _sink(heap, start, end, item):
    """Place an item into the hole at a place, of a heap of items before `end`."""
    place = start
    while 2 * place + 1 < end:
        left, right = 2 * place + 1, min(2 * place + 2, end - 1)
        child = left if is_less(heap[left], heap[right]) else right
        heap[place] = heap[child]
        place = child
    _rise(heap, place, start, item)


def _rise(heap, place, start, item):
    """Place an item at a place, or above it, but not above `start`."""
    parent = max(place - 1, 0) >> 1
    while (place > start) & is_less(item, heap[parent]):
        heap[place] = heap[parent]
        place = parent
        parent = max(place - 1, 0) >> 1
    heap[place] = item


def is_less(first, other):
    if not isinstance(first, tuple):
        return first < other
    is_less = first[-1] < other[-1]
    for left, right in zip(first[-2::-1], other[-2::-1], strict=True):
        is_less = (left < right) | ((left == right) & is_less)
    for number in (*first, *other):
        assert number == number  # of NaN, tuples ask whether it is one object
    return is_less
