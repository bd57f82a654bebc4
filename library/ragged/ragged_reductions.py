"""Reductions of ragged tensors over rows and over their elements."""

from __future__ import annotations

from collections.abc import Callable

from ... import Tensor, cast, float64, gather, int32, math, ones_like
from ... import bool as bool_
from ...extend.errors import InvalidArgumentError
from ...extend.operations import ag, ops
from ...extend.specs import show
from . import row_partitions as partitions
from .ragged_indexing import expanded
from .ragged_tensor import RaggedTensor


def reduced(value: RaggedTensor, axis, keepdims: bool, whole: Callable, segments: Callable):
    """A reduction over axes: all of them by `whole`, those of rows by `segments`.

    `segments(values, ids, count)` reduces the elements with the same id.
    """
    if axis is None:
        result = whole(value.flat_values, None)
        for _ in range(len(value.dims or ()) if keepdims else 0):
            result = ops.expand_dims(result, axis=0)
        return result
    rank = len(value.dims or ())
    axes = [int(one) for one in (axis if isinstance(axis, (list, tuple)) else [axis])]
    for one in axes:
        if not -rank <= one < rank:
            raise InvalidArgumentError(f"axis {one} is out of range for shape {show(value.dims)}")
    for one in sorted({one % rank for one in axes}, reverse=True):
        value = _over(value, one, whole, segments)
        if keepdims:
            value = expanded(value, one)
    return value


def _over(value, axis: int, whole: Callable, segments: Callable):
    """A reduction over one axis."""
    if not isinstance(value, RaggedTensor):
        return whole(value, axis)
    if axis > 1:
        return value.with_values(_over(value.values, axis - 1, whole, segments))
    splits = value.row_splits
    if axis == 1:
        ids, count = partitions.row_ids_of(splits), value.nrows()
    else:
        ids, count = partitions.columns_of(splits), value.bounding_shape(axis=1)
    return _by_segment(value.values, ids, count, segments)


def _by_segment(values, ids: Tensor, count: Tensor, segments: Callable):
    """Rows with the same id reduced to one row, element by element."""
    if not isinstance(values, RaggedTensor):
        return segments(values, ids, count)
    lengths = ops.maximum(ops.unsorted_segment_max(values.row_lengths(), ids, count), 0)
    splits = partitions.splits_of_lengths(lengths)
    starts = gather(splits, gather(ids, values.value_rowids(), axis=0), axis=0)
    inner_ids = starts + partitions.columns_of(values.row_splits)
    return RaggedTensor.of_rows(_by_segment(values.values, inner_ids, splits[-1], segments), splits)


def _reduction(function: Callable, segment_name: str) -> Callable:
    segments = getattr(ops, segment_name)

    def reduce(input_tensor, axis=None, keepdims=False, name=None):
        return reduced(
            input_tensor, axis, keepdims, lambda value, at: function(value, axis=at), segments
        )

    return reduce


reduce_sum = _reduction(ag.reduce_sum, "unsorted_segment_sum")
reduce_prod = _reduction(ag.reduce_prod, "unsorted_segment_prod")
reduce_max = _reduction(ag.reduce_max, "unsorted_segment_max")
reduce_min = _reduction(ag.reduce_min, "unsorted_segment_min")


def reduce_any(input_tensor, axis=None, keepdims=False, name=None):
    flags = input_tensor.with_flat_values(cast(input_tensor.flat_values, int32))
    return _as_bool(reduce_sum(flags, axis, keepdims))


def reduce_all(input_tensor, axis=None, keepdims=False, name=None):
    flags = input_tensor.with_flat_values(cast(input_tensor.flat_values, int32))
    return _as_bool(reduce_prod(flags, axis, keepdims))


def _as_bool(flags):
    if isinstance(flags, RaggedTensor):
        return flags.with_flat_values(cast(flags.flat_values, bool_))
    return cast(flags, bool_)


def reduce_mean(input_tensor, axis=None, keepdims=False, name=None):
    """Means; of integers over an axis in float64, as a quotient of sums and counts."""
    if axis is None:
        total = ag.reduce_mean
        return reduced(input_tensor, None, keepdims, lambda value, _: total(value), None)  # type: ignore[arg-type]
    flat = input_tensor.flat_values
    flat = flat if flat.dtype.is_floating or flat.dtype.is_complex else cast(flat, float64)
    value = input_tensor.with_flat_values(flat)
    ones = value.with_flat_values(ones_like(flat))
    return reduce_sum(value, axis, keepdims) / reduce_sum(ones, axis, keepdims)


def variance(input_tensor, axis=None, keepdims=False, name=None):
    """Mean squares of the deviations from the mean."""
    if axis is None:
        return reduced(input_tensor, None, keepdims, lambda one, _: math.reduce_variance(one), None)  # type: ignore[arg-type]
    if not isinstance(axis, int) or axis % len(input_tensor.dims) == 0:
        raise ValueError("the variance of a ragged tensor is taken over one axis after the first")
    deviations = input_tensor - reduce_mean(input_tensor, axis, keepdims=True)
    return reduce_mean(deviations * deviations, axis, keepdims)


def standard_deviation(input_tensor, axis=None, keepdims=False, name=None):
    """Square roots of the variances."""
    if axis is None:
        return reduced(input_tensor, None, keepdims, lambda one, _: math.reduce_std(one), None)  # type: ignore[arg-type]
    return ops.sqrt(variance(input_tensor, axis, keepdims))
