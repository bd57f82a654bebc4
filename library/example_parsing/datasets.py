"""Datasets of serialized examples, parsed in batches."""

from __future__ import annotations

from ...extend.registration import public
from ..data.datasets.dataset import Dataset
from ..data.readers.file_datasets import TFRecordDataset
from .examples import parse_example


@public("data.experimental.parse_example_dataset")
def parse_example_dataset(features, num_parallel_calls=1, deterministic=None):
    """A function for `Dataset.apply` that parses batches of serialized Examples.

    >>> feature = ag.train.Feature(int64_list=ag.train.Int64List(value=[5]))
    >>> example = ag.train.Example(features=ag.train.Features(feature={"n": feature}))
    >>> rows = ag.data.Dataset.from_tensors([example.SerializeToString()])
    >>> wanted = {"n": ag.io.FixedLenFeature([], ag.int64)}
    >>> ds = rows.apply(ag.data.experimental.parse_example_dataset(wanted))
    >>> next(iter(ds))["n"].numpy().tolist()
    [5]
    """
    return lambda dataset: dataset.map(lambda serialized: parse_example(serialized, features))


@public("data.experimental.make_batched_features_dataset")
def make_batched_features_dataset(
    file_pattern,
    batch_size,
    features,
    reader=None,
    label_key=None,
    reader_args=None,
    num_epochs=None,
    shuffle=True,
    shuffle_buffer_size=10000,
    shuffle_seed=None,
    prefetch_buffer_size=None,
    reader_num_threads=None,
    parser_num_threads=None,
    sloppy_ordering=False,
    drop_final_batch=False,
):
    """Batches of the parsed Examples in files, by default TFRecord files, as dicts of tensors.

    With `label_key`, elements are pairs of the other features and that one. Examples repeat
    `num_epochs` times, or without end.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "examples")
    >>> feature = ag.train.Feature(int64_list=ag.train.Int64List(value=[5]))
    >>> example = ag.train.Example(features=ag.train.Features(feature={"n": feature}))
    >>> with ag.io.TFRecordWriter(path) as writer:
    ...     writer.write(example.SerializeToString())
    >>> wanted = {"n": ag.io.FixedLenFeature([], ag.int64)}
    >>> batches = ag.data.experimental.make_batched_features_dataset(path, 2, wanted, num_epochs=2)
    >>> next(iter(batches))["n"].numpy().tolist()
    [5, 5]
    """
    files = Dataset.list_files(file_pattern, shuffle=shuffle, seed=shuffle_seed)
    read = reader or TFRecordDataset
    rows = files.interleave(lambda path: read(path, *(reader_args or [])), cycle_length=1)
    if shuffle:
        rows = rows.shuffle(shuffle_buffer_size, shuffle_seed)
    rows = rows.repeat(num_epochs)

    def parsed(serialized):
        found = parse_example(serialized, features)
        return found if label_key is None else (found, found.pop(label_key))

    return rows.batch(batch_size, drop_final_batch or num_epochs is None).map(parsed).prefetch(1)
