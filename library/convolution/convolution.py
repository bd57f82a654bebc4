"""Convolution over any number of spatial axes, and the two operations of its gradients.

Arrays have the shape [batch, *space, channels], filters [*sizes, channels / groups, out channels].
A convolution is a matrix product: a row for each window, a column for each output channel. Rows
are created for a block of windows that fits into the cache. A depthwise convolution multiplies and
adds instead, one filter position of all windows at a time.
"""

from __future__ import annotations

import math

import numpy as np

from ... import shape
from ...extend.errors import ShapeError
from ...extend.kernels import thresholds
from ...extend.operations import (
    FLOATS,
    INTEGERS,
    Spec,
    constant_dimensions,
    has_unknown_shape,
    hidden_op,
)
from ...extend.specs import is_compatible, show
from .window_geometry import windows


def _blocks(x, geometry, groups: int):
    """Blocks of windows: the slices of their outputs, [batch, first axis], and the windows as
    matrices, one for each group: [groups, windows, positions * channels / groups].
    """
    view, positions, inner = geometry.view(x), math.prod(geometry.sizes), x.shape[-1] // groups
    line = math.prod(geometry.counts[1:]) * positions * x.shape[-1] * x.itemsize
    lines = max(1, thresholds.WINDOW_BLOCK // max(line, 1))
    images = max(1, lines // max(geometry.counts[0], 1))
    for image in range(0, x.shape[0], images):
        for first in range(0, geometry.counts[0], lines):
            outputs = slice(image, image + images), slice(first, first + lines)
            count = math.prod(view[outputs].shape[: len(geometry.counts) + 1])
            rows = view[outputs].reshape(count, positions, groups, inner)
            yield outputs, rows.transpose(2, 0, 1, 3).reshape(groups, count, positions * inner)


def _grouped_filters(filters, groups: int):
    """Filters as matrices, one for each group: [groups, positions * channels / groups, out]."""
    positions, (inner, out) = math.prod(filters.shape[:-2]), filters.shape[-2:]
    split = filters.reshape(positions * inner, groups, out // groups)
    return split.transpose(1, 0, 2)


def _grouped_outputs(y, groups: int):
    """Outputs as matrices, one for each group: [groups, windows, out / groups]."""
    rows = y.reshape(math.prod(y.shape[:-1]), groups, y.shape[-1] // groups)
    return rows.transpose(1, 0, 2)


def _is_depthwise(filters, groups: int) -> bool:
    """Whether each channel has its own filters."""
    return groups > 1 and filters[-2] == 1


def _check(x, filters, groups: int) -> None:
    """Raise ShapeError unless the filters fit the array."""
    if x is None or filters is None:
        return
    if len(x) != len(filters) or len(x) < 3:
        raise ShapeError(
            f"convolution: an array of shape {show(x)} and filters of shape {show(filters)}",
            "The array is [batch, *space, channels], the filters [*sizes, channels, outputs].",
        )
    channels, inner, out = x[-1], filters[-2], filters[-1]
    if None not in (channels, inner) and channels != inner * groups:
        raise ShapeError(
            f"convolution: {channels} channels in {show(x)}, but {inner * groups} in the filters "
            f"{show(filters)}"
        )
    if out is not None and out % groups:
        raise ShapeError(f"convolution: {out} output channels are not {groups} groups")


def _convolved_shape(x, filters, strides, padding, dilations, groups):
    _check(x, filters, groups)
    if x is None and filters is None:
        return (None,) * (len(strides) + 2)
    x = x or (None,) * len(filters)
    filters = filters or (None,) * len(x)
    geometry = windows(x[1:-1], filters[:-2], strides, padding, dilations)
    return (x[0], *geometry.counts, filters[-1])


@hidden_op
class Convolution:
    """For each window of `x` the sum of products with each filter."""

    may_raise = has_unknown_shape
    accepts = FLOATS

    def kernel(x, filters, *, strides, padding, dilations, groups):
        _check(x.shape, filters.shape, groups)
        geometry = windows(x.shape[1:-1], filters.shape[:-2], strides, padding, dilations)
        padded, weights = geometry.padded(x), _grouped_filters(filters, groups)
        result = np.zeros((x.shape[0], *geometry.counts, filters.shape[-1]), x.dtype)
        if _is_depthwise(filters.shape, groups):
            by_channel = result.reshape(*result.shape[:-1], groups, -1)
            by_position = filters.reshape(-1, groups, by_channel.shape[-1])
            for window, weight in zip(geometry.places(), by_position, strict=True):
                by_channel += padded[window][..., None] * weight
            return result
        for window, rows in _blocks(padded, geometry, groups):
            outputs = result[window]
            outputs[...] = np.matmul(rows, weights).transpose(1, 0, 2).reshape(outputs.shape)
        return result

    def result(x, filters, *, strides, padding, dilations, groups):
        sizes = _convolved_shape(x.shape, filters.shape, strides, padding, dilations, groups)
        return Spec(x.dtype, sizes)

    def flops(result, x, filters):
        return 2 * math.prod(result) * math.prod(filters[:-1])

    def gradient(dy, y, x, filters, **attrs):
        return (
            ConvolutionInput(shape(x), filters, dy, **attrs),
            ConvolutionFilters(x, shape(filters), dy, **attrs),
        )


@hidden_op
class ConvolutionInput:
    """The gradient of a convolution with respect to its array: a transposed convolution."""

    accepts = {"sizes": INTEGERS, "filters": FLOATS, "dy": FLOATS}

    def kernel(sizes, filters, dy, *, strides, padding, dilations, groups):
        sizes = tuple(sizes.tolist())
        _check_outputs(sizes, filters.shape, dy.shape, (strides, padding, dilations, groups))
        geometry = windows(sizes[1:-1], filters.shape[:-2], strides, padding, dilations)
        inner, outputs = filters.shape[-2], _grouped_outputs(dy, groups)
        by_position = filters.reshape(-1, inner, groups, filters.shape[-1] // groups)
        result = np.zeros(geometry.padded_shape(sizes), dy.dtype)
        if _is_depthwise(filters.shape, groups):
            by_channel = dy.reshape(*dy.shape[:-1], groups, -1)
            weights = filters.reshape(-1, groups, by_channel.shape[-1])
            for weight, window in zip(weights, geometry.places(), strict=True):
                result[window] += (by_channel * weight).sum(-1)
            return np.ascontiguousarray(geometry.cropped(result))
        by_group = result.reshape(*result.shape[:-1], groups, inner)
        for transposed, window in zip(
            by_position.transpose(0, 2, 3, 1), geometry.places(), strict=True
        ):
            spread = np.matmul(outputs, transposed)  # no larger than one position of all windows
            by_group[window] += np.moveaxis(spread, 0, 1).reshape(*dy.shape[:-1], groups, inner)
        return np.ascontiguousarray(geometry.cropped(result))

    def result(sizes, filters, dy, *, strides, padding, dilations, groups):
        static_sizes = constant_dimensions(sizes)
        options = (strides, padding, dilations, groups)
        if static_sizes is not None:
            _check_outputs(static_sizes, filters.shape, dy.shape, options)
        return Spec(dy.dtype, static_sizes or (None,) * (len(strides) + 2))

    def flops(result, sizes, filters, dy):
        return 2 * math.prod(dy) * math.prod(filters[:-1])

    def gradient(g, y, sizes, filters, dy, **attrs):
        return (
            None,
            ConvolutionFilters(g, shape(filters), dy, **attrs),
            Convolution(g, filters, **attrs),
        )


@hidden_op
class ConvolutionFilters:
    """The gradient of a convolution with respect to its filters: windows times cotangents."""

    accepts = {"x": FLOATS, "sizes": INTEGERS, "dy": FLOATS}

    def kernel(x, sizes, dy, *, strides, padding, dilations, groups):
        sizes = tuple(sizes.tolist())
        _check_outputs(x.shape, sizes, dy.shape, (strides, padding, dilations, groups))
        geometry = windows(x.shape[1:-1], sizes[:-2], strides, padding, dilations)
        padded, inner = geometry.padded(x), x.shape[-1] // groups
        if _is_depthwise(sizes, groups):
            outputs = dy.reshape(-1, groups, sizes[-1] // groups)
            pairs = (padded[window].reshape(-1, groups) for window in geometry.places())
            rows = [(window_values[..., None] * outputs).sum(0) for window_values in pairs]
            return np.stack(rows).reshape(sizes).astype(dy.dtype, copy=False)
        width = math.prod(geometry.sizes) * inner
        result = np.zeros((groups, width, sizes[-1] // groups), dy.dtype)
        for window, rows in _blocks(padded, geometry, groups):
            result += np.matmul(rows.transpose(0, 2, 1), _grouped_outputs(dy[window], groups))
        return result.transpose(1, 0, 2).reshape(sizes)

    def result(x, sizes, dy, *, strides, padding, dilations, groups):
        static_sizes = constant_dimensions(sizes)
        if static_sizes is not None:
            _check_outputs(x.shape, static_sizes, dy.shape, (strides, padding, dilations, groups))
        return Spec(dy.dtype, static_sizes or (None,) * (len(strides) + 2))

    def flops(result, x, sizes, dy):
        return 2 * math.prod(dy) * math.prod(result[:-1])

    def gradient(g, y, x, sizes, dy, **attrs):
        return ConvolutionInput(shape(x), g, dy, **attrs), None, Convolution(x, g, **attrs)


def _check_outputs(x, filters, dy, options) -> None:
    """Raise ShapeError unless the convolution of these shapes has the shape of `dy`."""
    expected = _convolved_shape(x, filters, *options)
    if dy is not None and not is_compatible(dy, expected):
        raise ShapeError(
            f"convolution: outputs of shape {show(dy)}, where an array of shape {show(x)} gives "
            f"{show(expected)}"
        )
