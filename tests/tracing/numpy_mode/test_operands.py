"""Expressions of operands of every class: decorated, they give what NumPy gives."""

import random

import numpy as np
import pytest
from numpy_expressions import (
    EXPRESSIONS,
    OPERANDS,
    assert_jit_is_numpy_of_operands,
    difference,
)
from numpy_programs import assert_native, assert_same_outcome

import allograph as ag

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("form", EXPRESSIONS)
def test_an_expression_means_the_same_for_operands_of_all_classes(form):
    choices = random.Random(form)
    for _ in range(4):
        first, second = choices.choices(list(OPERANDS), k=2)
        found = difference(f"return {form}", first, second, "python")
        assert found is None, found


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(0, 200, 20))
def test_random_statements_of_operands_mean_the_same(seed):
    for each in range(seed, seed + 20):
        assert_jit_is_numpy_of_operands(each, "python")


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1000, 1020))
def test_a_random_statement_of_operands_means_the_same_in_machine_code(seed):
    assert_jit_is_numpy_of_operands(seed)


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.uint32, np.uint64])
@pytest.mark.parametrize("given", [np.float32, np.float64])
def test_negative_floats_wrap_as_unsigned_integers(given, dtype):
    a = np.linspace(-100.5, 100.5, 41).astype(given)
    assert_native(lambda a: (a.astype(dtype), a[:3].astype(dtype)), (a,))


def test_large_floats_are_exact_as_unsigned_integers():
    a = np.array([0.0, 2.0**62, 2.0**63, 1.5 * 2.0**63, 2.0**64 - 4096, 7.7] * 5)
    assert_native(lambda a: a.astype(np.uint64), (a,))


def test_where_of_numbers_is_an_array_of_rank_0():
    def function(a, x):
        chosen = np.where(x > 1, a[0], x)
        chosen += 1
        if chosen > 2:
            a[1] = chosen
        return chosen, -chosen, float(chosen), int(chosen), a[int(chosen)]

    assert_native(function, (np.arange(4.0), 1.5), (np.arange(4.0), 0.5))


def test_views_of_rank_0_share_their_element():
    def function(a):
        one = a[0, 1, ...]
        one[...] = 5.0
        return one, np.squeeze(a[:1, :1])

    assert_native(function, (np.arange(6.0).reshape(2, 3),))


def test_an_array_of_rank_0_is_written_through_a_view_of_rank_1():
    def function(a, b):
        row = np.expand_dims(a, 0)
        row *= np.argmax(b)
        return row

    assert_native(function, (np.array(2.5), np.arange(3)))


def test_shapes_that_do_not_fit_raise_the_error_of_numpy():
    def reshaped(a, *shape):
        try:
            return a.reshape(*shape)
        except ValueError as error:
            return str(error)

    assert_same_outcome(reshaped, ag.jit(reshaped), (np.ones(3), 3, 4))
    assert_same_outcome(reshaped, ag.jit(reshaped), (np.ones((3, 2)).T,))


def test_an_array_of_rank_0_is_no_number_in_an_index():
    def function(a, x):
        row = a[np.where(x > 1, 0, 1)]
        row[0] = 9.0
        return row

    assert_native(function, (np.arange(6.0).reshape(2, 3), 2.0))


@pytest.mark.parametrize("name", ["dtype", "shape", "ndim", "size"])
def test_numbers_of_python_have_no_attributes_of_arrays(name):
    compiled = ag.jit(lambda x: getattr(x + 1, name))
    with pytest.raises(AttributeError):
        compiled(2.5)
    assert compiled(np.float64(2.5)) == getattr(np.float64(2.5), name)


def test_an_integer_of_numpy_is_stored_where_it_fits():
    def store(out, value):
        out[1] = value[0]

    for dtype in (np.int8, np.uint8, np.int32, np.int64):
        for value in (100, 300, -1, 2**40):
            assert_same_outcome(store, ag.jit(store), (np.zeros(3, dtype), np.array([value])))
    assert_native(store, (np.zeros(3, np.int8), np.array([100])))


@pytest.mark.parametrize("x", [2.5, np.float64(2.5), np.array(2.5)])
def test_a_number_has_no_second_element(x):
    compiled = ag.jit(lambda x, at: np.take(x, at))
    assert compiled(x, 0) == 2.5
    with pytest.raises(IndexError):
        compiled(x, 1)


@pytest.mark.parametrize("value", [2**63 + 5, 2**62 + 1, 7])
def test_an_integer_of_64_bits_is_exact_as_one_of_python(value):
    def function(a):
        return int(a[0]) + 1, a[0].item()

    assert_same_outcome(function, ag.jit(function), (np.array([value], np.uint64),))


def test_the_class_of_a_computed_value_is_not_one_of_the_trace():
    def function(a):
        return (a[0] + 1).__class__, a.__class__

    compiled = ag.jit(function)
    assert compiled(np.ones(3)) == function(np.ones(3))
    assert "__class__" in compiled.inspect()


def test_an_array_that_is_passed_twice_is_the_same_object():
    def function(a, b):
        return a is b, a is not b

    compiled, a = ag.jit(function), np.ones(3)
    assert compiled(a, a) == (True, False)
    assert compiled(a, np.ones(3)) == (False, True)
    assert compiled(a, a) == (True, False)


def test_numbers_of_numpy_stand_before_computed_ones():
    limit, scale = np.int64(3), np.float32(2.5)

    def counts(a):
        count = 0
        for i in range(len(a)):
            count += (limit < a[i]) + 10 * (scale >= a[i]) + 100 * (np.float64(1.5) == a[i])
        return count

    assert_native(counts, (np.arange(6),), (np.arange(6) * 0.5,), (np.arange(6, dtype=np.int8),))


@pytest.mark.parametrize(
    "statement",
    ["b[0] = [a]", "b[0] = b[1:2]", "b[0] += b[1:2]", "b[0, ...] = b[1:2]", "b[:1] = [a]",
     "b.reshape(2, 2)[1, 0] = np.array([a])", "b[0] = np.ascontiguousarray(a)"],
)  # fmt: skip
def test_an_element_that_is_set_to_an_array_is_what_numpy_makes_of_it(statement):
    """An array of one element, which is an error since NumPy 2.4."""
    scope: dict = {"np": np}
    exec(f"def function(a, b):\n    {statement}\n    return b", scope)
    arguments = (2.5, np.array([9.0, 200.0, 0.0, 7.0]))
    assert_same_outcome(scope["function"], ag.jit(scope["function"]), arguments)
