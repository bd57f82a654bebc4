"""One process compiles a kernel, and those that need it meanwhile wait and load it.

The processes lock a byte of a file that they share, one byte for each kernel. The system releases
the lock of a process that ends, also when it is killed. A process that cannot lock, or has waited
for long, compiles the kernel itself.
"""

from __future__ import annotations

import contextlib
import os
import pathlib
import time
from collections.abc import Iterator

try:
    import fcntl
except ImportError:  # Windows: each process compiles what it needs
    fcntl = None  # type: ignore[assignment]

FILE = "lock.tmp"  # `kernel_cache.clear` removes it
BYTES = 1 << 40
WAITS = 0.005  # seconds between two attempts
MOST_SECONDS = 60.0
# Of each folder. They stay open: a process that closes one loses its locks of that file.
_FILES: dict[pathlib.Path, int] = {}


@contextlib.contextmanager
def compiling(
    folder: pathlib.Path, name: str, most_seconds: float = MOST_SECONDS
) -> Iterator[None]:
    """Hold the lock of a kernel, once no other process holds it."""
    file = None if fcntl is None else _file(folder)
    if file is None:
        yield
        return
    start, end = int(name.rpartition("_")[2], 16) % BYTES, time.monotonic() + most_seconds
    while not (is_held := _is_taken(file, start)) and time.monotonic() < end:
        time.sleep(WAITS)
    try:
        yield
    finally:
        if is_held:
            fcntl.lockf(file, fcntl.LOCK_UN, 1, start)


def _file(folder: pathlib.Path) -> int | None:
    path = folder / FILE
    try:
        if folder not in _FILES or not _is_open(_FILES[folder], path):
            flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
            _FILES[folder] = os.open(path, flags, 0o600)
    except OSError:
        return None
    return _FILES[folder]


def _is_open(file: int, path: pathlib.Path) -> bool:
    """Whether a file is still the one with this path."""
    return path.exists() and os.path.samestat(os.fstat(file), path.stat())


def _is_taken(file: int, start: int) -> bool:
    """Take the lock of a byte if it is free. Says whether it was taken."""
    try:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, start)
    except OSError:
        return False
    return True
