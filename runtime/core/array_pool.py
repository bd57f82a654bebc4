"""Memory of the large arrays that native code writes, used again when nobody holds it any more.

The first write to a page of memory asks the operating system for it, which takes about as long as
softmax of what the page holds. So the memory of a large array is kept when the last array that
looks at it is gone, and the next kernel that needs as much of it writes there.
"""

from __future__ import annotations

import math
import threading
from typing import NamedTuple

import numpy as np

from .shapes import Shape

LARGE_FROM = 1 << 20  # bytes: to write less takes no longer than to find it
MOST_KEPT = 1 << 27  # bytes that wait for another use; what was used last stays longest
# Bytes from the start of a page. Arrays that the system places all start near that of a page, where
# the processor takes a read for one of what is just being written elsewhere.
FROM_PAGE, PAGE = 2048, 4096
FIRST_ROWS = 16  # of an array that grows by rows


class BufferType(NamedTuple):
    """What fits into a buffer."""

    dtype: str
    shape: Shape


def bytes_of(kind: BufferType) -> int:
    """The size of an array of this kind."""
    return math.prod(kind.shape) * np.dtype(kind.dtype).itemsize


def is_large(kind: BufferType) -> bool:
    return bytes_of(kind) >= LARGE_FROM


class KeptMemory:
    """Pieces of memory that nobody uses now.

    Arrays may end at any moment, also while this is at work. Then, as in a process forked
    meanwhile, the lock is not free: the memory goes back to the system, and new memory is taken.
    """

    def __init__(self, most: int):
        self.most = most
        self.held = 0  # bytes
        self.free: list[np.ndarray] = []  # in the order in which they became free
        self.lock = threading.Lock()

    def take(self, size: int) -> np.ndarray:
        """Memory of `size` bytes, with what was written there last."""
        if self.lock.acquire(blocking=False):
            try:
                for place in range(len(self.free) - 1, -1, -1):
                    if self.free[place].nbytes == size:
                        self.held -= size
                        return self.free.pop(place)
            finally:
                self.lock.release()
        return np.empty(size, np.uint8)

    def keep(self, memory: np.ndarray) -> None:
        """Nobody uses `memory` any more."""
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
    """What NumPy keeps alive for every array that looks at a piece of memory."""

    def __init__(self, memory: np.ndarray, kind: BufferType):
        self.memory = memory
        address = memory.ctypes.data
        self.__array_interface__ = {
            "version": 3,
            "shape": kind.shape,
            "typestr": np.dtype(kind.dtype).str,
            "data": (address + (FROM_PAGE - address) % PAGE, False),
        }

    def __del__(self, keep=KEPT.keep):
        keep(self.memory)


def large_array(kind: BufferType) -> np.ndarray:
    """An array of any content, in memory that no other array uses."""
    return np.asarray(_Owner(KEPT.take(bytes_of(kind) + PAGE), kind))
