"""The converted form of a function: from this process, from the disk, or converted now.

Converted code lies beside the kernels, in files that only programs of this user write (see
`runtime/storage`). A file is named by all that the code is made from: the source of the function,
its code, its names, what changes lists, and the versions of Python and of the converter. Closures
and globals are bound afterwards. What a debugger or coverage watches is not stored.
"""

from __future__ import annotations

import functools
import importlib.util
import inspect
import marshal
import os
import pathlib
import sys
import types
import warnings
from collections.abc import Iterator

from ...runtime.core.debug_output import is_asked
from ...runtime.core.file_content import digest
from ...runtime.core.locks import RLock
from ...runtime.storage.stored_files import digest_of_sources, folder, read, write
from ..debuggers import is_debugged, is_measured
from ..errors import NoSourceError
from ..identity_map import IdentityMap
from ..pickled_sources import digest_of_code
from ..replacements import CHANGE_LISTS
from ..syntax.source_recovery import definition_of
from .display_names import OUTLINED, is_class_body

CONVERTED_CODE = IdentityMap()  # code objects of converted functions
FOLDERS = tuple(f"autograph/{name}" for name in ("analysis", "conversion", "converters", "syntax"))
_cache = IdentityMap()  # code -> {view: converted code}
_LOCK = RLock()  # of conversions, one thread makes one at a time


def convert_function(
    function: types.FunctionType, operators: types.ModuleType, view: str | None = None
) -> types.FunctionType:
    """The converted form of a Python function; conversion happens once for each code object.

    Generated code knows the namespace `operators` as `ag__`.

    Raises ConversionError if there is no source, or if the meaning would change.
    """
    view = view or _chosen_view(os.environ.get("ALLOGRAPH_VIEW") or "original")
    code = function.__code__
    with _LOCK:
        views = _cache.get(code)
        if views is None:
            views = _cache[code] = {}
        if view not in views:
            if is_asked("code"):
                _show(function)
            views[view] = _converted(function, view)
            _note_converted(views[view])
    return _bind(views[view], function, operators)


@functools.cache
def _chosen_view(name: str) -> str:
    """A view by its name; a warning, once, says that there is none of this name."""
    if name not in ("original", "generated"):
        warnings.warn(
            f"ALLOGRAPH_VIEW={name!r}: the views are 'original' and 'generated'", stacklevel=3
        )
        return "original"
    return name


def _show(function) -> None:
    """Print generated code, for which ALLOGRAPH_DEBUG asks."""
    from .compile import conversion_of  # as below

    source = conversion_of(function).generated
    print(f"---- code: {function.__qualname__}\n{source}\n", file=sys.stderr)


def _converted(function, view: str) -> types.CodeType:
    """The code of a converted function, which is read from the disk, or stored there."""
    is_watched = is_debugged(function.__code__) or is_measured()
    path, source = (None, "") if is_watched or view != "original" else _place_of(function)
    stored = None if path is None else read(path)
    if stored is not None:
        code, titles = marshal.loads(stored)
        for part, title in zip(_parts(code), titles, strict=True):
            if title is not None:
                OUTLINED[part] = title
        return code
    from .compile import converted_code  # loads gast and the converters

    code, definition = converted_code(function, view)
    if path is not None and (definition == source or code.co_name == "<lambda>"):
        write(path, marshal.dumps((code, [OUTLINED.get(part) for part in _parts(code)])))
    return code


def _place_of(function) -> tuple[pathlib.Path | None, str]:
    """The file of a converted function, None if it has none; and the source of the function."""
    code = function.__code__
    try:
        file, source, may_differ = definition_of(function)
        names = file, may_differ, function.__qualname__, code.co_flags, sorted(CHANGE_LISTS)
        key = digest_of_code(code) + repr((_versions(), names, source)).encode()
        home = folder() / f"conversions-{sys.implementation.cache_tag}"
    except (NoSourceError, ImportError, OSError):  # platformdirs may not be there
        return None, ""
    return home / f"{digest(key).hex()[:40]}.code", source


@functools.cache
def _versions() -> tuple:
    """The versions that converted code depends on. Raises OSError where gast is in an archive."""
    spec = importlib.util.find_spec("gast")
    gast = os.stat(str(spec and spec.origin)).st_mtime_ns
    return digest_of_sources(FOLDERS), gast, sys.version, sys.flags.optimize


def _parts(code: types.CodeType) -> Iterator[types.CodeType]:
    """A code object and those of the functions in it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _parts(constant)


def _note_converted(code) -> None:
    """Register code as converted; methods of classes inside are converted when they are called."""
    CONVERTED_CODE[code] = True
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType) and not is_class_body(constant):
            _note_converted(constant)


def _bind(code, function: types.FunctionType, operators) -> types.FunctionType:
    """A function of the converted code, with the globals and closure of the original."""
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    cells["ag__"] = types.CellType(operators)
    closure = tuple(cells.get(free) or types.CellType() for free in code.co_freevars)
    bound = types.FunctionType(
        code, function.__globals__, function.__name__, function.__defaults__, closure
    )
    bound.__kwdefaults__ = function.__kwdefaults__
    bound.__dict__.update(function.__dict__)
    bound.__qualname__, bound.__module__ = function.__qualname__, function.__module__
    bound.__doc__ = function.__doc__
    bound.__annotations__ = inspect.get_annotations(function)
    return bound
