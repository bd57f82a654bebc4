"""`min` and `max` with keys and defaults, and `reduce`, as plain Python."""

import functools

import pytest

from allograph.python_library.folds import best_item, reduced

NUMBERS = [3, 1, 4, 1, 5, 9, 2, 6]
KEYS = [lambda n: -n, lambda n: n % 3, lambda n: (n % 2, -n), None]


@pytest.mark.parametrize("key", KEYS)
def test_the_first_of_the_best_items_is_that_of_python(key):
    keys = list(map(key, NUMBERS)) if key else NUMBERS
    assert best_item(True, NUMBERS, keys) == max(NUMBERS, key=key)
    assert best_item(False, NUMBERS, keys) == min(NUMBERS, key=key)
    assert best_item(True, [], [], 7) == 7


def test_a_reduction_is_that_of_python():
    step = lambda x, y: x * 2 - y  # noqa: E731
    assert reduced(step, NUMBERS) == functools.reduce(step, NUMBERS)
    assert reduced(step, [], 5) == functools.reduce(step, [], 5)
