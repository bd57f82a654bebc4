"""The operation of each function of Numba."""

from __future__ import annotations

import ctypes
import weakref
from typing import Any

from ..core.errors import InvalidArgumentError
from .generalized_functions import GeneralizedFunction
from .numba_functions import GU, NumbaFunction

FUNCTION_POINTER = ctypes._CFuncPtr  # type: ignore[attr-defined] - of every function of ctypes
NEEDS_GIL = 0x4  # the flag of functions of Python's own
_MADE: weakref.WeakKeyDictionary[Any, NumbaFunction] = weakref.WeakKeyDictionary()


def numba_function(function, **options) -> NumbaFunction:
    """The operation of a function of Numba. Without options, each function has one."""
    if isinstance(function, FUNCTION_POINTER):
        return NumbaFunction(_by_address(function), **{"stateful": True, **_given(options)})
    if type(function).__name__ == "CFunc":
        function = _recompiled(function)
    if not options and function in _MADE:
        return _MADE[function]
    cls = GeneralizedFunction if type(function).__name__ == GU else NumbaFunction
    made = cls(function, **options)
    return made if options else _MADE.setdefault(function, made)


def _given(options: dict) -> dict:
    return {name: value for name, value in options.items() if value is not None}


def _by_address(pointer):
    """A function of Numba that calls one of `ctypes` by its address."""
    import numba

    name = getattr(pointer, "__name__", "function")
    if pointer.argtypes is None or pointer._flags_ & NEEDS_GIL:
        raise InvalidArgumentError(
            f"{name}: the types of its arguments are not stated, or it is Python's own",
            f"{name}.argtypes, {name}.restype = [ctypes.c_double], ctypes.c_double",
        )
    names = ", ".join(f"x{at}" for at in range(len(pointer.argtypes)))
    scope: dict[str, Any] = {"pointer": pointer}
    exec(f"def call({names}):\n    return pointer({names})", scope)
    scope["call"].__name__ = name
    return numba.njit(scope["call"])


def _recompiled(function):
    """A function of `@cfunc` as one of `@njit`, with the types that were stated."""
    import numba

    if function not in _CALLBACKS:
        _CALLBACKS[function] = numba.njit(function._sig)(function._pyfunc)
    return _CALLBACKS[function]


_CALLBACKS: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()
