"""Modules and objects found by name: what is imported so is loaded when it is first needed."""

from __future__ import annotations

import functools
from importlib import import_module
from types import ModuleType
from typing import Any

PACKAGE = __package__.partition(".")[0]


def imported(module: str) -> ModuleType:
    """The module of this package with a name."""
    return import_module(f"{PACKAGE}.{module}")


@functools.cache
def object_at(place: str) -> Any:
    """The object at a place: a module of the package, a colon, and a name in the module.

    >>> object_at("runtime.core.places:PACKAGE")
    'allograph'
    """
    module, _, name = place.partition(":")
    return getattr(imported(module), name)
