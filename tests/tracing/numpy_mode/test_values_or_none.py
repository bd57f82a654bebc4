"""`jit`: names and results that hold a tuple or an array at one time, and None at another."""

import numpy as np
import pytest
from numpy_programs import assert_native, assert_same_outcome

import allograph as ag

X = np.array([1.0, 2.0, 3.0, 2.0])
CALLS = tuple((x, v) for x in (X, X[:0]) for v in (2.0, 9.0, 1.0))


def found(x, v):
    for i in range(len(x)):
        if x[i] == v:
            return i, x[i] * 2
    return None


def without_a_last_return(x, v):
    for i in range(len(x)):
        if x[i] == v:
            return i, (x[i], 3), "found"


def with_none_first(x, v):
    if v > 5:
        return None
    total = 0.0
    for i in range(len(x)):
        total += x[i]
    return total, len(x)


def new_array(x, v):
    if v > 5:
        return None
    out = np.zeros(3)
    for i in range(len(x)):
        out[i % 3] += x[i]
    return out


def own_argument(x, v):
    for i in range(len(x)):
        if x[i] == v:
            x[i] = -1.0
            return x
    return None


def of_a_called_function(x, v):
    first, total = found(x, v), 0.0
    for k in range(3):
        pair = found(x, v + k)
        if pair:
            total += pair[0] * 10 + pair[1]
        else:
            total -= 1
    if first is None:
        return total, first
    i, number = first
    return total + i + number, first


def of_a_local_name(x, v):
    pair = None
    if x.sum() > v:
        pair = (v, 2)
    if pair is not None:
        a, b = pair
        return a * b
    return 0.0


def of_a_loop(x, v):
    best = None
    for i in range(len(x)):
        if best is None or x[i] > best[1]:
            if x[i] != v:
                best = (i, x[i])
    return best


def of_several_returns(x, v):
    for i in range(len(x)):
        if x[i] < 0:
            return None
        if x[i] == v:
            return i, x[i]
        if x[i] > 2.5:
            return None
    return 0, 0.0


def operators_of_an_array(x, v):
    out = None
    if v < 5:
        out = x * 2
    total = 0.0
    if out is not None:
        for w in out:
            total += w
        out[0:1] = 3.0
        total += (out + 1).sum() + np.sum(out) + len(out) + out.shape[0] + (2 - out).sum()
    return total, out


def default_of_a_called_function(x, v):
    weights = None
    for i in range(len(x)):
        if x[i] == v:
            weights = x * 0.5
            break
    return weighted(x, weights)


def weighted(x, weights):
    if weights is None:
        weights = np.ones(len(x))
    return (x * weights).sum()


FUNCTIONS = (
    found, without_a_last_return, with_none_first, new_array, own_argument, of_a_called_function,
    of_a_local_name, of_a_loop, of_several_returns, operators_of_an_array,
    default_of_a_called_function,
)  # fmt: skip


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda one: one.__name__)
def test_a_value_or_none_is_native(function):
    assert_native(function, *CALLS)


def unpacked(x, v):
    i, number = found(x, v)
    return i + number


def compared(x, v):
    return found(x, v) == (1, 4.0)


def of_two_types(x, v):
    if v > 5:
        return None
    return (1, 2) if x.sum() > 3 else 1.5


def asked(x, v):
    return isinstance(found(x, v), tuple), type(found(x, v)).__name__


@pytest.mark.parametrize("function", [unpacked, compared, of_two_types, asked])
def test_what_python_raises_or_knows_is_as_undecorated(function):
    compiled = ag.jit(function)
    for args in (*CALLS, *CALLS):
        assert_same_outcome(function, compiled, args)
