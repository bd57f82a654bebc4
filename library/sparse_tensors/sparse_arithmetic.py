"""Sums, products, reductions and other functions of sparse tensors."""

from __future__ import annotations

import operator
from collections.abc import Callable

import numpy as np

from ... import Tensor, argsort, boolean_mask, convert_to_tensor, cumsum, gather, int64, where
from ... import concat as dense_concat
from ...extend.errors import InvalidArgumentError, boundary
from ...extend.operations import Op, ag, apply, ops
from ...extend.registration import public
from ...extend.specs import show
from ..ragged import row_partitions as partitions
from .conversions import as_sparse, indices_of, positions_of, to_dense
from .sparse_tensor import SparseTensor


def merged(positions: Tensor, values: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Sorted positions without repetition; and the values, their group, and the group count."""
    order = argsort(positions, stable=True)
    positions, values = gather(positions, order), gather(values, order)
    is_first = dense_concat([positions[:1] == positions[:1], positions[1:] != positions[:-1]], 0)
    groups = cumsum(ag.cast(is_first, int64)) - 1
    distinct = boolean_mask(positions, is_first)
    return distinct, values, groups, ops.shape(distinct, dtype=int64)[0]


def _union(first: SparseTensor, other: SparseTensor) -> tuple:
    partitions.require(
        first.dense_shape == other.dense_shape, "the dense shapes differ: ", first.dense_shape,
        " and ", other.dense_shape,
    )  # fmt: skip
    positions = [positions_of(sp.indices, sp.dense_shape) for sp in (first, other)]
    return merged(dense_concat(positions, 0), dense_concat([first.values, other.values], 0))


@public("sparse.add")
def add(a, b, threshold=0):
    """The sum of two sparse tensors, which is sparse, or of a sparse and a dense one.

    Of sparse sums, those below `threshold` in absolute value are left out.

    >>> import allograph as ag
    >>> eye = ag.sparse.eye(2)
    >>> ag.sparse.add(eye, eye).values.numpy(), ag.sparse.add(eye, [[1.0, 2.0]]).numpy().tolist()
    (array([2., 2.], dtype=float32), [[2.0, 2.0], [1.0, 3.0]])
    """
    if not isinstance(a, SparseTensor) or not isinstance(b, SparseTensor):
        sparse, dense = (a, b) if isinstance(a, SparseTensor) else (b, a)
        return to_dense(as_sparse(sparse), validate_indices=False) + dense
    distinct, values, groups, count = _union(a, b)
    sums = ops.unsorted_segment_sum(values, groups, count)
    indices = indices_of(distinct, a.dense_shape)
    if isinstance(threshold, Tensor) or threshold != 0:
        large = ops.abs(sums) >= threshold
        indices, sums = boolean_mask(indices, large), boolean_mask(sums, large)
    return SparseTensor(indices, sums, a.dense_shape)


def _extreme(a, b, segments: Callable, of_two: Callable) -> SparseTensor:
    distinct, values, groups, count = _union(as_sparse(a), as_sparse(b))
    found = segments(values, groups, count)
    alone = ops.unsorted_segment_sum(groups * 0 + 1, groups, count) == 1
    found = ops.select(alone, of_two(found, 0), found)
    return SparseTensor(indices_of(distinct, a.dense_shape), found, a.dense_shape)


@public("sparse.maximum")
def maximum(sp_a, sp_b, name=None) -> SparseTensor:
    """The larger of each two elements, where one of them is stored.

    >>> import allograph as ag
    >>> ag.sparse.maximum(ag.sparse.from_dense([1, 0, -2]), ag.sparse.from_dense([3, 4, 0])).values
    <ag.Tensor: shape=(3,), dtype=int32, numpy=array([3, 4, 0], dtype=int32)>
    """
    return _extreme(sp_a, sp_b, ops.unsorted_segment_max, ops.maximum)


@public("sparse.minimum")
def minimum(sp_a, sp_b, name=None) -> SparseTensor:
    """The smaller of each two elements, where one of them is stored.

    >>> import allograph as ag
    >>> ag.sparse.minimum(ag.sparse.from_dense([1, 0, -2]), ag.sparse.from_dense([3, 4, 0])).values
    <ag.Tensor: shape=(3,), dtype=int32, numpy=array([ 1,  0, -2], dtype=int32)>
    """
    return _extreme(sp_a, sp_b, ops.unsorted_segment_min, ops.minimum)


@public("sparse.sparse_dense_matmul")
def sparse_dense_matmul(sp_a, b, adjoint_a=False, adjoint_b=False, name=None) -> Tensor:
    """The product of a sparse and a dense matrix, in either order: a dense matrix.

    >>> import allograph as ag
    >>> a = ag.sparse.from_dense([[0.0, 2.0], [3.0, 0.0]])
    >>> ag.sparse.sparse_dense_matmul(a, [[1.0], [10.0]]).numpy().tolist()
    [[20.0], [3.0]]

    Raises InvalidArgumentError where the inner sizes differ.
    """
    if not isinstance(sp_a, SparseTensor):
        product = sparse_dense_matmul(as_sparse(b), sp_a, not adjoint_b, not adjoint_a)
        return _adjoint(product)
    dense = convert_to_tensor(b, dtype_hint=sp_a.dtype)
    if (sp_a.dims is not None and len(sp_a.dims) != 2) or len(dense.dims or (0, 0)) != 2:
        raise InvalidArgumentError(
            f"sparse_dense_matmul takes matrices, not {show(sp_a.dims)} and {show(dense.dims)}"
        )
    dense = _adjoint(dense) if adjoint_b else dense
    values = _conjugate(sp_a.values) if adjoint_a else sp_a.values
    row, column = (1, 0) if adjoint_a else (0, 1)
    inner = sp_a.dense_shape[column]
    partitions.require(
        inner == ops.shape(dense, dtype=int64)[0], "sparse_dense_matmul: the inner size of the "
        "sparse matrix is ", inner, ", that of the dense one ", ops.shape(dense)[0],
    )  # fmt: skip
    products = values[:, None] * gather(dense, sp_a.indices[:, column])
    product = ops.unsorted_segment_sum(products, sp_a.indices[:, row], sp_a.dense_shape[row])
    rows = sp_a.dims and sp_a.dims[row]
    return product if rows is None else ops.ensure_shape(product, shape=(rows, *product.dims[1:]))


def _conjugate(value: Tensor) -> Tensor:
    return ops.conj(value) if value.dtype.is_complex else value


def _adjoint(matrix) -> Tensor:
    return _conjugate(ag.transpose(convert_to_tensor(matrix)))


# ---- reductions ------------------------------------------------------------------------------


def _reduce(sp, axis, keepdims, segments: Callable, whole: Callable, is_sparse: bool):
    sp = as_sparse(sp)
    rank = len(sp.dims or ())
    axes = range(rank) if axis is None else axis if isinstance(axis, (list, tuple)) else [axis]
    if any(not -rank <= one < rank for one in axes):
        raise InvalidArgumentError(f"axis {axis} is out of range for shape {show(sp.dims)}")
    gone = {one % rank for one in axes}
    kept = [one for one in range(rank) if one not in gone]
    shape, indices = gather(sp.dense_shape, kept), gather(sp.indices, kept, axis=1)
    final = ops.select(convert_to_tensor([one in gone for one in range(rank)]), 1, sp.dense_shape)
    final = final if keepdims else shape
    positions = positions_of(indices, shape)
    if is_sparse:
        distinct, values, groups, count = merged(positions, sp.values)
        result = segments(values, groups, count)
        return SparseTensor(indices_of(distinct, final), result, final)
    count = ops.reduce_prod(shape, axis=None, keepdims=False)
    stored = ops.unsorted_segment_sum(positions * 0 + 1, positions, count)
    result = segments(sp.values, positions, count)
    result = ops.reshape(where(stored > 0, result, result * 0), final)
    if sp.dims is None or None in sp.dims:
        return result
    static = [1 if one in gone else sp.dims[one] for one in range(rank) if keepdims or one in kept]
    return ops.ensure_shape(result, shape=tuple(static))


@public("sparse.reduce_sum")
def reduce_sum(sp_input, axis=None, keepdims=None, output_is_sparse=False, name=None):
    """Sums over axes, by default all: a dense tensor, or a sparse one with `output_is_sparse`.

    >>> import allograph as ag
    >>> ag.sparse.reduce_sum(ag.sparse.from_dense([[1, 2], [0, 4]]), axis=1).numpy()
    array([3, 4], dtype=int32)
    """
    return _reduce(
        sp_input, axis, keepdims, ops.unsorted_segment_sum, ag.reduce_sum, output_is_sparse
    )


@public("sparse.reduce_max")
def reduce_max(sp_input, axis=None, keepdims=None, output_is_sparse=False, name=None):
    """The largest stored elements over axes; 0 where there are none.

    >>> import allograph as ag
    >>> ag.sparse.reduce_max(ag.sparse.from_dense([[-1, -2], [0, 0]]), axis=1).numpy()
    array([-1,  0], dtype=int32)
    """
    return _reduce(
        sp_input, axis, keepdims, ops.unsorted_segment_max, ag.reduce_max, output_is_sparse
    )


@public("sparse.map_values")
def map_values(op, *args, **kwargs) -> SparseTensor:
    """A function applied to the values of sparse tensors with the same indices.

    >>> import allograph as ag
    >>> ag.sparse.map_values(ag.square, ag.sparse.from_dense([0, 3])).values.numpy()
    array([9], dtype=int32)
    """
    sparse = [arg for arg in (*args, *kwargs.values()) if isinstance(arg, SparseTensor)]
    if not sparse:
        raise ValueError("sparse.map_values: no argument is a sparse tensor")
    for other in sparse[1:]:
        partitions.require(other.indices == sparse[0].indices, "map_values: the indices differ")

    def values_of(one):
        return one.values if isinstance(one, SparseTensor) else one

    given = {key: values_of(arg) for key, arg in kwargs.items()}
    return sparse[0].with_values(op(*map(values_of, args), **given))


# ---- operators and functions of elements -----------------------------------------------------


def _with_dense(function: Callable) -> Callable:
    def apply_to(self, other):
        if isinstance(other, SparseTensor):
            raise TypeError("a sparse tensor is multiplied by a dense one: use ag.sparse.to_dense")
        dense = convert_to_tensor(other, dtype_hint=self.dtype)
        if dense.dims != ():
            dense = ops.gather_nd(ops.broadcast_to(dense, self.dense_shape), self.indices)
        return self.with_values(function(self.values, dense))

    return apply_to


def implemented(function, args, kwargs):
    """The result of a function for a sparse argument, NotImplemented if it has none.

    A function of elements applies where it is 0 at 0.
    """
    if function is ag.cast.__wrapped__:
        x, dtype = (*args, *kwargs.values())[:2]
        return x.with_values(ag.cast(x.values, dtype))
    if function is ops.shape:
        return ag.cast(args[0].dense_shape, kwargs["dtype"])
    if function is ops.rank:
        return convert_to_tensor(len(args[0].dims))
    if not (isinstance(function, Op) and function.elementwise and len(args) == 1):
        return NotImplemented
    (sp,) = args
    if np.any(function.kernel(np.zeros((), sp.dtype.numpy_dtype), **kwargs)):
        return NotImplemented
    return sp.with_values(apply(function, (sp.values,), kwargs))


SparseTensor.__tf_dispatch__ = staticmethod(implemented)  # type: ignore[attr-defined]
SparseTensor.__mul__ = boundary(_with_dense(operator.mul))  # type: ignore[method-assign]
SparseTensor.__truediv__ = boundary(_with_dense(operator.truediv))  # type: ignore[method-assign]
