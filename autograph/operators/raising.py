"""`raise`: at once in plain code; at run time inside a staged statement, or after a staged `raise`.

A staged `raise` ends the trace of its block with a signal, and the state after the statement comes
from its other blocks. Exception handlers cannot run at run time, so a handler around the staged
statement that would catch the exception is an error. The same holds for any other exception of a
block, such as an IndexError: a handler would run while tracing, whatever the tensors are.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

from .. import forms
from ..current_trace import TRACE, UNTRACED, unsupported
from ..forms import form_of

_DIRECTIVE = re.compile(r"%[-+ #0]*\d*(?:\.\d+)?[a-zA-Z%]")


class TraceSignal(BaseException):
    """Ends the trace of a block, or of a function. No handler of the traced code catches it."""


class StagedRaise(TraceSignal):
    """Ends the trace of a block in which an exception will be raised at run time."""


class StagedTestError(Exception):
    """The `if` of a comprehension over plain items turned out to be staged."""

    def __init__(self, test, value):
        super().__init__("the test of a comprehension is known only when the graph runs")
        self.test = test
        self.value = value


class RefusedError(TraceSignal):
    """What is traced cannot be a graph: the reason, or the error that a user gets. `about` tells a
    front end what it may do instead.

    If a `finally` or an `__exit__` raises something else in place of an error, the end of the trace
    raises it.
    """

    def __init__(self, reason: str | Exception, about: Any = None, where: Any = None):
        super().__init__(reason)
        self.reason, self.about, self.where = reason, about, where
        refused = TRACE.get().refused
        if isinstance(reason, Exception) and refused is not None:
            refused.append(self)


class Change(Protocol):
    """A finding of a trace about how it has to be made."""

    def apply(self, options: Any) -> Any:
        """The options of the next trace; None if another trace around is the one to change."""


class Retrace(TraceSignal):
    """Ends a trace, which is made again with other options: those after a change."""

    def __init__(self, change: Change):
        super().__init__(change)
        self.change = change


class Instead(NamedTuple):
    """Trace again with these options: the others have failed."""

    options: Any

    def apply(self, options: Any) -> Any:
        return self.options


def retraced(record: Callable[[Any], Any], options: Any, change_class) -> Any:
    """`record(options)`, again with other options as long as it asks for a change of this class, or
    one of these classes.
    """
    while True:
        try:
            return record(options)
        except Retrace as request:
            is_own = isinstance(request.change, (Instead, change_class))
            changed = request.change.apply(options) if is_own else None
            if changed is None:
                raise
            options = changed


@contextlib.contextmanager
def keeping_refusals():
    """A trace, at whose end a refusal is raised that the traced code has replaced."""
    trace, refused = TRACE.get(), []
    outer, trace.refused = trace.refused, refused
    try:
        yield
        if refused:
            raise refused[0]
    except (StagedRaise, Exception):
        if refused:
            raise refused[0] from None
        raise
    finally:
        trace.refused = outer
        if outer is not None:
            outer += refused


class Handler:
    """A block whose exceptions are caught outside of it, if `catches(error)`; that is a guess
    unless `is_sure`.
    """

    def __init__(self, catches, is_sure: bool = True):
        self.catches = catches
        self.is_sure = is_sure

    def __enter__(self):
        self.trace = trace = TRACE.get()
        self.around = trace.handlers
        if trace is not UNTRACED:  # which threads share
            trace.handlers = (*self.around, (trace.depth, self.catches, self.is_sure))

    def __exit__(self, cls=None, error=None, traceback=None):
        self.trace.handlers = self.around
        if error is None or isinstance(error, TraceSignal):
            return
        stager = TRACE.get().stager
        is_refusal = isinstance(error, stager.refusals) or (
            isinstance(error, (TypeError, AttributeError))  # what stands for a value of Python
            and any(name in str(error) for name in stager.stand_ins)
        )
        is_refusal |= any(map(_is_staged_number, getattr(error, "operands", ())))
        if is_refusal and stager.checkpoint() is not None and self.catches(error):
            raise RefusedError(error) from None  # eager code raises nothing here


def _is_staged_number(value) -> bool:
    return TRACE.get().stager.is_tensor(value) and form_of(isinstance)(value, (int, float))


class StagedBody:
    """A block that may or may not run when what is staged does."""

    def __enter__(self):
        self.trace = trace = TRACE.get()
        self.depth, trace.depth = trace.depth, trace.depth + (not trace.stager.raises_while_tracing)

    def __exit__(self, *error):
        self.trace.depth = self.depth


def handled(classes) -> Handler:
    """The body of a `try`; `classes()` are the exceptions that its handlers catch."""
    return Handler(lambda error: isinstance(error, classes()))


def raised(value, cause=None):
    """The exception that `raise value() from cause()` has to raise while tracing."""
    trace = TRACE.get()
    if not trace.depth and not any(effect.may_raise for effect in trace.stager.effects_since(None)):
        return _complete(value(), cause)
    error, values = form_of(forms.deferred)(lambda: _complete(value(), cause))
    if isinstance(error, type) and issubclass(error, BaseException):
        error = error()
    if not isinstance(error, BaseException):
        return error  # Python raises its own error
    for level, catches, _ in reversed(trace.handlers):
        if catches(error):
            if level == trace.depth:
                return values.as_traced(error)
            return RefusedError(_refusal(error))
    values.fail(error)
    return StagedRaise()


def refused(error: Exception, refusal_of: Callable) -> RefusedError | None:
    """The refusal of an exception that leaves a staged statement, if a handler would catch it."""
    trace = TRACE.get()
    for level, catches, _ in reversed(trace.handlers):
        if level != trace.depth:
            return None
        if catches(error):
            return RefusedError(refusal_of(error))
    return None


def refuse_to_catch(error: BaseException) -> None:
    """Refuse an exception of a block, other than of the stager's, that a handler would catch."""
    if not isinstance(error, Exception) or isinstance(error, StagedTestError):
        return
    if not TRACE.get().stager.raises_while_tracing:
        refusal = refused(error, _refusal)
        if refusal is not None:
            raise refusal from error


def is_caught(error: Exception) -> bool:
    """Whether a handler around may catch an exception that is raised here."""
    return any(catches(error) for _, catches, _ in TRACE.get().handlers)


def refuse_if_caught(error: Exception, surely: bool = False) -> None:
    """Refuse what raises an exception when the graph runs, if a handler around would catch it, or
    surely would.
    """
    if any(catches(error) for _, catches, is_sure in TRACE.get().handlers if is_sure or not surely):
        raise RefusedError(_refusal(error))


def percent(template: str, values):
    """`template % values`; staged values are formatted at run time."""
    stager = TRACE.get().stager
    operands = values if isinstance(values, tuple) else (values,)
    if operands is not values and form_of(isinstance)(values, tuple) is not False:
        raise unsupported("`%` formats a tuple that depends on a tensor", "Format its items.")
    if isinstance(values, dict) or not any(map(stager.is_staged, operands)):
        return template % values
    if sum(conversion[-1] != "%" for conversion in _DIRECTIVE.findall(template)) != len(operands):
        return template % values  # Python raises its own error
    remaining = iter(operands)

    def filled(match) -> str:
        directive = match.group()
        if directive[-1] == "%":
            return "%"
        value = next(remaining)
        if stager.is_staged(value):
            return form_of(forms.displayed)(value, directive)
        return directive % (value,)

    return form_of(forms.formatted)(_DIRECTIVE.sub, filled, template)


def shown(value):
    """A value in an f-string, which `text` completes."""
    return value if TRACE.get() is UNTRACED else form_of(forms.shown)(value)


def as_traced(message):
    """A message of tracing, in which a string that shows tensors names them."""
    is_traced = isinstance(message, str) and TRACE.get().stager.is_staged(message)
    return str.__str__(message) if is_traced else message


def string(formatted: str) -> str:
    """An f-string, in which tensors may be shown."""
    return formatted if TRACE.get() is UNTRACED else form_of(forms.string)(formatted)


def _complete(error, cause):
    if cause is None:
        return error
    if isinstance(error, type) and issubclass(error, BaseException):
        error = error()
    reason = cause()
    if isinstance(reason, type) and issubclass(reason, BaseException):
        reason = reason()
    error.__cause__ = reason
    return error


def _refusal(error) -> Exception:
    if isinstance(error, TRACE.get().stager.refusals):
        return error
    return TRACE.get().stager.refusal(
        f"whether this {type(error).__name__} is raised is known only when the graph runs, "
        "but an `except` or `with` around would catch it, and handlers run while the function is "
        "traced",
        "Use `if` in place of `try`, or catch the exception where the function is called.",
        of_handler=True,
    )


def refusal_to_discard(error) -> Exception:
    return TRACE.get().stager.refusal(
        f"whether `finally` jumps, which discards this {type(error).__name__}, is known only when "
        "the graph runs",
        "Jump after the `try`, or catch the exception with `except`.",
        of_handler=True,
    )


def refusal_of_cleanup(what: str, where) -> Exception:
    return TRACE.get().stager.refusal(
        f"{what} assigns a variable, prints or raises here, but a tensor decides whether an "
        "exception is raised before, and a graph does nothing after it has raised one",
        "Do it before what may raise, or where the function is called.",
        where,
        of_handler=True,
    )
