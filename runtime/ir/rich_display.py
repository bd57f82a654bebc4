"""What people see of objects and of waits, which a room above the runtime knows how to show."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

from ..core.public_names import public_members

_WRITERS: list[Callable[[object], str | None]] = []
_WAITS: list[Callable[[str], AbstractContextManager]] = []


class RichDisplay:
    """Base of classes whose objects are HTML in a notebook, not only their `repr`."""

    __slots__ = ()
    __dir__ = public_members

    def _repr_html_(self) -> str | None:
        """HTML, as Jupyter asks for it; None lets it print the `repr`."""
        return _WRITERS[-1](self) if _WRITERS else None


def provide_html(write: Callable[[object], str | None]) -> None:
    """Make `write` the function that gives the HTML of an object."""
    _WRITERS.append(write)


def long_wait(what: str) -> AbstractContextManager:
    """A context for work that the caller waits for, and that may take seconds, as compiling.

    Nothing is shown for the work of other threads: nobody waits for them.

    >>> with long_wait("compiling f"):
    ...     pass
    """
    if not _WAITS or threading.current_thread() is not threading.main_thread():
        return nullcontext()
    return _WAITS[-1](what)


def provide_wait(show: Callable[[str], AbstractContextManager]) -> None:
    """Make `show` the function that shows that a wait goes on."""
    _WAITS.append(show)
