"""Selection by condition: where, boolean masks, one-hot vectors."""

from __future__ import annotations

import math

import numpy as np

from ...core.dtypes import ANY, BOOLS, INTEGERS, NUMBERS, SIGNED, float32, int64
from ...core.errors import ShapeError
from ...core.public_names import public
from ...core.shapes import is_compatible, normal_axis, show
from ...ir.constant_values import full_constant
from ...ir.op import Spec, broadcast_shapes
from ...tensors.apply import convert_to_tensor
from ...tensors.operation import hidden_op, ops
from ..gradient_helpers import scalar_zero, zeros_like
from ..math.casting import cast
from ..math.reductions import static_axis


@hidden_op
class Select:
    """`x` where the condition is true, else `y`."""

    componentwise = True
    accepts = {"condition": BOOLS, "x": ANY, "y": ANY}
    scalar = "select({condition}, {x}, {y})"

    def kernel(condition, x, y):
        return np.where(condition, x, y)

    def result(condition, x, y):
        return Spec(x.dtype, broadcast_shapes(condition, x, y))

    def gradient(dy, z, condition, x, y):
        zero = scalar_zero(dy)
        return None, ops.select(condition, dy, zero), ops.select(condition, zero, dy)


@hidden_op
class Nonzero:
    """The indices of the true or nonzero elements: a row of indices for each."""

    accepts = NUMBERS | BOOLS

    def kernel(condition):
        return np.argwhere(condition).astype(np.int64)

    def result(condition):
        return Spec(int64, (None, None if condition.shape is None else len(condition.shape)))


@public("where")
def where(condition, x=None, y=None, name=None):
    """`x` where the bool `condition` is true, else `y`; the three shapes broadcast.

    Without `x` and `y`: the indices of the true or nonzero elements, int64 of shape [count, rank].

    >>> ag.where([True, False], [1, 2], 0).numpy()
    array([1, 0], dtype=int32)
    >>> ag.where([False, True]).numpy()
    array([[1]])

    Raises ShapeError if the shapes do not broadcast, DTypeError if the dtypes of `x` and `y`
    differ, and ValueError if only one of them is given.
    """
    if x is None and y is None:
        return Nonzero(condition)
    if x is None or y is None:
        raise ValueError("where: give both x and y, or neither")
    return Select(condition, x, y, name=name)


@hidden_op
class BooleanMask:
    """The slices for which the mask is true; the axes of the mask become one."""

    accepts = {"tensor": ANY, "mask": BOOLS}
    moves_only = True

    def kernel(tensor, mask, *, axis):
        position = _masked_axis(tensor, mask, axis)
        return tensor[(slice(None),) * position + (mask,)]

    def result(tensor, mask, *, axis):
        if tensor.shape is None or mask.shape is None:
            return Spec(tensor.dtype, None)
        position = _masked_axis(tensor, mask, axis)
        return Spec(
            tensor.dtype,
            (*tensor.shape[:position], None, *tensor.shape[position + len(mask.shape) :]),
        )

    def largest_shape(tensor, mask, *, axis):
        return None if axis else (math.prod(mask), *tensor[len(mask) :])

    def gradient(dy, y, tensor, mask, *, axis):
        indices = ops.nonzero(mask)
        count, under = len(mask.dims), normal_axis(axis, len(tensor.dims))
        zeros = zeros_like(tensor)
        columns = ops.unstack(indices, num=count, axis=1)
        return ops.replaced_by_arrays(
            zeros, dy, *columns, axes=tuple(range(under, under + count))
        ), None


def _masked_axis(tensor, mask, axis: int) -> int:
    """The first axis of the mask. Raises ShapeError if the mask does not fit there."""
    rank = len(tensor.shape)
    position = normal_axis(axis, rank) if rank else 0
    if not is_compatible(tensor.shape[position : position + len(mask.shape)], mask.shape):
        at = f" at axis {position}" if position else ""
        raise ShapeError(
            f"a mask of shape {show(mask.shape)} for a tensor of shape {show(tensor.shape)}{at}"
        )
    return position


@hidden_op
class PlacesUnder:
    """Where a mask over the axes of `x` from `axis` on is true: an index vector for each axis."""

    accepts = {"mask": BOOLS, "x": ANY}

    def kernel(mask, x, *, axis, rank):
        _masked_axis(x, mask, axis)
        return tuple(column.astype(np.int64) for column in np.nonzero(mask))

    def result(mask, x, *, axis, rank):
        if mask.shape is not None and x.shape is not None:
            _masked_axis(x, mask, axis)
        return (Spec(int64, (None,)),) * rank

    def largest_shape(mask, x, *, axis, rank):
        return (math.prod(mask),)


@hidden_op
class ReplacedByMask:
    """`x` with the slices for which the mask is true replaced by those of `value`, in order."""

    accepts = {"x": ANY, "mask": BOOLS, "value": ANY}
    moves_only = True
    native_result = "overwrites"
    any_length = True

    def kernel(x, mask, value):
        _masked_axis(x, mask, 0)
        result = np.array(x)
        result[mask] = value if value.ndim else value[()]
        return result

    def result(x, mask, value):
        if x.shape is not None and mask.shape is not None:
            _masked_axis(x, mask, 0)
        return Spec(x.dtype, x.shape)

    def gradient(dy, y, x, mask, value):
        zero = scalar_zero(dy)
        return ops.replaced_by_mask(dy, mask, zero), None, ops.boolean_mask(dy, mask, axis=0)


@public("boolean_mask")
def boolean_mask(tensor, mask, axis=None, name="boolean_mask"):
    """The slices of `tensor` for which the bool `mask` is true.

    The mask covers the axes of `tensor` from `axis` (default 0) on. In the result these axes are
    replaced by one, which counts the true elements.

    >>> ag.boolean_mask([1, 2, 3], [True, False, True]).numpy()
    array([1, 3], dtype=int32)
    >>> ag.boolean_mask([[1, 2], [3, 4]], [False, True], axis=1).numpy().tolist()
    [[2], [4]]

    Raises ShapeError unless the mask has the shape of the axes that it covers.
    """
    return BooleanMask(tensor, mask, axis=0 if axis is None else static_axis(axis), name=name)


@hidden_op
class OneHot:
    """Vectors that are `on` at one index and `off` elsewhere."""

    accepts = {"indices": INTEGERS, "depth": SIGNED, "on": ANY, "off": ANY}

    def kernel(indices, depth, on, off, *, axis):
        spread = np.expand_dims(indices, axis)
        shape = [1] * spread.ndim
        shape[axis] = int(depth)
        return np.where(spread == np.arange(int(depth)).reshape(shape), on, off)

    def result(indices, depth, on, off, *, axis):
        if indices.shape is None:
            return Spec(on.dtype, None)
        size = full_constant(depth)
        if size is not None and size < 0:
            raise ShapeError(f"one_hot: a depth of {size}")
        position = normal_axis(axis, len(indices.shape) + 1)
        size = None if size is None else int(size)
        return Spec(on.dtype, (*indices.shape[:position], size, *indices.shape[position:]))

    def element(ix, indices, depth, on, off, *, axis, out):
        position = axis % len(ix)
        index = indices.at(*ix[:position], *ix[position + 1 :])
        return index.equals(ix[position]).choice(on.at(), off.at())

    def gradient(dy, y, indices, depth, on, off, *, axis):
        unit = dy.dtype.numpy_dtype.type(1)
        hot = OneHot(indices, depth, unit, unit * 0, axis=axis)
        return None, None, ops.reduce_sum(dy * hot), ops.reduce_sum(dy * (1 - hot))


@public("one_hot")
def one_hot(indices, depth, on_value=None, off_value=None, axis=None, dtype=None, name=None):
    """Vectors of length `depth` that are 1 (`on_value`) at `indices` and 0 (`off_value`) elsewhere.

    The vectors lie along `axis`, a new one, by default the last. An index outside
    `0 <= index < depth` gives a vector of zeros. The dtype is `dtype`, else that of `on_value` or
    `off_value`, else float32.

    >>> ag.one_hot([1, 0], 2).numpy().tolist()
    [[0.0, 1.0], [1.0, 0.0]]

    Raises TypeError for an `on_value` or `off_value` that the dtype cannot hold.
    """
    values = [convert_to_tensor(value) for value in (on_value, off_value) if value is not None]
    if dtype is None:
        dtype = values[0].dtype if values else float32
    on = cast(True, dtype) if on_value is None else convert_to_tensor(on_value, dtype)
    off = cast(False, dtype) if off_value is None else convert_to_tensor(off_value, dtype)
    return OneHot(
        indices, depth, on, off, axis=-1 if axis is None else static_axis(axis), name=name
    )
