"""The derivative of a graph: a graph that computes the same and saves, and one that goes back.

For `outputs = graph(*inputs)`

    outputs, saved  = forward(*inputs)
    cotangents of inputs and cells = backward(*cotangents of outputs, *saved)

The backward graph is built in a builder that lies *inside* that of the forward graph, so a value
of the forward graph that a gradient rule uses is captured, and the captures are what is saved.
Second derivatives are derivatives of these two graphs.
"""

from __future__ import annotations

from typing import Any

from ..core.locks import CompilerLock
from ..ir.graph import Graph, Value
from ..ir.saved_lists import is_differentiable
from ..tensors.graph_builder import Builder
from ..tensors.tensor import SymbolicTensor, Tensor
from .records import added, backpropagate, key, record_of, trainable_cells, zeros_of

BUILDING = CompilerLock()


class BackwardBuilder(Builder):
    """Copies constants instead of capturing them, and captures shapes instead of values."""

    def record(self, op, tensors, attrs, name=None):
        if op.name == "shape":
            owner = getattr(tensors[0], "builder", self)
            if owner is not self and self.encloses(owner):
                return owner.record(op, tensors, attrs, name)
        return super().record(op, tensors, attrs, name)

    def capture(self, tensor: Any) -> Value:
        owner = tensor.builder if type(tensor) is SymbolicTensor else None
        node = None if owner is None else owner.node_of(tensor.graph_value)
        if node is not None and node.op.is_constant:
            return self.constant(node.attrs["value"]).graph_value
        return super().capture(tensor)


class Derivative:
    """The backward pass of a graph as it is recorded; `finish` gives the two graphs.

    sources     what it is differentiated by: the inputs, then the trainable cells it reads
    cotangents  the cotangent of each source, while the backward graph is open
    """

    def __init__(self, graph: Graph, inner: Builder | None = None, pull=None):
        self.graph = graph
        self.is_declared = pull is not None  # by the user, who states the backward pass
        self.inner = inner or Builder.reopen(graph)
        self.back = BackwardBuilder(graph.name + ".backward", self.inner)
        self.cells = trainable_cells([graph])
        self.sources: list[Any] = [
            *(SymbolicTensor(value, self.inner) for value in graph.inputs),
            *self.cells,
        ]
        self.outputs = [SymbolicTensor(value, self.inner) for value in graph.outputs]
        self.differentiable = [is_differentiable(out.dtype) for out in self.outputs]
        with self.back:
            dys = [
                self.back.input(out.dtype, out.dims, "cotangent") if has_cotangent else None
                for out, has_cotangent in zip(self.outputs, self.differentiable, strict=True)
            ]
            self.cotangents = (pull or self._pull)(dys)
        self.finished: dict[tuple, Finished] = {}

    def _pull(self, dys) -> list:
        cotangents: dict[int, Tensor] = {}
        for out, dy in zip(self.outputs, dys, strict=True):
            if dy is not None:
                cotangents[key(out)] = added(cotangents.get(key(out)), dy)
        records = [record_of(self.inner, node) for node in list(self.inner.nodes)]
        sources = {key(source) for source in self.sources if is_differentiable(source.dtype)}
        gradients = backpropagate(records, cotangents, sources)
        return [
            gradients.get(key(source)) if is_differentiable(source.dtype) else None
            for source in self.sources
        ]

    @property
    def reached(self) -> list[int]:
        """The indices of the sources that have a cotangent."""
        return [index for index, cotangent in enumerate(self.cotangents) if cotangent is not None]

    def finish(self, required=()) -> Finished:
        """The graphs; `required` sources get zeros where they have no cotangent."""
        indices = tuple(sorted({*self.reached, *required}))
        if indices not in self.finished:
            with BUILDING:
                self.finished[indices] = Finished(self, indices)
        return self.finished[indices]


class Finished:
    """The two graphs of a derivative.

    source_indices  the source that each output of `backward` belongs to
    saved           what `backward` takes after the cotangents: the index of an input of the graph,
                    or None for the next additional output of `forward`
    differentiable  for each output of the graph, whether `backward` takes its cotangent
    """

    def __init__(self, derivative: Derivative, source_indices: tuple[int, ...]):
        back, inner, graph = derivative.back, derivative.inner, derivative.graph
        self.source_indices = source_indices
        with back:
            outputs = [
                zeros_of(derivative.sources[index])
                if derivative.cotangents[index] is None
                else derivative.cotangents[index]
                for index in source_indices
            ]
            self.backward = back.finish(outputs)
        captured = [tensor.graph_value for _, tensor in back.captured()]
        inputs = {value: index for index, value in enumerate(graph.inputs)}
        self.saved = [inputs.get(value) for value in captured]
        self.extra = [value for value in captured if value not in inputs]
        self.differentiable = derivative.differentiable
        results = [SymbolicTensor(value, inner) for value in (*graph.outputs, *self.extra)]
        nodes = tuple(inner.nodes)
        self.forward = Graph(
            graph.name, graph.inputs, nodes, tuple(tensor.graph_value for tensor in results)
        )

    def arguments(self, dys, outputs, inputs, extra) -> list:
        """The arguments of `backward`: cotangents (zeros where there is none) and saved values."""
        arguments = [
            zeros_of(out) if dy is None else dy
            for dy, out, has_cotangent in zip(dys, outputs, self.differentiable, strict=False)
            if has_cotangent
        ]
        more = iter(extra)
        arguments += [next(more) if index is None else inputs[index] for index in self.saved]
        return arguments

    def scatter(self, gradients, count: int) -> list:
        """The outputs of `backward` at the indices of their sources, in a list of `count`."""
        placed: list = [None] * count
        for index, grad in zip(self.source_indices, gradients, strict=True):
            placed[index] = grad
        return placed


def derivative_of(graph: Graph) -> Derivative:
    """The derivative of a graph, computed once."""
    derivative = graph.facts.derivative
    if derivative is None:
        with BUILDING:
            derivative = graph.facts.derivative or Derivative(graph)
            graph.facts.derivative = derivative
    return derivative
