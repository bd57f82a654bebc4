"""Compute once what is computed twice from the same operands."""

from __future__ import annotations

from ..ir.graph import Graph, Node, Value
from ..ir.node_properties import attribute_key
from ..ir.op import PURE
from ..ir.rewrite import rewrite


def eliminate_common_subexpressions(graph: Graph) -> Graph:
    """Pure nodes with the same operation, operands and attributes become one.

    Arrays that are cheap to compute stay apart: one of them may then be overwritten. So do arrays
    that grow, each in memory of its own.
    """
    first: dict[tuple, Node] = {}
    renamed: dict[Value, Value] = {}

    def visit(node: Node):
        if node.effect is not PURE or node.subgraphs:
            return node
        if node.op.is_cheap and node.output.shape != ():
            return node
        if node.op.native_result == "overwrites" and None in (node.output.shape or ()):
            return node
        try:
            key = (
                node.op,
                node.inputs,
                tuple((name, attribute_key(value)) for name, value in node.attrs.items()),
            )
            earlier = first.setdefault(key, node)
        except TypeError:
            return node  # an attribute that cannot be compared
        if earlier is node:
            return node
        renamed.update(zip(node.outputs, earlier.outputs, strict=True))
        return None

    return rewrite(graph, visit, renamed)
