"""Convolution over any number of axes, and the two operations that its gradients are.

Arrays have the shape [batch, *space, channels], filters [*sizes, channels / groups, out channels].
A convolution is a matrix product: a row for each window, a column for each output channel. Rows
are made for a block of windows at a time, which stays in the processor's cache. Where each channel
has filters of its own, one position of all windows after another is multiplied and added instead.
"""

from __future__ import annotations

import math

import numpy as np

from ...core.dtypes import FLOATS, INTEGERS
from ...core.errors import ShapeError
from ...core.shapes import is_compatible, show
from ...ir.constant_values import known_dimensions
from ...ir.op import Spec
from ...ir.window_geometry import windows
from ...tensors.operation import op
from ..array.shape_ops import shape

BLOCK = 12 << 20  # bytes of windows that are copied at once


def _blocks(x, found, groups: int):
    """Some windows after others: where their outputs are, [batch, first axis], and the windows as
    matrices, one a group: [groups, windows, positions * channels / groups].
    """
    view, positions, inner = found.view(x), math.prod(found.sizes), x.shape[-1] // groups
    line = math.prod(found.counts[1:]) * positions * x.shape[-1] * x.itemsize
    lines = max(1, BLOCK // max(line, 1))
    images = max(1, lines // max(found.counts[0], 1))
    for image in range(0, x.shape[0], images):
        for first in range(0, found.counts[0], lines):
            place = slice(image, image + images), slice(first, first + lines)
            count = math.prod(view[place].shape[: len(found.counts) + 1])
            rows = view[place].reshape(count, positions, groups, inner)
            yield place, rows.transpose(2, 0, 1, 3).reshape(groups, count, positions * inner)


def _grouped_filters(filters, groups: int):
    """Filters as matrices, one a group: [groups, positions * channels / groups, out / groups]."""
    positions, (inner, out) = math.prod(filters.shape[:-2]), filters.shape[-2:]
    split = filters.reshape(positions * inner, groups, out // groups)
    return split.transpose(1, 0, 2)


def _grouped_outputs(y, groups: int):
    """Outputs as matrices, one a group: [groups, windows, out / groups]."""
    rows = y.reshape(math.prod(y.shape[:-1]), groups, y.shape[-1] // groups)
    return rows.transpose(1, 0, 2)


def _is_depthwise(filters, groups: int) -> bool:
    """Whether each channel has filters of its own."""
    return groups > 1 and filters[-2] == 1


def _check(x, filters, groups: int) -> None:
    """ShapeError unless the filters fit the array."""
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
    found = windows(x[1:-1], filters[:-2], strides, padding, dilations)
    return (x[0], *found.counts, filters[-1])


@op
class Convolution:
    """For each window of `x` the sums of products with every filter."""

    accepts = FLOATS
    hidden = True

    def kernel(x, filters, *, strides, padding, dilations, groups):
        _check(x.shape, filters.shape, groups)
        found = windows(x.shape[1:-1], filters.shape[:-2], strides, padding, dilations)
        padded, weights = found.padded(x), _grouped_filters(filters, groups)
        made = np.zeros((x.shape[0], *found.counts, filters.shape[-1]), x.dtype)
        if _is_depthwise(filters.shape, groups):
            by_channel = made.reshape(*made.shape[:-1], groups, -1)
            by_position = filters.reshape(-1, groups, by_channel.shape[-1])
            for place, weight in zip(found.places(), by_position, strict=True):
                by_channel += padded[place][..., None] * weight
            return made
        for place, rows in _blocks(padded, found, groups):
            part = made[place]
            part[...] = np.matmul(rows, weights).transpose(1, 0, 2).reshape(part.shape)
        return made

    def result(x, filters, *, strides, padding, dilations, groups):
        sizes = _convolved_shape(x.shape, filters.shape, strides, padding, dilations, groups)
        return Spec(x.dtype, sizes)

    def flops(made, x, filters):
        return 2 * math.prod(made) * math.prod(filters[:-1])

    def gradient(dy, y, x, filters, **attrs):
        return (
            ConvolutionInput(shape(x), filters, dy, **attrs),
            ConvolutionFilters(x, shape(filters), dy, **attrs),
        )


@op
class ConvolutionInput:
    """The gradient of a convolution in its array: every output, spread over its window."""

    accepts = {"sizes": INTEGERS, "filters": FLOATS, "dy": FLOATS}
    hidden = True

    def kernel(sizes, filters, dy, *, strides, padding, dilations, groups):
        sizes = tuple(sizes.tolist())
        _check_outputs(sizes, filters.shape, dy.shape, (strides, padding, dilations, groups))
        found = windows(sizes[1:-1], filters.shape[:-2], strides, padding, dilations)
        inner, outputs = filters.shape[-2], _grouped_outputs(dy, groups)
        by_position = filters.reshape(-1, inner, groups, filters.shape[-1] // groups)
        made = np.zeros(found.padded_shape(sizes), dy.dtype)
        if _is_depthwise(filters.shape, groups):
            by_channel = dy.reshape(*dy.shape[:-1], groups, -1)
            weights = filters.reshape(-1, groups, by_channel.shape[-1])
            for weight, place in zip(weights, found.places(), strict=True):
                made[place] += (by_channel * weight).sum(-1)
            return np.ascontiguousarray(found.cropped(made))
        by_group = made.reshape(*made.shape[:-1], groups, inner)
        for turned, place in zip(by_position.transpose(0, 2, 3, 1), found.places(), strict=True):
            spread = np.matmul(outputs, turned)  # no larger than one position of all windows
            by_group[place] += np.moveaxis(spread, 0, 1).reshape(*dy.shape[:-1], groups, inner)
        return np.ascontiguousarray(found.cropped(made))

    def result(sizes, filters, dy, *, strides, padding, dilations, groups):
        known = known_dimensions(sizes)
        rest = (strides, padding, dilations, groups)
        if known is not None:
            _check_outputs(known, filters.shape, dy.shape, rest)
        return Spec(dy.dtype, known or (None,) * (len(strides) + 2))

    def flops(made, sizes, filters, dy):
        return 2 * math.prod(dy) * math.prod(filters[:-1])

    def gradient(g, y, sizes, filters, dy, **attrs):
        return (
            None,
            ConvolutionFilters(g, shape(filters), dy, **attrs),
            Convolution(g, filters, **attrs),
        )


@op
class ConvolutionFilters:
    """The gradient of a convolution in its filters: windows times what came out of them."""

    accepts = {"x": FLOATS, "sizes": INTEGERS, "dy": FLOATS}
    hidden = True

    def kernel(x, sizes, dy, *, strides, padding, dilations, groups):
        sizes = tuple(sizes.tolist())
        _check_outputs(x.shape, sizes, dy.shape, (strides, padding, dilations, groups))
        found = windows(x.shape[1:-1], sizes[:-2], strides, padding, dilations)
        padded, inner = found.padded(x), x.shape[-1] // groups
        if _is_depthwise(sizes, groups):
            back = dy.reshape(-1, groups, sizes[-1] // groups)
            pairs = (padded[place].reshape(-1, groups) for place in found.places())
            rows = [(given[..., None] * back).sum(0) for given in pairs]
            return np.stack(rows).reshape(sizes).astype(dy.dtype, copy=False)
        width = math.prod(found.sizes) * inner
        made = np.zeros((groups, width, sizes[-1] // groups), dy.dtype)
        for place, rows in _blocks(padded, found, groups):
            made += np.matmul(rows.transpose(0, 2, 1), _grouped_outputs(dy[place], groups))
        return made.transpose(1, 0, 2).reshape(sizes)

    def result(x, sizes, dy, *, strides, padding, dilations, groups):
        known = known_dimensions(sizes)
        if known is not None:
            _check_outputs(x.shape, known, dy.shape, (strides, padding, dilations, groups))
        return Spec(dy.dtype, known or (None,) * (len(strides) + 2))

    def flops(made, x, sizes, dy):
        return 2 * math.prod(dy) * math.prod(made[:-1])

    def gradient(g, y, x, sizes, dy, **attrs):
        return ConvolutionInput(shape(x), g, dy, **attrs), None, Convolution(x, g, **attrs)


def _check_outputs(x, filters, dy, rest) -> None:
    """ShapeError unless the convolution of these shapes gives the shape of `dy`."""
    expected = _convolved_shape(x, filters, *rest)
    if dy is not None and not is_compatible(dy, expected):
        raise ShapeError(
            f"convolution: outputs of shape {show(dy)}, where an array of shape {show(x)} gives "
            f"{show(expected)}"
        )
