"""The content of files, and digests of it.

Regular files are opened, and anything else in their place is refused at once: to open a pipe waits
for who writes to it, a device may have no end, and a file that is one hole takes no room on a disk
and any amount of memory. `hashlib` loads OpenSSL, which takes 3 to 5 ms at start-up.
"""

from __future__ import annotations

import errno
import os
import stat

try:
    from _blake2 import blake2b  # the module behind `hashlib.blake2b`
except ImportError:
    from hashlib import blake2b

SIZE = 32  # bytes

FLAGS = os.O_RDONLY
for _name in ("O_BINARY", "O_CLOEXEC", "O_NONBLOCK", "O_NOINHERIT"):  # of some systems
    FLAGS |= getattr(os, _name, 0)
LARGE_HOLE = 1 << 28  # bytes
LEAST_SHARE = 1 / 256  # of a large file that lies on the disk; some file systems compress


def digest(content: bytes, key: bytes = b"") -> bytes:
    """32 bytes that are others for any other content; with a key, only who has it computes them."""
    return blake2b(content, digest_size=SIZE, key=key).digest()


class IrregularFileError(OSError):
    """A pipe, a device, a folder, or a file that is all but a hole."""


def opened(path: str | os.PathLike) -> int:
    """The descriptor of a regular file. Raises IrregularFileError for others, at once."""
    handle = os.open(path, FLAGS)
    try:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            raise IrregularFileError(errno.EINVAL, "it is not a regular file", os.fspath(path))
        stored = getattr(status, "st_blocks", status.st_size) * 512
        if status.st_size > LARGE_HOLE and stored < status.st_size * LEAST_SHARE:
            raise IrregularFileError(errno.EFBIG, "it is little more than a hole", os.fspath(path))
    except BaseException:
        os.close(handle)
        raise
    return handle


def content(path: str | os.PathLike, most: int | None = None) -> bytes:
    """The bytes of a regular file. Raises IrregularFileError also where there are more than `most`.

    File objects would take twice as long, for the hundred files that the name of a kernel is of.
    """
    handle = opened(path)
    try:
        size = os.fstat(handle).st_size
        if most is not None and size > most:
            raise IrregularFileError(errno.EFBIG, f"it is larger than {most:,}", os.fspath(path))
        data = os.read(handle, size)
        while len(data) < size and (more := os.read(handle, size - len(data))):
            data += more
        return data
    finally:
        os.close(handle)
