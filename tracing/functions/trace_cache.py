"""The traces of one function, and which of them serves a call."""

from __future__ import annotations

import weakref
from collections import deque
from collections.abc import Callable, Iterable

from ...runtime.tensors.apply import BUILDER
from ...runtime.tensors.tensor import EagerTensor
from ..type_system.function_type import FunctionType
from ..type_system.subtype_index import TypeIndex
from .concrete_function import ConcreteFunction
from .retrace_history import Change, History, closest_changes

MOST_TRACES = 1000  # of a function; the oldest is dropped for another one
MOST_VARIANTS = 8  # traces of one type that differ in what their guards expect


class TraceCache:
    """Traces by function type. A type may have several guarded traces."""

    def __init__(self, name: str):
        self.traces: dict[FunctionType, ConcreteFunction] = {}  # the latest of each type
        self.history = History(name)
        self.shared: dict[FunctionType, ConcreteFunction] = {}  # derived from other traces
        self._variants: dict[FunctionType, deque[ConcreteFunction]] = {}
        self._index = TypeIndex()
        self._forget_at = 2  # number of traces at which those for dead objects are removed

    def __len__(self):
        return self.count(self.traces)

    def count(self, types: Iterable[FunctionType]) -> int:
        """How many traces there are of these types."""
        return sum(len(self._variants.get(one, (one,))) for one in types)

    def find(self, wanted: FunctionType) -> ConcreteFunction | None:
        """The trace of this type, else the most specific one whose type covers it."""
        if wanted in self.traces:
            return self._usable(wanted)
        if wanted in self.shared:
            return self.shared[wanted]
        covering = self._index.covering(wanted)
        found = {function_type: self._usable(function_type) for function_type in covering}
        fitting = [function_type for function_type in covering if found[function_type] is not None]
        for function_type in fitting:
            if all(function_type.is_subtype_of(other) for other in fitting):
                return found[function_type]
        return found[fitting[0]] if fitting else None

    def _usable(self, function_type: FunctionType) -> ConcreteFunction | None:
        """The trace of a type, or the one of its variants whose guards hold."""
        latest = self.traces.get(function_type)
        if latest is not None and is_usable(latest):
            return latest
        for variant in reversed(self._variants.get(function_type, ())):
            if variant is not latest and is_usable(variant):
                self.traces[function_type] = variant
                return variant
        return None

    def add(
        self,
        function_type: FunctionType,
        concrete: ConcreteFunction,
        why: list[Change],
        began: float,
    ) -> None:
        """Keep a new trace, when it `began`, and why; drop those for objects that are gone."""
        self.history.note(why, began)
        if len(self.traces) >= self._forget_at:
            for gone in [one for one in self.traces if not one.is_alive]:
                self._drop(gone)
            self._forget_at = 2 * len(self.traces) or 2
        if len(self.traces) >= MOST_TRACES and function_type not in self.traces:
            self._drop(next(iter(self.traces)))
        self.traces[function_type] = concrete
        self._index.add(function_type)
        if concrete.guards is not None:
            self._variants.setdefault(function_type, deque(maxlen=MOST_VARIANTS)).append(concrete)

    def _drop(self, function_type: FunctionType) -> None:
        self._index.remove(function_type)
        self.traces.pop(function_type)
        self._variants.pop(function_type, None)

    def share(self, function_type: FunctionType, concrete: ConcreteFunction) -> None:
        """Keep a trace derived from another one; drop those for objects that no longer exist."""
        self.shared = {one: kept for one, kept in self.shared.items() if one.is_alive}
        self.shared[function_type] = concrete

    def reasons(self, wanted: FunctionType) -> list[Change]:
        """Why no trace serves this type: guards that do not hold, or the differences to the most
        similar earlier trace.
        """
        for function_type in self._index.covering(wanted):
            guards = self.traces[function_type].guards
            if guards is not None:
                return guards.changes()
        return closest_changes(list(self.traces), wanted)

    def generalized(self, wanted: FunctionType) -> FunctionType:
        """The narrowest type that also covers an earlier trace, so that the next call reuses it."""
        for function_type in self.traces:
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
        found = self._references.get(id(owner))
        return found is not None and found() is owner


def is_usable(concrete: ConcreteFunction) -> bool:
    """Whether a trace may serve a call now.

    A trace that captured tensors of an outer graph serves inside that graph only. One that calls a
    trace still being made serves only inside that trace. A guarded trace serves while its guards
    hold.
    """
    if concrete.callees and not concrete.is_complete():
        return BUILDER.get() is not None and not any(c.abandoned for c in concrete.callees)
    if concrete.guards is not None and not concrete.guards.hold(concrete.rebind):
        return False
    if not concrete.in_scope_only:
        return True
    builder = BUILDER.get()
    owners = [t.builder for t in concrete.captured_tensors if not isinstance(t, EagerTensor)]
    return builder is not None and all(
        owner is builder or builder.encloses(owner) for owner in owners
    )
