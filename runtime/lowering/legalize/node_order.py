"""The order of nodes: reads of an array before the operations that may overwrite it, scalars and
their checks before the arrays between which the program computes them.

    y = set_item(x, value, i)          n = x[k]
    n = x[k]                           y = set_item(x, value, i)

On the left side, `x` is still read when its item is set, so the item is set in a copy of all
elements. Of an array of rows whose number is not known, any reads move; of others, those of items.

    y = x * 2                          check(n != 0)
    check(n != 0)                      k = 1 / n
    k = 1 / n                          y = x * 2
    z = y * k                          z = y * k

On the left side, what is no loop over elements ends the loop nest of `y`, which is stored and read
again for `z`. A check may come sooner: where it does not hold, the kernel has changed nothing, and
other code runs.
"""

from __future__ import annotations

from collections.abc import Callable

from ...ir.graph import Graph, Node, Value
from ...ir.op import PURE, TABLE, Op
from ...ir.rewrite import inside_subgraphs
from ..buffer_assignment import may_grow


def hoist_reads_over_writes(graph: Graph) -> Graph:
    """The graph with another order of its nodes, and of those in its sub-graphs."""
    graph = inside_subgraphs(graph, hoist_reads_over_writes)
    order = _Order(graph)
    viewed: set[Value] = set()  # whose other readers are before the first of their views
    for node in graph.nodes:
        read_later = {value for value in node.inputs if order.is_read_after(node, value)}
        growing = set(filter(may_grow, read_later)) if _writes_rows(node.op) else set()
        if node.op.native_result == "view":
            growing -= viewed
            viewed |= growing
        if growing and any(map(may_grow, node.outputs)):
            order.move_readers(node, growing, _keeps_rows)
        elif node.op.native_result == "overwrites" and node.inputs[0] in read_later:
            order.move_readers(node, {node.inputs[0]}, _is_of_items)
    return graph if order.nodes == list(graph.nodes) else graph.replace(nodes=tuple(order.nodes))


def _writes_rows(op: Op) -> bool:
    """Whether an operation may change an array of unknown rows, or take over its memory."""
    return op.any_rows or op.saves_for_backward


def _keeps_rows(node: Node) -> bool:
    return not (node.may_raise or any(map(may_grow, node.outputs)))


def _is_of_items(node: Node) -> bool:
    """Whether a node reads an item, or computes a number: it may fail, which ends the kernel."""
    return all(value.shape == () for value in node.outputs)


class _Order:
    """The nodes of a graph in their new order, and the last reader of each value or its views."""

    def __init__(self, graph: Graph) -> None:
        self.nodes = list(graph.nodes)
        self.positions = {id(node): position for position, node in enumerate(self.nodes)}
        self.views: dict[Value, list[Node]] = {}
        self.last_reader: dict[Value, Node] = {}
        for node in reversed(self.nodes):
            for value in node.inputs:
                self.last_reader.setdefault(value, node)
            if node.op.native_result == "view":
                self.views.setdefault(node.inputs[0], []).append(node)
                readers = self.last_reader[node.inputs[0]], self.last_reader.get(node.output, node)
                self.last_reader[node.inputs[0]] = max(readers, key=self.position)

    def position(self, node: Node) -> int:
        return self.positions[id(node)]

    def is_read_after(self, node: Node, value: Value) -> bool:
        return self.position(self.last_reader[value]) > self.position(node)

    def move_readers(
        self, writer: Node, arrays: set[Value], may_move: Callable[[Node], bool]
    ) -> None:
        """Move what reads `arrays` or views of them before `writer`, with what it is computed from.

        Between the writer and the last of these readers alone: others stay where they are.
        """
        start = self.position(writer)
        stop = 1 + max(self.position(self.last_reader[value]) for value in arrays)
        left = [*arrays]
        while left:
            views = [view for view in self.views.get(left.pop(), ()) if self.position(view) < start]
            left += (view.output for view in views)
            arrays.update(view.output for view in views)
        nodes = self.nodes[start:stop]
        later = {value for node in nodes for value in node.outputs}
        movable: dict[Value, Node] = {}
        moved: set[int] = set()
        for node in nodes[1:]:
            is_plain = node.effect == PURE and not node.subgraphs and may_move(node)
            if not is_plain or not all(arg in movable or arg not in later for arg in node.inputs):
                continue
            movable.update((value, node) for value in node.outputs)
            if not arrays.isdisjoint(node.inputs):
                _add_with_operands(node, movable, moved)
        nodes.sort(key=lambda node: id(node) not in moved)
        self.nodes[start:stop] = nodes
        self.positions.update((id(node), start + at) for at, node in enumerate(nodes))


def _add_with_operands(node: Node, movable: dict[Value, Node], moved: set[int]) -> None:
    left = [node]
    while left:
        node = left.pop()
        if id(node) not in moved:
            moved.add(id(node))
            left += [movable[value] for value in node.inputs if value in movable]


# ---- scalars first -----------------------------------------------------------------------------


def scalars_first(graph: Graph) -> Graph:
    """The graph, and its sub-graphs, with each scalar that is computed from scalars as early as an
    effect allows, and each check once.
    """
    graph = inside_subgraphs(graph, scalars_first)
    nodes: list[Node] = []
    late: list[Node] = []
    computed: set[Value] = set()  # by late nodes
    checked: set[Value] = set()
    for node in graph.nodes:
        is_check = node.op is TABLE["assert"]
        if is_check and node.inputs[0] in checked:
            continue
        checked.update(node.inputs[:is_check])
        if node.subgraphs or not (is_check or node.effect == PURE):
            nodes += [*late, node]
            late, computed = [], set()
        elif computed.isdisjoint(node.inputs) and _is_of_scalars(node):
            nodes.append(node)
        else:
            late.append(node)
            computed.update(node.outputs)
    nodes += late
    return graph if nodes == list(graph.nodes) else graph.replace(nodes=tuple(nodes))


def _is_of_scalars(node: Node) -> bool:
    """An index of a view stays where it is: what is read before often proves its bounds."""
    is_index = node.op is TABLE["wrapped_index"]
    return not is_index and all(value.shape == () for value in (*node.inputs, *node.outputs))
