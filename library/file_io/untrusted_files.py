"""Reading files that may come from a stranger.

Nothing of a file is executed, names in files lead to files of the same folder only, and sizes are
compared with the bytes that are there before memory is asked for. Whatever is wrong with the
content of a file is a DataLossError.
"""

from __future__ import annotations

import contextlib
import csv
import errno
import gzip
import io
import json
import math
import os
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import NoReturn

import numpy as np

from ...extend.errors import (
    DataLossError,
    Error,
    FileMissingError,
    IrregularFileError,
    NotFoundError,
    UnimplementedError,
    opened,
)

MOST_JSON = 100_000_000  # bytes of JSON
DEPTH = 100  # of structures inside structures
LONGEST_NAME = 200  # bytes of the name of a file: systems allow 255, with a suffix
PACKED = 1 << 14  # bytes of a compressed file that are inflated at a time
CHUNK = 1 << 20  # bytes that are read at a time where a file states how many follow
DAMAGE = "Use another copy of the file, or write it again."
# What Python's own readers raise for content that they do not know.
FORMAT_ERRORS = (EOFError, UnicodeError, csv.Error, gzip.BadGzipFile, zlib.error)


def damaged(path: str | os.PathLike, reason: object, cure: str = DAMAGE) -> DataLossError:
    """The error for a file whose content is not what was written.

    Of a link, which may lead to any file of this user, the error shows nothing.
    """
    if os.path.islink(path):
        reason = f"it links to {os.path.realpath(path)!r}, which is no such file"
    return DataLossError(f"the file {os.fspath(path)!r} is damaged: {reason}", cure)


@contextlib.contextmanager
def decoding(path: str | os.PathLike) -> Iterator[None]:
    """Errors of Python's readers of compressed files, text and tables become a DataLossError."""
    try:
        yield
    except FORMAT_ERRORS as error:
        raise damaged(path, error) from error


@contextlib.contextmanager
def reading(path: str | os.PathLike) -> Iterator[None]:
    """Errors about the content of a file become a DataLossError.

    What is missing, not implemented here, or not readable by this user keeps its own error.
    """
    try:
        with decoding(path):
            yield
    except (DataLossError, NotFoundError, UnimplementedError, MemoryError):
        raise
    except OSError as error:
        if error.errno != errno.EINVAL:  # a position in a file that it cannot have
            raise
        raise damaged(path, error) from error
    except RecursionError:
        raise damaged(path, "its structures are nested too deeply") from None
    except Error as error:
        raise damaged(path, error.message) from error
    except ValueError as error:
        raise damaged(path, error) from error
    except Exception as error:  # a file may hold anything where something else is expected
        raise damaged(path, f"{type(error).__name__}: {error}") from error


# ---- names and files -------------------------------------------------------------------------


def inside(folder: str | os.PathLike, name: object) -> Path:
    """The path that a name in a file means. Raises DataLossError if it leaves the folder.

    >>> inside("/data", "a/b").as_posix()
    '/data/a/b'
    """
    if type(name) is not str or not name or "\0" in name or not _is_encodable(name):
        raise damaged(folder, f"{name!r} is not the name of a file")
    forms = PurePosixPath(name), PureWindowsPath(name)  # of any system: folders travel
    leaves = any(form.anchor or form.drive or ".." in form.parts for form in forms)
    path = Path(folder, name)
    if any(len(os.fsencode(part)) > LONGEST_NAME for part in path.parts):
        raise damaged(folder, f"the name {name[:40]!r}... has more than {LONGEST_NAME} bytes")
    if leaves or not _is_below(path.parent, folder):
        raise damaged(folder, f"the name {name!r} leaves the folder")
    return path


def _is_encodable(name: str) -> bool:
    """Whether a string can be encoded: JSON may hold halves of characters."""
    return not any("\ud800" <= character <= "\udfff" for character in name)


def _is_below(path, folder) -> bool:
    """Whether a folder is another one or lies in it, links followed."""
    outer = Path(os.path.realpath(folder))
    inner = Path(os.path.realpath(path))
    return inner == outer or outer in inner.parents


def open_regular(path: str | os.PathLike):
    """A regular file, opened for reading.

    Raises NotFoundError if there is none, DataLossError for a device, a pipe or a hole.
    """
    try:
        return os.fdopen(opened(path), "rb")
    except (FileNotFoundError, NotADirectoryError):
        raise FileMissingError(f"there is no file {os.fspath(path)!r}") from None
    except OSError as error:
        if os.path.isdir(path):
            raise FileMissingError(f"there is no file {os.fspath(path)!r}, but a folder") from None
        if isinstance(error, IrregularFileError) or error.errno == errno.ELOOP:
            raise damaged(path, error.strerror) from None
        raise


def file_bytes(path: str | os.PathLike, most: int | None = None) -> np.ndarray:
    """The bytes of a regular file, at most `most`; else the errors of `open_regular`."""
    with open_regular(path) as handle:
        size = os.fstat(handle.fileno()).st_size
        if most is not None and size > most:
            raise damaged(path, f"it has {size:,} bytes, more than {most:,}")
        return np.fromfile(handle, np.uint8, size)


def lines_of_file(path: str | os.PathLike) -> list[str]:
    """The lines of a text file. Raises NotFoundError or DataLossError, also for other bytes."""
    with decoding(path), open_regular(path) as handle:
        return handle.read().decode("utf-8").splitlines()


# ---- JSON ------------------------------------------------------------------------------------


def read_json(path: str | os.PathLike):
    """The content of a JSON file. Raises NotFoundError or DataLossError."""
    return parse_json(file_bytes(path, MOST_JSON).tobytes(), path)


def parse_json(content: bytes | str, path: str | os.PathLike):
    """The value of JSON in a file. Raises DataLossError, also for deeply nested JSON."""
    with reading(path):
        value = json.loads(content, parse_constant=_no_constant)
    level: list = [value]
    for _ in range(DEPTH):
        level = [child for one in level for child in _children(one)]
        if not level:
            return value
    raise damaged(path, "its structures are nested too deeply")


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _children(value) -> list:
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else []


# ---- arrays ----------------------------------------------------------------------------------


def array_of(data, dtype: np.dtype, shape) -> np.ndarray:
    """The array in a buffer, without a copy. Raises ValueError unless the buffer is filled.

    >>> array_of(b"abc", np.dtype(np.uint8), [3])
    array([97, 98, 99], dtype=uint8)
    """
    sizes = [size for size in shape if type(size) is int and size >= 0]
    if len(sizes) != len(shape) or dtype.hasobject:
        raise ValueError(f"{dtype} with shape {shape} is not an array")
    if math.prod(sizes) * dtype.itemsize != len(data):
        raise ValueError(f"{len(data)} bytes are not {dtype} with shape {tuple(sizes)}")
    array = np.frombuffer(data, dtype).reshape(sizes)
    if dtype == np.bool_ and array.size and array.view(np.uint8).max() > 1:
        raise ValueError("a bool is 0 or 1")
    return array


# ---- streams ---------------------------------------------------------------------------------


def read_at_most(handle, size: int) -> bytes:
    """The next `size` bytes of a stream, fewer at its end; memory grows with what is there."""
    if size <= CHUNK:
        return handle.read(size)
    chunks: list[bytes] = []
    while size > 0 and (chunk := handle.read(min(size, CHUNK))):
        chunks.append(chunk)
        size -= len(chunk)
    return b"".join(chunks)


def limited_lines(handle, most: int | None, path: str | os.PathLike) -> Iterator:
    """The lines of a file. Raises DataLossError for one that is longer than `most`, if given."""
    if most is None:
        yield from handle
        return
    newline = "\n" if isinstance(handle, io.TextIOBase) else b"\n"
    while line := handle.readline(most):
        if len(line) == most and not line.endswith(newline):
            raise damaged(path, f"a line has more than {most:,} bytes")
        yield line


class Inflated(io.RawIOBase):
    """The content of a file that zlib compressed, inflated as it is read."""

    def __init__(self, handle):
        self._handle, self._inflater, self._rest = handle, zlib.decompressobj(), b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer) -> int:
        while not self._inflater.eof:
            packed = self._rest or self._handle.read(PACKED)
            data = self._inflater.decompress(packed, len(buffer))
            self._rest = self._inflater.unconsumed_tail
            if data:
                buffer[: len(data)] = data
                return len(data)
            if not packed:
                raise EOFError("the compressed data end early")
        return 0

    def close(self) -> None:
        self._handle.close()
        super().close()
