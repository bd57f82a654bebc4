"""A `Call` becomes the nodes of the graph it calls, an `If` of a constant those of a branch."""

from __future__ import annotations

from dataclasses import replace

from ..ir.constant_values import full_constant
from ..ir.graph import Graph, Node, Value
from ..ir.op import TABLE
from ..ir.rewrite import rewrite_ops


def inline_calls(graph: Graph) -> Graph:
    """The graph without calls; each inlined node gets values of its own."""
    renamed: dict[Value, Value] = {}

    def visit(node: Node) -> list[Node]:
        inner = inline_calls(node.attrs["graph"])
        own = dict(zip(inner.inputs, node.inputs, strict=True))
        nodes = [_copied(inner_node, own) for inner_node in inner.nodes]
        for outside, inside in zip(node.outputs, inner.outputs, strict=True):
            renamed[outside] = own[inside]
        return nodes

    return rewrite_ops(graph, {"call": visit}, renamed)


def _copied(node: Node, own: dict[Value, Value]) -> Node:
    outputs = tuple(replace(value) for value in node.outputs)
    inputs = tuple(own[value] for value in node.inputs)
    own.update(zip(node.outputs, outputs, strict=True))
    return replace(node, inputs=inputs, outputs=outputs)


def specialize_branches(graph: Graph) -> Graph:
    """The graph with the branches of constant tests inlined."""
    return inline_calls(rewrite_ops(graph, {"if": _chosen}))


def _chosen(node: Node) -> Node:
    """A call of the branch that runs; the node itself where the test is not constant."""
    constant = full_constant(node.inputs[0])
    if constant is None:
        return node
    chosen = specialize_branches(node.attrs["then" if constant else "orelse"])
    return replace(node, op=TABLE["call"], inputs=node.inputs[1:], attrs={"graph": chosen})
