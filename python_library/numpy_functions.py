"""Functions of NumPy that are made of others. Where an `assert` fails, NumPy computes them."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

# What NumPy may compute in place of powers of arrays, by their kind and the exponent.
FORMS_OF_POWERS: dict[str, dict[float, np.ufunc]] = {
    "b": {2: np.square},
    "c": {2: np.square, -1: np.reciprocal, 0.5: np.sqrt},
}
MOST_TAPS = 32  # of a convolution, which become as many additions
FORMS: dict[Any, Callable] = {}  # by the function of NumPy's


def _is_form_of(function: Callable) -> Callable:
    def note(form: Callable) -> Callable:
        FORMS[function] = form
        return form

    return note


def _has_known_sizes(array) -> bool:
    return all(type(size) is int for size in array.shape)


def _is_vector(value) -> bool:
    return getattr(value, "ndim", 0) == 1 and _has_known_sizes(value)


def raised(array, exponent, cls: type):
    """`array ** exponent`, of which the class is known."""
    forms = _forms_of_powers(array.dtype, cls)
    if array.dtype == bool and forms:  # the data type depends on the exponent
        exponent = operator.index(exponent)
    is_known = type(exponent) is cls
    if is_known:
        is_form = bool(forms) and exponent in forms
        return forms[exponent](array) if is_form else np.power(array, exponent)
    result = np.power(array, exponent)
    for number, form in forms.items():
        result = np.where(exponent == number, form(array), result)
    return result


@functools.cache
def _forms_of_powers(dtype: np.dtype, cls: type) -> dict[float, np.ufunc]:
    """The exponents of a class for which `a ** exponent` of an array is no power to NumPy, and what
    it is.
    """
    is_number = issubclass(cls, (int, float, np.number))
    forms = FORMS_OF_POWERS.get(dtype.kind, {}) if is_number else {}
    return {at: form for at, form in forms.items() if _is_form(form, dtype, cls(at), at)}


def _is_form(form: np.ufunc, dtype: np.dtype, exponent, number: float) -> bool:
    """Whether NumPy computes `form`, and not the power, of what tells them apart."""
    if exponent != number:
        return False
    sample = np.array([-0.0, -np.inf]).astype(dtype)
    with np.errstate(all="ignore"):
        results = sample**exponent, form(sample), np.power(sample, exponent)
    by_operator, by_form, by_power = ((each.dtype, each.tobytes()) for each in results)
    return by_operator == by_form != by_power


@_is_form_of(np.ix_)
def open_mesh(*args) -> tuple:
    assert all(map(_is_vector, args)), "other things than vectors of known size"
    assert all(array.dtype.kind in "iu" for array in args), "other vectors than integers"
    whole = [None] * len(args)
    return tuple(
        array[(*whole[:at], slice(None), *whole[at + 1 :])] for at, array in enumerate(args)
    )


@_is_form_of(np.convolve)
def convolved(a, v, mode="full"):
    """One operand is short."""
    assert _is_vector(a) and _is_vector(v), "other things than vectors of known size"
    long, short = (a, v) if a.shape[0] >= v.shape[0] else (v, a)
    count, taps = long.shape[0], short.shape[0]
    assert 0 < taps <= MOST_TAPS, f"more than {MOST_TAPS} elements"
    dtype = np.result_type(a.dtype, v.dtype)
    result = np.zeros_like(a, dtype=dtype, shape=(count + taps - 1,))
    for at in range(taps):
        result[at : at + count] += long * short[at]
    if mode == "full":
        return result
    first, last = (taps - 1, count) if mode == "valid" else ((taps - 1) // 2, None)
    return result[first : last if last is not None else first + count].copy()


@_is_form_of(np.gradient)
def slopes(f, *varargs, axis=None, edge_order=1):
    """With one distance of points, or one for each axis."""
    axes = range(f.ndim) if axis is None else normalize_axis_tuple(axis, f.ndim)
    is_simple = edge_order == 1 and _has_known_sizes(f)
    assert is_simple and all(f.shape[at] > 1 for at in axes), (
        "edges of higher order, or of few or unknown points"
    )
    assert f.dtype.kind != "b", "bools"
    distances = varargs if len(varargs) == len(axes) else (varargs or (1.0,)) * len(axes)
    is_even = len(distances) == len(axes) and not any(getattr(x, "shape", ()) for x in distances)
    assert is_even, "points at distances of their own"
    f = f.astype(np.float64) if f.dtype.kind in "iu" else f
    results = [_slope(f, at, distance) for at, distance in zip(axes, distances, strict=True)]
    return results[0] if len(results) == 1 else tuple(results)


def _slope(f, axis: int, distance):
    def at(*bounds):
        return (*(slice(None),) * axis, slice(*bounds))

    result = np.zeros_like(f)
    result[at(1, -1)] = (f[at(2, None)] - f[at(None, -2)]) / (2.0 * distance)
    result[at(None, 1)] = (f[at(1, 2)] - f[at(None, 1)]) / distance
    result[at(-1, None)] = (f[at(-1, None)] - f[at(-2, -1)]) / distance
    return result


@_is_form_of(np.vander)
def powers(x, N=None, increasing=False):  # noqa: N803 - NumPy's name
    assert _is_vector(x), "another array than a vector of known size"
    count = x.shape[0] if N is None else operator.index(N)
    dtype = np.promote_types(x.dtype, int)
    result = np.zeros_like(x, dtype=dtype, shape=(x.shape[0], count))
    columns = result if increasing else result[:, ::-1]
    for at in range(count):
        columns[:, at] = 1 if not at else x if at == 1 else columns[:, at - 1] * x
    return result


@_is_form_of(np.cov)
def covariances(m, y=None, rowvar=True, bias=False, ddof=None):
    """Of the rows, or the columns, of a matrix, or of two vectors."""
    arrays = [m] if y is None else [m, y]
    rank = 2 if y is None else 1
    is_plain = all(
        getattr(array, "ndim", 0) == rank and array.dtype == np.float64 and _has_known_sizes(array)
        for array in arrays
    )
    assert is_plain and (rowvar or y is None), (
        "other arrays than a matrix or two vectors of float64"
    )
    rows = np.stack([m, y]) if y is not None else m if rowvar else m.T
    fact = rows.shape[1] - ((0 if bias else 1) if ddof is None else operator.index(ddof))
    assert fact > 0, "too few observations"
    rows = rows - rows.mean(axis=1)[:, None]
    return np.dot(rows, rows.T) * (1 / fact)


@_is_form_of(np.corrcoef)
def correlations(x, y=None, rowvar=True):
    covariance = covariances(x, y, rowvar)
    deviations = np.sqrt(np.diag(covariance))
    return np.clip(covariance / deviations[:, None] / deviations, -1, 1)


@_is_form_of(np.delete)
def without_element(arr, obj, axis=None):
    """One element of a vector is left out."""
    assert getattr(arr, "ndim", 0) == 1 and axis in (None, 0, -1), "other arrays than vectors"
    assert not hasattr(obj, "shape") and not isinstance(obj, (bool, slice, list, tuple)), (
        "several places"
    )
    at = operator.index(obj)
    assert _has_known_sizes(arr) and -arr.shape[0] <= at < arr.shape[0], "an unknown place"
    at %= arr.shape[0]
    return np.concatenate((arr[:at], arr[at + 1 :]))


@_is_form_of(np.nancumsum)
def sums_of_numbers(a, axis=None):
    """Running sums, for which NaN is 0."""
    return np.cumsum(_with_number(a, 0), axis)


@_is_form_of(np.nancumprod)
def products_of_numbers(a, axis=None):
    """Running products, for which NaN is 1."""
    return np.cumprod(_with_number(a, 1), axis)


def _with_number(a, number: int):
    """An array of real numbers with this number in place of NaN."""
    assert a.dtype.kind in "biuf", "complex numbers"
    return np.where(np.isnan(a), a.dtype.type(number), a) if a.dtype.kind == "f" else a


def hypotenuse(x, y):
    """`np.hypot`, without overflow."""
    x, y = np.abs(x), np.abs(y)
    large, small = np.maximum(x, y), np.minimum(x, y)
    ratio = np.where(large == 0, large, small) / np.where(large == 0, 1, large)
    result = large * np.sqrt(1 + ratio * ratio)
    result = np.where(np.isinf(x) | np.isinf(y), result.dtype.type(np.inf), result)
    return result if result.ndim else result[()]


def fill_with_range(out, start, step):
    for at in range(len(out)):
        out[at] = start + at * step


def spaced(start, stop, count, endpoint, dtype):
    """`np.linspace` between two numbers."""
    first, last = np.float64(start), np.float64(stop)
    step = (last - first) / max(count - 1 if endpoint else count, 1)
    assert step != 0 or first == last  # NumPy divides in another order
    result = np.arange(0.0, count) * step + first
    if endpoint and count > 1:
        result[-1] = last
    if dtype is None:
        return result
    return (np.floor(result) if np.issubdtype(dtype, np.integer) else result).astype(dtype)


def between(x, low, high, limits):
    """`np.clip` of floats: of two zeros, it gives the element where both limits are numbers, and
    the limit where one is an array. `limits` are those of the call.
    """
    if any(getattr(limit, "ndim", 0) for limit in (low, high)):
        x = np.where((x > low) | np.isnan(x), x, low)
        return np.where((x < high) | np.isnan(x), x, high)
    result = np.where(x < low, low, x)
    result = np.where(result > high, high, result)
    for limit, own in ((high, limits[1]), (low, limits[0])):
        if not isinstance(own, (bool, int, float, np.generic)) or own != own:
            result = np.where(np.isnan(limit), limit, result)
    return result


def joined_rows(function: Callable, rows, axis: int):
    """The result of a function of NumPy that joins arrays, for the rows of an array."""
    if function is np.stack:
        return _with_first_at(rows, normalize_axis_index(axis, rows.ndim)).copy()
    rank = rows.ndim - 1
    if function is np.concatenate:
        if not rank:
            raise ValueError("zero-dimensional arrays cannot be concatenated")
        return _merged(rows, normalize_axis_index(axis, rank))
    if function is np.hstack:
        return _merged(rows, min(rank - 1, 1)) if rank else rows.copy()
    if function is np.column_stack:
        return _merged(rows, 1) if rank > 1 else rows.T.copy() if rank else rows[None].copy()
    return _merged(rows, 0) if rank > 1 else rows[:, None].copy() if not rank else rows.copy()


def _with_first_at(rows, axis: int):
    """A view whose first axis comes to be at another position."""
    if axis == 0:
        return rows
    order = [*range(1, rows.ndim)]
    order.insert(axis, 0)
    return rows.transpose(order)


def _merged(rows, axis: int):
    """A new array of all rows, one after the other along an axis of theirs."""
    shape = list(rows.shape[1:])
    shape[axis] = -1
    return _with_first_at(rows, axis).copy().reshape(tuple(shape))
