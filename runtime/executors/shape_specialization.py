"""Native code for graphs with unknown dimensions: one specialisation per shape of the inputs."""

from __future__ import annotations

import threading
from collections.abc import Callable

import numpy as np

from ..core.errors import Error
from ..core.shapes import is_static, size_of
from ..ir.graph import Graph
from ..ir.node_properties import is_static_graph
from ..lowering.not_native import NotNativeError
from ..passes.pipeline import optimize
from ..passes.propagate_shapes import shape_inputs, specialise_shapes
from .background_compiler import compile_in_background
from .compile_pipeline import native_form
from .native_program import NativeProgram, compile_program, refused
from .tiering import HotCounter

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
        self.by_shape, self.by_value = deciding_inputs(graph)

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
        self.cost = HotCounter()

    def measured(self, arrays):
        """Run the generic plan, and tell when compiling pays."""
        if not self.cost.counting:
            return self.owner.generic(*arrays)
        return self.cost.run(self.owner.generic, arrays, self.queue)

    def queue(self) -> None:
        """Have native code made for this shape, unless there were too many shapes."""
        if self.owner.compiled < COMPILED:
            compile_in_background(self)

    def compile(self) -> None:
        """Specialise the graph to these shapes, and compile it; NotNativeError where neither."""
        self.owner.compiled += 1
        graph = optimize(specialise_shapes(self.owner.graph, self.shapes, self.values))
        self.native = compile_program(native_form(graph).program, whole=self.owner.whole)
        self.function = self.native.function


def deciding_inputs(graph: Graph) -> tuple[list[int], list[int]]:
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
