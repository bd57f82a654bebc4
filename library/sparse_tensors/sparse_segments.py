"""Sparse tensors that count, cross, mask and normalize; and sums of selected rows."""

from __future__ import annotations

from ... import (
    Tensor,
    boolean_mask,
    cast,
    concat,
    convert_to_tensor,
    gather,
    int32,
    int64,
    ones_like,
    reduce_any,
    reduce_max,
    reshape,
    shape,
)
from ...extend.errors import InvalidArgumentError
from ...extend.operations import ops
from ...extend.registration import public
from ...extend.specs import show
from ..ragged import crossing
from ..ragged.ragged_joining import to_sparse
from ..ragged.ragged_tensor import RaggedTensor
from .conversions import as_sparse, indices_of, positions_of
from .sparse_arithmetic import merged
from .sparse_tensor import SparseTensor


@public("sparse.bincount")
def bincount(
    values, weights=None, axis=0, minlength=None, maxlength=None, binary_output=False, name=None
) -> SparseTensor:
    """How often each integer occurs, as a sparse vector; for each row with `axis=-1`.

    weights         are summed instead of ones
    minlength       the least size of the last axis
    maxlength       the size of the last axis; larger integers are left out
    binary_output   1 for what occurs, however often

    >>> import allograph as ag
    >>> counts = ag.sparse.bincount([[5, 1, 1], [3, 5, 5]], axis=-1)
    >>> ag.sparse.to_dense(counts).numpy().tolist()
    [[0, 2, 0, 0, 0, 1], [0, 0, 0, 1, 0, 2]]
    """
    if axis not in (0, -1):
        raise ValueError(f"sparse.bincount: axis is 0 or -1, not {axis}")
    if binary_output and weights is not None:
        raise ValueError("sparse.bincount: binary_output takes no weights")
    numbers, rows, count = _in_rows(values, axis)
    weights = ones_like(numbers) if weights is None else _in_rows(weights, axis)[0]
    numbers = cast(numbers, int64)
    size = reduce_max(concat([numbers, [-1]], 0)) + 1
    if maxlength is not None:
        inside = numbers < maxlength
        numbers, weights = boolean_mask(numbers, inside), boolean_mask(weights, inside)
        rows = rows if rows is None else boolean_mask(rows, inside)
        size = ops.minimum(size, maxlength)
    if minlength is not None:
        size = ops.maximum(size, minlength)
    size = reshape(size, [1])
    dense_shape = size if rows is None else concat([reshape(count, [1]), size], 0)
    positions = numbers if rows is None else rows * size + numbers
    distinct, weights, groups, length = merged(positions, weights)
    found = ops.unsorted_segment_sum(weights, groups, length)
    found = ops.minimum(found, 1) if binary_output else found
    return SparseTensor(indices_of(distinct, dense_shape), found, dense_shape)


def _in_rows(values, axis: int) -> tuple:
    """Integers, the row of each and the number of rows; no rows for one row alone."""
    if isinstance(values, RaggedTensor):
        values = to_sparse(values)
    if isinstance(values, SparseTensor):
        flat, rank, sizes = values.values, len(values.dims or ()), values.dense_shape
        rows = values.indices[:, 0]
    else:
        dense = convert_to_tensor(values)
        flat, rank, sizes = reshape(dense, [-1]), dense.ndim, shape(dense, int64)
        rows = ops.range(0, ops.size(flat), 1) if rank == 2 else None
        rows = rows if rows is None else cast(rows, int64) // ops.maximum(sizes[1], 1)
    if rank > 2 and axis == -1:
        raise InvalidArgumentError("sparse.bincount: rows of a matrix are counted, not of rank > 2")
    return flat, rows if axis == -1 and rank == 2 else None, sizes[0]


@public("sparse.softmax")
def softmax(sp_input, name=None) -> SparseTensor:
    """The softmax of the stored elements along the last axis.

    >>> import allograph as ag
    >>> ag.sparse.softmax(ag.sparse.from_dense([[1.0, 1.0], [0.0, 7.0]])).values.numpy()
    array([0.5, 0.5, 1. ], dtype=float32)

    Raises InvalidArgumentError for vectors.
    """
    sp = as_sparse(sp_input)
    if sp.dims is None or len(sp.dims) < 2:
        raise InvalidArgumentError(f"sparse.softmax takes a matrix or more, not {show(sp.dims)}")
    rows = positions_of(sp.indices[:, :-1], sp.dense_shape[:-1])
    count = ops.reduce_prod(sp.dense_shape[:-1], axis=None, keepdims=False)
    largest = gather(ops.unsorted_segment_max(sp.values, rows, count), rows)
    powers = ops.exp(sp.values - ops.stop_gradient(largest))
    totals = ops.unsorted_segment_sum(powers, rows, count)
    return sp.with_values(powers / gather(totals, rows))


@public("sparse.mask")
def mask(a, mask_indices, name=None):
    """`IndexedSlices` without those at the given indices.

    >>> import allograph as ag
    >>> slices = ag.IndexedSlices(ag.constant([[1.0], [2.0]]), ag.constant([12, 26]))
    >>> ag.sparse.mask(slices, [12]).indices.numpy()
    array([26], dtype=int32)
    """
    taken = cast(convert_to_tensor(mask_indices), a.indices.dtype)
    kept = ops.logical_not(reduce_any(a.indices[:, None] == taken, axis=1))
    return type(a)(boolean_mask(a.values, kept), boolean_mask(a.indices, kept), a.dense_shape)


@public("sparse.cross")
def cross(inputs, name=None, separator=None) -> SparseTensor:
    """For each row, the texts of all combinations of one value of each input.

    The inputs are sparse, ragged or dense matrices of strings or integers. The `separator` is "_X_"
    by default.

    >>> import allograph as ag
    >>> ag.sparse.to_dense(ag.sparse.cross([ag.constant([["a"]]), [["x", "y"]]])).numpy().tolist()
    [[b'a_X_x', b'a_X_y']]
    """
    return to_sparse(crossing.crossed(inputs, "_X_" if separator is None else separator))


@public("sparse.cross_hashed")
def cross_hashed(inputs, num_buckets=0, hash_key=None, name=None) -> SparseTensor:
    """For each row, a bucket for each combination of one value of each input.

    Without `num_buckets` it is a hash of 63 bits.

    >>> import allograph as ag
    >>> ag.sparse.cross_hashed([ag.constant([["A"]]), ag.constant([[101]])], 5).values.numpy()
    array([1])
    """
    return to_sparse(crossing.crossed(inputs, None, num_buckets, hash_key))


# ---- sums of selected rows -------------------------------------------------------------------


def _selected(data, indices, segment_ids, num_segments) -> tuple[Tensor, Tensor, Tensor]:
    """The rows at the indices, their segments, and the number of segments."""
    rows = gather(convert_to_tensor(data), convert_to_tensor(indices))
    segments = cast(convert_to_tensor(segment_ids), int32)
    if num_segments is None:
        num_segments = reduce_max(concat([segments, [-1]], 0)) + 1
    return rows, segments, num_segments


@public("sparse.segment_sum")
def segment_sum(data, indices, segment_ids, num_segments=None, name=None) -> Tensor:
    """The sums of the rows of `data` at `indices` that have the same segment number.

    >>> import allograph as ag
    >>> ag.sparse.segment_sum([[1, 2], [3, 4], [5, 6]], [0, 2], [0, 0]).numpy().tolist()
    [[6, 8]]
    """
    rows, segments, count = _selected(data, indices, segment_ids, num_segments)
    return ops.unsorted_segment_sum(rows, segments, count)


def _divided(data, indices, segment_ids, num_segments, divisor) -> Tensor:
    rows, segments, count = _selected(data, indices, segment_ids, num_segments)
    sums = ops.unsorted_segment_sum(rows, segments, count)
    sizes = ops.unsorted_segment_sum(ones_like(segments), segments, count)
    sizes = cast(ops.maximum(sizes, 1), rows.dtype)
    return sums / reshape(divisor(sizes), [-1] + [1] * (rows.ndim - 1))


@public("sparse.segment_mean")
def segment_mean(data, indices, segment_ids, num_segments=None, name=None) -> Tensor:
    """The means of the rows of `data` at `indices` that have the same segment number.

    >>> import allograph as ag
    >>> ag.sparse.segment_mean([[1.0], [2.0], [5.0]], [0, 2], [0, 0]).numpy().tolist()
    [[3.0]]
    """
    return _divided(data, indices, segment_ids, num_segments, lambda sizes: sizes)


@public("sparse.segment_sqrt_n")
def segment_sqrt_n(data, indices, segment_ids, num_segments=None, name=None) -> Tensor:
    """The sums of the rows at `indices` of each segment, divided by the root of their number.

    >>> import allograph as ag
    >>> ag.sparse.segment_sqrt_n([[1.0], [3.0]], [0, 1, 1, 1], [0, 0, 0, 0]).numpy().tolist()
    [[5.0]]
    """
    return _divided(data, indices, segment_ids, num_segments, lambda sizes: sizes**0.5)
