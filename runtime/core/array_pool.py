"""A pool of memory for the large arrays that native code writes.

The first write to a fresh page costs a page fault, about as much as computing softmax over the
page. So the memory of a large array returns to the pool when its last view is gone, and the next
array of the same size takes it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from . import thresholds
from .classes import NamedTuple
from .locks import Lock
from .shapes import Shape, size_of

MOST_KEPT = 1 << 27  # bytes that wait for another use; what was used last stays longest
# Bytes from the start of a page. Arrays that the system places all start near that of a page, where
# the processor takes a read for one of what is just being written elsewhere.
FROM_PAGE, PAGE = 2048, 4096
FIRST_ROWS = 16  # of an array that grows by rows


class BufferType(NamedTuple):
    """The dtype and shape of the arrays that a buffer can hold."""

    dtype: str
    shape: Shape


def bytes_of(buffer_type: BufferType) -> int:
    """The size of an array of this type."""
    return (size_of(buffer_type.shape) or 0) * np.dtype(buffer_type.dtype).itemsize


def is_large(buffer_type: BufferType) -> bool:
    return bytes_of(buffer_type) >= thresholds.POOLED_FROM


class KeptMemory:
    """Blocks of memory that no array uses.

    An array may be freed at any moment, also inside these methods. Then, as in a process that was
    forked meanwhile, the lock is not free, and memory comes from the system and returns to it.
    """

    def __init__(self, most: int):
        self.most = most
        self.held = 0  # bytes
        self.free: list[np.ndarray] = []  # in the order in which they became free
        self.lock = Lock()

    def take(self, size: int) -> np.ndarray:
        """Memory of `size` bytes with arbitrary content."""
        if self.lock.acquire(blocking=False):
            try:
                for index in range(len(self.free) - 1, -1, -1):
                    if self.free[index].nbytes == size:
                        self.held -= size
                        return self.free.pop(index)
            finally:
                self.lock.release()
        return np.empty(size, np.uint8)

    def keep(self, memory: np.ndarray) -> None:
        """Return `memory` to the pool."""
        if self.lock.acquire(blocking=False):
            try:
                self.free.append(memory)
                self.held += memory.nbytes
                while self.held > self.most:
                    self.held -= self.free.pop(0).nbytes
            finally:
                self.lock.release()


KEPT = KeptMemory(MOST_KEPT)


class _Owner:
    """The base object of all views of one block of memory. It calls `release` when it is freed."""

    def __init__(self, address: int, buffer_type: BufferType, release: Callable[[], object]):
        self.release = release
        self.__array_interface__ = {
            "version": 3,
            "shape": buffer_type.shape,
            "typestr": np.dtype(buffer_type.dtype).str,
            "data": (address, False),
        }

    def __del__(self):
        self.release()


def array_at(address: int, buffer_type: BufferType, release: Callable[[], object]) -> np.ndarray:
    """The array at an address. `release()` is called when its last view is gone."""
    return np.asarray(_Owner(address, buffer_type, release))


@functools.cache
def raw_free() -> Callable[[int], None]:
    """`PyMem_RawFree`, which frees what kernels allocate."""
    import ctypes  # not for the import of the package

    prototype = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)
    return prototype(("PyMem_RawFree", ctypes.pythonapi))


def large_array(buffer_type: BufferType) -> np.ndarray:
    """An array of any content, in memory that no other array uses."""
    memory = KEPT.take(bytes_of(buffer_type) + PAGE)
    address = memory.ctypes.data
    release = functools.partial(KEPT.keep, memory)
    return array_at(address + (FROM_PAGE - address) % PAGE, buffer_type, release)


def new_array(buffer_type: BufferType) -> np.ndarray:
    """An array of any content; a large one in memory of the pool."""
    if is_large(buffer_type):
        return large_array(buffer_type)
    shape: Any = buffer_type.shape or ()
    return np.empty(shape, buffer_type.dtype)
