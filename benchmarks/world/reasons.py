"""Reasons of `inspect` in which a user meets what only allograph knows."""

from __future__ import annotations

import builtins
import functools
import re
import sys

import allograph as ag

EXCEPTION = re.compile(r"^(\w+(?:Error|Exception|Warning|Iteration|Exit)): ")
NAME = re.compile(r"_?[A-Z]\w*[a-z]\w*[A-Z]\w*|_[A-Z]\w+|\bag__\w*")


def internal_names(reason: str) -> list[str]:
    """The classes of allograph in a reason that are no public names."""
    words = set(NAME.findall(reason))
    return sorted(word for word in words if word in internal_classes() or word.startswith("ag__"))


@functools.cache
def internal_classes() -> frozenset[str]:
    modules = [
        module
        for name, module in list(sys.modules.items())
        if name.split(".")[0] == "allograph" and module is not None
    ]
    names = {
        value.__name__
        for module in modules
        for value in list(vars(module).values())
        if isinstance(value, type) and value.__module__.split(".")[0] == "allograph"
    }
    return frozenset(names.difference(dir(ag), dir(ag.errors), dir(builtins)))


def is_exception_of_tracing(reason: str) -> bool:
    """Whether a reason is an exception that something raised while it was traced."""
    return EXCEPTION.match(reason) is not None
