"""Let assertions read results that nobody needs although their computation may raise.

Later passes remove what is not read. In NumPy mode that would remove an IndexError of the program
with it:

    for i in range(n):
        b[i] = m[i + 1]      # nothing reads `b` afterwards

The body gets an assertion of a condition on `m[i + 1]` that always holds.
"""

from __future__ import annotations

from dataclasses import replace

from ..ir.graph import Graph, Node, Value
from ..ir.op import TABLE
from ..ir.rewrite import inside_subgraphs
from ..ir.scalar_nodes import ScalarNodes, assertion
from .dead_code import drop_dead_loop_state, eliminate_dead_code
from .simplify import without_whole_assignments


def keep_errors(graph: Graph) -> Graph:
    """The graph with an assertion on each result that would be removed together with its errors."""
    if not any(map(_may_raise, graph.walk())):
        return graph
    graph = without_whole_assignments(graph)
    return _with_assertions(graph, _values_that_remain(graph))


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


def _with_assertions(graph: Graph, needed: set[Value]) -> Graph:
    """`needed` is extended by what the assertions depend on."""
    nodes: list[Node] = []
    appended = _appended_to(graph)
    for node in reversed(graph.nodes):
        inner = {key: _with_assertions(inside, needed) for key, inside in node.subgraphs.items()}
        if any(inside is not node.attrs[key] for key, inside in inner.items()):
            node = replace(node, attrs={**node.attrs, **inner})
        outputs = set(node.outputs)
        is_lost = outputs.isdisjoint(needed) and outputs.isdisjoint(appended)
        if is_lost and _may_raise(node):
            nodes += reversed(_assertion(node))
            needed.update(node.outputs)
        if not outputs.isdisjoint(needed):
            needed.update(node.inputs)
        nodes.append(node)
    if len(nodes) == len(graph.nodes) and all(
        new is old for new, old in zip(reversed(nodes), graph.nodes, strict=True)
    ):
        return graph
    return graph.replace(nodes=tuple(reversed(nodes)))


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
