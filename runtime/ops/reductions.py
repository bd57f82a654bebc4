"""Reductions over axes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..apply import apply, convert_to_tensor
from ..builder import fully_known
from ..dtypes import BOOLS, FLOATS, NUMBERS, REALS, as_dtype, bool_, int64
from ..errors import InvalidArgumentError, ShapeError
from ..op import Spec, op
from ..tensor import EagerTensor, SymbolicTensor, Tensor
from ..vocabulary import public
from .rules import normal_axes, normal_axis, reduced_shape, same_as_input


class Reduction(NamedTuple):
    """Native form: `acc` starts at `initial`, takes in each `x`, and is finished with the count
    `n`.

    With `watches_nan`, a NaN among floats is noted beside `acc` and makes the result NaN: the steps
    themselves may then ignore NaN, as vectors do.
    """

    initial: str
    combine: str
    finish: str = "{acc}"
    watches_nan: bool = False


def _result(x, *, axis, keepdims):
    return Spec(x.dtype, reduced_shape(x, axis, keepdims))


def _bool_result(x, *, axis, keepdims):
    return Spec(bool_, reduced_shape(x, axis, keepdims))


def static_axis(axis):
    """An axis attribute: an int, a tuple of ints or None, also from a tensor whose value is
    known.
    """
    if isinstance(axis, SymbolicTensor):
        axis = fully_known(axis._value)
        if axis is None:
            raise ShapeError("the axis of a reduction has to be known while tracing")
    if isinstance(axis, EagerTensor):
        axis = axis._array
    if isinstance(axis, np.ndarray):
        axis = axis.tolist()
    if axis is None or isinstance(axis, int):
        return axis
    if hasattr(axis, "__index__"):
        return axis.__index__()
    return tuple(static_axis(one) for one in axis)


def reduction(op_of, names):
    """The public form of a reduction, with the reference's parameter names."""

    def reduce(input_tensor, axis=None, keepdims=False, name=None):
        if isinstance(input_tensor, (list, tuple)) or not isinstance(input_tensor, Tensor):
            input_tensor = convert_to_tensor(input_tensor)
        axis = static_axis(axis)
        if not isinstance(input_tensor, SymbolicTensor):
            normal_axes(axis, len(input_tensor._shape))
        return apply(op_of, (input_tensor,), {"axis": axis, "keepdims": bool(keepdims)})

    reduce.__name__ = names[0]
    reduce.__doc__ = op_of.__doc__
    return public(*names, *("math." + name for name in names))(reduce)


@op
class ReduceSum:
    """The sum over `axis` (all axes for None).

    >>> import allograph as ag
    >>> ag.reduce_sum([[1, 2], [3, 4]], axis=0).numpy()
    array([4, 6], dtype=int32)
    """

    accepts = NUMBERS
    result = _result
    reduce = Reduction("0", "plus({acc}, {x})")
    hidden = True

    def kernel(x, *, axis=None, keepdims=False):
        return np.sum(x, axis=axis, keepdims=keepdims, dtype=x.dtype)


@op
class ReduceProd:
    """The product over `axis`."""

    accepts = NUMBERS
    result = _result
    reduce = Reduction("1", "times({acc}, {x})")
    hidden = True

    def kernel(x, *, axis=None, keepdims=False):
        return np.prod(x, axis=axis, keepdims=keepdims, dtype=x.dtype)


@op
class ReduceMean:
    """The mean over `axis`; of integers, rounded towards minus infinity."""

    accepts = NUMBERS
    result = _result
    hidden = True
    reduce = Reduction("0", "plus({acc}, {x})", "mean_of({acc}, {n})")

    def kernel(x, *, axis=None, keepdims=False):
        if x.dtype.kind in "iu":
            total = np.sum(x, axis=axis, keepdims=keepdims, dtype=x.dtype)
            count = np.size(x) // max(np.size(total), 1)
            if count == 0:
                raise InvalidArgumentError("reduce_mean: no elements")
            return np.floor_divide(total, x.dtype.type(count))
        if np.size(x) == 0:
            total = np.sum(x, axis=axis, keepdims=keepdims, dtype=x.dtype)
            return np.divide(total, x.dtype.type(0))
        return np.mean(x, axis=axis, keepdims=keepdims, dtype=x.dtype)


def _lowest(dtype):
    return -np.inf if dtype.kind == "f" else np.iinfo(dtype).min


def _highest(dtype):
    return np.inf if dtype.kind == "f" else np.iinfo(dtype).max


@op
class ReduceMax:
    """The largest element over `axis`; NaN if any is."""

    accepts = REALS
    result = _result
    reduce = Reduction("lowest", "larger({acc}, {x})", watches_nan=True)
    hidden = True

    def kernel(x, *, axis=None, keepdims=False):
        return np.max(x, axis=axis, keepdims=keepdims, initial=_lowest(x.dtype))


@op
class ReduceMin:
    """The smallest element over `axis`; NaN if any is."""

    accepts = REALS
    result = _result
    reduce = Reduction("highest", "smaller({acc}, {x})", watches_nan=True)
    hidden = True

    def kernel(x, *, axis=None, keepdims=False):
        return np.min(x, axis=axis, keepdims=keepdims, initial=_highest(x.dtype))


@op
class ReduceAny:
    """Whether any element holds."""

    accepts = BOOLS
    result = _bool_result
    reduce = Reduction("False", "{acc} or {x}")
    hidden = True

    def kernel(x, *, axis=None, keepdims=False):
        return np.any(x, axis=axis, keepdims=keepdims)


@op
class ReduceAll:
    """Whether all elements hold."""

    accepts = BOOLS
    result = _bool_result
    reduce = Reduction("True", "{acc} and {x}")
    hidden = True

    def kernel(x, *, axis=None, keepdims=False):
        return np.all(x, axis=axis, keepdims=keepdims)


reduce_sum = reduction(ReduceSum, ("reduce_sum",))
reduce_prod = reduction(ReduceProd, ("reduce_prod",))
reduce_mean = reduction(ReduceMean, ("reduce_mean",))
reduce_max = reduction(ReduceMax, ("reduce_max",))
reduce_min = reduction(ReduceMin, ("reduce_min",))
reduce_any = reduction(ReduceAny, ("reduce_any",))
reduce_all = reduction(ReduceAll, ("reduce_all",))


@public("math.reduce_variance")
def reduce_variance(input_tensor, axis=None, keepdims=False, name=None):
    """The mean squared distance from the mean."""
    x = convert_to_tensor(input_tensor)
    centred = x - reduce_mean(x, axis, True)
    return reduce_mean(centred * centred, axis, keepdims)


@public("math.reduce_std")
def reduce_std(input_tensor, axis=None, keepdims=False, name=None):
    """The square root of the variance."""
    from .transcendental import Sqrt

    return Sqrt(reduce_variance(input_tensor, axis, keepdims))


@public("reduce_logsumexp", "math.reduce_logsumexp")
def reduce_logsumexp(input_tensor, axis=None, keepdims=False, name=None):
    """`log(sum(exp(x)))` without overflow.

    >>> float(reduce_logsumexp([1000.0, 1000.0])) - 1000.0 < 0.7
    True
    """
    from .comparison import IsFinite
    from .creation import zeros_like
    from .shaping import reshape, shape
    from .slicing import where
    from .transcendental import Exp, Log

    x = convert_to_tensor(input_tensor)
    peak = reduce_max(x, axis, True)
    peak = where(IsFinite(peak), peak, zeros_like(peak))
    total = Log(reduce_sum(Exp(x - peak), axis, keepdims))
    return total + (peak if keepdims else reshape(peak, shape(total)))


@public("math.count_nonzero")
def count_nonzero(input, axis=None, keepdims=None, dtype=int64, name=None):
    """How many elements are not 0."""
    from .casting import cast

    x = convert_to_tensor(input)
    return reduce_sum(cast(x != 0, dtype), axis, bool(keepdims))


@public("norm", "linalg.norm")
def norm(tensor, ord="euclidean", axis=None, keepdims=None, name=None):
    """The length of vectors: 'euclidean', 1, 2, a number, or infinity.

    >>> float(norm([3.0, 4.0]))
    5.0
    """
    from .transcendental import Sqrt

    x, keepdims = convert_to_tensor(tensor), bool(keepdims)
    if ord in ("euclidean", "fro", 2):
        return Sqrt(reduce_sum(x * x, axis, keepdims))
    if ord == 1:
        return reduce_sum(abs(x), axis, keepdims)
    if ord == np.inf:
        return reduce_max(abs(x), axis, keepdims)
    return reduce_sum(abs(x) ** float(ord), axis, keepdims) ** (1.0 / ord)


def _position_result(x, *, axis, dtype):
    if x.shape is not None and not x.shape:
        raise ShapeError("argmax of a scalar")
    return Spec(dtype, reduced_shape(x, axis, False))


@op
class Argmax:
    """The index of the largest element along `axis`."""

    accepts = REALS
    result = _position_result
    hidden = True

    def kernel(x, *, axis, dtype):
        return np.argmax(x, axis=axis).astype(dtype.numpy_dtype)


@op
class Argmin:
    """The index of the smallest element along `axis`."""

    accepts = REALS
    result = _position_result
    hidden = True

    def kernel(x, *, axis, dtype):
        return np.argmin(x, axis=axis).astype(dtype.numpy_dtype)


@public("argmax", "math.argmax")
def argmax(input, axis=None, output_type=int64, name=None):
    """The index of the largest element along `axis` (0 when left out).

    >>> argmax([[1, 5], [7, 2]], axis=1).numpy()
    array([1, 0])
    """
    return Argmax(input, axis=static_axis(0 if axis is None else axis), dtype=as_dtype(output_type))


@public("argmin", "math.argmin")
def argmin(input, axis=None, output_type=int64, name=None):
    """The index of the smallest element along `axis` (0 when left out)."""
    return Argmin(input, axis=static_axis(0 if axis is None else axis), dtype=as_dtype(output_type))


def _cumulate(function, x, axis, exclusive, reverse, start):
    axis = normal_axis(axis, x.ndim)
    if reverse:
        x = np.flip(x, axis)
    made = function(x, axis=axis, dtype=x.dtype)
    if exclusive:
        made = np.concatenate([np.full_like(np.take(made, [0], axis), start), made], axis)[
            tuple(slice(-1) if place == axis else slice(None) for place in range(x.ndim))
        ]
    return np.flip(made, axis) if reverse else made


@op
class Cumsum:
    """The running sum along `axis`.

    >>> import allograph as ag
    >>> ag.cumsum([1, 2, 3]).numpy()
    array([1, 3, 6], dtype=int32)
    """

    accepts = NUMBERS
    result = same_as_input

    def kernel(x, *, axis=0, exclusive=False, reverse=False):
        return _cumulate(np.cumsum, x, axis, exclusive, reverse, 0)


@op
class Cumprod:
    """The running product along `axis`."""

    accepts = NUMBERS
    result = same_as_input
    public = ("math.cumprod",)

    def kernel(x, *, axis=0, exclusive=False, reverse=False):
        return _cumulate(np.cumprod, x, axis, exclusive, reverse, 1)


@public("clip_by_value")
def clip_by_value(t, clip_value_min, clip_value_max, name=None):
    """`t` with values outside the limits replaced by them.

    >>> clip_by_value([-5, 1, 9], 0, 3).numpy()
    array([0, 1, 3], dtype=int32)
    """
    from .elementwise import Maximum, Minimum

    return Maximum(Minimum(t, clip_value_max), clip_value_min)


@public("add_n", "math.add_n")
def add_n(inputs, name=None):
    """The sum of equally shaped tensors."""
    import functools
    import operator

    return functools.reduce(operator.add, [convert_to_tensor(one) for one in inputs])


__all__ = ["FLOATS", "Reduction"]
