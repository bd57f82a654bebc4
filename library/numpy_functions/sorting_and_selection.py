"""NumPy functions that select, compare, sort and round, with operations of the package."""

from __future__ import annotations

import numpy as np

from ...extend.errors import UnimplementedError
from ...extend.operations import (
    OPERATIONS,
    ag,
    as_bool,
    axis_of,
    computed_by,
    floating,
    promoted,
    promoted_arrays,
    rank_of,
    sizes_of,
    traces,
    zero,
)
from ...extend.operations import numpy_tensor as tensor
from .shape_functions import moveaxis


@traces(np.where)
def where(condition, x=None, y=None, /):
    if x is None and y is None:
        return nonzero(condition)
    return ag.where(as_bool(condition), *promoted(x, y))


@traces(np.select)
def select(condlist, choicelist, default=0):
    *choices, result = promoted(*choicelist, default)
    for condition, choice in reversed(list(zip(condlist, choices, strict=True))):
        result = ag.where(as_bool(condition), choice, result)
    return result


@traces(np.nonzero, result="new")
def nonzero(a):
    mask = as_bool(a)
    return tuple(OPERATIONS["places_under"](mask, mask, axis=0, rank=rank_of(mask)))


traces(np.argwhere, result="new")(lambda a: ag.where(as_bool(a)))
traces(np.flatnonzero, result="new")(lambda a: nonzero(ag.reshape(tensor(a), [-1]))[0])


@traces(np.clip)
def clip(a, a_min=None, a_max=None, out=None, *, min=None, max=None):
    low, high = min if a_min is None else a_min, max if a_max is None else a_max
    values = [value for value in (a, low, high) if value is not None]
    x, *bounds = promoted(*values)
    if low is not None:
        x = ag.maximum(x, bounds.pop(0))
    return x if high is None else ag.minimum(x, bounds.pop(0))


@traces(np.take, mode=("raise",), result="new")
def take(a, indices, axis=None, out=None, mode="raise"):
    x, positions = tensor(a), tensor(indices)
    if not rank_of(x):
        raise UnimplementedError("np.take of a number")
    if axis is None:
        x, axis = ag.reshape(x, [-1]), 0
    axis = axis_of(axis, rank_of(x))
    return ag.gather(x, _from_front(positions, sizes_of(x)[axis]), axis=axis)


def _from_front(indices, size):
    return ag.where(indices < 0, indices + ag.cast(size, indices.dtype), indices)


@traces(np.take_along_axis, result="new")
def take_along_axis(arr, indices, axis=-1):
    x, positions = tensor(arr), tensor(indices)
    if axis is None:
        x, positions, axis = ag.reshape(x, [-1]), ag.reshape(positions, [-1]), 0
    rank = rank_of(x)
    x, positions = moveaxis(x, axis, -1), moveaxis(positions, axis, -1)
    positions = _from_front(positions, sizes_of(x)[-1])
    batch_shape = ag.broadcast_dynamic_shape(ag.shape(x)[:-1], ag.shape(positions)[:-1])
    x = ag.broadcast_to(x, ag.concat([batch_shape, ag.shape(x)[-1:]], 0))
    positions = ag.broadcast_to(positions, ag.concat([batch_shape, ag.shape(positions)[-1:]], 0))
    return moveaxis(ag.gather(x, positions, axis=rank - 1, batch_dims=rank - 1), -1, axis)


@traces(np.compress)
def compress(condition, a, axis=None, out=None):
    x, keep = tensor(a), as_bool(condition)
    if axis is None:
        x, axis = ag.reshape(x, [-1]), 0
    return ag.gather(x, nonzero(keep)[0], axis=axis)


@traces(np.extract)
def extract(condition, arr):
    return ag.boolean_mask(ag.reshape(tensor(arr), [-1]), ag.reshape(as_bool(condition), [-1]))


@traces(np.isin, invert=(False, True))
def isin(element, test_elements, assume_unique=False, invert=False, *, kind=None):
    x, candidates = promoted(element, test_elements)
    result = ag.reduce_any(ag.equal(x[..., None], ag.reshape(candidates, [-1])), axis=-1)
    return ag.logical_not(result) if invert else result


# ---- order -----------------------------------------------------------------------------------


def _ordered(order, a, axis):
    x = tensor(a)
    return order(ag.reshape(x, [-1]), axis=0) if axis is None else order(x, axis=axis)


STABLE = ("stable", "mergesort")
ALGORITHMS = (None, "quicksort", "heapsort", *STABLE)


@traces(np.sort, result="new", kind=ALGORITHMS)
def sort(a, axis=-1, kind=None, order=None, *, stable=None):
    x = tensor(a)
    if x.dtype.is_floating and (stable or kind in STABLE):  # zeros of both signs keep their order
        return take_along_axis(x, argsort(x, axis), axis)
    if x.dtype.is_bool:
        return ag.cast(_ordered(ag.sort, ag.cast(x, "uint8"), axis), "bool")
    return _ordered(ag.sort, x, axis)


@traces(np.argsort, result="new", kind=ALGORITHMS)
def argsort(a, axis=-1, kind=None, order=None, *, stable=None):
    x = tensor(a)
    x = ag.cast(x, "uint8") if x.dtype.is_bool else x
    return ag.cast(_ordered(ag.argsort, x, axis), "int64")


@traces(np.searchsorted, result="new", operands=2)
def searchsorted(a, v, side="left", sorter=None):
    sorted_values, values = promoted(a, tensor(v))  # no number adapts
    sorted_values = sorted_values if sorter is None else ag.gather(sorted_values, sorter)
    indices = ag.searchsorted(sorted_values, ag.reshape(values, [-1]), side=side)
    return ag.cast(ag.reshape(indices, ag.shape(values)), "int64")


@traces(np.digitize, result="new")
def digitize(x, bins, right=False):
    edges = tensor(bins)
    last, first = edges[-1], edges[0]
    side = "left" if right else "right"
    # edges in descending order: count from the other end
    descending = ag.subtract(
        ag.cast(ag.size(edges), "int64"),
        searchsorted(ag.reverse(edges, [0]), x, side),
    )
    return ag.where(last >= first, searchsorted(edges, x, side), descending)


@traces(np.interp, period=(None,), result="new")
def interp(x, xp, fp, left=None, right=None, period=None):
    x, xp, fp = (tensor(values, np.float64) for values in (x, xp, fp))
    last = ag.size(xp) - 1
    index = ag.maximum(searchsorted(xp, x, "right") - 1, 0)
    index = ag.minimum(index, ag.cast(last - 1, "int64"))
    start, height = ag.gather(xp, index), ag.gather(fp, index)
    end, other = ag.gather(xp, index + 1), ag.gather(fp, index + 1)
    slope = (other - height) / (end - start)
    result = slope * (x - start) + height
    from_end = slope * (x - end) + other  # where heights are infinite, one of the two may be NaN
    flat = ag.where(ag.equal(height, other) & ~ag.math.is_nan(x), height, from_end)
    from_end = ag.where(ag.math.is_nan(from_end), flat, from_end)
    result = ag.where(ag.math.is_nan(result), from_end, result)
    result = ag.where(ag.equal(x, start), height, result)
    result = ag.where(ag.equal(x, xp[-1]), fp[-1], result)
    result = ag.where(x < xp[0], fp[0] if left is None else tensor(left, "float64"), result)
    return ag.where(x > xp[-1], fp[-1] if right is None else tensor(right, "float64"), result)


@traces(np.unique, **dict.fromkeys(("return_index", "return_inverse", "return_counts"), (False,)))
def unique(ar, return_index=False, return_inverse=False, return_counts=False):
    return ag.sort(ag.unique(ag.reshape(tensor(ar), [-1]))[0])


# ---- comparing -------------------------------------------------------------------------------


@traces(np.isclose, result="new", operands=2, is_weak=True)
def isclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    # NumPy compares floats, so an integer of Python's need not be one of the other data type
    a, b = (float(value) if type(value) is int else value for value in (a, b))
    x, y = map(floating, promoted(a, b))
    size = ag.abs(y)
    tolerance = ag.add(tensor(atol, size.dtype), ag.multiply(tensor(rtol, size.dtype), size))
    near = ag.logical_and(ag.math.is_finite(size), ag.abs(ag.subtract(x, y)) <= tolerance)
    near = ag.logical_or(near, ag.equal(x, y))
    if equal_nan:
        near = ag.logical_or(near, ag.logical_and(ag.math.is_nan(x), ag.math.is_nan(y)))
    return near


@traces(np.allclose, result=bool, operands=2, is_weak=True)
def allclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    return ag.reduce_all(isclose(a, b, rtol, atol, equal_nan))


@traces(np.array_equal)
def array_equal(a1, a2, equal_nan=False):
    x, y = promoted(a1, a2)
    if rank_of(x) != rank_of(y):
        return tensor(False)
    same_shape = ag.reduce_all(ag.equal(ag.shape(x), ag.shape(y)))

    def compare():
        same = ag.equal(x, y)
        if equal_nan and x.dtype.is_floating:
            same = ag.logical_or(same, ag.logical_and(ag.math.is_nan(x), ag.math.is_nan(y)))
        return ag.reduce_all(same)

    are_static = None not in (*x.dims, *y.dims)
    if are_static:
        return compare() if x.dims == y.dims else tensor(False)
    return ag.cond(same_shape, compare, lambda: tensor(False))


# ---- single elements -------------------------------------------------------------------------


@traces(np.isreal)
def isreal(x):
    value = tensor(x)
    return ag.equal(imag(value), ag.convert_to_tensor(0, value.dtype.real_dtype))


traces(np.iscomplex)(lambda x: ag.logical_not(isreal(x)))


@traces(np.round, np.around, result="new")
def round_(a, decimals=0, out=None):
    x = tensor(a)
    if x.dtype.is_integer and decimals >= 0:
        return x
    if x.dtype.is_complex:
        return ag.complex(round_(ag.math.real(x), decimals), round_(ag.math.imag(x), decimals))
    if not x.dtype.is_floating:
        raise UnimplementedError(f"np.round on symbolic tensors of {x.dtype.name}")
    if decimals == 0:
        return ag.round(x)
    scale = ag.convert_to_tensor(10.0 ** abs(decimals), x.dtype)
    larger, smaller = (ag.multiply, ag.divide) if decimals > 0 else (ag.divide, ag.multiply)
    return smaller(ag.round(larger(x, scale)), scale)


@traces(np.fix)
def fix(x, out=None):
    value = computed_by(np.trunc, x)
    if not value.dtype.is_floating:
        return value
    return ag.where(value < 0, ag.math.ceil(value), ag.floor(value))


@traces(np.sinc)
def sinc(x):
    value = floating(x)
    angle = ag.multiply(ag.convert_to_tensor(np.pi, value.dtype), value)
    is_zero = ag.equal(angle, zero(value.dtype))
    safe = ag.where(is_zero, ag.convert_to_tensor(1, value.dtype), angle)
    return ag.where(is_zero, 1 - angle * angle / 6, ag.divide(ag.sin(safe), safe))


@traces(np.nan_to_num, copy=(True,), result="new")
def nan_to_num(x, copy=True, nan=0.0, posinf=None, neginf=None):
    value = tensor(x)
    if value.dtype.is_complex:
        parts = (ag.math.real(value), ag.math.imag(value))
        return ag.complex(*(nan_to_num(part, copy, nan, posinf, neginf) for part in parts))
    if not value.dtype.is_floating:
        return value
    dtype = value.dtype
    result = ag.where(ag.math.is_nan(value), tensor(nan, dtype), value)
    limits = ((posinf, dtype.max, np.inf), (neginf, dtype.min, -np.inf))
    for value_, limit, infinity in limits:
        fill = tensor(limit if value_ is None else value_, dtype)
        result = ag.where(ag.equal(value, tensor(infinity, dtype)), fill, result)
    return result


@traces(np.real)
def real(val):
    value = tensor(val)
    return ag.math.real(value) if value.dtype.is_complex else value


@traces(np.imag)
def imag(val):
    value = tensor(val)
    return ag.math.imag(value) if value.dtype.is_complex else ag.zeros_like(value)


@traces(np.angle, result="new")
def angle(z, deg=False):
    value = tensor(z)
    if value.dtype.is_complex:
        angles = ag.math.angle(value)
    else:
        value = computed_by(np.angle, value)
        angles = ag.math.atan2(ag.zeros_like(value), value)
    return ag.multiply(angles, tensor(180 / np.pi, angles.dtype)) if deg else angles


@traces(np.polyval, result="new", operands=2)
def polyval(p, x):
    factors, value = promoted_arrays(p, x)
    result = ag.zeros_like(value)
    for factor in ag.unstack(factors):
        result = ag.add(ag.multiply(result, value), factor)
    return result


@traces(np.result_type)
def result_type(*arrays_and_dtypes):
    return np.result_type(
        *(item.dtype.numpy_dtype if hasattr(item, "dims") else item for item in arrays_and_dtypes)
    )
