"""Remove nodes whose results nobody uses; what writes state or prints stays."""

from __future__ import annotations

from ..ir.graph import Graph
from ..ir.op import WRITES


def eliminate_dead_code(graph: Graph) -> Graph:
    """The graph without unused nodes, in the same order."""
    needed = set(graph.outputs)
    kept = []
    for node in reversed(graph.nodes):
        if node.effect == WRITES or needed.intersection(node.outputs):
            kept.append(node)
            needed.update(node.inputs)
    return graph if len(kept) == len(graph.nodes) else graph.replace(nodes=tuple(reversed(kept)))
