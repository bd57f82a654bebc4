"""`ragged.constant` and other functions that make ragged tensors."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from ... import (
    Tensor,
    argsort,
    as_dtype,
    boolean_mask,
    cast,
    convert_to_tensor,
    gather,
    int32,
    int64,
    reduce_all,
    reduce_max,
    repeat,
    sequence_mask,
    where,
)
from ... import range as range_
from ...extend.errors import InvalidArgumentError
from ...extend.operations import ops
from ...extend.registration import public
from ...extend.specs import as_shape
from . import row_partitions as partitions
from .ragged_tensor import RaggedTensor, merged


@public("ragged.constant")
def constant(
    pylist, dtype=None, ragged_rank=None, inner_shape=None, name=None, row_splits_dtype=int64
):
    """A ragged tensor of nested lists; an ordinary tensor of a number or a flat list.

    ragged_rank   the number of axes with row splits; by default all but the first
    inner_shape   the shape of the elements that are not ragged

    >>> import allograph as ag
    >>> ag.ragged.constant([[1.5, 2.0], []])
    <ag.RaggedTensor [[1.5, 2.0], []]>

    Raises InvalidArgumentError where lists are nested to different depths.
    """
    if isinstance(pylist, np.ndarray):
        pylist = pylist.tolist()
    depth, least = _depth(pylist), _depth_of_leaves(pylist)
    if least is not None and least != depth:
        raise InvalidArgumentError(
            f"ragged.constant: numbers are nested {least} lists deep, others {depth}"
        )
    dims = as_shape(inner_shape)
    if ragged_rank is None:
        ragged_rank = max(depth - 1 - len(dims or ()), 0)
    if depth and ragged_rank >= depth:
        raise InvalidArgumentError(f"ragged_rank={ragged_rank} with lists nested {depth} deep")
    lengths, level = [], pylist
    for _ in range(ragged_rank):
        lengths.append([len(row) for row in level])
        level = list(itertools.chain.from_iterable(level))
    values = convert_to_tensor(level, dtype)
    if dims is not None and depth:
        values = ops.reshape(values, [-1, *dims]) if values.dims[1:] != dims else values
    splits = as_dtype(row_splits_dtype).numpy_dtype
    nested = [np.array(row, splits) for row in lengths]
    return RaggedTensor.from_nested_row_lengths(values, nested, validate=False)


def _depth(value) -> int:
    """How deep lists are nested."""
    if not isinstance(value, (list, tuple, np.ndarray)):
        return 0
    return 1 + max(map(_depth, value), default=0)


def _depth_of_leaves(value) -> int | None:
    """The least depth of what is no list; None if there is nothing but lists."""
    if not isinstance(value, (list, tuple, np.ndarray)):
        return 0
    found = [depth for depth in map(_depth_of_leaves, value) if depth is not None]
    return 1 + min(found) if found else None


@public("ragged.range")
def ragged_range(starts, limits=None, deltas=1, dtype=None, name=None, row_splits_dtype=int64):
    """A row `range(start, limit, delta)` for each start and limit; scalars stand for all rows.

    >>> import allograph as ag
    >>> ag.ragged.range([3, 0, 2]), ag.ragged.range([0, 5], [2, 8])
    (<ag.RaggedTensor [[0, 1, 2], [], [0, 1]]>, <ag.RaggedTensor [[0, 1], [5, 6, 7]]>)

    Raises InvalidArgumentError for a step of 0.
    """
    if limits is None:
        starts, limits = 0, starts
    hint = next((one.dtype for one in (starts, limits, deltas) if isinstance(one, Tensor)), None)
    bounds = [convert_to_tensor(one, dtype, hint) for one in (starts, limits, deltas)]
    zero = sum(ops.reshape(one, [-1]) * 0 for one in bounds)
    starts, limits, deltas = (one + zero for one in bounds)
    partitions.require(deltas != 0, "ragged.range: a step is 0")
    count = -((starts - limits) // deltas)
    lengths = cast(ops.maximum(count, 0), row_splits_dtype)
    splits = partitions.splits_of_lengths(lengths)
    steps = cast(partitions.columns_of(splits), starts.dtype)
    values = repeat(starts, lengths) + steps * repeat(deltas, lengths)
    return RaggedTensor.of_rows(values, splits)


def from_tensor(
    tensor, lengths=None, padding=None, ragged_rank=1, name=None, row_splits_dtype=int64
) -> RaggedTensor:
    """The rows of a tensor: all elements, the first `lengths`, or those before the `padding`.

    >>> import allograph as ag
    >>> ag.RaggedTensor.from_tensor([[1, 2, 0], [3, 0, 0]], padding=0)
    <ag.RaggedTensor [[1, 2], [3]]>

    Raises InvalidArgumentError for a tensor with fewer than `ragged_rank + 1` axes.
    """
    tensor = convert_to_tensor(tensor)
    rank = tensor.dims and len(tensor.dims)
    if lengths is not None and padding is not None:
        raise ValueError("from_tensor: give lengths or padding, not both")
    if not rank or not 0 < ragged_rank < rank:
        raise InvalidArgumentError(
            f"from_tensor: ragged_rank={ragged_rank} does not fit a tensor of rank {rank}"
        )
    if ragged_rank > 1:
        rows = from_tensor(
            merged(tensor, 0, 1), lengths, padding, ragged_rank - 1, None, row_splits_dtype
        )
        return _uniform(rows, tensor, row_splits_dtype)
    if padding is None and lengths is None:
        return _uniform(merged(tensor, 0, 1), tensor, row_splits_dtype)
    width = ops.shape(tensor, dtype=int32)[1]
    if padding is not None:
        lengths = _lengths_before(tensor, padding, width)
    lengths = partitions.partition_vector(lengths, row_splits_dtype)
    lengths = ops.minimum(ops.maximum(lengths, 0), cast(width, lengths.dtype))
    values = boolean_mask(tensor, sequence_mask(lengths, cast(width, lengths.dtype)))
    return RaggedTensor.of_rows(values, partitions.splits_of_lengths(lengths))


def uniform_rows(values, tensor: Any, dtype):
    """Values, which belong to the elements of a tensor, in rows along its axes after the first."""
    for axis in range(len(tensor.dims) - 1, 0, -1):
        values = _uniform(values, merged(tensor, 0, axis - 1), dtype)
    return values


def _uniform(values, tensor: Any, dtype) -> RaggedTensor:
    """The values in rows as long as those of a tensor."""
    count, width = ops.shape(tensor, dtype=as_dtype(dtype))[0], tensor.dims[1]
    size = ops.shape(tensor, dtype=as_dtype(dtype))[1] if width is None else width
    if tensor.dims[0] is not None:
        count = tensor.dims[0]
    splits = range_(0, count + 1, dtype=dtype) * size
    return RaggedTensor.of_rows(values, splits, width)


def _lengths_before(tensor: Any, padding, width) -> Tensor:
    """How many elements of each row come before the padding at its end."""
    is_padding = ops.equal(tensor, convert_to_tensor(padding, tensor.dtype))
    inner = tuple(range(2, len(tensor.dims)))
    is_padding = reduce_all(is_padding, axis=inner) if inner else is_padding
    last = where(is_padding, 0, range_(1, width + 1))
    return reduce_max(ops.concat(last, last[:, :1] * 0, axis=1), axis=1)


RaggedTensor.from_tensor = staticmethod(from_tensor)  # type: ignore


@public("ragged.row_splits_to_segment_ids")
def row_splits_to_segment_ids(splits, name=None, out_type=None) -> Tensor:
    """The row number of each element, for row splits.

    >>> import allograph as ag
    >>> ag.ragged.row_splits_to_segment_ids([0, 2, 2, 3]).numpy()
    array([0, 0, 2])
    """
    return partitions.row_ids_of(partitions.partition_vector(splits, out_type))


@public("ragged.segment_ids_to_row_splits")
def segment_ids_to_row_splits(segment_ids, num_segments=None, out_type=None, name=None) -> Tensor:
    """The row splits for sorted row numbers; by default, the last row has an element.

    >>> import allograph as ag
    >>> ag.ragged.segment_ids_to_row_splits([0, 0, 2]).numpy()
    array([0, 2, 2, 3])
    """
    ids = partitions.partition_vector(segment_ids, out_type)
    return RaggedTensor.from_value_rowids(ids, ids, num_segments).row_splits


@public("ragged.stack_dynamic_partitions")
def stack_dynamic_partitions(data, partitions, num_partitions, name=None) -> RaggedTensor:
    """The slices of `data` in the rows that `partitions` tells, in their order.

    >>> import allograph as ag
    >>> ag.ragged.stack_dynamic_partitions(["a", "b", "c"], [1, 0, 1], 2)
    <ag.RaggedTensor [[b'b'], [b'a', b'c']]>
    """
    rows = cast(convert_to_tensor(partitions), int64)
    order = argsort(rows, stable=True)
    values, rows = gather(convert_to_tensor(data), order), gather(rows, order)
    return RaggedTensor.from_value_rowids(values, rows, num_partitions)
