"""Functions whose effects a graph would lose are not traced: NumPy runs them."""

from __future__ import annotations

import dis
import types

from ...autograph.operators.calls import is_user_code
from .refusal import RefusedError

_REFUSED = {
    "STORE_GLOBAL": "assigns a global variable",
    "DELETE_GLOBAL": "deletes a global variable",
    "STORE_ATTR": "sets an attribute",
    "DELETE_ATTR": "deletes an attribute",
    "DELETE_SUBSCR": "deletes an item",
    "YIELD_VALUE": "is a generator",
    "SEND": "is a coroutine",
    "IMPORT_NAME": "imports a module",
    "MAKE_FUNCTION": "defines a function",
}


def refuse_effects(function) -> None:
    """Raise RefusedError for what tracing once would not repeat in each call."""
    code = getattr(function, "__code__", None)
    if not isinstance(code, types.CodeType) or not is_user_code(function):
        return
    if code.co_exceptiontable:
        raise RefusedError(f"{code.co_qualname} has a `try` or a `with`")
    for instruction in dis.get_instructions(code):
        if instruction.opname in _REFUSED:
            raise RefusedError(f"{code.co_qualname} {_REFUSED[instruction.opname]}")
        if instruction.opname == "STORE_DEREF" and instruction.argval in code.co_freevars:
            raise RefusedError(f"{code.co_qualname} assigns a variable of a function around it")
