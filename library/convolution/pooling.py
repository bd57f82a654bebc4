"""Max and average pooling, and the operations of their gradients."""

from __future__ import annotations

import numpy as np

from ... import gather, int64, reshape, shape
from ...extend.errors import ShapeError
from ...extend.operations import (
    FLOATS,
    INTEGERS,
    REALS,
    Spec,
    constant_dimensions,
    has_unknown_shape,
    hidden_op,
)
from ...extend.specs import lowest_of, show
from .window_geometry import windows


def _geometry(sizes, ksize, strides, padding):
    """The windows over an array of these sizes. Raises ShapeError for a wrong rank."""
    if len(sizes) != len(ksize) + 2:
        raise ShapeError(
            f"pooling: an array of shape {show(tuple(sizes))}, windows over {len(ksize)} axes",
            "The array is [batch, *space, channels].",
        )
    return windows(sizes[1:-1], ksize, strides, padding)


def _pooled_shape(x, ksize, strides, padding):
    if x is None:
        return (None,) * (len(ksize) + 2)
    return (x[0], *_geometry(x, ksize, strides, padding).counts, x[-1])


def _pooled(x, *, ksize, strides, padding):
    return Spec(x.dtype, _pooled_shape(x.shape, ksize, strides, padding))


@hidden_op
class MaxPool:
    """The largest element of each window; padding is excluded."""

    may_raise = has_unknown_shape
    accepts = REALS
    result = _pooled

    def kernel(x, *, ksize, strides, padding):
        geometry = _geometry(x.shape, ksize, strides, padding)
        padded = geometry.padded(x, lowest_of(x.dtype))
        result = None
        for window in geometry.places():
            result = padded[window].copy() if result is None else np.maximum(result, padded[window])
        return result

    def gradient(dy, y, x, **attrs):
        return [MaxPoolGradient(x, y, dy, **attrs)]


@hidden_op
class MaxPoolGradient:
    """The gradient of max pooling: each cotangent goes to the first maximum of its window."""

    accepts = REALS

    def kernel(x, y, dy, *, ksize, strides, padding):
        geometry = _geometry(x.shape, ksize, strides, padding)
        padded = geometry.padded(x, lowest_of(x.dtype))
        result, open_windows = np.zeros(padded.shape, x.dtype), np.ones(y.shape, bool)
        for window in geometry.places():
            chosen = open_windows & (padded[window] == y)
            result[window] += np.where(chosen, dy, 0)
            open_windows &= ~chosen
        return np.ascontiguousarray(geometry.cropped(result))

    def result(x, y, dy, *, ksize, strides, padding):
        return Spec(x.dtype, x.shape)

    def gradient(g, y, x, pooled, dy, **attrs):
        return None, None, gather(reshape(g, [-1]), MaxPoolPlaces(x, pooled, **attrs))


@hidden_op
class MaxPoolPlaces:
    """The flat index in `x` of the first maximum of each window."""

    accepts = REALS

    def kernel(x, y, *, ksize, strides, padding):
        geometry = _geometry(x.shape, ksize, strides, padding)
        padded = geometry.padded(x, lowest_of(x.dtype))
        positions = geometry.padded(np.arange(x.size, dtype=np.int64).reshape(x.shape))
        result, open_windows = np.zeros(y.shape, np.int64), np.ones(y.shape, bool)
        for window in geometry.places():
            chosen = open_windows & (padded[window] == y)
            result = np.where(chosen, positions[window], result)
            open_windows &= ~chosen
        return result

    def result(x, y, *, ksize, strides, padding):
        return Spec(int64, _pooled_shape(x.shape, ksize, strides, padding))


def _shares(geometry, sizes, dtype):
    """The number of elements of each window, without padding."""
    ones = geometry.padded(np.ones((1, *sizes[1:-1], 1), dtype))
    return sum(ones[window] for window in geometry.places())


@hidden_op
class AvgPool:
    """The mean of each window; padding is excluded."""

    may_raise = has_unknown_shape
    accepts = FLOATS
    result = _pooled

    def kernel(x, *, ksize, strides, padding):
        geometry = _geometry(x.shape, ksize, strides, padding)
        padded = geometry.padded(x)
        total = sum(padded[window] for window in geometry.places())
        return (total / _shares(geometry, x.shape, x.dtype)).astype(x.dtype, copy=False)

    def gradient(dy, y, x, **attrs):
        return [AvgPoolGradient(shape(x), dy, **attrs)]


@hidden_op
class AvgPoolGradient:
    """The gradient of average pooling: each cotangent is divided equally within its window."""

    accepts = {"sizes": INTEGERS, "dy": FLOATS}

    def kernel(sizes, dy, *, ksize, strides, padding):
        sizes = tuple(sizes.tolist())
        geometry = _geometry(sizes, ksize, strides, padding)
        share = (dy / _shares(geometry, sizes, dy.dtype)).astype(dy.dtype, copy=False)
        result = np.zeros(geometry.padded_shape(sizes), dy.dtype)
        for window in geometry.places():
            result[window] += share
        return np.ascontiguousarray(geometry.cropped(result))

    def result(sizes, dy, *, ksize, strides, padding):
        return Spec(dy.dtype, constant_dimensions(sizes) or (None,) * (len(ksize) + 2))

    def gradient(g, y, sizes, dy, **attrs):
        return None, AvgPool(g, **attrs)
