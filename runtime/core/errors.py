"""Errors: what happened, the user's own line with a caret, and what to do."""

from __future__ import annotations

import sys

from .public_names import public
from .source_locations import SourceLocation, ends_at, user_location
from .user_source import in_users_words

# Modules that print a traceback, the user's line in it, before they ask for the message.
PRINTERS = ("traceback", "threading", "IPython.core.ultratb")


@public("errors.OpError")
class Error(Exception):
    """Base of every error that allograph raises about a user's program.

    A subclass or a caller gives words; this class draws the place. `where` is the user's span;
    left out, it is the innermost user line at the time of raising. The reference's order of
    arguments, `(node, operation, message)`, is understood too.
    """

    placed = False  # whether a graph that ran has said where
    op = node_def = None
    error_code = 2  # the number of the kind of error, as the reference counts them

    def __init_subclass__(cls, code: int | None = None) -> None:
        if code is not None:
            cls.error_code = code

    def __init__(
        self, message: str = "", cure: str = "", where: SourceLocation | str | None = None
    ):
        if isinstance(where, str):
            message, cure, where = where, "", None
        self.message = message
        self.cure = in_users_words(cure)
        self.where = where or user_location(2)
        super().__init__(self._draw())

    def _draw(self) -> str:
        parts = [self.message, self.where.excerpt() if self.where else "", self.cure]
        return "\n".join(part for part in parts if part)

    def __str__(self):
        """The message; without the line where a traceback that ends there is being printed."""
        if self.where is not None and ends_at(self.__traceback__, self.where):
            caller = sys._getframe().f_back  # None: the interpreter, at its end
            if caller is None or caller.f_globals.get("__name__") in PRINTERS:
                return "\n".join(part for part in (self.message, self.cure) if part)
        return super().__str__()

    def at(self, where: SourceLocation | None) -> Error:
        """The same error, placed at another line."""
        if where is not None:
            self.where = where
            self.placed = True
            self.args = (self._draw(),)
        return self

    def reworded(self, message: str, cure: str | None = None) -> Error:
        """The same error with other words."""
        self.message = message
        self.cure = self.cure if cure is None else in_users_words(cure)
        self.args = (self._draw(),)
        return self

    def __reduce__(self):
        state = {"message": self.message, "cure": self.cure, "where": None, "text": self.args[0]}
        if hasattr(self, "__notes__"):
            state["__notes__"] = self.__notes__
        return _restore, (type(self), state)


def _restore(error_class, state):
    base = OSError if issubclass(error_class, OSError) else error_class  # it need not be the first
    error = base.__new__(error_class)
    fields = dict(state)
    error.args = (fields.pop("text"),)
    error.__dict__.update(fields)
    return error


@public("errors.InvalidArgumentError")
class InvalidArgumentError(Error, ValueError, code=3):
    """An argument does not fit the operation: wrong shape, wrong value, a failed assertion."""


@public("errors.AssertionFailedError")
class AssertionFailedError(InvalidArgumentError, AssertionError):
    """An `assert`, or a function of `ag.debugging`, found its condition false."""


@public("errors.DTypeError")
class DTypeError(InvalidArgumentError, TypeError):
    """An operation does not take this data type, or two data types do not mix.

    Wrong::

        ag.constant(1) + ag.constant(2.0)

    Right: cast one side, `ag.cast(ag.constant(1), ag.float32) + ag.constant(2.0)`.
    """


@public("errors.ShapeError")
class ShapeError(InvalidArgumentError):
    """Shapes do not fit together, or an axis does not exist."""


@public("errors.OutOfRangeError")
class OutOfRangeError(Error, IndexError, code=11):
    """An index lies outside its axis, or an iterator has no more elements."""


@public("errors.OutOfBoundsError")
class OutOfBoundsError(OutOfRangeError, InvalidArgumentError):
    """An index, or a part of an axis, that a tensor does not have."""


@public("errors.FailedPreconditionError")
class FailedPreconditionError(Error, RuntimeError, code=9):
    """Something needed first is missing, for example a variable that no longer exists."""


@public("errors.NotFoundError")
class NotFoundError(Error, LookupError, code=5):
    """A named thing does not exist."""


@public("errors.FileMissingError")
class FileMissingError(NotFoundError, OSError):
    """A file or folder does not exist."""


@public("errors.DataLossError")
class DataLossError(Error, OSError, code=15):
    """A file is cut short, or its content is not what was written."""


@public("errors.UnimplementedError")
class UnimplementedError(Error, NotImplementedError, code=12):
    """The operation is not available for these arguments."""


@public("errors.RecursionLimitError")
class RecursionLimitError(Error, RecursionError):
    """A function that calls itself does so more often than Python's recursion limit allows."""


@public("errors.OutOfScopeError", "errors.InaccessibleTensorError")
class OutOfScopeError(Error, TypeError):
    """A symbolic tensor is used outside the function that made it.

    Its value exists only while the graph runs: return it from the function instead.
    """


@public("errors.SymbolicValueError", "errors.OperatorNotAllowedInGraphError")
class SymbolicValueError(Error, TypeError):
    """A symbolic tensor is used where a Python value is needed, for example as a `bool`."""


@public("errors.NoArrayError")
class NoArrayError(SymbolicValueError, NotImplementedError):
    """NumPy asks for the value of a symbolic tensor."""


@public("errors.AlreadyExistsError")
class AlreadyExistsError(Error, RuntimeError, code=6):
    """What is to be made exists already."""


@public("errors.CancelledError")
class CancelledError(Error, RuntimeError, code=1):
    """Work was cancelled."""


@public("errors.InternalError")
class InternalError(Error, RuntimeError, code=13):
    """Something that cannot happen did."""


@public("errors.ResourceExhaustedError")
class ResourceExhaustedError(Error, RuntimeError, code=8):
    """Memory, or another thing that there is only so much of, ran out."""
