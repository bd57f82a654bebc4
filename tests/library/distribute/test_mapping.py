"""`distribute.map` on datasets and arrays, and datasets of the rows of Dask arrays."""

import dask.array as da
import numpy as np
import pytest

import allograph as ag

Dataset = ag.data.Dataset


def test_an_array_is_mapped_block_by_block():
    x = np.arange(6, dtype=np.float32)
    for source in (x, da.from_array(x, 4)):
        found = ag.distribute.map(lambda block: block * 2.0, source)
        np.testing.assert_array_equal(found.compute(), 2 * x)
    with pytest.raises(TypeError, match="a dataset or an array"):
        ag.distribute.map(lambda x: x, 3)


def test_a_dataset_has_the_rows_of_dask_arrays_in_blocks():
    content = np.arange(24.0).reshape(8, 3)
    computed = []
    x = da.from_array(content, chunks=(3, 2)).map_blocks(
        lambda block: computed.append(block.shape) or block, meta=np.empty((0, 0))
    )
    ds = Dataset.from_dask({"x": x, "y": da.arange(8, chunks=5)})
    assert ds.element_spec == {
        "x": ag.TensorSpec([3], ag.float64), "y": ag.TensorSpec([], ag.int64)
    }  # fmt: skip
    assert (len(ds), computed) == (8, [])
    rows = iter(ds)
    assert next(rows)["x"].numpy().tolist() == [0, 1, 2]
    assert sorted(computed) == [(3, 1), (3, 2)]
    found = list(ds.batch(8).as_numpy_iterator())[0]
    np.testing.assert_array_equal(found["x"], content)
    np.testing.assert_array_equal(found["y"], range(8))


def test_rows_whose_number_dask_does_not_know_are_counted_by_a_pass():
    x = da.arange(10, chunks=4)
    ds = Dataset.from_dask(x[x % 3 == 0])
    assert int(ds.cardinality()) == ag.data.UNKNOWN_CARDINALITY
    assert [int(one) for one in ds] == [0, 3, 6, 9]


def test_what_has_no_rows_of_dask_is_refused():
    with pytest.raises(TypeError, match="from_tensor_slices"):
        Dataset.from_dask(np.ones(3))
    with pytest.raises(ag.errors.InvalidArgumentError, match="rows"):
        Dataset.from_dask((da.ones(3), da.ones(4)))
    with pytest.raises(ag.errors.InvalidArgumentError, match="without axes"):
        Dataset.from_dask(da.ones(3).sum())


@pytest.mark.slow
def test_workers_map_the_elements_of_a_dataset_in_order(client):
    scale = ag.Variable(2.0)
    ds = Dataset.from_tensor_slices((np.arange(21.0, dtype=np.float32), np.arange(21)))
    mapped = ag.distribute.map(lambda x, y: {"z": x * scale, "y": y}, ds, client, chunk_size=4)
    assert len(mapped) == 21
    for factor in (2, 3):
        scale.assign(float(factor))
        rows = list(mapped.as_numpy_iterator())
        assert [(row["z"], row["y"]) for row in rows] == [(factor * n, n) for n in range(21)]
    assert next(iter(mapped))["y"].numpy() == 0


@pytest.mark.slow
def test_random_numbers_of_workers_depend_on_the_element_alone(client):
    def numbers(chunk_size):
        ag.random.set_seed(4)
        ds = Dataset.range(9)
        draw = lambda x: ag.random.uniform([])  # noqa: E731 - the mapped function
        return [float(x) for x in ag.distribute.map(draw, ds, client, chunk_size)]

    assert len(set(numbers(2))) == 9
    assert numbers(2) == numbers(5)


@pytest.mark.slow
def test_a_function_that_assigns_is_refused_on_workers(client):
    total = ag.Variable(0, dtype="int64")
    with pytest.raises(ag.errors.InvalidArgumentError, match="each worker has a copy"):
        ag.distribute.map(lambda x: total.assign_add(x) + 0, Dataset.range(3), client)


@pytest.mark.slow
def test_a_client_computes_the_blocks_of_an_array_at_once(client):
    found = ag.distribute.map(lambda x: x + 1.0, da.ones(4, chunks=2, dtype="float32"), client)
    np.testing.assert_array_equal(found.compute(), 2)
