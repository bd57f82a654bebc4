"""Sources in pickles: what a pickle holds beside functions that it holds by value.

cloudpickle writes the code of such a function, and neither its source nor, from 3.1.3 on, the name
of its file. Conversion in the process that loads the pickle needs both. They are found again by a
digest of the code.
"""

from __future__ import annotations

import contextlib
import functools
import linecache
import pathlib
import sys
import types
from collections.abc import Iterator
from typing import Any

from ..runtime.core.file_content import digest
from .names_in_bytecode import loaded_names

MOST = 10_000  # digests that a process remembers; the oldest go first
LARGEST = 1000  # items of a container that is searched for functions
FILES: dict[bytes, str] = {}  # of code that came by a pickle: its file, whose lines linecache has


class PickledSources:
    """The sources of a function or class, and of the functions that it refers to.

    They are collected when a pickler writes this object, and remembered when one is loaded.

    root     a function or class; None if `sources` were loaded
    sources  `{file: (source, digests of code)}`
    """

    def __init__(self, root: Any = None, sources: dict | None = None):
        self.root = root
        self.sources = sources

    def __reduce__(self):
        return loaded, (self.sources if self.root is None else sources_of(self.root),)

    def __deepcopy__(self, memo):
        return self


def loaded(sources: dict[str, tuple[str, list[bytes]]]) -> PickledSources:
    """Remember the sources of a pickle."""
    for file, (source, digests) in sources.items():
        name = _readable(file, source.splitlines(keepends=True))
        for key in digests:
            FILES.pop(key, None)
            FILES[key] = name
    while len(FILES) > MOST:
        del FILES[next(iter(FILES))]
    return PickledSources(sources=sources)


def owner_of(thing, inside: int = 0):
    """The object that the module of a function has under its name; None if there is none."""
    owner = sys.modules.get(getattr(thing, "__module__", None) or "")
    names = getattr(thing, "__qualname__", "<none>").split(".")
    for name in names[: len(names) - inside]:
        owner = getattr(owner, name, None)
    return owner


def file_of(code: types.CodeType) -> str:
    """The file of code, also of code whose pickle did not name it."""
    file = code.co_filename
    return file if not FILES or linecache.getlines(file) else FILES.get(digest_of_code(code), file)


def sources_of(root) -> dict[str, tuple[str, list[bytes]]]:
    """The sources of the functions that a pickler writes by value if it does so with `root`."""
    sources: dict[str, tuple[str, list[bytes]]] = {}
    for function in _functions(root):
        file = file_of(function.__code__)
        lines = linecache.getlines(file, function.__globals__)
        if lines:
            sources.setdefault(file, (_shared_string(tuple(lines)), []))[1].append(
                digest_of_code(function.__code__)
            )
    return sources


def digest_of_code(code: types.CodeType) -> bytes:
    """A hash that identifies code beside the name of its file."""
    own = code.co_name, code.co_firstlineno, code.co_names, code.co_varnames, code.co_freevars
    facts = [code.co_code, code.co_linetable, _encoded(repr(own))]
    for constant in code.co_consts:
        is_code = isinstance(constant, types.CodeType)
        facts.append(digest_of_code(constant) if is_code else _encoded(spelled(constant)))
    return digest(b"".join(facts))


def _encoded(string: str) -> bytes:
    return string.encode("utf-8", "backslashreplace")


def spelled(constant) -> str:
    """The constant as a string that is the same in all processes, as sets have no order, and that
    tells constants apart: 1, 1.0 and True are equal.
    """
    if isinstance(constant, (tuple, frozenset)):
        parts = map(spelled, constant)
        return repr(tuple(parts) if isinstance(constant, tuple) else sorted(parts))
    return repr(constant)


@functools.lru_cache(maxsize=64)
def _shared_string(lines: tuple[str, ...]) -> str:
    """The same string for each function of a file: a pickle holds it once."""
    return "".join(lines)


def _readable(file: str, lines: list[str]) -> str:
    """A name under which linecache has these lines: that of the file unless it has others."""
    present = linecache.getlines(file)
    if present and present != lines:
        whole = digest(_encoded("".join(lines))).hex()
        file = f"<pickled {pathlib.PurePath(file).name} {whole[:8]}>"
        present = linecache.getlines(file)
    if not present:
        linecache.cache[file] = (sum(map(len, lines)), None, lines, file)
    return file


def _functions(root) -> Iterator[types.FunctionType]:
    """The function, and functions of its module, or without one, that it and they refer to."""
    waiting, seen = [root], set()
    module = getattr(root, "__module__", None)
    while waiting:
        thing = waiting.pop()
        if id(thing) in seen:
            continue
        seen.add(id(thing))
        if not isinstance(thing, (types.FunctionType, type)):
            waiting += _inside(thing)
        elif thing.__module__ in (module, "__main__") or owner_of(thing) is not thing:
            if isinstance(thing, type):
                waiting += [*vars(thing).values(), *thing.__bases__]
            else:
                yield thing
                waiting += _references(thing)


def _references(function: types.FunctionType) -> Iterator:
    """The objects for which the names in a function stand, without attributes."""
    names = loaded_names(function.__code__)
    for name in names.globals & function.__globals__.keys():
        yield function.__globals__[name]
    for cell in function.__closure__ or ():
        with contextlib.suppress(ValueError):  # not yet assigned
            yield cell.cell_contents
    yield from function.__defaults__ or ()
    yield from (function.__kwdefaults__ or {}).values()
    yield getattr(function, "__wrapped__", None)


def _inside(thing) -> list:
    """The functions and classes in a method, a partial function, a property or a container."""
    match thing:
        case staticmethod() | classmethod():
            return [thing.__func__]
        case types.MethodType():
            return [thing.__func__, type(thing.__self__)]
        case property():
            return [thing.fget, thing.fset]
        case functools.partial():
            return [thing.func, *thing.args, *thing.keywords.values()]
        case list() | tuple() | set() | frozenset() if len(thing) <= LARGEST:
            return list(thing)
        case dict() if len(thing) <= LARGEST:
            return list(thing.values())
    return [type(thing)]
