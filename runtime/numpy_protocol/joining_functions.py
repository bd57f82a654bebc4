"""NumPy's functions that join and split in operations of ours."""

from __future__ import annotations

import itertools

import numpy as np

from .promotion import promoted, promoted_arrays, tensor
from .registry import TRACED, ag, axis_of, rank_of, sizes_of, traces
from .shape_functions import atleast_2d, atleast_3d, expand_dims


def _listed(arrays) -> list:
    """The parts; one tensor stands for its rows."""
    return list(arrays) if isinstance(arrays, (list, tuple)) else list(ag.unstack(tensor(arrays)))


def _cast(made, dtype):
    return made if dtype is None else tensor(made, dtype)


@traces(np.concatenate)
def concatenate(arrays, /, axis=0, out=None, *, dtype=None, casting="same_kind"):
    parts = promoted(*_listed(arrays))
    if axis is None:
        parts, axis = [ag.reshape(part, [-1]) for part in parts], 0
    return _cast(ag.concat(parts, axis), dtype)


@traces(np.stack)
def stack(arrays, axis=0, out=None, *, dtype=None, casting="same_kind"):
    parts = promoted(*_listed(arrays))
    return _cast(ag.stack(parts, axis_of(axis, rank_of(parts[0]) + 1)), dtype)


@traces(np.vstack)
def vstack(tup, *, dtype=None, casting="same_kind"):
    return concatenate([atleast_2d(part) for part in _listed(tup)], 0, dtype=dtype)


@traces(np.hstack)
def hstack(tup, *, dtype=None, casting="same_kind"):
    parts = [TRACED[np.atleast_1d](part) for part in _listed(tup)]
    return concatenate(parts, 0 if rank_of(parts[0]) == 1 else 1, dtype=dtype)


@traces(np.dstack)
def dstack(tup):
    return concatenate([atleast_3d(part) for part in _listed(tup)], 2)


@traces(np.column_stack)
def column_stack(tup):
    parts = [tensor(part) for part in _listed(tup)]
    parts = [part if rank_of(part) > 1 else ag.reshape(part, [-1, 1]) for part in parts]
    return concatenate(parts, 1)


@traces(np.append)
def append(arr, values, axis=None):
    return concatenate([tensor(arr), tensor(values)], axis)


@traces(np.array_split)
def array_split(ary, indices_or_sections, axis=0):
    x = tensor(ary)
    axis = axis_of(axis, rank_of(x))
    if isinstance(indices_or_sections, (int, np.integer)):
        count, total = int(indices_or_sections), sizes_of(x)[axis]
        small, more = total // count, total % count
        # the first parts are one longer where the sizes do not come out even
        bounds = [place * small + ag.minimum(place, more) for place in range(count + 1)]
    else:
        bounds = [0, *indices_or_sections, None]
    before = (slice(None),) * axis
    return [x[(*before, slice(start, stop))] for start, stop in itertools.pairwise(bounds)]


@traces(np.split)
def split(ary, indices_or_sections, axis=0):
    x = tensor(ary)
    if isinstance(indices_or_sections, (int, np.integer)):
        total = sizes_of(x)[axis]
        if isinstance(total, int) and total % indices_or_sections:
            raise ValueError("array split does not result in an equal division")
        return list(ag.split(x, int(indices_or_sections), axis))
    return array_split(x, indices_or_sections, axis)


@traces(np.vsplit)
def vsplit(ary, indices_or_sections):
    return split(ary, indices_or_sections, 0)


@traces(np.hsplit)
def hsplit(ary, indices_or_sections):
    x = tensor(ary)
    return split(x, indices_or_sections, 0 if rank_of(x) == 1 else 1)


@traces(np.dsplit)
def dsplit(ary, indices_or_sections):
    return split(ary, indices_or_sections, 2)


@traces(np.kron)
def kron(a, b):
    x, y = promoted_arrays(a, b)
    rank = max(rank_of(x), rank_of(y))
    x, y = (
        expand_dims(one, tuple(range(rank - rank_of(one)))) if rank > rank_of(one) else one
        for one in (x, y)
    )
    sizes = [one * other for one, other in zip(sizes_of(x), sizes_of(y), strict=True)]
    wide = ag.multiply(
        expand_dims(x, tuple(range(1, 2 * rank, 2))), expand_dims(y, tuple(range(0, 2 * rank, 2)))
    )
    return ag.reshape(wide, sizes)
