"""Sparse tensors from dense and ragged ones, in order, and back."""

from __future__ import annotations

from ... import (
    Tensor,
    argsort,
    as_dtype,
    cast,
    convert_to_tensor,
    float32,
    gather,
    int64,
    math,
    ones,
    ones_like,
    reduce_sum,
    scatter_nd,
    zeros,
)
from ... import bool as bool_
from ... import range as range_
from ...extend.operations import ops
from ...extend.registration import public
from ..ragged import row_partitions as partitions
from .sparse_tensor import SparseTensor


def as_sparse(value) -> SparseTensor:
    """A sparse tensor. Raises TypeError for anything else."""
    if not isinstance(value, SparseTensor):
        raise TypeError(f"a sparse tensor is expected, not {value!r}: use ag.sparse.from_dense")
    return value


def strides_of(dense_shape: Tensor) -> Tensor:
    return math.cumprod(dense_shape, exclusive=True, reverse=True)


def positions_of(indices: Tensor, dense_shape: Tensor) -> Tensor:
    """The positions of elements in the flattened dense tensor."""
    return reduce_sum(indices * strides_of(dense_shape), 1)


def indices_of(positions: Tensor, dense_shape: Tensor) -> Tensor:
    """The inverse of `positions_of`."""
    return positions[:, None] // strides_of(dense_shape) % ops.maximum(dense_shape, 1)


@public("sparse.from_dense")
def from_dense(tensor, name=None) -> SparseTensor:
    """The elements of a tensor that are not zero; of strings, those that are not empty.

    >>> import allograph as ag
    >>> ag.sparse.from_dense([[0, 3], [4, 0]]).indices.numpy().tolist()
    [[0, 1], [1, 0]]
    """
    tensor = convert_to_tensor(tensor)
    flags = tensor if tensor.dtype is bool_ else tensor != zeros([], tensor.dtype)
    indices = ops.nonzero(flags)
    shape = ops.shape(tensor, dtype=int64)
    return SparseTensor(indices, ops.gather_nd(tensor, indices), shape)


@public("sparse.to_dense")
def to_dense(sp_input, default_value=None, validate_indices=True, name=None) -> Tensor:
    """The dense tensor; what is not stored is `default_value`, by default 0, False or "".

    >>> import allograph as ag
    >>> ag.sparse.to_dense(ag.sparse.eye(2), default_value=9.0).numpy().tolist()
    [[1.0, 9.0], [9.0, 1.0]]

    Raises InvalidArgumentError for indices out of range, out of order, or repeated, unless
    `validate_indices` is False.
    """
    sp = as_sparse(sp_input)
    if validate_indices:
        check_indices(sp)
    default = zeros([], sp.dtype) if default_value is None else default_value
    default = convert_to_tensor(default, sp.dtype)
    dense = ops.broadcast_to(default, sp.dense_shape)
    if sp.dims is not None and None not in sp.dims:
        dense = ops.ensure_shape(dense, shape=sp.dims)
    return ops.tensor_scatter_nd_update(dense, sp.indices, sp.values)


def check_indices(sp: SparseTensor) -> None:
    """Raise InvalidArgumentError for indices out of range, out of order, or repeated."""
    inside = ops.logical_and(sp.indices >= 0, sp.indices < sp.dense_shape)
    partitions.require(
        inside, "indices are out of range of the dense shape ", sp.dense_shape, ": ", sp.indices
    )
    positions = positions_of(sp.indices, sp.dense_shape)
    partitions.require(
        positions[1:] > positions[:-1],
        "indices are out of order or repeated (sort them with sparse.reorder): ", sp.indices,
    )  # fmt: skip


@public("sparse.reorder")
def reorder(sp_input, name=None) -> SparseTensor:
    """The same elements, sorted by their indices.

    >>> import allograph as ag
    >>> sp = ag.SparseTensor([[1], [0]], [5, 6], [2])
    >>> ag.sparse.reorder(sp).values.numpy()
    array([6, 5], dtype=int32)
    """
    sp = as_sparse(sp_input)
    order = argsort(positions_of(sp.indices, sp.dense_shape), stable=True)
    return SparseTensor(gather(sp.indices, order), gather(sp.values, order), sp.dense_shape)


@public("sparse.eye")
def eye(num_rows, num_columns=None, dtype=float32, name=None) -> SparseTensor:
    """The identity matrix.

    >>> import allograph as ag
    >>> ag.sparse.eye(2, 3).indices.numpy().tolist()
    [[0, 0], [1, 1]]
    """
    num_columns = num_rows if num_columns is None else num_columns
    shape = ops.stack(*(cast(convert_to_tensor(n), int64) for n in (num_rows, num_columns)), axis=0)
    count = ops.minimum(shape[0], shape[1])
    diagonal = range_(count)
    indices = ops.stack(diagonal, diagonal, axis=1)
    return SparseTensor(indices, ones(ops.reshape(count, [1]), as_dtype(dtype)), shape)


@public("sparse.to_indicator")
def to_indicator(sp_input, vocab_size, name=None) -> Tensor:
    """Booleans with an axis of `vocab_size` in place of the last: which values each row has.

    >>> import allograph as ag
    >>> sp = ag.sparse.from_dense([[1, 0], [2, 1]])
    >>> ag.cast(ag.sparse.to_indicator(sp, 3), ag.int32).numpy().tolist()
    [[0, 1, 0], [0, 1, 1]]
    """
    sp = as_sparse(sp_input)
    values = cast(sp.values, int64)[:, None]
    indices = ops.concat(sp.indices[:, :-1], values, axis=1)
    size = cast(ops.reshape(convert_to_tensor(vocab_size), [1]), int64)
    shape = ops.concat(sp.dense_shape[:-1], size, axis=0)
    counts = scatter_nd(indices, ones_like(values[:, 0]), shape)
    return counts > 0


SparseTensor.numpy = lambda self: to_dense(self).numpy()  # type: ignore[method-assign]
