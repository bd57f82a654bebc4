"""An `If` whose test is known becomes the branch that runs."""

from __future__ import annotations

from ..ir.constant_values import full_constant
from ..ir.graph import Graph, Node
from ..ir.op import TABLE
from ..ir.rewrite import rewrite_ops
from .inline_calls import inline_calls


def specialize_branches(graph: Graph) -> Graph:
    """The graph with decided branches inlined."""
    made = rewrite_ops(graph, {"if": _chosen})
    return graph if made is graph else inline_calls(made)


def _chosen(node: Node) -> Node:
    """A call of the branch that runs; the node itself where that is not known."""
    known = full_constant(node.inputs[0])
    if known is None:
        return node
    chosen = specialize_branches(node.attrs["then" if known else "orelse"])
    return Node(
        TABLE["call"], node.inputs[1:], {"graph": chosen}, node.outputs, node.where, node.name
    )
