"""Loops of `jit` functions over the indices of arrays, and over their elements in one row."""

import itertools

import numpy as np
import pytest
from test_jit import check

import allograph as ag

A = np.linspace(-2.0, 2.0, 30).reshape(5, 6)


def test_ndindex_of_a_shape():
    def function(a):
        out = np.zeros(a.shape)
        for index in np.ndindex(a.shape):
            out[index] = a[index] * 2
        return out

    check(function, A)


@pytest.mark.parametrize("n", [0, 1, 5])
def test_ndindex_of_computed_sizes(n):
    def function(a, n):
        count, at = 0, (0, 0)
        for at in np.ndindex(n, 4):
            count += a[at] > 0
        for _ in np.ndindex(()):
            count += 10
        return count, at

    check(function, A, n)


def test_ndindex_refuses_negative_sizes():
    def function(n):
        count = 0
        for _ in np.ndindex(n, 4):
            count += 1
        return count

    check(function, 3)
    check(function, -3)


def test_ndenumerate_gives_indices_and_elements():
    def function(a):
        largest, at = -np.inf, (0, 0)
        for index, value in np.ndenumerate(a):
            if value > largest:
                largest, at = value, index
        return largest, at

    check(function, A)
    check(function, A.T)
    check(function, np.zeros((0, 3)))


def test_product_of_ranges_is_one_loop():
    def function(a, n, m):
        total = 0.0
        for i, j, k in itertools.product(range(n), range(m, 0, -2), range(6)):
            total += a[i, j] * k
        for i, j in itertools.product(range(n), repeat=2):
            total -= a[i, j]
        return total

    check(function, A, 3, 4)
    check(function, A, 0, 4)


def test_product_of_short_tuples_is_unrolled():
    def function(a):
        total = 0.0
        for i, j in itertools.product((-1, 0, 1), (1, 2)):
            total += a[1 + i : 3 + i, j].sum()
        return total

    check(function, A)


def test_indices_in_comprehensions_and_beside_others():
    def function(a):
        total = 0.0
        for n, (i, j) in enumerate(np.ndindex(a.shape)):
            total += n * a[i, j]
        for (i, _), value in zip(np.ndindex(a.shape), a.flat):
            total += value * i
        return total, [i * j for i, j in np.ndindex(3, 4)]

    check(function, A)


def test_flat_goes_over_the_elements():
    def function(a):
        total = 0.0
        for value in a.flat:
            total += value
        return total + len(a.flat)

    check(function, A)
    check(function, A.T, native=False)


def test_items_of_flat():
    def function(a, n):
        a.flat[::7] = n
        a.flat[3] += 2
        a.flat[-1] = a.flat[n]
        diagonal = a.flat[::7]
        diagonal[0] = 100
        return diagonal

    check(function, A.copy(), 2)
    check(function, A.copy(), 40)


def test_an_array_as_an_index_of_flat_is_left_to_numpy():
    def function(a):
        return a.flat[[1, 2]]

    check(function, A, native=False)


@pytest.mark.parametrize("shape", [(1, 2, 3), (1, 0, 3), (1, 4), (1,)])
def test_the_index_of_a_view_that_nothing_reads_is_checked(shape):
    def first(a, n):
        row = a[n]  # noqa: F841 - NumPy checks the index
        return n

    compiled, a = ag.jit(first), np.zeros(shape)
    assert compiled(a, 0) == 0
    with pytest.raises(IndexError):
        compiled(a, 1)
