"""A loop with a long chain of formulas becomes several, which give the same results to the bit."""

import numpy as np
import pytest
from example_counts import examples
from execution_modes import pinned
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("llvmlite")

import allograph as ag
from allograph.runtime.core import thresholds
from allograph.runtime.executors.compile_pipeline import native_form
from allograph.runtime.lowering.nest_schedule import nest_schedule
from allograph.runtime.lowering.program import Nest
from allograph.runtime.passes.pipeline import optimize

pytestmark = pytest.mark.slow


def schedules_of(function, *specs):
    program = native_form(
        optimize(ag.function(function).get_concrete_function(*specs).frozen)
    ).program
    return [nest_schedule(step) for step in program.steps if isinstance(step, Nest)]


def loops_of(function, *specs):
    """The names of the operations of each loop, for the last nest of a function."""
    distribution = schedules_of(function, *specs)[-1].distribution
    if distribution is None:
        return None
    return [[node.op.name for node in nodes] for nodes in distribution.loops]


def of_shape(*shape, dtype=ag.float32):
    return ag.TensorSpec(shape, dtype)


def test_a_long_chain_is_cut_and_what_is_beside_it_is_done_late():
    def priced(x, years):
        return ag.math.erf(ag.math.log(x)) * ag.exp(years)

    loops = loops_of(priced, of_shape(4000), of_shape(4000))
    assert loops == [["log"], ["erf", "exp", "multiply"]]


def test_a_short_chain_stays_one_loop():
    assert loops_of(lambda x: ag.exp(x) * 2.0 + x, of_shape(4000)) is None
    assert loops_of(lambda x: ag.exp(x) + ag.sin(x), of_shape(4000)) is None


def test_few_elements_stay_in_one_loop():
    assert loops_of(lambda x: ag.tanh(ag.tanh(x)), of_shape(4000))
    assert loops_of(lambda x: ag.tanh(ag.tanh(x)), of_shape(400)) is None


def test_loops_that_wait_for_memory_stay_together():
    """A loop that is cut off has to be worth more than the time that memory takes anyway."""
    cheap = lambda x: ag.exp(ag.exp(x))
    assert loops_of(cheap, of_shape(4000))
    assert loops_of(cheap, of_shape(4_000_000)) is None


def test_reductions_of_lines_are_distributed_and_those_of_columns_are_not():
    chain = lambda x: ag.tanh(ag.tanh(x))
    along = lambda axis: loops_of(lambda x: ag.reduce_sum(chain(x), axis), of_shape(50, 4000))
    assert along(1) == [["tanh"], ["tanh", "reduce_sum"]]
    assert along(0) is None


# ---- results ---------------------------------------------------------------------------------


def bits(tensors):
    return [one.numpy().tobytes() for one in ag.nest.flatten(tensors)]


def kernels_of(body, *arguments):
    native = ag.function(body, **pinned(True))
    return native(*arguments), native.get_concrete_function(*arguments).kernels()[0].source


def assert_distributed_alike(monkeypatch, body, *arguments):
    """Distributed, the results have the bits of one loop, and are near those of the plan."""
    found, source = kernels_of(body, *arguments)
    assert "start + j" in source
    expected = ag.function(body, **pinned(False))(*arguments)
    for one, other in zip(ag.nest.flatten(found), ag.nest.flatten(expected), strict=True):
        np.testing.assert_allclose(one.numpy(), other.numpy(), rtol=1e-5, atol=1e-6)
    monkeypatch.setattr(thresholds, "SHORTEST_DISTRIBUTED", 1 << 40)
    whole, source = kernels_of(body, *arguments)
    assert "start + j" not in source
    assert bits(found) == bits(whole)


def assert_reduced_alike(body, *arguments):
    """Distributed, reductions are near those of the plan; their blocks are shorter than usual."""
    found, source = kernels_of(body, *arguments)
    assert source.count("start + j") > 1
    expected = ag.function(body, **pinned(False))(*arguments)
    for one, other in zip(ag.nest.flatten(found), ag.nest.flatten(expected), strict=True):
        np.testing.assert_allclose(one.numpy(), other.numpy(), rtol=2e-6, atol=1e-6)


def some(*shape, seed=0, dtype=np.float32):
    return ag.constant(np.random.default_rng(seed).uniform(-1, 1, shape).astype(dtype))


@pytest.mark.parametrize("size", [512, 513, 1000, 4001])
def test_blocks_may_end_anywhere(size, monkeypatch):
    body = lambda x, y: (ag.tanh(ag.tanh(x) * y), ag.tanh(x))
    assert_distributed_alike(monkeypatch, body, some(size), some(size, seed=1))


def test_threads_share_the_blocks(monkeypatch):
    monkeypatch.setattr(thresholds, "PARALLEL_FROM", 0)
    monkeypatch.setattr(thresholds, "CHUNK_COST", 700)
    body = lambda x, y: (ag.tanh(ag.tanh(x) * y), x > y)
    assert_distributed_alike(monkeypatch, body, some(5001), some(5001, seed=1))


def test_arrays_of_two_axes_are_one_loop_or_a_loop_of_each_row(monkeypatch):
    body = lambda x, y: ag.tanh(ag.tanh(x) * y)
    with monkeypatch.context() as patch:
        assert_distributed_alike(patch, body, some(3, 700), some(3, 700, seed=1))
    assert_distributed_alike(monkeypatch, body, some(3, 700), some(700, seed=1))


def test_other_types_are_handed_on(monkeypatch):
    def body(x, n):
        warm = ag.tanh(x) > 0.2
        return ag.where(warm, ag.tanh(ag.tanh(x) + 1.0), ag.cast(n, ag.float64)), n + 1

    n = ag.constant(np.arange(2000, dtype=np.int32))
    assert_distributed_alike(monkeypatch, body, some(2000, dtype=np.float64), n)


def test_formulas_out_of_reach_are_computed_again(monkeypatch):
    x = some(2000).numpy()
    x[77] = 1e9
    body = lambda x: ag.tanh(ag.sin(x)) * ag.exp(-x * x)
    assert_distributed_alike(monkeypatch, body, ag.constant(x))


def test_what_an_early_loop_makes_is_stored_by_the_last_one(monkeypatch):
    """Its memory may be that of an operand, which the last loop still reads."""

    def body(x):
        y = ag.sqrt(x * x + 1.0)  # in memory that is free after the next lines
        y = ag.cumsum(y)
        z = ag.tanh(y)
        return z, ag.tanh(z * y) + y

    assert_distributed_alike(monkeypatch, body, some(3000))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(5001,), (3, 700), (300, 513), (2, 3, 1000)])
def test_reductions_add_up_each_block(shape, dtype, monkeypatch):
    monkeypatch.setattr(thresholds, "PARALLEL_FROM", 0)
    monkeypatch.setattr(thresholds, "CHUNK_COST", 700)
    x = some(*shape, dtype=dtype)
    chain = lambda x: ag.tanh(ag.tanh(x) + 0.5)
    assert_reduced_alike(lambda x: ag.reduce_mean(chain(x)), x)
    assert_reduced_alike(lambda x: ag.reduce_sum(chain(x), -1), x)
    assert_reduced_alike(lambda x: ag.reduce_max(chain(x), -1), x)
    assert_reduced_alike(lambda x: (ag.reduce_any(chain(x) > 0.9, -1), ag.tanh(x)), x)


def test_the_largest_element_may_be_nan():
    x = some(2, 2000).numpy()
    x[1, 700] = np.nan
    body = lambda x: ag.reduce_max(ag.tanh(ag.tanh(x)), 1)
    assert_reduced_alike(body, ag.constant(x))
    assert np.isnan(kernels_of(body, ag.constant(x))[0].numpy()).tolist() == [False, True]


def test_rows_that_are_normalized_keep_a_block_between_the_loops():
    def body(x):
        y = ag.exp(ag.tanh(x) * ag.sin(x))
        return y / ag.reduce_sum(y, 1, keepdims=True), y

    assert_reduced_alike(body, some(40, 1500))


@pytest.mark.parametrize("length", [0, 1, 700, 4999])
def test_the_length_may_be_computed(length):
    def body(x, n):
        part = ag.tanh(ag.tanh(x[:n]) * 2.0)
        return ag.reduce_max(ag.concat([part, [0.5]], 0)), ag.reduce_max(ag.tanh(ag.tanh(x[n:])))

    assert_reduced_alike(body, some(5000), ag.constant(length))


FORMULAS = ("exp", "sin", "tanh", "sigmoid", "erf", "sqrt")


FORMS = ("{f}", "{f} * {b}", "{a} * {b}", "{a} - {b}", "{f} / (ag.abs({b}) + 1.0)")


@st.composite
def chains(draw):
    """Lines of a program, each of which computes a value from those before it, and its results."""
    lines, values = [], ["x", "y"]
    for number in range(draw(st.integers(3, 9))):
        a, b = (draw(st.sampled_from(values)) for _ in range(2))
        formula = f"ag.math.{draw(st.sampled_from(FORMULAS))}(ag.minimum(ag.abs({a}), 9.0))"
        source = draw(st.sampled_from(FORMS)).format(f=formula, a=a, b=b)
        values.append(f"v{number}")
        lines.append(f"v{number} = {source}")
    results = draw(st.lists(st.sampled_from(values[2:]), max_size=3))
    return lines, [*dict.fromkeys([*results, values[-1]])]


@pytest.mark.slow
@given(chains(), st.integers(512, 1200))
@examples(30)
def test_random_chains_give_the_bits_of_one_loop(chain, size):
    lines, results = chain
    scope = {"ag": ag}
    source = "\n    ".join(["def body(x, y):", *lines, f"return {', '.join(results)}"])
    exec(source, scope)
    x, y = some(size), some(size, seed=1)
    found, _ = kernels_of(scope["body"], x, y)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(thresholds, "SHORTEST_DISTRIBUTED", 1 << 40)
        whole, _ = kernels_of(scope["body"], x, y)
    assert bits(found) == bits(whole), source
