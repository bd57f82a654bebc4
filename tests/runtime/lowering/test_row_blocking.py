"""Operations on large arrays are done some rows at a time on the plan, where that is possible."""

import numpy as np
import pytest

import allograph as ag


def softmax(x):
    e = ag.exp(x - ag.reduce_max(x, axis=-1, keepdims=True))
    return e / ag.reduce_sum(e, axis=-1, keepdims=True)


def planned(f, *args):
    """The result of a plan, and its text."""
    concrete = ag.function(f, kernel_compiler="none").get_concrete_function(*args)
    return concrete(*args), concrete.executable.plan.source


def numbers(*shape):
    return ag.constant(np.random.default_rng(0).standard_normal(shape).astype(np.float32))


def test_only_the_result_of_a_chain_is_a_large_array():
    _, text = planned(softmax, numbers(1024, 512))
    assert text == (
        "def plan(v1):\n"
        "    v2 = large_array(kind2)\n"
        "    for rows in blocks3:\n"
        "        v1_rows = v1[rows]\n"
        "        v3_rows = k4(v1_rows, axis=-1, keepdims=True)\n"
        "        v4_rows = np.subtract(v1_rows, v3_rows, out=v2[rows])\n"
        "        v5_rows = np.exp(v4_rows, out=v4_rows)\n"
        "        v6_rows = k5(v5_rows, axis=-1, keepdims=True)\n"
        "        v2_rows = np.divide(v5_rows, v6_rows, out=v5_rows)\n"
        "    return (v2, )\n"
    )


@pytest.mark.parametrize("shape", [(1000, 300), (300_001,), (7, 50, 999), (2, 200_000)])
def test_the_numbers_are_those_of_whole_arrays(shape):
    def f(x):
        y = ag.tanh(x) * x + 1.0
        return y, ag.reduce_sum(y, axis=-1), ag.cast(y > x, ag.int32)

    x = numbers(*shape)
    for made, expected in zip(planned(f, x)[0], f(x), strict=True):
        np.testing.assert_array_equal(made, expected)


def test_small_arrays_and_single_rows_are_done_as_wholes():
    for x in (numbers(100, 100), numbers(1, 500_000)):
        assert "for rows" not in planned(softmax, x)[1]


def test_what_is_spread_over_all_rows_is_read_whole():
    def f(x, row, column):
        return ag.tanh(x * row + column) * 2.0

    x, row, column = numbers(600, 600), numbers(1, 600), numbers(600, 1)
    made, text = planned(f, x, row, column)
    assert "v2[rows]" not in text and "v3[rows]" in text
    np.testing.assert_array_equal(made, f(x, row, column))


def test_an_array_that_is_read_both_by_rows_and_whole_is_complete_first():
    def f(x):
        shifted = ag.sqrt(ag.abs(x))
        return ag.exp(x + 1.0) * shifted + shifted[:, None]

    x = numbers(700)
    np.testing.assert_array_equal(planned(f, x)[0], f(x))


def test_the_array_of_the_caller_stays_as_it_is():
    x = numbers(1024, 512)
    before = x.numpy().copy()
    planned(lambda x: (x * 2.0 + 1.0) * x, x)
    np.testing.assert_array_equal(x, before)


def test_results_of_two_calls_are_two_arrays():
    f = ag.function(softmax, kernel_compiler="none")
    x = numbers(1024, 512)
    first, second = f(x), f(x * 2.0)
    assert not np.shares_memory(first.numpy(), second.numpy())
    np.testing.assert_array_equal(first, softmax(x))


def test_an_error_in_some_row_names_the_line():
    def f(x, y):
        z = x + 1
        return z // y * 2

    x = ag.constant(np.arange(1 << 19))
    with pytest.raises(ag.errors.InvalidArgumentError) as caught:
        planned(f, x, x - 70_000)
    assert "z // y" in str(caught.value)
