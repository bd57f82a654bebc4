"""The public functions of autograph that control conversion."""

from __future__ import annotations

import contextlib
import functools
import sys
import types
from collections.abc import Callable
from typing import Any, TypeVar, overload

from . import operators
from .conversion.entry_point import entry_of
from .current_trace import TRACE, Trace
from .debuggers import teach_debugger
from .operators.calls import (
    CONVERTED_PACKAGES,
    DECORATED,
    DO_NOT_CONVERT,
    FAILURES,
    LOG,
    SKIPPED_PACKAGES,
    form_in,
)
from .operators.raising import RefusedError, keeping_refusals
from .operators.scopes import FEATURES, ConversionOptions, FunctionScope, features_of
from .stager import Stager
from .tracebacks import UNCONVERTED, hide_callers

F = TypeVar("F", bound=Callable[..., Any])


def convert(
    recursive: bool = True, optional_features=None, user_requested: bool = True
) -> Callable[[F], F]:
    """A decorator: the function, and with `recursive` what it calls, runs converted.

    >>> @convert()
    ... def sign(x):
    ...     return 1 if x > 0 else -1
    >>> sign(-5)
    -1
    """
    features = features_of(optional_features)
    scope = FunctionScope(
        "convert", "fscope", ConversionOptions(recursive, user_requested, features, True)
    )
    names = frozenset(getattr(feature, "name", str(feature)) for feature in features)

    def decorate(function):
        entry = entry_of(function if recursive else _alone(function), scope, operators)

        @functools.wraps(function, updated=())
        def converted(*args, **kwargs):
            teach_debugger()
            token = FEATURES.set(names)
            try:
                return entry(*args, **kwargs)
            except Exception as error:
                hide_callers(error)
                raise
            finally:
                FEATURES.reset(token)

        setattr(converted, DO_NOT_CONVERT, True)
        setattr(converted, DECORATED, (function, names) if recursive else (None, None))
        return converted

    return decorate


ALONE = ConversionOptions(recursive=False, user_requested=True)
_OPERATORS_ALONE = types.SimpleNamespace(**vars(operators))
_OPERATORS_ALONE.ConversionOptions = lambda **_: ALONE
_OPERATORS_ALONE.STANDARD = FunctionScope("<function>", "fscope", ALONE)


def _alone(function):
    """A function or method converted without the functions that it calls."""
    if isinstance(function, types.MethodType):
        return types.MethodType(_alone(function.__func__), function.__self__)
    is_function = isinstance(function, types.FunctionType)
    return form_in(_OPERATORS_ALONE, function)[0] if is_function else function


@overload
def do_not_convert(func: F) -> F: ...
@overload
def do_not_convert(func: None = None) -> Callable[[F], F]: ...
def do_not_convert(func=None):
    """Mark a function that is never converted.

    >>> @do_not_convert
    ... def plain(x):
    ...     return x + 1
    >>> plain(1)
    2
    """
    if func is None:
        return do_not_convert
    if isinstance(func, types.FunctionType):

        @functools.wraps(func)
        def unconverted(*args, **kwargs):
            return func(*args, **kwargs)

        setattr(unconverted, DO_NOT_CONVERT, True)
        UNCONVERTED.add(unconverted.__code__)
        return unconverted
    return func


@contextlib.contextmanager
def staged_by(stager: Stager):
    """Inside, converted code stages what `stager` says is staged, by its methods.

    >>> class Refusing(Stager):
    ...     def is_staged(self, value):
    ...         return value is None
    ...     def cond(self, test, then, orelse, names, live):
    ...         return orelse()
    >>> with staged_by(Refusing()):
    ...     convert()(lambda x: 1 if x else 2)(None)
    2
    """
    trace = Trace(stager)
    token = TRACE.set(trace)
    try:
        with keeping_refusals():
            yield stager
        for check in trace.checks:
            check()
    except RefusedError as refused:
        if isinstance(refused.reason, str):
            raise
        where = refused.reason.__traceback__ or refused.__traceback__
        raise refused.reason.with_traceback(where) from refused.reason.__cause__
    finally:
        TRACE.reset(token)


def conversion_failure(function) -> Exception | None:
    """Why a function runs unconverted, or None."""
    code = getattr(function, "__code__", None)
    return FAILURES.get(code) if code is not None else None


def skip(package: str) -> None:
    """Never convert functions of a package."""
    CONVERTED_PACKAGES.discard(package)
    SKIPPED_PACKAGES.add(package)


def convert_package(package: str) -> None:
    """Convert functions of a package, even inside a skipped one."""
    CONVERTED_PACKAGES.add(package)


def set_verbosity(level: int, alsologtostdout: bool = False) -> None:
    """Set the verbosity: 0 is silent, more prints why a function runs unconverted."""
    LOG.verbosity = level


def trace(*args) -> None:
    """Print while tracing, with Python's `print`."""
    print(*args)


def stack(list_or_tensor, element_dtype=None, strict: bool = True):
    """The items of a list, also of one that grew in a loop on tensors, as one tensor.

    >>> @ag.function(experimental_autograph_options=ag.autograph.experimental.Feature.LISTS)
    ... def halves(n):
    ...     found = []
    ...     while n > 0:
    ...         found.append(n)
    ...         n //= 2
    ...     return ag.autograph.stack(found)
    >>> halves(ag.constant(9)).numpy()
    array([9, 4, 2, 1], dtype=int32)

    Raises ShapeError where the items differ in shape; what is no list is returned, unless `strict`
    holds.
    """
    package = sys.modules[__name__.partition(".")[0]]
    if element_dtype is not None:
        return package.cast(list_or_tensor, element_dtype)
    return package.stack(list_or_tensor)
