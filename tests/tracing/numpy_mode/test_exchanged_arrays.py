"""Names that exchange arrays in a loop of `jit`: `a, b = b, a`."""

import numpy as np
import pytest
from test_jit import check

import allograph as ag

A, B, C = np.arange(6.0), np.arange(6.0) * 10, np.ones(6)


def smoothed(a, b, n):
    for _ in range(n):
        b[1:-1] = a[:-2] + a[2:]
        a, b = b, a
    return a, b


@pytest.mark.parametrize("n", [0, 1, 2, 5])
def test_two_arrays_change_places(n):
    check(smoothed, A, B, n)
    a, b = A.copy(), B.copy()
    one, other = ag.jit(smoothed)(a, b, n)
    assert (one is a, other is b) == (n % 2 == 0,) * 2
    assert (one is b, other is a) == (n % 2 == 1,) * 2


@pytest.mark.slow
@pytest.mark.parametrize("n", [0, 1, 4])
def test_an_argument_changes_places_with_a_new_array(n):
    def function(a, n):
        b = np.zeros_like(a)
        for _ in range(n):
            for i in range(1, 5):
                b[i] = a[i - 1] + a[i + 1]
            a, b = b, a
        return a

    check(function, A, n)
    argument = A.copy()
    assert (ag.jit(function)(argument, n) is argument) is (n % 2 == 0)


@pytest.mark.slow
@pytest.mark.parametrize("n", [1, 2, 3, 7])
def test_three_arrays_rotate(n):
    def function(a, b, c, n):
        for step in range(n):
            c[:] = 2 * b - a + step
            a, b, c = b, c, a
            if b[0] > 50:
                break
        return b.sum(), c

    check(function, A, B, C, n)


@pytest.mark.slow
@pytest.mark.parametrize("n", [1, 2])
def test_what_has_changed_places_is_read_and_written_afterward(n):
    def function(a, b, n):
        for _ in range(n):
            b[:] = a + 1
            a, b = b, a
        a[0] = 100
        b += 1
        for i in range(6):
            a[i] += b[i]
        return a[:2]

    check(function, A, B, n)


@pytest.mark.slow
def test_an_array_with_another_name_is_left_to_numpy():
    def function(a, b, n):
        other = a
        for _ in range(n):
            b[:] = other + 1
            a, b = b, a
        return a

    check(function, A, B, 30, native=False)

    def after(a, b, n):
        other = a
        for _ in range(n):
            b[:] = a + 1
            a, b = b, a
        return other[0]

    check(after, A, B, 3)


@pytest.mark.slow
def test_loops_that_exchange_follow_one_another_or_are_nested():
    def follow(a, b, n):
        for _ in range(n):
            b[:] = a + 1
            a, b = b, a
        for _ in range(n):
            b[:] = a * 2
            a, b = b, a

    check(follow, A, B, 3)

    def nested(a, b, n):
        for _ in range(n):
            for _ in range(9):
                b[:] = a + 1
                a, b = b, a
            a[0] = 5

    check(nested, A, B, 3)
