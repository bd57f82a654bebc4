"""Replace nodes that depend on constants only by their values."""

from __future__ import annotations

from ..core.shapes import is_static
from ..ir.constant_values import CONSTANT_LIMIT, full_constant
from ..ir.graph import Graph, Node, elements_of
from ..ir.op import PURE, TABLE
from ..ir.rewrite import rewrite


def fold_constants(graph: Graph) -> Graph:
    """Small pure results with a constant value become constants."""

    def visit(node: Node) -> Node:
        if node.op.is_constant or node.effect is not PURE or len(node.outputs) != 1:
            return node
        constant = full_constant(node.output)
        if (
            constant is None
            or not is_static(node.output.shape)
            or elements_of(node.output) > CONSTANT_LIMIT
        ):
            return node
        return Node(TABLE["const"], (), {"value": constant}, node.outputs, node.where, node.name)

    return rewrite(graph, visit)
