"""Functions of NumPy that search and count. Where an `assert` fails, NumPy computes them."""

from __future__ import annotations

import operator

import numpy as np


def insertion_places(a, v, is_right):
    """`np.searchsorted` of a vector: a bisection for each value."""
    values = np.asarray(v).ravel()
    places = np.zeros(len(values), np.int64)
    for at in range(len(values)):
        places[at] = insertion_place(a, values[at], is_right)
    return places.reshape(np.shape(v))


def insertion_place(a, value, is_right):
    low, high = 0, len(a)
    while low < high:
        middle = (low + high) // 2
        first, second = (value, a[middle]) if is_right else (a[middle], value)
        is_before = (first < second) | ((second != second) & (first == first))  # NaN is last
        goes_on = is_before ^ is_right
        low = middle + 1 if goes_on else low
        high = high if goes_on else middle
    return np.int64(low)


def counts(x, weights=None, minlength=0):
    """`np.bincount` of numbers below `minlength`."""
    size = operator.index(minlength)
    assert size > 0, "numbers without minlength, whose size is computed"
    assert x.ndim == 1 and x.dtype.kind in "iu", "other things than a vector of integers"
    assert weights is None or weights.shape == x.shape, "weights of another shape"
    if x.size:
        assert np.min(x) >= 0 and np.max(x) < size
    result = np.zeros(size, np.int64 if weights is None else np.float64)
    np.add.at(result, x, 1 if weights is None else weights)
    return result


def histogram(a, bins=10, range=None, density=None, weights=None):
    """`np.histogram` of a number of bins of one width, or between edges."""
    assert a.size, "of nothing"
    if isinstance(bins, (int, np.integer)):
        found, edges = _in_equal_bins(a, operator.index(bins), range, weights)
    else:
        assert weights is None, "weights between edges, whose sums NumPy adds in order"
        found, edges = _between_edges(a, bins)
    if density:
        found = found / np.diff(edges).astype(np.float64) / found.sum()
    return found, edges


def _between_edges(a, bins):
    edges = bins if isinstance(bins, np.ndarray) else np.asarray(bins)
    assert edges.ndim == 1 and len(edges) > 1, "bins that a name chooses, or none"
    assert a.dtype.kind in "iuf" and edges.dtype.kind in "iuf", "neither integers nor floats"
    assert np.all(edges[:-1] <= edges[1:])  # NumPy refuses others
    values = a.astype(np.promote_types(a.dtype, edges.dtype)).reshape(-1)
    limits, last = edges.astype(values.dtype), len(edges) - 1
    result = np.zeros(last, np.int64)
    for at in range(len(values)):
        place = insertion_place(limits, values[at], True) - 1
        if values[at] == limits[last]:
            place = np.int64(last - 1)
        if (place >= 0) & (place < last):
            result[place] += 1
    return result, edges


def _in_equal_bins(a, bins, range, weights):
    if weights is not None:
        assert weights.shape == a.shape and weights.dtype.kind == "f", "weights of integers"
    dtype = a.dtype if a.dtype.kind == "f" else np.dtype(np.float64)
    if dtype != np.float64 and range is not None:
        assert type(range[0]) in (int, float) and type(range[1]) in (int, float), (
            "float32 in a range of NumPy's numbers"
        )
    wide = dtype if range is None else np.dtype(np.float64)  # of widths, and while edges are made
    values = a.astype(dtype).reshape(-1)
    low, high = (np.min(values), np.max(values)) if range is None else range
    low, high = wide.type(1) * low, wide.type(1) * high
    if range is None:
        assert np.all(np.isfinite(values))
    else:  # NumPy refuses other ranges
        assert np.isfinite(high - low) and low <= high
    half = wide.type(0.5) * (low == high)
    low, high = low - half, high + half
    edges = np.arange(bins + 1, dtype=wide) * ((high - low) / bins) + low
    edges[-1] = high
    edges, first, last = edges.astype(dtype), low.astype(dtype), high.astype(dtype)
    inside = (values >= first) & (values <= last)
    near = np.where(inside, (values - first) / (high - low) * bins, 0).astype(np.int64)
    near = np.minimum(near, bins - 1)  # rounding may have put it into the bin beside its own
    near = near - (inside & (values < edges[near]))
    near = near + (inside & (values >= edges[near + 1]) & (near != bins - 1))
    result = np.zeros(bins, np.int64 if weights is None else np.float64)
    counted = np.ones(len(values), np.int64) if weights is None else weights.reshape(-1)
    np.add.at(result, near, np.where(inside, counted, 0).astype(result.dtype))
    return result if weights is None else result.astype(weights.dtype), edges


def distinct(ar, return_counts):
    """`np.unique` of elements that are there."""
    assert ar.size > 0, "nothing"
    row = np.sort(ar.ravel())
    is_other = row[1:] != row[:-1]
    if row.dtype.kind == "f":
        is_other = is_other & ~np.isnan(row[:-1])  # what is sorted behind a NaN is one, too
    places = np.flatnonzero(np.concatenate((np.ones(1, bool), is_other)))
    elements = row[places]
    if not return_counts:
        return elements
    end = np.ones(1, np.int64) * row.size
    return elements, np.diff(np.concatenate((places, end)))
