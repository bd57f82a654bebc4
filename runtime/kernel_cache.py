"""Compiled kernels: one of each kind in the process, and kept on disk for the next.

A kernel is named by the hash of its text and the kinds of its arguments. On disk its text lies
beside its machine code, one file for each kind of processor, which begins with its own hash; both
are written to a temporary name and moved into place. What cannot be read counts as absent, and
without a writable place kernels live in memory only.
"""

from __future__ import annotations

import functools
import hashlib
import os
import pathlib
import tempfile
import threading
from collections.abc import Callable
from typing import NamedTuple

from . import stored_kernels
from .kernel_scope import helpers_digest, scope_of


class Compiled(NamedTuple):
    """Machine code in this process: its name, what Python calls, the addresses of the parts that
    threads share, and whether it was compiled now.
    """

    name: str
    function: Callable
    parts: list[int]
    is_new: bool


_lock = threading.RLock()
_known: dict[str, Compiled] = {}
_SUM = hashlib.sha256().digest_size


def compiled(text: str, kinds: tuple, results: tuple) -> Compiled:
    """The compiled kernel of a text, from the process, the disk, or the compiler. `kinds` are those
    of its parameters and `results` those of what it gives.
    """
    key = repr((text, kinds, results, helpers_digest()))
    name = f"kernel_{hashlib.sha256(key.encode()).hexdigest()[:20]}"
    with _lock:
        if name not in _known:
            _known[name] = _found(name, text, kinds, results)
        return _known[name]


def _found(name: str, text: str, kinds: tuple, results: tuple) -> Compiled:
    from .codegen import machine

    folder = cache_folder()
    path = None if folder is None else folder / f"{name}.{_processor()}.o"
    code = None if path is None else _read(path)
    is_new = code is None
    if code is None:
        from .codegen.module import translate

        code = machine.object_code(translate(name, text, scope_of(text), kinds, results))
        if path is not None:
            _write(path.with_name(f"{name}.py"), text.encode())
            _write(path, hashlib.sha256(code).digest() + code)
    return Compiled(name, *machine.load(code, name), is_new)


def assembly(text: str, kinds: tuple, results: tuple) -> str:
    """The instructions for this processor, compiled once more to be read."""
    from .codegen import machine
    from .codegen.module import translate

    return machine.assembly(translate("kernel", text, scope_of(text), kinds, results))


@functools.cache
def _processor() -> str:
    from .codegen import machine

    return hashlib.sha256(machine.processor().encode()).hexdigest()[:8]


# ---- on disk ---------------------------------------------------------------------------------


def cache_folder() -> pathlib.Path | None:
    """Where kernels are kept: ALLOGRAPH_CACHE_DIR, else the user's cache folder; None if not
    writable.
    """
    return _folder(os.environ.get("ALLOGRAPH_CACHE_DIR"))


@functools.cache
def _folder(wanted: str | None) -> pathlib.Path | None:
    import llvmlite
    import numpy

    folder = stored_kernels.folder() / f"kernels-{llvmlite.__version__}-{numpy.__version__}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except OSError:
        return None


def _read(path: pathlib.Path) -> bytes | None:
    """Machine code as it was written: damaged code would crash."""
    try:
        content = path.read_bytes()
    except OSError:
        return None
    code = content[_SUM:]
    return code if hashlib.sha256(code).digest() == content[:_SUM] else None


def _write(path: pathlib.Path, content: bytes) -> None:
    """Write a file as a whole: readers see the old one or the new one."""
    try:
        handle, temporary = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.replace(temporary, path)
    except OSError:  # a full disk; or, on Windows, another process that reads the file
        return
