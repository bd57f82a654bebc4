"""Splitting becomes slicing: each piece can then be fused where it is read, or left out."""

from __future__ import annotations

from ..core.axes import normal_axis
from ..core.shapes import is_static
from ..ir.constant_values import known_dimensions
from ..ir.graph import Graph, Node
from ..ir.op import TABLE
from ..ir.rewrite import rewrite

WHOLE = (None, None, None)


def slice_pieces(graph: Graph) -> Graph:
    """The graph with `split` and `unstack` of known shapes as slices."""
    if not graph.has("split", "unstack"):
        return graph

    def visit(node: Node):
        if node.op.name not in ("split", "unstack") or not is_static(node.inputs[0].shape):
            return node
        axis = normal_axis(node.attrs["axis"], len(node.inputs[0].shape))
        rows = _rows(node, axis)
        if rows is None:
            return node
        return [
            Node(
                TABLE["strided_slice"],
                node.inputs[:1],
                {"index": (*[WHOLE] * axis, row)},
                (value,),
                node.where,
                value.name,
            )
            for row, value in zip(rows, node.outputs, strict=True)
        ]

    return rewrite(graph, visit)


def _rows(node: Node, axis: int) -> list | None:
    """What each piece takes of the axis; None where that is not known."""
    if node.op.name == "unstack":
        return list(range(len(node.outputs)))
    sizes = [value.shape[axis] for value in node.outputs]
    if None in sizes or None in (known_dimensions(node.inputs[1]) or (None,)):
        return None
    ends = [sum(sizes[: place + 1]) for place in range(len(sizes))]
    return [(end - size, end, 1) for size, end in zip(sizes, ends, strict=True)]
