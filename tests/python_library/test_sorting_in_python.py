"""Functions of lists, as Python: they give what those of Python's lists give."""

import random

import pytest

from allograph.python_library import items, sorting
from allograph.python_library.items import Items

RNG = random.Random(0)
LISTS = [[RNG.randrange(-5, 6) for _ in range(size)] for size in range(40)]
LISTS += [[(RNG.randrange(3), RNG.random()) for _ in range(size)] for size in range(0, 40, 5)]


def rounded(value):
    return value if isinstance(value, tuple) else value % 3


@pytest.mark.parametrize("is_reversed", [False, True])
def test_sort(is_reversed):
    for values in LISTS:
        target, keys = Items(), Items(map(rounded, values))
        sorting.sort(Items(values), keys, target, is_reversed, Items(), Items())
        assert list(target) == sorted(values, key=rounded, reverse=is_reversed)


def test_insert_remove_index_and_count():
    for values in filter(None, LISTS):
        for place in (-50, -2, 0, 1, 50):
            ours, python = Items(values), list(values)
            items.insert(ours, place, values[-1])
            python.insert(place, values[-1])
            assert items.index(ours, values[-1]) == python.index(values[-1])
            assert items.count(ours, values[-1]) == python.count(values[-1])
            items.remove(ours, values[-1])
            python.remove(values[-1])
            assert list(ours) == python


def test_slices():
    for values in LISTS:
        for start in (None, -50, -3, 0, 2, 50):
            for stop in (None, -50, -1, 3, 50):
                for step in (1, 2, -1, -3):
                    target = Items()
                    items.copy_part(values := Items(values), target, start, stop, step)
                    assert list(target) == list(values[start:stop:step])
