"""Functions that a function of `jit` defines: helpers, lambdas, recursion, comprehensions."""

import numpy as np
import pytest
from test_jit import check

import allograph as ag

A = np.arange(6.0)


@pytest.mark.slow
def test_functions_inside_are_part_of_the_graph():
    def function(a, n):
        scale = 0.5

        def slope(t, y):
            return -y * t * scale

        def fill(at):
            a[at] = n

        def factorial(k):
            return 1 if k <= 1 else k * factorial(k - 1)

        y, shifted = a.copy(), lambda x: x + n
        for step in range(n):
            y = y + 0.1 * slope(step, y)
            fill(step)
        scale = 2.0
        if a[0] > 2:
            fill(5)
        parts = [shifted(a * i) for i in range(3)]
        return y, parts[1] + parts[2], slope(1, a), factorial(len(a)) * n

    check(function, A, 3)


def test_numbers_that_an_inner_function_assigns_outside_are_native():
    def function(a, n):
        count = 0

        def note():
            nonlocal count
            count += 1

        for i in range(6):
            if a[i] > n:
                note()
        return count, sum(a[i] for i in range(3))

    check(function, A, 3)


def test_a_function_inside_that_uses_numpy_is_traced_once():
    def function(a):
        decayed = lambda x: np.exp(-x)  # noqa: E731 - as users write it
        total = 0.0
        for k in range(1, 20):
            total += decayed(a + k)
        return total

    compiled = ag.jit(function)
    compiled(1.0)
    (entry,) = compiled.jit_table.values()
    compiled(2.0)
    assert list(compiled.jit_table.values()) == [entry]


def merged(pairs):
    parent, merges = list(range(23)), 0

    def root(x):
        while parent[x] != x:
            parent[x] = parent[parent[x]]
            x = parent[x]
        return x

    for i in range(len(pairs)):
        x, y = root(pairs[i, 0]), root(pairs[i, 1])
        if x != y:
            parent[y] = x
            merges += 1
    return merges


def first_times(a):
    seen, new = set(), []

    def note(x):
        if x not in seen:
            seen.add(x)
            new.append(x * 2)

    for x in a:
        note(x)
    note(7)
    return new, len(new)


@pytest.mark.parametrize(
    ("program", "argument"),
    [(merged, np.arange(60).reshape(30, 2) * 7 % 23), (first_times, np.arange(20) * 7 % 9)],
)
def test_an_inner_function_changes_lists_and_sets_of_the_function_around(program, argument):
    check(program, argument)
