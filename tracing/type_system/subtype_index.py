"""Finding the types that may cover another one without asking all of them."""

from __future__ import annotations

from collections.abc import Hashable

from ...runtime.ops.state.variables import Variable
from .function_type import FunctionType
from .trace_types import Container, Literal, Reference, TensorSpec, TraceType


class AnyTypeError(Exception):
    """A type of a class of the user: it may cover whatever it likes."""


def invariant(type_: TraceType) -> Hashable:
    """What two types have in common whenever one covers the other: all but shapes."""
    if type(type_) is TensorSpec:
        return type_.dtype
    if type(type_) is Literal:
        return type_
    if type(type_) is Reference:
        alone = type_.object_type.__eq__ is object.__eq__ or issubclass(type_.object_type, Variable)
        return (type_.object_type, type_.identity) if alone else (type_.object_type,)
    if type(type_) is Container:
        try:
            hash(type_.keys)
        except TypeError:
            raise AnyTypeError from None
        return (type_.family, type_.keys, *map(invariant, type_.components))
    raise AnyTypeError


class TypeIndex:
    """A set of types, in groups of those that may cover each other."""

    def __init__(self):
        self._groups: dict[Hashable | None, dict[FunctionType, None]] = {}

    def add(self, function_type: FunctionType) -> None:
        self._groups.setdefault(_key(function_type), {})[function_type] = None

    def remove(self, function_type: FunctionType) -> None:
        key = _key(function_type)
        group = self._groups.get(key, {})
        group.pop(function_type, None)
        if not group:
            self._groups.pop(key, None)

    def covering(self, wanted: FunctionType) -> list[FunctionType]:
        """The types that cover `wanted`."""
        key = _key(wanted)
        keys = list(self._groups) if key is None else (key, None)
        candidates = [
            function_type for one in keys for function_type in list(self._groups.get(one, ()))
        ]
        return [
            function_type for function_type in candidates if wanted.is_subtype_of(function_type)
        ]


def _key(function_type: FunctionType) -> Hashable | None:
    """What stands for the group of a type; None for those with types of the user's classes."""
    try:
        return tuple((name, invariant(one)) for name, one in function_type.types.items())
    except AnyTypeError:
        return None
