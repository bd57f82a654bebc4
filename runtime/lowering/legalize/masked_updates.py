"""Compute under a mask what replaces elements under the same mask, so that none are gathered.

    z[m] = z[m] ** 2 + c[m]     becomes     z = where(m, z ** 2 + c, z)

The other elements are computed too, so the pass keeps to short expressions that raise nothing.
"""

from __future__ import annotations

from dataclasses import replace

from ...core.shapes import is_static
from ...ir.graph import Graph, Node, Value
from ...ir.op import PURE, TABLE
from ...ir.rewrite import inside_subgraphs

MOST = 24  # nodes of an expression


def masked_updates(graph: Graph) -> Graph:
    """The graph with `select` in place of replacements by chosen elements of the same mask; what
    chose these may be dead code then.
    """
    graph = inside_subgraphs(graph, masked_updates)
    producers = graph.producers()
    selects = {
        node: _selected(node, producers)
        for node in graph.nodes
        if node.op is TABLE["replaced_by_mask"]
    }
    if not any(selects.values()):
        return graph
    nodes = [select_node for node in graph.nodes for select_node in selects.get(node) or [node]]
    return graph.replace(nodes=tuple(nodes))


def _selected(node: Node, producers: dict) -> list[Node] | None:
    """The nodes of a `select`; None where the value is another than such an expression."""
    x, mask, value = node.inputs
    if x.shape != mask.shape or not is_static(x.shape) or not value.shape:
        return None
    spread = _Spread(mask, producers)
    whole = spread.of(value)
    if whole is None or len(spread.made) > MOST:
        return None
    if whole.shape != x.shape:
        return None
    return [*spread.made, replace(node, op=TABLE["select"], inputs=(mask, whole, x), attrs={})]


class _Spread:
    """An expression of chosen elements as one of all elements: `made` are its nodes."""

    def __init__(self, mask: Value, producers: dict):
        self.mask = mask
        self.producers = producers
        self.made: list[Node] = []
        self.known: dict[Value, Value | None] = {}

    def of(self, value: Value) -> Value | None:
        """The value for all elements; None where it has another form."""
        if value not in self.known:
            self.known[value] = value if value.shape == () else self.computed(value)
        return self.known[value]

    def computed(self, value: Value) -> Value | None:
        node = self.producers.get(value)
        if node is None or len(self.made) > MOST:
            return None
        if node.op is TABLE["boolean_mask"]:
            x, mask = node.inputs
            return x if mask is self.mask and x.shape == mask.shape else None
        is_plain = node.op.scalar and node.effect is PURE and not node.may_raise
        if not is_plain or len(node.outputs) != 1:
            return None
        inputs = tuple(operand for operand in map(self.of, node.inputs) if operand is not None)
        if len(inputs) < len(node.inputs):
            return None
        spec = node.op.result(*inputs, **node.attrs)
        output = Value(spec.dtype, spec.shape, value.name)
        self.made.append(replace(node, inputs=inputs, outputs=(output,)))
        return output
