"""Errors of tracing: what autograph's control flow on tensors cannot accept."""

from __future__ import annotations

from ...runtime.core.errors import Error, InvalidArgumentError, UnimplementedError
from ...runtime.core.public_names import public
from ...runtime.core.user_source import in_users_words


@public("errors.StagingError")
class StagingError(Error):
    """Base of the errors raised while control flow on tensors is traced."""


@public("errors.InconsistentBranchError")
class InconsistentBranchError(StagingError, InvalidArgumentError, TypeError):
    """A variable leaves the two sides of an `if` on a tensor with different types.

    Wrong::

        if x > 0:
            y = x                   # int32
        else:
            y = 2.5

    Right: give both sides one type, `y = ag.cast(x, ag.float32)` above.
    """


@public("errors.InconsistentLoopError")
class InconsistentLoopError(StagingError, InvalidArgumentError, TypeError):
    """A tensor changes its type from one iteration of a loop on tensors to the next.

    Wrong::

        for _ in ag.range(n):
            x = ag.cast(x, ag.float32) * 0.5    # an int32 before

    Right: start with the type it gets, `x = ag.cast(x, ag.float32)` before the loop.
    """


@public("errors.RetracingLimitError")
class RetracingLimitError(StagingError, RecursionError):
    """A function calls itself while it is traced, without end.

    Wrong::

        @ag.function
        def factorial(n):
            return n * factorial(n - 1) if n > 1 else 1

    Right: say what it returns, so that the call needs no trace of its own::

        @ag.function(output_signature=ag.TensorSpec([], ag.int32))
    """


@public("errors.StagedHandlerError")
class StagedHandlerError(StagingError, UnimplementedError):
    """An `except` around a staged statement would catch what is raised when the graph runs.

    Wrong::

        try:
            if x < 0:
                raise ValueError("negative")
        except ValueError:
            x = 0

    Right: `if x < 0: x = 0`, or a handler where the decorated function is called.
    """


@public("errors.DeclaredResultError")
class DeclaredResultError(StagingError, InvalidArgumentError, TypeError):
    """A function returns something else than its `output_signature` or annotation declares."""


def refuse_descriptor(function, decorator: str) -> None:
    """Raise TypeError for what `@classmethod`, `@staticmethod` or `@property` has made."""
    if isinstance(function, (classmethod, staticmethod, property)):
        name, own = type(function).__name__, in_users_words(f"@ag.{decorator}")
        raise TypeError(
            f"{decorator}() decorates a function, not a {name}. Write @{name} above {own}"
        )


class OfLoop:
    """A finding of a trace about the start of a loop: `apply(loop)` is the loop to trace instead,
    or None if another loop is meant.
    """
