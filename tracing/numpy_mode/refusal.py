"""How a trace in NumPy mode ends early.

An `Exception` in a branch means that Python runs what takes the branch. A `TraceSignal` ends the
trace, and no handler of the function catches it.
Functions whose effects a graph would lose are not traced at all: NumPy runs them.
"""

from __future__ import annotations

import dis
import inspect
import linecache
import re
import sys
import types
from collections.abc import Callable

import numpy as np

from ...autograph.errors import FAILURES
from ...autograph.names_in_bytecode import loaded_names
from ...autograph.operators.calls import converted_form, is_user_code
from ...autograph.operators.raising import TraceSignal
from ...runtime.core.source_locations import is_internal, is_internal_module
from ...runtime.core.tracebacks import RAISE, is_users
from ..functions.guard_discovery import hidden_values


class RefusedError(TraceSignal):
    """The function cannot be traced: NumPy runs it. The message is the reason."""


class FinalRefusedError(RefusedError):
    """Known numbers and unrolled loops would not help: so much of the function is calls of NumPy's
    functions that Python runs it as fast, or compiling it would take seconds.
    """


class UnknownSizeError(RefusedError):
    """A size, an axis or an index of Python's depends on computed values."""

    def __init__(self):
        super().__init__("a size, an axis or an index of Python's depends on computed values")


class ChangingStateError(RefusedError):
    """A name holds something of another type after an iteration of a loop than before."""

    def __init__(self, builder, message: str):
        super().__init__(message)
        self.builder = builder


class FormattedError(Exception):
    """A computed value becomes a string, as in the message of an exception."""

    def __init__(self):
        super().__init__("a computed value is formatted as a string")


class WithoutText:
    """A value of the graph: what it is as a string, only a call tells."""

    __slots__ = ()

    def __format__(self, spec):
        raise FormattedError

    __repr__ = __str__ = lambda self: self.__format__("")


class StaticArgumentError(TraceSignal):
    """A number has to be known while tracing: the arguments at `positions` become constants."""

    def __init__(self, positions: frozenset[int]):
        super().__init__(positions)
        self.positions = positions


class OuterArrayError(TraceSignal):
    """A global or a closure holds this array, which has to be an argument of the graph."""

    def __init__(self, array: np.ndarray):
        super().__init__(array)
        self.array = array


class DrawnInLoopError(TraceSignal):
    """A loop draws from a generator, whose state has to be in arrays of the graph; None: no state
    can be, since a loop calls functions of NumPy's.
    """

    def __init__(self, source):
        super().__init__(source)
        self.source = source


class LongLoopError(TraceSignal):
    """A `while` over numbers of Python's has many iterations: the loop with this code is staged."""

    def __init__(self, code):
        super().__init__(code)
        self.code = code


class LargeLoopError(LongLoopError):
    """A `for` over few numbers of Python's has a large body, or loops inside: it is staged too."""


class PlainListsError(TraceSignal):
    """A loop that Python runs appends items of several types, or arrays change that are items of a
    list: the lists of the loop with this code stay Python's.
    """

    def __init__(self, code):
        super().__init__(code)
        self.code = code


class GrownListError(TraceSignal):
    """A list changes that the comprehension with this code made, of which all items were known."""

    def __init__(self, code):
        super().__init__(code)
        self.code = code


class SharedWriteError(TraceSignal):
    """A staged statement writes an array from outside, which has to be stored in a cell first."""

    def __init__(self, storage):
        super().__init__(storage)
        self.storage = storage


class ItemTypesError(TraceSignal):
    """A staged statement puts items of these types into a list from outside, or may do so."""

    def __init__(self, target, types: tuple, is_guess: bool = False):
        super().__init__(target, types)
        self.target = target
        self.types = types
        self.is_guess = is_guess


class ListTypesError(TraceSignal):
    """A list that has items already gets one of another type: by the places that make lists, the
    types of the items of each from the start.
    """

    def __init__(self, types: dict):
        super().__init__(types)
        self.types = types


class TupleStateError(TraceSignal):
    """A staged loop has to be traced again: the name number `at` holds tuples of a form."""

    def __init__(self, builder, at: int, form):
        super().__init__(builder, at, form)
        self.builder = builder
        self.at = at
        self.form = form


class StateTypesError(TraceSignal):
    """A staged statement has to be traced again, with these types of its state."""

    def __init__(self, builder, state_types: list):
        super().__init__(builder, state_types)
        self.builder = builder
        self.state_types = state_types


def noun(value) -> str:
    """The user's word for a value, with its article: "an array", "a list", "a Point"."""
    name = getattr(value, "_noun", None) or type(value).__name__
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"


_OF_TRACES = re.compile(r"\b(?:Traced|Growing|Staged)\w+|\b_[A-Z]\w+")  # names of classes


def reason_of_exception(error: BaseException) -> str:
    """Why NumPy runs a function whose trace an exception ended: the statement, and what it raised.

    The exception may be the function's own, or that of a form that takes fewer values than NumPy.
    """
    if isinstance(error, TraceSignal):
        return "values change in a way that no trace of it follows"
    said = _message_of(error)
    if is_internal_module(type(error).__module__):
        return said
    entry, own = error.__traceback__, None
    while entry is not None:
        own, entry = entry if is_users(entry) else own, entry.tb_next
    message = f"{type(error).__name__}: {said}"
    if own is None:
        return message
    statement = linecache.getline(own.tb_frame.f_code.co_filename, own.tb_lineno).strip()
    place = f"line {own.tb_lineno}, `{statement}`, has no native form"
    return place if _OF_TRACES.search(message) else f"{place}: {message}"


def _message_of(error: BaseException) -> str:
    try:
        return str(error)
    except (Exception, TraceSignal):  # it shows values of the trace
        return "of computed values"


def is_interruption(error: BaseException) -> bool:
    """Whether an exception that ends a trace is not one of the traced function."""
    if isinstance(error, TraceSignal):
        return False
    entry, last = error.__traceback__, None
    while entry is not None:
        if _is_given_a_frame(entry.tb_frame):  # as signal handlers and debuggers are
            return True
        entry, last = entry.tb_next, entry
    if isinstance(error, Exception) or last is None:
        return False
    return last.tb_frame.f_code.co_code[last.tb_lasti] != RAISE  # KeyboardInterrupt comes anywhere


def _is_given_a_frame(frame: types.FrameType) -> bool:
    if is_internal(frame):
        return False
    code, values = frame.f_code, frame.f_locals
    count = code.co_argcount + bool(code.co_flags & 0x04)  # CO_VARARGS
    given = [values.get(name) for name in code.co_varnames[:count]]
    given += [one for value in given if type(value) is tuple for one in value]
    return any(isinstance(one, types.FrameType) for one in given)


# ---- effects ---------------------------------------------------------------------------------

_REFUSED = {
    "STORE_GLOBAL": "assigns a global variable",
    "DELETE_GLOBAL": "deletes a global variable",
    "STORE_ATTR": "sets an attribute",
    "DELETE_ATTR": "deletes an attribute",
    "DELETE_SUBSCR": "deletes an item",
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


def refuse_effects(function, sets_own: Callable = lambda: False) -> None:
    """Raise RefusedError for what tracing once would not repeat in each call.

    `sets_own` says whether the attributes that it sets are those of an object that the trace made.
    """
    code = getattr(function, "__code__", None)
    if not isinstance(code, types.CodeType) or not is_user_code(function):
        return
    for value in hidden_values(function):
        raise RefusedError(f"{code.co_qualname} reads {noun(value)} from outside of it")
    names = loaded_names(code)
    for name in sorted(names.globals & {"eval", "exec", "globals"}):
        raise RefusedError(f"{code.co_qualname} calls {name}")
    if "warn" in names.attributes and "warnings" in names.globals:
        raise RefusedError(f"{code.co_qualname} warns")
    converted_form(function)
    failure = FAILURES.get(code)
    if failure is not None:  # Python would run its statements once, while tracing
        raise RefusedError(
            f"{code.co_qualname} cannot be converted: {str(failure).splitlines()[0]}"
        )
    for one in code.co_consts:
        is_code = isinstance(one, types.CodeType) and one.co_name != "<genexpr>"
        if is_code and one.co_flags & _GENERATES:
            raise RefusedError(f"{code.co_qualname} makes a generator")
    instructions = list(dis.get_instructions(code))
    if not _enters_only_errstate(instructions):
        raise RefusedError(f"{code.co_qualname} has a `with` of no np.errstate")
    if _has_handlers(instructions) and converted_form(function) is function:
        raise RefusedError(f"{code.co_qualname} has a `try`, and cannot be converted")
    if _matches_classes(code) and _matches_classes(converted_form(function).__code__):
        raise RefusedError(f"{code.co_qualname} has a class pattern that Python matches")
    for instruction in instructions + _of_comprehensions(code):
        if instruction.opname == "LOAD_GLOBAL" and instruction.argval in _OF_FRAMES:
            raise RefusedError(f"{code.co_qualname} calls {instruction.argval}()")
        if instruction.opname in ("LOAD_ATTR", "LOAD_METHOD") and _is_special(instruction.argval):
            raise RefusedError(f"{code.co_qualname} reads the attribute {instruction.argval}")
        if instruction.opname == "STORE_ATTR" and sets_own():
            continue
        if instruction.opname == "IMPORT_NAME" and _is_library(instruction.argval):
            continue
        if instruction.opname in _REFUSED:
            raise RefusedError(f"{code.co_qualname} {_REFUSED[instruction.opname]}")
        if instruction.opname == "STORE_DEREF" and instruction.argval in code.co_freevars:
            raise RefusedError(f"{code.co_qualname} assigns a variable of a function around it")


def _of_comprehensions(code: types.CodeType) -> list[dis.Instruction]:
    """The instructions of comprehensions in a function, where these have code of their own."""
    inner = (one for one in code.co_consts if isinstance(one, types.CodeType))
    found: list[dis.Instruction] = []
    for one in inner:
        if one.co_name in ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>"):
            found += [each for each in dis.get_instructions(one) if each.opname != "YIELD_VALUE"]
            found += _of_comprehensions(one)
    return found


def _is_special(name: str) -> bool:
    return name.startswith("__") and name.endswith("__") and name not in _KNOWN_SPECIAL


def _is_library(module: str) -> bool:
    """Whether a module holds the same in each call, so that tracing may import it once."""
    return module.partition(".")[0] in {*sys.stdlib_module_names, "numpy", "scipy"}


_OF_CALLS = {"PRECALL", "CALL", "CALL_KW", "KW_NAMES", "LOAD_CONST", "CACHE", "PUSH_NULL"}


def _matches_classes(code: types.CodeType) -> bool:
    """Whether code, or that of functions inside, asks in a `match` for the classes of values."""
    inner = (one for one in code.co_consts if isinstance(one, types.CodeType))
    own = any(one.opname == "MATCH_CLASS" for one in dis.get_instructions(code))
    return own or any(map(_matches_classes, inner))


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
