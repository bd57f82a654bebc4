"""Row partitions: how vectors of row lengths, starts and row numbers follow from one another.

A partition of the elements of a vector into rows is the vector of its `splits`: row `i` has the
elements `splits[i]` to `splits[i + 1] - 1`.
"""

from __future__ import annotations

import numpy as np

from ... import (
    Tensor,
    cast,
    concat,
    convert_to_tensor,
    cumsum,
    int32,
    int64,
    reduce_all,
    repeat,
    shape,
    zeros,
)
from ... import range as range_
from ...extend.errors import DTypeError, InvalidArgumentError
from ...extend.operations import check, ops
from ...extend.specs import show
from ...extend.tensors import EagerTensor, holds_tensor


def partition_vector(value, dtype=None) -> Tensor:
    """A vector of int32 or int64, int64 by default. Raises an error for another tensor."""
    is_typed = isinstance(value, np.ndarray) or holds_tensor(value)
    tensor = convert_to_tensor(value) if is_typed else convert_to_tensor(value, int64)
    if dtype is not None:
        tensor = cast(tensor, dtype)
    if tensor.dtype not in (int32, int64):
        raise DTypeError(f"row splits are int32 or int64, not {tensor.dtype.name}")
    if tensor.dims is not None and len(tensor.dims) != 1:
        raise InvalidArgumentError(f"row splits are a vector, not of shape {show(tensor.dims)}")
    return tensor


def count_of(value, dtype) -> Tensor:
    """The size of the first axis of a tensor."""
    return shape(value, dtype)[0]


def lengths_of(splits: Tensor) -> Tensor:
    return splits[1:] - splits[:-1]


def splits_of_lengths(lengths: Tensor) -> Tensor:
    return concat([zeros([1], lengths.dtype), cumsum(lengths)], 0)


def row_ids_of(splits: Tensor) -> Tensor:
    """The row of each element."""
    return repeat(range_(count_of(splits, splits.dtype) - 1), lengths_of(splits))


def columns_of(splits: Tensor) -> Tensor:
    """The position of each element within its row."""
    return range_(splits[-1]) - repeat(splits[:-1], lengths_of(splits))


def elements_of_rows(starts: Tensor, lengths: Tensor, step=1) -> tuple[Tensor, Tensor]:
    """The elements of new rows, which begin at `starts`; and the splits of the new rows."""
    splits = splits_of_lengths(lengths)
    return repeat(starts, lengths) + columns_of(splits) * step, splits


def splits_of_row_ids(row_ids: Tensor, count) -> Tensor:
    """The splits for sorted row numbers below `count`."""
    ones = row_ids * 0 + 1
    return splits_of_lengths(ops.unsorted_segment_sum(ones, row_ids, count))


def known_lengths(splits: Tensor) -> np.ndarray | None:
    """The row lengths, where they are known now."""
    return np.diff(splits.array) if isinstance(splits, EagerTensor) else None


def require(test, *message) -> None:
    """Raise InvalidArgumentError unless all elements are true, when that is known."""
    if isinstance(test, EagerTensor):
        if not np.all(test.array):
            raise InvalidArgumentError("".join(_shown(part) for part in message))
        return
    check(reduce_all(test), message)


def _shown(part) -> str:
    return str(part.numpy()) if isinstance(part, Tensor) else str(part)


def check_splits(splits: Tensor, count: Tensor) -> None:
    """Raise InvalidArgumentError unless the splits are a partition of `count` elements."""
    if splits.dims == (0,):
        raise InvalidArgumentError("row splits are empty: without rows, they are [0]")
    require(splits[:1] == 0, "row splits begin with 0, not as ", splits)
    require(lengths_of(splits) >= 0, "row splits do not decrease, as ", splits, " do")
    message = "the last of the row splits, ", splits[-1], ", is not the number of values, ", count
    require(splits[-1] == count, *message)


def check_row_ids(row_ids: Tensor, count) -> None:
    """Raise InvalidArgumentError unless row numbers are sorted and within range."""
    require(row_ids[1:] >= row_ids[:-1], "row numbers are sorted, unlike ", row_ids)
    require(row_ids >= 0, "row numbers are not negative, unlike ", row_ids)
    if count is not None:
        message = "row numbers are below the number of rows, ", count, ", unlike ", row_ids
        require(row_ids < count, *message)


def same_partition(one: Tensor, other: Tensor, where: str) -> None:
    """Raise InvalidArgumentError unless two partitions are the same."""
    if one is other:
        return
    if one.dims and other.dims and None not in (*one.dims, *other.dims) and one.dims != other.dims:
        counts = f"{one.dims[0] - 1} and {other.dims[0] - 1}"  # type: ignore[operator]
        raise InvalidArgumentError(f"{where}: the numbers of rows differ: {counts}")
    lengths = lengths_of(one), lengths_of(cast(other, one.dtype))
    require(shape(one)[0] == shape(other)[0], f"{where}: the numbers of rows differ")
    require(
        lengths[0] == lengths[1], f"{where}: the row lengths differ: ", lengths[0], " and ",
        lengths[1],
    )  # fmt: skip
