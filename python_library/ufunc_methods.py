"""Methods of ufuncs, step by step."""

from __future__ import annotations

import numpy as np


def accumulated(ufunc, array):
    """`ufunc.accumulate(array)`."""
    result = array.copy()
    for at in range(1, len(result)):
        result[at] = ufunc(result[at - 1], array[at])
    return result


def reduced_at(ufunc, array, indices):
    """`ufunc.reduceat(array, indices)`, of a vector."""
    result = np.empty(len(indices), array.dtype)
    for place in range(len(indices)):
        start, end = indices[place], len(array)
        if place + 1 < len(indices):
            end = indices[place + 1]
        assert 0 <= start < len(array) and 0 <= end <= len(array)
        total = array[start]
        for at in range(start + 1, end):
            total = ufunc(total, array[at])
        result[place] = total
    return result


def changed_at(ufunc, target, key, values):
    """`ufunc.at(target, key, *values)` of vectors of indices: one after the other."""
    places = [index.copy() for index in key]  # NumPy reads all of them first
    operands = [value.copy() if np.ndim(value) else value for value in values]
    for at in range(len(places[0])):
        place = tuple([index[at] for index in places])
        row = [value[at] if np.ndim(value) else value for value in operands]
        target[place] = ufunc(target[place], *row)
