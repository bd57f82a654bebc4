"""Add the user's lines to errors that user code raises while it is traced."""

from __future__ import annotations

from ...runtime.core.errors import Error
from ...runtime.core.source_locations import SourceLocation, is_internal

_NAMED_BY_ARGUMENT = (KeyError, StopIteration, SyntaxError, OSError)  # shown in ways of their own


def point_at_user_code(error: BaseException) -> None:
    """Add the user's lines that led to `error` to its message.

    An error that carries more than a message, or formats it itself, gets a note instead. The error
    stays the same object.
    """
    if not isinstance(error, Exception) or isinstance(error, Error):
        return
    excerpts = [span.excerpt() for span in user_locations(error.__traceback__)]
    if not excerpts:
        return
    note = "\n".join(["in user code:", "", *excerpts])
    message = vars(error).get("_message_alone")
    if message is None and _carries_more(error):
        error.__notes__ = [
            note for note in getattr(error, "__notes__", ()) if not note.startswith("in user code:")
        ]
        error.add_note(note)
        return
    message = vars(error).setdefault("_message_alone", error.args[0])
    error.args = (f"{message}\n\n{note}",)


def _carries_more(error: Exception) -> bool:
    """Whether the error is more than its message."""
    plain = len(error.args) == 1 and isinstance(error.args[0], str)
    return not plain or isinstance(error, _NAMED_BY_ARGUMENT) or _has_own_form(type(error))


def _has_own_form(error_type: type) -> bool:
    """Whether an error class has its own constructor or string form."""
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
