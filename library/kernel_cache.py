"""Lists and clears the on-disk cache of compiled kernels and converted functions."""

from __future__ import annotations

import pathlib
import re
from dataclasses import dataclass

from ..extend.kernels import folder, origin_of, source_in
from ..extend.registration import public

_FOLDER = re.compile(r"(kernels|conversions)-[\w.+-]+")
_FILE = re.compile(r"(kernel_[0-9a-f]{20})\..*")
_CONVERSION = re.compile(r"[0-9a-f]{40}\.code")
_LIBRARY = re.compile(r"shared\.[a-z]+_[0-9a-f]{20}\..*")  # of functions that kernels share


@dataclass(frozen=True)
class StoredKernel:
    """One kernel on disk: its files, their size, and when it was compiled (seconds since 1970)."""

    name: str
    versions: str
    files: tuple[pathlib.Path, ...]
    size: int
    made: float

    @property
    def source(self) -> str:
        """The source of the kernel; empty if only compiled files are left."""
        for path in self.files:
            if path.suffix == ".py":
                return source_in(path)
        return ""

    @property
    def origin(self) -> str:
        """The function, file and line of the first program that compiled it; empty if not known."""
        return next((origin_of(path) for path in self.files if path.suffix == ".py"), "")


@public("kernel_cache.kernels")
def kernels() -> list[StoredKernel]:
    """The kernels on disk, those of other versions included, the newest first.

    >>> all(kernel.size >= 0 for kernel in ag.kernel_cache.kernels())
    True
    """
    found: dict[tuple[str, str], list[pathlib.Path]] = {}
    for path in _files():
        match = _FILE.fullmatch(path.name)
        if match:
            home = path.parent if path.parent.name != "__pycache__" else path.parent.parent
            found.setdefault((home.name.removeprefix("kernels-"), match[1]), []).append(path)
    made = [_stored(name, versions, files) for (versions, name), files in found.items()]
    return sorted(made, key=lambda kernel: (-kernel.made, kernel.name))


@public("kernel_cache.clear")
def clear() -> int:
    """Remove the kernels and converted functions on disk, and temporary files; returns the number
    of bytes freed.

    Running programs are not affected: they make again what they need.
    """
    freed = 0
    for path in _files():
        size = int(_fact(path, "st_size"))
        try:
            path.unlink()
        except OSError:
            continue
        freed += size
    for home in _homes():
        for empty in (home / "__pycache__", home):
            try:
                empty.rmdir()
            except OSError:
                continue  # not empty: it has other files
    return freed


def _homes() -> list[pathlib.Path]:
    """The folders of kernels and of converted functions, one for each set of versions."""
    try:
        return [path for path in folder().iterdir() if _FOLDER.fullmatch(path.name)]
    except OSError:
        return []


def _files() -> list[pathlib.Path]:
    """All files that the cache has written."""
    found = []
    for home in _homes():
        for path in (*home.glob("*"), *(home / "__pycache__").glob("*")):
            is_ours = any(form.fullmatch(path.name) for form in (_FILE, _LIBRARY, _CONVERSION))
            if path.is_file() and (is_ours or path.suffix == ".tmp"):
                found.append(path)
    return sorted(found)


def _stored(name: str, versions: str, files: list[pathlib.Path]) -> StoredKernel:
    size = int(sum(_fact(path, "st_size") for path in files))
    made = max(_fact(path, "st_mtime") for path in files)
    return StoredKernel(name, versions, tuple(files), size, made)


def _fact(path: pathlib.Path, name: str) -> float:
    """What the system tells of a file; 0 if another process has removed it."""
    try:
        return getattr(path.stat(), name)
    except OSError:
        return 0
