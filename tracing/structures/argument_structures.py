"""Arguments that are tuples, lists and dictionaries: a trace has their parts as arguments.

A trace sees a structure of its own parts. It must not change it: the structure is the caller's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...runtime.core.classes import NamedTuple
from ...runtime.core.errors import UnimplementedError

MOST_PARTS = 32  # of the arguments of a call


def is_named_tuple_class(of_class: type) -> bool:
    """Whether `namedtuple` or `NamedTuple` made a class, whose calls have no effects."""
    return of_class.__bases__ == (tuple,) and hasattr(of_class, "_fields")


class _Records:
    """`make(dtype, fields, cls)` gives what stands for a structured array in a trace; a
    module of NumPy mode sets it. The stand-in has the `fields` by name.
    """

    make: Callable


RECORDS = _Records()


class Structure(NamedTuple):
    """A tuple, a list, a named tuple, a slice, a dictionary with these keys, or a structured array
    of this data type, and its parts: structures, or None for one argument of the trace.
    """

    cls: type
    keys: Any
    parts: tuple

    def build(self, leaves) -> Any:
        """The structure with the next of these values as its parts."""
        values = [next(leaves) if part is None else part.build(leaves) for part in self.parts]
        if isinstance(self.keys, np.dtype):
            return RECORDS.make(self.keys, values, self.cls)
        if self.keys is not None:
            return dict(zip(self.keys, values, strict=True))
        if self.cls is slice:
            return slice(*values)
        make = getattr(self.cls, "_make", self.cls)  # a named tuple's takes one iterable
        return make(values)


def parts_of(value) -> list | None:
    """The parts of an argument that is a structure; None for any other."""
    cls = type(value)
    if cls in (np.ndarray, np.recarray):
        return None if value.dtype.names is None else [value[name] for name in value.dtype.names]
    if cls is slice:
        return [value.start, value.stop, value.step]
    if cls is dict:
        return list(value.values()) if all(type(name) in (str, int) for name in value) else None
    return list(value) if cls in (tuple, list) or is_named_tuple_class(cls) else None


def flatten_arguments(arguments: tuple, is_whole) -> tuple[tuple, tuple[Structure | None, ...]]:
    """The arguments of a trace, and how those of the call are made of them; `is_whole` says of an
    argument that it is one of a trace although it has parts.
    """
    leaves: list = []

    def take(value, depth: int = 0) -> Structure | None:
        parts = None if is_whole(value) else parts_of(value)
        if parts is None or depth > MOST_PARTS:  # as of a list that holds itself
            leaves.append(value)
            return None
        keys = tuple(value) if type(value) is dict else getattr(value, "dtype", None)
        if len(leaves) + len(parts) > MOST_PARTS:
            raise UnimplementedError(f"arguments of more than {MOST_PARTS} parts")
        return Structure(type(value), keys, tuple(take(part, depth + 1) for part in parts))

    structures = tuple(map(take, arguments))
    return tuple(leaves), structures


def unflatten_arguments(structures, leaves) -> tuple:
    """The arguments of the call, made of those of the trace."""
    if not structures:
        return tuple(leaves)
    rest = iter(leaves)
    return tuple(next(rest) if form is None else form.build(rest) for form in structures)


def require_unchanged(structures, arguments: tuple, leaves: list) -> None:
    """Refuse a function that changes a list or a dictionary that it was given."""
    passed: list = []

    def compare(structure, value) -> None:
        if structure is None:
            passed.append(value)
        elif issubclass(structure.cls, np.ndarray) and hasattr(value, "fields"):
            passed.extend(value.fields.values())
        elif structure.keys is not None and tuple(value) != structure.keys:
            raise UnimplementedError("a dictionary that is an argument changes")
        else:
            values = parts_of(value)
            if values is None or len(values) != len(structure.parts):
                raise UnimplementedError("a list that is an argument changes")
            for pair in zip(structure.parts, values, strict=True):
                compare(*pair)

    for pair in zip(structures, arguments, strict=False):
        compare(*pair)
    if structures and any(own is not other for own, other in zip(passed, leaves, strict=True)):
        raise UnimplementedError("a list or a dictionary that is an argument changes")


def fields_together(structures) -> list[range]:
    """The positions among the arguments of a trace of the fields of each structured array."""
    ranges: list[range] = []
    count = 0

    def visit(structure) -> None:
        nonlocal count
        if structure is None:
            count += 1
            return
        start = count
        for part in structure.parts:
            visit(part)
        if issubclass(structure.cls, np.ndarray):
            ranges.append(range(start, count))

    for argument in structures:
        visit(argument)
    return ranges


def containers_in(values):
    """The lists and dictionaries among these values, and in them."""
    for value in values:
        if type(value) in (list, dict):
            yield value
        if isinstance(value, (list, dict, tuple)):
            yield from containers_in(value.values() if type(value) is dict else value)
