"""Ragged tensors made of values and a partition into rows."""

from __future__ import annotations

from typing import Any

from ... import Tensor, cast, convert_to_tensor, int64, reduce_max
from ... import range as range_
from ...extend.errors import ShapeError
from ...extend.operations import ops
from . import row_partitions as partitions


class Construction:
    """The methods of `RaggedTensor` that make one."""

    _values: Any
    _row_splits: Tensor
    uniform: int | None

    @classmethod
    def of_rows(cls, values, row_splits: Tensor, uniform: int | None = None) -> Any:
        """A ragged tensor, unchecked. `uniform`: the length of all rows, if it is static."""
        new: Any = object.__new__(cls)
        new._values, new._row_splits, new.uniform = values, row_splits, uniform
        return new

    @classmethod
    def from_row_splits(cls, values, row_splits, name=None, validate=True) -> Any:
        """Rows that end where the next begins: row `i` is `values[splits[i]:splits[i + 1]]`.

        >>> import allograph as ag
        >>> ag.RaggedTensor.from_row_splits([1, 2, 3], [0, 2, 2, 3])
        <ag.RaggedTensor [[1, 2], [], [3]]>

        Raises InvalidArgumentError for splits that are no partition, unless `validate` is False.
        """
        values, splits = values_of(values), partitions.partition_vector(row_splits)
        if validate:
            partitions.check_splits(splits, partitions.count_of(_rows_of(values), splits.dtype))
        return cls.of_rows(values, splits)

    @classmethod
    def from_row_lengths(cls, values, row_lengths, name=None, validate=True) -> Any:
        """Rows of the given lengths.

        >>> import allograph as ag
        >>> ag.RaggedTensor.from_row_lengths([1, 2, 3], [2, 0, 1])
        <ag.RaggedTensor [[1, 2], [], [3]]>
        """
        lengths = partitions.partition_vector(row_lengths)
        if validate:
            partitions.require(lengths >= 0, "row lengths are not negative, unlike ", lengths)
        splits = partitions.splits_of_lengths(lengths)
        return cls.from_row_splits(values, splits, validate=validate)

    @classmethod
    def from_value_rowids(cls, values, value_rowids, nrows=None, name=None, validate=True) -> Any:
        """Rows given by the row number of each value; `nrows` defaults to the last one plus one.

        >>> import allograph as ag
        >>> ag.RaggedTensor.from_value_rowids([1, 2, 3], [0, 0, 2], nrows=4)
        <ag.RaggedTensor [[1, 2], [], [3], []]>
        """
        row_ids = partitions.partition_vector(value_rowids)
        if validate:
            partitions.check_row_ids(row_ids, nrows)
        if nrows is None:
            nrows = ops.maximum(reduce_max(row_ids), -1) + 1
        count = cast(convert_to_tensor(nrows), row_ids.dtype)
        splits = partitions.splits_of_row_ids(row_ids, count)
        return cls.from_row_splits(values, splits, validate=validate)

    @classmethod
    def from_row_starts(cls, values, row_starts, name=None, validate=True) -> Any:
        """Rows given by the position of the first value of each."""
        values, starts = values_of(values), partitions.partition_vector(row_starts)
        end = partitions.count_of(_rows_of(values), starts.dtype)
        splits = ops.concat(starts, ops.reshape(end, [1]), axis=0)
        return cls.from_row_splits(values, splits, validate=validate)

    @classmethod
    def from_row_limits(cls, values, row_limits, name=None, validate=True) -> Any:
        """Rows given by the position after the last value of each."""
        limits = partitions.partition_vector(row_limits)
        splits = ops.concat(limits[:1] * 0, limits, axis=0)
        return cls.from_row_splits(values, splits, validate=validate)

    @classmethod
    def from_uniform_row_length(
        cls, values, uniform_row_length, nrows=None, validate=True, name=None
    ) -> Any:
        """Rows of one length.

        >>> import allograph as ag
        >>> ag.RaggedTensor.from_uniform_row_length([1, 2, 3, 4], 2).shape
        TensorShape([2, 2])
        """
        values = values_of(values)
        static = _rows_of(values).dims
        known = isinstance(uniform_row_length, int)
        length = cast(convert_to_tensor(uniform_row_length), int64)
        if nrows is None and known and uniform_row_length > 0 and static and static[0] is not None:
            nrows = static[0] // uniform_row_length
        if nrows is None:
            nrows = partitions.count_of(_rows_of(values), int64) // ops.maximum(length, 1)
        splits = range_(cast(convert_to_tensor(nrows), int64) + 1) * length
        made = cls.from_row_splits(values, splits, validate=validate)
        return cls.of_rows(made.values, splits, uniform_row_length if known else None)

    @classmethod
    def from_nested_row_splits(
        cls, flat_values, nested_row_splits, name=None, validate=True
    ) -> Any:
        """Several ragged axes: the splits of each, the outermost first."""
        for splits in reversed(nested_row_splits):
            flat_values = cls.from_row_splits(flat_values, splits, validate=validate)
        return flat_values

    @classmethod
    def from_nested_row_lengths(
        cls, flat_values, nested_row_lengths, name=None, validate=True
    ) -> Any:
        """Several ragged axes: the row lengths of each, the outermost first."""
        lengths = map(partitions.partition_vector, nested_row_lengths)
        splits = [partitions.splits_of_lengths(length) for length in lengths]
        return cls.from_nested_row_splits(flat_values, splits, validate=validate)

    @classmethod
    def from_nested_value_rowids(
        cls, flat_values, nested_value_rowids, nested_nrows=None, name=None, validate=True
    ) -> Any:
        """Several ragged axes: the row numbers of each, the outermost first."""
        counts = nested_nrows or [None] * len(nested_value_rowids)
        for row_ids, count in zip(reversed(nested_value_rowids), reversed(counts), strict=True):
            flat_values = cls.from_value_rowids(flat_values, row_ids, count, validate=validate)
        return flat_values


def values_of(value):
    """The values of rows: a ragged tensor, or a tensor with an axis."""
    if isinstance(value, Construction):
        return value
    tensor = convert_to_tensor(value)
    if tensor.dims == ():
        raise ShapeError("the values of a ragged tensor are a vector or more, not a scalar")
    return tensor


def _rows_of(values) -> Tensor:
    """A tensor with as many rows as values; for a ragged tensor, its row starts."""
    if isinstance(values, Construction):
        return values.row_starts()  # type: ignore[attr-defined]
    return values
