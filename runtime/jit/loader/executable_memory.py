"""Memory for machine code on Linux. It is never freed: threads may be executing it."""

from __future__ import annotations

import ctypes
import functools
import sys

READ, WRITE, EXECUTE = 1, 2, 4
PRIVATE, ANONYMOUS = 0x02, 0x20
FAILED = ctypes.c_void_p(-1).value


@functools.cache
def _functions():
    """mmap and mprotect of the C library."""
    library, size = ctypes.CDLL(None, use_errno=True), ctypes.c_size_t
    reserve, protect = library.mmap, library.mprotect
    reserve.restype = ctypes.c_void_p
    reserve.argtypes = [ctypes.c_void_p, size, *[ctypes.c_int] * 3, ctypes.c_long]
    protect.argtypes = [ctypes.c_void_p, size, ctypes.c_int]
    return reserve, protect


def reserved(size: int) -> int:
    """The address of `size` new bytes. Raises OSError without memory, or on another system."""
    if sys.platform != "linux":
        raise OSError("executable memory is left to LLVM on this system")
    address = _functions()[0](None, size, READ | WRITE, PRIVATE | ANONYMOUS, -1, 0)
    if address == FAILED:
        raise OSError(ctypes.get_errno(), "no memory for machine code")
    return address


def fill(address: int, code: bytes | bytearray) -> None:
    """Write reserved memory once, and make it executable and read-only.

    Raises OSError if the system forbids it.
    """
    ctypes.memmove(address, bytes(code), len(code))
    if _functions()[1](address, len(code), READ | EXECUTE):
        raise OSError(ctypes.get_errno(), "memory may not be executed")
