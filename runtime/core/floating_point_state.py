"""Floating-point state: NumPy's warnings about infinities and NaN are off.

`np.errstate` takes longer than a small operation, so a prepared state object is set where this
version of NumPy has one:

    token = quieten()
    try: ...
    finally: restore(token)
"""

from __future__ import annotations

import contextvars
from collections.abc import Callable
from typing import Any

import numpy as np

enter_errstate: Callable[[], Any]
current_errstate: Callable[[], Any]  # a state that has been set, or USUAL
USUAL: Any
restore: Callable[[Any], None]
STATE: contextvars.ContextVar | None = None  # of the state, where this version of NumPy has one

try:
    from numpy._core.umath import _extobj_contextvar as _state
    from numpy._core.umath import _make_extobj
except ImportError:

    def enter_errstate():
        state = np.errstate(all="ignore")
        state.__enter__()
        return state

    def restore(token) -> None:
        token.__exit__(None, None, None)

    USUAL = object()
    current_errstate = np.geterr

else:
    _quiet = _make_extobj(all="ignore")
    STATE = _state
    restore = STATE.reset

    current_errstate = STATE.get
    USUAL = contextvars.Context().run(current_errstate)

    def enter_errstate():
        return STATE.set(_quiet)


_LATEST: list = []  # the latest state that only warned
LATEST_WARNS = np.zeros(1, np.int64)  # its address


def only_warns() -> bool:
    """Whether NumPy at most warns of floating-point errors: it does not raise, print or call."""
    state = current_errstate()
    if state is USUAL or (_LATEST and state is _LATEST[0]):
        return True
    warns = {"warn", "ignore"}.issuperset(np.geterr().values())
    if warns and STATE is not None:
        LATEST_WARNS[0] = 0
        _LATEST[:] = [state]
        LATEST_WARNS[0] = id(state)
    return warns


def call_in_errstate(function: Callable, *args):
    """`function(*args)` without warnings, where the cost of one more call does not matter."""
    token = enter_errstate()
    try:
        return function(*args)
    finally:
        restore(token)
