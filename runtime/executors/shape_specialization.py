"""Native code for graphs with unknown dimensions: one specialization per shape of the inputs."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..core.errors import Error
from ..core.locks import Lock
from ..core.shapes import is_static, size_of
from ..ir.graph import Graph
from ..ir.node_properties import is_static_graph
from ..ir.rich_display import long_wait
from ..jit.backends import compiling_with
from ..lowering.not_native import NotNativeError
from ..passes.pipeline import optimize
from ..passes.propagate_shapes import shape_inputs, specialise_shapes
from .compile_pipeline import NativeForm, native_forms
from .machine_code import SharedKernels, sharing
from .native_program import NativeProgram, compile_program, compile_sized, refusal
from .tiering import SHAPES, HotCounter, compile_in_background


class ShapeTable:
    """The code of a graph by the shapes of the inputs and by the values that decide other shapes:
    `new(shapes, values)` for those of a call. Its `native` is None without native code.
    """

    def __init__(self, graph: Graph, new: Callable, most: int):
        self.graph = graph
        self.new = new
        self.most = most
        self.table: dict[tuple, Any] = {}
        self._lock = Lock()
        self.by_shape, self.by_value = deciding_inputs(graph)

    @property
    def is_useful(self) -> bool:
        """Whether the shapes of the inputs determine dimensions that are unknown without them."""
        return bool(self.by_shape or self.by_value)

    def entry_for(self, shapes: Sequence, arrays: Sequence) -> Any:
        """The entry for a call. In a full table, a new one replaces one without native code, else
        the oldest.
        """
        values = {at: np.array(arrays[at]) for at in self.by_value}
        key = (*[shapes[at] for at in self.by_shape], *[item.tobytes() for item in values.values()])
        with self._lock:
            entry = self.table.get(key)
            if entry is None:
                if len(self.table) >= self.most:
                    cold = (old for old, item in self.table.items() if item.native is None)
                    del self.table[next(cold, next(iter(self.table)))]
                entry = self.table[key] = self.new(shapes, values)
        return entry

    def natives(self) -> list[NativeProgram]:
        """The native programs of the entries."""
        return [entry.native for entry in [*self.table.values()] if entry.native is not None]


class Specializations(ShapeTable):
    """Calls with NumPy arrays go to the native code for their shapes, else to `generic`.

    form     the native form of a graph with unknown shapes, which tells what decides them; its
             source is what is specialized, since preparation gives up what is not known yet
    generic  the function for shapes without native code: the NumPy program
    whole    True: each new shape is compiled before its first result, and all of it must have a
             native form. False: it is compiled in the background, once it has cost enough.
    compiler what compiles the kernels
    """

    def __init__(
        self, form: NativeForm, generic: Callable, whole: bool = False, compiler: str | None = None
    ):
        super().__init__(form.graph, functools.partial(_Specialization, self), SHAPES.kept)
        self.source = form.source
        self.generic = generic
        self.whole = whole
        self.compiler = compiler
        self.compiled = 0
        self.kernels = SharedKernels()

    def __call__(self, *arrays):
        key = tuple([arrays[index].shape for index in self.by_shape])
        if self.by_value:
            key += tuple([arrays[index].tobytes() for index in self.by_value])
        entry = self.table.get(key)
        if entry is None:
            entry = self.entry_for([array.shape for array in arrays], arrays)
        if entry.function is not None:
            return entry.function(*arrays)
        if self.whole:
            return self._compiled_first(entry, arrays)
        return entry.measured(arrays)

    def _compiled_first(self, entry: _Specialization, arrays):
        try:
            function = entry.compile()
        except (ImportError, NotNativeError) as error:
            raise refusal(error) from None
        except Error:  # the shapes do not fit: the NumPy program says where
            return self.generic(*arrays)
        return function(*arrays)


class _Specialization:
    """The graph for one set of input shapes: its cost on NumPy, and then its native code."""

    def __init__(self, owner: Specializations, shapes, values):
        self.owner = owner
        self.shapes = shapes
        self.values = values
        self.native: NativeProgram | None = None
        self.function: Callable | None = None
        self.why_not_native: str | None = None
        self.cost = HotCounter()

    def measured(self, arrays):
        """Run on NumPy and measure it, to tell when compiling pays."""
        if not self.cost.counting:
            return self.owner.generic(*arrays)
        return self.cost.run(self.owner.generic, arrays, self.queue)

    def queue(self) -> None:
        """Queue this shape for compilation, unless too many shapes were compiled."""
        if self.owner.compiled < SHAPES.compiled:
            compile_in_background(self)

    def compile(self) -> Callable:
        """Compile the graph with these shapes. Raises NotNativeError if it has no native form."""
        self.owner.compiled += 1
        wait = long_wait(f"compiling {self.owner.graph.name}")
        with compiling_with(self.owner.compiler), sharing(self.owner.kernels), wait:
            return self._compile()

    def _compile(self) -> Callable:
        graph = specialise_shapes(self.owner.source, self.shapes, self.values)
        graph = optimize(graph)
        for form in native_forms(graph):
            try:
                self.native = compile_sized(form)
                break
            except NotNativeError:
                self.native = None
        if self.native is None:
            self.native = compile_program(form.program, whole=self.owner.whole)
        self.function = self.native.function
        return self.function


def deciding_inputs(graph: Graph) -> tuple[list[int], list[int]]:
    """The positions of the inputs whose shapes, and of those whose values, determine shapes."""
    if is_static_graph(graph):
        return [], []
    by_shape = [i for i, value in enumerate(graph.inputs) if not is_static(value.shape)]
    values = shape_inputs(graph)
    by_value = [
        index
        for index, value in enumerate(graph.inputs)
        if value in values
        and value.dtype.is_integer
        and is_static(value.shape)
        and (size_of(value.shape) or 0) <= SHAPES.largest_value
    ]
    return by_shape, by_value
