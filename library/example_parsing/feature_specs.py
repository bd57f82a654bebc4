"""What is asked of the features of examples: shapes, data types, defaults, and how rows end."""

from __future__ import annotations

import itertools
from typing import Any, NamedTuple

import numpy as np

from ... import (
    DType,
    as_dtype,
    boolean_mask,
    cast,
    convert_to_tensor,
    cumsum,
    float32,
    int32,
    int64,
    reduce_all,
    size,
    stack,
    string,
)
from ...extend.operations import ops
from ...extend.registration import public
from ...extend.specs import as_shape
from ..ragged.ragged_joining import to_sparse
from ..ragged.ragged_tensor import RaggedTensor
from ..sparse_tensors.conversions import reorder
from ..sparse_tensors.sparse_tensor import SparseTensor


def checked_dtype(dtype) -> DType:
    """One of the three data types that features have."""
    dtype = as_dtype(dtype)
    if dtype not in (string, float32, int64):
        raise ValueError(f"a feature is of string, float32 or int64, not {dtype.name}")
    return dtype


class DenseFeature:
    """The shape, dtype and default of a feature that becomes a dense tensor."""

    def __init__(self, shape, dtype, default_value=None):
        self.shape = tuple(as_shape(shape))
        self.dtype = checked_dtype(dtype)
        self.default_value = default_value

    def default(self):
        """The default as a tensor; zero, or an empty string, where there is none."""
        if self.default_value is not None:
            return convert_to_tensor(self.default_value, self.dtype)
        empty = b"" if self.dtype is string else 0
        return convert_to_tensor(np.array(empty, self.dtype.numpy_dtype))


@public("io.FixedLenFeature")
class FixedLenFeature(DenseFeature):
    """A feature of a fixed shape. It is required unless there is a `default_value`."""


@public("io.FixedLenSequenceFeature")
class FixedLenSequenceFeature(DenseFeature):
    """A feature with any number of slices of a shape. In a batch, shorter ones are padded.

    `allow_missing=True` is asked for by `io.parse_example`; sequences of a `SequenceExample` may
    then be missing.
    """

    def __init__(self, shape, dtype, allow_missing=False, default_value=None):
        super().__init__(shape, dtype, default_value)
        self.allow_missing = allow_missing


class Rows(NamedTuple):
    """All values of a feature in a batch, and how many each example, or step, has."""

    values: Any
    lengths: Any


@public("io.VarLenFeature")
class VarLenFeature:
    """A feature with any number of values, which becomes a `SparseTensor`.

    >>> feature = ag.train.Feature(int64_list=ag.train.Int64List(value=[5, 6]))
    >>> example = ag.train.Example(features=ag.train.Features(feature={"n": feature}))
    >>> found = ag.io.parse_single_example(example.SerializeToString(),
    ...                                    {"n": ag.io.VarLenFeature(ag.int64)})
    >>> found["n"].values.numpy()
    array([5, 6])
    """

    def __init__(self, dtype):
        self.dtype = checked_dtype(dtype)

    def keys(self, name: str) -> list[tuple[str, DType]]:
        """The features in the file that this one is made of."""
        return [(name, self.dtype)]

    def assembled(self, rows: list[Rows], is_batch: bool):
        """The tensor of the rows that were read."""
        ragged = _ragged(rows[0], int64)
        if is_batch:
            return to_sparse(ragged)
        count = ops.reshape(size(ragged.flat_values, int64), [1])
        places = ops.range(np.int64(0), count[0], np.int64(1))
        return SparseTensor(places[:, None], ragged.flat_values, count)


@public("io.SparseFeature")
class SparseFeature:
    """A feature whose values have their indices in other features, as a `SparseTensor`.

    `size` is the size of the axis, or a list with one for each of the `index_key`.

    >>> lists = {"at": ag.train.Feature(int64_list=ag.train.Int64List(value=[1, 3])),
    ...          "x": ag.train.Feature(float_list=ag.train.FloatList(value=[0.5, 2.0]))}
    >>> example = ag.train.Example(features=ag.train.Features(feature=lists))
    >>> found = ag.io.parse_example([example.SerializeToString()],
    ...                             {"x": ag.io.SparseFeature("at", "x", ag.float32, 4)})
    >>> ag.sparse.to_dense(found["x"]).numpy()
    array([[0. , 0.5, 0. , 2. ]], dtype=float32)
    """

    def __init__(self, index_key, value_key, dtype, size, already_sorted=False):
        self.index_keys = [index_key] if isinstance(index_key, str) else list(index_key)
        self.sizes = [size] if isinstance(size, int) else list(size)
        self.value_key, self.dtype = value_key, checked_dtype(dtype)
        self.already_sorted = already_sorted
        if len(self.index_keys) != len(self.sizes):
            raise ValueError(
                f"SparseFeature: {len(self.index_keys)} index keys and {len(self.sizes)} sizes"
            )

    def keys(self, name: str) -> list[tuple[str, DType]]:
        return [(self.value_key, self.dtype), *((key, int64) for key in self.index_keys)]

    def assembled(self, rows: list[Rows], is_batch: bool):
        columns = [row.values for row in rows[1:]]
        sizes = [np.int64(size) for size in self.sizes]
        if is_batch:
            ragged = _ragged(rows[0], int64)
            columns = [ragged.value_rowids(), *columns]
            sizes = [ragged.nrows(int64), *sizes]
        found = SparseTensor(stack(columns, 1), rows[0].values, ops.stack(*sizes, axis=0))
        return found if self.already_sorted else reorder(found)


class RowLengths(NamedTuple):
    """The lengths of rows are the values of the feature `key`."""

    key: str


class RowSplits(NamedTuple):
    """The positions at which rows start and end are the values of the feature `key`."""

    key: str


class UniformRowLength(NamedTuple):
    """All rows have `length` values."""

    length: int


@public("io.RaggedFeature")
class RaggedFeature:
    """A feature with any number of values, which becomes a `RaggedTensor`.

    The values are those of the feature `value_key`, by default of the same name. `partitions`
    divide them further: `RowLengths(key)` and `RowSplits(key)` name features, `UniformRowLength(n)`
    gives a number. Of one example without partitions the result is a dense vector.

    >>> lists = {"x": ag.train.Feature(int64_list=ag.train.Int64List(value=[1, 2, 3])),
    ...          "n": ag.train.Feature(int64_list=ag.train.Int64List(value=[1, 2]))}
    >>> example = ag.train.Example(features=ag.train.Features(feature=lists)).SerializeToString()
    >>> rows = ag.io.RaggedFeature(ag.int64, "x", [ag.io.RaggedFeature.RowLengths("n")])
    >>> ag.io.parse_example([example], {"rows": rows})["rows"].to_list()
    [[[1], [2, 3]]]
    """

    RowLengths, RowSplits, UniformRowLength = RowLengths, RowSplits, UniformRowLength

    def __init__(
        self, dtype, value_key=None, partitions=(), row_splits_dtype=int32, validate=False
    ):
        self.dtype, self.value_key = checked_dtype(dtype), value_key
        self.partitions = tuple(partitions)
        self.row_splits_dtype = as_dtype(row_splits_dtype)
        for partition in self.partitions:
            if not isinstance(partition, (RowLengths, RowSplits, UniformRowLength)):
                raise ValueError(
                    f"RaggedFeature: a partition is RowLengths, RowSplits or UniformRowLength, "
                    f"not {partition!r}"
                )

    def keys(self, name: str) -> list[tuple[str, DType]]:
        named = [
            partition.key
            for partition in self.partitions
            if not isinstance(partition, UniformRowLength)
        ]
        return [(self.value_key or name, self.dtype), *((key, int64) for key in named)]

    def assembled(self, rows: list[Rows], is_batch: bool):
        values, others = rows[0], iter(rows[1:])
        divisions = [
            partition.length
            if isinstance(partition, UniformRowLength)
            else (partition, next(others))
            for partition in self.partitions
        ]
        result, counts = values.values, values.lengths
        if not is_batch and all(isinstance(division, int) for division in divisions):
            return ops.reshape(result, [-1, *divisions])
        for division in reversed(divisions):
            result, counts = self._divided(result, counts, division)
        if not is_batch:
            return result
        return _ragged(Rows(result, counts), self.row_splits_dtype)

    def _divided(self, result, counts, division):
        """Values as rows, and how many rows each example has."""
        if isinstance(division, int):
            return RaggedTensor.from_uniform_row_length(result, division), counts // division
        partition, found = division
        lengths, counts = found.values, found.lengths
        if isinstance(partition, RowSplits):
            lengths, counts = _from_splits(found)
        return _ragged(Rows(result, lengths), self.row_splits_dtype), counts


def _from_splits(rows: Rows):
    """The lengths between the splits of each example, and how many each example has."""
    differences = rows.values[1:] - rows.values[:-1]
    crossing = cumsum(rows.lengths) - 1  # to the next example
    places = ops.range(np.int64(0), size(differences, int64), np.int64(1))
    within = reduce_all(ops.not_equal(places[:, None], crossing), axis=1)
    return boolean_mask(differences, within), ops.maximum(rows.lengths - 1, 0)


def _ragged(rows: Rows, dtype) -> RaggedTensor:
    return RaggedTensor.from_row_lengths(rows.values, cast(rows.lengths, dtype))


# What the methods above are asked for.
LIST_FEATURES = (VarLenFeature, SparseFeature, RaggedFeature)


def wanted_lists(features: dict) -> list[tuple[str, DType]]:
    """The features in the file whose values are read as lists, each once."""
    pairs = itertools.chain.from_iterable(
        spec.keys(name) for name, spec in features.items() if isinstance(spec, LIST_FEATURES)
    )
    return list(dict.fromkeys(pairs))
