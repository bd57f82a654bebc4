"""Remove dead code: nodes that nobody reads, dead state of loops and dead results of branches.

What writes state or prints stays. A loop no longer carries values that neither its test, its
effects nor later nodes need, and values that the body never changes become invariants. Branches
drop results that are not read. Both drop operands that their graphs do not use.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..ir.graph import Graph, Node, Value
from ..ir.op import PURE, WRITES
from ..ir.rewrite import inside_subgraphs, items_at, nodes_read, rewrite, settling, with_operands


def eliminate_dead_code(graph: Graph) -> Graph:
    """The graph without unused nodes, in the same order."""
    kept = nodes_read(graph.nodes, graph.outputs, lambda node: node.effect == WRITES)
    return graph if len(kept) == len(graph.nodes) else graph.replace(nodes=kept)


@settling
def drop_dead_loop_state(graph: Graph) -> Graph:
    """The graph with the least state in its loops and branches."""
    inner = inside_subgraphs(eliminate_dead_code(graph), drop_dead_loop_state)
    used, nodes = set(inner.outputs), []
    renamed: dict[Value, Value] = {}
    rules: dict[str, Any] = {"if": _smaller_branch, "while": _smaller_loop}
    for node in reversed(inner.nodes):  # readers first: what only dead state reads is dead too
        nodes.append(rules.get(node.op.name, lambda same, *_: same)(node, used, renamed))
        used.update(nodes[-1].inputs)
    for value in reversed(renamed):
        renamed[value] = renamed.get(renamed[value], renamed[value])
    if (kept := tuple(reversed(nodes))) == graph.nodes:
        return graph
    return drop_dead_loop_state(rewrite(inner.replace(nodes=kept), lambda same: same, renamed))


# ---- if ------------------------------------------------------------------------------------


def _smaller_branch(node: Node, used: set[Value], _: dict) -> Node:
    then, orelse = node.attrs["then"], node.attrs["orelse"]
    kept = [index for index, value in enumerate(node.outputs) if value in used]
    if len(kept) < len(node.outputs):
        then, orelse = (
            eliminate_dead_code(side.replace(outputs=items_at(side.outputs, kept)))
            for side in (then, orelse)
        )
    read = then.values_read() | orelse.values_read()
    pairs = list(zip(then.inputs, orelse.inputs, strict=True))
    read_indices = [index for index, pair in enumerate(pairs) if read.intersection(pair)]
    if len(kept) == len(node.outputs) and len(read_indices) == len(pairs):
        return node
    then, orelse = (
        side.replace(inputs=items_at(side.inputs, read_indices)) for side in (then, orelse)
    )
    inputs = (node.inputs[0], *items_at(node.inputs[1:], read_indices))
    attrs = {**node.attrs, "then": then, "orelse": orelse}
    return replace(node, inputs=inputs, outputs=items_at(node.outputs, kept), attrs=attrs)


# ---- while ---------------------------------------------------------------------------------


def _smaller_loop(node: Node, used: set[Value], renamed: dict[Value, Value]) -> Node:
    test, body, carried = node.attrs["test"], node.attrs["body"], node.attrs["carried"]
    needed = _needed(node, used)
    moving: list[int] = []
    still: list[int] = []
    for index in sorted(needed):
        same = body.outputs[index] is body.inputs[index]
        (still if same else moving).append(index)
        if same:
            renamed[node.outputs[index]] = node.inputs[index]
            used.update({node.inputs[index]} if node.outputs[index] in used else ())
    results = items_at(body.outputs, moving)
    body = eliminate_dead_code(body.replace(outputs=results))
    read = test.values_read() | body.values_read()
    fixed = [
        index
        for index in (*still, *range(carried, len(node.inputs)))
        if read.intersection((test.inputs[index], body.inputs[index]))
    ]
    if [*moving, *fixed] == list(range(len(node.inputs))) and len(moving) == carried:
        return node
    return with_operands(node, moving, fixed, body)


def _needed(node: Node, used: set[Value]) -> set[int]:
    """The indices of the carried values that something depends on."""
    test, body, carried = node.attrs["test"], node.attrs["body"], node.attrs["carried"]
    required = _slice(test, test.outputs)
    needed = {
        index
        for index in range(carried)
        if node.outputs[index] in used or test.inputs[index] in required
    }
    while True:
        required = _slice(body, [body.outputs[index] for index in needed])
        more = {index for index in range(carried) if body.inputs[index] in required} - needed
        if not more:
            return needed
        needed |= more


def _slice(graph: Graph, outputs) -> set[Value]:
    """The values that some outputs and the effects of a graph depend on."""
    kept = nodes_read(graph.nodes, outputs, lambda node: node.effect is not PURE)
    return {*outputs, *(value for node in kept for value in node.inputs)}
