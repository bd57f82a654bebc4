"""Finding the types that may cover another one without asking all of them."""

from __future__ import annotations

from collections.abc import Hashable

from ...runtime.ops.state.variables import Variable
from .function_type import FunctionType
from .trace_types import Container, Literal, Reference, TensorSpec, TraceType


class AnyTypeError(Exception):
    """A type of a class of the user: it may cover whatever it likes."""


def fixed_part(kind: TraceType) -> Hashable:
    """What two types have in common whenever one covers the other: all but shapes."""
    if type(kind) is TensorSpec:
        return kind.dtype
    if type(kind) is Literal:
        return kind
    if type(kind) is Reference:
        alone = kind.kind.__eq__ is object.__eq__ or issubclass(kind.kind, Variable)
        return (kind.kind, kind.identity) if alone else kind.kind
    if type(kind) is Container:
        try:
            hash(kind.keys)
        except TypeError:
            raise AnyTypeError from None
        return (kind.family, kind.keys, *map(fixed_part, kind.components))
    raise AnyTypeError


class TypeIndex:
    """A set of types, in groups of those that may cover each other."""

    def __init__(self):
        self._groups: dict[Hashable | None, dict[FunctionType, None]] = {}

    def add(self, kind: FunctionType) -> None:
        self._groups.setdefault(_key(kind), {})[kind] = None

    def remove(self, kind: FunctionType) -> None:
        key = _key(kind)
        group = self._groups.get(key, {})
        group.pop(kind, None)
        if not group:
            self._groups.pop(key, None)

    def covering(self, wanted: FunctionType) -> list[FunctionType]:
        """The types that cover `wanted`."""
        key = _key(wanted)
        keys = list(self._groups) if key is None else (key, None)
        candidates = [kind for one in keys for kind in list(self._groups.get(one, ()))]
        return [kind for kind in candidates if wanted.is_subtype_of(kind)]


def _key(kind: FunctionType) -> Hashable | None:
    """What stands for the group of a type; None for those with types of the user's classes."""
    try:
        return tuple((name, fixed_part(one)) for name, one in kind.types.items())
    except AnyTypeError:
        return None
