"""Sparse tensors transposed, reshaped, joined and cut."""

from __future__ import annotations

from ... import Tensor, boolean_mask, cast, convert_to_tensor, gather, int64, reduce_all, reduce_max
from ... import concat as dense_concat
from ...extend.errors import InvalidArgumentError
from ...extend.operations import ops
from ...extend.registration import public
from ...extend.specs import show
from ..ragged import row_partitions as partitions
from .conversions import as_sparse, indices_of, positions_of, reorder
from .sparse_tensor import SparseTensor


def _vector(value) -> Tensor:
    return cast(convert_to_tensor(value), int64)


@public("sparse.transpose")
def transpose(sp_input, perm=None, name=None) -> SparseTensor:
    """The axes in another order, by default reversed; the elements are sorted.

    >>> import allograph as ag
    >>> ag.sparse.transpose(ag.sparse.from_dense([[0, 1, 2]])).indices.numpy().tolist()
    [[1, 0], [2, 0]]
    """
    sp = as_sparse(sp_input)
    order = list(range(len(sp.dims)))[::-1] if perm is None else perm  # type: ignore[arg-type]
    return reorder(
        SparseTensor(gather(sp.indices, order, axis=1), sp.values, gather(sp.dense_shape, order))
    )


@public("sparse.reshape")
def reshape(sp_input, shape, name=None) -> SparseTensor:
    """The same elements in row-major order in another dense shape; a size may be -1.

    >>> import allograph as ag
    >>> ag.sparse.reshape(ag.sparse.eye(2), [-1]).indices.numpy().tolist()
    [[0], [3]]

    Raises InvalidArgumentError where the numbers of elements differ.
    """
    sp, new = as_sparse(sp_input), _vector(shape)
    total = ops.reduce_prod(sp.dense_shape, axis=None, keepdims=False)
    known = ops.reduce_prod(ops.select(new < 0, 1, new), axis=None, keepdims=False)
    new = ops.select(new < 0, total // ops.maximum(known, 1), new)
    product = ops.reduce_prod(new, axis=None, keepdims=False)
    partitions.require(product == total, "sparse.reshape: from ", sp.dense_shape, " to ", new)
    return SparseTensor(indices_of(positions_of(sp.indices, sp.dense_shape), new), sp.values, new)


@public("sparse.reset_shape")
def reset_shape(sp_input, new_shape=None) -> SparseTensor:
    """The same elements in a larger dense shape; by default in the smallest that holds them.

    >>> import allograph as ag
    >>> ag.sparse.reset_shape(ag.SparseTensor([[0, 1]], [5], [9, 9])).shape
    TensorShape([1, 2])

    Raises InvalidArgumentError for a smaller shape.
    """
    sp = as_sparse(sp_input)
    if new_shape is None:
        largest = reduce_max(dense_concat([sp.indices, sp.dense_shape[None] * 0 - 1], 0), axis=0)
        return SparseTensor(sp.indices, sp.values, largest + 1)
    new = _vector(new_shape)
    partitions.require(
        new >= sp.dense_shape, "reset_shape: ", new, " is smaller than ", sp.dense_shape
    )
    return SparseTensor(sp.indices, sp.values, new)


@public("sparse.expand_dims")
def expand_dims(sp_input, axis=None, name=None) -> SparseTensor:
    """A new axis of size 1, by default the last.

    >>> import allograph as ag
    >>> ag.sparse.expand_dims(ag.sparse.from_dense([0, 7]), 0).indices.numpy().tolist()
    [[0, 1]]
    """
    sp = as_sparse(sp_input)
    rank = len(sp.dims or ())
    axis = -1 if axis is None else axis
    if not -rank - 1 <= axis <= rank:
        raise InvalidArgumentError(f"expand_dims: axis {axis} is out of range for {show(sp.dims)}")
    axis %= rank + 1
    zero = sp.indices[:, :1] * 0
    indices = dense_concat([sp.indices[:, :axis], zero, sp.indices[:, axis:]], 1)
    one = convert_to_tensor([1], int64)
    shape = dense_concat([sp.dense_shape[:axis], one, sp.dense_shape[axis:]], 0)
    return SparseTensor(indices, sp.values, shape)


@public("sparse.concat")
def concat(axis, sp_inputs, expand_nonconcat_dims=False, name=None) -> SparseTensor:
    """Sparse tensors joined along an axis; the elements are sorted.

    >>> import allograph as ag
    >>> row = ag.sparse.from_dense([[0, 1]])
    >>> ag.sparse.concat(0, [row, row]).indices.numpy().tolist()
    [[0, 1], [1, 1]]

    Raises InvalidArgumentError where other axes differ, unless `expand_nonconcat_dims`.
    """
    inputs = [as_sparse(one) for one in sp_inputs]
    rank = len(inputs[0].dims or ())
    if not -rank <= axis < rank:
        raise InvalidArgumentError(f"concat: axis {axis} is out of range for rank {rank}")
    at = convert_to_tensor([int(one == axis % rank) for one in range(rank)], int64)
    offset, largest, parts = at * 0, inputs[0].dense_shape, []
    for sp in inputs:
        if not expand_nonconcat_dims:
            partitions.require(
                sp.dense_shape * (1 - at) == largest * (1 - at), "concat: shapes ",
                inputs[0].dense_shape, " and ", sp.dense_shape,
            )  # fmt: skip
        largest = ops.maximum(largest, sp.dense_shape)
        parts.append(sp.indices + offset)
        offset = offset + sp.dense_shape * at
    values = dense_concat([sp.values for sp in inputs], 0)
    shape = largest * (1 - at) + offset
    return reorder(SparseTensor(dense_concat(parts, 0), values, shape))


@public("sparse.slice")
def slice_(sp_input, start, size, name=None) -> SparseTensor:
    """The window of `size` elements from `start` on, along each axis.

    >>> import allograph as ag
    >>> ag.sparse.slice(ag.sparse.eye(3), [1, 0], [2, 2]).indices.numpy().tolist()
    [[0, 1]]
    """
    sp, start, size = as_sparse(sp_input), _vector(start), _vector(size)
    size = ops.maximum(ops.minimum(size, sp.dense_shape - start), 0)
    moved = sp.indices - start
    inside = reduce_all(ops.logical_and(moved >= 0, moved < size), axis=1)
    return SparseTensor(boolean_mask(moved, inside), boolean_mask(sp.values, inside), size)


@public("sparse.retain")
def retain(sp_input, to_retain) -> SparseTensor:
    """The stored elements for which `to_retain` is true.

    >>> import allograph as ag
    >>> ag.sparse.retain(ag.sparse.from_dense([5, 6]), [False, True]).indices.numpy().tolist()
    [[1]]
    """
    sp, flags = as_sparse(sp_input), convert_to_tensor(to_retain)
    return SparseTensor(
        boolean_mask(sp.indices, flags), boolean_mask(sp.values, flags), sp.dense_shape
    )


@public("sparse.split")
def split(sp_input=None, num_split=None, axis=None, name=None) -> list[SparseTensor]:
    """Consecutive sections along an axis; the first ones are longer by one if need be.

    >>> import allograph as ag
    >>> [one.shape for one in ag.sparse.split(ag.sparse.eye(3), 2, axis=0)]
    [TensorShape([2, 3]), TensorShape([1, 3])]
    """
    sp = as_sparse(sp_input)
    rank = len(sp.dims or ())
    total = sp.dims and sp.dims[axis]
    if total is None:
        raise InvalidArgumentError("sparse.split: the size of the axis has to be known")
    sections, begin = [], 0
    for number in range(num_split):
        length = total // num_split + (number < total % num_split)
        start = [begin if one == axis % rank else 0 for one in range(rank)]
        size = [length if one == axis % rank else 2**31 - 1 for one in range(rank)]
        sections.append(slice_(sp, start, size))
        begin += length
    return sections


@public("sparse.fill_empty_rows")
def fill_empty_rows(sp_input, default_value, name=None) -> tuple[SparseTensor, Tensor]:
    """A matrix with `default_value` at the start of empty rows, and which rows were empty.

    >>> import allograph as ag
    >>> filled, empty = ag.sparse.fill_empty_rows(ag.sparse.from_dense([[0, 7], [0, 0]]), 9)
    >>> ag.sparse.to_dense(filled).numpy().tolist(), empty.numpy().tolist()
    ([[0, 7], [9, 0]], [False, True])
    """
    sp = as_sparse(sp_input)
    rows, count = sp.indices[:, 0], sp.dense_shape[0]
    is_empty = ops.unsorted_segment_sum(rows * 0 + 1, rows, count) == 0
    empty = ops.nonzero(is_empty)
    default = convert_to_tensor(default_value, sp.dtype)
    values = ops.broadcast_to(default, ops.shape(empty)[:1])
    indices = dense_concat([sp.indices, dense_concat([empty, empty * 0], 1)], 0)
    filled = SparseTensor(indices, dense_concat([sp.values, values], 0), sp.dense_shape)
    return reorder(filled), is_empty
