"""Smallest and largest numbers of a data type."""

from __future__ import annotations

import numpy as np

from .numpy_dtypes import is_floating, is_integer


def lowest(dtype):
    return np.finfo(dtype).min if is_floating(dtype) else np.iinfo(dtype).min


def highest(dtype):
    return np.finfo(dtype).max if is_floating(dtype) else np.iinfo(dtype).max


def lowest_of(dtype):
    """The padding value of a maximum."""
    return -np.inf if not is_integer(dtype) else np.iinfo(dtype).min
