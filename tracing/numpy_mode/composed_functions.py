"""Functions of NumPy in NumPy mode that are made of others: views, counts, histograms."""

from __future__ import annotations

import operator

import numpy as np

from ...runtime.core.numpy_dtypes import is_bool, is_exact, is_integer
from ...runtime.ir.op import TABLE as OPS
from ...runtime.numpy_protocol.registry import on_arrays
from ...runtime.tensors.apply import constant_of
from .calls.library_calls import BY_STEPS, call_library
from .iteration import TracedRange
from .new_arrays import as_constant, is_traced, type_of, zeros
from .refusal import RefusedError
from .statements.staged_loops import record_for
from .storage import Storage
from .traced_array import TracedArray, elements_of, fresh
from .traced_scalar import TracedScalar, number_in

MOST_TAPS = 32  # of a convolution, which become as many additions


# ---- views -----------------------------------------------------------------------------------


def _axes(a, axis, **options) -> tuple[int, ...]:
    return np.lib.array_utils.normalize_axis_tuple(axis, a.ndim, **options)


@on_arrays(np.lib.stride_tricks.sliding_window_view)
def windows(x, window_shape, axis=None, *, subok=False, writeable=False):
    """`sliding_window_view`: elements that nothing may change where this is read."""
    if x.computed or writeable:
        raise RefusedError("windows that change, or of an array whose size is computed")
    sizes = [operator.index(size) for size in np.atleast_1d(as_constant(window_shape)).tolist()]
    axes = tuple(range(x.ndim)) if axis is None else _axes(x, axis, allow_duplicate=True)
    elements = x
    for at, size in zip(axes, sizes, strict=True):
        count = elements.shape[at] - size + 1
        places = np.arange(count)[:, None] + np.arange(size)
        elements = np.moveaxis(np.take(elements, fresh(constant_of(places)), at), at + 1, -1)
    view = TracedArray(Storage(elements.read(), copy_of=x.storage.roots()))
    view.template.flags.writeable = False
    return view


@on_arrays(np.ix_)
def open_mesh(*args) -> tuple:
    """`np.ix_` of vectors of integers and masks."""
    views = []
    for at, array in enumerate(args):
        if not isinstance(array, TracedArray) or array.ndim != 1 or array.computed:
            raise RefusedError("np.ix_ of other things than vectors of known size")
        if not is_integer(array.dtype):
            raise RefusedError("np.ix_ of other vectors than integers")
        views.append(array[tuple(slice(None) if axis == at else None for axis in range(len(args)))])
    return tuple(views)


@on_arrays(np.pad)
def padded(array, pad_width, mode="constant", **options):
    """With elements of the array itself."""
    if mode not in ("edge", "reflect", "symmetric", "wrap") or options:
        return NotImplemented
    if array.computed or 0 in array.shape:
        raise RefusedError("np.pad of an array whose size is computed")
    widths = np.broadcast_to(as_constant(pad_width), (array.ndim, 2)).tolist()
    for axis, (size, pair) in enumerate(zip(array.shape, widths, strict=True)):
        if any(pair):
            places = np.pad(np.arange(size), pair, mode)
            array = np.take(array, fresh(constant_of(places)), axis)
    return array if any(map(any, widths)) else array.copy()


# ---- counts ----------------------------------------------------------------------------------


@on_arrays(np.array_equal, operands=2)
def is_equal_everywhere(a1, a2, equal_nan=False):
    """`np.array_equal` of arrays whose shapes are known."""
    if equal_nan or any(type(array) is not TracedArray or array.computed for array in (a1, a2)):
        raise RefusedError("np.array_equal of other things than arrays, or with equal_nan")
    return a1.shape == a2.shape and TracedScalar(np.all(a1 == a2).tensor, bool, 1)


def added_at(target, indices, value) -> None:
    """`np.add.at`: equal indices add up."""
    key = indices if isinstance(indices, tuple) else (indices,)
    if not all(isinstance(index, TracedArray) and is_integer(index.dtype) for index in key):
        raise RefusedError("np.add.at of other indices than arrays")
    if len(key) > target.ndim:
        raise IndexError("too many indices for array")
    if np.add.resolve_dtypes((target.dtype, type_of(value), None))[2] != target.dtype:
        raise RefusedError("np.add.at of numbers of a wider type")
    places = [index.read() for index in key]
    elements = elements_of(value, target.dtype)
    axes = tuple(range(len(key)))
    target[...] = fresh(OPS["added_by_arrays"](target.read(), elements, *places, axes=axes))


def between(x, low, high, limits: tuple):
    """`np.clip` of floats: of two zeros, it gives the element where both limits are numbers, and
    the limit where one is an array.
    """
    if any(isinstance(limit, TracedArray) and limit.ndim for limit in (low, high)):
        x = np.where((x > low) | np.isnan(x), x, low)
        return np.where((x < high) | np.isnan(x), x, high)
    result = np.where(x < low, low, x)
    result = np.where(result > high, high, result)
    for limit, own in ((high, limits[1]), (low, limits[0])):
        if is_traced(own) or own != own:
            result = np.where(np.isnan(limit), limit, result)
    return result


def changed_at(ufunc, target, indices, *values) -> None:
    """`ufunc.at`: one index after the other."""
    key = indices if isinstance(indices, tuple) else (indices,)
    arrays = [value for value in (*key, *values) if isinstance(value, TracedArray)]
    if not all(isinstance(index, TracedArray) and is_integer(index.dtype) for index in key):
        raise RefusedError(f"np.{ufunc.__name__}.at of other indices than arrays")
    shapes = {array.template.shape for array in arrays}
    if len(shapes) > 1 or any(array.ndim != 1 or array.computed for array in arrays):
        raise RefusedError(f"np.{ufunc.__name__}.at of several shapes, or of more than one axis")
    types = (target.dtype, *map(type_of, values), None)
    resolved = ufunc.resolve_dtypes(types)[-1]
    if len(key) != target.ndim or not np.can_cast(resolved, target.dtype, "same_kind"):
        raise RefusedError(f"np.{ufunc.__name__}.at of rows, or of another type")

    def change(at) -> tuple:
        place = tuple(index[at] for index in key)
        operands = [value[at] if isinstance(value, TracedArray) else value for value in values]
        target[place] = ufunc(target[place], *operands)
        return ()

    (count,) = shapes.pop()
    key = tuple(index.copy() for index in key)  # NumPy reads all of them first
    values = tuple(value.copy() if isinstance(value, TracedArray) else value for value in values)
    if count:
        record_for(TracedRange(0, count, 1), change, None, (), ())


def by_steps(ufunc, method: str, array, *indices, axis=0):
    """`ufunc.accumulate` and `ufunc.reduceat` along the first axis."""
    is_vector = all(type(row) is TracedArray and row.ndim == 1 for row in indices)
    if type(array) is not TracedArray or array.ndim < 1 or axis != 0 or not is_vector:
        raise RefusedError(f"np.{ufunc.__name__}.{method} of no array, or along another axis")
    is_sum = ufunc in (np.add, np.multiply) and array.dtype.itemsize < 8 and is_exact(array.dtype)
    if is_sum or ufunc.resolve_dtypes((array.dtype, array.dtype, None))[2] != array.dtype:
        raise RefusedError(f"np.{ufunc.__name__}.{method} with a result of another type")
    if indices and (array.ndim > 1 or not is_integer(indices[0].dtype)):
        raise RefusedError(
            f"np.{ufunc.__name__}.{method} of rows, or at other indices than integers"
        )
    return call_library(BY_STEPS[method], ufunc, array, *indices)


# ---- arithmetic ------------------------------------------------------------------------------


@on_arrays(np.convolve, operands=2)
def convolved(a, v, mode="full"):
    """`np.convolve` with one short operand."""
    long, short = (a, v) if a.shape[0] >= v.shape[0] else (v, a)
    count, taps = long.shape[0], short.shape[0]
    if a.ndim != 1 or v.ndim != 1 or not taps or taps > MOST_TAPS:
        raise RefusedError(f"np.convolve of more than {MOST_TAPS} elements")
    result = zeros(count + taps - 1, np.result_type(a.dtype, v.dtype))
    for at in range(taps):
        result[at : at + count] += long * short[at]
    if mode == "full":
        return result
    first, last = (taps - 1, count) if mode == "valid" else ((taps - 1) // 2, None)
    return result[first : last if last is not None else first + count].copy()


@on_arrays(np.gradient)
def slopes(f, *varargs, axis=None, edge_order=1):
    """`np.gradient` with one distance of points, or one for each axis."""
    axes = range(f.ndim) if axis is None else _axes(f, axis)
    if f.computed or edge_order != 1 or any(f.shape[at] < 2 for at in axes):
        raise RefusedError("np.gradient of edges of higher order, or of few or unknown points")
    if is_bool(f.dtype):
        raise RefusedError("np.gradient of bools")
    distances = varargs if len(varargs) == len(axes) else (varargs or (1.0,)) * len(axes)
    if len(distances) != len(axes) or TracedArray in map(type, distances):
        raise RefusedError("np.gradient of points at distances of their own")
    f = f.astype(np.float64) if is_integer(f.dtype) else f
    results = [_slope(f, at, distance) for at, distance in zip(axes, distances, strict=True)]
    return results[0] if len(results) == 1 else tuple(results)


def _slope(f, axis: int, distance):
    def at(*bounds):
        return (*(slice(None),) * axis, slice(*bounds))

    result = zeros(f.shape, f.dtype)
    result[at(1, -1)] = (f[at(2, None)] - f[at(None, -2)]) / (2.0 * distance)
    result[at(None, 1)] = (f[at(1, 2)] - f[at(None, 1)]) / distance
    result[at(-1, None)] = (f[at(-1, None)] - f[at(-2, -1)]) / distance
    return result


def hypotenuse(x, y):
    """`np.hypot`, without overflow."""
    x, y = np.abs(x), np.abs(y)
    large, small = np.maximum(x, y), np.minimum(x, y)
    ratio = np.where(large == 0, large, small) / np.where(large == 0, 1, large)
    result = large * np.sqrt(1 + ratio * ratio)
    result = np.where(np.isinf(x) | np.isinf(y), np.asarray(np.inf, result.dtype)[()], result)
    return number_in(result)


@on_arrays(np.fill_diagonal, changes=(0, "a"))
def filled_diagonal(a, val, wrap=False):
    if a.ndim != 2 or wrap or not a.template.flags.c_contiguous:
        raise RefusedError("np.fill_diagonal of another array than a matrix")
    count = min(a.shape)
    a.view_in_shape((-1,))[: count * (a.shape[1] + 1) : a.shape[1] + 1] = val


def _diagonal_of_matrix(matrix, offset: int):
    """The view, which NumPy makes read-only."""
    if matrix.template.flags.f_contiguous and not matrix.template.flags.c_contiguous:
        return _diagonal_of_matrix(matrix.T, -offset)
    rows, columns = matrix.shape
    count = min(rows, columns - offset) if offset >= 0 else min(rows + offset, columns)
    if count <= 0 or not matrix.template.flags.c_contiguous:
        raise RefusedError("np.diag of a view, or of no elements")
    first = offset if offset >= 0 else -offset * columns
    step = columns + 1
    view = matrix.view_in_shape((-1,))[first : first + (count - 1) * step + 1 : step]
    view.template = view.template.view()
    view.template.flags.writeable = False
    return view


@on_arrays(np.diag)
def diagonal(v, k=0):
    """`np.diag`."""
    offset = operator.index(k)
    if v.computed or v.ndim > 2:
        raise RefusedError("np.diag of an array whose size is computed")
    if v.ndim == 2:
        return _diagonal_of_matrix(v, offset)
    size = v.shape[0] + abs(offset)
    result = zeros((size, size), v.dtype)
    first = offset if offset >= 0 else -offset * size
    result.view_in_shape((-1,))[first : first + v.shape[0] * (size + 1) : size + 1] = v
    return result


@on_arrays(np.vander)
def powers(x, N=None, increasing=False):  # noqa: N803 - NumPy's name
    """`np.vander`."""
    if x.ndim != 1 or x.computed:
        raise RefusedError("np.vander of another array than a vector of known size")
    count = x.shape[0] if N is None else operator.index(N)
    result = zeros((x.shape[0], count), np.promote_types(x.dtype, int))
    columns = result if increasing else result[:, ::-1]
    for at in range(count):
        columns[:, at] = 1 if not at else x if at == 1 else columns[:, at - 1] * x
    return result


@on_arrays(np.cov)
def covariances(m, y=None, rowvar=True, bias=False, ddof=None, **weights):
    """`np.cov` of the rows, or the columns, of a matrix, or of two vectors."""
    arrays = [m] if y is None else [m, y]
    rank = 2 if y is None else 1
    if weights or not (rowvar or y is None) or not all(
        isinstance(array, TracedArray) and array.ndim == rank and array.dtype == np.float64
        and not array.computed for array in arrays
    ):  # fmt: skip
        raise RefusedError(
            "np.cov of other arrays than a matrix or two vectors of float64, or with weights"
        )
    rows = np.stack([m, y]) if y is not None else m if rowvar else m.T
    fact = rows.shape[1] - ((0 if bias else 1) if ddof is None else operator.index(ddof))
    if fact <= 0:
        raise RefusedError("np.cov of too few observations")
    rows = rows - rows.mean(axis=1)[:, None]
    return np.dot(rows, rows.T) * (1 / fact)


@on_arrays(np.corrcoef)
def correlations(x, y=None, rowvar=True, **options):
    """`np.corrcoef` of the rows, or the columns, of a matrix, or of two vectors."""
    if options:
        raise RefusedError("np.corrcoef with options")
    covariance = covariances(x, y, rowvar)
    deviations = np.sqrt(np.diag(covariance))
    return np.clip(covariance / deviations[:, None] / deviations, -1, 1)


# ---- attributes and views, in one expression --------------------------------------------------


on_arrays(np.real, is_weak=True)(lambda val: val.real)
on_arrays(np.imag, is_weak=True)(lambda val: val.imag)
on_arrays(np.shape)(lambda a: a.shape)
on_arrays(np.ndim)(lambda a: a.ndim)
on_arrays(np.size)(lambda a, axis=None: a.size if axis is None else a.shape[axis])
on_arrays(np.copy)(lambda a, order="K", subok=False: a.copy())
on_arrays(np.reshape)(
    lambda a, shape, order="C", **options: a.reshape(shape, order=order, **options)
)
on_arrays(np.ravel)(lambda a, order="C": a.ravel(order))
