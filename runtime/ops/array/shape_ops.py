"""The shape of tensors, and the same elements in another shape."""

from __future__ import annotations

import math

import numpy as np

from ...core.axes import normal_axes, normal_axis
from ...core.dtypes import ANY, SIGNED, DType, as_dtype, int32, string
from ...core.errors import InvalidArgumentError, ShapeError
from ...core.public_names import public
from ...core.shapes import TensorShape, as_shape, broadcast, is_static, show, size_of
from ...ir.constant_values import known_dimensions
from ...ir.op import Spec
from ...tensors.apply import convert_to_tensor
from ...tensors.operation import op, ops
from ..math.casting import Conj
from ..math.reductions import static_axis


def settled(known, dtype: DType) -> np.ndarray | None:
    """A value known in part: of its own type where all of it is known, None where nothing is."""
    known = np.asarray(known)
    if dtype is string:
        return known
    missing = [item is None for item in known.reshape(-1).tolist()]
    if not any(missing):
        return known.astype(dtype.numpy_dtype)
    return None if all(missing) and known.ndim == 0 else known


def broadcast_places(shape, ix) -> tuple:
    """Where element `ix` of a broadcast result is found in an operand of this shape."""
    own = ix[len(ix) - len(shape) :] if shape else ()
    return tuple("0" if size == 1 else index for size, index in zip(shape, own, strict=True))


@op
class Shape:
    """The shape, as an integer vector."""

    hidden = True

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
    """The shape, as an integer vector.

    >>> shape([[1, 2, 3]]).numpy()
    array([1, 3], dtype=int32)
    """
    return Shape(input, dtype=as_dtype(out_type), name=name)


@public("shape_n")
def shape_n(input, out_type=int32, name=None):
    """The shapes of a list of tensors, each an integer vector.

    >>> [one.numpy().tolist() for one in shape_n([[1, 2], [[3]]])]
    [[2], [1, 1]]
    """
    return [shape(one, out_type) for one in input]


@op
class Size:
    """How many elements there are."""

    hidden = True

    def kernel(x, *, dtype=int32):
        return dtype.as_numpy_dtype(np.size(x))

    def result(x, *, dtype):
        return Spec(dtype, ())

    def partial(x, *, dtype):
        return np.array(size_of(x.shape), dtype.numpy_dtype) if is_static(x.shape) else None


@public("size")
def size(input, out_type=int32, name=None):
    """How many elements there are, as a scalar.

    >>> size([[1, 2, 3]])
    <tf.Tensor: shape=(), dtype=int32, numpy=3>
    """
    return Size(input, dtype=as_dtype(out_type), name=name)


@op
class Rank:
    """How many axes there are, as a scalar.

    >>> import allograph as ag
    >>> ag.rank([[1, 2]])
    <tf.Tensor: shape=(), dtype=int32, numpy=2>
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
    """The same elements, in row-major order, in another shape; -1 stands for what is left.

    >>> import allograph as ag
    >>> ag.reshape([1, 2, 3, 4], [2, -1]).numpy()
    array([[1, 2],
           [3, 4]], dtype=int32)

    Raises ShapeError where the number of elements differs.
    """

    accepts = {"tensor": ANY, "shape": SIGNED}
    public = ("reshape",)
    may_raise = False
    moves_only = True
    parallel_safe = True
    only_reshapes = True

    def kernel(tensor, shape):
        return np.reshape(tensor, tuple(shape.reshape(-1).tolist()))

    def result(tensor, shape):
        wanted = known_dimensions(shape)
        if wanted is None:
            return Spec(tensor.dtype, None)
        if sum(size == -1 for size in wanted) > 1 or any(
            size is not None and size < -1 for size in wanted
        ):
            raise ShapeError(f"reshape: {show(wanted)} is not a shape")
        have = size_of(tensor.shape)
        fixed = math.prod(size for size in wanted if size not in (None, -1))
        if None not in wanted and have is not None:
            if -1 in wanted and fixed and have % fixed == 0:
                wanted = tuple(have // fixed if size == -1 else size for size in wanted)
            if -1 in wanted or math.prod(wanted) != have:
                elements = f"the {have} elements of shape {show(tensor.shape)}"
                raise ShapeError(f"reshape: {elements} do not fit {show(wanted)}")
        return Spec(tensor.dtype, tuple(None if size == -1 else size for size in wanted))

    def gradient(dy, y, tensor, shape):
        return ops.reshape(dy, ops.shape(tensor)), None


reshape = Reshape


@op
class Transpose:
    """The axes in another order."""

    hidden = True
    may_raise = False

    def kernel(x, *, perm):
        return np.transpose(x, perm)

    def result(x, *, perm):
        if x.shape is None:
            return Spec(x.dtype, None if perm is None else (None,) * len(perm))
        order = range(len(x.shape))[::-1] if perm is None else perm
        if sorted(order) != list(range(len(x.shape))):
            axes = f"the {len(x.shape)} axes of {show(x.shape)}"
            raise ShapeError(f"transpose: {list(order)} is not an order of {axes}")
        return Spec(x.dtype, tuple(x.shape[axis] for axis in order))

    def element(ix, x, *, perm, out):
        order = list(range(len(ix)))[::-1] if perm is None else list(perm)
        return x.at(*(ix[order.index(axis)] for axis in range(len(ix))))

    def gradient(dy, y, x, *, perm):
        back = None if perm is None else tuple(perm.index(axis) for axis in range(len(perm)))
        return (Transpose(dy, perm=back),)


@public("transpose", "linalg.transpose")
def transpose(a, perm=None, conjugate=False, name=None):
    """The axes in the order `perm`; reversed when it is left out. `conjugate` also conjugates.

    >>> transpose([[1, 2, 3]]).numpy().tolist()
    [[1], [2], [3]]

    Raises ShapeError where `perm` is not an order of the axes.
    """
    perm = static_axis(perm)
    if perm is not None:
        perm = tuple(normal_axis(axis, len(perm), "transpose: axis") for axis in perm)
    return _conjugated(Transpose(a, perm=perm, name=name), conjugate)


@public("linalg.matrix_transpose")
def matrix_transpose(a, conjugate=False, name=None):
    """The last two axes exchanged; `conjugate` also conjugates.

    >>> matrix_transpose([[[1, 2]]]).numpy().tolist()
    [[[1], [2]]]

    Raises ShapeError for fewer than two axes, or an unknown number of them.
    """
    a = convert_to_tensor(a)
    rank = a.ndim
    if rank is None or rank < 2:
        raise ShapeError(
            f"matrix_transpose: a tensor of shape {show(a.dims)} is not known to hold matrices"
        )
    return _conjugated(Transpose(a, perm=(*range(rank - 2), rank - 1, rank - 2)), conjugate)


def _conjugated(x, conjugate: bool):
    return Conj(x) if conjugate and x.dtype.is_complex else x


@op
class ExpandDims:
    """With an axis of size 1 inserted."""

    hidden = True
    may_raise = False
    only_reshapes = True

    def kernel(x, *, axis):
        return np.expand_dims(x, axis)

    def result(x, *, axis):
        if x.shape is None:
            return Spec(x.dtype, None)
        place = normal_axis(axis, len(x.shape) + 1)
        return Spec(x.dtype, (*x.shape[:place], 1, *x.shape[place:]))

    def element(ix, x, *, axis, out):
        place = axis % len(ix)
        return x.at(*ix[:place], *ix[place + 1 :])

    def gradient(dy, y, x, *, axis):
        return (ops.reshape(dy, ops.shape(x)),)


@public("expand_dims")
def expand_dims(input, axis, name=None):
    """With an axis of size 1 inserted at `axis`.

    >>> expand_dims([1, 2], -1).shape
    TensorShape([2, 1])

    Raises ShapeError where `axis` is outside of the result.
    """
    return ExpandDims(input, axis=static_axis(axis), name=name)


@op
class Squeeze:
    """Without axes of size 1."""

    hidden = True
    may_raise = False
    only_reshapes = True

    def kernel(x, *, axis):
        return np.squeeze(x, axis)

    def result(x, *, axis):
        if x.shape is None or (axis is None and not is_static(x.shape)):
            return Spec(x.dtype, None)
        axes = squeezed_axes(x.shape, axis)
        for place in axes:
            if x.shape[place] not in (1, None):
                raise ShapeError(f"squeeze: axis {place} of {show(x.shape)} is not 1")
        return Spec(x.dtype, tuple(size for place, size in enumerate(x.shape) if place not in axes))

    def element(ix, x, *, axis, out):
        axes = squeezed_axes(x.shape, axis)
        left = iter(ix)
        return x.at(*("0" if place in axes else next(left) for place in range(x.rank)))

    def gradient(dy, y, x, *, axis):
        return (ops.reshape(dy, ops.shape(x)),)


def squeezed_axes(shape, axis):
    if axis is None:
        return [place for place, size in enumerate(shape) if size == 1]
    return normal_axes(axis, len(shape))


@public("squeeze")
def squeeze(input, axis=None, name=None):
    """Without the axes of size 1, or without those listed in `axis`.

    >>> squeeze([[[1], [2]]]).shape
    TensorShape([2])

    Raises ShapeError where a listed axis is not of size 1.
    """
    axis = static_axis(axis)
    return Squeeze(
        input,
        axis=axis if axis is None or isinstance(axis, int) else tuple(axis) or None,
        name=name,
    )


@op
class BroadcastTo:
    """Repeated along axes of size 1, and along new leading axes.

    >>> import allograph as ag
    >>> ag.broadcast_to([1, 2], [2, 2]).numpy().tolist()
    [[1, 2], [1, 2]]

    Raises ShapeError where the input does not broadcast to exactly this shape.
    """

    accepts = {"input": ANY, "shape": SIGNED}
    public = ("broadcast_to",)
    may_raise = False

    def kernel(input, shape):
        return np.broadcast_to(input, tuple(shape.reshape(-1).tolist()))

    def result(input, shape):
        wanted = known_dimensions(shape)
        if wanted is None or input.shape is None:
            return Spec(input.dtype, wanted)
        added = len(wanted) - len(input.shape)
        pairs = list(zip(input.shape, wanted[added:], strict=True)) if added >= 0 else []
        if added < 0 or any(size not in (1, None, to) and to is not None for size, to in pairs):
            raise ShapeError(f"broadcast_to: {show(input.shape)} does not become {show(wanted)}")
        kept = tuple(size if to is None and size != 1 else to for size, to in pairs)
        return Spec(input.dtype, (*wanted[:added], *kept))

    def element(ix, input, shape, *, out):
        return input.at(*broadcast_places(input.shape, ix))

    def gradient(dy, y, input, shape):
        return dy, None


@public("broadcast_static_shape")
def broadcast_static_shape(shape_x, shape_y):
    """The shape that broadcasting two `TensorShape`s gives, as far as it is known.

    >>> broadcast_static_shape([3, 1], [4])
    TensorShape([3, 4])

    Raises ValueError where they do not broadcast.
    """
    return TensorShape(broadcast(as_shape(shape_x), as_shape(shape_y)))


@op
class BroadcastDynamicShape:
    """The shape that broadcasting gives, as an integer vector; for shapes known only at run time.

    >>> import allograph as ag
    >>> ag.broadcast_dynamic_shape([2, 1], [3]).numpy()
    array([2, 3], dtype=int32)

    Raises InvalidArgumentError where they do not broadcast.
    """

    accepts = SIGNED
    public = ("broadcast_dynamic_shape",)

    def kernel(shape_x, shape_y):
        try:
            made = broadcast(tuple(shape_x.tolist()), tuple(shape_y.tolist()))
        except ValueError as error:
            raise InvalidArgumentError(str(error)) from None
        return np.array(made, shape_x.dtype)

    def result(shape_x, shape_y):
        known = [value.shape[0] if value.shape else None for value in (shape_x, shape_y)]
        return Spec(shape_x.dtype, (None if None in known else max(known),))

    def partial(shape_x, shape_y):
        given = [known_dimensions(value) for value in (shape_x, shape_y)]
        try:
            made = broadcast(*given)
        except ValueError:
            return None  # the kernel says so, at run time
        return None if made is None else settled(np.array(made, object), shape_x.dtype)


@public("meshgrid")
def meshgrid(*args, indexing="xy", name=None):
    """Coordinate grids from vectors: one for each, all of one shape.

    `indexing="ij"` has the first vector along the first axis, "xy" along the second.

    >>> [grid.numpy().tolist() for grid in meshgrid([1, 2], [5])]
    [[[1, 2]], [[5, 5]]]
    """
    if indexing not in ("xy", "ij"):
        raise ValueError(f"meshgrid: indexing is 'xy' or 'ij', not {indexing!r}")
    count, grids = len(args), []
    for place, vector in enumerate(args):
        sides = [1] * count
        sides[place] = -1
        grids.append(Reshape(vector, sides))
    total = common_shape(grids)
    made = [BroadcastTo(grid, total) for grid in grids]
    if indexing == "xy" and count > 1:
        order = (1, 0, *range(2, count))
        made = [Transpose(grid, perm=order) for grid in made]
    return made


def common_shape(tensors):
    """The shape that tensors broadcast to, as a tensor."""
    total = shape(tensors[0])
    for tensor in tensors[1:]:
        total = BroadcastDynamicShape(total, shape(tensor))
    return total
