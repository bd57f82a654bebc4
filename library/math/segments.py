"""Segment reductions: sums, products, means and extremes of slices with the same segment id."""

from __future__ import annotations

import numpy as np

from ... import cast, convert_to_tensor, int32, ones_like
from ...extend.errors import InvalidArgumentError, OutOfBoundsError, ShapeError
from ...extend.kernels import native_routines
from ...extend.operations import (
    INTEGERS,
    NUMBERS,
    REALS,
    SIGNED,
    Spec,
    full_constant,
    op,
    ops,
    scalar_zero,
)
from ...extend.registration import public
from ...extend.specs import highest, is_compatible, lowest, show

WITH_NATIVE_CODE = tuple(f"unsorted_segment_{name}" for name in ("sum", "prod", "max", "min"))


def _forms() -> dict:
    from .emit_segments import FORMS

    return FORMS


native_routines(WITH_NATIVE_CODE, _forms, {})


# ---- gradients -------------------------------------------------------------------------------


def gather_segments(dy, segment_ids):
    """For each element the value of `dy` for its segment; 0 for skipped elements."""
    kept = segment_ids >= 0
    gathered = ops.gather(dy, ops.maximum(segment_ids, 0), axis=0, batch_dims=0)
    for _ in range(len(gathered.dims) - len(segment_ids.dims)):
        kept = ops.expand_dims(kept, axis=-1)
    return ops.select(kept, gathered, scalar_zero(dy))


def segment_product_cotangent(dy, data, segment_ids):
    """The cotangent of products of segments: the products of the others, by scans of each segment
    along the sorted numbers, without division.
    """
    numbers = ops.reshape(segment_ids, [-1])
    order = ops.argsort(numbers, axis=0, descending=False)
    numbers = ops.gather(numbers, order, axis=0, batch_dims=0)
    rest = ops.shape(data)[len(segment_ids.dims) :]
    rows = ops.reshape(data, ops.concat(ops.shape(numbers), rest, axis=0))
    rows = ops.gather(rows, order, axis=0, batch_dims=0)
    same = ops.reshape(numbers[1:] == numbers[:-1], [-1] + [1] * (len(rows.dims) - 1))
    edge = ops.fill(ops.shape(same[:1]), np.False_)
    follows, leads = (ops.concat(*pair, axis=0) for pair in ((edge, same), (same, edge)))
    zero = scalar_zero(data)
    one = zero + 1
    before, after = (
        ops.linear_recurrence(
            ops.select(has_next, rows, zero),
            ops.broadcast_to(ops.select(has_last, zero, one), ops.shape(rows)),
            axis=0,
            reverse=reverse,
        )
        for has_next, has_last, reverse in ((leads, follows, False), (follows, leads, True))
    )
    inverse = ops.argsort(order, axis=0, descending=False)
    others = ops.gather(before * after, inverse, axis=0, batch_dims=0)
    return gather_segments(dy, segment_ids) * ops.reshape(others, ops.shape(data))


def segment_extremes_cotangent(dy, y, data, segment_ids, count):
    """The cotangent of a segment's maximum or minimum, divided among those that attain it."""
    hits = ops.cast(data == gather_segments(y, segment_ids), dtype=dy.dtype)
    totals = ops.unsorted_segment_sum(hits, segment_ids, count)
    return hits * gather_segments(dy / ops.maximum(totals, 1), segment_ids)


# ---- operations ------------------------------------------------------------------------------


def _segmented_shape(data, segment_ids, count):
    """The shape with the axes of `segment_ids` replaced by one. Raises ShapeError on a misfit."""
    if data.shape is None or segment_ids.shape is None:
        return None
    rank = len(segment_ids.shape)
    if rank > len(data.shape) or not is_compatible(data.shape[:rank], segment_ids.shape):
        raise ShapeError(
            f"segment_ids of shape {show(segment_ids.shape)} for data of shape {show(data.shape)}"
        )
    return (count, *data.shape[rank:])


def _combined(data, segment_ids, count: int, combine: np.ufunc, initial):
    """The slices of each segment combined in order; negative segment ids are skipped."""
    shape = _segmented_shape(data, segment_ids, count)
    if np.any(segment_ids >= count):
        worst = segment_ids.max()
        raise OutOfBoundsError(f"segment id {worst} is out of range for {count} segments")
    result = np.full(shape, initial(data.dtype), data.dtype)
    kept = segment_ids >= 0
    combine.at(result, segment_ids[kept], data[kept])
    return result


def _constant(value):
    return lambda dtype: dtype.type(value)


def _unsorted(combine, initial):
    def kernel(data, segment_ids, num_segments):
        return _combined(data, segment_ids, int(num_segments), combine, initial)

    return kernel


def _unsorted_result(data, segment_ids, num_segments) -> Spec:
    count = full_constant(num_segments)
    return Spec(
        data.dtype, _segmented_shape(data, segment_ids, None if count is None else int(count))
    )


def _sorted(combine, initial):
    """A kernel for sorted segment ids. Empty segments give 0 for every combination."""

    def kernel(data, segment_ids):
        if np.any(segment_ids < 0) or np.any(np.diff(segment_ids) < 0):
            raise InvalidArgumentError("the segment ids have to be sorted and not negative")
        count = int(segment_ids[-1]) + 1 if segment_ids.size else 0
        result = _combined(data, segment_ids, count, combine, initial)
        result[np.bincount(segment_ids, minlength=count) == 0] = 0
        return result

    return kernel


def _sorted_result(data, segment_ids) -> Spec:
    if segment_ids.shape is not None and len(segment_ids.shape) != 1:
        raise ShapeError(f"segment_ids of shape {show(segment_ids.shape)} are not a vector")
    return Spec(data.dtype, _segmented_shape(data, segment_ids, None))


@op
class UnsortedSegmentSum:
    """Sums of the slices of `data` with the same segment id; 0 for empty segments.

    The shape of `segment_ids` is a prefix of that of `data`. In the result these axes are replaced
    by one of size `num_segments`. Slices with a negative id are skipped.

    >>> import allograph as ag
    >>> ag.math.unsorted_segment_sum([1, 2, 3], [1, 0, 1], 3).numpy()
    array([2, 4, 0], dtype=int32)

    Raises OutOfBoundsError for an id that is not below `num_segments`.
    """

    componentwise = True
    accepts = {"data": NUMBERS, "segment_ids": INTEGERS, "num_segments": SIGNED}
    public = ("math.unsorted_segment_sum",)
    kernel = _unsorted(np.add, _constant(0))
    result = _unsorted_result

    def gradient(dy, y, data, segment_ids, num_segments):
        return gather_segments(dy, segment_ids), None, None


@op
class UnsortedSegmentProd:
    """Products of the slices of `data` with the same segment id; 1 for empty segments.

    Shapes and errors are those of `math.unsorted_segment_sum`.

    >>> import allograph as ag
    >>> ag.math.unsorted_segment_prod([2, 3, 4], [1, 0, 1], 3).numpy()
    array([3, 8, 1], dtype=int32)
    """

    accepts = {"data": NUMBERS, "segment_ids": INTEGERS, "num_segments": SIGNED}
    public = ("math.unsorted_segment_prod",)
    kernel = _unsorted(np.multiply, _constant(1))
    result = _unsorted_result

    def gradient(dy, y, data, segment_ids, num_segments):
        return segment_product_cotangent(dy, data, segment_ids), None, None


@op
class UnsortedSegmentMax:
    """Elementwise maxima of the slices of `data` with the same segment id.

    An empty segment gives the lowest value of the dtype. Shapes and errors are those of
    `math.unsorted_segment_sum`.

    >>> import allograph as ag
    >>> ag.math.unsorted_segment_max([2, 3, 4], [1, 0, 1], 2).numpy()
    array([3, 4], dtype=int32)
    """

    accepts = {"data": REALS, "segment_ids": INTEGERS, "num_segments": SIGNED}
    public = ("math.unsorted_segment_max",)
    kernel = _unsorted(np.maximum, lowest)
    result = _unsorted_result

    def gradient(dy, y, data, segment_ids, num_segments):
        return segment_extremes_cotangent(dy, y, data, segment_ids, num_segments), None, None


@op
class UnsortedSegmentMin:
    """Elementwise minima of the slices of `data` with the same segment id.

    An empty segment gives the highest value of the dtype. Shapes and errors are those of
    `math.unsorted_segment_sum`.

    >>> import allograph as ag
    >>> ag.math.unsorted_segment_min([2, 3, 4], [1, 0, 1], 2).numpy()
    array([3, 2], dtype=int32)
    """

    accepts = {"data": REALS, "segment_ids": INTEGERS, "num_segments": SIGNED}
    public = ("math.unsorted_segment_min",)
    kernel = _unsorted(np.minimum, highest)
    result = _unsorted_result

    def gradient(dy, y, data, segment_ids, num_segments):
        return segment_extremes_cotangent(dy, y, data, segment_ids, num_segments), None, None


@op
class SegmentSum:
    """Sums of the rows of `data` with the same segment id; 0 for empty segments.

    `segment_ids` is a sorted vector with an id for each row. The result has a row for each id from
    0 to the largest.

    >>> import allograph as ag
    >>> ag.math.segment_sum([1, 2, 3], [0, 0, 2]).numpy()
    array([3, 0, 3], dtype=int32)

    Raises InvalidArgumentError for ids that are unsorted or negative.
    """

    componentwise = True
    accepts = {"data": NUMBERS, "segment_ids": INTEGERS}
    public = ("math.segment_sum",)
    kernel = _sorted(np.add, _constant(0))
    result = _sorted_result

    def gradient(dy, y, data, segment_ids):
        return gather_segments(dy, segment_ids), None


@op
class SegmentProd:
    """Products of the rows of `data` with the same segment id; 0 for empty segments.

    Shapes and errors are those of `math.segment_sum`.

    >>> import allograph as ag
    >>> ag.math.segment_prod([2, 2, 3], [0, 0, 1]).numpy()
    array([4, 3], dtype=int32)
    """

    accepts = {"data": NUMBERS, "segment_ids": INTEGERS}
    public = ("math.segment_prod",)
    kernel = _sorted(np.multiply, _constant(1))
    result = _sorted_result

    def gradient(dy, y, data, segment_ids):
        return segment_product_cotangent(dy, data, segment_ids), None


@op
class SegmentMax:
    """Elementwise maxima of the rows of `data` with the same segment id; 0 for empty segments.

    Shapes and errors are those of `math.segment_sum`.

    >>> import allograph as ag
    >>> ag.math.segment_max([2, 5, 3], [0, 0, 1]).numpy()
    array([5, 3], dtype=int32)
    """

    accepts = {"data": REALS, "segment_ids": INTEGERS}
    public = ("math.segment_max",)
    kernel = _sorted(np.maximum, lowest)
    result = _sorted_result

    def gradient(dy, y, data, segment_ids):
        return segment_extremes_cotangent(dy, y, data, segment_ids, ops.shape(y)[0]), None


@op
class SegmentMin:
    """Elementwise minima of the rows of `data` with the same segment id; 0 for empty segments.

    Shapes and errors are those of `math.segment_sum`.

    >>> import allograph as ag
    >>> ag.math.segment_min([2, 5, 3], [0, 0, 1]).numpy()
    array([2, 3], dtype=int32)
    """

    accepts = {"data": REALS, "segment_ids": INTEGERS}
    public = ("math.segment_min",)
    kernel = _sorted(np.minimum, highest)
    result = _sorted_result

    def gradient(dy, y, data, segment_ids):
        return segment_extremes_cotangent(dy, y, data, segment_ids, ops.shape(y)[0]), None


def _mean(total, counts):
    """Sums divided by the counts of slices; 0 for empty segments. Integers are rounded down."""
    if total.dims is None:
        raise ShapeError("the mean of segments needs data of known rank")
    counts = cast(ops.maximum(counts, 1), total.dtype)[(..., *[None] * (len(total.dims) - 1))]
    return total // counts if total.dtype.is_integer else total / counts


@public("math.unsorted_segment_mean")
def unsorted_segment_mean(data, segment_ids, num_segments, name=None):
    """Means of the slices of `data` with the same segment id; 0 for empty segments.

    Means of integers are rounded down. Shapes and errors are those of `math.unsorted_segment_sum`.

    >>> ag.math.unsorted_segment_mean([1.0, 2.0, 3.0], [1, 0, 1], 2).numpy()
    array([2., 2.], dtype=float32)
    """
    ids = convert_to_tensor(segment_ids)
    counts = UnsortedSegmentSum(ones_like(ids, int32), ids, num_segments)
    return _mean(UnsortedSegmentSum(data, ids, num_segments), counts)


@public("math.unsorted_segment_sqrt_n")
def unsorted_segment_sqrt_n(data, segment_ids, num_segments, name=None):
    """Sums of the slices of `data` with the same segment id, divided by the root of their number.

    Shapes and errors are those of `math.unsorted_segment_sum`.

    >>> ag.math.unsorted_segment_sqrt_n([1.0, 2.0, 3.0, 4.0], [1, 1, 1, 1], 2).numpy()
    array([0., 5.], dtype=float32)
    """
    ids = convert_to_tensor(segment_ids)
    total = UnsortedSegmentSum(data, ids, num_segments)
    counts = UnsortedSegmentSum(ones_like(ids, int32), ids, num_segments)
    counts = cast(ops.maximum(counts, 1), total.dtype)[(..., *[None] * (len(total.dims) - 1))]
    return total / ops.sqrt(counts)


@public("math.segment_mean")
def segment_mean(data, segment_ids, name=None):
    """Means of the rows of `data` with the same segment id; 0 for empty segments.

    Means of integers are rounded down. Shapes and errors are those of `math.segment_sum`.

    >>> ag.math.segment_mean([1.0, 2.0, 3.0], [0, 0, 1]).numpy()
    array([1.5, 3. ], dtype=float32)
    """
    ids = convert_to_tensor(segment_ids)
    return _mean(SegmentSum(data, ids), SegmentSum(ones_like(ids, int32), ids))
