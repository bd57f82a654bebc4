"""The stacks of native loops: rows that a loop pushes, in an array that grows."""

import numpy as np
import pytest

pytest.importorskip("llvmlite")

from kernel_compilation import compiled

from allograph.runtime.jit.kernel_types import ArrayType

TEXT = """
def kernel(rows, pushed):
    for place in range(len(pushed)):
        rows = with_room(rows, place)
        rows[place] = pushed[place]
    return (rows, )
"""


def pushed_to(rows, pushed):
    """The stack after some pushes, the first of which is its element number 0."""
    kind = ArrayType(rows.dtype, (None, *rows.shape[1:]))
    (found,) = compiled(TEXT, [kind, pushed], [kind])(rows, pushed)
    return np.frombuffer(found, rows.dtype).reshape(-1, *rows.shape[1:])


@pytest.mark.parametrize("kind", ["bool", "int8", "int32", "int64", "float32", "float64"])
@pytest.mark.parametrize("shape", [(), (3,), (2, 3)], ids=str)
def test_a_stack_that_grows_keeps_its_rows(shape, kind):
    pushed = np.random.default_rng(0).integers(0, 100, (70, *shape)).astype(kind)
    rows = pushed_to(np.zeros((0, *shape), kind), pushed)
    np.testing.assert_array_equal(rows[:70], pushed)


def test_the_first_push_leaves_an_older_stack_alone():
    older = pushed_to(np.zeros((0, 2)), np.full((1, 2), 7.0))
    pushed_to(older, np.full((1, 2), 1.0))
    assert older[0].tolist() == [7.0, 7.0]
