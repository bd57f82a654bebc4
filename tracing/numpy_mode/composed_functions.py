"""Functions of NumPy in NumPy mode that are made of others: views, counts, searches."""

from __future__ import annotations

import operator
from functools import partial

import numpy as np

from ...python_library import searches, ufunc_methods
from ...python_library.numpy_functions import FORMS
from ...python_library.sums_of_products import in_pairs
from ...runtime.core.numpy_dtypes import is_complex, is_exact, is_integer
from ...runtime.ir.op import TABLE as OPS
from ...runtime.numpy_protocol.registry import on_arrays
from ...runtime.tensors.apply import constant_of
from .calls.library_calls import call_library
from .new_arrays import as_constant, type_of, zeros
from .refusal import RefusedError
from .storage import Storage
from .traced_array import TracedArray, elements_of, fresh
from .traced_scalar import TracedScalar, require

on_arrays(np.einsum)(in_pairs)
for _function, _form in FORMS.items():
    on_arrays(_function, operands=2 if _function is np.convolve else 1)(_form)

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


def changed_at(ufunc, target, indices, *values) -> None:
    """`ufunc.at`: one index after the other; of sums, equal indices add up."""
    key = indices if isinstance(indices, tuple) else (indices,)
    if not isinstance(target, TracedArray):
        raise RefusedError(f"np.{ufunc.__name__}.at of another thing than an array")
    if not all(isinstance(index, TracedArray) and is_integer(index.dtype) for index in key):
        raise RefusedError(f"np.{ufunc.__name__}.at of other indices than arrays")
    (_added_at if ufunc is np.add else partial(_step_by_step, ufunc))(target, key, *values)


def _added_at(target, key: tuple, value) -> None:
    if len(key) > target.ndim:
        raise IndexError("too many indices for array")
    if np.add.resolve_dtypes((target.dtype, type_of(value), None))[2] != target.dtype:
        raise RefusedError("np.add.at of numbers of a wider type")
    places = [index.read() for index in key]
    elements = elements_of(value, target.dtype)
    axes = tuple(range(len(key)))
    target[...] = fresh(OPS["added_by_arrays"](target.read(), elements, *places, axes=axes))


def _step_by_step(ufunc, target, key: tuple, *values) -> None:
    arrays = [value for value in (*key, *values) if isinstance(value, TracedArray)]
    shapes = {array.template.shape for array in arrays}
    if len(shapes) > 1 or any(array.ndim != 1 or array.computed for array in arrays):
        raise RefusedError(f"np.{ufunc.__name__}.at of several shapes, or of more than one axis")
    types = (target.dtype, *map(type_of, values), None)
    resolved = ufunc.resolve_dtypes(types)[-1]
    if len(key) != target.ndim or not np.can_cast(resolved, target.dtype, "same_kind"):
        raise RefusedError(f"np.{ufunc.__name__}.at of rows, or of another type")
    call_library(ufunc_methods.changed_at, ufunc, target, key, values)


def by_steps(ufunc, method: str, array, *indices, axis=0):
    """`ufunc.accumulate` and `ufunc.reduceat` along the first axis."""
    is_vector = all(type(row) is TracedArray and row.ndim == 1 for row in indices)
    if type(array) is not TracedArray or array.ndim < 1 or axis != 0 or not is_vector:
        raise RefusedError(f"np.{ufunc.__name__}.{method} of no array, or along another axis")
    is_sum = ufunc in (np.add, np.multiply) and array.dtype.itemsize < 8 and is_exact(array.dtype)
    if is_sum or ufunc.resolve_dtypes((array.dtype, array.dtype, None))[2] != array.dtype:
        raise RefusedError(f"np.{ufunc.__name__}.{method} with a result of another type")
    if indices and (array.ndim > 1 or not is_integer(indices[0].dtype)):
        raise RefusedError(f"np.{ufunc.__name__}.{method} of rows, or not at integers")
    accumulates = method == "accumulate"
    by_step = ufunc_methods.accumulated if accumulates else ufunc_methods.reduced_at
    return call_library(by_step, ufunc, array, *indices)


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


# ---- searches ----------------------------------------------------------------------------------


on_arrays(np.bincount)(partial(call_library, searches.counts))
on_arrays(np.histogram)(partial(call_library, searches.histogram))


@on_arrays(np.searchsorted)
def searchsorted(a, v, side="left", sorter=None):
    """Of an array whose size is computed."""
    if not isinstance(a, TracedArray) or not a.computed:
        return NotImplemented
    if sorter is not None or side not in ("left", "right") or a.ndim != 1:
        raise RefusedError("np.searchsorted of an array whose size is computed, with options")
    if not isinstance(v, TracedArray):
        return call_library(searches.insertion_place, a, v, side == "right")
    if v.computed:
        raise RefusedError("np.searchsorted of two arrays whose sizes are computed")
    return call_library(searches.insertion_places, a, v, side == "right")


@on_arrays(np.digitize)
def digitize(x, bins, right=False):
    if not isinstance(bins, TracedArray) or bins.ndim != 1:
        raise RefusedError("np.digitize with bins that are no vector of the graph")
    lower, upper = bins[:-1], bins[1:]
    in_order = np.all(lower <= upper) | np.all(lower >= upper)  # where it fails, Python raises
    require((in_order & np.all(bins == bins)).tensor)
    return NotImplemented


@on_arrays(np.unique)
def distinct(ar, *indices, return_counts=False, equal_nan=True, **options):
    if indices or options or not equal_nan or is_complex(ar.dtype):
        raise RefusedError("np.unique with indices or an axis")
    return call_library(searches.distinct, ar, return_counts)
