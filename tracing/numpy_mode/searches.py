"""Functions of NumPy in NumPy mode that search and count: insertion places, bins, histograms."""

from __future__ import annotations

import functools

import numpy as np

from ...runtime.core.numpy_dtypes import is_complex
from ...runtime.numpy_protocol.registry import on_arrays
from .calls.library_calls import call_library, searches
from .refusal import RefusedError
from .traced_array import TracedArray
from .traced_scalar import require

on_arrays(np.bincount)(functools.partial(call_library, searches.counts))
on_arrays(np.histogram)(functools.partial(call_library, searches.histogram))


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
