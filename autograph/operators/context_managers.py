"""`with`: one that may suppress exceptions is a handler, as an `except` is.

with contextlib.suppress(KeyError):
    if x > 0:                   # known only when the graph runs
        raise KeyError(x)       # refused: nothing suppresses it then
"""

from __future__ import annotations

import contextlib
import dis
import functools
import inspect

from ..stager import CURRENT
from .raising import PASSING, Handler, RefusedRaise, refusal_to_discard

PACKAGE = __name__.partition(".")[0]


def discarding() -> contextlib.suppress:
    """A context manager around what a `finally` that always jumps discards the exceptions of."""
    return contextlib.suppress(BaseException)


class FinallyThatMayJump:
    """A context manager around a `try` that discards its exceptions if its `finally` jumped."""

    def __init__(self):
        self.jumps = False
        self.handler = None

    def __enter__(self):
        if CURRENT.stager.checkpoint() is not None:
            self.handler = Handler(lambda error: True)
            self.handler.__enter__()
        return self

    def ends(self, jumps):
        """The `finally` ends, with a jump or without."""
        self.jumps = jumps

    def __exit__(self, cls, error, traceback):
        if self.handler is not None:
            self.handler.__exit__(cls, error, traceback)
        if error is None or isinstance(error, PASSING):
            return False
        if CURRENT.stager.is_staged(self.jumps):
            raise RefusedRaise(refusal_to_discard(error)) from None
        return bool(self.jumps)


def entered(manager):
    """The context manager of a `with`; one that may suppress exceptions registers as a handler."""
    if CURRENT.stager.checkpoint() is None:
        return manager
    catches = _catches(manager)
    return manager if catches is None else _Suppressing(manager, catches)


class _Suppressing:
    """A context manager that may suppress exceptions, but not the signals of staged ones."""

    def __init__(self, manager, catches):
        self.manager = manager
        self.handler = Handler(catches, isinstance(manager, contextlib.suppress))

    def __enter__(self):
        value = type(self.manager).__enter__(self.manager)
        self.handler.__enter__()
        return value

    def __exit__(self, cls, error, traceback):
        suppresses = type(self.manager).__exit__(self.manager, cls, error, traceback)
        self.handler.__exit__(cls, error if suppresses else None, traceback)
        return suppresses and not isinstance(error, PASSING)


def _catches(manager):
    """Whether a context manager suppresses an exception, as a function of it; None: it never does.

    Only the code of `__exit__` is known before it runs, so the answer may be a guess: yes.
    """
    cls = type(manager)
    if not (hasattr(cls, "__enter__") and hasattr(cls, "__exit__")):
        return None  # Python raises its own error
    if isinstance(manager, contextlib.suppress):
        return lambda error: manager.__exit__(type(error), error, None)
    if cls.__module__.partition(".")[0] == PACKAGE:
        return None
    generator = getattr(manager, "gen", None)
    if inspect.isgenerator(generator):
        suppresses = _has_handler(generator.gi_code)
    else:
        code = getattr(cls.__exit__, "__code__", None)
        suppresses = code is not None and _may_return_true(code)
    return (lambda error: True) if suppresses else None


@functools.cache
def _has_handler(code) -> bool:
    return any(one.opname == "CHECK_EXC_MATCH" for one in dis.get_instructions(code))


@functools.cache
def _may_return_true(code) -> bool:
    """Whether a function may return anything but the literals None and False."""
    before = None
    for one in dis.get_instructions(code):
        if one.opname == "RETURN_CONST" and one.argval:
            return True
        if one.opname == "RETURN_VALUE" and (before is None or before.opname != "LOAD_CONST"):
            return True
        if one.opname == "RETURN_VALUE" and before.argval:
            return True
        before = one
    return False
