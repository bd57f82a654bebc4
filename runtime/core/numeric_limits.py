"""Smallest and largest numbers of a data type."""

from __future__ import annotations

import numpy as np


def lowest(dtype):
    return np.finfo(dtype).min if dtype.kind == "f" else np.iinfo(dtype).min


def highest(dtype):
    return np.finfo(dtype).max if dtype.kind == "f" else np.iinfo(dtype).max


def lowest_of(dtype):
    """The padding value of a maximum."""
    return -np.inf if dtype.kind not in "iu" else np.iinfo(dtype).min
