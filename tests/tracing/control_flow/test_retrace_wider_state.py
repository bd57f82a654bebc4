"""Loops that start with Python numbers and compute in 64 bits."""

import numpy as np
import pytest

import allograph as ag

FLOATS = np.array([1.0, 2.0, 0.1])
WHOLE = np.array([1, 2, 2**40])


def test_a_float_adopts_the_width_that_the_loop_computes_in():
    @ag.function
    def total(x):
        result = 0.1
        for item in x:
            result = result + item
        return result

    made = total(FLOATS)
    assert made.dtype == ag.float64
    assert float(made) == 0.1 + 1.0 + 2.0 + 0.1


def test_an_integer_adopts_the_width_that_the_loop_computes_in():
    @ag.function
    def largest(x):
        best = 0
        for item in x:
            if item > best:
                best = item
        return best

    made = largest(WHOLE)
    assert made.dtype == ag.int64
    assert int(made) == 2**40


def test_floats_and_integers_adopt_their_widths_together():
    @ag.function
    def both(x, n):
        count, total = 0, 0.0
        for i in ag.range(3):
            count = count + n[i]
            total = total + x[i]
        return count, total

    count, total = both(FLOATS, WHOLE)
    assert (count.dtype, total.dtype) == (ag.int64, ag.float64)


def test_a_number_before_nested_loops_adopts_the_width():
    @ag.function
    def total(x):
        result = 0.0
        for _ in ag.range(2):
            for item in x:
                result += item
        return result

    assert total(FLOATS).dtype == ag.float64


def test_numbers_stay_narrow_where_the_loop_computes_in_32_bits():
    @ag.function
    def total(x):
        result, count = 0.0, 0
        for item in x:
            result += item
            count += 1
        return result, count

    result, count = total(FLOATS.astype(np.float32))
    assert (result.dtype, count.dtype) == (ag.float32, ag.int32)


def test_a_loop_that_fits_is_traced_once():
    turns = []

    @ag.function
    def total(x):
        result = 0.0
        for item in x:
            turns.append(1)
            result += item
        return result

    total(FLOATS.astype(np.float32))
    assert len(turns) == 1


def test_a_number_of_another_kind_is_refused_with_the_first_error():
    @ag.function
    def total(x):
        result = 0
        for item in x:
            result = result + item
        return result

    with pytest.raises(ag.errors.InvalidArgumentError, match="int32 and float64 do not mix"):
        total(FLOATS)


def test_a_tensor_before_the_loop_keeps_its_type():
    @ag.function
    def total(x):
        result = ag.constant(0.0)
        for item in x:
            result = result + item
        return result

    with pytest.raises(TypeError, match="float32 and float64 do not mix"):
        total(FLOATS)
