"""`with`: one that may suppress exceptions is a handler, as an `except` is.

with contextlib.suppress(KeyError):
    if x > 0:                   # known only when the graph runs
        raise KeyError(x)       # refused: nothing suppresses it then

Nor does a graph that raises an exception execute what a `finally` or an `__exit__` around it does.
"""

from __future__ import annotations

import contextlib
import dis
import functools
import inspect
import sys
from typing import Any

from ..current_trace import TRACE
from .calls import special_method
from .raising import Handler, RefusedError, TraceSignal, refusal_of_cleanup, refusal_to_discard

PACKAGE = __name__.partition(".")[0]


class FinallyThatMayJump:
    """A context manager around a `try` that discards its exceptions if its `finally` `jumps`."""

    def __init__(self, jumps: bool = False):
        self.jumps = jumps
        self.handler = None

    def __enter__(self):
        if TRACE.get().stager.checkpoint() is not None:
            self.handler = Handler(lambda error: True)
            self.handler.__enter__()
        return self

    def ends(self, jumps):
        """The `finally` ends, with a jump or without."""
        self.jumps = jumps

    def __exit__(self, cls, error, traceback):
        if self.handler is not None:
            self.handler.__exit__(cls, error, traceback)
        if error is None or isinstance(error, TraceSignal):
            return False
        if TRACE.get().stager.is_staged(self.jumps):
            raise RefusedError(refusal_to_discard(error)) from None
        return bool(self.jumps)


class Cleanup:
    """A context manager around what runs after a block even if that raises an exception.

    It is made before the block. Where the graph raises the exception, it does nothing afterwards,
    so effects of the graph are refused here.
    """

    def __init__(self, what: str):
        self.what = what
        self.start = TRACE.get().stager.checkpoint()
        self.handled_before = sys.exc_info()[1]
        self.end = None

    def __enter__(self):
        error = sys.exc_info()[1]
        plain = error is not self.handled_before and _is_plain(error)
        if self.start is not None and not plain:
            stager = TRACE.get().stager
            may_raise = any(effect.may_raise for effect in stager.effects_since(self.start))
            self.end = stager.checkpoint() if may_raise else None

    def __exit__(self, cls, error, traceback):
        if self.end is None or _is_plain(error):
            return
        for effect in TRACE.get().stager.effects_since(self.end):
            if effect.writes:
                raise RefusedError(refusal_of_cleanup(self.what, effect.where)) from None


def _is_plain(error) -> bool:
    """Whether an exception is raised while tracing, not when the graph runs."""
    return error is not None and not isinstance(error, TraceSignal)


def entered(manager):
    """The context manager of a `with`; one that may suppress exceptions registers as a handler."""
    cls = type(manager)
    if TRACE.get().stager.checkpoint() is None or cls.__module__.partition(".")[0] == PACKAGE:
        return manager
    if not (hasattr(cls, "__enter__") and hasattr(cls, "__exit__")):
        return manager  # Python raises its own error
    return _Entered(manager)


class _Entered:
    """A context manager of the program. It does not suppress the signals of staged exceptions."""

    def __init__(self, manager):
        self.manager = manager
        catches = _catches(manager)
        self.handler = catches and Handler(catches, isinstance(manager, contextlib.suppress))

    def __enter__(self):
        value = special_method(self.manager, "__enter__")()
        self.cleanup = Cleanup("`__exit__`")
        if self.handler is not None:
            self.handler.__enter__()
        return value

    def __exit__(self, cls, error, traceback):
        if isinstance(error, TRACE.get().stager.refusals):
            RefusedError(error)  # noted: what `__exit__` raises does not take its place
        with contextlib.nullcontext() if _is_plain(error) else self.cleanup:
            suppresses = special_method(self.manager, "__exit__")(cls, error, traceback)
        if self.handler is None:
            return False
        self.handler.__exit__(cls, error if suppresses else None, traceback)
        return suppresses and not isinstance(error, TraceSignal)


def _catches(manager):
    """Whether a context manager suppresses an exception, as a function of it; None: it never does.

    Only the code of `__exit__` is known before it runs, so the answer may be a guess: yes.
    """
    cls = type(manager)
    if isinstance(manager, contextlib.suppress):
        return lambda error: manager.__exit__(type(error), error, None)
    generator = getattr(manager, "gen", None)
    if inspect.isgenerator(generator):
        suppresses = _has_handler(generator.gi_code)
    else:
        code = getattr(cls.__exit__, "__code__", None)
        suppresses = code is not None and _may_return_true(code)
    return (lambda error: True) if suppresses else None


@functools.cache
def _has_handler(code) -> bool:
    return any(step.opname == "CHECK_EXC_MATCH" for step in dis.get_instructions(code))


@functools.cache
def _may_return_true(code) -> bool:
    """Whether a function may return anything but the literals None and False."""
    before: Any = None
    for step in dis.get_instructions(code):
        if step.opname == "RETURN_CONST" and step.argval:
            return True
        if step.opname == "RETURN_VALUE" and (before is None or before.opname != "LOAD_CONST"):
            return True
        if step.opname == "RETURN_VALUE" and before.argval:
            return True
        before = step
    return False
