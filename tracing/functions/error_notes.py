"""Errors of traced user code: the user's lines in the message, and in the traceback alone."""

from __future__ import annotations

import sys

from ...autograph.tracebacks import hide_callers
from ...runtime.core.errors import PRINTERS, Error
from ...runtime.core.source_locations import SourceLocation, is_internal
from ...runtime.core.tracebacks import hide_internal_frames
from ...runtime.tensors.tensor import SymbolicTensor
from .func_graph import FuncGraph

_NAMED_BY_ARGUMENT = (KeyError, StopIteration, SyntaxError, OSError)  # shown in ways of their own


class MessageWithLines(str):
    """The message of an error. `str(error)` also has the user's lines that led to it, except where
    a traceback, which shows them, is being printed.
    """

    lines: str

    def __str__(self):
        caller = sys._getframe().f_back  # None: the interpreter, at its end
        if caller is None or caller.f_globals.get("__name__") in PRINTERS:
            return str.__str__(self)
        return f"{str.__str__(self)}\n\n{self.lines}"

    def __reduce__(self):
        return with_lines, (str.__str__(self), self.lines)


def with_lines(message: str, lines: str) -> MessageWithLines:
    with_notes = MessageWithLines(message)
    with_notes.lines = lines
    return with_notes


def point_at_user_code(error: BaseException) -> None:
    """Add the user's lines that led to `error` to what `str(error)` gives.

    An error that carries more than a message, or formats it itself, stays as it is. The error
    stays the same object, and `error.args` stay equal.
    """
    if not isinstance(error, Exception) or isinstance(error, Error) or _carries_more(error):
        return
    excerpts = [span.excerpt() for span in user_locations(error.__traceback__)]
    if excerpts:
        lines = "\n".join(["in user code:", "", *excerpts])
        error.args = (with_lines(str.__str__(error.args[0]), lines),)


def _carries_more(error: Exception) -> bool:
    """Whether the error is more than its message."""
    plain = len(error.args) == 1 and isinstance(error.args[0], str)
    shown = isinstance(error, (*_NAMED_BY_ARGUMENT, RecursionError))  # the latter has many lines
    return not plain or shown or _has_own_form(type(error))


def _has_own_form(error_type: type) -> bool:
    """Whether an error class has its own constructor or string form."""
    own = [base for base in error_type.__mro__ if base.__module__ != "builtins"]
    return any(name in vars(base) for base in own for name in ("__init__", "__new__", "__str__"))


def hide_frames(error: BaseException) -> None:
    """Leave the user's own frames in a traceback, one for each call."""
    hide_callers(error)
    hide_internal_frames(error, depth=3)


def user_locations(traceback) -> list[SourceLocation]:
    """The spans outside this package that a traceback goes through, the outermost first.

    A converted statement runs its parts as functions inside the function: the innermost tells all.
    """
    locations: list[SourceLocation] = []
    codes: list = []
    while traceback is not None:
        frame = traceback.tb_frame
        if not is_internal(frame):
            code = frame.f_code
            if codes and code in codes[-1].co_consts and code.co_name == codes[-1].co_name:
                locations.pop()
                codes.pop()
            locations.append(SourceLocation(code, traceback.tb_lasti, traceback.tb_lineno))
            codes.append(code)
        traceback = traceback.tb_next
    return locations


def name_arguments(error: TypeError, tensors) -> None:
    """Give an error of a trace the arguments in place of its parameters as operands: a loop around
    the call may widen them.
    """
    operands = []
    for operand in getattr(error, "operands", ()):
        builder = operand.builder if type(operand) is SymbolicTensor else None
        if isinstance(builder, FuncGraph) and builder.closed:
            value, inputs = operand.graph_value, builder.inputs[: len(tensors)]
            operand = tensors[inputs.index(value)] if value in inputs else operand
        operands.append(operand)
    error.operands = tuple(operands)  # type: ignore[attr-defined]
