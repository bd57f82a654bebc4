"""New arrays of native code; large ones in large pages, where the system offers them.

The first write to a page of memory asks the operating system for it, which takes longer than to
fill it. Linux gives pages of 2 MB instead of 4 KB to who asks, as NumPy does for its arrays.
"""

from __future__ import annotations

import functools
import math
import sys

import numpy as np

from .buffers import Kind

LARGE_FROM = 1 << 22  # bytes
PAGE = 4096
HUGE_PAGES = 14  # MADV_HUGEPAGE of Linux


def new_array(kind: Kind) -> str:
    """The text that makes an array."""
    text = f"np.empty({kind.shape}, np.{'bool_' if kind.dtype == 'bool' else kind.dtype})"
    size = math.prod(kind.shape) * np.dtype(kind.dtype).itemsize
    return f"in_large_pages({text})" if size >= LARGE_FROM and sys.platform == "linux" else text


@functools.cache
def functions() -> dict[str, object]:
    """The function that the text calls."""
    from numba import njit, types

    signature = types.int32(types.uintp, types.uintp, types.int32)
    advise = types.ExternalFunction("madvise", signature)

    @njit
    def in_large_pages(array):
        """The array, whose memory nobody has used yet; a refusal of the advice changes nothing."""
        start = (array.ctypes.data + PAGE - 1) // PAGE * PAGE
        advise(start, array.ctypes.data + array.nbytes - start, HUGE_PAGES)
        return array

    return {"in_large_pages": in_large_pages}
