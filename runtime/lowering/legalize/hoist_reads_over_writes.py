"""Reads of an array before the operations that may overwrite it.

    y = set_item(x, value, i)          n = x[k]
    n = x[k]                           y = set_item(x, value, i)

On the left side, `x` is still read when its item is set, so the item is set in a copy of all
elements. Of an array of rows whose number is not known, any reads move; of others, those of items.
"""

from __future__ import annotations

from collections.abc import Callable

from ...ir.graph import Graph, Node, Value
from ...ir.op import PURE
from ...ir.rewrite import inside_subgraphs
from ..buffer_assignment import may_grow


def hoist_reads_over_writes(graph: Graph) -> Graph:
    """The graph with another order of its nodes, and of those in its sub-graphs."""
    graph = inside_subgraphs(graph, hoist_reads_over_writes)
    nodes, uses = list(graph.nodes), graph.uses()
    for node in graph.nodes:
        arrays = set(filter(may_grow, node.inputs))
        if arrays and any(map(may_grow, node.outputs)):
            _move_readers(nodes, node, arrays, _keeps_rows)
        elif node.op.native_result == "overwrites" and uses[node.inputs[0]][-1] is not node:
            _move_readers(nodes, node, {node.inputs[0]}, _is_of_items)
    return graph if nodes == list(graph.nodes) else graph.replace(nodes=tuple(nodes))


def _keeps_rows(node: Node) -> bool:
    return not (node.may_raise or any(map(may_grow, node.outputs)))


def _is_of_items(node: Node) -> bool:
    """Whether a node reads an item, or computes a number: it may fail, which ends the kernel."""
    return all(value.shape == () for value in node.outputs)


def _move_readers(
    nodes: list[Node], writer: Node, arrays: set[Value], may_move: Callable[[Node], bool]
) -> None:
    """Move what reads `arrays` or views of them before `writer`, with what it is computed from."""
    start = nodes.index(writer)
    views = (node for node in nodes[:start] if node.op.native_result == "view")
    for node in views:
        if node.inputs[0] in arrays:
            arrays.add(node.output)
    later = {value for node in nodes[start:] for value in node.outputs}
    movable: dict[Value, Node] = {}
    moved: set[int] = set()
    for node in nodes[start + 1 :]:
        is_plain = node.effect == PURE and not node.subgraphs and may_move(node)
        if not is_plain or not all(arg in movable or arg not in later for arg in node.inputs):
            continue
        movable.update((value, node) for value in node.outputs)
        if not arrays.isdisjoint(node.inputs):
            _add_with_operands(node, movable, moved)
    rest = nodes[start:]
    nodes[start:] = [node for node in rest if id(node) in moved]
    nodes += [node for node in rest if id(node) not in moved]


def _add_with_operands(node: Node, movable: dict[Value, Node], moved: set[int]) -> None:
    left = [node]
    while left:
        node = left.pop()
        if id(node) not in moved:
            moved.add(id(node))
            left += [movable[value] for value in node.inputs if value in movable]
