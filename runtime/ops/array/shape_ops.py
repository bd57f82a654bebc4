"""Shapes of tensors; reshaping, transposing and broadcasting."""

from __future__ import annotations

import math

import numpy as np

from ...core.dtypes import ANY, SIGNED, DType, as_dtype, int32, string
from ...core.errors import ShapeError
from ...core.public_names import public
from ...core.shapes import (
    is_static,
    normal_axes,
    normal_axis,
    show,
    size_of,
)
from ...ir.constant_values import constant_dimensions
from ...ir.indexing import broadcast_index
from ...ir.op import Spec
from ...tensors.apply import convert_to_tensor
from ...tensors.operation import hidden_op, op, ops
from ..math.reductions import static_axis


def as_constant(value, dtype: DType) -> np.ndarray | None:
    """A partly constant value: in its dtype if all of it is constant, None if nothing is."""
    value = np.asarray(value)
    if dtype is string:
        return value
    missing = [item is None for item in value.reshape(-1).tolist()]
    if not any(missing):
        return value.astype(dtype.numpy_dtype)
    return None if all(missing) and value.ndim == 0 else value


@hidden_op
class Shape:
    """The shape, as an integer vector."""

    componentwise = True
    may_raise = False
    any_rows = True

    def kernel(x, *, dtype=int32):
        return np.array(x.shape, dtype.numpy_dtype)

    def result(x, *, dtype):
        return Spec(dtype, (None if x.shape is None else len(x.shape),))

    def partial(x, *, dtype):
        if x.shape is None:
            return None
        return np.array(x.shape, dtype.numpy_dtype if is_static(x.shape) else object)


@public("shape")
def shape(input, out_type=int32, name=None):
    """The shape of `input`, as a vector of `out_type` (int32 or int64).

    >>> ag.shape([[1, 2, 3]]).numpy()
    array([1, 3], dtype=int32)
    """
    return Shape(input, dtype=as_dtype(out_type), name=name)


@public("shape_n")
def shape_n(input, out_type=int32, name=None):
    """The shapes of a list of tensors, as a list of vectors of `out_type`.

    >>> [one.numpy().tolist() for one in ag.shape_n([[1, 2], [[3]]])]
    [[2], [1, 1]]
    """
    return [shape(tensor, out_type) for tensor in input]


@hidden_op
class Size:
    """The number of elements."""

    componentwise = True

    def kernel(x, *, dtype=int32):
        return dtype.as_numpy_dtype(np.size(x))

    def result(x, *, dtype):
        return Spec(dtype, ())

    def partial(x, *, dtype):
        return np.array(size_of(x.shape), dtype.numpy_dtype) if is_static(x.shape) else None


@public("size")
def size(input, out_type=int32, name=None):
    """The number of elements of `input`, as a scalar of `out_type`.

    >>> ag.size([[1, 2, 3]])
    <ag.Tensor: shape=(), dtype=int32, numpy=3>
    """
    return Size(input, dtype=as_dtype(out_type), name=name)


@op
class Rank:
    """The number of axes, as an int32 scalar.

    >>> ag.rank([[1, 2]])
    <ag.Tensor: shape=(), dtype=int32, numpy=2>
    """

    public = ("rank",)

    def kernel(x):
        return np.int32(np.ndim(x))

    def result(x):
        return Spec(int32, ())

    def partial(x):
        return None if x.shape is None else np.array(len(x.shape), np.int32)


@op
class Reshape:
    """The same elements, in row-major order, in the shape `shape`.

    One dimension may be -1. It is computed from the number of elements.

    >>> ag.reshape([1, 2, 3, 4], [2, -1]).numpy()
    array([[1, 2],
           [3, 4]], dtype=int32)

    Raises ShapeError if the number of elements differs.
    """

    componentwise = True
    accepts = {"tensor": ANY, "shape": SIGNED}
    public = ("reshape",)
    may_raise = False
    moves_only = True
    parallel_safe = True
    only_reshapes = True
    native_result = "view"
    is_view = True

    def kernel(tensor, shape):
        return np.reshape(tensor, tuple(shape.reshape(-1).tolist()))

    def result(tensor, shape):
        sizes = constant_dimensions(shape)
        if sizes is None:
            return Spec(tensor.dtype, None)
        if sum(size == -1 for size in sizes) > 1 or any(
            size is not None and size < -1 for size in sizes
        ):
            raise ShapeError(f"reshape: {show(sizes)} is not a shape")
        total = size_of(tensor.shape)
        product = math.prod(size for size in sizes if size not in (None, -1))
        if None not in sizes and total is not None:
            if -1 in sizes and product and total % product == 0:
                sizes = tuple(total // product if size == -1 else size for size in sizes)
            if -1 in sizes or math.prod(sizes) != total:
                elements = f"the {total} elements of shape {show(tensor.shape)}"
                raise ShapeError(
                    f"reshape: {elements} do not fit {show(sizes)}",
                    f"The sizes have to multiply to {total}; -1 stands for the one that is left.",
                )
        return Spec(tensor.dtype, tuple(None if size == -1 else size for size in sizes))

    def gradient(dy, y, tensor, shape):
        return ops.reshape(dy, ops.shape(tensor)), None


reshape = Reshape


@hidden_op
class Transpose:
    """The axes permuted."""

    may_raise = False
    is_view = True

    def kernel(x, *, perm):
        return np.transpose(x, perm)

    def result(x, *, perm):
        if x.shape is None:
            return Spec(x.dtype, None if perm is None else (None,) * len(perm))
        order = range(len(x.shape))[::-1] if perm is None else perm
        if sorted(order) != list(range(len(x.shape))):
            axes = f"the {len(x.shape)} axes of {show(x.shape)}"
            raise ShapeError(f"transpose: {list(order)} is not a permutation of {axes}")
        return Spec(x.dtype, tuple(x.shape[axis] for axis in order))

    def kept_axes(result, x, *, perm):
        order = range(len(x))[::-1] if perm is None else perm
        return ({at: along for along, at in enumerate(order)},)

    def element(ix, x, *, perm, out):
        order = list(range(len(ix)))[::-1] if perm is None else list(perm)
        return x.at(*(ix[order.index(axis)] for axis in range(len(ix))))

    def gradient(dy, y, x, *, perm):
        inverse = None if perm is None else tuple(perm.index(axis) for axis in range(len(perm)))
        return (Transpose(dy, perm=inverse),)


@public("transpose", "linalg.transpose")
def transpose(a, perm=None, conjugate=False, name=None):
    """`a` with its axes permuted: axis i of the result is axis `perm[i]` of `a`.

    Without `perm` the order is reversed. `conjugate=True` also conjugates complex numbers.

    >>> ag.transpose([[1, 2, 3]]).numpy().tolist()
    [[1], [2], [3]]

    Raises ShapeError unless `perm` is a permutation of the axes.
    """
    perm = static_axis(perm)
    if perm is not None:
        perm = tuple(normal_axis(axis, len(perm), "transpose: axis") for axis in perm)
    return _conjugated(Transpose(a, perm=perm, name=name), conjugate)


@public("linalg.matrix_transpose")
def matrix_transpose(a, conjugate=False, name=None):
    """`a` with its last two axes exchanged. `conjugate=True` also conjugates complex numbers.

    >>> ag.linalg.matrix_transpose([[[1, 2]]]).numpy().tolist()
    [[[1], [2]]]

    Raises ShapeError for fewer than two axes, or an unknown rank.
    """
    a = convert_to_tensor(a)
    rank = a.ndim
    if rank is None or rank < 2:
        raise ShapeError(
            f"matrix_transpose: a tensor of shape {show(a.dims)} is not known to hold matrices"
        )
    return _conjugated(Transpose(a, perm=(*range(rank - 2), rank - 1, rank - 2)), conjugate)


def _conjugated(x, conjugate: bool):
    return ops.conj(x) if conjugate and x.dtype.is_complex else x


@hidden_op
class ExpandDims:
    """The operand with an axis of size 1 inserted."""

    may_raise = False
    only_reshapes = True

    def kernel(x, *, axis):
        return np.expand_dims(x, axis)

    def result(x, *, axis):
        if x.shape is None:
            return Spec(x.dtype, None)
        position = normal_axis(axis, len(x.shape) + 1)
        return Spec(x.dtype, (*x.shape[:position], 1, *x.shape[position:]))

    def element(ix, x, *, axis, out):
        position = axis % len(ix)
        return x.at(*ix[:position], *ix[position + 1 :])

    def gradient(dy, y, x, *, axis):
        return (ops.reshape(dy, ops.shape(x)),)


@public("expand_dims")
def expand_dims(input, axis, name=None):
    """`input` with an axis of size 1 inserted at the position `axis` of the result.

    >>> ag.expand_dims([1, 2], -1).shape
    TensorShape([2, 1])

    Raises ShapeError if `axis` is outside the rank of the result.
    """
    return ExpandDims(input, axis=static_axis(axis), name=name)


@hidden_op
class Squeeze:
    """The operand without axes of size 1."""

    may_raise = False
    only_reshapes = True

    def kernel(x, *, axis):
        if not x.shape:
            squeezed_axes((), axis)  # NumPy accepts any axis of a scalar
        return np.squeeze(x, axis)

    def result(x, *, axis):
        if x.shape is None or (axis is None and not is_static(x.shape)):
            return Spec(x.dtype, None)
        axes = squeezed_axes(x.shape, axis)
        for position in axes:
            if x.shape[position] not in (1, None):
                raise ShapeError(f"squeeze: axis {position} of {show(x.shape)} is not 1")
        return Spec(
            x.dtype, tuple(size for position, size in enumerate(x.shape) if position not in axes)
        )

    def element(ix, x, *, axis, out):
        axes = squeezed_axes(x.shape, axis)
        left = iter(ix)
        return x.at(*(0 if position in axes else next(left) for position in range(x.rank)))

    def gradient(dy, y, x, *, axis):
        return (ops.reshape(dy, ops.shape(x)),)


def squeezed_axes(shape, axis):
    if axis is None:
        return [position for position, size in enumerate(shape) if size == 1]
    return normal_axes(axis, len(shape))


@public("squeeze")
def squeeze(input, axis=None, name=None):
    """`input` without its axes of size 1, or without those listed in `axis`.

    >>> ag.squeeze([[[1], [2]]]).shape
    TensorShape([2])

    Raises ShapeError if a listed axis is not of size 1.
    """
    axis = static_axis(axis)
    return Squeeze(
        input,
        axis=axis if axis is None or isinstance(axis, int) else tuple(axis) or None,
        name=name,
    )


@op
class BroadcastTo:
    """`input` repeated along axes of size 1 and along new leading axes, to the shape `shape`.

    >>> ag.broadcast_to([1, 2], [2, 2]).numpy().tolist()
    [[1, 2], [1, 2]]

    Raises ShapeError unless `input` broadcasts to exactly this shape.
    """

    accepts = {"input": ANY, "shape": SIGNED}
    public = ("broadcast_to",)
    may_raise = False

    def kernel(input, shape):
        return np.broadcast_to(input, tuple(shape.reshape(-1).tolist()))

    def result(input, shape):
        target = constant_dimensions(shape)
        if target is None or input.shape is None:
            return Spec(input.dtype, target)
        added = len(target) - len(input.shape)
        pairs = list(zip(input.shape, target[added:], strict=True)) if added >= 0 else []
        if added < 0 or any(size not in (1, None, to) and to is not None for size, to in pairs):
            raise ShapeError(f"broadcast_to: {show(input.shape)} does not become {show(target)}")
        kept = tuple(size if to is None and size != 1 else to for size, to in pairs)
        return Spec(input.dtype, (*target[:added], *kept))

    def element(ix, input, shape, *, out):
        return input.at(*broadcast_index(input.shape, ix))

    def gradient(dy, y, input, shape):
        return dy, None
