"""Control flow passes on only what is needed.

A loop stops carrying what neither its test, its effects nor anybody afterwards needs, and what the
body never changes. A branch stops giving results that nobody reads. Neither receives operands that
its graphs do not use.
"""

from __future__ import annotations

from dataclasses import replace

from ..ir.graph import Graph, Node, Value
from ..ir.op import PURE
from ..ir.rewrite import inside_subgraphs, rewrite_ops
from .eliminate_dead_code import eliminate_dead_code


def drop_dead_loop_state(graph: Graph) -> Graph:
    """The graph with the least state in its loops and branches."""
    if not graph.has("while", "if", "call"):
        return graph
    while True:
        inner = inside_subgraphs(graph, drop_dead_loop_state)
        made = _dropped(inner)
        if made is graph:
            return graph
        graph = made


def _dropped(graph: Graph) -> Graph:
    used = graph.values_read()
    renamed: dict[Value, Value] = {}

    rules = {
        "if": lambda node: _smaller_branch(node, used),
        "while": lambda node: _smaller_loop(node, used, renamed),
    }
    return rewrite_ops(graph, rules, renamed)


# ---- if ------------------------------------------------------------------------------------


def _smaller_branch(node: Node, used: set[Value]) -> Node:
    then, orelse = node.attrs["then"], node.attrs["orelse"]
    kept = [place for place, value in enumerate(node.outputs) if value in used]
    if len(kept) < len(node.outputs):
        then, orelse = (
            eliminate_dead_code(one.replace(outputs=_at(one.outputs, kept)))
            for one in (then, orelse)
        )
    read = then.values_read() | orelse.values_read()
    pairs = list(zip(then.inputs, orelse.inputs, strict=True))
    taken = [place for place, pair in enumerate(pairs) if read.intersection(pair)]
    if len(kept) == len(node.outputs) and len(taken) == len(pairs):
        return node
    then, orelse = (one.replace(inputs=_at(one.inputs, taken)) for one in (then, orelse))
    inputs = (node.inputs[0], *_at(node.inputs[1:], taken))
    attrs = {**node.attrs, "then": then, "orelse": orelse}
    return replace(node, inputs=inputs, outputs=_at(node.outputs, kept), attrs=attrs)


# ---- while ---------------------------------------------------------------------------------


def _smaller_loop(node: Node, used: set[Value], renamed: dict[Value, Value]) -> Node:
    test, body, carried = node.attrs["test"], node.attrs["body"], node.attrs["carried"]
    needed = _needed(node, used)
    moving, still = [], []
    for place in sorted(needed):
        same = body.outputs[place] is body.inputs[place]
        (still if same else moving).append(place)
        if same:
            renamed[node.outputs[place]] = node.inputs[place]
    results = _at(body.outputs, moving)
    body = eliminate_dead_code(body.replace(outputs=results))
    read = test.values_read() | body.values_read()
    fixed = [
        place
        for place in (*still, *range(carried, len(node.inputs)))
        if read.intersection((test.inputs[place], body.inputs[place]))
    ]
    order = [*moving, *fixed]
    if order == list(range(len(node.inputs))) and len(moving) == carried:
        return node
    attrs = {
        **node.attrs,
        "test": test.replace(inputs=_at(test.inputs, order)),
        "body": body.replace(inputs=_at(body.inputs, order)),
        "carried": len(moving),
    }
    return replace(
        node, inputs=_at(node.inputs, order), outputs=_at(node.outputs, moving), attrs=attrs
    )


def _needed(node: Node, used: set[Value]) -> set[int]:
    """The places of the carried values that something depends on."""
    test, body, carried = node.attrs["test"], node.attrs["body"], node.attrs["carried"]
    wanted = _slice(test, test.outputs)
    needed = {
        place
        for place in range(carried)
        if node.outputs[place] in used or test.inputs[place] in wanted
    }
    while True:
        wanted = _slice(body, [body.outputs[place] for place in needed])
        more = {place for place in range(carried) if body.inputs[place] in wanted} - needed
        if not more:
            return needed
        needed |= more


def _slice(graph: Graph, outputs) -> set[Value]:
    """The values that some outputs and the effects of a graph depend on."""
    wanted = set(outputs)
    for node in reversed(graph.nodes):
        if node.effect is not PURE or wanted.intersection(node.outputs):
            wanted.update(node.inputs)
    return wanted


def _at(items, places) -> tuple:
    return tuple(items[place] for place in places)
