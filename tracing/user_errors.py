"""Errors that the user's own code raises while it is traced say where, in the user's words."""

from __future__ import annotations

from ..runtime.errors import Error
from ..runtime.spans import Span, is_internal

_NAMED_BY_ARGUMENT = (KeyError, StopIteration, SyntaxError, OSError)  # shown in ways of their own


def point_at_user_code(error: BaseException) -> None:
    """Add the user's lines that led to `error` to its message.

    Only where the message is all that the error carries; the error itself stays the same object.
    """
    if not isinstance(error, Exception) or isinstance(error, (Error, *_NAMED_BY_ARGUMENT)):
        return
    message = getattr(error, "_message_alone", None)
    if message is None:
        if len(error.args) != 1 or not isinstance(error.args[0], str) or _has_own_form(type(error)):
            return
        message = error.args[0]
    places = [span.excerpt() for span in user_places(error.__traceback__)]
    if places:
        error._message_alone = message
        error.args = ("\n".join([message, "", "in user code:", "", *places]),)


def _has_own_form(kind: type) -> bool:
    """Whether a class of errors makes or shows its arguments in its own way."""
    own = [base for base in kind.__mro__ if base.__module__ != "builtins"]
    return any(name in vars(base) for base in own for name in ("__init__", "__new__", "__str__"))


def user_places(traceback) -> list[Span]:
    """The places outside this package that a traceback goes through, the outermost first."""
    places: list[Span] = []
    while traceback is not None:
        frame = traceback.tb_frame
        if not is_internal(frame):
            span = Span(frame.f_code, traceback.tb_lasti, traceback.tb_lineno)
            if not places or (str(span), span.function) != (str(places[-1]), places[-1].function):
                places.append(span)  # a converted statement may pass through one line twice
        traceback = traceback.tb_next
    return places
