"""Statistics built on reductions: variance, deviations, norms, counts, logsumexp."""

from __future__ import annotations

import numpy as np

from ... import (
    Tensor,
    as_dtype,
    cast,
    convert_to_tensor,
    int64,
    reduce_max,
    reduce_mean,
    reduce_sum,
    reshape,
    shape,
    squeeze,
    where,
    zeros_like,
)
from ...extend.errors import DTypeError, ShapeError, UnimplementedError
from ...extend.operations import FLOATS, ops, static_axis
from ...extend.registration import public


def _squared_length(x: Tensor) -> Tensor:
    """`abs(x) ** 2` of each element, for complex numbers too."""
    if not x.dtype.is_complex:
        return x * x
    return ops.real(x * ops.conj(x))


@public("math.reduce_variance")
def reduce_variance(input_tensor, axis=None, keepdims=False, name=None):
    """The variance over `axis` (all axes for None): the mean squared distance from the mean.

    `keepdims=True` keeps the reduced axes with size 1.

    >>> float(ag.math.reduce_variance([1.0, 3.0]))
    1.0

    Raises DTypeError for integers.
    """
    x = convert_to_tensor(input_tensor)
    if x.dtype not in FLOATS and not x.dtype.is_complex:
        raise DTypeError(f"reduce_variance: the input is {x.dtype.name}", "Cast it to floats.")
    return reduce_mean(_squared_length(x - reduce_mean(x, axis, True)), axis, keepdims)


@public("math.reduce_std")
def reduce_std(input_tensor, axis=None, keepdims=False, name=None):
    """The standard deviation over `axis` (all axes for None): the square root of the variance.

    `keepdims=True` keeps the reduced axes with size 1.

    >>> float(ag.math.reduce_std([1.0, 3.0]))
    1.0

    Raises DTypeError for integers.
    """
    return ops.sqrt(reduce_variance(input_tensor, axis, keepdims), name=name)


@public("reduce_logsumexp", "math.reduce_logsumexp")
def reduce_logsumexp(input_tensor, axis=None, keepdims=False, name=None):
    """`log(sum(exp(x)))` over `axis` (all axes for None), without overflow.

    `keepdims=True` keeps the reduced axes with size 1.

    >>> float(ag.reduce_logsumexp([1000.0, 1000.0]).numpy().round(2))
    1000.69...
    """
    x = convert_to_tensor(input_tensor)
    peak = reduce_max(x, axis, True)
    peak = where(ops.is_finite(peak), peak, zeros_like(peak))
    total = ops.log(reduce_sum(ops.exp(x - peak), axis, keepdims))
    return total + (peak if keepdims else reshape(peak, shape(total)))


@public("math.count_nonzero")
def count_nonzero(input, axis=None, keepdims=None, dtype=int64, name=None):
    """The number of elements over `axis` (all axes for None) that are not 0, False or empty.

    The result has the dtype `dtype`.

    >>> int(ag.math.count_nonzero([0, 3, 4]))
    2
    """
    x = convert_to_tensor(input)
    empty = {"bool": False, "string": ""}.get(x.dtype.name, 0)
    return reduce_sum(cast(x != empty, as_dtype(dtype)), axis, bool(keepdims))


@public("math.zero_fraction", "nn.zero_fraction")
def zero_fraction(value, name=None):
    """The fraction of elements that are 0, as a float32 scalar.

    >>> float(ag.math.zero_fraction([0, 3, 0, 4]))
    0.5
    """
    x = convert_to_tensor(value)
    return reduce_mean(cast(x == 0, "float32"))


@public("math.reduce_euclidean_norm")
def reduce_euclidean_norm(input_tensor, axis=None, keepdims=False, name=None):
    """The square root of the sum of squares over `axis` (all axes for None).

    `keepdims=True` keeps the reduced axes with size 1.

    >>> float(ag.math.reduce_euclidean_norm([3.0, 4.0]))
    5.0
    """
    x = convert_to_tensor(input_tensor)
    return ops.sqrt(reduce_sum(_squared_length(x), axis, keepdims), name=name)


@public("norm", "linalg.norm")
def norm(tensor, ord="euclidean", axis=None, keepdims=None, name=None):
    """The norm of vectors along `axis`, or of all elements as one vector for None.

    `ord` is "euclidean", 1, 2, another positive number, or infinity. Two axes give the norm of
    matrices, where `ord` is "euclidean" or "fro", 1 for the largest column sum, or infinity for the
    largest row sum. `keepdims=True` keeps the reduced axes with size 1.

    >>> float(ag.norm([3.0, 4.0])), float(ag.norm([3.0, -4.0], ord=1))
    (5.0, 7.0)

    Raises ShapeError for more than two axes, ValueError for another `ord`, and UnimplementedError
    for an `ord` that matrices do not have.
    """
    x, axis, keepdims = convert_to_tensor(tensor), static_axis(axis), bool(keepdims)
    if isinstance(axis, tuple) and len(axis) == 1:
        (axis,) = axis
    if isinstance(axis, tuple) and len(axis) != 2:
        raise ShapeError(f"norm: axis {axis}; it takes one axis, two, or None for all")
    if ord in ("euclidean", "fro"):
        return reduce_euclidean_norm(x, axis, keepdims)
    if isinstance(axis, tuple):
        return _matrix_norm(abs(x), ord, axis, keepdims)
    if ord == 2:
        return reduce_euclidean_norm(x, axis, keepdims)
    if ord == 1:
        return reduce_sum(abs(x), axis, keepdims)
    if ord == np.inf:
        return reduce_max(abs(x), axis, keepdims)
    if isinstance(ord, str) or not ord > 0:
        raise ValueError(f"norm: ord {ord!r} is neither 'euclidean' nor a positive number")
    return reduce_sum(abs(x) ** float(ord), axis, keepdims) ** (1.0 / ord)


def _matrix_norm(lengths: Tensor, ord, axis: tuple[int, int], keepdims: bool) -> Tensor:
    """The largest sum of absolute values over columns (1) or rows (infinity)."""
    if ord not in (1, np.inf):
        cure = "Use 'euclidean', 1 or infinity."
        raise UnimplementedError(f"norm: ord {ord!r} of matrices", cure)
    summed, compared = axis if ord == 1 else axis[::-1]
    largest = reduce_max(reduce_sum(lengths, summed, True), compared, True)
    if keepdims:
        return largest
    return squeeze(largest, axis)


@public("math.polyval")
def polyval(coeffs, x, name=None):
    """The polynomial with these coefficients at `x`; the first is that of the highest power.

    >>> ag.math.polyval([3.0, 0.0, 1.0], 2.0).numpy()
    np.float32(13.0)

    Raises ValueError if `coeffs` is not a list.
    """
    if not isinstance(coeffs, list):
        raise ValueError(f"math.polyval takes a list of coefficients, not {type(coeffs).__name__}")
    x = convert_to_tensor(x)
    if not coeffs:
        return zeros_like(x)
    result = convert_to_tensor(coeffs[0], dtype_hint=x.dtype)
    for coefficient in coeffs[1:]:
        result = coefficient + result * x
    return result


@public("math.lbeta")
def lbeta(x, name=None):
    """The logarithm of the absolute value of the beta function of the last axis.

    >>> ag.math.lbeta([1.0, 1.0]).numpy()
    np.float32(0.0)
    """
    x = convert_to_tensor(x)
    return reduce_sum(ops.lgamma(x), -1) - ops.lgamma(reduce_sum(x, -1))
