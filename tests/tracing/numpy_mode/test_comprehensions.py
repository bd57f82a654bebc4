"""Comprehensions and generator expressions over ranges and arrays: they are loops of the graph."""

import numpy as np
import pytest
from numpy_programs import assert_native, assert_same_outcome

import allograph as ag

A = np.array([3.0, -1.0, 7.5, 0.0, 7.5, 2.0])
NATIVE = {
    "array": lambda a, n: np.array([a[i] * 2 for i in range(n)]),
    "array of another type": lambda a, n: np.array([i * i for i in range(n)], np.float32),
    "rows": lambda a, n: np.array([x + n for x in a]),
    "sum": lambda a, n: sum(a[i] * 2 for i in range(n)),
    "sum of integers": lambda a, n: sum(i * i for i in range(n)),
    "sum of a list": lambda a, n: sum([a[i] for i in range(n)]),
    "largest": lambda a, n: max(a[i] * 2 for i in range(n)),
    "least": lambda a, n: min([a[i] - i for i in range(n)]),
    "any": lambda a, n: any(a[i] > 7 for i in range(n)),
    "all": lambda a, n: all(a[i] > -2 for i in range(n)),
    "some truth": lambda a, n: any([a[i] for i in range(n)]),
    "vector": lambda a, n: (max(a), min(a), sum(a), any(a), all(a)),
    "length": lambda a, n: len([x * 2 for x in a]) + n,
    "item": lambda a, n: [x * 2 for x in a][1] + n,
    "inside a loop": lambda a, n: np.array([max(a[j] * i for j in range(6)) for i in range(n)]),
}


@pytest.mark.parametrize("function", NATIVE.values(), ids=NATIVE)
@pytest.mark.parametrize("n", [3, 6])
def test_a_comprehension_of_numbers_is_native(function, n):
    assert_native(function, (A, n), (-A, n))


OTHERS = {
    "list": lambda a, n: [a[i] * 2 for i in range(n)],
    "test": lambda a, n: np.array([x for x in a if x > 1]),
    "pairs": lambda a, n: np.array([(x, x) for x in a]),
    "sorted": lambda a, n: sorted(x for x in a),
    "comparison": lambda a, n: [x for x in a] == [1.0],
    "class": lambda a, n: isinstance([x for x in a], list),
    "nothing": lambda a, n: sum(a[i] for i in range(n - n)),
    "too far": lambda a, n: any(a[i] > 2 for i in range(n + 3)),
    "out of bounds": lambda a, n: all(a[i] > -9 for i in range(n + 3)),
    "nan": lambda a, n: (max(a / 0.0), min(x / 0.0 for x in a)),
    "joined": lambda a, n: [x for x in a] + [x for x in a],
}


@pytest.mark.parametrize("function", OTHERS.values(), ids=OTHERS)
@pytest.mark.filterwarnings("ignore")
def test_other_comprehensions_mean_the_same(function):
    outcomes = []
    for each in (function, ag.jit(function)):
        try:
            outcomes.append(repr(each(A, 6)))
        except Exception as error:
            outcomes.append(repr(error))
    assert outcomes[0] == outcomes[1]


def test_a_function_in_a_comprehension_may_change_an_array():
    def changed(a, i):
        a[i] += 1
        return a[i]

    def function(a, n):
        return np.array([changed(a, i) for i in range(n)])

    assert_same_outcome(function, ag.jit(function), (A, 6))
