"""Functions of NumPy in NumPy mode that search and count: insertion places, bins, histograms."""

from __future__ import annotations

import operator

import numpy as np

from ...runtime.core.numpy_dtypes import is_complex, is_floating, is_integer
from ...runtime.numpy_protocol.registry import on_arrays
from ...runtime.tensors.apply import constant_of
from .composed_functions import added_at
from .iteration import TracedRange
from .new_arrays import is_traced, zeros
from .python_builtins import chosen
from .refusal import Fallback, RefusedError, numpy_trace
from .statements.staged_loops import record_for, record_while
from .storage import is_in_loop
from .traced_array import TracedArray, fresh
from .traced_scalar import TracedScalar, is_python_number, require, scalar_of


@on_arrays(np.searchsorted)
def searchsorted(a, v, side="left", sorter=None):
    """Of an array whose size is computed: a bisection for each value."""
    if not isinstance(a, TracedArray) or not a.computed:
        return NotImplemented
    if sorter is not None or side not in ("left", "right") or a.ndim != 1:
        raise RefusedError("np.searchsorted of an array whose size is computed, with options")
    if not isinstance(v, TracedArray):
        return _insertion_place(a, v, side == "right")
    if v.computed:
        raise RefusedError("np.searchsorted of two arrays whose sizes are computed")
    values, places = v.reshape(-1), zeros(v.size, np.int64)

    def place(at) -> tuple:
        places[at] = _insertion_place(a, values[at], side == "right")
        return ()

    if v.size:
        record_for(TracedRange(0, v.size, 1), place, None, (), ())
    return places.reshape(v.shape)


@on_arrays(np.digitize)
def digitize(x, bins, right=False):
    if not isinstance(bins, TracedArray) or bins.ndim != 1:
        raise RefusedError("np.digitize with bins that are no vector of the graph")
    lower, upper = bins[:-1], bins[1:]
    in_order = np.all(lower <= upper) | np.all(lower >= upper)  # where it fails, Python raises
    require((in_order & np.all(bins == bins)).tensor)
    return NotImplemented


def _insertion_place(a, value, is_right: bool) -> TracedScalar:
    def is_between(low, high):
        return low < high

    def halve(low, high):
        middle = (low + high) // 2
        first, second = (value, a[middle]) if is_right else (a[middle], value)
        is_before = (first < second) | ((second != second) & (first == first))  # NaN is sorted last
        goes_on = ~is_before if is_right else is_before
        return chosen(goes_on, middle + 1, low), chosen(goes_on, high, middle)

    count = TracedScalar(scalar_of(a.shape[0]).tensor)
    state = (TracedScalar(constant_of(np.int64(0))), count)
    low, _ = record_while(is_between, halve, state, ("low", "high"), {})
    return low


@on_arrays(np.bincount)
def counts_of(x, weights=None, minlength=0):
    """`np.bincount`; Python computes it where a number is not below `minlength`."""
    size = operator.index(minlength)
    if not size or x.ndim != 1 or not is_integer(x.dtype):
        raise RefusedError("np.bincount without minlength, whose size is computed")
    if weights is not None and weights.shape != x.shape:
        raise ValueError("The weights and list don't have the same length.")
    if x.size:
        require((np.min(x) >= 0).tensor)
        require((np.max(x) < size).tensor)
    counts = zeros(size, np.int64 if weights is None else np.float64)
    added_at(counts, x, 1 if weights is None else weights)
    return counts


@on_arrays(np.histogram)
def histogram(a, bins=10, range=None, density=None, weights=None):
    """`np.histogram` of a number of bins of one width."""
    bins = operator.index(bins) if type(bins) is TracedScalar else bins
    if not isinstance(bins, int) or density or not a.size:
        raise RefusedError("np.histogram with edges or density, or of nothing")
    if weights is not None and (weights.shape != a.shape or not is_floating(weights.dtype)):
        raise RefusedError("np.histogram with weights of another shape, or of other numbers")
    dtype = a.dtype if is_floating(a.dtype) else np.dtype(np.float64)
    if dtype != np.float64 and range is not None and not all(map(is_python_number, range)):
        raise RefusedError("np.histogram of float32 in a range of NumPy's numbers")
    wide = dtype if range is None else np.dtype(np.float64)  # of widths, and while edges are made
    values = a.astype(dtype).reshape(-1)
    low, high = (np.min(values), np.max(values)) if range is None else range
    low, high = wide.type(1) * low, wide.type(1) * high
    if range is None:
        require(np.all(np.isfinite(values)).tensor)
    elif is_traced(low) or is_traced(high):  # NumPy refuses other ranges
        require((np.isfinite(high - low) & (low <= high)).tensor)
    half = wide.type(0.5) * (low == high)
    low, high = low - half, high + half
    edges = fresh(constant_of(np.arange(bins + 1, dtype=wide))) * ((high - low) / bins) + low
    edges[-1] = high
    edges, first, last = edges.astype(dtype), low.astype(dtype), high.astype(dtype)
    inside = (values >= first) & (values <= last)
    near = np.where(inside, (values - first) / (high - low) * bins, 0).astype(np.int64)
    near = np.minimum(near, bins - 1)  # rounding may have put it into the bin beside its own
    near = near - (inside & (values < edges[near]))
    near = near + (inside & (values >= edges[near + 1]) & (near != bins - 1))
    if weights is None:
        counts, counted = zeros(bins, np.int64), 1
    else:
        counts, counted = zeros(bins, np.float64), weights.reshape(-1)
    added_at(counts, near, np.where(inside, counted, 0).astype(counts.dtype))
    return counts if weights is None else counts.astype(weights.dtype), edges


@on_arrays(np.unique)
def distinct(ar, return_counts=False, equal_nan=True, **options):
    """`np.unique` in a loop, or where only that makes the function native; elsewhere NumPy finds
    the elements as fast.
    """
    if options or not equal_nan or is_complex(ar.dtype):
        raise RefusedError("np.unique with indices or an axis")
    if not is_in_loop() and not numpy_trace().uses(Fallback.DISTINCT):
        raise RefusedError("np.unique outside of a loop")
    if ar.computed:
        require((ar.size > 0).tensor)
    elif not ar.size:
        raise RefusedError("np.unique of nothing")
    row = np.sort(ar.ravel() if ar.ndim != 1 else ar)
    is_other = row[1:] != row[:-1]
    if is_floating(row.dtype):
        is_other = is_other & ~np.isnan(row[:-1])  # what is sorted behind a NaN is one, too
    is_first = np.concatenate((fresh(constant_of(np.ones(1, bool))), is_other))
    places = np.flatnonzero(is_first)
    elements = row[places]
    if not return_counts:
        return elements
    end = fresh(constant_of(np.ones(1, np.int64))) * row.size
    return elements, np.diff(np.concatenate((places, end)))
