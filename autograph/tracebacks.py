"""Show the calls of converted code in tracebacks as Python shows them.

`ALLOGRAPH_FULL_TRACEBACK=1` shows every frame.
"""

from __future__ import annotations

import inspect
import itertools
import sys
import types

from ..runtime.core.tracebacks import entries_of, shows_all_frames
from .conversion.display_names import OUTLINED, is_class_body
from .errors import FAILURES, why_suspending

UNCONVERTED: set[types.CodeType] = set()  # of what `do_not_convert` makes
LIBRARY = sys.stdlib_module_names - {"__main__"}
CONVERSION = "Let autograph convert this code"  # what an error says where it does not know why
INTERNAL = ((__package__ or "").split(".")[0], "contextlib")


def hide_callers(error: BaseException) -> None:
    """Leave one entry for each call of converted code in a traceback, and none of this package."""
    shown = list(entries_of(error.__traceback__))
    entries = _one_for_each_call(entry for entry in shown if not _is_internal(entry.tb_frame))
    if not entries:
        return
    _say_what_is_not_converted(error, [entry.tb_frame for entry in shown])
    if shows_all_frames():
        return
    shorter = None
    for entry in reversed(entries):
        shorter = types.TracebackType(shorter, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    error.__traceback__ = shorter


def _say_what_is_not_converted(error, frames) -> None:
    """Say why, if the function that failed on a staged value was not converted."""
    code = next(frame.f_code for frame in reversed(frames) if not _is_internal(frame))
    failure = FAILURES.get(code) or _class_body(code) or _generator(code)
    if not getattr(error, "where", None) or hasattr(error, "__notes__"):
        return
    if failure is None and CONVERSION in error.cure:
        failure = _called_by_others(frames)
    if failure is None:
        return
    if "autograph" in error.cure:  # which cannot convert it
        error.reworded(error.message, str(failure))
    elif str(failure) not in error.cure:
        error.add_note(f"'{code.co_name}' is not converted: {failure}")


def _class_body(code) -> str | None:
    """Why the body of a class is not converted."""
    if not is_class_body(code) or code.co_name == "<module>":
        return None
    return (
        f"the body of the class '{code.co_name}' runs as it is, so no tensor can decide what it "
        "does. Compute the value before the class, or in a method"
    )


def _generator(code) -> str | None:
    """Why a generator inside a converted function is not converted."""
    suspends = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
    if not code.co_flags & suspends or code.co_name.startswith("<"):
        return None
    is_coroutine = code.co_flags & inspect.CO_COROUTINE
    return why_suspending(code.co_name, "coroutine" if is_coroutine else "generator")


OF_PYTHON_VALUES = ("__bool__", "__len__", "__index__", "__int__", "__float__", "__hash__")


def _called_by_others(frames) -> str | None:
    """The calls by Python or a library from converted code, and the frames that convert."""
    from .conversion.converted_functions import (
        CONVERTED_CODE,
    )  # loaded already if any code is converted

    own = [
        frame.f_code
        for frame in frames
        if frame.f_code in UNCONVERTED or not (_is_internal(frame) or _package(frame) in LIBRARY)
    ]
    first = next((k for k, code in enumerate(own) if code in CONVERTED_CODE), len(own))
    rest = list(itertools.dropwhile(CONVERTED_CODE.__contains__, own[first:]))
    if first == len(own):
        return None
    if not UNCONVERTED.isdisjoint(rest):
        name = rest[-1].co_qualname
        return f"'{name}' is under do_not_convert: use ag.cond and ag.while_loop in it"
    if not rest:
        return (
            "A function that is called here, and is not converted, asks for the value: compute "
            "what it does with ag.where, or write it as a loop with `if`"
        )
    written = (code for code in rest if not code.co_filename.startswith("<"))  # not by `dataclass`
    name = next(written, rest[0]).co_qualname
    if name.rpartition(".")[2] in OF_PYTHON_VALUES:
        return (
            f"'{name}' has to give Python a value of its own: call a method of another name, which "
            "is converted"
        )
    return (
        f"'{name}' is called by Python or by a library, not by name, so it is not converted: "
        "decorate it with @ag.autograph.to_graph"
    )


def _one_for_each_call(entries) -> list:
    """The entries without callers whose outlined function (`loop_body`, ...) comes next."""
    kept: list = []
    for entry in entries:
        if kept and OUTLINED.get(entry.tb_frame.f_code):
            kept.pop()
        kept.append(entry)
    return kept


def _is_internal(frame) -> bool:
    return _package(frame) in INTERNAL


def _package(frame) -> str:
    return (frame.f_globals.get("__name__") or "").partition(".")[0]
