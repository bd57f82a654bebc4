"""Ragged and sparse tensors as elements of datasets."""

import pytest

import allograph as ag

ROWS = [[1, 2, 3], [], [4, 5]]


def lists(dataset):
    return [one.to_list() if hasattr(one, "to_list") else one.numpy().tolist() for one in dataset]


def test_slices_of_a_ragged_tensor_are_its_rows_and_batches_of_them_are_ragged():
    dataset = ag.data.Dataset.from_tensor_slices(ag.ragged.constant(ROWS))
    assert lists(dataset) == ROWS
    assert lists(dataset.batch(2)) == [ROWS[:2], ROWS[2:]]
    assert lists(dataset.map(lambda row: row + 1).padded_batch(2)) == [
        [[2, 3, 4], [0, 0, 0]],
        [[5, 6]],
    ]
    pairs = ag.data.Dataset.from_tensor_slices((ag.ragged.constant(ROWS), [7, 8, 9])).batch(3)
    rows, numbers = next(iter(pairs))
    assert rows.to_list() == ROWS and numbers.numpy().tolist() == [7, 8, 9]


def test_ragged_elements_are_batched_and_taken_apart_again():
    deep = ag.data.Dataset.from_tensors(ag.ragged.constant(ROWS)).repeat(2).batch(2)
    assert repr(deep.element_spec) == (
        "RaggedTensorSpec(TensorShape([None, 3, None]), ag.int32, 2, ag.int64)"
    )
    assert lists(deep) == [[ROWS, ROWS]]
    assert lists(deep.unbatch().unbatch()) == ROWS + ROWS


@pytest.mark.parametrize("method", ["ragged_batch", "dense_to_ragged_batch"])
def test_elements_of_different_shapes_make_ragged_batches(method):
    rows = ag.data.Dataset.range(3).map(lambda n: (n, ag.range(n), ag.ones([2, n], ag.int32)))
    if method == "ragged_batch":
        batches = rows.ragged_batch(3)
    else:
        batches = rows.apply(ag.data.experimental.dense_to_ragged_batch(3))
    numbers, ranges, ones = next(iter(batches))
    assert numbers.numpy().tolist() == [0, 1, 2]
    assert ranges.to_list() == [[], [0], [0, 1]]
    assert ones.to_list() == [[[], []], [[1], [1]], [[1, 1], [1, 1]]]


def test_sparse_elements_are_sliced_and_batched():
    sp = ag.sparse.from_dense([[0, 1], [0, 0], [2, 3]])
    dataset = ag.data.Dataset.from_tensor_slices(sp)
    dense = [ag.sparse.to_dense(one).numpy().tolist() for one in dataset]
    assert dense == [[0, 1], [0, 0], [2, 3]]
    whole = next(iter(dataset.batch(3)))
    assert whole.indices.numpy().tolist() == sp.indices.numpy().tolist()
    assert repr(dataset.batch(2).element_spec) == (
        "SparseTensorSpec(TensorShape([None, 2]), ag.int32)"
    )


def test_functions_loops_and_files_take_composite_elements(tmp_path):
    rt = ag.ragged.constant(ROWS)
    dataset = ag.data.Dataset.from_tensors({"rt": rt, "sp": rt.to_sparse()}).repeat(2)

    @ag.function
    def total(dataset):
        found = 0
        for element in dataset.map(lambda one: {**one, "rt": one["rt"] * 2}):
            found += ag.reduce_sum(element["rt"]) + ag.sparse.reduce_sum(element["sp"])
        return found

    assert int(total(dataset)) == 2 * 3 * 15
    dataset.save(str(tmp_path / "saved"))
    loaded = ag.data.Dataset.load(str(tmp_path / "saved"))
    assert loaded.element_spec == dataset.element_spec
    assert [one["rt"].to_list() for one in loaded] == [ROWS, ROWS]


def test_a_generator_yields_ragged_tensors():
    spec = ag.RaggedTensorSpec([None, None], ag.int32)
    rows = ag.data.Dataset.from_generator(
        lambda: iter([ag.ragged.constant(ROWS)]), output_signature=spec
    )
    assert lists(rows) == [ROWS]


def test_windows_of_composite_elements_are_refused():
    with pytest.raises(TypeError, match="window takes elements of tensors"):
        ag.data.Dataset.from_tensors(ag.ragged.constant(ROWS)).window(2)
