"""Reductions over axes: sum, product, mean, maximum, minimum, any, all, argmax, argmin."""

from __future__ import annotations

import math

import numpy as np

from ...core.classes import NamedTuple
from ...core.dtypes import BOOLS, NUMBERS, REALS, SIGNED, as_dtype, bool_, int64
from ...core.errors import InvalidArgumentError, ShapeError
from ...core.numpy_dtypes import extremes_of, is_integer
from ...core.public_names import public
from ...core.shapes import normal_axes, normal_axis
from ...ir.constant_values import constant_dimensions, full_constant
from ...ir.node_properties import has_unknown_shape
from ...ir.op import Spec
from ...tensors.apply import apply, convert_to_tensor
from ...tensors.operation import hidden_op, ops
from ...tensors.tensor import EagerTensor, SymbolicTensor
from ..gradient_helpers import count_of, extremes_cotangent, products_of_others, spread
from ..shape_rules import reduced_shape


class Reduction(NamedTuple):
    """Native form: `acc` starts as `initial`, `combine` adds each `x`, `finish` can divide by n."""

    initial: int | str
    combine: str
    finish: str = "{acc}"


def _result(x, *, axis, keepdims):
    return Spec(x.dtype, reduced_shape(x, axis, keepdims))


def _bool_result(x, *, axis, keepdims):
    return Spec(bool_, reduced_shape(x, axis, keepdims))


def static_axis(axis):
    """An axis attribute: an int, a tuple of ints or None. Tensors have to be constant."""
    if isinstance(axis, SymbolicTensor):
        axis = full_constant(axis.graph_value)
        if axis is None:
            raise ShapeError("an axis has to be constant while tracing")
    if isinstance(axis, EagerTensor):
        axis = axis.array
    if isinstance(axis, np.ndarray):
        axis = axis.tolist()
    if axis is None or isinstance(axis, int):
        return axis
    if hasattr(axis, "__index__"):
        return axis.__index__()
    if isinstance(axis, (float, str)):
        raise TypeError(f"an axis is an integer or a list of integers, not {axis!r}")
    return tuple(static_axis(number) for number in axis)


def reduction(op_of, name: str):
    """The public function of a reduction: `ag.{name}` and `ag.math.{name}`."""

    def reduce(input_tensor, axis=None, keepdims=False, name=None):
        x = convert_to_tensor(input_tensor)
        axis = static_axis(axis)
        if type(x) is not SymbolicTensor:
            normal_axes(axis, len(x.dims))
        return apply(op_of, (x,), {"axis": axis, "keepdims": bool(keepdims)}, name)

    return exposed_as(op_of, reduce, name, "math." + name)


def exposed_as(op_of, function, *names: str):
    """`function`, which calls an operation, under public names and with its documentation."""
    function.__name__ = function.__qualname__ = names[-1].rpartition(".")[2]
    function.__doc__ = op_of.__doc__
    return public(*names)(function)


def _accumulate(function, x, axis, keepdims):
    """A sum, product or mean in the dtype of `x`; 16-bit floats accumulate in float32."""
    dtype = np.float32 if x.dtype.itemsize == 2 and not is_integer(x.dtype) else x.dtype
    return function(x, axis=axis, keepdims=keepdims, dtype=dtype).astype(x.dtype, copy=False)


@hidden_op
class ReduceSum:
    """The sum over `axis` (all axes for None), in the dtype of the input; 0 if empty.

    `keepdims=True` keeps the reduced axes with size 1.

    >>> ag.reduce_sum([[1, 2], [3, 4]], axis=0).numpy()
    array([4, 6], dtype=int32)
    """

    componentwise = True
    accepts = NUMBERS
    result = _result
    reduce = Reduction(0, "plus({acc}, {x})")

    def kernel(x, *, axis=None, keepdims=False):
        return _accumulate(np.sum, x, axis, keepdims)

    def gradient(dy, y, x, *, axis, keepdims):
        return (spread(dy, x, axis, keepdims),)


@hidden_op
class ReduceProd:
    """The product over `axis` (all axes for None), in the dtype of the input; 1 if empty.

    `keepdims=True` keeps the reduced axes with size 1.

    >>> ag.reduce_prod([[1, 2], [3, 4]], axis=1).numpy()
    array([ 2, 12], dtype=int32)
    """

    accepts = NUMBERS
    result = _result
    reduce = Reduction(1, "times({acc}, {x})")

    def kernel(x, *, axis=None, keepdims=False):
        return _accumulate(np.prod, x, axis, keepdims)

    def gradient(dy, y, x, *, axis, keepdims):
        return (spread(dy, x, axis, keepdims) * products_of_others(x, axis),)


@hidden_op
class ReduceMean:
    """The mean over `axis` (all axes for None), in the dtype of the input.

    Means of integers are rounded towards minus infinity. `keepdims=True` keeps the reduced axes
    with size 1.

    >>> ag.reduce_mean([[1.0, 2.0], [3.0, 4.0]], axis=0).numpy()
    array([2., 3.], dtype=float32)

    The mean of zero floats is NaN. Raises InvalidArgumentError for the mean of zero integers.
    """

    componentwise = True
    accepts = NUMBERS
    result = _result
    reduce = Reduction(0, "plus({acc}, {x})", "mean_of({acc}, {n})")

    def kernel(x, *, axis=None, keepdims=False):
        if not is_integer(x.dtype):
            if x.size:
                return _accumulate(np.mean, x, axis, keepdims)
            return np.divide(_accumulate(np.sum, x, axis, keepdims), x.dtype.type(0))
        count = math.prod(x.shape[index] for index in normal_axes(axis, x.ndim))
        total = _accumulate(np.sum, x, axis, keepdims)
        if count == 0 and total.size:
            raise InvalidArgumentError("reduce_mean: there is no element to take the mean of")
        dtype = np.uint64 if x.dtype == np.uint64 else np.int64
        return np.floor_divide(total.astype(dtype), dtype(max(count, 1))).astype(x.dtype)

    def gradient(dy, y, x, *, axis, keepdims):
        return (spread(dy / count_of(y, x), x, axis, keepdims),)


@hidden_op
class ReduceMax:
    """The largest element over `axis` (all axes for None); NaN if any element is NaN.

    An empty reduction gives minus infinity, or the smallest value of an integer dtype.
    `keepdims=True` keeps the reduced axes with size 1.

    >>> ag.reduce_max([[1, 5], [7, 2]], axis=1).numpy()
    array([5, 7], dtype=int32)
    """

    accepts = REALS
    result = _result
    reduce = Reduction("lowest", "maximum({acc}, {x})")

    def kernel(x, *, axis=None, keepdims=False):
        return np.max(x, axis=axis, keepdims=keepdims, initial=extremes_of(x.dtype)[0])

    def gradient(dy, y, x, *, axis, keepdims):
        return (extremes_cotangent(dy, y, x, axis, keepdims),)


@hidden_op
class ReduceMin:
    """The smallest element over `axis` (all axes for None); NaN if any element is NaN.

    An empty reduction gives infinity, or the largest value of an integer dtype.
    `keepdims=True` keeps the reduced axes with size 1.

    >>> ag.reduce_min([[1, 5], [7, 2]], axis=1).numpy()
    array([1, 2], dtype=int32)
    """

    accepts = REALS
    result = _result
    reduce = Reduction("highest", "minimum({acc}, {x})")

    def kernel(x, *, axis=None, keepdims=False):
        return np.min(x, axis=axis, keepdims=keepdims, initial=extremes_of(x.dtype)[1])

    def gradient(dy, y, x, *, axis, keepdims):
        return (extremes_cotangent(dy, y, x, axis, keepdims),)


@hidden_op
class ReduceAny:
    """Whether any element of a bool tensor is true over `axis` (all axes for None).

    An empty reduction gives False. `keepdims=True` keeps the reduced axes with size 1.

    >>> ag.reduce_any([[True, False], [False, False]], axis=1).numpy()
    array([ True, False])
    """

    accepts = BOOLS
    result = _bool_result
    reduce = Reduction(False, "{acc} | {x}")

    def kernel(x, *, axis=None, keepdims=False):
        return np.any(x, axis=axis, keepdims=keepdims)


@hidden_op
class ReduceAll:
    """Whether all elements of a bool tensor are true over `axis` (all axes for None).

    An empty reduction gives True. `keepdims=True` keeps the reduced axes with size 1.

    >>> ag.reduce_all([[True, False], [True, True]], axis=1).numpy()
    array([False,  True])
    """

    accepts = BOOLS
    result = _bool_result
    reduce = Reduction(True, "{acc} & {x}")

    def kernel(x, *, axis=None, keepdims=False):
        return np.all(x, axis=axis, keepdims=keepdims)


reduce_sum = reduction(ReduceSum, "reduce_sum")
reduce_prod = reduction(ReduceProd, "reduce_prod")
reduce_mean = reduction(ReduceMean, "reduce_mean")
reduce_max = reduction(ReduceMax, "reduce_max")
reduce_min = reduction(ReduceMin, "reduce_min")
reduce_any = reduction(ReduceAny, "reduce_any")
reduce_all = reduction(ReduceAll, "reduce_all")


@hidden_op
class SumToShape:
    """`x` summed over the axes along which an operand of shape `shape` was broadcast."""

    componentwise = True
    accepts = {"x": NUMBERS, "shape": SIGNED}

    def kernel(x, shape):
        sizes = tuple(shape.tolist())
        leading = x.ndim - len(sizes)
        reduced = tuple(
            axis
            for axis, size in enumerate(x.shape)
            if axis < leading or (sizes[axis - leading] == 1 and size != 1)
        )
        return _accumulate(np.sum, x, reduced, False).reshape(sizes) if reduced else x

    def result(x, shape):
        return Spec(x.dtype, constant_dimensions(shape))

    def gradient(dy, y, x, shape):
        return ops.broadcast_to(dy, ops.shape(x)), None


# ---- argmax and argmin -----------------------------------------------------------------------


def _position_result(x, *, axis, dtype):
    if x.shape is not None:
        _check_positions(x.shape, axis)
    return Spec(dtype, reduced_shape(x, axis, False))


def _check_positions(shape, axis: int) -> None:
    if shape[normal_axis(axis, len(shape))] == 0:
        raise ShapeError(f"axis {axis} of the shape {tuple(shape)} has no elements to choose from")


def is_vector(node) -> bool:
    return len(node.inputs[0].shape) == 1


def _may_be_empty(node) -> bool:
    return has_unknown_shape(node) or 0 in node.inputs[0].shape


class _Position:
    may_raise = _may_be_empty
    accepts = REALS | BOOLS
    result = _position_result
    parallel_safe = True
    any_length = is_vector


@hidden_op
class Argmax(_Position):
    """The index of the largest element along `axis` (default 0); the first one in case of ties.

    The dtype of the result is `output_type`.

    >>> ag.argmax([[1, 5], [7, 2]], axis=1).numpy()
    array([1, 0])

    Raises ShapeError if the axis is empty.
    """

    def kernel(x, *, axis, dtype):
        _check_positions(x.shape, axis)
        return np.argmax(x, axis=axis).astype(dtype.numpy_dtype)


@hidden_op
class Argmin(_Position):
    """The index of the smallest element along `axis` (default 0); the first one in case of ties.

    The dtype of the result is `output_type`.

    >>> ag.argmin([[1, 5], [7, 2]], axis=1).numpy()
    array([0, 1])

    Raises ShapeError if the axis is empty.
    """

    def kernel(x, *, axis, dtype):
        _check_positions(x.shape, axis)
        return np.argmin(x, axis=axis).astype(dtype.numpy_dtype)


def _position_of(op_of, name: str):
    """The public function of `Argmax` or `Argmin`: `ag.{name}` and `ag.math.{name}`."""

    def position(input, axis=None, output_type=int64, name=None):
        axis = static_axis(0 if axis is None else axis)
        return op_of(input, axis=axis, dtype=as_dtype(output_type), name=name)

    return exposed_as(op_of, position, name, "math." + name)


argmax = _position_of(Argmax, "argmax")
argmin = _position_of(Argmin, "argmin")
