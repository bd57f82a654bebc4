"""Files: read and written in graphs, and the small file system of `io.gfile`."""

from __future__ import annotations

import glob as globbing
import os
import shutil
from typing import NamedTuple

import numpy as np

from ...runtime.core.dtypes import STRINGS, string
from ...runtime.core.errors import AlreadyExistsError, FailedPreconditionError, NotFoundError
from ...runtime.core.public_names import public
from ...runtime.core.shapes import as_shape
from ...runtime.ir.op import READS, WRITES, Spec
from ...runtime.tensors.apply import apply
from ...runtime.tensors.operation import op


def _path(text) -> str:
    item = text if isinstance(text, bytes) else np.asarray(text).item()
    return os.fsdecode(item)


def _missing(path) -> NotFoundError:
    return NotFoundError(f"there is no file {os.fspath(path)!r}")


@op
class ReadFile:
    """The content of a file as a text; NotFoundError where there is none.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "a.txt")
    >>> ag.io.write_file(path, "content")
    >>> ag.io.read_file(path).numpy()
    b'content'
    """

    accepts = STRINGS
    effect = READS
    public = ("io.read_file",)

    def kernel(filename):
        try:
            with open(_path(filename), "rb") as handle:
                return np.array(handle.read(), object)
        except FileNotFoundError:
            raise _missing(_path(filename)) from None

    def result(filename):
        return Spec(string, as_shape(()))


@op
class WriteFile:
    """Write a text to a file."""

    accepts = STRINGS
    effect = WRITES
    hidden = True

    def kernel(filename, contents):
        path = _path(filename)
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        with open(path, "wb") as handle:
            handle.write(contents if isinstance(contents, bytes) else np.asarray(contents).item())
        return ()

    def result(filename, contents):
        return ()


@public("io.write_file")
def write_file(filename, contents, name=None) -> None:
    """Write a text to a file, when the program runs; folders on the way are made.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "new", "a.txt")
    >>> ag.io.write_file(path, "content")
    >>> ag.io.gfile.exists(path)
    True
    """
    apply(WriteFile, (filename, contents), {})


@op
class MatchingFiles:
    """The files that a pattern (or any of several) matches, sorted.

    >>> ag.io.matching_files("/nowhere/*.txt").shape
    TensorShape([0])
    """

    accepts = STRINGS
    effect = READS
    public = ("io.matching_files",)

    def kernel(pattern):
        patterns = np.asarray(pattern, object).reshape(-1).tolist()
        found = sorted({path for one in patterns for path in glob(one)})
        made = np.empty(len(found), object)
        made[:] = [os.fsencode(path) for path in found]
        return made

    def result(pattern):
        return Spec(string, (None,))


# ---- io.gfile --------------------------------------------------------------------------------


def _text(path) -> str:
    return os.fsdecode(path.numpy() if hasattr(path, "numpy") else os.fspath(path))


@public("io.gfile.GFile", "io.gfile.Open")
class GFile:
    """A file opened by path: text with `mode="r"`, bytes with `"rb"`; it is opened when first used.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "a.txt")
    >>> with GFile(path, "w") as f:
    ...     f.write("one\\ntwo\\n")
    >>> with GFile(path) as f:
    ...     f.readlines()
    ['one\\n', 'two\\n']

    Raises NotFoundError when a file to be read does not exist.
    """

    def __init__(self, name, mode: str = "r"):
        self.name = _text(name)
        self.mode = mode
        self._opened = None

    @property
    def _file(self):
        if self._opened is None:
            text = {} if "b" in self.mode else {"encoding": "utf-8", "newline": ""}
            try:
                self._opened = open(self.name, self.mode, **text)  # noqa: SIM115 - it is closed
            except FileNotFoundError:
                raise _missing(self.name) from None
        return self._opened

    def read(self, n: int = -1):
        """The next `n` characters or bytes; all that is left by default."""
        return self._file.read(n)

    def readline(self):
        """The next line, with its end."""
        return self._file.readline()

    def readlines(self) -> list:
        """All lines that are left, with their ends."""
        return self._file.readlines()

    def write(self, file_content) -> None:
        """Append to what was written."""
        self._file.write(file_content)

    def seek(self, offset: int, whence: int = 0) -> None:
        """Go to a place in the file."""
        self._file.seek(offset, whence)

    def tell(self) -> int:
        """The place in the file."""
        return self._file.tell()

    def size(self) -> int:
        """How many bytes the file has."""
        self.flush()
        return os.path.getsize(self.name)

    def seekable(self) -> bool:
        return True

    def flush(self) -> None:
        """Hand what was written to the system."""
        if self._opened is not None:
            self._opened.flush()

    def close(self) -> None:
        """Close the file."""
        if self._opened is not None:
            self._opened.close()
            self._opened = None

    def __enter__(self):
        if "r" not in self.mode:
            self._file  # noqa: B018 - the file is there, though nothing may be written
        return self

    def __exit__(self, *error):
        self.close()

    def __iter__(self):
        return iter(self._file)


class FileStatistics(NamedTuple):
    """What `io.gfile.stat` tells."""

    length: int
    mtime_nsec: int
    is_directory: bool


@public("io.gfile.exists")
def exists(path) -> bool:
    """Whether there is a file or folder of this name."""
    return os.path.exists(_text(path))


@public("io.gfile.isdir")
def isdir(path) -> bool:
    """Whether this is a folder."""
    return os.path.isdir(_text(path))


@public("io.gfile.listdir")
def listdir(path) -> list[str]:
    """The names in a folder, in no order; NotFoundError where there is no folder."""
    try:
        return os.listdir(_text(path))
    except (FileNotFoundError, NotADirectoryError):
        raise NotFoundError(f"there is no folder {_text(path)!r}") from None


@public("io.gfile.glob")
def glob(pattern) -> list[str]:
    """The paths that a pattern, or any of several, matches."""
    patterns = pattern if isinstance(pattern, (list, tuple)) else [pattern]
    return [path for one in patterns for path in sorted(globbing.glob(_text(one)))]


@public("io.gfile.join")
def join(path, *paths) -> str:
    """Parts of a path, joined."""
    return os.path.join(_text(path), *map(_text, paths))


@public("io.gfile.mkdir")
def mkdir(path) -> None:
    """Make a folder; NotFoundError where the one above it is missing."""
    try:
        os.mkdir(_text(path))
    except FileExistsError:
        raise AlreadyExistsError(f"{_text(path)!r} exists") from None
    except FileNotFoundError:
        raise _missing(os.path.dirname(_text(path))) from None


@public("io.gfile.makedirs")
def makedirs(path) -> None:
    """Make a folder and those above it; nothing happens where it exists."""
    os.makedirs(_text(path), exist_ok=True)


@public("io.gfile.remove")
def remove(path) -> None:
    """Remove a file."""
    try:
        os.remove(_text(path))
    except FileNotFoundError:
        raise _missing(_text(path)) from None


@public("io.gfile.rmtree")
def rmtree(path) -> None:
    """Remove a folder with all it holds."""
    try:
        shutil.rmtree(_text(path))
    except FileNotFoundError:
        raise _missing(_text(path)) from None


@public("io.gfile.rename")
def rename(src, dst, overwrite: bool = False) -> None:
    """Give a file another name; AlreadyExistsError where that is taken, unless `overwrite`."""
    _check_free(dst, overwrite)
    try:
        os.replace(_text(src), _text(dst))
    except FileNotFoundError:
        raise _missing(_text(src)) from None


@public("io.gfile.copy")
def copy(src, dst, overwrite: bool = False) -> None:
    """Copy a file; AlreadyExistsError where the name is taken, unless `overwrite`."""
    _check_free(dst, overwrite)
    try:
        shutil.copyfile(_text(src), _text(dst))
    except FileNotFoundError:
        raise _missing(_text(src)) from None
    except IsADirectoryError:
        raise FailedPreconditionError(f"{_text(src)!r} is a folder") from None


def _check_free(path, overwrite: bool) -> None:
    if not overwrite and os.path.exists(_text(path)):
        raise AlreadyExistsError(f"{_text(path)!r} exists", "Pass overwrite=True to replace it.")


@public("io.gfile.stat")
def stat(path) -> FileStatistics:
    """Length, time of change and kind of a file."""
    try:
        found = os.stat(_text(path))
    except FileNotFoundError:
        raise _missing(_text(path)) from None
    return FileStatistics(found.st_size, found.st_mtime_ns, os.path.isdir(_text(path)))


@public("io.gfile.walk")
def walk(top, topdown: bool = True, onerror=None):
    """The folders below a path: triples of path, names of folders, names of files."""
    return os.walk(_text(top), topdown, onerror)
