"""Operands of `and` and `or` of several types are native in tests, which ask for their truth."""

import numpy as np
from numpy_programs import assert_native


def test_items_of_arrays_and_comparisons_are_tests_together():
    def neighbours(grid, seen, y, x):
        found = 0
        for dy, dx in ((0, 1), (1, 0), (0, -1), (-1, 0)):
            ny, nx = y + dy, x + dx
            if 0 <= ny < len(grid) and 0 <= nx < len(grid) and grid[ny, nx] and seen[ny, nx] < 0:
                found += 1
        return found

    grid = np.random.default_rng(0).integers(0, 3, (5, 5))
    assert_native(neighbours, (grid, grid - 1.5, 0, 4), (grid, grid - 1.5, 2, 2))


def test_every_statement_that_tests_takes_operands_of_several_types():
    def count(a, k, flags):
        i = found = 0
        while i < len(k) and (k[i] or not (a[i] or flags[i])):
            found += 2 if a[i] and k[i] else 1
            i += 1
        both = [one for one, other in zip(a, k) if one and other and other < 5]
        assert i or a[0]
        return i, found, len(both)

    a, k = np.array([0.5, 0, 1, 0, 2]), np.array([3, 0, 7, 0, 1])
    assert_native(count, (a, k, k > 0), (a[::-1].copy(), k, a > 2))


def test_the_value_of_an_operand_stays_what_it_is():
    def value(a, i):
        chosen = a[i] and 2.5
        return chosen if chosen and i else a[0] or 1.5

    assert_native(value, (np.array([0.0, 1.0, 0.0]), 1), (np.array([3.0, 1.0, 0.0]), 2))
