"""Older names of `data.experimental`: what they make is what the methods make."""

import pytest

import allograph as ag

experimental = ag.data.experimental


def test_snapshots_are_read_by_later_datasets(tmp_path):
    calls = []

    def counted(x):
        ag.py_function(lambda: calls.append(1), [], [])
        return x * 2

    for _ in range(2):
        ds = ag.data.Dataset.range(3).map(counted).apply(experimental.snapshot(str(tmp_path / "s")))
        assert [int(x) for x in ds] == [0, 2, 4]
    assert len(calls) == 3


def test_elements_are_listed_and_indexed():
    ds = experimental.from_list([{"a": 1, "b": [1.0, 2.0]}, {"a": 2, "b": [3.0, 4.0]}])
    assert experimental.at(ds, 1)["b"].numpy().tolist() == [3.0, 4.0]
    assert experimental.get_structure(ds)["b"].shape.as_list() == [2]
    with pytest.raises(ag.errors.InvalidArgumentError):
        experimental.at(ds, 2)


def test_examples_in_files_are_batches_with_labels(tmp_path):
    path = str(tmp_path / "rows")
    with ag.io.TFRecordWriter(path) as writer:
        for number in range(3):
            example = ag.train.Example()
            example.features.feature["x"].int64_list.value.append(number)
            example.features.feature["y"].float_list.value.append(number / 2)
            writer.write(example.SerializeToString())
    wanted = {
        "x": ag.io.FixedLenFeature([], ag.int64),
        "y": ag.io.FixedLenFeature([], ag.float32),
    }
    batches = experimental.make_batched_features_dataset(
        path, 2, wanted, label_key="y", num_epochs=1, shuffle=False
    )
    found = [(x["x"].numpy().tolist(), y.numpy().tolist()) for x, y in batches]
    assert found == [([0, 1], [0.0, 0.5]), ([2], [1.0])]
