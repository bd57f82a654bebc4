"""The generated code, to read."""

from __future__ import annotations

import functools
import inspect
import types

from . import operators
from .api import convert
from .operators.scopes import features_of


def plain_function(entity) -> types.FunctionType:
    """The Python function behind a method, decorated function, partial or callable object.

    Raises TypeError when there is none.
    """
    while True:
        if isinstance(entity, types.FunctionType):
            inner = getattr(entity, "__wrapped__", None)
            if inner is None or not isinstance(inner, types.FunctionType):
                return entity
            entity = inner
        elif hasattr(entity, "python_function") or hasattr(entity, "__wrapped__"):
            entity = getattr(entity, "python_function", None) or entity.__wrapped__
        elif isinstance(entity, (types.MethodType, classmethod, staticmethod)):
            entity = entity.__func__
        elif isinstance(entity, functools.partial):
            entity = entity.func
        elif isinstance(entity, property) and entity.fget is not None:
            entity = entity.fget
        elif not inspect.isclass(entity) and isinstance(
            getattr(type(entity), "__call__", None),  # noqa: B004 - the class's own function
            types.FunctionType,
        ):
            entity = type(entity).__call__
        else:
            raise TypeError(f"{entity!r} is no Python function, so there is no code to convert")


def to_code(
    entity, recursive: bool = True, experimental_optional_features=None, *, laid_out: bool = False
) -> str:
    """The Python source that autograph generates for a function with these options of `convert`.

    Every statement is one line, as the reference prints it. With `laid_out`, long lines are broken
    inside their brackets, and a comment shows the user's own line where the code differs from it.

    Raises ConversionError (NoSourceError if there is no source), or TypeError if `entity` has no
    Python function.
    """
    from .conversion.compile import conversion_of  # loads gast and the converters

    conversion = conversion_of(plain_function(entity))
    features = features_of(experimental_optional_features)
    shown = ", ".join(f"ag__.{feature}" for feature in features)
    shown = shown if len(features) == 1 else f"({shown})"
    conversion.set_options(recursive=repr(recursive), optional_features=shown)
    return conversion.emitted(laid_out)[0]


def line_map(entity, *, laid_out: bool = False) -> dict[int, int]:
    """For each line of `to_code(entity)`, the line of the user's file that it came from.

    Raises what `to_code` raises. Lines that belong to no line of the user's are left out.
    """
    from .conversion.compile import conversion_of  # loads gast and the converters

    return conversion_of(plain_function(entity)).emitted(laid_out)[1]


def to_graph(
    entity, recursive: bool = True, experimental_optional_features=None
) -> types.FunctionType:
    """The converted function itself; without `recursive`, the functions that it calls run as they
    are.

    Raises what `to_code` raises.
    """
    from .conversion.converted_functions import convert_function  # reads and writes files

    function = plain_function(entity)
    converted = convert_function(function, operators)  # also where a call would: it raises now
    is_plain = recursive and experimental_optional_features is None
    return converted if is_plain else convert(recursive, experimental_optional_features)(function)
