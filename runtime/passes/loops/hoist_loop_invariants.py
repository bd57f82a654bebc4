"""Hoist loop-invariant nodes out of loops."""

from __future__ import annotations

from dataclasses import replace

from ...core import thresholds
from ...core.shapes import is_static
from ...ir.graph import Graph, Node, Value, elements_of
from ...ir.node_properties import is_matrix_product, transposes_matrix
from ...ir.op import PURE
from ...ir.rewrite import inside_subgraphs, rewrite_ops, settling


@settling
def hoist_loop_invariants(graph: Graph) -> Graph:
    """The graph with the invariant nodes of loop bodies and tests before the loops.

    Only nodes that cannot raise are hoisted, since a loop may run no iteration.
    """
    return rewrite_ops(inside_subgraphs(graph, hoist_loop_invariants), {"while": _freed})


def _freed(node: Node) -> Node | list[Node]:
    """The hoisted nodes, and the loop."""
    carried = node.attrs["carried"]
    before: list[Node] = []
    operands = list(node.inputs)
    graphs = {key: node.attrs[key] for key in ("test", "body")}
    for key, graph in graphs.items():
        outside = dict(zip(graph.inputs[carried:], operands[carried:], strict=False))
        moved = _worth_it(graph, _movable(graph, set(graph.inputs[carried:])))
        for each in moved:
            copies = tuple(replace(value) for value in each.outputs)
            before.append(
                replace(each, inputs=tuple(outside[value] for value in each.inputs), outputs=copies)
            )
            outside.update(zip(each.outputs, copies, strict=True))
        if moved:
            kept, gone = _without(graph, moved)
            graphs[key] = kept
            fresh = [value for value in gone if value in kept.values_read()]
            operands += [outside[value] for value in fresh]
            for other in graphs:
                inputs = fresh if other == key else [replace(value) for value in fresh]
                graphs[other] = graphs[other].replace(inputs=(*graphs[other].inputs, *inputs))
    if not before:
        return node
    return [*before, replace(node, inputs=tuple(operands), attrs={**node.attrs, **graphs})]


def _movable(graph: Graph, fixed: set[Value]) -> list[Node]:
    """The nodes that may be hoisted, with the constants they read, in order."""
    movable: dict[Node, None] = {}
    constants: dict[Value, Node] = {}
    uses = graph.uses()
    for node in graph.nodes:
        if node.op.is_constant:
            constants[node.output] = node
        elif (
            _is_safe(node, uses)
            and all(value in fixed or value in constants for value in node.inputs)
            and fixed.intersection(node.inputs)
        ):
            movable.update((constants[value], None) for value in node.inputs if value in constants)
            movable[node] = None
            fixed.update(node.outputs)
    return list(movable)


def _is_safe(node: Node, uses: dict[Value, list[Node]]) -> bool:
    """Whether a node may run where the loop runs no iteration."""
    op = node.op
    if op.effect is not PURE or node.subgraphs or len(node.outputs) != 1:
        return False
    if not all(is_static(value.shape) for value in (*node.inputs, node.output)):
        return False
    if op.name == "strided_slice":  # large ones are fused where they are read, but for views
        readers = uses.get(node.output, ())
        is_viewed = any(
            use.subgraphs or (use.op.is_view and use.output.shape != ()) for use in readers
        )
        is_small = elements_of(node.output) <= thresholds.SMALL_SLICE
        return len(node.inputs) == 1 and (is_viewed or is_small)
    return not node.may_raise


def _worth_it(graph: Graph, moved: list[Node]) -> list[Node]:
    """Drop nodes that merely broadcast, since recomputing them in a fused loop costs less, and
    transposes of matrices that vectors are multiplied by, which are read from where they lie.
    """
    kept = dict.fromkeys(moved)
    uses = graph.uses()
    for node in reversed(moved):
        readers = uses.get(node.output, ())
        if not any(use in kept for use in readers) and _costs_less_inside(node, readers, graph):
            del kept[node]
    return [node for node in moved if node in kept]


def _costs_less_inside(node: Node, readers, graph: Graph) -> bool:
    """Whether a loop computes a node as part of its readers, for less than reading the result."""
    sizes = [elements_of(value) for value in node.inputs]
    if sizes and elements_of(node.output) > max(sizes) and node.op.name != "matmul":
        return True
    return _is_read_in_place(node, readers, graph)


def _is_read_in_place(node: Node, readers, graph: Graph) -> bool:
    """Whether a node transposes a matrix for products with vectors alone."""
    if not transposes_matrix(node) or node.output in graph.outputs:
        return False
    return elements_of(node.output) > thresholds.SMALL_MATRIX and all(
        is_matrix_product(reader) and 1 in reader.output.shape for reader in readers
    )


def _without(graph: Graph, moved: list[Node]) -> tuple[Graph, list[Value]]:
    """The graph without some nodes, and their results; constants stay for their other readers."""
    gone = [node for node in moved if not node.op.is_constant]
    kept = tuple(node for node in graph.nodes if node not in gone)
    return graph.replace(nodes=kept), [value for node in gone for value in node.outputs]
