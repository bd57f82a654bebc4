"""What loops of unknown trip count save for a gradient, on a device: arrays of so many rows.

A stack that grows has no place in a kernel, whose memory is there before it starts. So a loop sets
rows of an array, as one of known trip count does, of a number that is guessed. A loop that runs
longer fails at the check of its index, with its inputs as they were, and the program for more rows
takes the call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from ..core.dtypes import stack
from ..core.locks import Lock
from ..executors.compile_pipeline import NativeForm, native_forms
from ..executors.native_program import NativeProgram
from ..ir.constant_values import full_constant
from ..ir.graph import Graph, Node, Value, dims
from ..ir.indexing import Slot
from ..ir.node_properties import is_static_graph
from ..ir.op import TABLE
from ..ir.rewrite import inside_subgraphs, new_zeros, rewrite_ops
from ..lowering.not_native import NotNativeError
from ..passes.pipeline import PREPARATION, after, optimize
from ..passes.propagate_shapes import with_inferred_shapes
from ..tensors.tensor import EagerTensor
from .device_kernels import kernels_of
from .device_program import DeviceProgram
from .grid.grid_program import DEVICE

ROW = {"index": (Slot(0),)}
FLATTENING = tuple(step for step in PREPARATION if step.name.endswith("flat_stacks"))
ROWS = (128, 4096, 1 << 17, 1 << 22)  # guesses, one after the other
MOST_OF_MEMORY = 8  # a stack takes at most such a part of the memory of the device


def with_guessed_stacks(graph: Graph, rows: int, most_bytes: int, settled: bool) -> Graph:
    """The graph with arrays of so many rows for the stacks of its loops; their shapes, and those of
    what follows from them, are still to be inferred. Lists of values whose shapes differ stay, and
    until the other stacks are `settled`, those of the shapes of these.

    Raises NotNativeError where a stack would take more bytes.
    """
    growing = {
        node.outputs: [at for at in _empty(node) if _is_stack(node, at, settled)]
        for node in graph.nodes
        if "carried" in node.attrs
    }
    own = graph
    graph = inside_subgraphs(
        graph,
        partial(with_guessed_stacks, rows=rows, most_bytes=most_bytes, settled=settled),
    )

    def with_starts(loop: Node) -> list[Node]:
        nodes, inputs = [], loop.inputs
        for position in growing[loop.outputs]:
            start = inputs[position]
            like = Value(start.dtype, (rows, *dims(start)[1:]), "saved")
            if (like.size_in_bytes or 0) > most_bytes:
                raise NotNativeError("a loop saves more than a device has room for", loop.where)
            zeros, start = new_zeros(like, loop.where)
            nodes += zeros
            inputs = (*inputs[:position], start, *inputs[position + 1 :])
        return [*nodes, replace(loop, inputs=inputs)]

    def with_row(push: Node) -> Node:
        held, index, value = push.inputs
        if not _is_settled(own, push, settled):
            return push
        return replace(push, op=TABLE["set_item"], inputs=(held, value, index), attrs=ROW)

    def read(peek: Node) -> Node:
        if peek.inputs[0].dtype is stack or not settled:
            return peek
        return replace(peek, op=TABLE["strided_slice"], attrs=ROW)

    return rewrite_ops(graph, {"while": with_starts, "stack_push": with_row, "stack_peek": read})


def _empty(loop: Node) -> Iterator[int]:
    """The positions of arrays without rows that a loop begins with."""
    for position, start in enumerate(loop.inputs[: loop.attrs["carried"]]):
        constant = full_constant(start)
        if constant is not None and constant.shape[:1] == (0,) and 0 not in constant.shape[1:]:
            yield position


def _is_stack(loop: Node, position: int, settled: bool) -> bool:
    """Whether a loop carries an array that it, or a loop in it, pushes rows on."""
    body = loop.attrs["body"]
    own, producer = body.inputs[position], body.producers().get(body.outputs[position])
    if producer is None or own not in producer.inputs:
        return False
    at = producer.inputs.index(own)
    if "carried" in producer.attrs:
        is_same = at < len(producer.outputs) and producer.outputs[at] is body.outputs[position]
        return is_same and _is_stack(producer, at, settled)
    return producer.op is TABLE["stack_push"] and _is_settled(body, producer, settled)


def _is_settled(graph: Graph, push: Node, settled: bool) -> bool:
    """Whether what is pushed is known to need an array: shapes may be constants once those are."""
    held, _, value = push.inputs
    producer = graph.producers().get(value)
    is_shape = producer is not None and producer.op is TABLE["shape"]
    return held.dtype is not stack and (settled or not is_shape)


class GuessedStacks:
    """The programs of a graph with stacks, by the number of their rows: a call begins with the
    number that the last one needed.

    Raises NotNativeError where there is none for the least number. A call that fails with the most
    rows that there is a program for raises ArithmeticError.
    """

    def __init__(self, graph: Graph, make: Callable[[Any], DeviceProgram], memory: int):
        self.graph, self.make, self.most_bytes = graph, make, memory // MOST_OF_MEMORY
        self.first = 0
        self.programs: dict[int, DeviceProgram] = {}
        self._lock = Lock()
        self._program(ROWS[0])

    def __call__(self, *arrays: np.ndarray) -> tuple[np.ndarray, ...]:
        return self._called(lambda program: program(*arrays))

    def on_tensors(self, tensors: Sequence[EagerTensor]) -> list[EagerTensor]:
        """The results as tensors, which stay on the device."""
        return self._called(lambda program: program.on_tensors(tensors))

    def native(self) -> NativeProgram:
        """The kernels of all its programs."""
        programs = list(self.programs.values())
        return NativeProgram(
            self, tuple(kernel for program in programs for kernel in kernels_of(program))
        )

    def _called(self, call: Callable[[DeviceProgram], Any]) -> Any:
        for number, program in self._larger_ones():
            try:
                results = call(program)
            except ArithmeticError:
                continue
            self.first = number
            return results
        raise ArithmeticError("it fails, or saves more than there are rows")

    def _larger_ones(self) -> Iterator[tuple[int, DeviceProgram]]:
        for number in range(self.first, len(ROWS)):
            try:
                yield number, self._program(ROWS[number])
            except NotNativeError:
                return

    def _program(self, rows: int) -> DeviceProgram:
        with self._lock:
            if rows not in self.programs:
                self.programs[rows] = self.make(self._forms(rows))
            return self.programs[rows]

    def _forms(self, rows: int) -> Iterator[NativeForm]:
        """The native forms with so many rows."""
        graph = self.graph
        for settled in (False, True):
            graph = optimize(
                with_inferred_shapes(after(FLATTENING, with_inferred_shapes(graph), DEVICE))
            )
            graph = with_guessed_stacks(graph, rows, self.most_bytes, settled)
            graph = optimize(with_inferred_shapes(graph))
        if not is_static_graph(graph):
            raise NotNativeError("a shape depends on computed values")
        return native_forms(graph, None, DEVICE)
