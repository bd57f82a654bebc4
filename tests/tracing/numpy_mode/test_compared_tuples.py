"""`jit`: tuples and lists that are written out are compared in native code."""

import numpy as np
import pytest
from numpy_programs import assert_native

import allograph as ag

A = np.array([0, 1, 2, 2, 1])
B = np.array([0.0, 2.0, 2.0, 1.0, 1.0], np.float32)


def places_of_a_goal(a, b, goal):
    return [i for i in range(len(a)) if (a[i], b[i]) == goal]


def walk_to_a_goal(a, goal):
    place, steps = 0, 0
    while (place, steps) != goal and steps < 9:
        place += a[steps % len(a)]
        steps += 1
    return place, steps


def of_other_lengths(a):
    count = 0
    for i in range(len(a)):
        count += (a[i], i) != (a[i],)
    return count


def nested(a, b):
    found = []
    for i in range(len(a)):
        found.append((a[i], (b[i], i)) == (2, (2, 2)))
    return found


@pytest.mark.parametrize(
    "function, arguments",
    [(places_of_a_goal, (A, B, (2, 1))), (walk_to_a_goal, (A, (5, 4))), (of_other_lengths, (A,)),
     (nested, (A, B))],
)  # fmt: skip
def test_tuples_are_equal_where_all_items_are(function, arguments):
    assert_native(function, arguments)


def test_the_first_items_that_differ_order_tuples():
    def earlier(a, b, k):
        below = at_most = above = at_least = 0
        for i in range(len(a)):
            if (a[i], k, i) < (b[i], k, 2):
                below += 1
            if (a[i], i) <= (b[i], 2):
                at_most += 1
            if (a[i], i, k) > (b[i], 2):
                above += 1
            if (a[i], (i, k)) >= (b[i], (2, 3)):
                at_least += 1
        return below, at_most, above, at_least

    assert_native(earlier, *((A, b, k) for b in (B, A[::-1], A.copy()) for k in (2, 3, 4)))


def test_a_tuple_beside_a_number_is_left_to_numpy():
    def mixed(a):
        return [((a[i], 1), 2) == (a[i], 2) for i in range(len(a))]

    made = ag.jit(mixed)
    for function in (mixed, made):
        with pytest.raises(ValueError, match="ambiguous"):
            function(A)
