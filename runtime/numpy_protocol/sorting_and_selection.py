"""NumPy's functions that choose, compare, sort and round in operations of ours."""

from __future__ import annotations

import numpy as np

from ..core.errors import UnimplementedError
from .promotion import as_truth, computed_by, floating, promoted, promoted_arrays, tensor, zero
from .registry import ag, axis_of, rank_of, sizes_of, traces
from .shape_functions import moveaxis


@traces(np.where)
def where(condition, x=None, y=None, /):
    if x is None and y is None:
        return nonzero(condition)
    return ag.where(as_truth(condition), *promoted(x, y))


@traces(np.select)
def select(condlist, choicelist, default=0):
    *choices, made = promoted(*choicelist, default)
    for condition, choice in reversed(list(zip(condlist, choices, strict=True))):
        made = ag.where(as_truth(condition), choice, made)
    return made


@traces(np.nonzero)
def nonzero(a):
    places = ag.where(as_truth(a))
    return tuple(ag.unstack(places, axis=1))


@traces(np.argwhere)
def argwhere(a):
    return ag.where(as_truth(a))


@traces(np.flatnonzero)
def flatnonzero(a):
    return nonzero(ag.reshape(tensor(a), [-1]))[0]


@traces(np.clip)
def clip(a, a_min=None, a_max=None, out=None, *, min=None, max=None):
    low, high = min if a_min is None else a_min, max if a_max is None else a_max
    values = [value for value in (a, low, high) if value is not None]
    x, *bounds = promoted(*values)
    if low is not None:
        x = ag.maximum(x, bounds.pop(0))
    return x if high is None else ag.minimum(x, bounds.pop(0))


@traces(np.take)
def take(a, indices, axis=None, out=None, mode="raise"):
    if mode != "raise":
        raise UnimplementedError(f"np.take on symbolic tensors has no mode '{mode}'")
    x, places = tensor(a), tensor(indices)
    if axis is None:
        x, axis = ag.reshape(x, [-1]), 0
    axis = axis_of(axis, rank_of(x))
    return ag.gather(x, _from_front(places, sizes_of(x)[axis]), axis=axis)


def _from_front(places, size):
    return ag.where(places < 0, places + ag.cast(size, places.dtype), places)


@traces(np.take_along_axis)
def take_along_axis(arr, indices, axis=-1):
    x, places = tensor(arr), tensor(indices)
    if axis is None:
        x, places, axis = ag.reshape(x, [-1]), ag.reshape(places, [-1]), 0
    rank = rank_of(x)
    x, places = moveaxis(x, axis, -1), moveaxis(places, axis, -1)
    places = _from_front(places, sizes_of(x)[-1])
    rows = ag.broadcast_dynamic_shape(ag.shape(x)[:-1], ag.shape(places)[:-1])
    x = ag.broadcast_to(x, ag.concat([rows, ag.shape(x)[-1:]], 0))
    places = ag.broadcast_to(places, ag.concat([rows, ag.shape(places)[-1:]], 0))
    return moveaxis(ag.gather(x, places, axis=rank - 1, batch_dims=rank - 1), -1, axis)


@traces(np.compress)
def compress(condition, a, axis=None, out=None):
    x, keep = tensor(a), as_truth(condition)
    if axis is None:
        x, axis = ag.reshape(x, [-1]), 0
    return ag.gather(x, nonzero(keep)[0], axis=axis)


@traces(np.extract)
def extract(condition, arr):
    return ag.boolean_mask(ag.reshape(tensor(arr), [-1]), ag.reshape(as_truth(condition), [-1]))


@traces(np.isin)
def isin(element, test_elements, assume_unique=False, invert=False, *, kind=None):
    x, among = promoted(element, test_elements)
    found = ag.reduce_any(ag.equal(x[..., None], ag.reshape(among, [-1])), axis=-1)
    return ag.logical_not(found) if invert else found


# ---- order -----------------------------------------------------------------------------------


def _ordered(order, a, axis):
    x = tensor(a)
    return order(ag.reshape(x, [-1]), axis=0) if axis is None else order(x, axis=axis)


@traces(np.sort)
def sort(a, axis=-1, kind=None, order=None, *, stable=None):
    x = tensor(a)
    if x.dtype.is_bool:
        return ag.cast(_ordered(ag.sort, ag.cast(x, "uint8"), axis), "bool")
    return _ordered(ag.sort, x, axis)


@traces(np.argsort)
def argsort(a, axis=-1, kind=None, order=None, *, stable=None):
    x = tensor(a)
    x = ag.cast(x, "uint8") if x.dtype.is_bool else x
    return ag.cast(_ordered(ag.argsort, x, axis), "int64")


@traces(np.searchsorted)
def searchsorted(a, v, side="left", sorter=None):
    rows, values = promoted(a, v)
    rows = rows if sorter is None else ag.gather(rows, sorter)
    found = ag.searchsorted(rows, ag.reshape(values, [-1]), side=side)
    return ag.cast(ag.reshape(found, ag.shape(values)), "int64")


@traces(np.digitize)
def digitize(x, bins, right=False):
    edges = tensor(bins)
    last, first = edges[-1], edges[0]
    side = "left" if right else "right"
    # edges in falling order: count from the other end
    falling = ag.subtract(
        ag.cast(ag.size(edges), "int64"),
        searchsorted(ag.reverse(edges, [0]), x, side),
    )
    return ag.where(last >= first, searchsorted(edges, x, side), falling)


@traces(np.interp)
def interp(x, xp, fp, left=None, right=None, period=None):
    if period is not None:
        raise UnimplementedError("np.interp on symbolic tensors takes no 'period'")
    x, xp, fp = (tensor(one, np.float64) for one in (x, xp, fp))
    last = ag.size(xp) - 1
    place = ag.clip_by_value(searchsorted(xp, x, "right") - 1, 0, ag.cast(last - 1, "int64"))
    start, height = ag.gather(xp, place), ag.gather(fp, place)
    slope = (ag.gather(fp, place + 1) - height) / (ag.gather(xp, place + 1) - start)
    made = ag.where(ag.equal(x, xp[-1]), fp[-1], slope * (x - start) + height)
    made = ag.where(x < xp[0], fp[0] if left is None else ag.cast(left, "float64"), made)
    return ag.where(x > xp[-1], fp[-1] if right is None else ag.cast(right, "float64"), made)


@traces(np.unique)
def unique(ar, return_index=False, return_inverse=False, return_counts=False, axis=None):
    if return_index or return_inverse or return_counts or axis is not None:
        raise UnimplementedError(
            "np.unique on symbolic tensors gives the values only", "Use ag.unique_with_counts."
        )
    return ag.sort(ag.unique(ag.reshape(tensor(ar), [-1]))[0])


# ---- comparing -------------------------------------------------------------------------------


@traces(np.isclose)
def isclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    x, y = map(floating, promoted(a, b))
    size = ag.abs(y)
    wide = ag.add(ag.cast(atol, size.dtype), ag.multiply(ag.cast(rtol, size.dtype), size))
    near = ag.logical_and(ag.math.is_finite(size), ag.abs(ag.subtract(x, y)) <= wide)
    near = ag.logical_or(near, ag.equal(x, y))
    if equal_nan:
        near = ag.logical_or(near, ag.logical_and(ag.math.is_nan(x), ag.math.is_nan(y)))
    return near


@traces(np.allclose)
def allclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    return ag.reduce_all(isclose(a, b, rtol, atol, equal_nan))


@traces(np.array_equal)
def array_equal(a1, a2, equal_nan=False):
    x, y = promoted(a1, a2)
    if rank_of(x) != rank_of(y):
        return tensor(False)
    alike = ag.reduce_all(ag.equal(ag.shape(x), ag.shape(y)))

    def compare():
        same = ag.equal(x, y)
        if equal_nan and x.dtype.is_floating:
            same = ag.logical_or(same, ag.logical_and(ag.math.is_nan(x), ag.math.is_nan(y)))
        return ag.reduce_all(same)

    known = None not in (*x.dims, *y.dims)
    if known:
        return compare() if x.dims == y.dims else tensor(False)
    return ag.cond(alike, compare, lambda: tensor(False))


# ---- single elements -------------------------------------------------------------------------


@traces(np.isreal)
def isreal(x):
    value = tensor(x)
    return ag.equal(imag(value), ag.cast(0, value.dtype.real_dtype))


@traces(np.iscomplex)
def iscomplex(x):
    return ag.logical_not(isreal(x))


@traces(np.round, np.around)
def round_(a, decimals=0, out=None):
    x = tensor(a)
    if x.dtype.is_integer and decimals >= 0:
        return x
    if not x.dtype.is_floating:
        raise UnimplementedError(f"np.round on symbolic tensors of {x.dtype.name}")
    if decimals == 0:
        return ag.round(x)
    scale = ag.cast(10.0 ** abs(decimals), x.dtype)
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
    turned = ag.multiply(ag.cast(np.pi, value.dtype), value)
    there = ag.equal(turned, zero(value.dtype))
    safe = ag.where(there, ag.cast(1, value.dtype), turned)
    return ag.where(there, ag.cast(1, value.dtype), ag.divide(ag.sin(safe), safe))


@traces(np.nan_to_num)
def nan_to_num(x, copy=True, nan=0.0, posinf=None, neginf=None):
    value = tensor(x)
    if not value.dtype.is_floating:
        return value
    kind = value.dtype
    made = ag.where(ag.math.is_nan(value), ag.cast(nan, kind), value)
    limits = ((posinf, kind.max, np.inf), (neginf, kind.min, -np.inf))
    for given, limit, infinite in limits:
        fill = ag.cast(limit if given is None else given, kind)
        made = ag.where(ag.equal(value, ag.cast(infinite, kind)), fill, made)
    return made


@traces(np.real)
def real(val):
    value = tensor(val)
    return ag.math.real(value) if value.dtype.is_complex else value


@traces(np.imag)
def imag(val):
    value = tensor(val)
    return ag.math.imag(value) if value.dtype.is_complex else ag.zeros_like(value)


@traces(np.angle)
def angle(z, deg=False):
    value = tensor(z)
    if value.dtype.is_complex:
        found = ag.math.angle(value)
    else:
        value = computed_by(np.angle, value)
        found = ag.math.atan2(ag.zeros_like(value), value)
    return ag.multiply(found, ag.cast(180 / np.pi, found.dtype)) if deg else found


@traces(np.polyval)
def polyval(p, x):
    factors, value = promoted_arrays(p, x)
    made = ag.zeros_like(value)
    for factor in ag.unstack(factors):
        made = ag.add(ag.multiply(made, value), factor)
    return made


@traces(np.result_type)
def result_type(*arrays_and_dtypes):
    return np.result_type(
        *(item.dtype.numpy_dtype if hasattr(item, "dims") else item for item in arrays_and_dtypes)
    )
