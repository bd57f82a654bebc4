"""Threads share the batch of a loop: each runs all iterations for some rows of it."""

import numpy as np
import pytest
import sweep_programs
from large_paths import SMALLEST

pytest.importorskip("llvmlite")

import allograph as ag
from allograph.runtime.codegen.native.kernel_writer import host_target
from allograph.runtime.core import thresholds
from allograph.runtime.executors import compile_pipeline
from allograph.runtime.lowering.batch_parallel import split_batch
from allograph.runtime.lowering.cost_model import Target

set_threads = ag.config.threading.set_intra_op_parallelism_threads
pytestmark = pytest.mark.skipif(host_target().cores == 1, reason="one core shares nothing")


@pytest.fixture(autouse=True)
def as_before():
    yield
    set_threads(0)


def numbers(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape) / 8


def source_of(function, *arguments):
    return (
        ag.function(function, jit_compile=True)
        .get_concrete_function(*arguments)
        .kernels()[0]
        .source
    )


def is_split(source):
    """Whether a loop is inside of a parallel region."""
    regions = source[: source.index("def kernel(")].split("def region_")
    return any("for iteration in" in one and "np.int32(" in one for one in regions)


def run(function, *arguments):
    """The source of the native code, whose results are those of eager execution."""
    tensors = [ag.constant(one) for one in arguments]
    expected = [np.asarray(one) for one in ag.nest.flatten(function(*tensors))]
    native = ag.function(function, jit_compile=True)
    results = []
    for count in (1, 2):
        set_threads(count)
        results.append([one.numpy() for one in ag.nest.flatten(native(*tensors))])
    for one, two, wanted in zip(*results, expected, strict=True):
        np.testing.assert_array_equal(one, two)
        np.testing.assert_allclose(one, wanted, rtol=1e-9, atol=1e-9)
    return source_of(function, *tensors)


# ---- loops that are divided ------------------------------------------------------------------


def recurrent(x, w, u):
    h, out = ag.zeros_like(x[0]), ag.TensorArray(x.dtype, x.shape[0], element_shape=x.shape[1:])
    for t in ag.range(x.shape[0]):
        h = ag.tanh(x[t] @ w + h @ u)
        out = out.write(t, h)
    return h, out.stack()


def test_threads_share_the_batch_of_a_recurrent_network():
    source = run(recurrent, numbers(50, 32, 64), numbers(64, 64), numbers(64, 64, seed=1))
    assert is_split(source)
    assert "(50, 2, 16, 64)" in source  # the rows of two chunks


def test_a_batch_is_divided_into_chunks_of_one_size():
    source = run(recurrent, numbers(50, 48, 64), numbers(64, 64), numbers(64, 64, seed=1))
    assert "(50, 3, 16, 64)" in source


@pytest.mark.parametrize("batch", [7, 31, 37])
def test_a_batch_without_divisors_is_not_divided(batch):
    source = run(recurrent, numbers(50, batch, 64), numbers(64, 64), numbers(64, 64, seed=1))
    assert not is_split(source)


def test_short_loops_stay_on_one_thread():
    source = run(recurrent, numbers(2, 32, 64), numbers(64, 64), numbers(64, 64, seed=1))
    assert not is_split(source)


def normalized(x, w):
    for _ in ag.range(200):
        y = ag.exp(x - ag.reduce_max(x, axis=1, keepdims=True))
        x = 0.5 * x + w * y / ag.reduce_sum(y, axis=1, keepdims=True)
    return x


def test_reductions_of_rows_are_of_one_chunk():
    assert is_split(run(normalized, numbers(64, 64), numbers(64)))


def counted(x, w, steps):
    i = ag.constant(0)
    while i < steps:
        x = ag.tanh(x @ w)
        i += 2
    return x, i


def test_what_is_the_same_for_all_rows_is_read_after_the_loop():
    assert is_split(run(counted, numbers(64, 64), numbers(64, 64), np.int32(99)))


# ---- loops that are not ----------------------------------------------------------------------


def reversed_rows(x, w):
    for _ in ag.range(200):
        x = ag.tanh(x @ w)[::-1]
    return x


def sum_of_all(x, w):
    for _ in ag.range(200):
        x = ag.tanh(x @ w) / ag.reduce_sum(x)
    return x


def until_small(x, w):
    while ag.reduce_max(ag.abs(x)) > 1e-3:
        x = ag.tanh(x @ w)
    return x


def squared(x, w):
    for _ in ag.range(200):
        x = ag.tanh(x @ x)
    return x


@pytest.mark.parametrize("function", [reversed_rows, sum_of_all, until_small, squared])
def test_loops_whose_rows_meet_stay_on_one_thread(function):
    assert not is_split(run(function, numbers(64, 64), numbers(64, 64, seed=1) / 2))


def of_rows(read):
    """A loop over columns whose states are rows that `read` takes of each column."""

    def loop(w):
        h = ag.zeros_like(read(w, 0))
        for k in ag.range(60):
            h = 0.5 * h + read(w, k)
        return h

    return loop


OWN_ROWS = {
    "all": lambda w, k: ag.tanh(w[:, :, k]),
    "transposed": lambda w, k: ag.transpose(w[:, :, k]),
    "columns": lambda w, k: w[k, :, 1:],
}
OTHER_ROWS = {
    "at an offset": lambda w, k: w[1:, :, k],
    "all but the last": lambda w, k: ag.tanh(w[:-1, :, k]),
    "reversed": lambda w, k: w[::-1, :, k],
    "every other": lambda w, k: w[::2, :, k],
    "reversed later": lambda w, k: ag.tanh(w[:, :, k])[::-1],
    "rolled": lambda w, k: ag.roll(w[:, :, k], 1, 0),
    "gathered": lambda w, k: ag.gather(w[:, :, k], ag.range(63, -1, -1)),
    "summed up": lambda w, k: ag.cumsum(w[:, :, k], 0),
    "sorted": lambda w, k: ag.sort(w[:, :, k], 0),
    "joined": lambda w, k: ag.concat([w[1:, :, k], w[:1, :, k]], 0),
    "of a product": lambda w, k: w[1:, :, k] @ w[:, :, 0] * 0.01,
}


@pytest.mark.parametrize("rows", OWN_ROWS)
def test_a_loop_over_columns_is_divided_where_each_row_follows_from_itself(rows):
    assert is_split(run(of_rows(OWN_ROWS[rows]), numbers(64, 64, 64)))


@pytest.mark.parametrize("rows", OTHER_ROWS)
def test_a_loop_that_reads_other_rows_than_it_writes_is_not_divided(rows):
    assert not is_split(run(of_rows(OTHER_ROWS[rows]), numbers(64, 64, 64)))


def test_one_core_has_nothing_to_share(monkeypatch):
    others = [row for row in compile_pipeline.BEFORE_NATIVE_CODE if row.name != "split_batches"]
    monkeypatch.setattr(compile_pipeline, "BEFORE_NATIVE_CODE", tuple(others))
    one = source_of(normalized, numbers(64, 64), numbers(64))
    monkeypatch.undo()
    monkeypatch.setattr(compile_pipeline, "host_target", lambda: Target(cores=1))
    assert source_of(normalized, numbers(64, 64), numbers(64)) == one


# ---- errors ----------------------------------------------------------------------------------


def test_an_index_out_of_range_is_that_of_the_iteration():
    @ag.function(jit_compile=True)
    def beyond(x, w, first):
        h = ag.zeros_like(x[0])
        for t in ag.range(200):
            h = ag.tanh(x[first + t] + h @ w)
        return h

    x, w = ag.constant(numbers(200, 32, 64)), ag.constant(numbers(64, 64))
    assert beyond(x, w, ag.constant(0)).shape == (32, 64)
    with pytest.raises(IndexError, match="index 200 is out of range for axis 0 with size 200"):
        beyond(x, w, ag.constant(1))


# ---- random programs -------------------------------------------------------------------------


@pytest.fixture
def divided(monkeypatch):
    """Loops of any size are divided. Gives a list with an item for each that was."""
    split, divided = split_batch._split, []
    for name, value in SMALLEST.items():
        monkeypatch.setattr(thresholds, name, value)
    monkeypatch.setattr(split_batch, "_has_schedule", lambda *_: False)

    def noted(*arguments):
        made = split(*arguments)
        divided.extend([1] if made is not None else [])
        return made

    monkeypatch.setattr(split_batch, "_split", noted)
    return divided


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 60, 20))
def test_random_loops_mean_the_same_where_all_that_may_be_are_divided(first, divided):
    for seed in range(first, first + 20):
        sweep_programs.assert_jit_is_numpy_of_sweeps(seed)
    assert len(divided) >= 2


@pytest.mark.slow
def test_graphs_and_gradients_of_random_loops_are_divided_too(divided):
    for seed in range(16, 28):
        sweep_programs.assert_graph_of_sweeps_is_numpy(seed)
    assert len(divided) >= 2
