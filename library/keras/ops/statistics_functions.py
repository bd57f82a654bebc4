"""Functions of `keras.ops` for statistics that leave out NaN, correlations and powers."""

from __future__ import annotations

import numpy as np

from .... import as_dtype, cast, float64, int32
from ....extend.operations import ag
from .operations import operations
from .promotion import as_operand, common_dtype, floating

numeric = operations("numpy")


@numeric
def i0(x):
    """The modified Bessel function of the first kind and order 0."""
    return ag.math.bessel_i0(as_operand(x, floating(common_dtype(x), int64_as=float64)))


@numeric
def corrcoef(x):
    """The correlations of the rows of a matrix with each other."""
    x = as_operand(x, floating(common_dtype(x), int64_as=float64))
    rows = ag.reshape(x, [-1, x.dims[-1]])
    rows = rows - ag.reduce_mean(rows, -1, keepdims=True)
    products = ag.matmul(rows, rows, transpose_b=True)
    length = ag.sqrt(ag.linalg.diag_part(products))
    result = ag.clip_by_value(products / length[:, None] / length, -1, 1)
    return result if x.ndim > 1 else ag.reshape(result, [])


@numeric
def vander(x, N=None, increasing=False):  # noqa: N803 - as in NumPy
    """The powers of the elements of a vector, in the columns of a matrix."""
    x = as_operand(x)
    count = x.dims[0] if N is None else N
    ones = ag.ones_like(x)[:, None]
    repeated = ag.repeat(x[:, None], max(count - 1, 0), axis=1)
    powers = ag.math.cumprod(ag.concat([ones, repeated], 1), 1)[:, :count]
    return powers if increasing else ag.reverse(powers, [1])


def _running(scan, fill):
    """`scan` along an axis, or over all elements, with `fill` for NaN."""

    def running(x, axis=None, dtype=None):
        common = common_dtype(x)
        x = as_operand(x, as_dtype(dtype or (int32 if common.is_bool else common)))
        if x.dtype.is_floating:
            x = ag.where(ag.math.is_nan(x), ag.zeros_like(x) + fill, x)
        return scan(ag.reshape(x, [-1]), 0) if axis is None else scan(x, axis)

    return running


@numeric
def nancumsum(x, axis=None, dtype=None):
    """The cumulative sum, with 0 for NaN."""
    return _running(ag.cumsum, 0)(x, axis, dtype)


@numeric
def nancumprod(x, axis=None, dtype=None):
    """The cumulative product, with 1 for NaN."""
    return _running(ag.math.cumprod, 1)(x, axis, dtype)


@numeric
def nanquantile(x, q, axis=None, method="linear", keepdims=False):
    """The quantiles of the elements along axes that are not NaN."""
    dtype = floating(common_dtype(x))
    x, shares = as_operand(x, dtype), as_operand(q, dtype)
    if method != "linear":
        options = {"axis": axis, "method": method, "keepdims": keepdims}
        return as_operand(np.nanquantile(np.asarray(x), np.asarray(q), **options), dtype)
    axes = range(x.ndim) if axis is None else [axis] if isinstance(axis, int) else axis
    axes = sorted(one % x.ndim for one in axes)
    rest = [one for one in range(x.ndim) if one not in axes]
    sizes = ag.gather(ag.shape(x), rest)
    rows = ag.sort(ag.reshape(ag.transpose(x, [*axes, *rest]), ag.concat([[-1], sizes], 0)), 0)
    count = ag.reduce_sum(cast(ag.logical_not(ag.math.is_nan(rows)), dtype), 0)
    position = ag.reshape(shares, [-1] + [1] * len(rest)) * ag.maximum(count - 1, 0)
    ends = [cast(one, int32) for one in (ag.floor(position), ag.math.ceil(position))]
    first, second = (ag.experimental.numpy.take_along_axis(rows, one, 0) for one in ends)
    weight = position - ag.floor(position)
    result = ag.where(weight > 0, first + (second - first) * weight, first)
    result = ag.reshape(result, ag.concat([ag.shape(shares), sizes], 0))
    for one in axes if keepdims else ():
        result = ag.expand_dims(result, one + shares.ndim)
    return result


@numeric
def nanpercentile(x, q, axis=None, method="linear", keepdims=False):
    """The percentiles of the elements along axes that are not NaN."""
    return nanquantile(x, as_operand(q, floating(common_dtype(x))) / 100, axis, method, keepdims)


@numeric
def nanmedian(x, axis=None, keepdims=False):
    """The medians of the elements along axes that are not NaN."""
    return nanquantile(x, 0.5, axis, keepdims=keepdims)
