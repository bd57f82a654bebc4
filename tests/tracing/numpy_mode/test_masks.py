"""`jit`: what a mask chooses is native, although nobody knows its size before."""

import numpy as np
import pytest
from native_calls import is_native
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
    assert is_native(compiled)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.complex128])
def test_elements_are_replaced_by_expressions_of_chosen_elements(dtype):
    def iterated(z, c, rounds):
        count = np.zeros(z.shape, int)
        for n in range(rounds):
            is_inside = np.abs(z) < 1.5
            z[is_inside] = z[is_inside] ** 2 + c[is_inside] * 0.5
            count[is_inside] = n
        return count

    c = (NUMBERS.random((6, 7)) - 0.3 + (0.2j if np.dtype(dtype).kind == "c" else 0)).astype(dtype)
    assert_native(iterated, (c * 0, c, 8), (c * 2, c, 9))


def test_replaced_elements_keep_their_place_and_order():
    def replaced(x, y):
        mask = y > 0
        x[mask] = x[mask][::-1]
        x[mask] = np.cumsum(x[mask] * 2)
        x[mask] = y[mask]
        x[x > 0.5] = x[x > 0.5] - x[mask].sum()
        return x[mask]

    assert_native(replaced, (NUMBERS.random(30), NUMBERS.random(30) - 0.4))


def test_chosen_divisors_are_those_alone_that_divide():
    def quotients(x, y):
        mask = y != 0
        x[mask] = x[mask] // y[mask]
        x[mask] = x[mask] % y[mask]
        return x

    assert_native(quotients, (np.arange(20), np.arange(20) % 4 - 1))


def test_chosen_elements_are_counted_up_in_a_function_that_calls_numpy():
    @ag.jit
    def counted(state, days, steps, seed):
        generator = np.random.default_rng(seed)
        made = np.zeros((steps, 3), int)
        for step in range(steps):
            days[state == 1] += 1
            made[step, 1] = days.sum()
        return made, generator.random()

    state, days = np.arange(100) % 3, np.zeros(100, int)
    made, number = counted(state, days, 3, 0)
    assert made[:, 1].tolist() == [33, 66, 99]
    assert days.tolist() == (3 * (state == 1)).tolist()
    assert number == np.random.default_rng(0).random()
    assert "TypeError" not in counted.inspect()
