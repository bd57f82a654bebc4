"""NumPy's reductions and scans, implemented with operations of the package."""

from __future__ import annotations

import math

import numpy as np

from ... import Tensor
from ...extend.errors import InvalidArgumentError, UnimplementedError
from ...extend.operations import (
    ag,
    as_bool,
    axis_of,
    computed_by,
    floating,
    of_numpy,
    promoted,
    rank_of,
    sizes_of,
    traces,
    zero,
)
from ...extend.operations import numpy_tensor as tensor


def _flat(value):
    return ag.reshape(tensor(value), [-1])


@traces(np.sum, result="new")
def sum_(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True):
    return ag.reduce_sum(computed_by(np.sum, a, dtype), axis=axis, keepdims=keepdims)


@traces(np.prod, result="new")
def prod(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True):
    return ag.reduce_prod(computed_by(np.prod, a, dtype), axis=axis, keepdims=keepdims)


@traces(np.mean, result="new")
def mean(a, axis=None, dtype=None, out=None, keepdims=False, where=True):
    x = computed_by(np.mean, a, dtype)
    if not x.dtype.is_integer:
        return ag.reduce_mean(x, axis=axis, keepdims=keepdims)
    total = ag.reduce_sum(x, axis=axis, keepdims=keepdims)
    sizes = (ag.cast(ag.size(value), "float64") for value in (x, total))
    count = ag.divide(*sizes)
    return ag.cast(ag.divide(ag.cast(total, "float64"), count), x.dtype)  # cut off, as by NumPy


@traces(np.max, np.amax, result="new", needs_elements=True)
def max_(a, axis=None, out=None, keepdims=False, initial=None, where=True):
    return _extreme(ag.reduce_max, a, axis, keepdims)


@traces(np.min, np.amin, result="new", needs_elements=True)
def min_(a, axis=None, out=None, keepdims=False, initial=None, where=True):
    return _extreme(ag.reduce_min, a, axis, keepdims)


def _extreme(reduce, a, axis, keepdims):
    x = tensor(a)
    if not x.dtype.is_bool:
        return reduce(x, axis=axis, keepdims=keepdims)
    return ag.cast(reduce(ag.cast(x, "uint8"), axis=axis, keepdims=keepdims), "bool")


@traces(np.ptp, result="new", needs_elements=True)
def ptp(a, axis=None, out=None, keepdims=False):
    return ag.subtract(max_(a, axis, keepdims=keepdims), min_(a, axis, keepdims=keepdims))


@traces(np.any, result="new")
def any_(a, axis=None, out=None, keepdims=False, where=True):
    return ag.reduce_any(as_bool(a), axis=axis, keepdims=keepdims)


@traces(np.all, result="new")
def all_(a, axis=None, out=None, keepdims=False, where=True):
    return ag.reduce_all(as_bool(a), axis=axis, keepdims=keepdims)


# Whether NumPy counts with integers of Python's, as before its version 2.3.
COUNT = int if type(np.count_nonzero(np.zeros(1))) is int else "new"


@traces(np.count_nonzero, result=COUNT)
def count_nonzero(a, axis=None, keepdims=False):
    return ag.reduce_sum(ag.cast(as_bool(a), "int64"), axis=axis, keepdims=keepdims)


def _deviating(a, dtype) -> Tensor:
    """The operand of a variance in the dtype that it is computed in."""
    x = computed_by(np.mean, a, dtype)
    if dtype is not None and not x.dtype.is_floating:
        raise UnimplementedError(
            f"a variance computed in {x.dtype.name}", "Give dtype= a type of floats."
        )
    return x


@traces(np.var, result="new")
def var(
    a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, where=True, mean=None,
    correction=None,
):  # fmt: skip
    x = _deviating(a, dtype)
    if mean is not None and tensor(a).dtype.is_integer:
        raise UnimplementedError("a variance of integers about a mean")
    middle = ag.reduce_mean(x, axis=axis, keepdims=True) if mean is None else tensor(mean, x.dtype)
    deviations = ag.subtract(x, middle)
    squares = ag.square(ag.abs(deviations)) if x.dtype.is_complex else ag.square(deviations)
    ddof = ddof if correction is None else correction
    if not ddof:
        return ag.reduce_mean(squares, axis=axis, keepdims=keepdims)
    total = ag.reduce_sum(squares, axis=axis, keepdims=keepdims)
    count = _count(x, axis)
    return ag.divide(total, ag.maximum(ag.cast(count - ddof, total.dtype), zero(total.dtype)))


def _count(x, axis):
    """The number of elements that are reduced to one."""
    if axis is None:
        return ag.size(x)
    sizes = sizes_of(x)
    axes = axis if isinstance(axis, (tuple, list)) else (axis,)
    return math.prod(sizes[at] for at in axes)


@traces(np.std, result="new")
def std(
    a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, where=True, mean=None,
    correction=None,
):  # fmt: skip
    return ag.sqrt(var(a, axis, dtype, None, ddof, keepdims, None, mean, correction))


@traces(np.average, returned=(False,), result="new")
def average(a, axis=None, weights=None, returned=False, *, keepdims=False):
    if weights is None:
        return mean(a, axis, keepdims=keepdims)
    x, w = promoted(floating(a), floating(weights))
    if axis is not None and rank_of(w) == 1 and rank_of(x) != 1:
        shape = [1] * rank_of(x)
        shape[axis] = -1
        w = ag.reshape(w, shape)
    w = ag.broadcast_to(w, ag.shape(x))
    total = ag.reduce_sum(ag.multiply(x, w), axis=axis, keepdims=keepdims)
    scale = ag.reduce_sum(w, axis=axis, keepdims=keepdims)
    message = "Weights sum to zero, can't be normalized"
    ag.debugging.Assert(ag.reduce_all(scale != 0), [message], kind=InvalidArgumentError)
    return ag.divide(total, scale)


@traces(np.median, overwrite_input=(False,), result="new")
def median(a, axis=None, out=None, overwrite_input=False, keepdims=False):
    x = floating(a)
    rank = rank_of(x)
    if axis is None:
        x, axis = ag.reshape(x, [-1]), 0
    else:
        axis, rank = axis_of(axis, rank), None
    rows, size = ag.sort(x, axis=axis), sizes_of(x)[axis]
    low, high = (ag.gather(rows, index, axis=axis) for index in ((size - 1) // 2, size // 2))
    # as in NumPy: the mean of the two, or of one, from 0; NaN if there is one (it is sorted last)
    is_odd, zero = ag.equal(size % 2, 1), ag.convert_to_tensor(0, x.dtype)
    mean = ag.divide(ag.add(low, high), ag.convert_to_tensor(2, x.dtype))
    middle = ag.add(ag.where(is_odd, low, mean), zero)
    last = ag.gather(rows, size - 1, axis=axis)
    middle = ag.where(ag.math.is_nan(last), last, middle)
    if not keepdims:
        return middle
    return ag.reshape(middle, [1] * rank) if rank is not None else ag.expand_dims(middle, axis)


@traces(
    np.quantile, method=("linear",), overwrite_input=(False,), result="new", needs_elements=True
)
def quantile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False):
    if isinstance(q, bool):  # NumPy takes the element itself
        raise UnimplementedError("np.quantile of a truth")
    is_weak = type(q) in (int, float)
    x, fractions = tensor(a), ag.convert_to_tensor(q, "float64") if is_weak else floating(q)
    dtype, rank = (floating(x) if is_weak else promoted(x, fractions)[0]).dtype, rank_of(x)
    x, axis = (ag.reshape(x, [-1]), 0) if axis is None else (x, axis_of(axis, rank))
    order = [axis, *(other for other in range(rank_of(x)) if other != axis)]
    rows = ag.sort(ag.transpose(x, order), axis=0)
    unit = ag.convert_to_tensor(1, fractions.dtype)  # in whose type NumPy computes the weights
    most = ag.cast(sizes_of(rows)[0], fractions.dtype) - unit
    position = ag.multiply(fractions, most)
    low = ag.floor(position)
    high = ag.minimum(low + unit, most)  # also where `low` is exact, as in NumPy
    weight = ag.where(position < most, position - low, position + unit)
    weight = ag.reshape(weight, ag.concat([ag.shape(fractions), [1] * (rank_of(rows) - 1)], 0))
    first = ag.gather(rows, ag.cast(low, "int32"), axis=0)
    second = ag.gather(rows, ag.cast(high, "int32"), axis=0)
    step = ag.cast(second - first, dtype)  # in the type of the elements, as in NumPy
    first, second, last = (ag.cast(value, dtype) for value in (first, second, rows[-1]))
    forward, backward = (step * ag.cast(part, dtype) for part in (weight, unit - weight))
    result = ag.where(weight < 0.5, first + forward, second - backward)
    result = ag.where(ag.math.is_nan(last), last, result)  # NaN, if there is one
    if not keepdims:
        return result
    if rank_of(x) != rank:
        return ag.reshape(result, ag.concat([ag.shape(fractions), [1] * rank], 0))
    return ag.expand_dims(result, rank_of(fractions) + axis)


@traces(
    np.percentile, method=("linear",), overwrite_input=(False,), result="new", needs_elements=True
)
def percentile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False):
    if type(q) not in (int, float):
        q = floating(q)
    return quantile(a, q / 100, axis, out, overwrite_input, method, keepdims)


@traces(np.nanmedian, overwrite_input=(False,), result="new", needs_elements=True)
def nanmedian(a, axis=None, out=None, overwrite_input=False, keepdims=False):
    x = floating(a)
    if axis is None:
        x, axis = ag.reshape(x, [-1]), 0
        keepdims = [1] * rank_of(tensor(a)) if keepdims else False
    axis, zero = axis_of(axis, rank_of(x)), ag.convert_to_tensor(0, x.dtype)
    rows = ag.sort(x, axis=axis)  # NaN is sorted last
    present = ag.logical_not(ag.math.is_nan(rows))
    count = ag.reduce_sum(ag.cast(present, "int64"), axis=axis, keepdims=True)
    shape = [1] * axis + [-1] + [1] * (rank_of(x) - 1 - axis)
    places = ag.reshape(ag.range(ag.cast(sizes_of(x)[axis], "int64")), shape)
    low, high = (
        ag.reduce_sum(ag.where(ag.equal(places, at), rows, zero), axis=axis, keepdims=True)
        for at in ((count - 1) // 2, count // 2)
    )
    mean = ag.divide(ag.add(low, high), ag.convert_to_tensor(2, x.dtype))
    middle = ag.where(ag.equal(count % 2, 1), low, mean)
    middle = ag.where(ag.equal(count, 0), ag.convert_to_tensor(np.nan, x.dtype), middle)
    if isinstance(keepdims, list):
        return ag.reshape(middle, keepdims)
    return middle if keepdims else ag.squeeze(middle, axis)


def _without_nan(reduce, fill):
    """A reduction that ignores NaN by replacing it with `fill`."""

    def reduction(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True):
        x = tensor(a)
        parts = (ag.math.real(x), ag.math.imag(x)) if x.dtype.is_complex else (x,)
        for part in parts if parts[0].dtype.is_floating else ():
            x = ag.where(ag.math.is_nan(part), tensor(fill, x.dtype), x)
        return reduce(x, axis, dtype, keepdims=keepdims)

    return reduction


traces(np.nansum, result="new")(_without_nan(sum_, 0))
traces(np.nanprod, result="new")(_without_nan(prod, 1))


def _extreme_without_nan(reduce, worst):
    def reduction(a, axis=None, out=None, keepdims=False, initial=None, where=True):
        x = tensor(a)
        if not x.dtype.is_floating:
            return reduce(x, axis, keepdims=keepdims)
        absent = ag.math.is_nan(x)
        result = reduce(ag.where(absent, tensor(worst, x.dtype), x), axis, keepdims=keepdims)
        all_absent = ag.reduce_all(absent, axis=axis, keepdims=keepdims)
        return ag.where(all_absent, ag.convert_to_tensor(np.nan, x.dtype), result)

    return reduction


traces(np.nanmax, result="new", needs_elements=True)(_extreme_without_nan(max_, -np.inf))
traces(np.nanmin, result="new", needs_elements=True)(_extreme_without_nan(min_, np.inf))


@traces(np.nanmean, result="new")
def nanmean(a, axis=None, dtype=None, out=None, keepdims=False, where=True):
    x = computed_by(np.mean, a, dtype)
    present = ag.cast(ag.logical_not(ag.math.is_nan(x)), x.dtype)
    total = ag.reduce_sum(
        ag.where(ag.math.is_nan(x), zero(x.dtype), x), axis=axis, keepdims=keepdims
    )
    return ag.divide(total, ag.reduce_sum(present, axis=axis, keepdims=keepdims))


@traces(np.nanvar, result="new")
def nanvar(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, where=True):
    x = _deviating(a, dtype)
    if tensor(a).dtype.is_integer:
        return var(a, axis, dtype, ddof=ddof, keepdims=keepdims)
    present = ag.logical_not(ag.math.is_nan(x))
    count = ag.reduce_sum(ag.cast(present, x.dtype), axis=axis, keepdims=keepdims)
    deviations = ag.where(present, ag.subtract(x, nanmean(x, axis, keepdims=True)), zero(x.dtype))
    total = ag.reduce_sum(ag.square(deviations), axis=axis, keepdims=keepdims)
    degrees = count - tensor(ddof, x.dtype)
    return ag.where(degrees <= 0, ag.convert_to_tensor(np.nan, x.dtype), ag.divide(total, degrees))


@traces(np.nanstd, result="new")
def nanstd(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, where=True):
    return ag.sqrt(nanvar(a, axis, dtype, out, ddof, keepdims))


# ---- positions and scans ---------------------------------------------------------------------


def _position(find, a, axis, keepdims):
    x = tensor(a)
    if x.dtype.is_bool:
        x = ag.cast(x, "uint8")
    if axis is not None:
        indices = find(x, axis=axis)
        return ag.expand_dims(indices, axis) if keepdims else indices
    indices = find(ag.reshape(x, [-1]), axis=0)
    return ag.reshape(indices, [1] * rank_of(x)) if keepdims else indices


@traces(np.argmax, result="new", needs_elements=True)
def argmax(a, axis=None, out=None, *, keepdims=False):
    return _position(ag.argmax, a, axis, keepdims)


@traces(np.argmin, result="new", needs_elements=True)
def argmin(a, axis=None, out=None, *, keepdims=False):
    return _position(ag.argmin, a, axis, keepdims)


@traces(np.cumsum, result="new")
def cumsum(a, axis=None, dtype=None, out=None):
    x = computed_by(np.cumsum, a, dtype)
    return ag.cumsum(_flat(x), axis=0) if axis is None else ag.cumsum(x, axis=axis)


@traces(*of_numpy("cumulative_sum"))
def cumulative_sum(x, /, *, axis=None, dtype=None, out=None, include_initial=False):
    return _running(cumsum, x, axis, dtype, include_initial, 0)


@traces(*of_numpy("cumulative_prod"))
def cumulative_prod(x, /, *, axis=None, dtype=None, out=None, include_initial=False):
    return _running(cumprod, x, axis, dtype, include_initial, 1)


def _running(scan, x, axis, dtype, include_initial: bool, initial: int):
    """The running sums or products, perhaps after that of no element."""
    value = tensor(x)
    axis = axis_of(0 if axis is None else axis, rank_of(value))
    scanned = scan(value, axis, dtype)
    if not include_initial:
        return scanned
    first = scanned[(slice(None),) * axis + (slice(0, 1),)]
    return ag.concat([ag.zeros_like(first) + ag.cast(initial, first.dtype), scanned], axis)


@traces(np.cumprod, result="new")
def cumprod(a, axis=None, dtype=None, out=None):
    x = computed_by(np.cumprod, a, dtype)
    return ag.math.cumprod(_flat(x), axis=0) if axis is None else ag.math.cumprod(x, axis=axis)


@traces(np.diff, result="new")
def diff(a, n=1, axis=-1, prepend=None, append=None):
    x = tensor(a)
    axis = axis_of(axis, rank_of(x))
    edges = (_edge(value, x, axis) for value in (prepend, append))
    x = _concatenated(axis, next(edges), x, next(edges))
    minus = ag.not_equal if x.dtype.is_bool else ag.subtract
    before = (slice(None),) * axis
    for _ in range(n):
        x = minus(x[(*before, slice(1, None))], x[(*before, slice(None, -1))])
    return x


def _edge(value, x, axis: int):
    """What stands before or after an array along an axis; a number has the size 1 there."""
    if value is None:
        return None
    edge = tensor(np.asarray(value) if isinstance(value, (bool, int, float)) else value)
    if rank_of(edge):
        return edge
    sizes = sizes_of(x)
    return ag.broadcast_to(edge, [1 if at == axis else size for at, size in enumerate(sizes)])


def _concatenated(axis: int, *parts):
    present = [part for part in parts if part is not None]
    return present[0] if len(present) == 1 else ag.concat(promoted(*present), axis=axis)


@traces(np.trapezoid, result="new")
def trapezoid(y, x=None, dx=1.0, axis=-1):
    values = tensor(y)
    at, width = axis_of(axis, rank_of(values)), dx
    if x is not None and rank_of(tensor(x)) == 1:
        shape = [1] * rank_of(values)
        shape[at] = -1
        width = ag.reshape(diff(x), shape)
    elif x is not None:
        width = diff(x, axis=axis)
    before = (slice(None),) * at
    sides = values[(*before, slice(1, None))] + values[(*before, slice(None, -1))]
    width, sides = promoted(width, floating(sides))
    return ag.reduce_sum(
        ag.divide(ag.multiply(width, sides), ag.convert_to_tensor(2, sides.dtype)), axis=axis
    )
