"""Iterators of Python over what a loop of the graph goes over: their items are taken once."""

import itertools
import operator

import numpy as np
import pytest
from numpy_programs import assert_native

import allograph as ag
from allograph.runtime.core.errors import UnimplementedError

A = np.arange(6.0)


def zipped_twice(a):
    pairs, total = zip(a, a, strict=False), 0.0
    for x, _ in pairs:
        total += x
    for _, y in pairs:
        total += 10 * y
    return total


def enumerated_twice(a):
    rows, total = enumerate(a), 0.0
    for _, x in rows:
        total += x
    for _, x in rows:
        total += 10 * x
    return total


def rest_of_a_loop_that_ends_early(a):
    pairs, total = zip(a, a, strict=False), 0.0
    for x, _ in pairs:
        if x > 2:
            break
    for x, _ in pairs:
        total += x
    return total


def taken_in_each_iteration(a):
    rows, total = enumerate(a), 0.0
    while total < 10:
        for _, x in rows:
            total += x
        total += 6
    return total


def list_of_what_a_loop_took(a):
    rows = map(abs, a)
    total = 0.0
    for x in rows:
        total += x
    return total, list(rows)


def generated_twice(a):
    doubled, total = (2 * x for x in a), 0.0
    for x in doubled:
        total += x
    for x in doubled:
        total += 100 * x
    return total


def indices_twice(a):
    places, total = np.ndindex(len(a), 2), 0.0
    for i, j in places:
        total += j * a[i]
    for _ in places:
        total += 100
    return total


def elements_twice(a):
    elements, total = a.flat, 0.0
    for x in elements:
        total += x
    for x in elements:
        total += 100 * x
    return total


def pairs_twice(a):
    pairs, total = itertools.product(range(3), range(len(a))), 0.0
    for i, j in pairs:
        total += i * a[j]
    for _ in pairs:
        total += 100
    return total


def few_pairs_twice(a):
    pairs, total = itertools.combinations(range(3), 2), 0.0
    for i, j in pairs:
        total += a[i] * a[j]
    for _ in pairs:
        total += 100
    return total


def few_pairs_in_each_iteration(a):
    pairs, total = itertools.combinations(range(3), 2), 0.0
    for k in range(len(a)):
        for i, j in pairs:
            total += a[i] * a[j] * (k + 1)
    return total


@pytest.mark.parametrize(
    "program",
    [
        few_pairs_twice,
        few_pairs_in_each_iteration,
        generated_twice,
        indices_twice,
        elements_twice,
        pairs_twice,
        zipped_twice,
        enumerated_twice,
        rest_of_a_loop_that_ends_early,
        taken_in_each_iteration,
        list_of_what_a_loop_took,
    ],
)
def test_items_that_are_taken_twice_are_left_to_python(program):
    compiled = ag.jit(program)
    assert compiled(A) == program(A)
    assert "taken more than once" in compiled.inspect()


def half(x):
    return 0.5 * x


def total_of_mapped(a):
    total = 0.0
    for x in map(half, a):
        total += x
    return total


def list_of_mapped(a):
    return list(map(operator.mul, a, a[::-1]))


def question_of_mapped(a):
    return any(map(lambda x: x > 3, a)), all(map(lambda x: x > 3, a))


def sum_of_whole_numbers(a):
    return sum(map(int, a))


def array_of_mapped(a):
    return np.array([x + y for x, y in zip(map(half, a), a, strict=False)])


def questions_of_named_generators(a):
    large, small = (x > 3 for x in a), (-x for x in a)
    return any(large), max(small), max(map(half, a))


@pytest.mark.parametrize(
    "program",
    [
        questions_of_named_generators,
        total_of_mapped,
        list_of_mapped,
        question_of_mapped,
        sum_of_whole_numbers,
        array_of_mapped,
    ],
)
def test_map_is_native(program):
    compiled = ag.jit(program)
    np.testing.assert_array_equal(compiled(A), program(A))
    assert "native code" in compiled.inspect()


def test_items_of_a_named_generator_are_taken_once_in_functions_of_tensors_too():
    with pytest.raises(UnimplementedError, match="generator are taken more than once"):
        ag.function(generated_twice)(ag.constant(A))
    results = ag.function(questions_of_named_generators)(ag.constant(A))
    assert [float(one) for one in results] == [1.0, 0.0, 2.5]


def stored(row, item):
    row[0] += item
    return row[0]


def any_that_stores(row, n):
    return int(any(stored(row, k) > n for k in (1, 2, 3))), row[0]


def all_that_stores(row, n):
    if n > 0:
        return int(all(stored(row, k) < n for k in (1, n, 3))), row[0]
    return 0, row[0]


def membership_of_what_stores(row, n):
    return int(n in (stored(row, k) for k in (1, 2, 3))), row[0]


def loop_that_ends_before_what_stores(row, n):
    total = 0
    for value in (stored(row, k) for k in (1, 2, 3)):
        if value > n:
            break
        total += value
    return total, row[0]


def any_that_stores_in_a_list(row, n):
    items = [int(row[0]), 5]
    for _ in range(n - n + 2):
        n = int(any(stored(items, k) > 2 for k in (1, (n + 5) % 19)))
    return n, items[0]


@pytest.mark.parametrize(
    "program",
    [
        any_that_stores,
        all_that_stores,
        membership_of_what_stores,
        loop_that_ends_before_what_stores,
        any_that_stores_in_a_list,
    ],
)
def test_items_after_the_last_that_python_takes_store_nothing(program):
    compiled = ag.jit(program)
    for n in (0, 1, 3, 6, 2, 5):
        rows = np.zeros(2, np.int64), np.zeros(2, np.int64)
        assert compiled(rows[0], n) == program(rows[1], n)
        assert list(rows[0]) == list(rows[1])


def test_items_that_store_into_what_they_made_are_native():
    def program(n):
        return int(any(stored(np.zeros(2, np.int64), k) > n for k in (1, 2, 3)))

    compiled = ag.jit(program)
    assert [compiled(n) for n in (0, 1, 3, 6)] == [1, 1, 0, 0]
    assert "native code" in compiled.inspect()


def pairs_of_numbers_that_change(a):
    total = 0.0
    for x, y in itertools.combinations(a, 2):
        a[-1] += 1
        total = total * 0.5 + x * y
    return total


def pairs_of_places_and_numbers_that_change(a):
    total = 0.0
    for (i, x), (j, y) in itertools.combinations(enumerate(a), 2):
        a[-1] += 1
        total = total * 0.5 + x * y - i * j
    return total


@pytest.mark.parametrize(
    "program", [pairs_of_numbers_that_change, pairs_of_places_and_numbers_that_change]
)
def test_combinations_take_their_items_first(program):
    assert_native(program, (np.arange(1.0, 5.0),))
