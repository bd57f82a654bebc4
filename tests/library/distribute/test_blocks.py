"""Decorated functions on the blocks of Dask arrays."""

import dask
import dask.array as da
import numpy as np
import pytest
import shipped_functions as shipped
from distributed import Client, LocalCluster

import allograph as ag

CONTENT = np.random.default_rng(0).normal(size=(100, 6)).astype(np.float32)


@pytest.fixture
def x():
    return da.from_array(CONTENT, chunks=(30, 6))


@ag.function
def doubled(x):
    return ag.tanh(x) * 2.0


@ag.jit
def doubled_arrays(x):
    return np.tanh(x) * 2.0


EXPECTED = np.tanh(CONTENT) * 2


@pytest.mark.parametrize("scheduler", ["sync", "threads"])
def test_each_block_is_mapped(x, scheduler):
    found = ag.distribute.map_blocks(doubled, x).compute(scheduler=scheduler)
    assert type(found) is np.ndarray
    np.testing.assert_allclose(found, EXPECTED, rtol=1e-6)


@pytest.mark.parametrize("function", [doubled, doubled_arrays])
def test_dask_takes_a_function_as_it_is(x, function):
    found = da.map_blocks(function, x, dtype="float32").compute(scheduler="sync")
    np.testing.assert_allclose(found, EXPECTED, rtol=1e-6)


def test_the_type_comes_from_a_trace_and_nothing_runs(x):
    ran = []

    @ag.function
    def f(x):
        ag.py_function(lambda: ran.append(1) or 1.0, [], ag.float32)
        return ag.cast(ag.reduce_sum(x, 1, keepdims=True), ag.int64)

    lazy = ag.distribute.map_blocks(f, x)
    assert (lazy.dtype, lazy.shape, lazy.chunks) == ("int64", (100, 1), ((30, 30, 30, 10), (1,)))
    assert not ran


@pytest.mark.parametrize(
    ("function", "chunks"),
    [
        (lambda x: x[::2, 1:], ((15, 15, 15, 5), (5,))),
        (lambda x: ag.repeat(x, 2, 1), ((30, 30, 30, 10), (12,))),
        (lambda x: ag.boolean_mask(x, x[:, 0] > 0), ((None,) * 4, (6,))),
    ],
)
def test_sizes_of_blocks_come_from_the_trace(x, function, chunks):
    found = ag.distribute.map_blocks(function, x).chunks
    assert tuple(tuple(None if one != one else one for one in axis) for axis in found) == chunks


def test_blocks_that_would_not_fit_together_are_refused(x):
    with pytest.raises(ag.errors.InvalidArgumentError, match="some have the size 4 and others 2"):
        ag.distribute.map_blocks(ag.transpose, x.rechunk((30, 4)))
    square = ag.distribute.map_blocks(ag.transpose, x[:6].rechunk((3, 3)))
    assert square.shape == (6, 6)


def test_one_trace_serves_blocks_of_all_sizes(x):
    f = ag.function(lambda x: x + 1.0)
    ag.distribute.map_blocks(f, x).compute(scheduler="sync")
    assert f.experimental_get_tracing_count() == 1


def test_several_arrays_and_keywords(x):
    f = ag.function(lambda x, y, scale: (x - y) * scale)
    found = ag.distribute.map_blocks(f, x, x + 1, scale=2.0)
    np.testing.assert_allclose(found.compute(scheduler="sync"), -2.0, rtol=1e-6, atol=1e-5)


def test_axes_that_disappear_have_to_be_named(x):
    f = ag.function(lambda x: ag.reduce_sum(x, 1))
    with pytest.raises(ag.errors.InvalidArgumentError, match="drop_axis"):
        ag.distribute.map_blocks(f, x)
    found = ag.distribute.map_blocks(f, x, drop_axis=1)
    np.testing.assert_allclose(found.compute(), CONTENT.sum(1), rtol=1e-4, atol=1e-5)


def test_blockwise_joins_the_blocks_of_a_sum(x):
    x = x.rechunk((30, 2))
    found = ag.distribute.blockwise(lambda x: ag.reduce_sum(x, 1), "i", x, "ij")
    np.testing.assert_allclose(found.compute(), CONTENT.sum(1), rtol=1e-4, atol=1e-5)


def test_a_generalized_function_has_several_results(x):
    def extremes(x):
        return ag.reduce_min(x, -1), ag.argmax(x, -1)

    least, place = ag.distribute.apply_gufunc(extremes, "(i)->(),()", x)
    assert (least.dtype, place.dtype) == ("float32", "int64")
    least, place = dask.compute(least, place)
    np.testing.assert_array_equal(least, CONTENT.min(1))
    np.testing.assert_array_equal(place, CONTENT.argmax(1))


def test_a_function_of_many_results_is_refused(x):
    with pytest.raises(ag.errors.InvalidArgumentError, match="gives 2 results"):
        ag.distribute.map_blocks(lambda x: (x, x), x)


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    folder = str(tmp_path_factory.mktemp("dask"))
    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None, local_directory=folder
        ) as cluster,
        Client(cluster) as client,
    ):
        yield client


@pytest.mark.slow
def test_a_cluster_maps_blocks(client, x):
    scale = 3.0
    found = ag.distribute.map_blocks(ag.function(lambda x: x * scale), x).compute()
    np.testing.assert_allclose(found, CONTENT * 3, rtol=1e-6)


@pytest.mark.slow
def test_the_workers_of_a_cluster_do_not_share_more_threads_than_there_are_cores(client):
    assert set(client.run(shipped.threads).values()) == {1}


@pytest.mark.slow
def test_an_error_of_a_worker_shows_the_line_of_the_user(client):
    with pytest.raises(ag.errors.InvalidArgumentError, match="too large") as caught:
        client.submit(shipped.checked, ag.constant(50)).result()
    assert "# the line of the error" in str(caught.value)


# ---- functions of `jit` --------------------------------------------------------------------------


@ag.jit
def scaled_by_place(block):
    out = np.zeros(block.shape[0])
    for i in range(block.shape[0]):
        out[i] = block[i] * i
    return out


@ag.jit
def printed(block):
    return np.array([float(f"{x}") for x in block])


@ag.jit
def row_sums(block, *, power=1):
    return (block**power).sum(axis=1)


@pytest.mark.parametrize("function", [scaled_by_place, printed])
def test_a_function_of_jit_runs_on_blocks_as_it_would_alone(function):
    x = da.arange(10, chunks=4, dtype="float64")
    result = ag.distribute.map_blocks(function, x)
    assert (result.chunks, result.dtype) == (((4, 4, 2),), np.float64)
    parts = [function(np.arange(*bounds, dtype=float)) for bounds in ((0, 4), (4, 8), (8, 10))]
    assert result.compute().tolist() == np.concatenate(parts).tolist()


def test_a_function_of_jit_drops_an_axis():
    x = da.ones((4, 6), chunks=(2, 6))
    result = ag.distribute.map_blocks(row_sums, x, drop_axis=1, power=2)
    assert result.compute().tolist() == [6.0] * 4


def test_blocks_of_unknown_sizes_are_refused_for_a_function_of_jit():
    x = da.arange(10, chunks=4, dtype="float64")
    with pytest.raises(ag.errors.InvalidArgumentError, match="compute_chunk_sizes"):
        ag.distribute.map_blocks(scaled_by_place, x[x > 3.0])
