"""Errors of conversion."""

from __future__ import annotations

from .identity_map import IdentityMap

FAILURES = IdentityMap()  # code -> why functions of that code are not converted


class ConversionError(Exception):
    """A function cannot be converted, and runs unchanged."""


CHANGED = "the file has changed since it was loaded"


class NoSourceError(ConversionError):
    """The source of a function is not available, so its control flow cannot be converted."""

    def __init__(self, function, why: str):
        name = getattr(function, "__qualname__", repr(function))
        cure = "Write it in a file or a notebook cell, or decorate it with do_not_convert."
        if why == CHANGED:
            cure = "Load it again, for example with importlib.reload."
        super().__init__(f"no source for '{name}': {why}. {cure}")


class NotConvertibleError(ConversionError):
    """A function has constructs that cannot be converted without changing their meaning."""


class NotStagedError(NotImplementedError):
    """A backend has no form for something that values which are known only later decide."""


def why_suspending(name: str, form: str) -> str:
    """Why a generator or a coroutine is not converted."""
    return (
        f"'{name}' is a {form}: generators and coroutines run as they are, so no tensor can "
        "decide what they do next. Fill a list and return it"
    )
