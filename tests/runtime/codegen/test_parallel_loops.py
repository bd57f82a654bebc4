"""Large loops are shared by threads; what they compute does not depend on how many there are."""

import concurrent.futures

import numpy as np
import pytest
from example_counts import examples
from graph_generator import random_graph, random_inputs
from hypothesis import given
from hypothesis import strategies as st
from interpreter import assert_same, interpret

pytest.importorskip("llvmlite")

import allograph as ag
from allograph.runtime.core import thresholds
from allograph.runtime.executors.executable import Executable

pytestmark = pytest.mark.slow
set_threads = ag.config.threading.set_intra_op_parallelism_threads


@pytest.fixture(autouse=True)
def as_before():
    yield
    set_threads(0)


def numbers(*shape, seed=0):
    return ag.constant(np.random.default_rng(seed).standard_normal(shape).astype(np.float32))


def softmax(x):
    e = ag.exp(x - ag.reduce_max(x, axis=-1, keepdims=True))
    return e / ag.reduce_sum(e, axis=-1, keepdims=True)


def text_of(function, *arguments):
    return function.get_concrete_function(*arguments).kernels()[0].source


def with_each_number(function, *arguments):
    """The results with one, two and three threads."""
    results = []
    for number in (1, 2, 3):
        set_threads(number)
        results.append(function(*arguments).numpy())
    return results


def test_a_small_loop_stays_on_one_thread():
    f = ag.function(softmax, jit_compile=True)
    assert "run_region(" not in text_of(f, numbers(8, 8))


@pytest.mark.parametrize("body", [softmax, lambda x: ag.tanh(x) * x], ids=["rows", "elements"])
def test_a_large_loop_gives_the_same_with_any_number_of_threads(body):
    f, x = ag.function(body, jit_compile=True), numbers(2048, 512)
    assert "run_region(" in text_of(f, x)
    one, *others = with_each_number(f, x)
    np.testing.assert_allclose(one, body(x).numpy(), rtol=1e-5, atol=1e-6)
    for other in others:
        np.testing.assert_array_equal(one, other)


def test_each_chunk_of_a_rolled_or_joined_vector_reads_along_lines():
    f = ag.function(
        lambda x: ag.roll(x, 3, 0) * 0.5 + ag.tanh(ag.concat([x[-5:], x[:-5]], 0)),
        jit_compile=True,
    )
    x = numbers(400_001)
    text = text_of(f, x)
    assert "run_region(" in text
    assert "%" not in text
    one, *others = with_each_number(f, x)
    np.testing.assert_allclose(one, f.python_function(x).numpy(), rtol=1e-5, atol=1e-6)
    for other in others:
        np.testing.assert_array_equal(one, other)


def test_a_loop_inside_a_staged_loop_is_shared_too():
    @ag.function(jit_compile=True)
    def f(x, count):
        for _ in ag.range(count):
            x = ag.tanh(x) * 0.5 + x * 0.25
        return x

    x, count = numbers(2048, 512), ag.constant(5)
    assert "run_region(" in text_of(f, x, count)
    one, *others = with_each_number(f, x, count)
    np.testing.assert_allclose(one, f.python_function(x, count).numpy(), rtol=1e-4, atol=1e-6)
    for other in others:
        np.testing.assert_array_equal(one, other)


def test_a_number_out_of_reach_of_a_formula_changes_its_piece_only():
    f = ag.function(lambda x: ag.sin(x) * 2.0, jit_compile=True)
    x = np.linspace(-3, 3, 1 << 20, dtype=np.float32).reshape(1024, 1024)
    x[517, 3] = 1e30
    one, *others = with_each_number(f, ag.constant(x))
    np.testing.assert_allclose(one, 2 * np.sin(x), rtol=1e-5, atol=1e-6)
    for other in others:
        np.testing.assert_array_equal(one, other)


def test_an_index_out_of_range_in_a_piece_is_an_error():
    f = ag.function(lambda x, places: ag.gather(x, places) * 2.0, jit_compile=True)
    x, places = numbers(1000), np.zeros(2_000_000, np.int32)
    assert f(x, ag.constant(places)).numpy()[-1] == 2 * x.numpy()[0]
    assert "run_region(" in text_of(f, x, ag.constant(places))
    places[-5] = 1000
    with pytest.raises(ag.errors.OutOfRangeError):
        f(x, ag.constant(places))


def test_python_threads_may_call_one_function_at_once():
    set_threads(2)
    f = ag.function(softmax, jit_compile=True)
    arrays = [numbers(512, 1024, seed=seed) for seed in range(8)]
    expected = [f(x).numpy() for x in arrays]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for found, one in zip(pool.map(f, arrays * 5), expected * 5, strict=True):
            np.testing.assert_array_equal(found.numpy(), one)


@examples(6)
@given(st.integers(0, 10**9))
def test_random_graphs_in_pieces_compute_what_the_kernels_do(seed):
    graph = random_graph(seed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(thresholds, "PARALLEL_FROM", 0)
        patch.setattr(thresholds, "CHUNK_COST", 0.5)
        run = Executable(graph, "native")
    inputs = random_inputs(graph, seed)
    expected, results = interpret(graph, inputs), []
    for number in (1, 2):
        set_threads(number)
        results.append(run(*inputs))
        assert_same(results[-1], expected, rtol=1e-6)
    assert_same(*results)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(3_000_001,), (1500, 2000)])
def test_reductions_of_everything_are_put_together_from_pieces(shape, dtype):
    @ag.function(jit_compile=True)
    def f(x):
        return ag.stack([ag.reduce_mean(ag.exp(x)), ag.reduce_max(x), ag.reduce_sum(x * x)])

    x = np.random.default_rng(0).standard_normal(shape).astype(dtype)
    assert "run_region(" in text_of(f, ag.constant(x))
    one, *others = with_each_number(f, ag.constant(x))
    exact = x.astype(np.longdouble)
    expected = np.exp(exact).mean(), exact.max(), (exact * exact).sum()
    tolerance = 1e-6 if dtype == np.float32 else 1e-15
    np.testing.assert_allclose(one, np.array(expected, dtype), rtol=tolerance)
    for other in others:
        np.testing.assert_array_equal(one, other)
