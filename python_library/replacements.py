"""`replaces`: what traces convert in place of a function that they cannot look into."""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable
from typing import Any, TypeVar

from ..autograph.replacements import is_of_python_library, register
from ..runtime.core.public_names import public

F = TypeVar("F", bound=Callable[..., Any])


@public("replaces")
def replaces(original: Callable, *, changes: bool = False) -> Callable[[F], F]:
    """A decorator: traces convert the decorated function in place of `original`.

    It teaches `jit` and `function` what a function does that cannot be converted, since it is
    written in C or belongs to a library. The decorated function is plain Python. It computes the
    same as `original` for all arguments that it accepts, and changes the same ones. Where it calls
    `original`, the trace treats that as a call without a replacement. `changes` says that the first
    argument is a list that changes, as it is for `bisect.insort`. A call outside of a trace is one
    of `original`.

    >>> import calendar
    >>> import numpy as np
    >>> @ag.replaces(calendar.isleap)
    ... def isleap(year):
    ...     return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    >>> @ag.jit
    ... def leap_years(years):
    ...     count = 0
    ...     for year in years:
    ...         if calendar.isleap(year):
    ...             count += 1
    ...     return count
    >>> leap_years(np.arange(1999, 2030))
    8
    >>> print(leap_years.inspect())
    (int64[31]): native code; 1 call

    The decorated function may have fewer parameters: a call with arguments for the others is one of
    `original`, and a trace treats it as any call of a function that it cannot look into. Where an
    `assert` in the decorated function fails, a function of `jit` leaves the call to Python, and so
    to `original`. Native code that is there already stays, and `function` keeps its traces; what
    Python has run for `jit` is traced again. The latest of several functions that replace one is
    the one that counts.

    Raises TypeError where `original` is a class, a method of a class or no function, where the
    decorated function is none of Python's, or where it has a parameter that `original` lacks.
    """
    if isinstance(original, _NO_FUNCTIONS) or not callable(original):
        raise TypeError(f"replaces() takes a function, not {original!r}")

    def decorate(replacement: F) -> F:
        if not isinstance(replacement, types.FunctionType):
            raise TypeError(f"replaces() decorates a function of Python's, not {replacement!r}")
        if not is_of_python_library(replacement):  # a test has checked those
            check_parameters(original, replacement)
        register(original, replacement, changes)
        return replacement

    return decorate


_NO_FUNCTIONS = (type, types.MethodDescriptorType, types.WrapperDescriptorType)


def check_parameters(original: Callable, replacement: Callable) -> None:
    """Raise TypeError where a call of the original may mean another one of the replacement."""
    try:
        known = list(inspect.signature(original).parameters.values())
    except (TypeError, ValueError):
        return  # of a function in C that does not say
    if any(one.kind is one.VAR_POSITIONAL for one in known):
        return
    names = [one.name for one in known if one.kind is not one.POSITIONAL_ONLY]
    for at, one in enumerate(inspect.signature(replacement).parameters.values()):
        is_by_place = at < len(known) and known[at].kind is one.POSITIONAL_ONLY
        is_optional = one.default is not one.empty or one.kind in _VARIABLE
        if one.name not in names and not is_by_place and not is_optional:
            name = getattr(original, "__name__", repr(original))
            raise TypeError(f"the replacement of {name}() has a parameter {one.name!r} more")


_VARIABLE = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
