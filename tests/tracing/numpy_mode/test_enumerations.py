"""`jit`: members of enumerations, as arguments and among numbers."""

import enum

import numpy as np
import pytest
from numpy_programs import assert_native, assert_same_outcome

import allograph as ag

X, PLACES = np.array([0.5, -2.0, 3.0, 0.0]), np.array([0, 2, 1, 3, 1])


class Mode(enum.Enum):
    SUM = "sum"
    LARGEST = "largest"


class Color(enum.IntEnum):
    RED = 1
    GREEN = 2


class Odd(enum.IntEnum):
    ONE = 1

    def __eq__(self, other):
        return True

    __hash__ = enum.IntEnum.__hash__


class Access(enum.IntFlag):
    READ = 1
    WRITE = 2


def folded(x, mode):
    total = x[0]
    for v in x[1:]:
        if mode is Mode.SUM:
            total += v
        elif mode == Mode.LARGEST:
            total = max(total, v)
        else:
            total -= v * mode.value
    return total, mode.name


def test_members_are_constants_of_the_trace():
    assert_native(folded, *((X, mode) for mode in (Mode.SUM, Mode.LARGEST, Color.GREEN)))


def colored(x, color):
    out = np.zeros(len(x), dtype=np.int8)
    for i in range(len(x)):
        if x[i] == Color.RED:
            out[i] = Color.GREEN
        elif Color.GREEN < x[i]:
            out[i] = i * color + Color.RED
        else:
            out[i] = -color
    return out, x + Color.RED, x[0] * Color.GREEN, 3 - color, np.maximum(x, color), x[color]


@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.uint8, np.float32])
def test_members_of_integers_are_numbers_as_numpy_and_python_take_them(dtype):
    assert_native(colored, (PLACES.astype(dtype), Color.GREEN), (PLACES.astype(dtype), Color.RED))


@pytest.mark.parametrize("member", [Odd.ONE, Access.READ])
def test_classes_with_operators_of_their_own_are_left_to_python(member):
    def compared(x, n):
        count = 0
        for v in x:
            count += v == member
        for i in range(n):
            count += (i | 1) == member
        return count

    assert_same_outcome(compared, ag.jit(compared), (PLACES, 5))
