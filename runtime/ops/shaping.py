"""The shape of tensors, and the same elements in another shape."""

from __future__ import annotations

import math

import numpy as np

from ..apply import apply, convert_to_tensor
from ..builder import known_dimensions
from ..dtypes import ANY, SIGNED, as_dtype, int32
from ..errors import ShapeError
from ..op import Spec, op
from ..shapes import broadcast, is_static, show, size_of
from ..vocabulary import public
from .reductions import static_axis
from .rules import normal_axes, normal_axis


@op
class Shape:
    """The shape, as an integer vector."""

    hidden = True

    def kernel(x, *, dtype):
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
    return Shape(input, dtype=as_dtype(out_type))


@op
class Size:
    """How many elements there are."""

    hidden = True

    def kernel(x, *, dtype):
        return dtype.as_numpy_dtype(np.size(x))

    def result(x, *, dtype):
        return Spec(dtype, ())

    def partial(x, *, dtype):
        return np.array(size_of(x.shape), dtype.numpy_dtype) if is_static(x.shape) else None


@public("size")
def size(input, out_type=int32, name=None):
    """How many elements there are."""
    return Size(input, dtype=as_dtype(out_type))


@op
class Rank:
    """How many axes there are."""

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
            rest = have // fixed if fixed else 0
            if -1 in wanted and fixed and have % fixed == 0:
                wanted = tuple(rest if size == -1 else size for size in wanted)
            if -1 in wanted or math.prod(wanted) != have:
                raise ShapeError(
                    f"reshape: the {have} elements of shape {show(tensor.shape)} do not "
                    f"fit {show(wanted)}"
                )
        return Spec(tensor.dtype, tuple(None if size == -1 else size for size in wanted))


reshape = Reshape


@op
class Transpose:
    """The axes in another order."""

    hidden = True

    def kernel(x, *, perm):
        return np.transpose(x, perm)

    def result(x, *, perm):
        if x.shape is None:
            return Spec(x.dtype, None if perm is None else (None,) * len(perm))
        order = range(len(x.shape))[::-1] if perm is None else perm
        if sorted(order) != list(range(len(x.shape))):
            raise ShapeError(
                f"transpose: {list(order)} is not an order of the {len(x.shape)} axes of "
                f"{show(x.shape)}"
            )
        return Spec(x.dtype, tuple(x.shape[axis] for axis in order))

    def element(ix, x, *, perm, out):
        order = list(range(len(ix)))[::-1] if perm is None else list(perm)
        return x.at(*(ix[order.index(axis)] for axis in range(len(ix))))


@public("transpose", "linalg.transpose")
def transpose(a, perm=None, conjugate=False, name=None):
    """The axes in another order; reversed when `perm` is left out.

    >>> transpose([[1, 2, 3]]).numpy().tolist()
    [[1], [2], [3]]
    """
    perm = static_axis(perm)
    return apply(Transpose, (a,), {"perm": None if perm is None else tuple(perm)})


def matrix_transpose(x):
    """The last two axes exchanged."""
    rank = x.ndim
    return Transpose(x, perm=(*range(rank - 2), rank - 1, rank - 2))


@public("linalg.matrix_transpose")
def _matrix_transpose(a, name=None):
    """The last two axes exchanged."""
    return matrix_transpose(convert_to_tensor(a))


@op
class ExpandDims:
    """With an axis of size 1 inserted."""

    hidden = True

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


@public("expand_dims")
def expand_dims(input, axis=0, name=None):
    """With an axis of size 1 inserted at `axis`.

    >>> expand_dims([1, 2], -1).shape
    TensorShape([2, 1])
    """
    return ExpandDims(input, axis=static_axis(axis))


@op
class Squeeze:
    """Without axes of size 1."""

    hidden = True

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


def squeezed_axes(shape, axis):
    if axis is None:
        return [place for place, size in enumerate(shape) if size == 1]
    return normal_axes(axis, len(shape))


@public("squeeze")
def squeeze(input, axis=None, name=None):
    """Without the axes of size 1, or without those listed in `axis`.

    >>> squeeze([[[1], [2]]]).shape
    TensorShape([2])
    """
    axis = static_axis(axis)
    return Squeeze(
        input, axis=axis if axis is None or isinstance(axis, int) else tuple(axis) or None
    )


@op
class BroadcastTo:
    """Repeated along axes of size 1, and along new leading axes.

    >>> import allograph as ag
    >>> ag.broadcast_to([1, 2], [2, 2]).numpy().tolist()
    [[1, 2], [1, 2]]
    """

    accepts = {"input": ANY, "shape": SIGNED}
    public = ("broadcast_to",)

    def kernel(input, shape):
        return np.broadcast_to(input, tuple(shape.reshape(-1).tolist()))

    def result(input, shape):
        wanted = known_dimensions(shape)
        if wanted is None or input.shape is None:
            return Spec(input.dtype, wanted)
        try:
            fits = broadcast(input.shape, wanted)
        except ValueError:
            fits = None
        if len(input.shape) > len(wanted) or fits is None:
            raise ShapeError(f"broadcast_to: {show(input.shape)} does not become {show(wanted)}")
        return Spec(input.dtype, wanted)

    def element(ix, input, shape, *, out):
        own = ix[len(ix) - input.rank :]
        return input.at(
            *("0" if size == 1 else index for size, index in zip(input.shape, own, strict=True))
        )


@public("broadcast_static_shape")
def broadcast_static_shape(shape_x, shape_y):
    """The shape that broadcasting gives, as far as it is known."""
    from ..shapes import TensorShape, as_shape

    return TensorShape(broadcast(as_shape(shape_x), as_shape(shape_y)))


@public("broadcast_dynamic_shape")
def broadcast_dynamic_shape(shape_x, shape_y):
    """The shape that broadcasting gives, as a tensor; for shapes known only at run time."""
    from .elementwise import Maximum

    return Maximum(shape_x, shape_y)


@public("meshgrid")
def meshgrid(*args, indexing="xy", name=None):
    """Coordinate grids from vectors.

    >>> [grid.numpy().tolist() for grid in meshgrid([1, 2], [5])]
    [[[1, 2]], [[5, 5]]]
    """
    vectors = [convert_to_tensor(one) for one in args]
    count = len(vectors)
    grids = []
    for place, vector in enumerate(vectors):
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
    """The common shape of tensors, as a tensor."""
    total = shape(tensors[0])
    for tensor in tensors[1:]:
        total = broadcast_dynamic_shape(total, shape(tensor))
    return total
