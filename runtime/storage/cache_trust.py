"""Whose machine code is executed: that which this user's programs stored.

A folder that somebody else owns or may write is not used. Each file carries a keyed digest of its
name and content. The key is 32 random bytes in a file that only the user may read, apart from the
cache, so a cache that was copied from elsewhere is not executed either. On systems without owners
in the sense of POSIX, the digest alone decides.
"""

from __future__ import annotations

import contextlib
import errno
import functools
import os
import pathlib
import stat
import sys

from ..core.file_content import SIZE, digest, opened
from ..core.tracebacks import is_from_handler

KEY_SIZE = 32  # bytes
GROUP_OR_OTHERS = 0o077
path_of = functools.lru_cache(maxsize=64)(pathlib.Path)  # which takes long to parse
FOLDERS_ON_LINUX = {"cache": "~/.cache", "data": "~/.local/share"}


class UntrustedError(Exception):
    """A folder or key that others control, or that cannot be used; the message says what to do."""


@functools.cache
def usual_folder(purpose: str) -> str:
    """The folder of the system for a user's "cache" or "data"."""
    if sys.platform != "linux" or "ANDROID_ROOT" in os.environ:
        import platformdirs

        return getattr(platformdirs, f"user_{purpose}_dir")("allograph")
    # Without the package, which takes 3 ms of a first call.
    chosen = os.environ.get(f"XDG_{purpose.upper()}_HOME", "")
    home = chosen if os.path.isabs(chosen) else os.path.expanduser(FOLDERS_ON_LINUX[purpose])
    return os.path.join(home, "allograph")


def key_file() -> pathlib.Path:
    """The file of the key; the environment variable ALLOGRAPH_KEY_FILE chooses another one."""
    chosen = os.environ.get("ALLOGRAPH_KEY_FILE")
    return path_of(chosen or os.path.join(usual_folder("data"), "kernel_key")).absolute()


def check_folder(path: pathlib.Path) -> None:
    """Raise UntrustedError for a folder that somebody else owns or may write; it may be absent."""
    user = _user()
    if user is None:
        return
    try:
        status = os.stat(path)
    except OSError as error:
        if is_from_handler(error):
            raise
        return
    if status.st_uid != user:
        raise UntrustedError(
            f"{path} belongs to another user. Set ALLOGRAPH_CACHE_DIR to a folder of yours."
        )
    if status.st_mode & 0o022:
        mode = stat.S_IMODE(status.st_mode)
        raise UntrustedError(
            f"{path} may be written by others (mode {mode:04o}). Clear it, then: chmod 700 {path}"
        )


def check_writable(path: pathlib.Path) -> None:
    """Raise UntrustedError where no file can be made in a folder, or the folder itself."""
    there = next(parent for parent in (path, *path.parents) if os.path.exists(parent))
    cure = "Set ALLOGRAPH_CACHE_DIR to a folder of yours."
    try:
        os.stat(path)
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            raise UntrustedError(f"the name {path} is too long. {cure}") from None
    if not there.is_dir() or not os.access(there, os.W_OK | os.X_OK):
        raise UntrustedError(f"{there} cannot be written. {cure}")


def make_folder(path: pathlib.Path) -> None:
    """Make a folder that only the user may read, in parents as the system makes them."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with contextlib.suppress(FileExistsError):
        path.mkdir(mode=0o700)


def signature(name: str, content: bytes) -> bytes:
    """The keyed digest of a file of this name. Raises UntrustedError without a key of the user."""
    return digest(name.encode() + b"\0" + content, _key())


def is_signed(name: str, content: bytes, own: bytes) -> bool:
    """Whether a digest is that of a file that this user's programs wrote."""
    return len(own) == SIZE and signature(name, content) == own


def check_key() -> None:
    """Raise UntrustedError unless there is a key that only the user may read."""
    _key()


def _user() -> int | None:
    return os.geteuid() if hasattr(os, "geteuid") else None


def _key() -> bytes:
    path = key_file()
    try:
        if not os.path.exists(path):
            _make_key(path)
        status = os.stat(path)
        return _read_key(path, _user(), status.st_ino, status.st_mtime_ns, status.st_ctime_ns)
    except OSError as error:
        if is_from_handler(error):
            raise
        cure = "Set ALLOGRAPH_KEY_FILE to a file of yours."
        raise UntrustedError(f"there is no key in {path}: {error.strerror}. {cure}") from None


@functools.lru_cache(maxsize=1)
def _read_key(path: pathlib.Path, user: int | None, *state: int) -> bytes:
    """The key in a file, which is read once as long as its `state` is the same."""
    handle = opened(path)
    try:
        status, key = os.fstat(handle), os.read(handle, KEY_SIZE + 1)
    finally:
        os.close(handle)
    if user is not None and (status.st_uid != user or status.st_mode & GROUP_OR_OTHERS):
        raise UntrustedError(f"the key {path} is not yours alone. Remove it: rm {path}")
    if len(key) != KEY_SIZE:
        raise UntrustedError(f"{path} is not a key. Remove it: rm {path}")
    return key


def _make_key(path: pathlib.Path) -> None:
    """Write a new key, unless another process is faster."""
    make_folder(path.parent)
    temporary = written_beside(path, os.urandom(KEY_SIZE))
    try:
        with contextlib.suppress(FileExistsError):
            os.link(temporary, path)
    except (NotImplementedError, PermissionError):  # a file system without links
        os.replace(temporary, path)
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)


def written_beside(path: pathlib.Path, content: bytes) -> str:
    """The name of a new file in the folder of `path`, which only the user may read."""
    temporary = f"{path}.{os.urandom(8).hex()}.tmp"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    try:
        with os.fdopen(os.open(temporary, flags, 0o600), "wb") as file:
            file.write(content)
    except BaseException:  # a full disk: every program would leave a part of each file
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    return temporary
