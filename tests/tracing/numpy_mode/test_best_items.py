"""`min` and `max` with keys and defaults, `reduce`, and dictionaries of pairs, in native code."""

import functools

import numpy as np
import pytest
from test_jit import check

import allograph as ag

NUMBERS = [3, 1, 4, 1, 5, 9, 2, 6]


def chosen(a):
    counts = {}
    for x in a:
        counts[x] = counts.get(x, 0) + 1
    pairs = [(x, -x) for x in a]
    rare, often = min(counts, key=counts.get), max(counts, key=lambda x: (counts[x], x))
    return (
        rare,
        often,
        max(pairs, key=lambda pair: pair[1]),
        min((x for x in a if x > 99), default=-1),
    )


def folded(a):
    return functools.reduce(lambda x, y: x * 3 % 101 + y, a), functools.reduce(max, a[1:], a[0])


def paired(a):
    places = dict(zip(a, range(len(a))))  # noqa: B905
    copy = dict(places)
    copy[a[0]] = 100
    return places, copy, dict([(x % 3, x) for x in a])


@pytest.mark.parametrize("program", [chosen, folded, paired])
def test_a_function_that_goes_over_items_is_native(program):
    check(program, np.array(NUMBERS * 3))


@pytest.mark.parametrize(
    "program", [lambda a: max(a, key=lambda x: -x), lambda a: functools.reduce(max, a)]
)
def test_python_says_what_is_wrong_with_no_items(program):
    check(program, np.array([], np.int64), native=False)


@pytest.mark.parametrize(
    "program", [lambda a: max(a[0], a[1], default=2), lambda a: min(a, other=2)]
)
def test_python_says_what_is_wrong_with_the_arguments(program):
    with pytest.raises(TypeError):
        ag.jit(program)(np.array(NUMBERS))
