"""Replace splits by slices, each of which can be fused where it is read, or dropped."""

from __future__ import annotations

from dataclasses import replace

from ..core.shapes import is_static, normal_axis
from ..ir.constant_values import constant_dimensions
from ..ir.graph import Graph, Node, dims
from ..ir.indexing import WHOLE
from ..ir.node_properties import has_unknown_shape
from ..ir.op import TABLE
from ..ir.rewrite import rewrite_ops


def split_to_slices(graph: Graph) -> Graph:
    """The graph with `split` and `unstack` of static shapes as slices."""
    return rewrite_ops(graph, {"split": _split, "unstack": _unstack})


def _unstack(node: Node) -> Node | list[Node]:
    return _sliced(node, list(range(len(node.outputs))))


def _split(node: Node) -> Node | list[Node]:
    if has_unknown_shape(node):
        return node
    axis = normal_axis(node.attrs["axis"], len(dims(node.inputs[0])))
    sizes = [dims(value)[axis] for value in node.outputs]
    if None in (constant_dimensions(node.inputs[1]) or (None,)):
        return node
    ends = [sum(sizes[: index + 1]) for index in range(len(sizes))]
    return _sliced(node, [(end - size, end, 1) for size, end in zip(sizes, ends, strict=True)])


def _sliced(node: Node, rows: list) -> Node | list[Node]:
    """One slice for each output; `rows` are their indices along the axis of the node."""
    if not is_static(node.inputs[0].shape):
        return node
    axis = normal_axis(node.attrs["axis"], len(node.inputs[0].shape))
    cut = replace(node, op=TABLE["strided_slice"], inputs=node.inputs[:1])
    return [
        replace(cut, attrs={"index": (*[WHOLE] * axis, row)}, outputs=(value,), name=value.name)
        for row, value in zip(rows, node.outputs, strict=True)
    ]
