"""Counts of integers, pairs and bins, and indices made of other indices."""

from __future__ import annotations

from ... import (
    as_dtype,
    cast,
    clip_by_value,
    concat,
    convert_to_tensor,
    expand_dims,
    int32,
    ones,
    reduce_all,
    reduce_max,
    reshape,
    scatter_nd,
    shape,
    size,
    stack,
    zeros,
)
from ... import range as range_
from ...extend.errors import InvalidArgumentError
from ...extend.operations import ops
from ...extend.registration import public


@public("math.bincount")
def bincount(
    arr, weights=None, minlength=None, maxlength=None, dtype=int32, name=None, axis=None,
    binary_output=False,
):  # fmt: skip
    """How often each integer occurs, or the sums of the weights of its places.

    There are `max(arr) + 1` counts, at least `minlength` and at most `maxlength`. With `axis=-1`,
    each row of a matrix is counted. With `binary_output`, counts are 0 or 1.

    >>> ag.math.bincount([1, 1, 3]).numpy()
    array([0, 2, 0, 1], dtype=int32)
    """
    x = convert_to_tensor(arr)
    x = x if x.dtype.is_integer else cast(x, int32)
    total = cast(reduce_max(concat([reshape(x, [-1]), zeros([1], x.dtype) - 1], 0)) + 1, int32)
    total = total if minlength is None else ops.maximum(total, minlength)
    total = total if maxlength is None else ops.minimum(total, maxlength)
    if weights is None or binary_output:
        weights = ones(shape(x), dtype)
    weights = convert_to_tensor(weights)
    inside = cast(ops.less(cast(x, int32), total), weights.dtype)
    places = ops.minimum(cast(x, int32), ops.maximum(total - 1, 0))
    if axis is None or x.ndim < 2:
        counts = ops.unsorted_segment_sum(
            reshape(weights * inside, [-1]), reshape(places, [-1]), total
        )
    else:
        rows = shape(x)[0]
        starts = expand_dims(range_(rows) * total, 1)
        flat = ops.unsorted_segment_sum(
            reshape(weights * inside, [-1]), reshape(places + starts, [-1]), rows * total
        )
        counts = reshape(flat, stack([rows, total]))
    return ops.minimum(counts, 1) if binary_output else counts


@public("math.confusion_matrix")
def confusion_matrix(labels, predictions, num_classes=None, weights=None, dtype=int32, name=None):
    """How often each label (row) was predicted as each class (column).

    >>> ag.math.confusion_matrix([0, 1, 1], [0, 0, 1]).numpy().tolist()
    [[1, 0], [1, 1]]
    """
    labels, predictions = (cast(reshape(one, [-1]), int32) for one in (labels, predictions))
    if num_classes is None:
        num_classes = ops.maximum(reduce_max(labels), reduce_max(predictions)) + 1
    values = ones(shape(labels), dtype) if weights is None else cast(weights, dtype)
    indices = stack([labels, predictions], 1)
    return scatter_nd(indices, reshape(values, [-1]), stack([num_classes, num_classes]))


@public("histogram_fixed_width_bins")
def histogram_fixed_width_bins(values, value_range, nbins=100, dtype=int32, name=None):
    """The bin of each value, of `nbins` of equal width; values outside are in the outer ones.

    >>> ag.histogram_fixed_width_bins([-1.0, 0.5, 9.0], [0.0, 2.0], nbins=4).numpy()
    array([0, 1, 3], dtype=int32)

    Raises InvalidArgumentError for less than one bin.
    """
    if nbins < 1:
        raise InvalidArgumentError(f"a histogram has at least one bin, not {nbins}")
    values = convert_to_tensor(values)
    low, high = (cast(value_range[at], values.dtype) for at in (0, 1))
    share = (values - low) / (high - low)
    places = ops.floor(share * nbins) if values.dtype.is_floating else ops.floor_divide(
        (values - low) * nbins, high - low
    )  # fmt: skip
    return cast(clip_by_value(places, 0, nbins - 1), as_dtype(dtype))


@public("histogram_fixed_width")
def histogram_fixed_width(values, value_range, nbins=100, dtype=int32, name=None):
    """How many values are in each of `nbins` bins of equal width.

    >>> ag.histogram_fixed_width([-1.0, 0.5, 9.0], [0.0, 2.0], nbins=4).numpy()
    array([1, 1, 0, 1], dtype=int32)
    """
    bins = reshape(histogram_fixed_width_bins(values, value_range, nbins), [-1])
    return ops.unsorted_segment_sum(ones(shape(bins), dtype), bins, nbins)


@public("math.invert_permutation")
def invert_permutation(x, name=None):
    """The permutation that undoes another one.

    >>> ag.math.invert_permutation([2, 0, 1]).numpy()
    array([1, 2, 0], dtype=int32)
    """
    x = convert_to_tensor(x)
    places = cast(range_(size(x)), x.dtype)
    return scatter_nd(expand_dims(x, 1), places, stack([size(x, x.dtype)]))


@public("unravel_index")
def unravel_index(indices, dims, name=None):
    """The coordinates of flat indices, one row for each of the dimensions `dims`.

    >>> ag.unravel_index([5, 7], [3, 3]).numpy().tolist()
    [[1, 2], [2, 1]]
    """
    rest = convert_to_tensor(indices)
    rows = []
    for one in reversed([int(one) for one in dims]):
        rows.append(ops.floor_mod(rest, one))
        rest = ops.floor_divide(rest, one)
    return stack(rows[::-1])


@public("dynamic_stitch")
def dynamic_stitch(indices, data, name=None):
    """The rows of several tensors at the places that `indices` say; later ones win.

    >>> ag.dynamic_stitch([[0, 2], [1]], [[10, 30], [20]]).numpy()
    array([10, 20, 30], dtype=int32)
    """
    places = [convert_to_tensor(one) for one in indices]
    parts = [convert_to_tensor(one) for one in data]
    inner = parts[0].dims[places[0].ndim :]
    flat = concat([reshape(one, [-1, *inner]) for one in parts], 0)
    where_to = concat([reshape(one, [-1]) for one in places], 0)
    start = zeros([reduce_max(where_to) + 1, *inner], flat.dtype)
    return ops.tensor_scatter_nd_update(start, expand_dims(where_to, 1), flat)


@public("math.is_non_decreasing", "is_non_decreasing")
def is_non_decreasing(x, name=None):
    """Whether each element, in row-major order, is at least the one before.

    >>> bool(ag.math.is_non_decreasing([1, 2, 2]))
    True
    """
    flat = reshape(x, [-1])
    return reduce_all(flat[1:] >= flat[:-1])


@public("math.is_strictly_increasing", "is_strictly_increasing")
def is_strictly_increasing(x, name=None):
    """Whether each element, in row-major order, is greater than the one before.

    >>> bool(ag.math.is_strictly_increasing([1, 2, 2]))
    False
    """
    flat = reshape(x, [-1])
    return reduce_all(flat[1:] > flat[:-1])
