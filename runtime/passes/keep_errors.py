"""Let assertions read results that nobody needs although their computation may raise.

Later passes remove what is not read. In NumPy mode that would remove an IndexError of the program
with it:

    for i in range(n):
        b[i] = m[i + 1]      # nothing reads `b` afterwards

The body gets an assertion of a condition on `m[i + 1]` that always holds.
"""

from __future__ import annotations

from ..ir.graph import Graph, Node, Value
from ..ir.op import TABLE
from ..ir.rewrite import inside_subgraphs, with_subgraphs
from ..ir.scalar_nodes import ScalarNodes, assertion
from .dead_code import drop_dead_loop_state, eliminate_dead_code
from .simplify import simplify_all


def keep_errors(graph: Graph) -> Graph:
    """The graph with an assertion on each result that would be removed together with its errors."""
    if not any(map(_may_raise, graph.walk())):
        return graph
    graph, before = simplify_all(graph), None  # which may make more of it dead
    while graph is not before:
        before, graph = graph, _with_assertions(graph, _values_that_remain(graph), set())
    return graph


def _may_raise(node: Node) -> bool:
    return node.may_raise and not (node.subgraphs or node.op.is_check)


def _values_that_remain(graph: Graph) -> set[Value]:
    """The results of nodes, also in sub-graphs, that are left without dead code."""
    before = None
    while graph is not before:
        before, graph = graph, _without_dead_code(graph)
    return {value for node in graph.walk() for value in node.outputs}


def _without_dead_code(graph: Graph) -> Graph:
    graph = eliminate_dead_code(drop_dead_loop_state(graph))
    return inside_subgraphs(graph, _without_dead_code)


def _with_assertions(graph: Graph, remaining: set[Value], needed: set[Value]) -> Graph:
    """The graph with assertions on results that are lost. They need `needed`, or more, besides."""
    nodes: list[Node] = []
    appended = _appended_to(graph)
    for node in reversed(graph.nodes):
        node = with_subgraphs(node, lambda inner: _with_assertions(inner, remaining, needed))
        outputs = set(node.outputs)
        if outputs.isdisjoint(remaining) and not node.op.callee_attribute:  # which is never dropped
            if _may_raise(node) and outputs.isdisjoint(needed) and outputs.isdisjoint(appended):
                nodes += reversed(_assertion(node))
                needed.update(outputs)
            if not outputs.isdisjoint(needed):
                needed.update(node.inputs)
        nodes.append(node)
    nodes.reverse()
    return graph if nodes == list(graph.nodes) else graph.replace(nodes=tuple(nodes))


def _appended_to(graph: Graph) -> set[Value]:
    """The memory of lists right after an item was appended, for which there is space."""
    appended: set[Value] = set()
    for node in graph.nodes:
        if node.op is TABLE.get("ensure_length") or (
            node.op.part_is_read_by and node.inputs[0] in appended
        ):
            appended.update(node.outputs)
    return appended


def _assertion(source: Node) -> list[Node]:
    """Nodes that assert a condition on the first result of a node, which holds for every value."""
    nodes, value = ScalarNodes(), source.outputs[0]
    nodes.where = source.where
    same, other = (nodes.added(name, value, value) for name in ("equal", "not_equal"))
    condition = nodes.added("logical_or", same, other)
    if value.shape != ():
        condition = nodes.added("reduce_all", condition, axis=None, keepdims=False)
    return [*nodes.nodes, assertion(condition, "Python computes this", source.where)]
