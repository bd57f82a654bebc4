"""Functions whose effects a graph would lose are not traced: NumPy runs them."""

from __future__ import annotations

import dis
import inspect
import types

import numpy as np

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
}


_GENERATES = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


def refuse_effects(function) -> None:
    """Raise RefusedError for what tracing once would not repeat in each call."""
    code = getattr(function, "__code__", None)
    if not isinstance(code, types.CodeType) or not is_user_code(function):
        return
    for one in code.co_consts:
        if isinstance(one, types.CodeType) and one.co_flags & _GENERATES:
            raise RefusedError(f"{code.co_qualname} makes a generator")
    instructions = list(dis.get_instructions(code))
    if not _has_no_handlers(instructions):
        raise RefusedError(f"{code.co_qualname} has a `try`, or a `with` of no np.errstate")
    for instruction in instructions:
        if instruction.opname in _REFUSED:
            raise RefusedError(f"{code.co_qualname} {_REFUSED[instruction.opname]}")
        if instruction.opname == "STORE_DEREF" and instruction.argval in code.co_freevars:
            raise RefusedError(f"{code.co_qualname} assigns a variable of a function around it")


_OF_CALLS = {"PRECALL", "CALL", "CALL_KW", "KW_NAMES", "LOAD_CONST", "CACHE", "PUSH_NULL"}


def _has_no_handlers(instructions: list[dis.Instruction]) -> bool:
    """Whether exceptions are handled only by `with` statements of `np.errstate`.

    The instructions that put back the variables of a comprehension, from Python 3.12 on, handle
    none: a handler begins with PUSH_EXC_INFO.
    """
    names = [one.opname for one in instructions]
    if names.count("PUSH_EXC_INFO") != names.count("WITH_EXCEPT_START"):
        return False
    for at, name in enumerate(names):
        if name == "BEFORE_WITH":
            before = at - 1
            while names[before] in _OF_CALLS:
                before -= 1
            if instructions[before].argval != "errstate":
                return False
    return "BEFORE_WITH" in names or "PUSH_EXC_INFO" not in names


def quiet_errstate(**modes: str) -> np.errstate:
    """`np.errstate` in which NumPy at most warns, as a trace takes it."""
    if not {"warn", "ignore"}.issuperset(modes.values()):
        raise RefusedError("np.errstate with another mode than 'warn' and 'ignore'")
    return np.errstate(**modes)  # type: ignore[arg-type]
