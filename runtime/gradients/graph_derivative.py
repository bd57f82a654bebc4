"""The derivative of a graph: a graph that computes the same and saves, and one that goes back.

For `outputs = graph(*inputs)`

    outputs, saved  = forward(*inputs)
    cotangents of inputs and cells = backward(*cotangents of outputs, *saved)

The backward graph is built in a builder that lies *inside* that of the forward graph, so a value
of the forward graph that a gradient rule uses is captured, and the captures are what is saved.
Second derivatives are derivatives of these two graphs.
"""

from __future__ import annotations

import threading

from ..ir.graph import Graph, Value
from ..ir.saved_lists import is_differentiable
from ..tensors.graph_builder import Builder
from ..tensors.tensor import SymbolicTensor, Tensor
from .records import (
    added,
    backpropagate,
    key,
    record_of,
    trainable_cells,
    zeros_of,
)

BUILDING = threading.RLock()


class BackwardBuilder(Builder):
    """Captures constants by value, they need not be saved, and no value where its shape will do."""

    def record(self, op, tensors, attrs, name=None):
        if op.name == "shape":
            owner = getattr(tensors[0], "builder", self)
            if owner is not self and self.encloses(owner):
                return owner.record(op, tensors, attrs, name)
        return super().record(op, tensors, attrs, name)

    def capture(self, tensor: Tensor) -> Value:
        owner = tensor.builder if type(tensor) is SymbolicTensor else None
        node = None if owner is None else owner.node_of(tensor.graph_value)
        if node is not None and node.op.is_constant:
            return self.constant(node.attrs["value"]).graph_value
        return super().capture(tensor)


class Derivative:
    """How a graph is differentiated; `finish` makes the two graphs.

    sources     what it is differentiated by: the inputs, then the trainable cells it reads
    cotangents  the cotangent of each source, while the backward graph is open
    """

    def __init__(self, graph: Graph, inner: Builder | None = None, pull=None):
        self.graph = graph
        self.inner = inner or Builder.reopen(graph)
        self.back = BackwardBuilder(graph.name + ".backward", self.inner)
        self.cells = trainable_cells([graph])
        self.sources = [
            *(SymbolicTensor(value, self.inner) for value in graph.inputs),
            *self.cells,
        ]
        self.outputs = [SymbolicTensor(value, self.inner) for value in graph.outputs]
        self.taken = [is_differentiable(out.dtype) for out in self.outputs]
        with self.back:
            dys = [
                self.back.input(out.dtype, out.dims, "cotangent") if taken else None
                for out, taken in zip(self.outputs, self.taken, strict=True)
            ]
            self.cotangents = (pull or self._pull)(dys)
        self.finished: dict[tuple, Finished] = {}

    def _pull(self, dys) -> list:
        given: dict[int, Tensor] = {}
        for out, dy in zip(self.outputs, dys, strict=True):
            if dy is not None:
                given[key(out)] = added(given.get(key(out)), dy)
        records = [record_of(self.inner, node) for node in list(self.inner.nodes)]
        wanted = {key(one) for one in self.sources if is_differentiable(one.dtype)}
        found = backpropagate(records, given, wanted)
        return [
            found.get(key(one)) if is_differentiable(one.dtype) else None for one in self.sources
        ]

    @property
    def reached(self) -> list[int]:
        """The places of the sources that have a cotangent."""
        return [place for place, one in enumerate(self.cotangents) if one is not None]

    def finish(self, required=()) -> Finished:
        """The graphs; `required` sources get zeros where they have no cotangent."""
        wanted = tuple(sorted({*self.reached, *required}))
        if wanted not in self.finished:
            with BUILDING:
                self.finished[wanted] = Finished(self, wanted)
        return self.finished[wanted]


class Finished:
    """The two graphs of a derivative.

    places   the source that each output of `backward` belongs to
    saved    what `backward` takes after the cotangents: for each the place of an input of the
             graph, or None where it is the next additional output of `forward`
    """

    def __init__(self, derivative: Derivative, places: tuple[int, ...]):
        back, inner, graph = derivative.back, derivative.inner, derivative.graph
        self.places = places
        with back:
            outputs = [
                zeros_of(derivative.sources[place])
                if derivative.cotangents[place] is None
                else derivative.cotangents[place]
                for place in places
            ]
            self.backward = back.finish(outputs)
        captured = [tensor.graph_value for _, tensor in back.captured()]
        inputs = {value: place for place, value in enumerate(graph.inputs)}
        self.saved = [inputs.get(value) for value in captured]
        self.extra = [value for value in captured if value not in inputs]
        self.taken = derivative.taken
        results = [SymbolicTensor(value, inner) for value in (*graph.outputs, *self.extra)]
        nodes = tuple(inner.nodes)
        self.forward = Graph(
            graph.name, graph.inputs, nodes, tuple(tensor.graph_value for tensor in results)
        )

    def arguments(self, dys, outputs, inputs, extra) -> list:
        """What `backward` takes: the cotangents, zeros where there is none, and what was saved."""
        given = [
            zeros_of(out) if dy is None else dy
            for dy, out, taken in zip(dys, outputs, self.taken, strict=False)
            if taken
        ]
        more = iter(extra)
        given += [next(more) if place is None else inputs[place] for place in self.saved]
        return given

    def scatter(self, found, count: int) -> list:
        """The outputs of `backward`, each at the place of its source, among `count`."""
        placed: list = [None] * count
        for place, grad in zip(self.places, found, strict=True):
            placed[place] = grad
        return placed


def derivative_of(graph: Graph) -> Derivative:
    """The derivative of a graph, made once."""
    made = graph.facts.derivative
    if made is None:
        with BUILDING:
            made = graph.facts.derivative or Derivative(graph)
            graph.facts.derivative = made
    return made
