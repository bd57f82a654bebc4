"""Reads of an array of rows before the operations that may overwrite it.

    y = set_item(x, value, i)          n = shape(x)
    n = shape(x)                       y = set_item(x, value, i)

On the left side, `x` is still read when its item is set, so the item is set in a copy of all rows.
"""

from __future__ import annotations

from ...ir.graph import Graph, Node, Value
from ...ir.op import PURE
from ...ir.rewrite import inside_subgraphs
from ..buffer_assignment import may_grow


def readers_first(graph: Graph) -> Graph:
    """The graph with another order of its nodes, and of those in its sub-graphs."""
    graph = inside_subgraphs(graph, readers_first)
    nodes = list(graph.nodes)
    for node in graph.nodes:
        arrays = set(filter(may_grow, node.inputs))
        if arrays and any(map(may_grow, node.outputs)):
            _move_readers(nodes, node, arrays)
    return graph if nodes == list(graph.nodes) else graph.replace(nodes=tuple(nodes))


def _move_readers(nodes: list[Node], writer: Node, arrays: set[Value]) -> None:
    """Move what reads `arrays` or views of them, and nothing computed later, before `writer`."""
    start = nodes.index(writer)
    views = (node for node in nodes[:start] if node.op.native_result == "view")
    for node in views:
        if node.inputs[0] in arrays:
            arrays.add(node.output)
    later = {value for node in nodes[start:] for value in node.outputs}
    moved = [
        node
        for node in nodes[start + 1 :]
        if not arrays.isdisjoint(node.inputs)
        and later.isdisjoint(node.inputs)
        and node.effect == PURE
        and not (node.may_raise or node.subgraphs or any(map(may_grow, node.outputs)))
    ]
    nodes[start:] = [*moved, *(node for node in nodes[start:] if node not in moved)]
