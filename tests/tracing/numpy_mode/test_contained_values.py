"""`in`, and items of tuples and lists, with numbers that the graph computes."""

import numpy as np
import pytest
from native_calls import is_native

import allograph as ag

STEPS = [(0, 1), (1, 0), (0, -1), (-1, 0)]


def in_tuple(x):
    return x in (1, 2, 5)


def in_list(x):
    return x in [1.5, 4]


def in_set(x):
    return x in {2, 3}


def in_range(x):
    return x in range(1, 9, 3)


def not_in_nothing(x):
    return x not in ()


def in_array(x):
    return x in np.arange(4.0)


@pytest.mark.parametrize("f", [in_tuple, in_list, in_set, in_range, not_in_nothing, in_array])
@pytest.mark.parametrize(
    "number", [1, 2, 4, 7, 2.0, float("nan"), np.float32(4), np.int8(3)], ids=str
)
def test_in_means_what_it_does_in_python(f, number):
    compiled = ag.jit(f)
    found, expected = compiled(number), f(number)
    assert (found, type(found)) == (expected, type(expected))
    assert is_native(compiled)


def test_a_container_of_strings_is_left_to_numpy():
    assert ag.jit(lambda x: str(x) in {"1"})(1)


def test_a_walk_by_a_table_of_steps():
    def walk(free):
        row = column = way = 0
        for _ in range(20):
            down, right = STEPS[way]
            if free[(row + down) % 4, (column + right) % 4]:
                row, column = (row + down) % 4, (column + right) % 4
            else:
                way = (way + 1) % 4
        return row, column, way

    free = np.random.default_rng(0).random((4, 4)) > 0.4
    compiled = ag.jit(walk)
    assert compiled(free) == walk(free)
    assert is_native(compiled)
    STEPS.append((0, 0))
    try:
        assert compiled(free) == walk(free)
    finally:
        STEPS.pop()
