"""Arithmetic without NumPy's warnings: infinities and NaN are results like any other.

`np.errstate` takes longer than a small operation, so a prepared state is put in its place where
NumPy has one:

    token = quieten()
    try: ...
    finally: restore(token)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

quieten: Callable[[], Any]
restore: Callable[[Any], None]

try:
    from numpy._core.umath import _extobj_contextvar as _state
    from numpy._core.umath import _make_extobj
except ImportError:

    def quieten():
        state = np.errstate(all="ignore")
        state.__enter__()
        return state

    def restore(token) -> None:
        token.__exit__(None, None, None)

else:
    _quiet = _make_extobj(all="ignore")
    restore = _state.reset

    def quieten():
        return _state.set(_quiet)


def quietly(function: Callable, *args):
    """`function(*args)` in such a state, where a call more does not matter."""
    token = quieten()
    try:
        return function(*args)
    finally:
        restore(token)
