"""Values that nobody reads, but whose computation may raise: the graph has to keep them."""

from __future__ import annotations

from ...runtime.ir.graph import Graph, Node, Value
from ...runtime.ir.op import TABLE as OPS
from ...runtime.ir.op import WRITES
from ...runtime.tensors.graph_builder import Builder
from ...runtime.tensors.tensor import SymbolicTensor
from .traced_scalar import require


def keep_checks(builder: Builder, outputs) -> None:
    """Let an assertion read what would be removed from a graph although it may raise.

    `outputs` are the tensors that the graph will return.
    """
    needed = {builder.value_of(tensor) for tensor in outputs}
    unread = []
    for node in reversed(builder.nodes):
        checked = [value for value in _may_raise(node) if value not in needed]
        unread += checked
        if checked or node.effect == WRITES or not needed.isdisjoint(node.outputs):
            needed.update(node.inputs)
    for value in reversed(unread):
        if value.dtype.is_bool or value.dtype.is_integer or value.dtype.is_floating:
            require(_always_true(SymbolicTensor(value, builder)))


def _may_raise(node: Node) -> list[Value]:
    """The outputs of a node whose computation may raise."""
    if not node.subgraphs:
        return list(node.outputs) if node.may_raise and not node.op.variable_access else []
    graphs = [graph for key, graph in node.subgraphs.items() if key != "test"]
    return [
        value
        for index, value in enumerate(node.outputs)
        if any(_cone_may_raise(graph, graph.outputs[index]) for graph in graphs)
    ]


def _cone_may_raise(graph: Graph, output: Value) -> bool:
    """Whether a node that an output of a graph depends on may raise, or holds graphs."""
    needed = {output}
    for node in reversed(graph.nodes):
        if not needed.isdisjoint(node.outputs):
            if node.subgraphs or (node.may_raise and not node.op.variable_access):
                return True
            needed.update(node.inputs)
    return False


def _always_true(tensor):
    """A condition on all elements of a tensor that holds for every value."""
    condition = OPS["logical_or"](OPS["equal"](tensor, tensor), OPS["not_equal"](tensor, tensor))
    if tensor.dims == ():
        return condition
    return OPS["reduce_all"](condition, axis=None, keepdims=False)
