"""The boundary of the package: errors leave it without internal frames and internal causes.

`ALLOGRAPH_FULL_TRACEBACK=1` keeps all of them.
"""

from __future__ import annotations

import functools
import os
import re
import sys
import types
from collections.abc import Callable, Iterable, Iterator
from opcode import opmap
from typing import Any

from .source_locations import is_internal

RAISE = opmap["RAISE_VARARGS"]
EXPLAINED = "_allograph_explained"  # attribute of an error that an inner boundary let through
ENTRANCES = {"__init__", "__call__", "__getitem__", "__iter__", "__next__", "__len__"}
PACKAGE = __name__.split(".")[0]
IS_BOUNDARY = "_allograph_boundary"  # attribute of a function that hides its frames
REFUSALS = (TypeError, ValueError, AttributeError)  # after which composite values are asked
LIBRARIES = ("numpy", "scipy", "llvmlite")  # their errors reach users in words of this package


def boundary(function: Callable) -> Callable:
    """The function, made an entrance for users: its errors show none of the frames inside.

    A handler ends in a bare `raise`: a traceback gets no entry for it, so that of `call` goes too.
    """
    if getattr(function, IS_BOUNDARY, False):
        return function

    @functools.wraps(function)
    def call(*args, **kwargs):
        try:
            return function(*args, **kwargs)
        except Exception as error:
            result = NotImplemented
            if isinstance(error, REFUSALS):
                try:
                    result = call_for_composites(function, args, kwargs)
                except Exception as own:
                    hide_internal_frames(own)
                    raise
            if result is not NotImplemented:
                return result
            if type(error) is TypeError and kwargs:
                _suggest_parameter(function, error, kwargs)
            hide_internal_frames(error)
            raise

    return is_boundary(call)


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A question that names the most similar known name; empty if none is similar.

    >>> did_you_mean("lgo", ["log", "exp"]), did_you_mean("zzz", ["log", "exp"])
    (" Did you mean 'log'?", '')
    """
    import difflib  # only errors need it, and every program loads this module

    close = difflib.get_close_matches(name, known, 1)
    return f" Did you mean {close[0]!r}?" if close else ""


def _suggest_parameter(function: Callable, error: TypeError, given: dict) -> None:
    """Name the parameter that is most similar to one that was given in vain."""
    unexpected = re.search(r"unexpected keyword argument '(\w+)'$", str(error))
    if unexpected and unexpected[1] in given:
        import inspect  # as above

        known = inspect.signature(function).parameters
        error.args = (f"{error}.{did_you_mean(unexpected[1], known)}".removesuffix("."),)


def is_boundary(function):
    """Decorator for a function that calls `hide_internal_frames` itself."""
    setattr(function, IS_BOUNDARY, True)
    return function


def boundaries_of(declared: type) -> None:
    """Make the public methods of a class, and of its bases in this package, entrances for users."""
    for base in declared.__mro__:
        if base.__module__.split(".")[0] == PACKAGE:
            _make_boundaries(base)


@functools.cache
def _make_boundaries(declared: type) -> None:
    for name, member in list(vars(declared).items()):
        if name.startswith("_") and name not in ENTRANCES:
            continue
        if isinstance(member, types.FunctionType):
            setattr(declared, name, boundary(member))
        elif isinstance(member, (staticmethod, classmethod)):
            setattr(declared, name, type(member)(boundary(member.__func__)))


def shows_all_frames() -> bool:
    """Whether ALLOGRAPH_FULL_TRACEBACK asks for every frame."""
    return os.environ.get("ALLOGRAPH_FULL_TRACEBACK", "0") not in ("", "0")


def hide_internal_frames(error: BaseException, depth: int = 2) -> None:
    """Remove the frames of this package from the traceback, and errors that it has explained.

    Where no other frame remains and no `raise` of this package made the error, it is a fault of the
    package, and keeps all frames. The caller of the boundary is `depth` frames up.
    """
    if shows_all_frames():
        return
    entries = list(_entries(error.__traceback__))
    kept = [entry for entry in entries if not is_internal(entry.tb_frame)]
    marked = vars(error).pop(EXPLAINED, False)
    if not kept and entries and not (marked or _is_explained(entries)):
        return
    if not kept and is_internal(sys._getframe(depth)):  # the next boundary cannot see it any more
        setattr(error, EXPLAINED, True)
    shorter = None
    for entry in reversed(kept):
        shorter = types.TracebackType(shorter, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    error.__traceback__ = shorter
    error.__context__ = _without_internal(error.__context__)
    if error.__cause__ is not None:
        suppresses = error.__suppress_context__
        error.__cause__ = _without_internal(error.__cause__)
        error.__suppress_context__ = suppresses


def _entries(traceback):
    while traceback is not None:
        yield traceback
        traceback = traceback.tb_next


def _is_explained(entries) -> bool:
    """Whether a `raise` of the package made the error, or its first call did not fit."""
    last = entries[-1]
    code = last.tb_frame.f_code
    return code.co_code[last.tb_lasti] == RAISE or (len(entries) == 1 and code.co_name == "call")


def _without_internal(error: BaseException | None) -> BaseException | None:
    """The first error of a chain of contexts that went through code of the user."""
    while error is not None and not any(map(_is_users, _entries(error.__traceback__))):
        if error.__traceback__ is None:
            break
        error = error.__context__
    return error


def _is_users(entry) -> bool:
    """Whether an entry is neither of this package nor of code that it generated or calls."""
    frame = entry.tb_frame
    module = frame.f_globals.get("__name__")
    return bool(module) and not is_internal(frame) and module.split(".")[0] not in LIBRARIES


def is_from_handler(error: BaseException) -> bool:
    """Whether code of the user raised an error out of a kernel: the handler of a signal did.

    Kernels call the package, its libraries and the standard library, and nothing else.
    """
    return any(
        _is_users(entry)
        and entry.tb_frame.f_globals["__name__"].split(".")[0] not in sys.stdlib_module_names
        for entry in _entries(error.__traceback__)
    )


# ---- refused calls with composite values -----------------------------------------------------
# A composite value, such as a ragged tensor, consists of tensors and is none. What a function means
# for it is asked after the function has refused it, so calls with tensors pay nothing. A class
# answers in a static method `__tf_dispatch__(function, args, kwargs)`, or returns NotImplemented.


def call_for_composites(function: Any, args, kwargs) -> Any:
    """What the composite values among the arguments make of a call, else NotImplemented."""
    function = getattr(function, "__wrapped__", function)
    for handler in _handlers([*args, *kwargs.values()]):
        result = handler(function, args, kwargs)
        if result is not NotImplemented:
            return result
    return NotImplemented


def _handlers(values) -> Iterator:
    """The handlers of the classes of values, and of the items of lists, each once."""
    seen = set()
    for value in values:
        for one in value if isinstance(value, (list, tuple)) else (value,):
            handler = getattr(type(one), "__tf_dispatch__", None)
            if handler is not None and handler not in seen:
                seen.add(handler)
                yield handler
