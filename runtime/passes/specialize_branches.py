"""Replace an `If` with a constant test by the branch that runs."""

from __future__ import annotations

from ..ir.constant_values import full_constant
from ..ir.graph import Graph, Node
from ..ir.op import TABLE
from ..ir.rewrite import rewrite_ops
from .inline_calls import inline_calls


def specialize_branches(graph: Graph) -> Graph:
    """The graph with the branches of constant tests inlined."""
    result = rewrite_ops(graph, {"if": _chosen})
    return graph if result is graph else inline_calls(result)


def _chosen(node: Node) -> Node:
    """A call of the branch that runs; the node itself where the test is not constant."""
    constant = full_constant(node.inputs[0])
    if constant is None:
        return node
    chosen = specialize_branches(node.attrs["then" if constant else "orelse"])
    return Node(
        TABLE["call"], node.inputs[1:], {"graph": chosen}, node.outputs, node.where, node.name
    )
