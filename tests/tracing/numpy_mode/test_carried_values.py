"""How values are carried through statements of `jit`: laws of the classes that say so."""

import contextlib
import itertools

import numpy as np
import pytest

from allograph.autograph.current_trace import TRACE
from allograph.autograph.operators.raising import RefusedError
from allograph.runtime.tensors.graph_builder import Builder
from allograph.tracing.numpy_mode.numpy_stager import STAGER
from allograph.tracing.numpy_mode.refusal import Fallback, NumpyTrace, Options
from allograph.tracing.numpy_mode.statements.carried_values import (
    Array,
    Number,
    carried_as,
    flattened,
    joined,
)
from allograph.tracing.numpy_mode.storage import Storage
from allograph.tracing.numpy_mode.traced_array import TracedArray
from allograph.tracing.numpy_mode.traced_scalar import LARGE
from allograph.tracing.numpy_mode.views import IndexedViews

NUMBERS = [True, 3, 2.5, 1j, np.float64(2), np.int64(1), np.float32(1), LARGE + 1]


@contextlib.contextmanager
def recording():
    trace = NumpyTrace(STAGER, Options(64, fallbacks=frozenset(Fallback)), set(), set())
    trace.indexed = IndexedViews()
    token = TRACE.set(trace)
    try:
        with Builder("f") as builder:
            yield builder
    finally:
        TRACE.reset(token)


def array(builder, *shape):
    return TracedArray(Storage(builder.constant(np.ones(shape))))


@pytest.mark.parametrize("value", NUMBERS, ids=repr)
def test_a_number_is_carried_by_the_tensors_that_its_leaves_say(value):
    with recording():
        number = carried_as(value)
        tensors = flattened(value, number)
        after = number.unflatten(iter(tensors))
    assert [(each.dtype.numpy_dtype, each.shape) for each in tensors] == number.leaves
    assert carried_as(after) == number


def test_the_join_of_two_numbers_does_not_depend_on_their_order_and_takes_both():
    for left, right in itertools.product(NUMBERS, repeat=2):
        types = carried_as(left), carried_as(right)
        with recording():
            try:
                both = joined("x", *types)
            except RefusedError:
                with pytest.raises(RefusedError):
                    joined("x", *reversed(types))
                continue
            assert both == joined("x", *reversed(types))
            assert joined("x", both, types[0]) == joined("x", types[1], both) == both
            assert len(flattened(left, both)) == len(flattened(right, both)) == len(both.leaves)


def test_a_number_that_is_of_another_type_at_other_times_has_a_flag():
    with recording():
        for left, right, both in (
            (1, 2.5, Number(np.dtype(float), float, (int,))),
            (True, 1, Number(np.dtype(int), int, (bool,))),
            (2.5, np.int64(1), Number(np.dtype(float), float, (np.int64,))),
            (np.float32(1), np.float64(1), Number(np.dtype(float), None, (np.float32,))),
            (1j, 1, Number(np.dtype(complex), complex, (int,))),
        ):
            assert joined("x", carried_as(left), carried_as(right)) == both
        with pytest.raises(RefusedError, match="types int64 or uint64"):
            joined("x", carried_as(np.int64(1)), carried_as(np.uint64(1)))


def test_arrays_of_one_shape_are_joined_and_others_are_refused():
    with recording() as builder:
        row, other, column = array(builder, 3), array(builder, 3), array(builder, 3, 1)
        layout = joined("x", carried_as(row), carried_as(other))
        assert layout == Array(np.dtype(float), (3,))
        after = layout.unflatten(iter(flattened(row, layout)))
    assert carried_as(after) == layout
    with pytest.raises(RefusedError, match="'x' holds arrays of different shapes"):
        joined("x", carried_as(row), carried_as(column))
    with pytest.raises(RefusedError, match="'x' holds arrays"):
        joined("x", carried_as(row), carried_as(1.0))


def test_memory_with_fewer_elements_along_an_axis_carries_their_number():
    with recording() as builder:
        layout = Array(np.dtype(float), (4, 2), sized=(0,))
        tensors = flattened(array(builder, 3, 2), layout)
        after = layout.unflatten(iter(tensors))
    assert [(each.dtype.numpy_dtype, each.shape) for each in tensors] == layout.leaves
    assert set(after.computed) == {0}
