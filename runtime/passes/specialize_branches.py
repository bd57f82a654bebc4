"""An `If` whose test is known becomes the branch that runs."""

from __future__ import annotations

from ..ir.constant_values import fully_known
from ..ir.graph import Graph, Node
from ..ir.op import TABLE
from ..ir.rewrite import rewrite
from .inline_calls import inline_calls


def specialise_branches(graph: Graph) -> Graph:
    """The graph with decided branches inlined."""
    if not graph.has("if"):
        return graph

    def visit(node: Node) -> Node:
        known = fully_known(node.inputs[0]) if node.op.name == "if" else None
        if known is None:
            return node
        chosen = specialise_branches(node.attrs["then" if known else "orelse"])
        return Node(
            TABLE["call"], node.inputs[1:], {"graph": chosen}, node.outputs, node.where, node.name
        )

    made = rewrite(graph, visit)
    return graph if made is graph else inline_calls(made)
