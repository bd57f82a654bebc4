"""Compiled kernels: one of each kind in the process, and kept on disk for the next.

A kernel is named by the hash of its text and argument types. On disk it is a Python file with that
name beside what Numba stores for it, keyed by processor and versions; both are written to a
temporary name and moved into place. What cannot be read counts as absent, and without a writable
place kernels live in memory only.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib.util
import os
import pathlib
import re
import sys
import tempfile
import threading
from collections.abc import Callable

import numpy as np

from . import stored_kernels
from .compiler_start import OPTIONS, loading, start
from .kernel_scope import scope_of

_lock = threading.RLock()
_known: dict[str, Callable] = {}


def compiled(name: str, text: str, types: list[tuple[str, int]]) -> Callable:
    """The compiled function `name` of a kernel text, from the process, the disk, or the
    compiler.
    """
    with _lock:
        if name not in _known:
            _known[name] = _compile(name, text, types)
        return _known[name]


def machine_code(dispatcher) -> Callable:
    """What a compiled function calls in the end: with one signature, nothing is left to choose.

    The dispatcher owns the code and has to stay.
    """
    (overload,) = dispatcher.overloads.values()
    return overload.entry_point


def _compile(name: str, text: str, types) -> Callable:
    folder = cache_folder()
    for _ in range(2 if folder is not None else 0):  # once more after damaged files are gone
        try:
            return _compile_file(folder, name, text, types)
        except Exception:
            _forget(folder, name)
    start()
    scope = scope_of(text)
    exec(text, scope)
    made = _jit(scope[name], types, cache=False)
    made.parts = _parts(scope, cache=False)
    return made


def _compile_file(folder: pathlib.Path, name: str, text: str, types) -> Callable:
    path = folder / f"{name}.py"
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        _write(path, text)
    if not _is_sound(folder, name):
        _forget(folder, name, source=False)
    if _compiled_files(folder, name):
        with contextlib.suppress(LookupError), loading():  # it may be for another processor
            return _from_file(path, name, text, types, {"np": np})
    start()
    made = _from_file(path, name, text, types, scope_of(text))
    _write(folder / f"{name}.sum", _sum_of(folder, name))
    return made


def _from_file(path: pathlib.Path, name: str, text: str, types, scope: dict) -> Callable:
    """The function of a file; its code comes from what lies beside it, or will lie there."""
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    module.__dict__.update(scope)
    sys.modules[name] = module  # where stored code looks up its globals
    exec(compile(text, str(path), "exec"), module.__dict__)
    parts = _parts(module.__dict__, cache=True)
    made = _jit(getattr(module, name), types, cache=True)
    made.parts = parts
    return made


def _jit(function, types, cache: bool) -> Callable:
    from numba import njit

    return njit(_signature(types), **OPTIONS, cache=cache)(function)


def _parts(scope: dict, cache: bool) -> list:
    """The parts of a kernel that threads share, as functions with addresses, in order."""
    from numba import cfunc, types

    names = [name for name in scope if re.fullmatch(r"part_\d+", name)]
    signature = types.void(types.int64)
    return [
        cfunc(signature, error_model="numpy", nogil=True, cache=cache)(scope[name])
        for name in sorted(names, key=lambda name: int(name[5:]))
    ]


def _signature(types):
    from numba import types as kinds

    def one(dtype: str, rank: int):
        scalar = kinds.boolean if dtype == "bool" else getattr(kinds, dtype)
        return kinds.Array(scalar, rank, "C") if rank else scalar

    return tuple(one(*row) for row in types)


# ---- on disk ---------------------------------------------------------------------------------


def cache_folder() -> pathlib.Path | None:
    """Where kernels are kept: ALLOGRAPH_CACHE_DIR, else the user's cache folder; None if not
    writable.
    """
    return _folder(os.environ.get("ALLOGRAPH_CACHE_DIR"))


@functools.cache
def _folder(wanted: str | None) -> pathlib.Path | None:
    import llvmlite
    import numba
    import numpy

    folder = (
        stored_kernels.folder()
        / f"kernels-{numba.__version__}-{llvmlite.__version__}-{numpy.__version__}"
    )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except OSError:
        return None


def _write(path: pathlib.Path, text: str) -> None:
    """Write a file as a whole: readers see the old one or the new one."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(temporary, path)


def _compiled_files(folder: pathlib.Path, name: str) -> list[pathlib.Path]:
    """What Numba stores for a kernel."""
    stored = (folder / "__pycache__").glob(f"{name}.*")
    return sorted(path for path in stored if path.suffix in (".nbi", ".nbc"))


def _sum_of(folder: pathlib.Path, name: str) -> str:
    texts = [path.read_bytes() for path in _compiled_files(folder, name)]
    return hashlib.sha256(b"".join(texts)).hexdigest()


def _is_sound(folder: pathlib.Path, name: str) -> bool:
    """Whether the compiled files are as they were written: damaged machine code would crash."""
    if not _compiled_files(folder, name):
        return True
    try:
        return (folder / f"{name}.sum").read_text(encoding="utf-8") == _sum_of(folder, name)
    except (OSError, ValueError):
        return False


def _forget(folder: pathlib.Path, name: str, source: bool = True) -> None:
    """Remove what is stored of a kernel that could not be used."""
    files = [folder / f"{name}.sum", *(folder / "__pycache__").glob(f"{name}.*")]
    for path in [folder / f"{name}.py", *files] if source else files:
        try:
            path.unlink()
        except OSError:
            continue
