"""Compiled kernels: one of each kind in the process, and kept on disk for the next.

A kernel is named by the hash of its text and the kinds of its arguments. On disk its text lies
beside its machine code, one file for each kind of processor, which begins with its own hash; both
are written to a temporary name and moved into place. What cannot be read counts as absent, and
without a writable place kernels live in memory only.
"""

from __future__ import annotations

import functools
import os
import pathlib
import threading
from collections.abc import Callable
from typing import NamedTuple

from ..core.hashing import SIZE, digest
from ..core.public_names import public
from . import cpu


class Compiled(NamedTuple):
    """Machine code in this process: its name, what Python calls, the addresses of the parts that
    threads share, and whether it was compiled now.
    """

    name: str
    function: Callable
    parts: list[int]
    is_new: bool


# The folders of every module that can write instructions of a kernel.
FOLDERS = ("core", "jit", "jit/loader", "kernels", "kernels/vector_math", "parallel")

_lock = threading.RLock()
_known: dict[str, Compiled] = {}


def compiled(
    text: str, kinds: tuple, results: tuple, scope: Callable[[], dict[str, object]]
) -> Compiled:
    """The compiled kernel of a text, from the process, the disk, or the compiler. `kinds` are those
    of its parameters and `results` those of what it gives; `scope` gives the globals of the text,
    and is called only when it has to be compiled.
    """
    key = repr((text, kinds, results, sources_digest()))
    name = f"kernel_{digest(key.encode()).hex()[:20]}"
    with _lock:
        if name not in _known:
            _known[name] = _found(name, text, kinds, results, scope)
        return _known[name]


def _found(name: str, text: str, kinds: tuple, results: tuple, scope) -> Compiled:
    from .loader.load import load

    path = _home() / f"{name}.{_processor()}.o"
    code = _read(path)
    is_new = code is None
    if code is None:
        from .loader import llvm_backend
        from .translate import translate

        code = llvm_backend.object_code(translate(name, text, scope(), kinds, results))
        _write(path.with_name(f"{name}.py"), text.encode())
        _write(path, digest(code) + code)
    return Compiled(name, *load(code, name), is_new)


def assembly(text: str, kinds: tuple, results: tuple, scope: dict[str, object]) -> str:
    """The instructions for this processor, compiled once more to be read."""
    from .loader import llvm_backend
    from .translate import translate

    return llvm_backend.assembly(translate("kernel", text, scope, kinds, results))


@functools.cache
def _processor() -> str:
    """What object files are marked with: they run in processes where it is the same."""
    identity = cpu.identity()
    if identity is None:
        from .loader import llvm_backend

        identity = llvm_backend.processor()
    about = f"{object.__basicsize__} {identity}"  # kernels step over heads of objects
    return digest(about.encode()).hex()[:16]


@functools.cache
def sources_digest() -> str:
    """A hash of every module that can write instructions of a kernel: a kernel stored with other
    ones is another one.
    """
    here = pathlib.Path(__file__).parents[1]
    texts = [
        path.read_bytes() for folder in FOLDERS for path in sorted((here / folder).glob("*.py"))
    ]
    return digest(b"".join(texts)).hex()


# ---- on disk ---------------------------------------------------------------------------------


@public("kernel_cache.folder")
def folder() -> pathlib.Path:
    """Where compiled kernels are kept, in a folder for each set of versions.

    The environment variable ALLOGRAPH_CACHE_DIR chooses another place.

    >>> folder().is_absolute()
    True
    """
    chosen = os.environ.get("ALLOGRAPH_CACHE_DIR")
    if chosen is None:
        import platformdirs

        chosen = platformdirs.user_cache_dir("allograph")
    return pathlib.Path(chosen).absolute()


def _home() -> pathlib.Path:
    """The folder of kernels of these versions."""
    import llvmlite  # its library is not loaded by that
    import numpy

    return folder() / f"kernels-{llvmlite.__version__}-{numpy.__version__}"


def _read(path: pathlib.Path) -> bytes | None:
    """Machine code as it was written: damaged code would crash."""
    try:
        content = path.read_bytes()
    except OSError:
        return None
    code = content[SIZE:]
    return code if digest(code) == content[:SIZE] else None


def _write(path: pathlib.Path, content: bytes) -> None:
    """Write a file as a whole: readers see the old one or the new one."""
    import tempfile

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.replace(temporary, path)
    except OSError:  # no place, a full disk; or, on Windows, another process that reads the file
        return
