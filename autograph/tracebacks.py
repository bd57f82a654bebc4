"""Show the calls of converted code in tracebacks as Python shows them.

`ALLOGRAPH_FULL_TRACEBACK=1` shows every frame.
"""

from __future__ import annotations

import inspect
import os
import types

from .conversion.display_names import OUTLINED, is_class_body
from .errors import FAILURES, why_suspending

INTERNAL = ((__package__ or "").split(".")[0], "contextlib")


def hide_callers(error: BaseException) -> None:
    """Leave one entry for each call of converted code in a traceback, and none of this package."""
    entries = _one_for_each_call(
        entry for entry in _entries(error.__traceback__) if not _is_internal(entry)
    )
    if not entries:
        return
    _say_what_is_not_converted(error, entries[-1].tb_frame.f_code)
    if os.environ.get("ALLOGRAPH_FULL_TRACEBACK", "0") not in ("", "0"):
        return
    shorter = None
    for entry in reversed(entries):
        shorter = types.TracebackType(shorter, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    error.__traceback__ = shorter


def _say_what_is_not_converted(error, code) -> None:
    """Say why, if the function that failed on a staged value could not be converted."""
    failure = FAILURES.get(code) or _class_body(code) or _generator(code)
    if failure is None or not getattr(error, "where", None) or hasattr(error, "__notes__"):
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


def _entries(traceback):
    while traceback is not None:
        yield traceback
        traceback = traceback.tb_next


def _one_for_each_call(entries) -> list:
    """The entries without callers whose outlined function (`loop_body`, ...) comes next."""
    found: list = []
    for entry in entries:
        if found and OUTLINED.get(entry.tb_frame.f_code):
            found.pop()
        found.append(entry)
    return found


def _is_internal(entry) -> bool:
    module = entry.tb_frame.f_globals.get("__name__") or ""
    return module.split(".")[0] in INTERNAL
