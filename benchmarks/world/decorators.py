"""Decorators with the signatures of Numba's."""

from __future__ import annotations

import functools
import types
from collections.abc import Callable


def decorator(numbas: Callable, cls: type) -> Callable:
    """A decorator with the signature of `numbas`, whose options Numba alone obeys.

    It makes `cls(function, compile_with_numba)`, which has the function as `py_func`. Numba's own
    functions stay Numba's.
    """

    def decorated(function, compile_with_numba: Callable):
        if isinstance(function, cls):
            function = function.py_func
        is_numbas = (getattr(function, "__module__", None) or "").split(".")[0] == "numba"
        if not isinstance(function, types.FunctionType) or is_numbas:
            return compile_with_numba(function)
        return cls(function, compile_with_numba)

    @functools.wraps(numbas)
    def jit(*args, **options):
        options.pop("cache", None)
        first = args[0] if args else options.get("signature_or_function")
        if not isinstance(first, (types.FunctionType, cls)):
            return lambda function: decorated(function, numbas(*args, **options))
        others = {key: value for key, value in options.items() if key != "signature_or_function"}
        return decorated(first, lambda function: numbas(function, *args[1:], **others))

    return jit
