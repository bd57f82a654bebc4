"""The traces of one function, and which of them serves a call."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from ...runtime.ops.state.variables import Variable
from ..type_system.function_type import FunctionType
from ..type_system.trace_types import (
    Container,
    Literal,
    Reference,
    TensorSpec,
    TraceType,
    WeakTensorSpec,
)
from .retrace_history import Change, History, closest_changes

if TYPE_CHECKING:
    from .concrete_function import ConcreteFunction

MOST_TRACES = 1000  # of a function; the oldest is dropped for another one
MOST_VARIANTS = 8  # traces of one type that differ in what their guards expect


K = TypeVar("K", bound=Hashable)
T = TypeVar("T", bound=Any)  # it has `guards`, or None, and `is_usable()` says of each call


class TraceTable(dict[K, T]):
    """The traces of one function by the types of calls, of each type the latest that served one.

    A type has as many as `most_variants`, which differ in what their guards expect. In a table of
    `most` types, the oldest is dropped for another one.
    """

    def __init__(self, most: int, most_variants: int):
        self.most = most
        self.most_variants = most_variants
        self._variants: dict[K, deque[T]] = {}

    def usable(self, key: K) -> T | None:
        """The trace of this type whose guards hold."""
        latest = self.get(key)
        if latest is None or latest.is_usable():
            return latest
        for variant in reversed(self._variants.get(key, ())):
            if variant is not latest and variant.is_usable():
                self[key] = variant
                return variant
        return None

    def variants(self, key: K) -> Sequence[T]:
        """All traces of a type."""
        return self._variants.get(key) or ([self[key]] if key in self else [])

    def add(self, key: K, trace: T) -> None:
        """Keep a new trace."""
        if len(self) >= self.most and key not in self:
            self.drop(next(iter(self)))
        self[key] = trace
        if trace.guards is None:
            self._variants.pop(key, None)
        else:
            self._variants.setdefault(key, deque(maxlen=self.most_variants)).append(trace)

    def drop(self, key: K) -> None:
        self.pop(key, None)
        self._variants.pop(key, None)


class TraceCache(TraceTable[FunctionType, "ConcreteFunction"]):
    """Traces by function type, which also serve the types that theirs cover."""

    def __init__(self, name: str):
        super().__init__(MOST_TRACES, MOST_VARIANTS)
        self.history = History(name)
        self.shared: dict[FunctionType, ConcreteFunction] = {}  # derived from other traces
        self._index = TypeIndex()
        self._forget_at = 2  # number of traces at which those for dead objects are removed

    def count(self, types: Iterable[FunctionType]) -> int:
        """How many traces there are of these types."""
        return sum(len(self.variants(function_type)) for function_type in types)

    def find(self, wanted: FunctionType) -> ConcreteFunction | None:
        """The trace of this type, else the most specific one whose type covers it."""
        if wanted in self:
            return self.usable(wanted)
        if wanted in self.shared:
            return self.shared[wanted]
        covering = self._index.covering(wanted)
        usable = {function_type: self.usable(function_type) for function_type in covering}
        fitting = [function_type for function_type in covering if usable[function_type] is not None]
        for function_type in fitting:
            if all(function_type.is_subtype_of(other) for other in fitting):
                return usable[function_type]
        return usable[fitting[0]] if fitting else None

    def add(self, key: FunctionType, trace: ConcreteFunction) -> None:
        """Keep a new trace; drop those for objects that are gone."""
        if len(self) >= self._forget_at:
            for gone in [function_type for function_type in self if not function_type.is_alive]:
                self.drop(gone)
            self._forget_at = 2 * len(self) or 2
        super().add(key, trace)
        self._index.add(key)

    def drop(self, key: FunctionType) -> None:
        self._index.remove(key)
        super().drop(key)

    def share(self, function_type: FunctionType, concrete: ConcreteFunction) -> None:
        """Keep a trace derived from another one; drop those for objects that no longer exist."""
        self.shared = {known: kept for known, kept in self.shared.items() if known.is_alive}
        self.shared[function_type] = concrete

    def reasons(self, wanted: FunctionType) -> list[Change]:
        """Why no trace serves this type: guards that do not hold, or the differences to the most
        similar earlier trace.
        """
        for function_type in self._index.covering(wanted):
            guards = self[function_type].guards
            if guards is not None:
                return guards.changes()
        return closest_changes(list(self), wanted)

    def generalized(self, wanted: FunctionType) -> FunctionType:
        """The narrowest type that also covers an earlier trace, so that the next call reuses it."""
        for function_type in self:
            joined = wanted.common_supertype(function_type)
            if joined is not None:
                return joined
        return wanted


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
