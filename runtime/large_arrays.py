"""The memory of arrays in native code: new ones, large ones in large pages, and copies.

The first write to a page of memory asks the operating system for it, which takes longer than to
fill it. Linux gives pages of 2 MB instead of 4 KB to who asks, as NumPy does for its arrays.

Copies are a function of their own since `a[:] = b` takes Numba up to a second to compile.
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
    """The functions that the text calls."""
    from numba import njit, types
    from numba.core import cgutils
    from numba.extending import intrinsic, overload

    signature = types.int32(types.uintp, types.uintp, types.int32)
    advise = types.ExternalFunction("madvise", signature)

    @njit
    def in_large_pages(array):
        """The array, whose memory nobody has used yet; a refusal of the advice changes nothing."""
        start = (array.ctypes.data + PAGE - 1) // PAGE * PAGE
        advise(start, array.ctypes.data + array.nbytes - start, HUGE_PAGES)
        return array

    @intrinsic
    def move_elements(typing, target, source, count):
        """The first `count` elements of a contiguous array, to one of the same type."""

        def code(context, builder, signature, arguments):
            to, given = (
                context.make_array(kind)(context, builder, value)
                for kind, value in zip(signature.args[:2], arguments[:2], strict=True)
            )
            cgutils.raw_memmove(builder, to.data, given.data, arguments[2], to.itemsize)
            return context.get_dummy_value()

        return types.none(target, source, types.intp), code

    def copy_elements(target, source):
        """`target[:] = source` for arrays of one shape."""
        target[:] = source

    @overload(copy_elements)
    def copied(target, source):
        def by_rows(target, source):
            for row in range(target.shape[0]):
                for column in range(target.shape[1]):
                    target[row, column] = source[row, column]

        if target.dtype != source.dtype or target.layout != "C" or source.layout != "C":
            return by_rows if target.ndim == source.ndim == 2 else copy_elements

        def at_once(target, source):
            if target.size != source.size:
                raise ValueError
            move_elements(target, source, target.size)

        return at_once

    return {
        "in_large_pages": in_large_pages,
        "copy_elements": copy_elements,
        "move_elements": move_elements,
    }
