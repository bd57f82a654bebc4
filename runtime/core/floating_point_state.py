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
    restore = _state.reset

    current_errstate = _state.get
    USUAL = contextvars.Context().run(current_errstate)

    def enter_errstate():
        return _state.set(_quiet)


def only_warns() -> bool:
    """Whether NumPy at most warns of floating-point errors: it does not raise, print or call."""
    return {"warn", "ignore"}.issuperset(np.geterr().values())


def call_in_errstate(function: Callable, *args):
    """`function(*args)` without warnings, where the cost of one more call does not matter."""
    token = enter_errstate()
    try:
        return function(*args)
    finally:
        restore(token)
