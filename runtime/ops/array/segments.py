"""Segment reductions: sums, products, means and extremes of slices with the same segment id."""

from __future__ import annotations

import numpy as np

from ...core.dtypes import INTEGERS, NUMBERS, REALS, SIGNED, int32
from ...core.errors import InvalidArgumentError, OutOfBoundsError, ShapeError
from ...core.numpy_dtypes import highest, lowest
from ...core.public_names import public
from ...core.shapes import is_compatible, show
from ...ir.constant_values import full_constant
from ...ir.op import Spec
from ...tensors.apply import convert_to_tensor
from ...tensors.operation import op, ops
from ..gradient_helpers import (
    gather_segments,
    segment_extremes_cotangent,
    segment_product_cotangent,
)
from ..math.casting import cast
from ..math.elementwise import Maximum
from .creation import ones_like


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
    counts = cast(Maximum(counts, 1), total.dtype)[(..., *[None] * (len(total.dims) - 1))]
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
    counts = cast(Maximum(counts, 1), total.dtype)[(..., *[None] * (len(total.dims) - 1))]
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
