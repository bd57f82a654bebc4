"""The operation of each function of Numba."""

from __future__ import annotations

import weakref
from typing import Any

from .generalized_functions import GeneralizedFunction
from .numba_functions import GU, NumbaFunction

_MADE: weakref.WeakKeyDictionary[Any, NumbaFunction] = weakref.WeakKeyDictionary()


def numba_function(function, **options) -> NumbaFunction:
    """The operation of a function of Numba. Without options, each function has one."""
    if not options and function in _MADE:
        return _MADE[function]
    cls = GeneralizedFunction if type(function).__name__ == GU else NumbaFunction
    made = cls(function, **options)
    return made if options else _MADE.setdefault(function, made)
