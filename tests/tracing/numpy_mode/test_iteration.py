"""What loops in `jit` go over: `zip`, `enumerate`, `reversed`, ranges; tuples of constants."""

import numpy as np
import pytest
from numpy_programs import assert_native
from test_jit import check

import allograph as ag

WEIGHTS = (0.5, 1.5, -2.0, 3.0, 0.25, 8.0)
LONG = np.arange(40.0)


def test_zip_of_arrays_is_a_loop():
    def function(a, b):
        total = 0.0
        for x, y in zip(a, b):
            total += x * y
        return total

    check(function, LONG, LONG[:30].copy())


def test_enumerate_gives_integers_of_python():
    def function(a):
        for i, x in enumerate(a, 3):
            a[i - 3] = x / i
        return i

    check(function, LONG)


@pytest.mark.slow
def test_enumerate_of_zip_and_of_a_range():
    def function(a, n):
        total = 0
        for i, (x, j) in enumerate(zip(a, range(n, 0, -1))):
            total += i * j
            if x > 20:
                break
        return total

    check(function, LONG, 30)
    check(function, LONG, 3)


def test_an_iterator_is_gone_over_once():
    def function(a, n):
        total, items = 0.0, iter(range(n))
        for i, x in zip(items, iter(a)):
            total += i * x
        return total, iter(items) is items

    check(function, LONG, 30)


def test_reversed_goes_backward():
    def function(a, n):
        for i in reversed(range(n)):
            a[i] += a[i + 1]
        for row in reversed(a):
            last = row
        return last

    check(function, LONG, 30)
    check(function, LONG, 0)


def test_a_tuple_of_constants_takes_a_computed_index():
    def function(a, n):
        for i in range(n):
            a[i] *= WEIGHTS[i]
        return WEIGHTS[n - 1]

    check(function, LONG, 6)
    check(function, LONG, 7)


@pytest.mark.slow
def test_roll_takes_a_computed_shift():
    def function(a, n):
        for k in range(n):
            a[:] = np.roll(a, k, axis=1) + np.roll(a, -k) - np.roll(a, 1, axis=0)
        return a

    check(function, np.arange(12.0).reshape(3, 4), 6)


@pytest.mark.slow
def test_prange_is_range():
    def function(a, n):
        for i in ag.prange(n):
            a[i] = i * i
        for i in ag.prange(1, 6, 2):
            a[i] += 1
        return a.sum()

    check(function, np.zeros(6), 5)
    assert ag.prange(2, 9, 3) == range(2, 9, 3)
    total = ag.function(lambda n: sum_to(n))
    assert total(ag.constant(4)).numpy() == 6


def sum_to(n):
    total = 0
    for i in ag.prange(n):
        total += i
    return total


def nothing(n):
    for _ in range(n):
        return None
    return n


def word(n):
    for _ in range(n):
        return "early", n
    return "late", n


def numbers(n):
    for _ in range(n):
        return (1, 2), n
    return (3, 4), n


def class_or_number(n):
    for _ in range(n):
        return np.float32
    return 1


def outer_array(n):
    for _ in range(n):
        if n > 1:
            return LONG
    return np.zeros(n)


@pytest.mark.parametrize(
    "function",
    [nothing, word, numbers, class_or_number, outer_array],
    ids=lambda one: one.__name__,
)
def test_a_loop_may_return_what_no_tensor_holds(function):
    compiled = ag.jit(function)
    for n in (2, 0, 1):
        assert repr(compiled(n)) == repr(function(n))


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.int64, np.uint8, np.uint32, np.uint64])
def test_ranges_between_elements_give_integers_of_pythons(dtype):
    def rows(offsets, x):
        sums, seen, last = np.zeros(len(offsets) - 1), [], -1
        for i in range(len(sums)):
            for last in range(offsets[i], offsets[i + 1]):
                sums[i] += x[last]
                seen.append(last)
        for last in range(offsets[1], offsets[3], 2):
            sums[0] += last
        return sums, seen, last

    assert_native(rows, (np.array([0, 2, 2, 5, 6], dtype), np.arange(6.0)))
