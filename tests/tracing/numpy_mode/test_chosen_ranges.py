"""Ranges that a statement chooses: a loop over one is native."""

import numpy as np
import pytest
from numpy_programs import assert_native

import allograph as ag

pytestmark = pytest.mark.slow

V = np.array([3, 1, 2, 5])


def along_diagonals(v):
    n, total = len(v), 0
    for d in range(-n, n):
        if d >= 0:
            rows = range(n - d)
        else:
            rows = range(-d, n)
        for i in rows:
            total += v[i] * d
    return total


def of_the_last_small_item(v):
    rows = range(3)
    for i in range(len(v)):
        if v[i] > 2:
            rows = range(i)
    return len(rows), sum(rows)


def that_stays_the_same(v):
    rows, total = range(3), 0
    for i in range(len(v)):
        if v[i] > 2:
            total += 1
        else:
            rows = range(3)
    for i in rows:
        total += i
    return total


def by_a_conditional_expression(v):
    total = 0
    for i in range(len(v)):
        for k in range(i) if v[i] > 2 else range(i, len(v), 2):
            total = 3 * total + v[k]
    return total


def of_a_number_of_items(v):
    return len(range(v[0], v[3], v[2])), len(range(len(v))), len(range(v[3], v[0], -1))


@pytest.mark.parametrize(
    "function",
    [
        along_diagonals, of_the_last_small_item, that_stays_the_same, by_a_conditional_expression,
        of_a_number_of_items,
    ],
)  # fmt: skip
def test_a_range_that_a_statement_chooses_is_native(function):
    assert_native(function, (V,), (V[::-1].copy(),), (np.array([0, 9, 1, 4]),))


def test_the_extremes_of_a_range_of_computed_bounds_are_pythons():
    @ag.jit
    def extremes(v):
        count = 0
        for number in v:
            count += number > 2
        return min(range(count, 9)), max(range(count, 9))

    assert extremes(V) == (2, 8)
    assert "TypeError" not in extremes.inspect()
