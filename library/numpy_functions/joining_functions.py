"""NumPy functions that join and split, implemented with operations of the package."""

from __future__ import annotations

import itertools

import numpy as np

from ...extend.errors import UnimplementedError
from ...extend.operations import (
    SharedArray,
    ag,
    axis_of,
    named_dtype,
    of_numpy,
    promoted,
    promoted_arrays,
    rank_of,
    sizes_of,
    traces,
    viewed,
)
from ...extend.operations import numpy_tensor as tensor
from .shape_functions import atleast_1d, atleast_2d, atleast_3d, expand_dims


def _listed(arrays) -> list:
    """The arrays as a list; a tensor is unstacked along its first axis."""
    return list(arrays) if isinstance(arrays, (list, tuple)) else list(ag.unstack(tensor(arrays)))


def _cast(result, dtype):
    """The result in another dtype, to which NumPy casts by the rule "same_kind"."""
    if dtype is None:
        return result
    own, wanted = result.dtype.numpy_dtype, named_dtype(dtype).numpy_dtype
    if not np.can_cast(own, wanted, "same_kind"):
        raise TypeError(
            f"Cannot cast array data from {own!r} to {wanted!r} according to the rule 'same_kind'"
        )
    return tensor(result, dtype)


@traces(np.concatenate, result="new", joins=True)
def concatenate(arrays, /, axis=0, out=None, *, dtype=None, casting="same_kind"):
    arrays_ = promoted(*_listed(arrays))
    if axis is None:
        arrays_, axis = [ag.reshape(array, [-1]) for array in arrays_], 0
    return _cast(ag.concat(arrays_, axis), dtype)


@traces(np.stack, result="new", joins=True)
def stack(arrays, axis=0, out=None, *, dtype=None, casting="same_kind"):
    arrays_ = promoted(*_listed(arrays))
    return _cast(ag.stack(arrays_, axis_of(axis, rank_of(arrays_[0]) + 1)), dtype)


@traces(np.vstack, result="new", joins=True)
def vstack(tup, *, dtype=None, casting="same_kind"):
    return concatenate([atleast_2d(array) for array in _listed(tup)], 0, dtype=dtype)


@traces(np.hstack, result="new", joins=True)
def hstack(tup, *, dtype=None, casting="same_kind"):
    arrays_ = [atleast_1d(array) for array in _listed(tup)]
    return concatenate(arrays_, 0 if rank_of(arrays_[0]) == 1 else 1, dtype=dtype)


@traces(np.dstack, result="new", joins=True)
def dstack(tup):
    return concatenate([atleast_3d(array) for array in _listed(tup)], 2)


@traces(np.column_stack, result="new", joins=True)
def column_stack(tup):
    arrays_ = [tensor(array) for array in _listed(tup)]
    arrays_ = [array if rank_of(array) > 1 else ag.reshape(array, [-1, 1]) for array in arrays_]
    return concatenate(arrays_, 1)


traces(np.append, result="new", operands=2)(
    lambda arr, values, axis=None: concatenate([tensor(arr), tensor(values)], axis)
)


@traces(np.array_split, result="view")
def array_split(ary, indices_or_sections, axis=0):
    x = viewed(ary)
    axis = axis_of(axis, rank_of(x))
    if isinstance(indices_or_sections, (int, np.integer)):
        if isinstance(x, SharedArray) and x.dims[axis] is None:
            raise UnimplementedError("equal parts of a computed size")
        count, total = int(indices_or_sections), sizes_of(x)[axis]
        length, remainder = total // count, total % count
        least = min if isinstance(remainder, int) else ag.minimum
        # the first sections are one element longer if the size is not a multiple
        bounds = [index * length + least(index, remainder) for index in range(count + 1)]
    else:
        bounds = [0, *indices_or_sections, None]
    before = (slice(None),) * axis
    return [x[(*before, slice(start, stop))] for start, stop in itertools.pairwise(bounds)]


@traces(np.split, result="view")
def split(ary, indices_or_sections, axis=0):
    x = viewed(ary)
    if isinstance(indices_or_sections, (int, np.integer)) and not isinstance(x, SharedArray):
        return list(ag.split(x, int(indices_or_sections), axis))
    return array_split(x, indices_or_sections, axis)


traces(*of_numpy("unstack"))(lambda x, /, *, axis=0: tuple(ag.unstack(tensor(x), axis=axis)))


@traces(np.vsplit, result="view")
def vsplit(ary, indices_or_sections):
    return split(ary, indices_or_sections, 0)


traces(np.dsplit, result="view")(
    lambda ary, indices_or_sections: split(ary, indices_or_sections, 2)
)


@traces(np.hsplit, result="view")
def hsplit(ary, indices_or_sections):
    x = viewed(ary)
    return split(x, indices_or_sections, 0 if rank_of(x) == 1 else 1)


@traces(np.kron, result="new", operands=2)
def kron(a, b):
    x, y = promoted_arrays(a, b)
    rank = max(rank_of(x), rank_of(y))
    x, y = (
        expand_dims(array, tuple(range(rank - rank_of(array)))) if rank > rank_of(array) else array
        for array in (x, y)
    )
    sizes = [size * times for size, times in zip(sizes_of(x), sizes_of(y), strict=True)]
    product = ag.multiply(
        expand_dims(x, tuple(range(1, 2 * rank, 2))), expand_dims(y, tuple(range(0, 2 * rank, 2)))
    )
    return ag.reshape(product, sizes)
