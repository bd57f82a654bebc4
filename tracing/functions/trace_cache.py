"""The traces of one function, and which of them serves a call."""

from __future__ import annotations

import weakref
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from ..type_system.function_type import FunctionType
from ..type_system.subtype_index import TypeIndex
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


class Owners:
    """A set of objects by identity that does not keep them alive; None is one of them."""

    def __init__(self):
        self._references: dict[int, Callable] = {}

    def add(self, owner) -> None:
        rows, key = self._references, id(owner)
        try:
            rows[key] = weakref.ref(owner, lambda _: rows.pop(key, None))
        except TypeError:  # it cannot be referred to weakly, None among others
            rows[key] = lambda: owner

    def __contains__(self, owner) -> bool:
        reference = self._references.get(id(owner))
        return reference is not None and reference() is owner
