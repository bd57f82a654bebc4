"""`jit`: lists as heaps of `heapq`, whose items get the places of Python's heaps."""

import heapq
from heapq import heappop, heappush

import numpy as np
import pytest
from test_jit import check

pytestmark = pytest.mark.slow
random = np.random.default_rng(0)


def pushed(values):
    heap = []
    for value in values:
        heappush(heap, value)
    return heap


def with_places(values):
    heap = []
    for i in range(len(values)):
        heapq.heappush(heap, (values[i], i % 3, i))
    return heap


def sorted_by_heap(values):
    heap = [float(value) for value in values]
    heapq.heapify(heap)
    out = np.empty(len(values))
    for i in range(len(values)):
        out[i] = heappop(heap)
    return out


def drained(values, count):
    heap = list(values)
    heapq.heapify(heap)
    total = 0
    for _ in range(count):
        total += heapq.heappop(heap)
    return total, heap


def largest(values, count):
    heap = []
    for i, value in enumerate(values):
        if len(heap) < count:
            heapq.heappush(heap, (value, i))
        elif value > heap[0][0]:
            heapq.heapreplace(heap, (value, i))
    return heap


def largest_by_pushing(values, count):
    heap = []
    for i, value in enumerate(values):
        if i < count:
            heapq.heappush(heap, value)
        else:
            heapq.heappushpop(heap, value)
    return heap


def huffman(counts):
    heap = [int(count) for count in counts]
    heapq.heapify(heap)
    cost = 0
    while len(heap) > 1:
        first = heapq.heappop(heap)
        both = first + heapq.heappop(heap)
        cost += both
        heapq.heappush(heap, both)
    return cost


def dijkstra(offsets, ends, lengths, source):
    distance = np.full(len(offsets) - 1, np.inf)
    distance[source] = 0.0
    heap = [(0.0, source)]
    while heap:
        d, node = heapq.heappop(heap)
        if d > distance[node]:
            continue
        for k in range(offsets[node], offsets[node + 1]):
            if d + lengths[k] < distance[ends[k]]:
                distance[ends[k]] = d + lengths[k]
                heapq.heappush(heap, (distance[ends[k]], ends[k]))
    return distance


@pytest.mark.parametrize("size", [1, 60])
def test_heaps_have_the_layout_of_pythons(size):
    few, floats = random.integers(0, 9, size), random.random(size)
    check(pushed, few)
    check(pushed, floats)
    check(with_places, few)
    check(with_places, floats)
    check(largest, few, 4)
    check(largest_by_pushing, few, 4)
    check(largest_by_pushing, floats, 4)
    if size > 16:
        check(sorted_by_heap, few)
        check(drained, few, size // 2)
        check(huffman, few + 1)


def test_shortest_paths_with_a_heap_of_tuples():
    edges = np.arange(0, 161, 4), random.integers(0, 40, 160), random.random(160)
    check(dijkstra, *edges, 3)


def test_a_heap_with_nan_has_the_layout_of_pythons():
    values = np.array([3.0, np.nan, 1.0, np.nan, 2.0, 0.5])
    check(pushed, values)
    check(with_places, values)


def test_too_many_items_taken_from_a_heap_are_the_error_of_python():
    check(drained, np.arange(20), 21)


def test_a_list_that_a_comprehension_made_grows():
    def merged(values):
        rest = [int(value) for value in values]
        total = 0
        while len(rest) > 1:
            both = rest.pop() + rest.pop()
            total += both
            rest.append(both // 2)
        return total, rest

    def with_items_changed(values):
        rest = [int(value) for value in values]
        for i in range(1, len(values)):
            rest[i] += rest[i - 1]
        return rest

    check(merged, np.arange(30))
    check(with_items_changed, np.arange(30))


def times_of_a_queue(arrivals):
    """Events, of which the first is read before any is pushed."""
    events, served, waiting = [], [], 0
    for time in arrivals:
        while events and events[0][0] <= time:
            at, kind, left = heappop(events)
            waiting += kind
            if left > 1:
                heappush(events, (at + 2, kind, left - 1))
            served.append(at)
        heappush(events, (time + 3, 1, 2))
    return served, waiting, len(events)


def sizes_before_taken(values):
    taken, total = [], 0
    for value in values:
        for place, size in taken:
            total += place * size
        while len(taken) > 2:
            place, size = taken.pop(0)
            total -= size
        taken.append((value, 2))
    return total, taken


def never_pushed(values):
    events, total = [], 0
    for value in values:
        while events:
            at, kind = heappop(events)
            total += at
        total += value
    return total


@pytest.mark.parametrize("function", [times_of_a_queue, sizes_before_taken, never_pushed])
def test_items_may_be_read_before_the_first_is_pushed(function):
    check(function, np.arange(6))
