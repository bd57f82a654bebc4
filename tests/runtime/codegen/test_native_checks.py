"""What raises on NumPy raises in native code, also where nobody reads the element that is wrong."""

import numpy as np
import pytest
from execution_modes import pinned

import allograph as ag

pytestmark = pytest.mark.slow

NUMBERS = ag.constant([1.0, 2.0, 3.0])
INDICES = ag.constant([0, 1, 7])

RAISES = {
    "gather": lambda x, i: ag.gather(x, i),
    "gather_nd": lambda x, i: ag.gather_nd(x, i[:, None]),
    "division": lambda x, i: ag.cast(i // (i - 7), ag.float32),
    "remainder": lambda x, i: ag.cast(i % (i - 7), ag.float32),
    "scatter": lambda x, i: ag.tensor_scatter_nd_update(x, i[:, None], x),
}
READS = {
    "all": lambda y, i: y + 1.0,
    "the first": lambda y, i: y[:1],
    "every second": lambda y, i: y[:2:2] * 2.0,
    "none": lambda y, i: y[:0],
    "none, reduced": lambda y, i: ag.reduce_sum(y[3:]),
    "at an index": lambda y, i: y[i[0]],
    "gathered": lambda y, i: ag.gather(y, ag.constant([1, 0])),
    "broadcast to nothing": lambda y, i: ag.broadcast_to(y, [0, 3]) * 2.0,
    "tiled to nothing": lambda y, i: ag.tile(y, [0]),
    "one of two": lambda y, i: ag.where(i < 3, y, 0.0),
    "joined and sliced": lambda y, i: ag.concat([NUMBERS, y], 0)[:4],
    "reversed": lambda y, i: ag.reverse(y, [0])[1:],
    "a row": lambda y, i: ag.transpose(ag.reshape(y, [3, 1]))[0, :2],
    "in a branch": lambda y, i: ag.cond(i[0] > 5, lambda: y[:1], lambda: y[1:2]),
    "times zero": lambda y, i: y * 0.0,
}


@pytest.mark.parametrize("reader", READS)
@pytest.mark.parametrize("producer", RAISES)
def test_an_error_does_not_depend_on_who_reads_the_result(producer, reader):
    def function(x, i):
        return READS[reader](RAISES[producer](x, i), i)

    with pytest.raises(ag.errors.InvalidArgumentError) as eager:
        function(NUMBERS, INDICES)
    for jit_compile in (False, True):
        with pytest.raises(ag.errors.InvalidArgumentError) as staged:
            ag.function(function, **pinned(jit_compile))(NUMBERS, INDICES)
        assert type(staged.value) is type(eager.value), jit_compile


NOTHING = ag.zeros([3, 0])


@pytest.mark.parametrize(
    "function",
    [
        lambda i: ag.gather(NOTHING, i),
        lambda i: ag.gather_nd(NOTHING, i[:, None]),
        lambda i: ag.scatter_nd(i[:, None], NOTHING, [3, 0]),
        lambda i: ag.tensor_scatter_nd_update(NOTHING, i[:, None], NOTHING),
        lambda i: NOTHING[i[2]],
        lambda i: ag.zeros([0])[i[2]],
    ],
    ids=["gather", "gather_nd", "scatter_nd", "update", "row", "element"],
)
def test_indices_are_checked_where_the_result_is_empty(function):
    for jit_compile in (False, True):
        with pytest.raises(ag.errors.InvalidArgumentError, match="out of range"):
            ag.function(function, **pinned(jit_compile))(INDICES)


SHAPES = [[2**31, 2**31, 4], [2**62, 2], [2**40, 2**40]]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("jit_compile", [False, True])
def test_a_number_of_elements_that_no_integer_holds_is_an_error(shape, jit_compile):
    total = ag.function(lambda shape: ag.reduce_sum(ag.zeros(shape)), **pinned(jit_compile))
    with pytest.raises(ag.errors.InvalidArgumentError):
        total(ag.constant(shape, ag.int64))


@pytest.mark.parametrize("jit_compile", [False, True])
def test_missing_memory_is_told_at_the_line_and_the_function_goes_on(jit_compile):
    filled = ag.function(lambda shape: ag.zeros(shape) + 1.0, **pinned(jit_compile))
    with pytest.raises(MemoryError) as error:
        filled(ag.constant([2**40, 2**6], ag.int64))
    assert "zeros(shape) + 1.0" in "\n".join(error.value.__notes__)
    np.testing.assert_array_equal(filled(ag.constant([2], ag.int64)), [1, 1])
