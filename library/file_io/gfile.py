"""Reading and writing files in graphs, and the file system functions of `io.gfile`."""

from __future__ import annotations

import glob as globbing
import os
import shutil
from typing import NamedTuple

import numpy as np

from ... import string
from ...extend.errors import AlreadyExistsError, FailedPreconditionError, NotFoundError
from ...extend.operations import READS, STRINGS, WRITES, Spec, apply, hidden_op, op
from ...extend.registration import public
from ...extend.specs import as_shape


def _path(value) -> str:
    item = value if isinstance(value, bytes) else np.asarray(value).item()
    return os.fsdecode(item)


def _missing(path) -> NotFoundError:
    return NotFoundError(f"there is no file {os.fspath(path)!r}")


@op
class ReadFile:
    """The content of a file as a scalar string. Raises NotFoundError if there is no such file.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "a.txt")
    >>> ag.io.write_file(path, "content")
    >>> ag.io.read_file(path).numpy()
    b'content'
    """

    accepts = STRINGS
    effect = READS
    uses_files = True
    public = ("io.read_file",)

    def kernel(filename):
        try:
            with open(_path(filename), "rb") as handle:
                return np.array(handle.read(), object)
        except FileNotFoundError:
            raise _missing(_path(filename)) from None

    def result(filename):
        return Spec(string, as_shape(()))


@hidden_op
class WriteFile:
    """Write a string to a file."""

    accepts = STRINGS
    effect = WRITES
    uses_files = True

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
    """Write a scalar string to a file when the program runs; missing folders are created.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "new", "a.txt")
    >>> ag.io.write_file(path, "content")
    >>> ag.io.gfile.exists(path)
    True
    """
    apply(WriteFile, (filename, contents), {})  # type: ignore[arg-type]


@op
class MatchingFiles:
    """The names of the files that match a pattern, or any of several, as a sorted vector.

    >>> ag.io.matching_files("/nowhere/*.txt").shape
    TensorShape([0])
    """

    accepts = STRINGS
    effect = READS
    uses_files = True
    public = ("io.matching_files",)

    def kernel(pattern):
        patterns = np.asarray(pattern, object).reshape(-1).tolist()
        paths = sorted({path for one in patterns for path in glob(one)})
        result = np.empty(len(paths), object)
        result[:] = [os.fsencode(path) for path in paths]
        return result

    def result(pattern):
        return Spec(string, (None,))


# ---- io.gfile --------------------------------------------------------------------------------


def _path_of(path) -> str:
    return os.fsdecode(path.numpy() if hasattr(path, "numpy") else os.fspath(path))


@public("io.gfile.GFile", "io.gfile.Open")
class GFile:
    """A file of str with `mode="r"`, or of bytes with `"rb"`. It is opened on first use.

    The modes are those of `open`. Text files are UTF-8 encoded.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "a.txt")
    >>> with ag.io.gfile.GFile(path, "w") as f:
    ...     f.write("one\\ntwo\\n")
    >>> with ag.io.gfile.GFile(path) as f:
    ...     f.readlines()
    ['one\\n', 'two\\n']

    Raises NotFoundError if a file to be read does not exist.
    """

    def __init__(self, name, mode: str = "r"):
        self.name = _path_of(name)
        self.mode = mode
        self._opened = None

    @property
    def _file(self):
        if self._opened is None:
            options = {} if "b" in self.mode else {"encoding": "utf-8", "newline": ""}
            try:
                self._opened = open(self.name, self.mode, **options)  # noqa: SIM115 - it is closed
            except FileNotFoundError:
                raise _missing(self.name) from None
        return self._opened

    def read(self, n: int = -1):
        """The next `n` characters or bytes, by default the rest of the file."""
        return self._file.read(n)

    def readline(self):
        """The next line, with its line end."""
        return self._file.readline()

    def readlines(self) -> list:
        """The remaining lines, with their line ends."""
        return self._file.readlines()

    def write(self, file_content) -> None:
        """Write a str or bytes at the current position."""
        self._file.write(file_content)

    def seek(self, offset: int, whence: int = 0) -> None:
        """Set the position in the file, as `seek` of Python's files does."""
        self._file.seek(offset, whence)

    def tell(self) -> int:
        """The position in the file."""
        return self._file.tell()

    def size(self) -> int:
        """The size of the file in bytes."""
        self.flush()
        return os.path.getsize(self.name)

    def seekable(self) -> bool:
        return True

    def flush(self) -> None:
        """Write buffered data to the file."""
        if self._opened is not None:
            self._opened.flush()

    def close(self) -> None:
        """Close the file."""
        if self._opened is not None:
            self._opened.close()
            self._opened = None

    def __enter__(self):
        if "r" not in self.mode:
            self._file  # noqa: B018 - creates the file even if nothing is written
        return self

    def __exit__(self, *error):
        self.close()

    def __iter__(self):
        return iter(self._file)


class FileStatistics(NamedTuple):
    """The result of `io.gfile.stat`."""

    length: int
    mtime_nsec: int
    is_directory: bool


@public("io.gfile.exists")
def exists(path) -> bool:
    """Whether a file or folder of this name exists.

    >>> ag.io.gfile.exists("/nowhere")
    False
    """
    return os.path.exists(_path_of(path))


@public("io.gfile.isdir")
def isdir(path) -> bool:
    """Whether the path is an existing folder.

    >>> ag.io.gfile.isdir("/nowhere")
    False
    """
    return os.path.isdir(_path_of(path))


@public("io.gfile.listdir")
def listdir(path) -> list[str]:
    """The names in a folder, in arbitrary order. Raises NotFoundError if it does not exist.

    >>> import tempfile
    >>> ag.io.gfile.listdir(tempfile.mkdtemp())
    []
    """
    try:
        return os.listdir(_path_of(path))
    except (FileNotFoundError, NotADirectoryError):
        raise NotFoundError(f"there is no folder {_path_of(path)!r}") from None


@public("io.gfile.glob")
def glob(pattern) -> list[str]:
    """The paths that match a pattern, or any of several; those of each pattern sorted.

    >>> ag.io.gfile.glob("/nowhere/*.txt")
    []
    """
    patterns = pattern if isinstance(pattern, (list, tuple)) else [pattern]
    return [path for one in patterns for path in sorted(globbing.glob(_path_of(one)))]


@public("io.gfile.join")
def join(path, *paths) -> str:
    """Path components joined.

    >>> ag.io.gfile.join("logs", "train")
    'logs/train'
    """
    return os.path.join(_path_of(path), *map(_path_of, paths))


@public("io.gfile.mkdir")
def mkdir(path) -> None:
    """Create a folder.

    Raises AlreadyExistsError if it exists, NotFoundError if the parent folder does not exist.
    """
    try:
        os.mkdir(_path_of(path))
    except FileExistsError:
        raise AlreadyExistsError(f"{_path_of(path)!r} exists") from None
    except FileNotFoundError:
        raise _missing(os.path.dirname(_path_of(path))) from None


@public("io.gfile.makedirs")
def makedirs(path) -> None:
    """Create a folder and missing parent folders; an existing folder is no error."""
    os.makedirs(_path_of(path), exist_ok=True)


@public("io.gfile.remove")
def remove(path) -> None:
    """Remove a file. Raises NotFoundError if it does not exist."""
    try:
        os.remove(_path_of(path))
    except FileNotFoundError:
        raise _missing(_path_of(path)) from None


@public("io.gfile.rmtree")
def rmtree(path) -> None:
    """Remove a folder and all of its content. Raises NotFoundError if it does not exist."""
    try:
        shutil.rmtree(_path_of(path))
    except FileNotFoundError:
        raise _missing(_path_of(path)) from None


@public("io.gfile.rename")
def rename(src, dst, overwrite: bool = False) -> None:
    """Rename a file or folder.

    Raises NotFoundError if `src` does not exist, AlreadyExistsError if `dst` exists, unless
    `overwrite` is true.
    """
    _check_free(dst, overwrite)
    try:
        os.replace(_path_of(src), _path_of(dst))
    except FileNotFoundError:
        raise _missing(_path_of(src)) from None


@public("io.gfile.copy")
def copy(src, dst, overwrite: bool = False) -> None:
    """Copy a file.

    Raises NotFoundError if `src` does not exist, AlreadyExistsError if `dst` exists, unless
    `overwrite` is true.
    """
    _check_free(dst, overwrite)
    try:
        shutil.copyfile(_path_of(src), _path_of(dst))
    except FileNotFoundError:
        raise _missing(_path_of(src)) from None
    except IsADirectoryError:
        raise FailedPreconditionError(f"{_path_of(src)!r} is a folder") from None


def _check_free(path, overwrite: bool) -> None:
    if not overwrite and os.path.exists(_path_of(path)):
        raise AlreadyExistsError(f"{_path_of(path)!r} exists", "Pass overwrite=True to replace it.")


@public("io.gfile.stat")
def stat(path) -> FileStatistics:
    """The size in bytes, the modification time in nanoseconds, and whether it is a folder.

    Raises NotFoundError if the path does not exist.
    """
    try:
        status = os.stat(_path_of(path))
    except FileNotFoundError:
        raise _missing(_path_of(path)) from None
    return FileStatistics(status.st_size, status.st_mtime_ns, os.path.isdir(_path_of(path)))


@public("io.gfile.walk")
def walk(top, topdown: bool = True, onerror=None):
    """The folders below a path, as tuples (path, names of folders, names of files)."""
    return os.walk(_path_of(top), topdown, onerror)
