"""The functions of heaps as plain Python: the lists are those of `heapq`."""

import heapq
import random

import pytest

from allograph.python_library import heaps

NUMBERS = [random.Random(size).choices(range(9), k=size) for size in (1, 2, 3, 7, 60)]
ITEMS = [*NUMBERS, *([(number, at) for at, number in enumerate(row)] for row in NUMBERS)]


@pytest.mark.parametrize("items", ITEMS)
def test_each_step_leaves_the_list_of_heapq(items):
    ours, expected = [], []
    for item in items:
        heaps.heappush(ours, item)
        heapq.heappush(expected, item)
        assert ours == expected
    for item in (items[0], items[-1], max(items)):
        assert heaps.heappushpop(ours, item) == heapq.heappushpop(expected, item)
    assert heaps.heapreplace(ours, items[0]) == heapq.heapreplace(expected, items[0])
    while expected:
        assert ours == expected
        assert heaps.heappop(ours) == heapq.heappop(expected)


@pytest.mark.parametrize("items", ITEMS)
def test_a_list_becomes_the_heap_of_heapq(items):
    ours, expected = list(items), list(items)
    heaps.heapify(ours)
    heapq.heapify(expected)
    assert ours == expected


def test_nothing_is_taken_from_an_empty_heap():
    with pytest.raises(IndexError):
        heaps.heappop([])
