"""Tensors created from a shape, a value or a range."""

from __future__ import annotations

import math

import numpy as np

from ...core.dtypes import ANY, FLOATS, FROM_NUMPY, REALS, SIGNED, as_dtype, float32, int32, string
from ...core.errors import DTypeError, InvalidArgumentError, ShapeError
from ...core.numpy_dtypes import is_integer
from ...core.public_names import public
from ...core.shapes import TensorShape, broadcast, is_static, normal_axis, show
from ...ir.constant_values import constant_dimensions, full_constant
from ...ir.indexing import broadcast_index
from ...ir.op import Spec
from ...tensors.apply import apply, convert_to_tensor
from ...tensors.array_conversion import to_array
from ...tensors.operation import hidden_op, op, ops
from ...tensors.tensor import Tensor
from ..math.casting import cast
from ..math.reductions import static_axis
from .joining import concat
from .shape_ops import BroadcastTo, shape


def as_shape_tensor(shape):
    """A shape argument as an integer vector."""
    if isinstance(shape, TensorShape):
        shape = shape.as_list()
    if isinstance(shape, (int, np.integer)) or (isinstance(shape, Tensor) and shape.dims == ()):
        shape = [shape]
    empty = isinstance(shape, (list, tuple, np.ndarray)) and len(shape) == 0
    return convert_to_tensor([], int32) if empty else convert_to_tensor(shape, dtype_hint=int32)


def filler(value, dtype) -> np.ndarray:
    """A Python scalar as a NumPy scalar of `dtype`; for `string`, the empty string."""
    if dtype is string:
        return np.array(b"", object)
    return np.array(value).astype(dtype.numpy_dtype)


def _has_unknown_size(node) -> bool:
    return not is_static(node.output.shape)


@hidden_op
class Unwritten:
    """An array of shape `dims` whose elements are written before anything reads them."""

    accepts = {"dims": SIGNED}
    is_cheap = True
    may_raise = False
    parallel_safe = True

    def kernel(dims, *, dtype):
        return np.zeros(tuple(dims.tolist()), dtype.numpy_dtype)

    def result(dims, *, dtype):
        return Spec(dtype, constant_dimensions(dims))


@op
class Fill:
    """A tensor of shape `dims` filled with the scalar `value`, in the dtype of `value`.

    >>> ag.fill([2], 7).numpy()
    array([7, 7], dtype=int32)

    Raises ShapeError for a negative dimension, or if `value` is not a scalar.
    """

    accepts = {"dims": SIGNED, "value": ANY}
    is_cheap = True
    may_raise = _has_unknown_size
    public = ("fill",)

    def kernel(dims, value):
        return np.full(tuple(dims.tolist()), value.reshape(()), value.dtype)

    def result(dims, value):
        sizes = constant_dimensions(dims)
        if value.shape not in ((), None):
            raise ShapeError(f"fill: the value has shape {show(value.shape)}, not ()")
        if sizes is not None and any(size is not None and size < 0 for size in sizes):
            raise ShapeError(f"fill: {show(sizes)} is not a shape")
        return Spec(value.dtype, sizes)

    def element(ix, dims, value, *, out):
        return value.at()

    def gradient(dy, y, dims, value):
        return None, ops.reduce_sum(dy)


def _filled(shape, value, dtype, name=None):
    return apply(Fill, (as_shape_tensor(shape), filler(value, as_dtype(dtype))), {}, name)


@public("zeros")
def zeros(shape, dtype=float32, name=None):
    """A tensor of zeros; of False for `bool` and of empty strings for `string`.

    >>> ag.zeros([2]).numpy()
    array([0., 0.], dtype=float32)
    """
    return _filled(shape, 0, dtype, name)


@public("ones")
def ones(shape, dtype=float32, name=None):
    """A tensor of ones; of True for `bool`.

    >>> ag.ones([1, 2], dtype="int64").numpy()
    array([[1, 1]])

    Raises TypeError for the dtype `string`.
    """
    if as_dtype(dtype) is string:
        raise TypeError("ones: the dtype string has no one")
    return _filled(shape, 1, dtype, name)


def _filled_like(make, input_, dtype):
    x = convert_to_tensor(input_)
    return make(x.dims if is_static(x.dims) else shape(x), x.dtype if dtype is None else dtype)


@public("zeros_like")
def zeros_like(input, dtype=None, name=None):
    """Zeros in the shape of `input`, in its dtype unless `dtype` is given.

    >>> ag.zeros_like([3, 4]).numpy()
    array([0, 0], dtype=int32)
    """
    return _filled_like(zeros, input, dtype)


@public("ones_like")
def ones_like(input, dtype=None, name=None):
    """Ones in the shape of `input`, in its dtype unless `dtype` is given.

    >>> ag.ones_like([3, 4], dtype="float32").numpy()
    array([1., 1.], dtype=float32)
    """
    return _filled_like(ones, input, dtype)


@hidden_op
class Eye:
    """Ones on the diagonal of a matrix, zeros elsewhere."""

    accepts = SIGNED

    def kernel(rows, columns, *, dtype):
        return np.eye(int(rows), int(columns), dtype=dtype.numpy_dtype)

    def result(rows, columns, *, dtype):
        constants = [full_constant(value) for value in (rows, columns)]
        return Spec(dtype, tuple(None if size is None else int(size) for size in constants))

    def element(ix, rows, columns, *, dtype, out):
        return ix[0].equals(ix[1]).choice(out.literal(1), out.literal(0))


@public("eye", "linalg.eye")
def eye(num_rows, num_columns=None, batch_shape=None, dtype=float32, name=None):
    """The identity matrix of shape [num_rows, num_columns], repeated for `batch_shape`.

    `num_columns` defaults to `num_rows`. The result has the shape
    [*batch_shape, num_rows, num_columns].

    >>> ag.eye(2).numpy().tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    matrix = Eye(num_rows, num_rows if num_columns is None else num_columns, dtype=as_dtype(dtype))
    if batch_shape is None:
        return matrix
    return BroadcastTo(matrix, concat([as_shape_tensor(batch_shape), shape(matrix)], 0), name=name)


@hidden_op
class Range:
    """`start`, `start + delta`, ... up to but excluding `limit`."""

    accepts = REALS
    moves_only = False

    def kernel(start, limit, delta):
        count = _range_length(start, limit, delta)
        return (start + np.arange(count).astype(start.dtype) * delta).astype(start.dtype)

    def result(start, limit, delta):
        constants = [full_constant(value) for value in (start, limit, delta)]
        if constants[2] is not None and constants[2] == 0:
            raise InvalidArgumentError("range: the step is 0")
        return Spec(
            start.dtype,
            (None if any(value is None for value in constants) else _range_length(*constants),),
        )

    def element(ix, start, limit, delta, *, out):
        return start.at() + out.cast(ix[0]) * delta.at()


def _range_length(start, limit, delta) -> int:
    if delta == 0:
        raise InvalidArgumentError("range: the step is 0")
    if is_integer(start.dtype):
        return max(0, -((int(start) - int(limit)) // int(delta)))
    with np.errstate(all="ignore"):
        steps = (limit - start) / delta  # in the dtype of the operands: 0.3 / 0.1 is 3 in float32
    if not np.isfinite(steps):
        raise InvalidArgumentError(f"range: from {start} to {limit} by {delta} never ends")
    return max(0, math.ceil(steps))


@public("range")
def range_(start, limit=None, delta=1, dtype=None, name="range"):
    """`range(limit)`, `range(start, limit)` or `range(start, limit, delta)` as a vector.

    The dtype is `dtype`, or else the widest dtype of the arguments. Floats are wider than integers.

    >>> ag.range(2, 8, 3).numpy()
    array([2, 5], dtype=int32)

    Raises InvalidArgumentError for a step of 0, and ShapeError for arguments that are no scalars.
    """
    if limit is None:
        start, limit = 0, start
    operands = [
        to_array(operand) if isinstance(operand, (int, float)) else convert_to_tensor(operand)
        for operand in (start, limit, delta)
    ]
    for operand in operands:
        if isinstance(operand, Tensor) and operand.dtype is string:
            raise DTypeError(
                "a bound of a range is a number, not a string",
                "Convert it: ag.strings.to_number(x).",
            )
        if isinstance(operand, Tensor) and operand.dims not in ((), None):
            raise ShapeError(
                f"a bound of a range is one number, not a tensor of shape {show(operand.dims)}",
                "Its items are x[0], x[1], ...; its length is ag.shape(x)[0].",
            )
    dtype = _widest(operands) if dtype is None else as_dtype(dtype)
    return Range(
        *(
            cast(operand, dtype) if isinstance(operand, Tensor) else to_array(operand, dtype)
            for operand in operands
        ),
        name=name,
    )


def _widest(operands):
    """The dtype of a range: Python scalars count only if no tensor is as wide."""
    tensors = [operand.dtype for operand in operands if isinstance(operand, Tensor)]
    scalars = [FROM_NUMPY[operand.dtype] for operand in operands if not isinstance(operand, Tensor)]
    floats = [dtype for dtype in tensors if dtype.is_floating]
    if not floats and any(dtype.is_floating for dtype in scalars):
        return float32
    return max(floats or tensors or scalars, key=lambda dtype: dtype.size)


@hidden_op
class Linspace:
    """Evenly spaced values."""

    accepts = {"start": FLOATS, "stop": FLOATS, "num": SIGNED}
    moves_only = False

    def kernel(start, stop, num, *, axis):
        if num < 1:
            raise InvalidArgumentError(f"linspace: {num} values")
        ends = start.astype(np.float64), stop.astype(np.float64)
        return np.linspace(*ends, int(num), axis=axis).astype(start.dtype)

    def result(start, stop, num, *, axis):
        count = full_constant(num)
        if count is not None and count < 1:
            raise InvalidArgumentError(f"linspace: {count} values")
        try:
            shape = broadcast(start.shape, stop.shape)
        except ValueError as error:
            raise ShapeError(f"linspace: {error}") from None
        if shape is None:
            return Spec(start.dtype, None)
        position = normal_axis(axis, len(shape) + 1)
        return Spec(
            start.dtype,
            (*shape[:position], None if count is None else int(count), *shape[position:]),
        )

    def element(ix, start, stop, num, *, axis, out):
        position = axis % len(ix)
        index, others = ix[position], (*ix[:position], *ix[position + 1 :])
        ends = (end.at(*broadcast_index(end.shape, others)) for end in (start, stop))
        low, high = (out.writer.cast(end, as_dtype("float64")) for end in ends)
        steps = max(out.shape[position] - 1, 1)
        return (index < steps).choice(low + index * ((high - low) / steps), high)


@public("linspace")
def linspace(start, stop, num, name=None, axis=0):
    """`num` values from `start` to `stop`, both included, evenly spaced along a new `axis`.

    `start` and `stop` are floats of one dtype, which is that of the result; their shapes broadcast.

    >>> ag.linspace(0.0, 1.0, 3).numpy()
    array([0. , 0.5, 1. ], dtype=float32)

    Raises InvalidArgumentError unless `num` is positive.
    """
    start, stop = (float(end) if isinstance(end, int) else end for end in (start, stop))
    return Linspace(start, stop, num, axis=static_axis(axis), name=name)
