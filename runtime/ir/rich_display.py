"""What notebooks show of an object, which a room above the runtime knows."""

from __future__ import annotations

from collections.abc import Callable

_WRITERS: list[Callable[[object], str | None]] = []


class RichDisplay:
    """Base of classes whose objects are HTML in a notebook, not only their `repr`."""

    __slots__ = ()

    def _repr_html_(self) -> str | None:
        """HTML, as Jupyter asks for it; None lets it print the `repr`."""
        return _WRITERS[-1](self) if _WRITERS else None


def provide_html(write: Callable[[object], str | None]) -> None:
    """Make `write` the function that gives the HTML of an object."""
    _WRITERS.append(write)
