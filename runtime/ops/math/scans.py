"""Cumulative sums and products along an axis."""

from __future__ import annotations

import numpy as np

from ...core.axes import normal_axis
from ...core.dtypes import FLOATS, NUMBERS
from ...core.public_names import public
from ...ir.node_properties import has_unknown_shape
from ...tensors.apply import apply, convert_to_tensor
from ...tensors.operation import op, ops
from ...tensors.tensor import Tensor
from ..shape_rules import along_axis
from .reductions import is_vector, static_axis


def _scanned(ufunc, start, x, axis: int, exclusive: bool, reverse: bool):
    """`ufunc` accumulated along an axis; `exclusive` excludes the element itself."""
    axis = normal_axis(axis, x.ndim)
    lines = np.moveaxis(x, axis, 0)
    if reverse:
        lines = lines[::-1]
    scanned = ufunc.accumulate(lines, axis=0, dtype=x.dtype)
    if exclusive and len(scanned):
        first = np.full_like(scanned[:1], start)
        scanned = np.concatenate([first, scanned[:-1]])
    return np.ascontiguousarray(np.moveaxis(scanned[::-1] if reverse else scanned, 0, axis))


@op
class Cumsum:
    """The cumulative sum along `axis`."""

    may_raise = has_unknown_shape
    componentwise = True
    accepts = NUMBERS
    result = along_axis
    hidden = True
    any_length = is_vector

    def kernel(x, *, axis, exclusive, reverse):
        return _scanned(np.add, 0, x, axis, exclusive, reverse)

    def gradient(dy, y, x, *, axis, exclusive, reverse):
        return (Cumsum(dy, axis=axis, exclusive=exclusive, reverse=not reverse),)


@op
class Cumprod:
    """The cumulative product along `axis`."""

    may_raise = has_unknown_shape
    accepts = NUMBERS
    result = along_axis
    hidden = True
    any_length = is_vector

    def kernel(x, *, axis, exclusive, reverse):
        return _scanned(np.multiply, 1, x, axis, exclusive, reverse)

    def gradient(dy, y, x, *, axis, exclusive, reverse):
        total = Cumsum(dy * y, axis=axis, exclusive=exclusive, reverse=not reverse)
        return (total / x,)


@op
class CumulativeLogsumexp:
    """The logarithm of the cumulative sum of exponentials along `axis`."""

    may_raise = has_unknown_shape
    accepts = FLOATS
    result = along_axis
    hidden = True
    any_length = is_vector

    def kernel(x, *, axis, exclusive, reverse):
        return _scanned(np.logaddexp, -np.inf, x, axis, exclusive, reverse)

    def gradient(dy, y, x, *, axis, exclusive, reverse):
        finite = ops.is_finite(y)
        shares = ops.select(finite, dy * ops.exp(-ops.select(finite, y, 0)), 0)
        total = Cumsum(shares, axis=axis, exclusive=exclusive, reverse=not reverse)
        return (total * ops.exp(x),)


def _scan(op_of, x, axis, exclusive, reverse) -> Tensor:
    attrs = {"axis": static_axis(axis), "exclusive": bool(exclusive), "reverse": bool(reverse)}
    return apply(op_of, (convert_to_tensor(x),), attrs)


@public("cumsum", "math.cumsum")
def cumsum(x, axis=0, exclusive=False, reverse=False, name=None):
    """The cumulative sum along `axis`, with the shape and dtype of `x`.

    `exclusive=True` excludes the element itself. `reverse=True` accumulates from the end.

    >>> ag.cumsum([1, 2, 3]).numpy()
    array([1, 3, 6], dtype=int32)
    >>> ag.cumsum([1, 2, 3], exclusive=True).numpy()
    array([0, 1, 3], dtype=int32)
    """
    return _scan(Cumsum, x, axis, exclusive, reverse)


@public("math.cumprod")
def cumprod(x, axis=0, exclusive=False, reverse=False, name=None):
    """The cumulative product along `axis`, with the shape and dtype of `x`.

    `exclusive=True` excludes the element itself. `reverse=True` accumulates from the end.

    >>> ag.math.cumprod([2, 3, 4], reverse=True).numpy()
    array([24, 12,  4], dtype=int32)
    """
    return _scan(Cumprod, x, axis, exclusive, reverse)


@public("math.cumulative_logsumexp")
def cumulative_logsumexp(x, axis=0, exclusive=False, reverse=False, name=None):
    """The logarithm of the cumulative sum of `exp(x)` along `axis`, without overflow.

    `exclusive=True` excludes the element itself. `reverse=True` accumulates from the end.

    >>> ag.math.cumulative_logsumexp([0.0, 0.0]).numpy().round(3)
    array([0.   , 0.693], dtype=float32)
    """
    return _scan(CumulativeLogsumexp, x, axis, exclusive, reverse)
