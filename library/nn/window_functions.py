"""Windows of images: morphology, pooling of fractional ratios, gradients of convolutions."""

from __future__ import annotations

import math

import numpy as np

from ... import (
    argsort,
    cast,
    concat,
    convert_to_tensor,
    cumsum,
    gather,
    int64,
    pad,
    random,
    reduce_max,
    reduce_sum,
    reshape,
    where,
)
from ...extend.errors import ShapeError
from ...extend.operations import apply, ops
from ...extend.registration import public
from ...extend.specs import show
from ..convolution.convolution import ConvolutionFilters, ConvolutionInput
from .convolutions import padding_of, per_axis

# ---- morphology ------------------------------------------------------------------------------


@public("nn.dilation2d")
def dilation2d(input, filters, strides, padding, data_format, dilations, name=None):
    """The largest sum of a filter and a window of images: gray-scale dilation.

    `input` has the shape [batch, height, width, channels], `filters` [height, width, channels].
    `strides` and `dilations` are a number, or a number for each axis.

    >>> x = ag.reshape(ag.constant([1.0, 5.0, 2.0]), [1, 1, 3, 1])
    >>> ag.nn.dilation2d(x, ag.zeros([1, 2, 1]), 1, "VALID", "NHWC", 1).numpy().ravel()
    array([5., 5.], dtype=float32)
    """
    if data_format != "NHWC":
        raise ValueError(f"dilation2d: data_format is 'NHWC', not {data_format!r}")
    x = convert_to_tensor(input)
    filters = convert_to_tensor(filters, dtype_hint=x.dtype)
    if None in (*x.dims[1:3], *filters.dims[:2]):
        raise ShapeError(f"dilation2d: height and width of {show(x.dims)} have to be known")
    strides = per_axis(strides, 2, "strides")
    gaps = per_axis(dilations, 2, "dilations")
    spans = [(size - 1) * gap + 1 for size, gap in zip(filters.dims[:2], gaps, strict=True)]
    counts = []
    for axis, (span, stride) in enumerate(zip(spans, strides, strict=True), 1):
        size = x.dims[axis]
        counts.append(-(-size // stride) if padding == "SAME" else (size - span) // stride + 1)
        if padding == "SAME":
            missing = max((counts[-1] - 1) * stride + span - size, 0)
            around = [[0, 0]] * 4
            around[axis] = [missing // 2, missing - missing // 2]
            x = pad(x, around, constant_values=-math.inf)
    result = None
    for row, column in np.ndindex(*filters.dims[:2]):
        starts = row * gaps[0], column * gaps[1]
        window = [
            slice(start, start + (count - 1) * stride + 1, stride)
            for start, count, stride in zip(starts, counts, strides, strict=True)
        ]
        sums = x[(slice(None), *window)] + filters[row, column]
        result = sums if result is None else ops.maximum(result, sums)
    return result


@public("nn.erosion2d")
def erosion2d(value, filters, strides, padding, data_format, dilations, name=None):
    """The smallest difference of a window of images and the mirrored filter: gray-scale erosion.

    The arguments are those of `nn.dilation2d`.

    >>> x = ag.reshape(ag.constant([1.0, 5.0, 2.0]), [1, 1, 3, 1])
    >>> ag.nn.erosion2d(x, ag.zeros([1, 2, 1]), 1, "VALID", "NHWC", 1).numpy().ravel()
    array([1., 2.], dtype=float32)
    """
    x = convert_to_tensor(value)
    mirrored = ops.reverse(convert_to_tensor(filters, dtype_hint=x.dtype), axis=[0, 1])
    return -dilation2d(-x, mirrored, strides, padding, data_format, dilations)


# ---- pooling of fractional ratios ------------------------------------------------------------


def _boundaries(size: int, ratio: float, pseudo_random: bool, seed):
    """Where random windows along an axis begin, and where the last one ends.

    Source: Graham, "Fractional max-pooling", 2014.
    """
    count = int(size // ratio)
    if pseudo_random:
        share, places = size / count, np.arange(count)
        u = random.uniform([], 0.0, 1.0, "float64", seed=seed)
        starts = ops.floor(share * (convert_to_tensor(places, "float64") + u))
        inner = cast(starts - ops.floor(share * u), int64)
        return concat([inner, [size]], 0)
    lengths = size // count + (np.arange(count) < size % count)
    order = argsort(random.uniform([count], seed=seed))
    ends = cumsum(gather(convert_to_tensor(lengths, int64), order))
    return concat([[0], ends], 0)


def _fractional(value, pooling_ratio, pseudo_random, overlapping, seed, reduce):
    """Pooling along height, then width, and the boundaries of the windows of both."""
    x = convert_to_tensor(value)
    if isinstance(pooling_ratio, (int, float)):
        pooling_ratio = [pooling_ratio] * 2
    ratios = [float(one) for one in pooling_ratio]
    ratios = [1.0, *ratios, 1.0] if len(ratios) == 2 else ratios
    if min(ratios) < 1 or (ratios[0], ratios[3]) != (1.0, 1.0):
        raise ValueError(f"pooling ratios are at least 1, and 1 for batches, not {pooling_ratio}")
    found = []
    for axis in (1, 2):
        size = x.dims[axis]
        if size is None:
            raise ShapeError(f"fractional pooling: the sizes of {show(x.dims)} have to be known")
        boundaries = _boundaries(size, ratios[axis], pseudo_random, seed)
        found.append(boundaries)
        longest = math.ceil(ratios[axis]) + 1 + overlapping
        starts, ends = boundaries[:-1], boundaries[1:] + int(overlapping)
        ends = ops.minimum(ends, size)
        places = starts[:, None] + convert_to_tensor(np.arange(longest), int64)
        inside = reshape(places < ends[:, None], [-1, longest] + [1] * (3 - axis))
        windows = gather(x, ops.minimum(places, size - 1), axis=axis)
        x = reduce(windows, inside, axis + 1)
    return x, found[0], found[1]


@public("nn.fractional_max_pool")
def fractional_max_pool(
    value, pooling_ratio, pseudo_random=False, overlapping=False, seed=0, name=None
):
    """The largest elements of windows of random sizes, about `pooling_ratio` pixels wide.

    The result is the pooled images, and the boundaries of the windows along height and width.
    `overlapping` windows share the pixels at their boundaries.

    >>> pooled, rows, columns = ag.nn.fractional_max_pool(ag.ones([1, 6, 9, 1]), 1.5)
    >>> pooled.shape, rows.shape, int(rows[0]), int(columns[-1])
    (TensorShape([1, 4, 6, 1]), TensorShape([5]), 0, 9)
    """

    def largest(windows, inside, axis):
        return reduce_max(where(inside, windows, float("-inf")), axis)

    return _fractional(value, pooling_ratio, pseudo_random, overlapping, seed or None, largest)


@public("nn.fractional_avg_pool")
def fractional_avg_pool(
    value, pooling_ratio, pseudo_random=False, overlapping=False, seed=0, name=None
):
    """The means of windows of random sizes; see `nn.fractional_max_pool`.

    >>> ag.nn.fractional_avg_pool(ag.ones([1, 6, 9, 1]), [1.0, 1.5, 1.5, 1.0])[0].shape
    TensorShape([1, 4, 6, 1])
    """

    def mean(windows, inside, axis):
        shares = cast(inside, windows.dtype)
        return reduce_sum(windows * shares, axis) / reduce_sum(shares, 1)

    return _fractional(value, pooling_ratio, pseudo_random, overlapping, seed or None, mean)


# ---- gradients of depthwise convolutions -----------------------------------------------------


def _depthwise(filter_sizes, strides, padding, dilations):
    """The sizes of grouped filters, and the attributes of the convolution."""
    height, width, channels, multiplier = (int(size) for size in filter_sizes)
    attrs = {
        "strides": per_axis(strides, 2, "strides"), "padding": padding_of(padding, 2, False),
        "dilations": per_axis(dilations or 1, 2, "dilations"), "groups": channels,
    }  # fmt: skip
    return [height, width, 1, channels * multiplier], attrs


@public("nn.depthwise_conv2d_backprop_input")
def depthwise_conv2d_backprop_input(
    input_sizes, filter, out_backprop, strides, padding, data_format="NHWC", dilations=None,
    name=None,
):  # fmt: skip
    """The gradient of `nn.depthwise_conv2d` with respect to its images.

    >>> filters, dy = ag.ones([2, 2, 1, 1]), ag.ones([1, 1, 1, 1])
    >>> gradient = ag.nn.depthwise_conv2d_backprop_input([1, 2, 2, 1], filters, dy, 1, "VALID")
    >>> gradient.numpy().ravel()
    array([1., 1., 1., 1.], dtype=float32)
    """
    filters = convert_to_tensor(filter)
    sizes, attrs = _depthwise(filters.dims, strides, padding, dilations)
    operands = convert_to_tensor(input_sizes), reshape(filters, sizes), out_backprop
    return apply(ConvolutionInput, operands, attrs)


@public("nn.depthwise_conv2d_backprop_filter")
def depthwise_conv2d_backprop_filter(
    input, filter_sizes, out_backprop, strides, padding, data_format="NHWC", dilations=None,
    name=None,
):  # fmt: skip
    """The gradient of `nn.depthwise_conv2d` with respect to its filters.

    >>> x, dy = ag.ones([1, 2, 2, 1]), ag.ones([1, 1, 1, 1])
    >>> ag.nn.depthwise_conv2d_backprop_filter(x, [2, 2, 1, 1], dy, 1, "VALID").shape
    TensorShape([2, 2, 1, 1])
    """
    sizes, attrs = _depthwise(filter_sizes, strides, padding, dilations)
    operands = input, convert_to_tensor(sizes), out_backprop
    return reshape(apply(ConvolutionFilters, operands, attrs), filter_sizes)
