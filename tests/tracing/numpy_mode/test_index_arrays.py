"""Index arrays and masks on both sides of assignments in `jit`."""

import numpy as np
import pytest
from test_jit import check

A, M = np.arange(6.0), np.arange(20.0).reshape(4, 5)
K = np.array([4, 0, -1, 4, 2])


@pytest.mark.slow
def test_assignments_through_index_arrays():
    def function(a, m, k):
        a[k] = m[0]
        a[k % 3] += 1.5
        m[k[:3] % 4, k[:3]] -= a[k[:3]]
        m[k % 3] *= 2.0
        m[:, k] = m[1] - a[:5]
        m[k[:, None] % 4, k] = 7.0
        a[k[:2]], a[0] = a[0], a[1]
        return a[k]

    check(function, A, M, K)


def test_an_assigned_array_may_have_more_axes_of_size_1_than_what_it_replaces():
    def function(a, m, k):
        a[k % 6] = abs(m[1:2])
        m[k[:2] % 4, 1:] = m[None, None, 0, 1:]
        return a

    check(function, A, M, K)


def test_an_index_array_out_of_range_raises_before_anything_changes():
    def function(a, k):
        a[1] = 3
        a[k] = 1.0

    check(function, A, np.array([0, 6]))


def test_lists_of_computed_numbers_become_arrays():
    def function(a, n):
        made = np.array([a[0], a[1] * 2, n])
        a[:3] = [1, n, a[4]]
        rows = np.array([a[:2], made[:2]])
        return made, rows, np.array([[n, 2], [3, n]]), np.array([n, 2.5], np.float32)

    check(function, A + 0.5, 3)
