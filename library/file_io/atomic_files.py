"""Files that are replaced as a whole: readers see the old content or the new one."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

PARTIAL = ".allograph-partial"
STALE_SECONDS = 3600.0


def replace_file(path: str | os.PathLike, chunks) -> None:
    """Write chunks of bytes to `path`; the file is replaced atomically."""
    with replacing(path) as handle:
        for chunk in chunks:
            handle.write(chunk)


@contextlib.contextmanager
def replacing(path: str | os.PathLike) -> Iterator[BinaryIO]:
    """A new file, which replaces `path` when the context ends without an error."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    _remove_stale(path.parent)
    partial = path.with_name(f".{path.name}.{os.getpid()}.{os.urandom(4).hex()}{PARTIAL}")
    try:
        with open(partial, "xb") as handle:
            yield handle
            handle.flush()
            os.fsync(handle.fileno())
        os.replace(partial, path)
    except BaseException:
        with contextlib.suppress(OSError):
            partial.unlink()
        raise
    _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    """Make the new name survive a power failure, if the system can sync folders."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _remove_stale(folder: Path) -> None:
    """Remove partial files of processes that were killed while writing."""
    for path in folder.glob(f".*{PARTIAL}"):
        with contextlib.suppress(OSError):
            if time.time() - path.stat().st_mtime > STALE_SECONDS:
                path.unlink()
