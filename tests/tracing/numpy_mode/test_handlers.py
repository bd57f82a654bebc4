"""`jit`: functions with `try` are native; Python runs the calls in which something is raised."""

import math

import numpy as np
import pytest
from numpy_programs import assert_native, assert_same_outcome

import allograph as ag


def item_or_default(a, i):
    try:
        x = a[i] * 2
    except IndexError:
        x = -1.0
    for j in range(len(a)):
        a[j] += x
    return x


def roots(a, count):
    total = 0.0
    for i in range(count):
        try:
            total += math.sqrt(a[i])
        except ValueError:
            total -= 1
        finally:
            a[i] = 0.0
    return total


def doubled_until_negative(a, count):
    try:
        for i in range(count):
            if a[i] < 0:
                raise ValueError(i)
            a[i] *= 2
    except:  # noqa: E722 - it also catches what ends a trace
        a[0] = 100.0
    else:
        a[-1] = 7.0
    return a.sum()


@pytest.mark.parametrize("function", [item_or_default, roots, doubled_until_negative])
def test_a_handler_runs_in_python_alone(function):
    compiled = ag.jit(function)
    for first in (0, -3):
        for count in (2, 5, 9):
            assert_same_outcome(function, compiled, (np.arange(6.0) + first, count))
    assert "NumPy:" not in compiled.inspect()


def test_a_body_that_raises_nothing_is_native():
    assert_native(roots, (np.arange(6.0), 4), (np.arange(6.0), 1))


def test_a_handler_never_sees_what_a_trace_refuses():
    def guarded(a):
        try:
            made = a / {1: 2}[1]
            a[0] = np.unknown(a)
        except:  # noqa: E722
            return -1.0
        return made

    compiled = ag.jit(guarded)
    assert_same_outcome(guarded, compiled, (np.arange(4.0),))
    assert "an `except` handles a AttributeError" in compiled.inspect()
