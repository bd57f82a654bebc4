"""The operation of each function of Numba."""

from __future__ import annotations

import weakref
from typing import Any

from .called_by_address import called_by_address, calling, is_c_function
from .generalized_functions import GeneralizedFunction
from .numba_functions import GU, STENCIL, NumbaFunction, python_function

# By the id of the function, which lives as long as its operation, which refers to it.
_MADE: weakref.WeakValueDictionary[int, NumbaFunction] = weakref.WeakValueDictionary()


def numba_function(function, **options) -> NumbaFunction:
    """The operation of a function of Numba. Without options, each function has one."""
    if is_c_function(function):
        return NumbaFunction(called_by_address(function), **{"stateful": True, **_given(options)})
    if type(function).__name__ == "CFunc":
        function = _recompiled(function)
    known = None if options else _MADE.get(id(function))
    if known is not None:
        return known
    if type(function).__name__ == STENCIL:
        made = NumbaFunction(_calling_stencil(function), **{"shape": _of_first, **_given(options)})
        return made if options else _MADE.setdefault(id(function), made)
    cls = GeneralizedFunction if type(function).__name__ == GU else NumbaFunction
    made = cls(function, **options)
    return made if options else _MADE.setdefault(id(function), made)


def _given(options: dict) -> dict:
    return {name: value for name, value in options.items() if value is not None}


def _recompiled(function):
    """A function of `@cfunc` as one of `@njit`, with the types that were stated."""
    import numba

    if function not in _CALLBACKS:
        _CALLBACKS[function] = numba.njit(function._sig)(function._pyfunc)
    return _CALLBACKS[function]


def _calling_stencil(function):
    """A function of `@njit` that calls one of `@stencil`."""
    import numba

    count = function.kernel_ir.arg_count
    names = [f"x{at}" for at in range(count)]
    return numba.njit(calling(function, python_function(function).__name__, count, names, {}))


def _of_first(first, *rest):
    """The shape of what a function of `@stencil` returns."""
    return first


_CALLBACKS: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()
