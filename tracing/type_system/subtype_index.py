"""An index of function types, to find those that cover another one."""

from __future__ import annotations

from collections.abc import Hashable

from ...runtime.ops.state.variables import Variable
from .function_type import FunctionType
from .trace_types import Container, Literal, Reference, TensorSpec, TraceType, WeakTensorSpec


class AnyTypeError(Exception):
    """A trace type of a user's class, which may cover any type."""


def invariant(type_: TraceType) -> Hashable:
    """The properties that are equal whenever one type covers the other: all but shapes."""
    if type(type_) is TensorSpec:
        return type_.dtype
    if type(type_) is WeakTensorSpec:
        return (WeakTensorSpec, type_.dtype)
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
    """A set of function types, grouped by their invariants."""

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
            function_type for key in keys for function_type in list(self._groups.get(key, ()))
        ]
        return [
            function_type for function_type in candidates if wanted.is_subtype_of(function_type)
        ]


def _key(function_type: FunctionType) -> Hashable | None:
    """The key of a type's group; None for types that hold trace types of a user's classes."""
    try:
        return tuple((name, invariant(arg_type)) for name, arg_type in function_type.types.items())
    except AnyTypeError:
        return None
