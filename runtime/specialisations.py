"""Native code for graphs with unknown dimensions: one specialisation per shape of the inputs."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from .errors import Error
from .graph import Graph
from .lower import lower
from .passes.pipeline import optimize
from .passes.prepare import prepared
from .passes.specialise_shapes import is_static_graph, shape_inputs, specialise_shapes
from .shapes import is_static, size_of

if TYPE_CHECKING:
    from .native import NativeProgram

BUSY_SECONDS = 0.02  # time spent on one shape after which its native code is worth compiling
BUSY_CALLS = 50
KEPT = 16  # shapes with native code at a time
COMPILED = 64  # shapes compiled in all: a function called with ever new sizes stays on the plan
DECIDING = 8  # elements: larger integer inputs are data, not sizes


class Specialisations:
    """Calls with NumPy arrays go to the native code for their shapes, else to `generic`.

    graph    a graph with unknown shapes
    generic  what runs for shapes without native code: the plan
    whole    True: each new shape is compiled before its first result, and all of it has to be
             native; False: in the background, once the shape has cost enough
    """

    def __init__(self, graph: Graph, generic: Callable, whole: bool = False):
        self.graph = graph
        self.generic = generic
        self.whole = whole
        self.table: dict[tuple, _Shape] = {}
        self.compiled = 0
        self._lock = threading.Lock()
        self.by_shape, self.by_value = _deciding(graph)

    @property
    def is_useful(self) -> bool:
        """Whether knowing the inputs makes anything static that is not so already."""
        return bool(self.by_shape or self.by_value)

    def __call__(self, *arrays):
        key = tuple([arrays[place].shape for place in self.by_shape])
        if self.by_value:
            key += tuple([arrays[place].tobytes() for place in self.by_value])
        entry = self.table.get(key)
        if entry is None:
            entry = self._entry(key, arrays)
        if entry.function is not None:
            return entry.function(*arrays)
        if self.whole:
            return self._compiled_first(entry, arrays)
        return entry.measured(arrays)

    def _entry(self, key: tuple, arrays) -> _Shape:
        """A new row of the table; a row without native code has to go for it, else the oldest."""
        values = {place: np.array(arrays[place]) for place in self.by_value}
        shapes = [array.shape for array in arrays]
        with self._lock:
            entry = self.table.setdefault(key, _Shape(self, shapes, values))
            if len(self.table) > KEPT:
                rest = [old for old in self.table if old != key]
                self.table.pop(next((old for old in rest if not self.table[old].native), rest[0]))
        return entry

    def _compiled_first(self, entry: _Shape, arrays):
        from .native import NotNativeError, refused

        try:
            entry.compile()
        except (ImportError, NotNativeError) as error:
            raise refused(error) from None
        except Error:  # the shapes do not fit: the plan says where
            return self.generic(*arrays)
        return entry.function(*arrays)

    def natives(self) -> list[NativeProgram]:
        """The native programs there are now."""
        return [entry.native for entry in [*self.table.values()] if entry.native is not None]


class _Shape:
    """What is known of one set of input shapes: its cost so far, then its native code."""

    def __init__(self, owner: Specialisations, shapes, values):
        self.owner = owner
        self.shapes = shapes
        self.values = values
        self.native: NativeProgram | None = None
        self.function: Callable | None = None
        self.why_not_native: str | None = None
        self.waiting = True
        self.spent = 0.0
        self.calls = 0

    def measured(self, arrays):
        """Run the generic plan, and tell when compiling pays."""
        if not self.waiting:
            return self.owner.generic(*arrays)
        start = time.perf_counter()
        result = self.owner.generic(*arrays)
        self.calls += 1
        self.spent += time.perf_counter() - start
        if (self.spent > BUSY_SECONDS or self.calls > BUSY_CALLS) and self.waiting:
            self.waiting = False
            if self.owner.compiled < COMPILED:
                from .native import compile_in_background

                compile_in_background(self)
        return result

    def compile(self) -> None:
        """Specialise the graph to these shapes, and compile it; NotNativeError where neither."""
        from .native import compile_program

        self.owner.compiled += 1
        graph = optimize(specialise_shapes(self.owner.graph, self.shapes, self.values))
        self.native = compile_program(lower(prepared(graph)), whole=self.owner.whole)
        self.function = self.native.function


def _deciding(graph: Graph) -> tuple[list[int], list[int]]:
    """The positions of the inputs whose shapes, and of those whose values, make shapes known."""
    if is_static_graph(graph):
        return [], []
    by_shape = [i for i, value in enumerate(graph.inputs) if not is_static(value.shape)]
    values = shape_inputs(graph)
    by_value = [
        place
        for place, value in enumerate(graph.inputs)
        if value in values
        and value.dtype.is_integer
        and is_static(value.shape)
        and size_of(value.shape) <= DECIDING
    ]
    return by_shape, by_value
