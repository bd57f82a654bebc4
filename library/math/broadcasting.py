"""The shapes that tensors broadcast to, and coordinate grids."""

from __future__ import annotations

import numpy as np

from ... import TensorShape, broadcast_to, reshape, shape
from ...extend.errors import InvalidArgumentError
from ...extend.operations import SIGNED, Spec, as_constant, constant_dimensions, op, ops
from ...extend.registration import public
from ...extend.specs import as_shape, broadcast


@public("broadcast_static_shape")
def broadcast_static_shape(shape_x, shape_y):
    """The shape that two static shapes broadcast to, as a `TensorShape`.

    >>> ag.broadcast_static_shape([3, 1], [4])
    TensorShape([3, 4])

    Raises ValueError if they do not broadcast.
    """
    return TensorShape(broadcast(as_shape(shape_x), as_shape(shape_y)))


@op
class BroadcastDynamicShape:
    """The shape that two shapes broadcast to. All three are integer vectors.

    This works for shapes that are known only when the program runs.

    >>> ag.broadcast_dynamic_shape([2, 1], [3]).numpy()
    array([2, 3], dtype=int32)

    Raises InvalidArgumentError if they do not broadcast.
    """

    accepts = SIGNED
    public = ("broadcast_dynamic_shape",)

    def kernel(shape_x, shape_y):
        try:
            result = broadcast(tuple(shape_x.tolist()), tuple(shape_y.tolist()))
        except ValueError as error:
            raise InvalidArgumentError(str(error)) from None
        return np.array(result, shape_x.dtype)

    def result(shape_x, shape_y):
        lengths = [value.shape[0] if value.shape else None for value in (shape_x, shape_y)]
        return Spec(shape_x.dtype, (None if None in lengths else max(lengths),))

    def partial(shape_x, shape_y):
        shapes = [constant_dimensions(value) for value in (shape_x, shape_y)]
        try:
            result = broadcast(*shapes)
        except ValueError:
            return None  # the kernel raises the error at run time
        return None if result is None else as_constant(np.array(result, object), shape_x.dtype)


@public("meshgrid")
def meshgrid(*args, indexing="xy", name=None):
    """Coordinate grids from n vectors: a list of n tensors of one shape and rank n.

    With `indexing="ij"` the first vector varies along the first axis, with "xy" along the second.

    >>> [grid.numpy().tolist() for grid in ag.meshgrid([1, 2], [5])]
    [[[1, 2]], [[5, 5]]]

    Raises ValueError for another `indexing`.
    """
    if indexing not in ("xy", "ij"):
        raise ValueError(f"meshgrid: indexing is 'xy' or 'ij', not {indexing!r}")
    count, grids = len(args), []
    for position, vector in enumerate(args):
        sides = [1] * count
        sides[position] = -1
        grids.append(reshape(vector, sides))
    total = common_shape(grids)
    results = [broadcast_to(grid, total) for grid in grids]
    if indexing == "xy" and count > 1:
        order = (1, 0, *range(2, count))
        results = [ops.transpose(grid, perm=order) for grid in results]
    return results


def common_shape(tensors):
    """The shape that tensors broadcast to, as an integer vector."""
    total = shape(tensors[0])
    for tensor in tensors[1:]:
        total = BroadcastDynamicShape(total, shape(tensor))
    return total
