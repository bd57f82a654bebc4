"""What is taken as known of integers holds where it is used: an index that is wrongly taken to be
in bounds would read and write memory of others.
"""

import math

import numpy as np
import pytest
from native_calls import is_native

import allograph as ag

pytestmark = pytest.mark.slow


def outcome(function, *arguments):
    given = [one.copy() if isinstance(one, np.ndarray) else one for one in arguments]
    try:
        result = function(*given)
    except Exception as error:
        result = type(error), str(error)
    return result, given


def assert_as_python(function, *calls):
    compiled = ag.jit(function)
    for call in calls:
        np.testing.assert_equal(outcome(compiled, *call), outcome(function, *call))
    assert is_native(compiled)


def test_what_an_iteration_checks_does_not_hold_before_it():
    def marked(a, numbers):
        n = int(numbers[0])
        j = n
        for i in range(len(a)):
            a[j] = 1.0  # in the first iteration, before `a[n]` is checked
            a[n] = 2.0
            a[numbers[i]] += 1
            j = i

    for n in (3, -5, 50, -50, 10**10):
        assert_as_python(marked, (np.zeros(8), np.arange(8)), (np.zeros(8), np.full(8, n)))


def test_a_loop_that_becomes_simple_relies_on_no_assertions_that_it_checks_when_it_has_ended():
    def marked(a, numbers, n):
        i = 0
        while max(i, 0) < n:  # which is i
            j = int(numbers[i])
            if j < 0 or j >= len(a):
                raise ValueError
            a[j] = 1.0
            i += 1

    calls = [np.arange(8), np.array([1, 2, 10**10, 3]), np.array([1, -(10**10), 3])]
    assert_as_python(marked, *((np.zeros(8), numbers, len(numbers)) for numbers in calls))


def test_floats_of_integers_are_compared_as_such():
    for limit in (0.0, -13.5, -100.0, 0.5, 7.0, math.inf, -math.inf, math.nan):

        def counted(a):
            for i in range(20):
                a[i] += 1
                assert float(-i) < limit

        def multiplied(a):
            for i in range(20):
                a[i] += 1
                assert float(i) * float(-i) < limit

        assert_as_python(counted, (np.zeros(20),))
        assert_as_python(multiplied, (np.zeros(20),))


def test_code_that_is_never_reached_is_native_whatever_it_divides_by():
    def divided(a, k):
        for i in range(len(a)):
            if k <= 0:
                if k >= 1:
                    a[(10 + i) // k] = 1
            a[i] += 1

    assert_as_python(divided, (np.zeros(8), 1), (np.zeros(8), 0))


def test_an_index_of_64_bits_without_a_sign_does_not_count_from_the_end():
    def of_an_array(a, k):
        for i in range(3):
            a[k] += 1

    def of_a_list(a, k):
        rows = []
        for i in range(5):
            rows.append(float(i))
        rows[k] = 9.0
        return rows[0]

    def among_arrays(a, k):
        [a, a + 1][k][0] = 7

    for function in (of_an_array, of_a_list, among_arrays):
        assert_as_python(function, (np.zeros(5), np.uint64(1)))
        given = np.zeros(5), np.uint64(2**64 - 1)
        np.testing.assert_equal(outcome(ag.jit(function), *given), outcome(function, *given))
