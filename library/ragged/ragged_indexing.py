"""Rows and slices of ragged tensors: `rt[key]`, `gather`, `gather_nd`."""

from __future__ import annotations

from ... import Tensor, cast, convert_to_tensor, int64
from ... import expand_dims as dense_expand_dims
from ... import range as range_
from ...extend.errors import DTypeError, OutOfBoundsError, boundary
from ...extend.operations import ag, ops
from ...extend.specs import show
from ...extend.tensors import EagerTensor
from . import row_partitions as partitions
from .ragged_constant import uniform_rows
from .ragged_tensor import RaggedTensor


def get_item(value: RaggedTensor, key):
    """`rt[key]`: rows, and windows of rows.

    >>> import allograph as ag
    >>> rt = ag.ragged.constant([[1, 2, 3], [], [4, 5]])
    >>> rt[0].numpy(), rt[1:], rt[:, :2]
    (array([1, 2, 3], dtype=int32), <ag.RaggedTensor [[], [4, 5]]>, <ag.RaggedTensor [[1, 2], [], [4, 5]]>)

    Raises OutOfBoundsError for a row that does not exist, ValueError for an element of every row of
    a ragged axis: not every row needs to have it.
    """  # noqa: E501 - it is compared with what Python prints
    keys = _expanded(list(key) if isinstance(key, tuple) else [key], len(value.dims or ()))
    return _item(value, keys)


def _expanded(keys: list, rank: int) -> list:
    """The keys with slices in place of an Ellipsis."""
    at = [index for index, key in enumerate(keys) if key is Ellipsis]
    if not at:
        return keys
    used = sum(key is not None and key is not Ellipsis for key in keys)
    return [*keys[: at[0]], *[slice(None)] * (rank - used), *keys[at[0] + 1 :]]


def _item(value, keys: list):
    if not keys:
        return value
    if not isinstance(value, RaggedTensor):
        return value[tuple(keys)]
    key, *rest = keys
    if key is None:
        return expanded(_item(value, rest), 0)
    if isinstance(key, slice):
        return _inner(_rows(value, key), rest)
    return _item(_row(value, key), rest)


def _row(value: RaggedTensor, key):
    """The row at an index."""
    index = convert_to_tensor(key)
    if not index.dtype.is_integer or index.dims not in ((), None):
        raise DTypeError("a ragged tensor is indexed by integers and slices")
    count = value.nrows()
    position = cast(index, count.dtype)
    if isinstance(position, EagerTensor) and isinstance(count, EagerTensor):
        if not -int(count) <= int(position) < int(count):
            raise OutOfBoundsError(f"index {int(position)} is out of bounds for {int(count)} rows")
        position = position + count if int(position) < 0 else position
    else:
        position = ops.select(position < 0, position + count, position)
    splits = value.row_splits
    start, end = splits[position], splits[position + 1]
    return _window(value.values, start, end, value.uniform)


def _window(values, start, end, static: int | None):
    """The rows from `start` to `end`."""
    if isinstance(values, RaggedTensor):
        splits = values.row_splits[start : end + 1]
        if static is not None:
            splits.set_shape([static + 1])
        first, last = splits[0], splits[-1]
        inner = _window(values.values, first, last, None)
        return RaggedTensor.of_rows(inner, splits - first, values.uniform)
    row = values[start:end]
    if static is not None:
        row = ops.ensure_shape(row, shape=(static, *row.dims[1:]))
    return row


def _rows(value: RaggedTensor, key: slice) -> RaggedTensor:
    """The rows of a slice."""
    if (key.start, key.stop, key.step) == (None, None, None):
        return value
    rows = range_(value.nrows())[key]
    if key.step not in (None, 1):
        return take(value, rows)
    splits = value.row_splits
    count = partitions.count_of(rows, splits.dtype)
    start = ops.concat(rows, [0], axis=0)[0]
    splits = splits[start : start + count + 1]
    if rows.dims and rows.dims[0] is not None:
        splits.set_shape([rows.dims[0] + 1])
    inner = _window(value.values, splits[0], splits[-1], None)
    return RaggedTensor.of_rows(inner, splits - splits[0], value.uniform)


def _inner(value, keys: list):
    """Each row of `value`, indexed."""
    if not keys:
        return value
    if not isinstance(value, RaggedTensor):
        return value[(slice(None), *keys)]
    key, *rest = keys
    if key is None:
        splits = range_(value.nrows() + 1)
        return RaggedTensor.of_rows(_inner(value, rest), splits, 1)
    if isinstance(key, slice):
        if (key.start, key.stop, key.step) != (None, None, None):
            value = _sliced_rows(value, key)
        return value.with_values(_inner(value.values, rest))
    if value.uniform is None:
        raise ValueError(
            f"element {key} of every row: the axis is ragged, in {show(value.dims)}, so a row may "
            "not have it. Take a slice, or use to_tensor()"
        )
    size = value.uniform
    index = int(key)
    if not -size <= index < size:
        raise OutOfBoundsError(f"index {index} is out of bounds for an axis of size {size}")
    picked = take(value.values, value.row_starts() + index % size)
    return _inner(picked, rest)


def _sliced_rows(value: RaggedTensor, key: slice) -> RaggedTensor:
    """The slice `key` of each row, by the rules of Python."""
    lengths = value.row_lengths()
    step = 1 if key.step is None else int(key.step)
    if step == 0:
        raise ValueError("slice step cannot be zero")
    low, high = (lengths * 0, lengths) if step > 0 else (lengths * 0 - 1, lengths - 1)

    def bound(given, otherwise):
        if given is None:
            return otherwise
        given = cast(convert_to_tensor(given), lengths.dtype) + lengths * 0
        given = ops.select(given < 0, given + lengths, given)
        return ops.minimum(ops.maximum(given, low), high)

    start = bound(key.start, low if step > 0 else high)
    stop = bound(key.stop, high if step > 0 else low)
    count = ops.maximum(-((start - stop) // step), 0)
    elements, splits = partitions.elements_of_rows(value.row_starts() + start, count, step)
    return RaggedTensor.of_rows(take(value.values, elements), splits)


def take(value, rows: Tensor):
    """The rows with the numbers in a vector."""
    if not isinstance(value, RaggedTensor):
        return ag.gather(value, rows)
    starts = ag.gather(value.row_starts(), rows)
    lengths = ag.gather(value.row_lengths(), rows)
    elements, splits = partitions.elements_of_rows(starts, lengths)
    return RaggedTensor.of_rows(take(value.values, elements), splits, value.uniform)


def gather(params, indices, validate_indices=None, axis=None, batch_dims=0, name=None):
    """The slices of `params` at `indices`, each of which may be ragged."""
    if batch_dims or axis not in (None, 0):
        raise ValueError("gather of ragged tensors takes axis=0 and batch_dims=0")
    if isinstance(indices, RaggedTensor):
        return indices.with_flat_values(gather(params, indices.flat_values))
    if not isinstance(params, RaggedTensor):
        return ag.gather(params, indices)
    indices = convert_to_tensor(indices)
    if indices.dims is None or len(indices.dims) > 1:
        flat = gather(params, ops.reshape(indices, [-1]))
        return uniform_rows(flat, indices, int64)
    return _row(params, indices) if indices.dims == () else take(params, indices)


def gather_nd(params, indices, batch_dims=0, name=None):
    """The elements of a ragged tensor at the rows of `indices`, which give all axes."""
    if not isinstance(params, RaggedTensor) or batch_dims:
        raise ValueError("gather_nd takes ragged params, dense indices and batch_dims=0")
    indices = convert_to_tensor(indices)
    width = indices.dims and indices.dims[-1]
    if width is None or width < params.ragged_rank + 1:
        raise ValueError("gather_nd of a ragged tensor takes an index for each ragged axis")
    return at_coordinates(params, [indices[..., axis] for axis in range(width)])


def at_coordinates(value, coordinates: list):
    """The elements at coordinates, which are tensors of one shape, one for each axis."""
    if not isinstance(value, RaggedTensor):
        return ops.gather_nd(value, ops.stack(*coordinates, axis=-1))
    row, column, *rest = coordinates
    position = ag.gather(value.row_splits, row) + cast(column, value.row_splits.dtype)
    return at_coordinates(value.values, [position, *(cast(c, position.dtype) for c in rest)])


def expanded(value, axis: int):
    """A new axis of size 1."""
    if not isinstance(value, RaggedTensor):
        return dense_expand_dims(value, axis)
    if axis > 1:
        return value.with_values(expanded(value.values, axis - 1))
    count = value.nrows()
    if axis == 1:
        return RaggedTensor.of_rows(value, range_(count + 1), 1)
    splits = ops.reshape(ops.stack(count * 0, count, axis=0), [2])
    return RaggedTensor.of_rows(value, splits, value.dims and value.dims[0])


RaggedTensor.__getitem__ = boundary(get_item)  # type: ignore[method-assign]
