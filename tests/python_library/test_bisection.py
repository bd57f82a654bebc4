"""The functions of `bisect`, in plain Python and in `jit`."""

import bisect
import random

import numpy as np
import pytest
from native_calls import is_native

import allograph as ag
from allograph.python_library import bisection

NAMES = ["bisect_left", "bisect_right", "insort_left", "insort_right"]


@pytest.mark.parametrize("name", NAMES)
def test_results_are_those_of_bisect(name):
    draws = random.Random(0)
    for size in (0, 1, 2, 17):
        for x in range(-1, 9):
            ours = sorted(draws.choices(range(8), k=size))
            expected = list(ours)
            for bounds in ((), (0, size), (size // 2,), (size // 3, size // 2)):
                own = getattr(bisection, name)(ours, x, *bounds)
                assert own == getattr(bisect, name)(expected, x, *bounds)
                assert ours == expected


def places(borders, values):
    out = np.zeros((len(values), 3), np.int64)
    for i in range(len(values)):
        out[i, 0] = bisect.bisect_left(borders, values[i])
        out[i, 1] = bisect.bisect_right(borders, values[i], 1)
        out[i, 2] = bisect.bisect(borders, values[i], hi=2)
    return out


def increasing(values):
    tails = []
    for value in values:
        place = bisect.bisect_left(tails, value)
        if place == len(tails):
            tails.append(value)
        else:
            tails[place] = value
    return len(tails)


def in_order(values):
    items = []
    for value in values:
        bisect.insort(items, value)
    return items


@pytest.mark.slow
def test_they_are_native():
    values = np.random.default_rng(0).random(60).round(1)
    for function, args in ((places, (np.sort(values[:9]), values)), (increasing, (values,)),
                           (in_order, (values,))):  # fmt: skip
        compiled = ag.jit(function)
        found, expected = compiled(*args), function(*args)
        assert type(found) is type(expected)
        np.testing.assert_array_equal(found, expected)
        assert is_native(compiled), compiled.inspect()


@pytest.mark.slow
def test_a_negative_bound_is_the_error_of_python():
    with pytest.raises(ValueError, match="non-negative"):
        ag.jit(lambda a, low: bisect.bisect_left(a, 1.0, low))(np.arange(3.0), -1)
