"""Functions whose effects a graph would lose: they are not traced, and NumPy runs them."""

from __future__ import annotations

import dis
import inspect
import sys
import types
from collections.abc import Callable

import numpy as np

from ....autograph.errors import FAILURES
from ....autograph.identity_map import cached_per_object
from ....autograph.names_in_bytecode import loaded_names
from ....autograph.operators.calls import converted_form, is_user_code
from ....autograph.operators.containers import content
from ....autograph.operators.undefined import Undefined
from ....runtime.core.source_locations import SourceLocation
from ...functions.guard_discovery import hidden_values
from ..refusal import RefusedError, WithoutText, noun

_REFUSED = {
    "STORE_GLOBAL": "assigns a global variable",
    "DELETE_GLOBAL": "deletes a global variable",
    "STORE_ATTR": "sets an attribute",
    "DELETE_ATTR": "deletes an attribute",
    "YIELD_VALUE": "is a generator",
    "SEND": "is a coroutine",
    "IMPORT_NAME": "imports a module of the program",
    "CHECK_EG_MATCH": "handles groups of exceptions",
}


# Builtins that see what stands for the values of the program, or code that is not converted.
_OF_FRAMES = {"dir", "eval", "exec", "globals", "locals", "vars"}
# Special attributes that are the same of what stands for a value, as none has them, or of classes.
_KNOWN_SPECIAL = {"__name__", "__qualname__", "__version__", "__init__", "__post_init__"}
_GENERATES = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


def check_pure(
    function, sets_own: Callable = lambda: False, may_assign: Callable = lambda: False
) -> None:
    """Raise RefusedError for what tracing once would not repeat in each call.

    `sets_own` says whether the attributes that it sets are those of an object that the trace made,
    and `may_assign` whether the variables around it are of a function that runs in the trace.
    """
    code = getattr(function, "__code__", None)
    if not isinstance(code, types.CodeType) or not is_user_code(function):
        return
    for value in hidden_values(function):
        if not isinstance(value, (WithoutText, Undefined)):  # which a trace makes
            raise RefusedError(f"{code.co_qualname} reads {noun(value)} from outside of it")
    names = loaded_names(code)
    for name in sorted(names.globals & {"eval", "exec", "globals"}):
        raise RefusedError(f"{code.co_qualname} calls {name}")
    if "warn" in names.attributes and "warnings" in names.globals.union(code.co_names):
        raise RefusedError(f"{code.co_qualname} warns")
    converted_form(function)
    failure = FAILURES.get(code)
    if failure is not None:  # Python would run its statements once, while tracing
        raise RefusedError(
            f"{code.co_qualname} cannot be converted: {str(failure).splitlines()[0]}"
        )
    for constant in code.co_consts:
        is_code = isinstance(constant, types.CodeType) and constant.co_name != "<genexpr>"
        if is_code and constant.co_flags & _GENERATES:
            raise RefusedError(f"{code.co_qualname} makes a generator")
    enters_only_errstate, has_handlers, matches_classes, effects = _bytecode(code)
    if not enters_only_errstate:
        raise RefusedError(f"{code.co_qualname} has a `with` that does not name np.errstate")
    if has_handlers and converted_form(function) is function:
        raise RefusedError(f"{code.co_qualname} has a `try`, and cannot be converted")
    if matches_classes and _bytecode(converted_form(function).__code__)[2]:
        raise RefusedError(f"{code.co_qualname} has a class pattern that Python matches")
    for instruction in effects:
        effect = _effect_of(instruction, code, sets_own, may_assign)
        if effect is not None:
            line = instruction.positions and instruction.positions.lineno
            where = SourceLocation(code, instruction.offset, line or code.co_firstlineno)
            raise RefusedError(f"{code.co_qualname} {effect}", None, where)
    if _assigned_names(code) and not may_assign():
        raise RefusedError(f"{code.co_qualname} assigns a variable of a function around it")


@cached_per_object
def _bytecode(code: types.CodeType) -> tuple[bool, bool, bool, list[dis.Instruction]]:
    """Whether all `with` statements are those of `np.errstate`, whether exceptions are handled,
    whether a `match` asks for classes of values, and the instructions that may have effects.
    """
    own = list(dis.get_instructions(code))
    names = {instruction.opname for instruction in own}
    inner = (constant for constant in code.co_consts if isinstance(constant, types.CodeType))
    matches = "MATCH_CLASS" in names or any(_bytecode(each)[2] for each in inner)
    effects = [each for each in own + _of_comprehensions(code) if _effect_of(each, code)]
    return _enters_only_errstate(own), "PUSH_EXC_INFO" in names, matches, effects


@cached_per_object
def _assigned_names(code: types.CodeType) -> set[str]:
    """The variables of functions around that code assigns, or the code of a function inside."""
    inner = (constant for constant in code.co_consts if isinstance(constant, types.CodeType))
    instructions = dis.get_instructions(code) if code.co_freevars else ()
    own = {each.argval for each in instructions if each.opname == "STORE_DEREF"}
    return own.union(*map(_assigned_names, inner)) & set(code.co_freevars)


def assigned_around(function) -> list:
    """The cells of variables of functions around that a function assigns, or one that it calls."""
    assigned, functions = {}, {id(function): function}
    rest = [function]
    for each in rest:  # a worklist
        code = each.__code__
        names = _assigned_names(code)
        for name, cell in zip(code.co_freevars, each.__closure__ or (), strict=True):
            value = content(cell)
            if name in names:
                assigned[id(cell)] = cell
            if isinstance(value, types.FunctionType) and id(value) not in functions:
                functions[id(value)] = value
                rest.append(value)
    return list(assigned.values())


def _effect_of(
    instruction, code: types.CodeType, sets_own=lambda: False, may_assign=lambda: False
) -> str | None:
    name, argument = instruction.opname, instruction.argval
    if name == "LOAD_GLOBAL" and argument in _OF_FRAMES:
        return f"calls {argument}()"
    if name in ("LOAD_ATTR", "LOAD_METHOD") and _is_special(argument):
        return f"reads the attribute {argument}"
    if name == "STORE_DEREF" and argument in code.co_freevars and not may_assign():
        return "assigns a variable of a function around it"
    is_kept = name == "STORE_ATTR" and sets_own()
    if is_kept or (name == "IMPORT_NAME" and _is_library(argument)):
        return None
    return _REFUSED.get(name)


def _of_comprehensions(code: types.CodeType) -> list[dis.Instruction]:
    """The instructions of comprehensions in a function, where these have code of their own."""
    inner = (constant for constant in code.co_consts if isinstance(constant, types.CodeType))
    instructions: list[dis.Instruction] = []
    for inner_code in inner:
        if inner_code.co_name in ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>"):
            own = dis.get_instructions(inner_code)
            instructions += [each for each in own if each.opname != "YIELD_VALUE"]
            instructions += _of_comprehensions(inner_code)
    return instructions


def _is_special(name: str) -> bool:
    return name.startswith("__") and name.endswith("__") and name not in _KNOWN_SPECIAL


def _is_library(module: str) -> bool:
    """Whether a module holds the same in each call, so that tracing may import it once."""
    return module.partition(".")[0] in {*sys.stdlib_module_names, "numpy", "scipy"}


_OF_CALLS = {"PRECALL", "CALL", "CALL_KW", "KW_NAMES", "LOAD_CONST", "CACHE", "PUSH_NULL"}


def _enters_only_errstate(instructions: list[dis.Instruction]) -> bool:
    names = [instruction.opname for instruction in instructions]
    for at, name in enumerate(names):
        if name == "BEFORE_WITH":
            before = at - 1
            while names[before] in _OF_CALLS:
                before -= 1
            if instructions[before].argval not in ("errstate", "objmode"):
                return False
    return "BEFORE_WITH" in names or "WITH_EXCEPT_START" not in names


def quiet_errstate(**modes: str) -> np.errstate:
    """`np.errstate` in which NumPy at most warns, as a trace takes it."""
    if not {"warn", "ignore"}.issuperset(modes.values()):
        raise RefusedError("np.errstate with another mode than 'warn' and 'ignore'")
    return np.errstate(**modes)  # type: ignore[arg-type]
