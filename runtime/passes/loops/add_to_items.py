"""Sums of an array and of another that is zero but for some items.

    y = x + set_item(zeros, v, index)        y = set_item(x, x[index] + v, index)

The gradient of a slice is such an array of zeros, and that of several slices their sum. The right
side changes the items in place. A sum that is -0.0 elsewhere stays -0.0.
"""

from __future__ import annotations

from dataclasses import replace

from ...core.shapes import is_static
from ...ir.constant_values import full_constant
from ...ir.graph import Graph, Node, Value
from ...ir.op import TABLE
from ...ir.rewrite import inside_subgraphs, rewrite_ops


def add_to_items(graph: Graph) -> Graph:
    """The graph with such sums computed in place."""
    graph = inside_subgraphs(graph, add_to_items)
    if not graph.has("set_item"):
        return graph
    producers, uses = graph.producers(), graph.uses()

    def is_read_once(value: Value, reader: Node) -> bool:
        return uses.get(value) == [reader] and value not in graph.outputs

    def visit(node: Node) -> Node | list[Node]:
        for total, other in (node.inputs, node.inputs[::-1]):
            term = producers.get(other)
            if term is None or not is_items_of_zeros(term, producers) or total is other:
                continue
            is_alone = is_read_once(other, node) and is_read_once(total, node)
            if total.shape == node.output.shape and is_alone:
                return _in_place(node, total, term)
        return node

    return rewrite_ops(graph, {"add": visit})


def is_items_of_zeros(node: Node, producers: dict[Value, Node]) -> bool:
    """Whether a node sets items of an array of zeros, each to a value of its own."""
    if node.op is not TABLE["set_item"] or not is_static(node.inputs[1].shape):
        return False
    array, value, *scalars = node.inputs
    part = TABLE["strided_slice"].result_of((array, *scalars), node.attrs)
    return part.shape == value.shape and _is_zero(array, producers)


def _is_zero(value: Value, producers: dict[Value, Node]) -> bool:
    node = producers.get(value)
    if node is None:
        return False
    if node.op is TABLE["fill"]:
        number = full_constant(node.inputs[1])
        return number is not None and not number.any()
    if node.op is TABLE["stack_zeros"]:
        return True
    return node.op.is_constant and not node.attrs["value"].any()


def _in_place(node: Node, total: Value, term: Node) -> list[Node]:
    _, value, *scalars = term.inputs
    items, summed = Value(value.dtype, value.shape, "items"), replace(value, constant=None)
    return [
        replace(term, op=TABLE["strided_slice"], inputs=(total, *scalars), outputs=(items,)),
        Node(TABLE["add"], (items, value), {}, (summed,), node.where, "add"),
        replace(term, inputs=(total, summed, *scalars), outputs=node.outputs, where=node.where),
    ]
