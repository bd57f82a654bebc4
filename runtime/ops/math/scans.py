"""Running sums and products along an axis."""

from __future__ import annotations

import numpy as np

from ...core.axes import normal_axis
from ...core.dtypes import FLOATS, NUMBERS
from ...core.public_names import public
from ...tensors.apply import apply, convert_to_tensor
from ...tensors.operation import op, ops
from ...tensors.tensor import Tensor
from ..shape_rules import along_axis
from .reductions import static_axis


def _scanned(ufunc, start, x, axis: int, exclusive: bool, reverse: bool):
    """`ufunc` over all elements up to each one; `exclusive` leaves the element itself out."""
    axis = normal_axis(axis, x.ndim)
    lines = np.moveaxis(x, axis, 0)
    if reverse:
        lines = lines[::-1]
    made = ufunc.accumulate(lines, axis=0, dtype=x.dtype)
    if exclusive and len(made):
        first = np.full_like(made[:1], start)
        made = np.concatenate([first, made[:-1]])
    return np.ascontiguousarray(np.moveaxis(made[::-1] if reverse else made, 0, axis))


@op
class Cumsum:
    """The running sum along `axis`."""

    accepts = NUMBERS
    result = along_axis
    hidden = True

    def kernel(x, *, axis, exclusive, reverse):
        return _scanned(np.add, 0, x, axis, exclusive, reverse)

    def gradient(dy, y, x, *, axis, exclusive, reverse):
        return (Cumsum(dy, axis=axis, exclusive=exclusive, reverse=not reverse),)


@op
class Cumprod:
    """The running product along `axis`."""

    accepts = NUMBERS
    result = along_axis
    hidden = True

    def kernel(x, *, axis, exclusive, reverse):
        return _scanned(np.multiply, 1, x, axis, exclusive, reverse)

    def gradient(dy, y, x, *, axis, exclusive, reverse):
        added = Cumsum(dy * y, axis=axis, exclusive=exclusive, reverse=not reverse)
        return (added / x,)


@op
class CumulativeLogsumexp:
    """The logarithm of the running sum of exponentials along `axis`."""

    accepts = FLOATS
    result = along_axis
    hidden = True

    def kernel(x, *, axis, exclusive, reverse):
        return _scanned(np.logaddexp, -np.inf, x, axis, exclusive, reverse)

    def gradient(dy, y, x, *, axis, exclusive, reverse):
        finite = ops.is_finite(y)
        shares = ops.select(finite, dy * ops.exp(-ops.select(finite, y, 0)), 0)
        added = Cumsum(shares, axis=axis, exclusive=exclusive, reverse=not reverse)
        return (added * ops.exp(x),)


def _scan(op_of, x, axis, exclusive, reverse) -> Tensor:
    attrs = {"axis": static_axis(axis), "exclusive": bool(exclusive), "reverse": bool(reverse)}
    return apply(op_of, (convert_to_tensor(x),), attrs)


@public("cumsum", "math.cumsum")
def cumsum(x, axis=0, exclusive=False, reverse=False, name=None):
    """The running sum along `axis`; `exclusive` leaves out the element, `reverse` runs back.

    >>> ag.cumsum([1, 2, 3]).numpy()
    array([1, 3, 6], dtype=int32)
    >>> ag.cumsum([1, 2, 3], exclusive=True).numpy()
    array([0, 1, 3], dtype=int32)
    """
    return _scan(Cumsum, x, axis, exclusive, reverse)


@public("math.cumprod")
def cumprod(x, axis=0, exclusive=False, reverse=False, name=None):
    """The running product along `axis`; `exclusive` leaves out the element, `reverse` runs back.

    >>> ag.math.cumprod([2, 3, 4], reverse=True).numpy()
    array([24, 12,  4], dtype=int32)
    """
    return _scan(Cumprod, x, axis, exclusive, reverse)


@public("math.cumulative_logsumexp")
def cumulative_logsumexp(x, axis=0, exclusive=False, reverse=False, name=None):
    """The logarithm of the running sum of `exp(x)` along `axis`, without overflow.

    >>> ag.math.cumulative_logsumexp([0.0, 0.0]).numpy().round(3)
    array([0.   , 0.693], dtype=float32)
    """
    return _scan(CumulativeLogsumexp, x, axis, exclusive, reverse)
