"""Nests over the same rows share their outermost loop, and give what they give one by one."""

import random

import numpy as np
import pytest
from example_counts import examples
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("llvmlite")

import allograph as ag
from allograph.runtime.core import thresholds

pytestmark = pytest.mark.slow


def softmax(x):
    e = ag.exp(x - ag.reduce_max(x, axis=-1, keepdims=True))
    return e / ag.reduce_sum(e, axis=-1, keepdims=True)


def normal(x):
    centred = x - ag.reduce_mean(x, axis=-1, keepdims=True)
    return centred * ag.math.rsqrt(ag.reduce_mean(centred * centred, axis=-1, keepdims=True) + 1e-5)


def compiled(function, *arrays):
    """The result of native code, and its text."""
    native = ag.function(function, jit_compile=True)
    tensors = [ag.constant(array) for array in arrays]
    found = native(*tensors)
    return found.numpy(), native.get_concrete_function(*tensors).kernels()[0].source


def numbers(*shape, dtype=np.float32, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("function", [softmax, normal])
def test_a_chain_over_rows_is_one_loop(function, dtype):
    x = numbers(300, 120, dtype=dtype)
    found, text = compiled(function, x)
    assert text.count("for i0 in") == 1
    exact = function(ag.constant(x.astype(np.float64))).numpy()
    np.testing.assert_allclose(found, exact, rtol=1e-5 if dtype == np.float32 else 1e-13, atol=1e-6)


def test_what_a_row_reduces_to_stays_in_a_register():
    _, text = compiled(softmax, numbers(300, 200))
    assert "new_array(" not in text and text.startswith("def kernel(v1, b")  # the result


def test_a_reduced_value_that_is_a_result_is_stored():
    x = numbers(300, 200)

    @ag.function(jit_compile=True)
    def both(x):
        total = ag.reduce_sum(ag.abs(x), axis=1, keepdims=True)
        return total, x / total

    total, shares = both(ag.constant(x))
    np.testing.assert_allclose(total, abs(x).sum(1, keepdims=True), rtol=1e-6)
    np.testing.assert_allclose(shares, x / abs(x).sum(1, keepdims=True), rtol=1e-6)


def test_leading_axes_are_rows_too():
    x = numbers(8, 40, 200)
    found, text = compiled(softmax, x)
    assert text.count("for i0 in") == 1
    np.testing.assert_allclose(found, softmax(ag.constant(x)), rtol=1e-5)


def test_small_arrays_keep_their_own_loops():
    _, text = compiled(softmax, numbers(10, 20))
    assert text.count("for i0 in") > 1


def test_a_column_read_of_a_square_is_not_joined():
    """`total` has as many elements as there are rows, but each row needs all of them."""
    x = numbers(200, 200)
    found, _ = compiled(lambda x: ag.exp(x) / ag.reduce_sum(ag.exp(x), axis=1), x)
    exact = np.exp(x.astype(float))
    np.testing.assert_allclose(found, exact / exact.sum(1), rtol=1e-5)


def test_a_sine_of_a_huge_number_repeats_only_its_row():
    x = numbers(300, 200)
    x[7, 3] = 1e20
    found, text = compiled(lambda x: ag.sin(x) - ag.reduce_mean(ag.sin(x), 1, keepdims=True), x)
    exact = np.sin(x.astype(float))
    np.testing.assert_allclose(found, exact - exact.mean(1, keepdims=True), atol=1e-6)
    assert text.count("for i0 in") == 1


def random_chain(seed):
    """A function of squares that mixes row by row steps with others."""
    choose = random.Random(seed)
    steps = [choose.randrange(9) for _ in range(7)]
    picks = [choose.random() for _ in range(14)]

    def chain(x, y):
        pool, pick = [x, y], iter(picks)

        def one():
            return pool[int(next(pick) * len(pool))]

        for step in steps:
            a, b = one(), one()
            made = [
                lambda: ag.tanh(a) + b,
                lambda: a - ag.reduce_max(a, axis=1, keepdims=True),
                lambda: a * ag.reduce_mean(b, axis=1, keepdims=True),
                lambda: a + ag.reduce_mean(b, axis=1),
                lambda: a - ag.reduce_min(b, axis=0),
                lambda: ag.transpose(a) + b,
                lambda: a[::-1] - b,
                lambda: a[2] + b,
                lambda: a * 0.5,
            ][step]()
            pool.append(made)
        return pool[-1], pool[-2]

    return chain


@examples(12)
@given(st.integers(0, 10**9))
def test_a_random_chain_gives_what_its_operations_give(seed):
    chain = random_chain(seed)
    x, y = ag.constant(numbers(6, 6)), ag.constant(numbers(6, 6, seed=1))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(thresholds, "WORTH_SHARING_ROWS", 1)
        patch.setattr(thresholds, "SHORTEST_ROW", 1)
        found = ag.function(chain, jit_compile=True)(x, y)
    for one, other in zip(found, chain(x, y), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)
