"""Gathering and replacing elements by arrays of indices."""

from __future__ import annotations

import numpy as np

from ...core.dtypes import ANY, INTEGERS, NUMBERS, int32
from ...core.errors import OutOfBoundsError, ShapeError
from ...core.public_names import public
from ...core.shapes import is_compatible, normal_axis, show
from ...ir.constant_values import full_constant
from ...ir.indexing import broadcast_index, picked_axes, picked_axis
from ...ir.op import Spec, broadcast_shapes
from ...tensors.apply import convert_to_tensor, object_array
from ...tensors.operation import hidden_op, op, ops
from ..gradient_helpers import batch_grid, zero_of, zeros_like
from ..math.reductions import static_axis
from .shape_ops import as_constant


def check_indices(indices, size: int, axis: int, name: str) -> None:
    """Raise OutOfBoundsError for the first index outside `0 <= index < size`."""
    wrong = (indices < 0) | (indices >= size)
    if np.any(wrong):
        first = np.asarray(indices)[wrong].reshape(-1)[0]
        raise OutOfBoundsError(
            f"{name}: index {first} is out of range for axis {axis} with size {size}",
            f"Its indices go from 0 to {size - 1}." if size else "This axis is empty.",
        )


def check_fits(shape, target) -> None:
    """Raise ShapeError unless an array of `shape` broadcasts to exactly `target`."""
    if shape is None or target is None:
        return
    extra = len(shape) - len(target)
    pairs = zip(shape[max(extra, 0) :], target[max(-extra, 0) :], strict=True)
    if set(shape[: max(extra, 0)]) - {1, None} or any(
        a not in (1, None, b) and b is not None for a, b in pairs
    ):
        raise ShapeError(
            f"a value of shape {show(shape)} does not fit where the shape is {show(target)}"
        )


# ---- x[array, ...] ---------------------------------------------------------------------------


def _array_key(arrays, axes) -> tuple:
    key = [slice(None)] * (max(axes) + 1)
    for axis, array in zip(axes, arrays, strict=True):
        key[axis] = array
    return tuple(key)


def _picked_shape(x, arrays, axes):
    """The shape of `x[arrays]`. Raises ShapeError for too many axes or incompatible arrays."""
    picked = broadcast_shapes(*arrays)
    if x.shape is None:
        return None
    if max(axes) >= len(x.shape):
        raise ShapeError(f"{max(axes) + 1} indices for a tensor of rank {len(x.shape)}")
    if picked is None:
        return None
    rest = [size for axis, size in enumerate(x.shape) if axis not in axes]
    position = picked_axis(axes)
    return (*rest[:position], *picked, *rest[position:])


@hidden_op
class PickedByArrays:
    """`x[..., array, ...]` as in NumPy: integer arrays index `axes`, other axes are kept whole."""

    accepts = {"x": ANY, "arrays": INTEGERS}
    is_indexing = True
    any_length = True

    def kernel(x, *arrays, axes):
        try:
            return x[_array_key(arrays, axes)]
        except IndexError as error:
            _picked_shape(x, arrays, axes)
            raise OutOfBoundsError(str(error)) from None

    def result(x, *arrays, axes):
        return Spec(x.dtype, _picked_shape(x, arrays, axes))

    def largest_shape(x, *arrays, axes):
        return (*arrays[0], *x[1:]) if axes == (0,) and len(arrays[0]) == 1 else None

    def kept_axes(result, x, *arrays, axes):
        return picked_axes(axes, result, x, *arrays)

    def element(ix, x, *arrays, axes, out):
        position = picked_axis(axes)
        count = max(array.rank for array in arrays)
        picked, rest = (
            ix[position : position + count],
            iter((*ix[:position], *ix[position + count :])),
        )
        indexes = [None if axis in axes else next(rest) for axis in range(x.rank)]
        for axis, array in zip(axes, arrays, strict=True):
            indexes[axis] = x.index(axis, array.at(*broadcast_index(array.shape, picked)))
        return x.at(*indexes)

    def gradient(dy, y, x, *arrays, axes):
        zeros = zeros_like(x)
        return ops.added_by_arrays(zeros, dy, *arrays, axes=axes), *[None] * len(arrays)


@hidden_op
class ReplacedByArrays:
    """`x` with `x[..., array, ...]` replaced by `value`; for equal indices the last one wins."""

    accepts = {"x": ANY, "value": ANY, "arrays": INTEGERS}
    is_indexing = True
    native_result = "overwrites"
    moves_only = True
    any_length = True

    def kernel(x, value, *arrays, axes):
        result = np.array(x)
        try:
            result[_array_key(arrays, axes)] = value if value.ndim else value[()]
        except (IndexError, ValueError) as error:
            check_fits(value.shape, _picked_shape(x, arrays, axes))
            raise OutOfBoundsError(str(error)) from None
        return result

    def result(x, value, *arrays, axes):
        check_fits(value.shape, _picked_shape(x, arrays, axes))
        return Spec(x.dtype, x.shape)

    def gradient(dy, y, x, value, *arrays, axes):
        kept = ops.replaced_by_arrays(dy, zero_of(dy), *arrays, axes=axes)
        return kept, ops.picked_by_arrays(dy, *arrays, axes=axes), *[None] * len(arrays)


@hidden_op
class AddedByArrays:
    """`x` with `value` added to `x[..., array, ...]`; equal indices add up."""

    componentwise = True
    accepts = {"x": NUMBERS, "value": NUMBERS, "arrays": INTEGERS}
    is_indexing = True
    native_result = "overwrites"
    any_length = True

    def kernel(x, value, *arrays, axes):
        result = np.array(x)
        np.add.at(result, _array_key(arrays, axes), value)
        return result

    def result(x, value, *arrays, axes):
        return Spec(x.dtype, x.shape)

    def gradient(dy, y, x, value, *arrays, axes):
        return dy, ops.picked_by_arrays(dy, *arrays, axes=axes), *[None] * len(arrays)


# ---- gather ----------------------------------------------------------------------------------


def _gathered_shape(params, indices, axis, batch_dims) -> tuple:
    """The shape of gathered slices, for two static ranks. Raises ShapeError if they do not fit."""
    position = normal_axis(axis, len(params.shape))
    if position < batch_dims or batch_dims > len(indices.shape):
        raise ShapeError(
            f"gather: axis {position}, indices {show(indices.shape)} with {batch_dims} batch axes"
        )
    if not is_compatible(params.shape[:batch_dims], indices.shape[:batch_dims]):
        raise ShapeError(
            f"gather: the batch axes of {show(params.shape)} and {show(indices.shape)} differ"
        )
    return (*params.shape[:position], *indices.shape[batch_dims:], *params.shape[position + 1 :])


@hidden_op
class Gather:
    """Slices along an axis, picked by index."""

    accepts = {"params": ANY, "indices": INTEGERS}

    def kernel(params, indices, *, axis, batch_dims):
        _gathered_shape(params, indices, axis, batch_dims)
        axis = normal_axis(axis, params.ndim)
        check_indices(indices, params.shape[axis], axis, "gather")
        if batch_dims == 0:
            result = np.take(params, indices, axis)
            return result if hasattr(result, "dtype") else object_array(result)
        picks = np.indices(indices.shape, sparse=True)[:batch_dims]
        result = np.moveaxis(params, axis, batch_dims)[(*picks, indices)]
        count = indices.ndim - batch_dims
        return np.moveaxis(result, range(batch_dims, batch_dims + count), range(axis, axis + count))

    def result(params, indices, *, axis, batch_dims):
        if params.shape is None or indices.shape is None:
            return Spec(params.dtype, None)
        return Spec(params.dtype, _gathered_shape(params, indices, axis, batch_dims))

    def partial(params, indices, *, axis, batch_dims):
        if (
            params.constant is None
            or full_constant(indices) is None
            or params.constant.ndim != 1
            or batch_dims
        ):
            return None
        size = len(params.constant)
        if np.any((indices.constant < 0) | (indices.constant >= size)):
            return None  # the kernel raises the error at run time
        return as_constant(
            np.take(params.constant, indices.constant.astype(np.int64)), params.dtype
        )

    def kept_axes(result, params, indices, *, axis, batch_dims):
        if batch_dims:
            return {}, {}
        return picked_axes((normal_axis(axis, len(params)),), result, params, indices)

    def element(ix, params, indices, *, axis, batch_dims, out):
        position = axis % params.rank
        end = position + indices.rank - batch_dims
        index = indices.at(*ix[:batch_dims], *ix[position:end])
        return params.at(*ix[:position], params.checked(position, index), *ix[end:])

    def gradient(dy, y, params, indices, *, axis, batch_dims):
        zeros = zeros_like(params)
        axis = normal_axis(axis, len(params.dims))
        if not batch_dims:
            return ops.added_by_arrays(zeros, dy, indices, axes=(axis,)), None
        rank, count = len(dy.dims), len(indices.dims) - batch_dims
        picked = range(axis, axis + count)
        if axis > batch_dims:  # the picked axes go right after the batch axes, as in NumPy
            rest = [position for position in range(batch_dims, rank) if position not in picked]
            dy = ops.transpose(dy, perm=(*range(batch_dims), *picked, *rest))
        grids = [batch_grid(indices, position) for position in range(batch_dims)]
        axes = (*range(batch_dims), axis)
        return ops.added_by_arrays(zeros, dy, *grids, indices, axes=axes), None


@public("gather")
def gather(params, indices, validate_indices=None, axis=None, batch_dims=0, name=None):
    """Slices of `params` along `axis`, selected by integer `indices`.

    The axes of `indices` replace `axis` in the shape of the result, which is
    `params.shape[:axis] + indices.shape[batch_dims:] + params.shape[axis + 1:]`. The first
    `batch_dims` axes are shared by both: each batch of indices selects from its batch of `params`.

    >>> ag.gather([10, 20, 30], [2, 0]).numpy()
    array([30, 10], dtype=int32)
    >>> ag.gather([[1, 2], [3, 4]], [[1], [0]], batch_dims=1).numpy().tolist()
    [[2], [3]]

    Raises OutOfBoundsError with the index, axis and size. Negative indices are out of range.
    """
    if batch_dims < 0:
        indices = convert_to_tensor(indices)
        batch_dims += len(indices.dims)
    return Gather(
        params,
        indices,
        axis=batch_dims if axis is None else static_axis(axis),
        batch_dims=batch_dims,
        name=name,
    )


@op
class GatherNd:
    """Slices of `params` selected by index vectors, which are the last axis of `indices`.

    A vector of n integers indexes the first n axes after the `batch_dims` shared ones. The shape of
    the result is `indices.shape[:-1] + params.shape[batch_dims + n:]`.

    >>> ag.gather_nd([[1, 2], [3, 4]], [[1, 0]]).numpy()
    array([3], dtype=int32)

    Raises OutOfBoundsError with the index, axis and size. Negative indices are out of range.
    """

    accepts = {"params": ANY, "indices": INTEGERS}
    public = ("gather_nd",)

    def kernel(params, indices, *, batch_dims=0):
        shape = _gathered_nd_shape(params, indices, batch_dims)
        columns = tuple(np.moveaxis(indices, -1, 0))
        for axis, column in enumerate(columns, batch_dims):
            check_indices(column, params.shape[axis], axis, "gather_nd")
        batches = tuple(np.indices(indices.shape[:-1])[:batch_dims])
        result = params[batches + columns]
        if not hasattr(result, "dtype"):
            return object_array(result)
        return result if result.shape == shape else np.broadcast_to(result, shape)  # of no indices

    def result(params, indices, *, batch_dims=0):
        if params.shape is None or indices.shape is None or indices.shape[-1:] == (None,):
            return Spec(params.dtype, None)
        return Spec(params.dtype, _gathered_nd_shape(params, indices, batch_dims))

    def element(ix, params, indices, *, batch_dims, out):
        leading, depth = indices.rank - 1, indices.shape[-1]
        vector = [indices.at(*ix[:leading], position) for position in range(depth)]
        picked = [params.checked(axis, index) for axis, index in enumerate(vector, batch_dims)]
        return params.at(*ix[:batch_dims], *picked, *ix[leading:])

    def gradient(dy, y, params, indices, *, batch_dims):
        zeros = zeros_like(params)
        grids = [batch_grid(indices[..., 0], position)[..., None] for position in range(batch_dims)]
        columns = ops.concat(*grids, ops.cast(indices, dtype=int32), axis=-1) if grids else indices
        return ops.tensor_scatter_nd_add(zeros, ops.cast(columns, dtype=int32), dy), None


def _gathered_nd_shape(params, indices, batch_dims: int) -> tuple:
    """The shape of `gather_nd`, for two static ranks."""
    if not indices.shape:
        raise ShapeError(
            "gather_nd: the indices are a scalar", "Their last axis holds index vectors."
        )
    depth = indices.shape[-1]
    if batch_dims + depth > len(params.shape) or batch_dims >= len(indices.shape):
        picks = f"{depth} indices after {batch_dims} batch axes"
        raise ShapeError(f"gather_nd: {picks} in a tensor of shape {show(params.shape)}")
    if not is_compatible(params.shape[:batch_dims], indices.shape[:batch_dims]):
        raise ShapeError(
            f"gather_nd: the batch axes of {show(params.shape)} and {show(indices.shape)} differ"
        )
    return (*indices.shape[:-1], *params.shape[batch_dims + depth :])
