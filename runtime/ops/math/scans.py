"""Cumulative sums and products along an axis."""

from __future__ import annotations

from itertools import accumulate

import numpy as np

from ...core.dtypes import COMPLEX, FLOATS, NUMBERS
from ...core.shapes import normal_axis
from ...ir.node_properties import has_unknown_shape
from ...tensors.apply import apply, convert_to_tensor
from ...tensors.operation import hidden_op, ops
from ...tensors.tensor import Tensor
from ..gradient_helpers import through, zeros_like
from ..shape_rules import along_axis
from .reductions import exposed_as, is_vector, static_axis


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


@hidden_op
class Cumsum:
    """The cumulative sum along `axis`, with the shape and dtype of `x`.

    `exclusive=True` excludes the element itself. `reverse=True` accumulates from the end.

    >>> ag.cumsum([1, 2, 3]).numpy()
    array([1, 3, 6], dtype=int32)
    >>> ag.cumsum([1, 2, 3], exclusive=True).numpy()
    array([0, 1, 3], dtype=int32)
    """

    may_raise = has_unknown_shape
    componentwise = True
    accepts = NUMBERS
    result = along_axis
    any_length = is_vector

    def kernel(x, *, axis, exclusive, reverse):
        return _scanned(np.add, 0, x, axis, exclusive, reverse)

    def gradient(dy, y, x, *, axis, exclusive, reverse):
        return (Cumsum(dy, axis=axis, exclusive=exclusive, reverse=not reverse),)


@hidden_op
class Cumprod:
    """The cumulative product along `axis`, with the shape and dtype of `x`.

    `exclusive=True` excludes the element itself. `reverse=True` accumulates from the end.

    >>> ag.math.cumprod([2, 3, 4], reverse=True).numpy()
    array([24, 12,  4], dtype=int32)
    """

    may_raise = has_unknown_shape
    accepts = NUMBERS
    result = along_axis
    any_length = is_vector

    def kernel(x, *, axis, exclusive, reverse):
        return _scanned(np.multiply, 1, x, axis, exclusive, reverse)

    def gradient(dy, y, x, *, axis, exclusive, reverse):
        before = y if exclusive else Cumprod(x, axis=axis, exclusive=True, reverse=reverse)
        weights = following(dy, axis, reverse) if exclusive else dy
        return (before * LinearRecurrence(x, weights, axis=axis, reverse=not reverse),)


def following(x, axis: int, reverse: bool):
    """For each element the next one along an axis, 0 for the last; the one before if `reverse`."""
    lead = (slice(None),) * normal_axis(axis, len(x.dims))
    zero = zeros_like(x[(*lead, slice(1))])
    rest = x[(*lead, slice(-1) if reverse else slice(1, None))]
    return ops.concat(*((zero, rest) if reverse else (rest, zero)), axis=axis)


@hidden_op
class LinearRecurrence:
    """`h[t] = y[t] + x[t - 1] * h[t - 1]` along `axis`; with `t + 1` for `t - 1` if `reverse`."""

    may_raise = has_unknown_shape
    accepts = FLOATS | COMPLEX
    any_length = is_vector

    def kernel(x, y, *, axis, reverse):
        step = -1 if reverse else 1
        factors, terms = (np.moveaxis(array, axis, 0)[::step] for array in (x, y))
        result = np.empty(x.shape, x.dtype)
        rows = np.moveaxis(result, axis, 0)[::step]
        if x.ndim == 1:  # numbers of Python take less time than arrays of one element
            pairs = zip(terms.tolist(), [0.0, *factors.tolist()], strict=False)
            _, *rows[:] = accumulate(pairs, lambda h, pair: pair[0] + pair[1] * h, initial=0.0)
            return result
        so_far = 0
        for row, factor, term in zip(rows, factors, terms, strict=True):
            row[...] = so_far + term
            so_far = row * factor
        return result

    def result(x, y, *, axis, reverse):
        return along_axis(x, axis=axis)

    def gradient(dh, h, x, y, *, axis, reverse):
        weights = following(dh, axis, reverse)
        later = LinearRecurrence(x, weights, axis=axis, reverse=not reverse)
        return h * later, dh + x * later


@hidden_op
class CumulativeLogsumexp:
    """The logarithm of the cumulative sum of `exp(x)` along `axis`, without overflow.

    `exclusive=True` excludes the element itself. `reverse=True` accumulates from the end.

    >>> ag.math.cumulative_logsumexp([0.0, 0.0]).numpy().round(3)
    array([0.   , 0.693], dtype=float32)
    """

    may_raise = has_unknown_shape
    accepts = FLOATS
    result = along_axis
    any_length = is_vector

    def kernel(x, *, axis, exclusive, reverse):
        return _scanned(np.logaddexp, -np.inf, x, axis, exclusive, reverse)

    def gradient(dy, y, x, *, axis, exclusive, reverse):
        attrs = {"axis": axis, "reverse": reverse}
        before = y if exclusive else CumulativeLogsumexp(x, exclusive=True, **attrs)
        total = CumulativeLogsumexp(x, exclusive=False, **attrs) if exclusive else y
        finite = ops.is_finite(total)
        level = ops.select(finite, total, 0)
        weights = following(dy, axis, reverse) if exclusive else dy
        kept = ops.select(finite, ops.exp(before - level), 0)  # the share of what was before
        later = LinearRecurrence(kept, weights, axis=axis, reverse=not reverse)
        return (through(later, ops.exp(x - level)),)


def _scan_of(op_of, *names: str):
    """The public function of a scan."""

    def scan(x, axis=0, exclusive=False, reverse=False, name=None) -> Tensor:
        attrs = {"axis": static_axis(axis), "exclusive": bool(exclusive), "reverse": bool(reverse)}
        return apply(op_of, (convert_to_tensor(x),), attrs)

    return exposed_as(op_of, scan, *names)


cumsum = _scan_of(Cumsum, "cumsum", "math.cumsum")
cumprod = _scan_of(Cumprod, "math.cumprod")
cumulative_logsumexp = _scan_of(CumulativeLogsumexp, "math.cumulative_logsumexp")
