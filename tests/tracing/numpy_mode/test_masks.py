"""`jit`: what a mask chooses is native, although nobody knows its size before."""

import numpy as np
import pytest
from numpy_programs import assert_native, assert_same_outcome

import allograph as ag

NUMBERS = np.random.default_rng(0)


@pytest.mark.slow
def test_chosen_elements_are_computed_with_and_returned():
    def chosen(x, limit):
        kept = x[x > limit]
        small = kept[kept < 0.9] * 2
        places = np.cumsum(small)
        return kept, small[::-1], kept.sum(), len(small), places, np.zeros_like(small), small.std()

    x = NUMBERS.random(40)
    assert_native(chosen, (x, 0.5), (x, 0.0), (x, 0.85))


@pytest.mark.slow
def test_rows_of_a_matrix_are_chosen_and_replaced():
    def rows(m, labels, mask):
        first = m[labels == 1]
        m[labels == 0] = first[0]
        m[labels == 2, 1] = -1
        m[mask] = m[mask] * 2 - first.mean()
        return first.mean(axis=0), first, m[mask]

    labels = np.array([1, 0, 2, 1, 0, 2])
    assert_native(rows, (NUMBERS.random((6, 3)), labels, NUMBERS.random((6, 3)) > 0.5))


@pytest.mark.slow
def test_places_of_true_elements_are_indices():
    def places(m, v):
        i, j = np.nonzero(m > 0.5)
        (k,) = np.where(v > 0.5)
        total = 0.0
        for at in k:
            total += v[at] * at
        m[i, j] = 0
        v[k] += v[k]
        return i, j, np.argwhere(m > 0.2), np.flatnonzero(m), len(k), total, m[1][k % 3]

    assert_native(places, (NUMBERS.random((4, 5)), NUMBERS.random(9)))


@pytest.mark.slow
def test_views_with_computed_bounds_are_returned():
    def parts(m, n):
        return m[:n], m[n], m[n:, 1], m.copy()[n:]

    assert_native(parts, (NUMBERS.random((5, 4)), 2), (NUMBERS.random((5, 4)), 0))


@pytest.mark.slow
def test_as_many_values_as_true_elements_are_assigned_or_it_is_an_error():
    def assign(x, mask, values):
        x[mask] = values
        return x[mask].max()

    x, mask = np.arange(4.0), np.array([True, False, True, False])
    compiled = ag.jit(assign)
    for other in (mask, ~mask, mask & ~mask, mask | ~mask):
        assert_same_outcome(assign, compiled, (x, other, np.array([5.0, 6.0])))
    assert "NumPy:" not in compiled.inspect()
