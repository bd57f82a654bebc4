"""Python's syntax as functions, where Python itself has none: the keys of `Stager.form` beside the
builtins, the functions of `operator` and those of libraries.

Each does what Python does. A stager may give a form of it that accepts staged values.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .current_trace import TRACE


def form_of(function: Callable) -> Callable:
    """What is called in place of a function: its form for staged values, or else itself."""
    return TRACE.get().stager.form(function) or function


def compared(compare: Callable, left, right) -> Any:
    """`left < right`, where `compare` is `operator.lt`, of two tuples or two lists. Their items may
    be staged.
    """
    return compare(left, right)


def matches_bool(value, truth: bool) -> Any:
    """Whether the pattern `True` or `False` matches; a staged bool is compared."""
    return value is truth


def matched(value) -> Any:
    """A value that Python itself matches with a pattern of a sequence, a mapping or a class."""
    return value


def with_item(target, key, value) -> Any:
    """`target` after `target[key] = value`: of a tensor, another tensor; of a list whose `key` is
    staged, the list of its items.
    """
    return target.__with_item__(key, value)


def unpacked(value, pattern: tuple) -> Any:
    """The items of a staged value that is unpacked to names, with a pattern as `unpack` has it."""
    return value


def shown(value) -> Any:
    """What an f-string formats in the place of a value, so that `string` knows what it shows."""
    return value


def string(made: str) -> str:
    """A string that an f-string has made: one that shows staged values, or itself."""
    return made


def formatted(function: Callable, *args, **kwargs) -> str:
    """The string that a function, such as `str.format`, makes of values that may be staged."""
    return function(*args, **kwargs)


def displayed(value, directive: str) -> str:
    """`directive % value` for a staged value; inside `deferred`, a reference to it."""
    return directive % (value,)
