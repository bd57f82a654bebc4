"""Calls that reach a trace from outside of the traced function: those of signal handlers,
finalizers, callbacks of the garbage collector and debuggers, which Python runs anywhere.
"""

from __future__ import annotations

import threading
import types
from collections.abc import Callable
from contextvars import Context, copy_context

from ....runtime.core.source_locations import is_internal
from ...staged_values.outer_values import is_bound
from ..new_arrays import holds_traced


class _Thread(threading.local):
    """The context outside the trace that runs in this thread; None where none does."""

    outside: Context | None = None


_THREAD = _Thread()


def is_tracing() -> bool:
    """Whether a trace runs in this thread, also where what runs now is not traced."""
    return _THREAD.outside is not None


def run_trace(trace: Callable):
    """`trace()` in a context of its own. A collection may interrupt the assignment of a context
    variable, and what it calls must not assign variables of the same context.
    """
    _THREAD.outside = copy_context()
    try:
        return copy_context().run(trace)
    finally:
        _THREAD.outside = None


def run_outside(call: Callable):
    """`call()` as if no trace ran in this thread."""
    assert _THREAD.outside is not None
    return _THREAD.outside.copy().run(call)


def comes_from_outside(caller: types.FrameType, args: tuple, kwargs: dict) -> bool:
    """Whether a call during a trace is not one of the traced function."""
    if not is_tracing() or is_bound(caller.f_globals) or is_internal(caller):
        return False
    return not holds_traced((args, kwargs))
