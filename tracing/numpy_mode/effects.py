"""Functions whose effects a graph would lose are not traced: NumPy runs them."""

from __future__ import annotations

import dis
import inspect
import types

import numpy as np

from ...autograph.operators.calls import converted_form, is_user_code
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
    "CHECK_EG_MATCH": "handles groups of exceptions",
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
    if not _enters_only_errstate(instructions):
        raise RefusedError(f"{code.co_qualname} has a `with` of no np.errstate")
    if _has_handlers(instructions) and converted_form(function) is function:
        raise RefusedError(f"{code.co_qualname} has a `try`, and cannot be converted")
    for instruction in instructions:
        if instruction.opname in _REFUSED:
            raise RefusedError(f"{code.co_qualname} {_REFUSED[instruction.opname]}")
        if instruction.opname == "STORE_DEREF" and instruction.argval in code.co_freevars:
            raise RefusedError(f"{code.co_qualname} assigns a variable of a function around it")


_OF_CALLS = {"PRECALL", "CALL", "CALL_KW", "KW_NAMES", "LOAD_CONST", "CACHE", "PUSH_NULL"}


def _has_handlers(instructions: list[dis.Instruction]) -> bool:
    return any(one.opname == "PUSH_EXC_INFO" for one in instructions)


def _enters_only_errstate(instructions: list[dis.Instruction]) -> bool:
    """Whether all `with` statements are those of `np.errstate`."""
    names = [one.opname for one in instructions]
    for at, name in enumerate(names):
        if name == "BEFORE_WITH":
            before = at - 1
            while names[before] in _OF_CALLS:
                before -= 1
            if instructions[before].argval != "errstate":
                return False
    return "BEFORE_WITH" in names or "WITH_EXCEPT_START" not in names


def quiet_errstate(**modes: str) -> np.errstate:
    """`np.errstate` in which NumPy at most warns, as a trace takes it."""
    if not {"warn", "ignore"}.issuperset(modes.values()):
        raise RefusedError("np.errstate with another mode than 'warn' and 'ignore'")
    return np.errstate(**modes)  # type: ignore[arg-type]
