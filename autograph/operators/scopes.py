"""The scope of a converted function: its options, and its return value."""

from __future__ import annotations

import functools
from contextvars import ContextVar
from typing import NamedTuple

from .checked_values import returned
from .undefined import UndefinedReturnValue

# The names of the optional features that are on. Each converted function says which, traced or not.
FEATURES: ContextVar[frozenset[str]] = ContextVar("allograph_features", default=frozenset())


class _Defaults:
    """The features of functions that name none; see `set_default_features`."""

    features: tuple = ()


DEFAULTS = _Defaults()


def features_of(options) -> tuple:
    """The optional features that `options` names, one or several; None names the default ones."""
    named = DEFAULTS.features if options is None else options
    return tuple(named) if isinstance(named, (list, tuple, set, frozenset)) else (named,)


def is_on(feature: str) -> bool:
    """Whether an optional feature, or all of them, are on."""
    return not FEATURES.get().isdisjoint((feature, "ALL"))


class ConversionOptions(NamedTuple):
    """Options of conversion."""

    recursive: bool = True
    user_requested: bool = False
    optional_features: tuple = ()
    internal_convert_user_code: bool = True


class FunctionScope:
    """The context of calls inside a converted function."""

    __slots__ = ("name", "options")

    def __init__(self, name: str, scope_name: str, options: ConversionOptions):
        self.name = name
        self.options = options

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return None

    def ret(self, value, did_return):
        """The result of the function; None when it did not return."""
        return None if type(value) is UndefinedReturnValue else returned(value)


@functools.cache
def _scope(scope_name: str, options) -> FunctionScope:
    return FunctionScope("<lambda>", scope_name, options)


def with_function_scope(thunk, scope_name: str, options):
    """The value of a lambda's body, evaluated in a scope of its own."""
    return thunk(_scope(scope_name, options))


STANDARD = FunctionScope("<function>", "fscope", ConversionOptions(True, True, (), True))
NO_RESULT = UndefinedReturnValue()
