"""Sets: the values in the last axis, without order and repetition."""

from __future__ import annotations

import numpy as np

from ... import convert_to_tensor, int32, int64, reshape, shape
from ...extend.errors import InvalidArgumentError
from ...extend.operations import INTEGERS, STRINGS, Spec, hidden_op
from ...extend.registration import public
from .conversions import as_sparse
from .sparse_tensor import SparseTensor

INDICES = frozenset({int64})
OPERATIONS = {
    "union": lambda a, b: a | b,
    "intersection": lambda a, b: a & b,
    "difference": lambda a, b: a - b,
}


def _sets_of(indices, values) -> dict[tuple, set]:
    """The values of each row by its index."""
    results: dict[tuple, set] = {}
    for row, value in zip(indices[:, :-1].tolist(), values.tolist(), strict=True):
        results.setdefault(tuple(row), set()).add(value)
    return results


@hidden_op
class CombineSets:
    """The sets of the rows of two sparse tensors, combined row by row."""

    accepts = {
        "indices_a": INDICES, "a": INTEGERS | STRINGS, "shape_a": INDICES,
        "indices_b": INDICES, "b": INTEGERS | STRINGS, "shape_b": INDICES,
    }  # fmt: skip

    def kernel(indices_a, a, shape_a, indices_b, b, shape_b, *, how):
        if shape_a[:-1].tolist() != shape_b[:-1].tolist():
            raise InvalidArgumentError(
                f"sets.{how}: the rows of the shapes {shape_a.tolist()} and {shape_b.tolist()} "
                "do not fit"
            )
        first, second = _sets_of(indices_a, a), _sets_of(indices_b, b)
        indices, values, longest = [], [], 0
        for row in sorted(first.keys() | second.keys()):
            found = sorted(OPERATIONS[how](first.get(row, set()), second.get(row, set())))
            indices += [(*row, place) for place in range(len(found))]
            values += found
            longest = max(longest, len(found))
        result = np.empty(len(values), a.dtype)
        result[:] = values
        size = np.array([*shape_a[:-1], longest], np.int64)
        return np.array(indices, np.int64).reshape(-1, len(shape_a)), result, size

    def result(indices_a, a, shape_a, indices_b, b, shape_b, *, how):
        rank = None if shape_a.shape is None else shape_a.shape[0]
        return Spec(int64, (None, rank)), Spec(a.dtype, (None,)), Spec(int64, (rank,))


def _all_elements(x) -> SparseTensor:
    """Every element of a tensor; a sparse tensor as it is."""
    if isinstance(x, SparseTensor):
        return x
    x = convert_to_tensor(x)
    sizes = shape(x, int64)
    return SparseTensor(Indices(sizes), reshape(x, [-1]), sizes)


@hidden_op
class Indices:
    """The index of each element of a tensor of a shape, a row for each."""

    accepts = INDICES
    inputs = ("sizes",)

    def kernel(sizes):
        return np.indices(sizes.tolist(), np.int64).reshape(len(sizes), -1).T

    def result(sizes):
        return Spec(int64, (None, None if sizes.shape is None else sizes.shape[0]))


def _combined(a, b, how: str) -> SparseTensor:
    a, b = _all_elements(a), _all_elements(b)
    parts = (a.indices, a.values, a.dense_shape, b.indices, b.values, b.dense_shape)
    return SparseTensor(*CombineSets(*parts, how=how))


@public("sets.union")
def union(a, b, validate_indices=True):
    """The values that are in a row of `a` or in that of `b`, in order, as a `SparseTensor`.

    Both are tensors or sparse tensors of integers or strings, of the same shape but for the last
    axis, along which the sets are.

    >>> ag.sparse.to_dense(ag.sets.union([[3, 1], [5, 5]], [[1, 2], [7, 5]])).numpy().tolist()
    [[1, 2, 3], [5, 7, 0]]

    Raises InvalidArgumentError if the shapes do not fit.
    """
    return _combined(a, b, "union")


@public("sets.intersection")
def intersection(a, b, validate_indices=True):
    """The values that are in a row of `a` and in that of `b`, in order, as a `SparseTensor`.

    The arguments are those of `sets.union`.

    >>> ag.sparse.to_dense(ag.sets.intersection([[3, 1], [5, 5]], [[1, 2], [7, 5]])).numpy()
    array([[1],
           [5]], dtype=int32)
    """
    return _combined(a, b, "intersection")


@public("sets.difference")
def difference(a, b, aminusb=True, validate_indices=True):
    """The values of a row of `a` that are not in that of `b`, in order, as a `SparseTensor`.

    Without `aminusb`, those of `b` that are not in `a`. The arguments are those of `sets.union`.

    >>> ag.sparse.to_dense(ag.sets.difference([[3, 1, 4]], [[1, 2, 2]])).numpy().tolist()
    [[3, 4]]
    """
    return _combined(a, b, "difference") if aminusb else _combined(b, a, "difference")


@public("sets.size")
def size(a, validate_indices=True):
    """The number of distinct values in each row of a sparse tensor, int32.

    >>> ag.sets.size(ag.sparse.from_dense([[5, 5, 7], [1, 0, 0]])).numpy()
    array([2, 1], dtype=int32)
    """
    sparse = as_sparse(a)
    return SetSize(sparse.indices, sparse.values, sparse.dense_shape)


@hidden_op
class SetSize:
    """The number of distinct values in each row of a sparse tensor."""

    accepts = {"indices": INDICES, "values": INTEGERS | STRINGS, "sizes": INDICES}

    def kernel(indices, values, sizes):
        result = np.zeros(sizes[:-1].tolist(), np.int32)
        for row, found in _sets_of(indices, values).items():
            result[row] = len(found)
        return result

    def result(indices, values, sizes):
        rank = None if sizes.shape is None else sizes.shape[0]
        return Spec(int32, None if rank is None else (None,) * (rank - 1))
