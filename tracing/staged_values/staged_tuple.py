"""A tuple that is made of a list that grows at run time, or of what else has so many items."""

from __future__ import annotations

from typing import NoReturn

from ...runtime.core.errors import UnimplementedError
from .staged_list import StagedList

OF_LISTS = ("append", "clear", "copy", "extend", "insert", "pop", "remove", "reverse", "sort")


class StagedTuple(StagedList):
    """Replaces a tuple whose number of items is known only when the graph runs."""

    class_in_python = tuple
    __iadd__ = StagedList.__add__
    __imul__ = StagedList.__mul__

    def __setitem__(self, index, item) -> NoReturn:
        raise TypeError("'tuple' object does not support item assignment")

    def __delitem__(self, index) -> NoReturn:
        raise TypeError("'tuple' object doesn't support item deletion")

    def __hash__(self) -> NoReturn:  # type: ignore[override]
        raise UnimplementedError(
            "a tuple whose length is known only when the graph runs as a key",
            "Use a Python value.",
        )


def _missing(name: str) -> property:
    def read(_) -> NoReturn:
        raise AttributeError(f"'tuple' object has no attribute '{name}'")

    return property(read)


for _name in OF_LISTS:
    setattr(StagedTuple, _name, _missing(_name))
StagedTuple.__name__ = "tuple"  # in Python's errors
