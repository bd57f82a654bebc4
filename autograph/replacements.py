"""Functions that traces convert in place of others, which they cannot look into."""

from __future__ import annotations

import functools
import inspect
import sys
import types
from collections.abc import Callable
from weakref import WeakSet

from .current_trace import TRACE

# By id: a function, and the one that traces convert in its place.
REPLACEMENTS: dict[int, tuple[Callable, Callable]] = {}
# Names of functions that change a list, their first argument.
CHANGE_LISTS = {
    "heappush", "heappop", "heappushpop", "heapreplace", "heapify", "insort", "insort_left",
    "insort_right",
}  # fmt: skip
# The package of replacements, whose functions are converted; no guard watches them.
PYTHON_LIBRARY = f"{__name__.partition('.')[0]}.python_library"
# What is told of each function that the program registers, by its method `forget_refusals()`.
TOLD: WeakSet = WeakSet()
# By module: what registers the replacements of its functions, when one is first called.
PROVIDED: dict[str, Callable[[], None]] = {}


def is_replaced(function) -> bool:
    if isinstance(function, types.BuiltinFunctionType) and function.__module__ in PROVIDED:
        PROVIDED[function.__module__]()  # an import, for which other threads wait
    return id(function) in REPLACEMENTS


def register(original: Callable, replacement: Callable, changes: bool) -> None:
    """Note a replacement; `changes` says that the first argument is a list that changes."""
    entry = original, replacement
    if is_of_python_library(replacement):
        REPLACEMENTS.setdefault(id(original), entry)  # what the program registers counts
    else:
        REPLACEMENTS[id(original)] = entry
        for function in list(TOLD):
            function.forget_refusals()
    if changes:
        for home in {original.__module__, original.__module__.lstrip("_")} & sys.modules.keys():
            CHANGE_LISTS.update(
                name for name, value in vars(sys.modules[home]).items() if value is original
            )


def is_of_python_library(function) -> bool:
    return function.__globals__.get("__package__") == PYTHON_LIBRARY


def replacing(function, plain: Callable, form_of: Callable) -> Callable:
    """The callable of a trace for a function that has a replacement: `form_of` that one, or
    `plain(function)` for arguments that it has no parameters for, and inside of the replacement.
    """

    def call(*args, **kwargs):
        trace, (_, replacement) = TRACE.get(), REPLACEMENTS[id(function)]
        around = trace.replaced
        if function in around or not accepts(replacement, args, kwargs):
            return plain(function)(*args, **kwargs)
        trace.replaced = (*around, function)
        try:
            return form_of(replacement)(*args, **kwargs)
        finally:
            trace.replaced = around

    return functools.update_wrapper(call, function)


def accepts(function, args, kwargs) -> bool:
    """Whether a function can be called with these arguments."""
    try:
        inspect.signature(function).bind(*args, **kwargs)
    except TypeError:
        return False
    return True
