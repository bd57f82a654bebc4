"""The operation of each function of Numba."""

from __future__ import annotations

import weakref
from typing import Any

from .called_by_address import called_by_address, calling, is_c_function
from .generalized_functions import GeneralizedFunction
from .numba_functions import GU, NumbaFunction, is_numba_function

_MADE: weakref.WeakKeyDictionary[Any, NumbaFunction] = weakref.WeakKeyDictionary()


def numba_function(function, **options) -> NumbaFunction:
    """The operation of a function of Numba. Without options, each function has one."""
    if is_c_function(function):
        return NumbaFunction(called_by_address(function), **{"stateful": True, **_given(options)})
    if type(function).__name__ == "CFunc":
        function = _recompiled(function)
    if not options and function in _MADE:
        return _MADE[function]
    cls = GeneralizedFunction if type(function).__name__ == GU else NumbaFunction
    made = cls(function, **options)
    return made if options else _MADE.setdefault(function, made)


def with_functions(made: NumbaFunction, arguments: tuple) -> tuple[NumbaFunction, tuple]:
    """A function and its arguments. Those that are functions of Numba become its globals: the
    function that calls it with them takes the others.
    """
    fixed = {at: one for at, one in enumerate(arguments) if is_numba_function(one)}
    if not fixed:
        return made, arguments
    import numba

    key = (made, *fixed.items())
    if key not in _WITH_FUNCTIONS:
        call = calling(made.function, made.own_name, len(arguments), fixed)
        options = made.shape, made.gradient, made.stateful
        _WITH_FUNCTIONS[key] = NumbaFunction(numba.njit(call), *options)
    rest = tuple(one for at, one in enumerate(arguments) if at not in fixed)
    return _WITH_FUNCTIONS[key], rest


_WITH_FUNCTIONS: dict[tuple, NumbaFunction] = {}


def _given(options: dict) -> dict:
    return {name: value for name, value in options.items() if value is not None}


def _recompiled(function):
    """A function of `@cfunc` as one of `@njit`, with the types that were stated."""
    import numba

    if function not in _CALLBACKS:
        _CALLBACKS[function] = numba.njit(function._sig)(function._pyfunc)
    return _CALLBACKS[function]


_CALLBACKS: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()
