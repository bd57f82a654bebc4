"""Errors that the user's own code raises while it is traced say where, in the user's words."""

from __future__ import annotations

from ...runtime.core.errors import Error
from ...runtime.core.source_locations import SourceLocation, is_internal

_NAMED_BY_ARGUMENT = (KeyError, StopIteration, SyntaxError, OSError)  # shown in ways of their own


def point_at_user_code(error: BaseException) -> None:
    """Add the user's lines that led to `error` to its message.

    An error that carries more than a message, or shows it in its own way, gets a note instead. The
    error stays the same object.
    """
    if not isinstance(error, Exception) or isinstance(error, Error):
        return
    excerpts = [span.excerpt() for span in user_locations(error.__traceback__)]
    if not excerpts:
        return
    note = "\n".join(["in user code:", "", *excerpts])
    message = getattr(error, "_message_alone", None)
    if message is None and _carries_more(error):
        error.__notes__ = [
            note for note in getattr(error, "__notes__", ()) if not note.startswith("in user code:")
        ]
        error.add_note(note)
        return
    error._message_alone = error.args[0] if message is None else message
    error.args = (f"{error._message_alone}\n\n{note}",)


def _carries_more(error: Exception) -> bool:
    """Whether a message is not all there is to the error."""
    plain = len(error.args) == 1 and isinstance(error.args[0], str)
    return not plain or isinstance(error, _NAMED_BY_ARGUMENT) or _has_own_form(type(error))


def _has_own_form(error_type: type) -> bool:
    """Whether a class of errors makes or shows its arguments in its own way."""
    own = [base for base in error_type.__mro__ if base.__module__ != "builtins"]
    return any(name in vars(base) for base in own for name in ("__init__", "__new__", "__str__"))


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
