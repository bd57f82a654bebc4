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
# Their errors reach users in words of this package.
LIBRARIES = ("numpy", "scipy", "llvmlite", "onnx", "google", "PIL")
# What Python says of a call whose arguments do not fit the parameters of a function.
UNFITTING_CALL = r"(\S+)\(\) (?:missing|takes|got) "


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


def did_you_mean(name: str, known: Iterable[str], otherwise: str = "") -> str:
    """A question that names the most similar known name; `otherwise` if none is very similar.

    >>> did_you_mean("lgo", ["log", "exp"]), did_you_mean("jit", ["jit_compile", "name"])
    (" Did you mean 'log'?", " Did you mean 'jit_compile'?")
    >>> did_you_mean("zzz", ["log", "exp"])
    ''
    """
    import difflib  # only errors need it, and every program loads this module

    known = list(known)
    matches = difflib.get_close_matches(name, known, 1, 0.8)
    matches += sorted((candidate for candidate in known if name in candidate.split("_")), key=len)
    if not matches and otherwise:
        return otherwise
    matches += difflib.get_close_matches(name, known, 1)
    return f" Did you mean {matches[0]!r}?" if matches else ""


def _suggest_parameter(function: Callable, error: TypeError, arguments: dict) -> None:
    """Name the parameter that is most similar to one that was given in vain."""
    unexpected = re.search(r"unexpected keyword argument '(\w+)'$", str(error))
    if unexpected and unexpected[1] in arguments:
        import inspect  # as above

        known = inspect.signature(function).parameters
        name = unexpected[1]
        advice = _parameter_here(name, known) or did_you_mean(name, known)
        error.args = (f"{error}.{advice}".removesuffix("."),)


def _parameter_here(name: str, known: Iterable[str]) -> str:
    """What to write in place of a parameter of another library; empty for other names."""
    advice = other_names().get(f"@{name}", "")
    if " " not in advice:
        return f" Did you mean {advice!r}?" if advice in known else ""
    return f" Leave it out: {advice}."


def lines_of_data(name: str) -> list[str]:
    """The lines of a file of this folder, which may lie in an archive."""
    path = os.path.join(os.path.dirname(__file__), name)
    return __spec__.loader.get_data(path).decode().splitlines()  # type: ignore[union-attr]


@functools.cache
def other_names() -> dict[str, str]:
    """Names and parameters of other libraries, with what to write here."""
    lines = [line for line in lines_of_data("other_names.txt") if not line.startswith("#")]
    return {name: advice for name, _, advice in (line.partition(": ") for line in lines)}


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
    entries = list(entries_of(error.__traceback__))
    kept = [entry for entry in entries if not is_internal(entry.tb_frame)]
    marked = vars(error).pop(EXPLAINED, False)
    if not kept and entries and not (marked or _is_explained(error, entries)):
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


def entries_of(traceback) -> Iterator:
    """The entries of a traceback, the outermost first."""
    while traceback is not None:
        yield traceback
        traceback = traceback.tb_next


def _is_explained(error: BaseException, entries) -> bool:
    """Whether a `raise` of the package made the error, or a call of a function did not fit.

    The function is the entrance itself, or one of the user's that the package was given.
    """
    last = entries[-1]
    code = last.tb_frame.f_code
    if code.co_code[last.tb_lasti] == RAISE or (len(entries) == 1 and code.co_name == "call"):
        return True
    unfitting = re.match(UNFITTING_CALL, str(error)) if type(error) is TypeError else None
    return unfitting is not None and any(
        _is_users_function(value, unfitting[1]) for value in last.tb_frame.f_locals.values()
    )


def _is_users_function(value: Any, name: str) -> bool:
    """Whether a value is called under this name, and does not belong to the package."""
    function = getattr(value, "__func__", value)
    names = {getattr(function, "__qualname__", ""), f"{type(value).__qualname__}.__call__"}
    module = getattr(function, "__module__", None) or type(value).__module__
    return name in names and module.split(".")[0] != PACKAGE


def _without_internal(error: BaseException | None) -> BaseException | None:
    """The first error of a chain of contexts that went through code of the user."""
    while error is not None and not any(map(is_users, entries_of(error.__traceback__))):
        if error.__traceback__ is None:
            break
        error = error.__context__
    return error


def is_users(entry) -> bool:
    """Whether an entry is neither of this package nor of code that it generated or calls."""
    frame = entry.tb_frame
    module = (frame.f_globals.get("__name__") or "").split(".")[0]
    foreign = module in LIBRARIES or module in sys.stdlib_module_names
    return bool(module) and not foreign and not is_internal(frame)


def is_from_handler(error: BaseException) -> bool:
    """Whether code of the user raised an error out of a kernel: the handler of a signal did.

    Kernels call the package, its libraries and the standard library, and nothing else.
    """
    return any(map(is_users, entries_of(error.__traceback__)))


# ---- refused calls with composite values -----------------------------------------------------
# A composite value, such as a ragged tensor, consists of tensors and is none. What a function means
# for it is asked after the function has refused it, so calls with tensors pay nothing. A class
# answers in a static method `__tf_dispatch__(function, args, kwargs)`, or returns NotImplemented.


def call_for_composites(function: Any, args, kwargs) -> Any:
    """The result of a call by the composite values among its arguments, else NotImplemented."""
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
        for item in value if isinstance(value, (list, tuple)) else (value,):
            handler = getattr(type(item), "__tf_dispatch__", None)
            if handler is not None and handler not in seen:
                seen.add(handler)
                yield handler
