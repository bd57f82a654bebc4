"""What surrounds an operation while it is recorded: its name scope, device and control inputs."""

from __future__ import annotations

import re
from contextlib import ContextDecorator, contextmanager
from contextvars import ContextVar
from typing import Any

from ..core.errors import InvalidArgumentError
from ..core.public_names import public
from .apply import BUILDER

NAMES: ContextVar[str] = ContextVar("allograph_names", default="")
DEVICE: ContextVar[str] = ContextVar("allograph_device", default="")
CONTROLS: ContextVar[tuple] = ContextVar("allograph_controls", default=())

_SCOPE_NAME = r"[A-Za-z0-9_.][A-Za-z0-9_.\\/>-]*"


@contextmanager
def within(variable: ContextVar, value):
    """Set a context variable for the time of a block."""
    entry = variable.set(value)
    try:
        yield value
    finally:
        variable.reset(entry)


@contextmanager
def no_scopes():
    """A function's graph starts afresh, wherever it is traced."""
    with within(NAMES, ""), within(DEVICE, ""), within(CONTROLS, ()):
        yield


@public("name_scope")
class name_scope(ContextDecorator):  # noqa: N801 (a public name)
    """Put `name/` before the names of operations and variables made inside; gives the whole prefix.

    A name that ends in `/` is taken as it is; an empty one, or None, leaves all scopes. The
    attribute `name` is what was given.

    >>> with ag.name_scope("outer"), ag.name_scope("inner") as scope:
    ...     print(scope, ag.Variable(0).name)
    outer/inner/ outer/inner/Variable:0

    Raises ValueError for a name with characters that no name has.
    """

    def __init__(self, name, default_name=None, values=None) -> None:
        name = default_name if name is None else name
        if name and (not isinstance(name, str) or not re.fullmatch(_SCOPE_NAME, name)):
            raise InvalidArgumentError(f"{name!r} is not a valid scope name")
        self.name = name
        self._entered: list[Any] = []

    def __enter__(self) -> str:
        name = self.name
        if not name or name.endswith("/"):
            prefix = name or ""
        else:
            builder = BUILDER.get()
            prefix = (
                NAMES.get() + name if builder is None else builder.unique(NAMES.get() + name)
            ) + "/"
        scope = within(NAMES, prefix)
        scope.__enter__()
        self._entered.append(scope)
        return prefix

    def __exit__(self, *exception) -> None:
        self._entered.pop().__exit__(*exception)
