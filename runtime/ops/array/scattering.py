"""Scattering: slices at index vectors replaced by updates, or combined with them."""

from __future__ import annotations

import numpy as np

from ...core.dtypes import ANY, INTEGERS, NUMBERS, SIGNED
from ...core.errors import ShapeError
from ...core.public_names import public
from ...core.shapes import is_compatible, show
from ...ir.op import Spec
from ...tensors.apply import convert_to_tensor
from ...tensors.operation import op, ops
from .creation import zeros
from .gathering import check_indices


def scattering(name: str, combine):
    """A kernel that replaces the slices at `indices`, or combines them in order by a ufunc."""

    def kernel(tensor, indices, updates):
        _check_scatter(tensor, indices, updates, name)
        result = np.array(tensor)
        columns = tuple(np.moveaxis(indices, -1, 0))
        for axis, column in enumerate(columns):
            check_indices(column, tensor.shape[axis], axis, name)
        changed = result
        if not columns:  # empty index vectors: each update applies to the whole tensor
            columns, changed = (np.zeros(indices.shape[:-1], np.int64),), result[None]
        if combine is None:
            changed[columns] = updates
        else:
            combine.at(changed, columns, updates)
        return result

    return kernel


def _check_scatter(tensor, indices, updates, name: str) -> None:
    """Raise ShapeError unless `updates` has the shape that gather_nd would give."""
    if tensor.shape is None or indices.shape is None or indices.shape[-1:] == (None,):
        return
    if not indices.shape or indices.shape[-1] > len(tensor.shape):
        of = f"a tensor of shape {show(tensor.shape)}"
        raise ShapeError(f"{name}: indices of shape {show(indices.shape)} for {of}")
    target = (*indices.shape[:-1], *tensor.shape[indices.shape[-1] :])
    if not is_compatible(updates.shape, target):
        needed = f"where {show(target)} is needed"
        raise ShapeError(f"{name}: updates of shape {show(updates.shape)} {needed}")


def scattered(tensor, indices, updates) -> Spec:
    _check_scatter(tensor, indices, updates, "scatter")
    return Spec(tensor.dtype, tensor.shape)


@op
class TensorScatterNdUpdate:
    """`tensor` with the slices at the index vectors `indices` replaced by `updates`.

    For equal indices the last update wins. `updates` has the shape that
    `gather_nd(tensor, indices)` has, and the dtype of `tensor`.

    >>> ag.tensor_scatter_nd_update([1, 2, 3], [[2], [0]], [9, 8]).numpy()
    array([8, 2, 9], dtype=int32)

    Raises OutOfBoundsError with the index, axis and size, ShapeError if `updates` does not fit.
    """

    componentwise = True
    accepts = {"tensor": ANY, "indices": INTEGERS, "updates": ANY}
    public = ("tensor_scatter_nd_update",)
    kernel = scattering("tensor_scatter_nd_update", None)
    result = scattered
    native_result = "overwrites"

    def gradient(dy, y, tensor, indices, updates):
        kept = ops.tensor_scatter_nd_update(dy, indices, updates * 0)
        return kept, None, ops.gather_nd(dy, indices)


@op
class TensorScatterNdAdd:
    """`tensor` with `updates` added to the slices at the index vectors `indices`.

    Updates of repeated indices accumulate. Shapes and errors are those of
    `tensor_scatter_nd_update`.

    >>> ag.tensor_scatter_nd_add([1, 2], [[1], [1]], [5, 6]).numpy()
    array([ 1, 13], dtype=int32)
    """

    componentwise = True
    accepts = {"tensor": NUMBERS, "indices": SIGNED, "updates": NUMBERS}
    public = ("tensor_scatter_nd_add",)
    kernel = scattering("tensor_scatter_nd_add", np.add)
    result = scattered
    native_result = "overwrites"

    def gradient(dy, y, tensor, indices, updates):
        return dy, None, ops.gather_nd(dy, indices)


@public("scatter_nd")
def scatter_nd(indices, updates, shape, name=None):
    """Zeros of `shape` with `updates` added at the index vectors `indices`.

    The dtype is that of `updates`. Updates of repeated indices accumulate.

    >>> ag.scatter_nd([[1], [1]], [5, 6], [3]).numpy()
    array([ 0, 11,  0], dtype=int32)

    Raises OutOfBoundsError with the index, axis and size, ShapeError if `updates` does not fit.
    """
    updates = convert_to_tensor(updates)
    return TensorScatterNdAdd(zeros(shape, updates.dtype), indices, updates, name=name)
