"""The structure of what a function of Numba returns: tensors in tuples and named tuples."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ....runtime.core.classes import NamedTuple


class Tuple(NamedTuple):
    """A tuple of structures. A structure is such a tuple, LEAF, or None for None itself.

    cls  the class of a named tuple, or None
    """

    cls: type | None
    items: tuple

    def made_of(self, items: list) -> tuple:
        return tuple(items) if self.cls is None else self.cls(*items)


LEAF = "leaf"  # a number or an array


def flat(structure, value) -> list:
    """The numbers and arrays of a value, in order."""
    if not isinstance(structure, Tuple):
        return [value] if structure == LEAF else []
    rows = zip(structure.items, value, strict=True)
    return [each for inner, one in rows for each in flat(inner, one)]


def paths(structure, path: str = "") -> list[str]:
    """The source that reads each number and array behind the name of the value."""
    if not isinstance(structure, Tuple):
        return [path] if structure == LEAF else []
    rows = enumerate(structure.items)
    return [each for at, inner in rows for each in paths(inner, f"{path}[{at}]")]


def rebuilt(structure, leaves: Iterator) -> Any:
    """The value with these leaves."""
    if not isinstance(structure, Tuple):
        return next(leaves) if structure == LEAF else None
    return structure.made_of([rebuilt(item, leaves) for item in structure.items])


def structure_of(type_, leaves: list):
    """The structure of values of a type of Numba. Adds the types of the leaves to `leaves`."""
    from numba.core import types

    if isinstance(type_, types.NoneType):
        return None
    if not isinstance(type_, types.BaseTuple):
        leaves.append(type_)
        return LEAF
    items = tuple(structure_of(one, leaves) for one in type_)
    return Tuple(getattr(type_, "instance_class", None), items)
