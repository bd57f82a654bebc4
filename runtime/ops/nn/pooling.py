"""The largest element and the mean of each window, and the operations that their gradients are."""

from __future__ import annotations

import numpy as np

from ...core.dtypes import FLOATS, INTEGERS, REALS, int64
from ...core.errors import ShapeError
from ...core.numeric_limits import lowest_of
from ...core.shapes import show
from ...ir.constant_values import known_dimensions
from ...ir.op import Spec
from ...ir.window_geometry import windows
from ...tensors.operation import op
from ..array.gathering import gather
from ..array.shape_ops import reshape, shape


def _found(sizes, ksize, strides, padding):
    """The windows over an array of these sizes; ShapeError where its rank is another."""
    if len(sizes) != len(ksize) + 2:
        raise ShapeError(
            f"pooling: an array of shape {show(tuple(sizes))}, windows over {len(ksize)} axes",
            "The array is [batch, *space, channels].",
        )
    return windows(sizes[1:-1], ksize, strides, padding)


def _pooled_shape(x, ksize, strides, padding):
    if x is None:
        return (None,) * (len(ksize) + 2)
    return (x[0], *_found(x, ksize, strides, padding).counts, x[-1])


def _pooled(x, *, ksize, strides, padding):
    return Spec(x.dtype, _pooled_shape(x.shape, ksize, strides, padding))


@op
class MaxPool:
    """The largest element of each window; margins do not count."""

    accepts = REALS
    result = _pooled
    hidden = True

    def kernel(x, *, ksize, strides, padding):
        found = _found(x.shape, ksize, strides, padding)
        padded = found.padded(x, lowest_of(x.dtype))
        made = None
        for place in found.places():
            made = padded[place].copy() if made is None else np.maximum(made, padded[place])
        return made

    def gradient(dy, y, x, **attrs):
        return [MaxPoolGradient(x, y, dy, **attrs)]


@op
class MaxPoolGradient:
    """What came out of each window, added to its first largest element."""

    accepts = REALS
    hidden = True

    def kernel(x, y, dy, *, ksize, strides, padding):
        found = _found(x.shape, ksize, strides, padding)
        padded = found.padded(x, lowest_of(x.dtype))
        made, waiting = np.zeros(padded.shape, x.dtype), np.ones(y.shape, bool)
        for place in found.places():
            chosen = waiting & (padded[place] == y)
            made[place] += np.where(chosen, dy, 0)
            waiting &= ~chosen
        return np.ascontiguousarray(found.cropped(made))

    def result(x, y, dy, *, ksize, strides, padding):
        return Spec(x.dtype, x.shape)

    def gradient(g, y, x, pooled, dy, **attrs):
        return None, None, gather(reshape(g, [-1]), MaxPoolPlaces(x, pooled, **attrs))


@op
class MaxPoolPlaces:
    """Where the first largest element of each window stands in `x` laid out as a vector."""

    accepts = REALS
    hidden = True

    def kernel(x, y, *, ksize, strides, padding):
        found = _found(x.shape, ksize, strides, padding)
        padded = found.padded(x, lowest_of(x.dtype))
        numbers = found.padded(np.arange(x.size, dtype=np.int64).reshape(x.shape))
        made, waiting = np.zeros(y.shape, np.int64), np.ones(y.shape, bool)
        for place in found.places():
            chosen = waiting & (padded[place] == y)
            made = np.where(chosen, numbers[place], made)
            waiting &= ~chosen
        return made

    def result(x, y, *, ksize, strides, padding):
        return Spec(int64, _pooled_shape(x.shape, ksize, strides, padding))


def _shares(found, sizes, dtype):
    """How many elements, without margins, each window holds."""
    ones = found.padded(np.ones((1, *sizes[1:-1], 1), dtype))
    return sum(ones[place] for place in found.places())


@op
class AvgPool:
    """The mean of each window; margins do not count."""

    accepts = FLOATS
    result = _pooled
    hidden = True

    def kernel(x, *, ksize, strides, padding):
        found = _found(x.shape, ksize, strides, padding)
        padded = found.padded(x)
        total = sum(padded[place] for place in found.places())
        return (total / _shares(found, x.shape, x.dtype)).astype(x.dtype, copy=False)

    def gradient(dy, y, x, **attrs):
        return [AvgPoolGradient(shape(x), dy, **attrs)]


@op
class AvgPoolGradient:
    """What came out of each window, in equal shares for its elements."""

    accepts = {"sizes": INTEGERS, "dy": FLOATS}
    hidden = True

    def kernel(sizes, dy, *, ksize, strides, padding):
        sizes = tuple(sizes.tolist())
        found = _found(sizes, ksize, strides, padding)
        share = (dy / _shares(found, sizes, dy.dtype)).astype(dy.dtype, copy=False)
        made = np.zeros(found.padded_shape(sizes), dy.dtype)
        for place in found.places():
            made[place] += share
        return np.ascontiguousarray(found.cropped(made))

    def result(sizes, dy, *, ksize, strides, padding):
        return Spec(dy.dtype, known_dimensions(sizes) or (None,) * (len(ksize) + 2))

    def gradient(g, y, sizes, dy, **attrs):
        return None, AvgPool(g, **attrs)
