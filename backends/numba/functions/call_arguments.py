"""The arguments of a call of a function of Numba: tensors, and constants of the call.

Strings, None, data types, functions of Numba and decorated functions are constants, and tuples are
taken apart. The operation is then a function that puts them together again:

    f(x, "half", (y, 2.0))    becomes    call(x0, x1, x2): f(x0, "half", (x1, x2))
"""

from __future__ import annotations

import types as python_types
from typing import Any

import numpy as np

from ....runtime.core.errors import DTypeError
from .called_by_address import calling
from .numba_functions import (
    NumbaFunction,
    is_jitclass_object,
    is_named_tuple,
    is_numba_function,
)

_MADE: dict[tuple, NumbaFunction] = {}


def with_constants(made: NumbaFunction, arguments: tuple) -> tuple[NumbaFunction, tuple]:
    """A function of tensors, and those tensors, that stand for a call with these arguments.

    Raises DTypeError where an argument can be neither tensor nor constant.
    """
    leaves: list = []
    scope: dict[str, Any] = {}
    forms = [_form(made, one, leaves, scope) for one in arguments]
    if all(_is_leaf(form) for form in forms):
        return made, arguments
    if made.is_ufunc:
        raise DTypeError(
            f"{made.own_name} is an element-wise function, which takes numbers and arrays",
            "Pass the items of a tuple one by one.",
        )
    import numba

    key = (made, *forms, *scope.items())
    if key not in _MADE:
        call = calling(made.function, made.own_name, len(leaves), forms, scope)
        options = made.shape, made.gradient, made.stateful
        _MADE[key] = NumbaFunction(numba.njit(call), *options)
    return _MADE[key], tuple(leaves)


def _form(made: NumbaFunction, value, leaves: list, scope: dict[str, Any]) -> str:
    """The source of an argument."""
    if value is None:
        return "None"
    if is_jitclass_object(value):
        refuse_object(type(value))
    if _is_constant(value):
        return _constant(value, scope)
    if isinstance(value, tuple) and (type(value) is tuple or is_named_tuple(type(value))):
        items = "".join(f"{_form(made, one, leaves, scope)}, " for one in value)
        return f"({items})" if type(value) is tuple else f"{_constant(type(value), scope)}({items})"
    if isinstance(value, python_types.FunctionType):
        raise DTypeError(
            f"{made.own_name}: {value.__qualname__} is a function that Numba does not know",
            "Decorate it with @numba.njit.",
        )
    if isinstance(value, (list, set, frozenset, dict)) or _is_of_numba(value):
        raise DTypeError(
            f"{made.own_name}: a {_described(value)} is no tensor",
            "Pass a tuple, or an array: np.array(list(values)).",
        )
    leaves.append(value)
    return f"{LEAF}{len(leaves) - 1}"


LEAF = "x"  # the name of a parameter, before its number


def _is_leaf(form: str) -> bool:
    return form.startswith(LEAF)


def _is_constant(value) -> bool:
    is_type = isinstance(value, np.dtype) or (
        isinstance(value, type) and issubclass(value, np.generic)
    )
    is_function = hasattr(type(value), "_numba_type_") and not _is_of_numba(value)
    return isinstance(value, str) or is_type or is_function or is_numba_function(value)


def _constant(value, scope: dict[str, Any]) -> str:
    """The name of a constant in the scope of the call."""
    name = f"constant{len(scope)}"
    scope[name] = value
    return name


def _is_of_numba(value) -> bool:
    return type(value).__module__.startswith("numba.typed")


def _described(value) -> str:
    cls = type(value)
    return f"{cls.__name__} of numba.typed" if _is_of_numba(value) else cls.__name__


def refuse_object(cls: type):
    raise DTypeError(
        f"{cls.__name__} is a class of Numba's @jitclass, whose objects are no tensors",
        "Pass the numbers and arrays that it holds.",
    )
