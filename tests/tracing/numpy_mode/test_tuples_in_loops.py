"""`jit`: names that hold tuples and named tuples, and get others in loops and branches."""

from collections import namedtuple
from typing import NamedTuple

import numpy as np
import pytest
from numpy_programs import assert_native

pytestmark = pytest.mark.slow

A = np.random.default_rng(0).random(40)
State = namedtuple("State", "place speed time")


class Best(NamedTuple):
    score: float
    at: tuple

    def is_below(self, score):
        return self.score < score


def test_a_state_of_a_simulation_is_a_named_tuple():
    def simulated(a, n):
        state = State(a[:3], a[3:6] * 2, 0.0)
        for _ in range(n):
            state = State(state.place + 0.1 * state.speed, state.speed * 0.99, state.time + 0.1)
        return state.place, state.speed, state.time

    assert_native(simulated, (A, 1), (A, 30))


def test_parts_of_named_tuples_are_tuples():
    def best(m):
        found = Best(-1.0, (0, 0))
        for i in range(m.shape[0]):
            for j in range(m.shape[1]):
                if found.is_below(m[i, j]):
                    found = Best(m[i, j], (i, j))
        return found.score, *found.at

    assert_native(best, (A.reshape(5, 8),), (A.reshape(20, 2),))


def test_nested_tuples_get_others_in_a_loop():
    def sums(a, n):
        state, k = ((0.0, 1), (a[0],)), 0
        while k < n:
            (total, count), (most,) = state
            state = ((total + a[k], count + 1), (max(most, a[k]),))
            k += 1
        return state

    assert_native(sums, (A, 0), (A, 3), (A, 40))


def test_parts_of_a_named_tuple_are_replaced():
    def replaced(a, n):
        state = State(0.0, 0, a)
        for i in range(n):
            if a[i] > 0.5:
                state = state._replace(place=state.place + a[i], speed=i)
        return state

    assert_native(replaced, (A, 0), (A, 3), (A, 40))


def test_a_named_tuple_is_returned_from_a_loop():
    def first(a, limit):
        for i in range(len(a)):
            if a[i] > limit:
                return State(i, (a[i], i * 2), a)
        return State(-1, (0.0, 0), a)

    assert_native(first, (A, 0.5), (A, 2.0))
