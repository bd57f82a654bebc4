"""The stacks of native loops: rows that a loop pushes, in an array that grows."""

import numpy as np
import pytest

pytest.importorskip("numba")

from allograph.runtime.native_arrays import functions


def _room_function():
    import numba

    grown = functions()["with_room"]
    return numba.njit(lambda rows, count: grown(rows, count))


@pytest.mark.parametrize("kind", ["bool", "int8", "int32", "int64", "float32", "float64"])
@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (0,)], ids=str)
def test_a_stack_that_grows_keeps_its_rows(shape, kind):
    with_room, draw = _room_function(), np.random.default_rng(0)
    pushed = draw.integers(0, 100, (70, *shape)).astype(kind)
    rows = np.zeros((0, *shape), kind)
    for count, row in enumerate(pushed):
        rows = with_room(rows, count)
        rows[count] = row
    np.testing.assert_array_equal(rows[:70], pushed)


def test_the_first_push_leaves_an_older_stack_alone():
    with_room = _room_function()
    older = with_room(np.zeros((0, 2)), 0)
    older[0] = 7.0
    newer = with_room(older, 0)
    newer[0] = 1.0
    assert older[0].tolist() == [7.0, 7.0]
