"""`data.experimental`: groups of a dataset that are reduced, and tables made of datasets."""

from __future__ import annotations

import numpy as np

from .... import as_dtype, int64, string
from ....extend import nest
from ....extend.errors import InvalidArgumentError
from ....extend.operations import ag
from ....extend.registration import public
from .dataset import Dataset


@public("data.experimental.Reducer")
class Reducer:
    """How a group is reduced: `init_func(key)` gives a state, `reduce_func(state, element)` the
    next one, `finalize_func(state)` the result.
    """

    def __init__(self, init_func, reduce_func, finalize_func):
        self.init_func, self.reduce_func, self.finalize_func = (
            init_func, reduce_func, finalize_func,
        )  # fmt: skip


@public("data.experimental.group_by_reducer")
def group_by_reducer(key_func, reducer):
    """A function for `Dataset.apply`: the result of a `Reducer` for the elements of each key, in
    the order of the keys.

    >>> sums = ag.data.experimental.Reducer(lambda key: np.int64(0), lambda s, x: s + x,
    ...                                     lambda s: s)
    >>> data = ag.data.Dataset.range(5)
    >>> grouped = data.apply(ag.data.experimental.group_by_reducer(lambda x: x % 2, sums))
    >>> [int(x) for x in grouped]
    [6, 4]
    """

    def transformed(dataset: Dataset) -> Dataset:
        def results():
            states: dict[int, object] = {}
            for element in dataset:
                values = element if isinstance(element, tuple) else (element,)
                key = int(key_func(*values))
                if key not in states:
                    states[key] = reducer.init_func(ag.constant(key, int64))
                states[key] = reducer.reduce_func(states[key], *values)
            for key in sorted(states):
                yield reducer.finalize_func(states[key])

        sample = reducer.finalize_func(reducer.init_func(ag.constant(0, int64)))
        spec = nest.map_structure(_spec_of, sample)
        return Dataset.from_generator(results, output_signature=spec)

    return transformed


def _spec_of(value):
    tensor = ag.convert_to_tensor(value)
    return ag.TensorSpec(tensor.shape, tensor.dtype)


@public("data.experimental.dense_to_sparse_batch")
def dense_to_sparse_batch(batch_size, row_shape):
    """A function for `Dataset.apply`: batches of elements of several sizes, as SparseTensors whose
    rows have `row_shape`.

    >>> data = ag.data.Dataset.range(1, 3).map(lambda n: ag.fill([n], n))
    >>> batch = next(iter(data.apply(ag.data.experimental.dense_to_sparse_batch(2, [3]))))
    >>> ag.sparse.to_dense(batch).numpy().tolist()
    [[1, 0, 0], [2, 2, 0]]
    """
    sizes = [int(size) for size in row_shape]

    def transformed(dataset: Dataset) -> Dataset:
        dtype = dataset.element_spec.dtype

        def batches():
            rows: list[np.ndarray] = []
            for row in dataset.as_numpy_iterator():
                rows.append(row)
                if len(rows) == batch_size:
                    yield _sparse(rows, sizes)
                    rows = []
            if rows:
                yield _sparse(rows, sizes)

        spec = ag.SparseTensorSpec([None, *sizes], dtype)
        return Dataset.from_generator(batches, output_signature=spec)

    return transformed


def _sparse(rows: list[np.ndarray], sizes: list[int]):
    if any(size > limit for row in rows for size, limit in zip(row.shape, sizes, strict=True)):
        raise InvalidArgumentError(f"dense_to_sparse_batch: a row is larger than {sizes}")
    indices = [
        [number, *place] for number, row in enumerate(rows) for place in np.ndindex(row.shape)
    ]
    values = np.concatenate([row.reshape(-1) for row in rows])
    return ag.SparseTensor(np.array(indices, np.int64), values, [len(rows), *sizes])


@public("data.experimental.pad_to_cardinality")
def pad_to_cardinality(cardinality, mask_key="valid"):
    """A function for `Dataset.apply`: a dataset of dictionaries filled up with zeros to a number
    of elements, with a bool for each that says whether it is one of the dataset.

    >>> data = ag.data.Dataset.from_tensor_slices({"x": [1, 2]})
    >>> filled = data.apply(ag.data.experimental.pad_to_cardinality(3))
    >>> [(int(row["x"]), bool(row["valid"])) for row in filled]
    [(1, True), (2, True), (0, False)]
    """

    def transformed(dataset: Dataset) -> Dataset:
        def marked(row):
            return {**row, mask_key: True}

        def empty(row):
            zeros = nest.map_structure(ag.zeros_like, row)
            return {**zeros, mask_key: False}

        rest = dataset.take(1).map(empty).repeat(cardinality - int(dataset.cardinality()))
        return dataset.map(marked).concatenate(rest)

    return transformed


# ---- tables ----------------------------------------------------------------------------------


@public("data.experimental.DatasetInitializer")
class DatasetInitializer:
    """The content of a `lookup` table: a dataset of pairs of a key and a value.

    >>> pairs = ag.data.Dataset.from_tensor_slices((["a", "b"], [1, 2]))
    >>> content = ag.data.experimental.DatasetInitializer(pairs)
    >>> table = ag.lookup.StaticHashTable(content, default_value=-1)
    >>> table.lookup(ag.constant(["b", "z"])).numpy()
    array([ 2, -1], dtype=int32)
    """

    def __init__(self, dataset):
        key, value = dataset.element_spec
        rows = list(dataset)
        self.keys = ag.stack([row[0] for row in rows]) if rows else ag.constant([], key.dtype)
        self.values = ag.stack([row[1] for row in rows]) if rows else ag.constant([], value.dtype)
        self.key_dtype, self.value_dtype = key.dtype, value.dtype


@public("data.experimental.table_from_dataset")
def table_from_dataset(
    dataset=None, num_oov_buckets=0, vocab_size=None, default_value=None, hasher_spec=None,
    key_dtype=string, name=None,
):  # fmt: skip
    """A `lookup` table of a dataset of pairs of a key and a value.

    Other keys have the `default_value`, or one of `num_oov_buckets` numbers after `vocab_size`.
    """
    content = DatasetInitializer(dataset if vocab_size is None else dataset.take(vocab_size))
    if num_oov_buckets:
        return ag.lookup.StaticVocabularyTable(content, num_oov_buckets)
    return ag.lookup.StaticHashTable(content, -1 if default_value is None else default_value)


@public("data.experimental.index_table_from_dataset")
def index_table_from_dataset(
    dataset=None, num_oov_buckets=0, vocab_size=None, default_value=-1, hasher_spec=None,
    key_dtype=string, name=None,
):  # fmt: skip
    """A `lookup` table from the elements of a dataset to their numbers.

    >>> words = ag.data.Dataset.from_tensor_slices(["a", "b"])
    >>> table = ag.data.experimental.index_table_from_dataset(words)
    >>> table.lookup(ag.constant(["b", "z"])).numpy()
    array([ 1, -1])
    """
    numbered = dataset.map(lambda key: ag.cast(key, as_dtype(key_dtype))
                           if as_dtype(key_dtype) is not string else key)  # fmt: skip
    pairs = Dataset.zip((numbered, Dataset.range(2**62)))
    return table_from_dataset(pairs, num_oov_buckets, vocab_size, default_value)
