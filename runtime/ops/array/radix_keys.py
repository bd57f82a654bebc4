"""Sort keys: numbers as unsigned integers of the same order, and stable radix sorts of them.

The order is NumPy's. NaN of either sign is larger than every number. When indices are sorted the
two zeros are equal. When values are sorted -0.0 precedes 0.0, so that the result does not depend on
the algorithm.
"""

from __future__ import annotations

import numpy as np

from ...core import thresholds
from ...core.numpy_dtypes import is_signed, is_unsigned

DIGIT = 16  # bits, which NumPy sorts without comparisons


def has_keys(dtype: np.dtype) -> bool:
    """Whether numbers of this dtype can be ordered by their bits."""
    return dtype.kind in "iuf" and dtype.itemsize <= 8


def keys_of(x: np.ndarray, zeros_are_equal: bool = True) -> np.ndarray:
    """Unsigned integers of the same size whose order is the order of the numbers.

    >>> keys_of(np.array([-1, 0, 1], np.int8))
    array([127, 128, 129], dtype=uint8)
    """
    bits = 8 * x.dtype.itemsize
    unsigned = np.dtype(f"u{x.dtype.itemsize}")
    if is_unsigned(x.dtype):
        return x.view(unsigned)
    top = unsigned.type(1 << (bits - 1))
    if is_signed(x.dtype):
        return x.view(unsigned) ^ top
    if zeros_are_equal:
        x = x + x.dtype.type(0)  # -0.0 becomes 0.0
    signs = x.view(f"i{x.dtype.itemsize}") >> (bits - 1)  # all bits are the sign
    keys = x.view(unsigned) ^ (signs.view(unsigned) | top)
    keys[np.isnan(x)] = np.iinfo(unsigned).max
    return keys


def from_keys(keys: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """The inverse of `keys_of`; every NaN becomes the same one."""
    bits = 8 * dtype.itemsize
    if is_unsigned(dtype):
        return keys.view(dtype)
    top = keys.dtype.type(1 << (bits - 1))
    if is_signed(dtype):
        return (keys ^ top).view(dtype)
    signs = keys.view(f"i{dtype.itemsize}") >> (bits - 1)
    result = (keys ^ (~signs.view(keys.dtype) | top)).view(dtype)
    result[np.isnan(result)] = np.nan
    return result


def stable_order(x: np.ndarray, axis: int, descending: bool) -> np.ndarray:
    """The indices that sort the elements along an axis; equal elements keep their order."""
    if not has_keys(x.dtype) or (x.shape[axis] < thresholds.DIGITS_FROM and not descending):
        return np.argsort(x, axis, kind="stable") if not descending else _flipped(x, axis)
    keys = keys_of(x)
    if descending:
        keys = ~keys
    if x.shape[axis] < thresholds.DIGITS_FROM:
        return np.argsort(keys, axis, kind="stable")
    order: np.ndarray | None = None
    for shift in range(0, 8 * x.dtype.itemsize, DIGIT):
        digits = (keys >> keys.dtype.type(shift)).astype(np.uint16)
        if order is not None:
            digits = np.take_along_axis(digits, order, axis)
        step = np.argsort(digits, axis, kind="stable")
        order = step if order is None else np.take_along_axis(order, step, axis)
    assert order is not None  # a key has a digit
    return order


def _flipped(x: np.ndarray, axis: int) -> np.ndarray:
    """The descending order of numbers that have no keys."""
    order = np.argsort(np.flip(x, axis), axis, kind="stable")
    return x.shape[axis] - 1 - np.flip(order, axis)
