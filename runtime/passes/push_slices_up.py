"""Compute values that are read only in slices slice by slice; `split` is one slice for each part.

The gates of a recurrent cell, sliced from a sum of products, then need no array for all of them.
"""

from __future__ import annotations

from dataclasses import replace

from ..core.shapes import is_static, normal_axis
from ..ir.constant_values import constant_dimensions
from ..ir.graph import Graph, Node, Value, dims, elements_of
from ..ir.indexing import WHOLE, expanded
from ..ir.node_properties import has_unknown_shape, is_fusible
from ..ir.op import TABLE
from ..ir.rewrite import inside_subgraphs, rewrite_ops

RECOMPUTED = 3  # times that an element is computed, rather than stored


def push_slices_up(graph: Graph) -> Graph:
    """The graph with slices of elementwise results as the same operations on slices."""
    graph = inside_subgraphs(graph, push_slices_up)
    if not graph.has("strided_slice"):
        return graph
    cutter = _Cutter(graph)
    if not any(_rows(node) and cutter.is_other(node.inputs[0]) for node in graph.nodes):
        return graph
    for node in graph.nodes:
        rows = _rows(node)
        if rows is not None and cutter.is_other(node.inputs[0]):
            cutter.sliced(node.inputs[0], rows, node.output)
        else:
            cutter.nodes.append(node)
    return graph.replace(nodes=tuple(cutter.nodes))


def _rows(node: Node) -> tuple | None:
    """The slice along each axis, where all are static and no axis is added or removed.

    None for an empty one: an operand of size 1 may be one that broadcasts, and is not sliced.
    """
    if node.op.name != "strided_slice" or len(node.inputs) != 1:
        return None
    if not is_static(node.inputs[0].shape) or 0 in (node.output.shape or ()):
        return None
    rows = tuple(expanded(node.attrs["index"], len(node.inputs[0].shape)))
    return rows if all(type(row) is tuple for row in rows) else None


def _composed(inner: tuple, outer: tuple, size: int) -> tuple:
    """The slice of an axis of this size that is the slice `outer` of its slice `inner`."""
    chosen = range(*slice(*inner).indices(size))[slice(*outer)]
    return chosen.start, chosen.stop if chosen.stop >= 0 else None, chosen.step


def _is_instruction(node: Node) -> bool:
    """Whether computing an element again takes no longer than storing and reading it."""
    return isinstance(node.op.scalar, str) and "(" not in node.op.scalar


class _Cutter:
    """Rewrites the nodes; `cut` are the values of which only slices are computed."""

    def __init__(self, graph: Graph):
        self.made = graph.producers()
        self.nodes: list[Node] = []
        self.slices: dict[tuple, Value] = {}
        self.cut = self._only_sliced(graph)

    def _only_sliced(self, graph: Graph) -> set[Value]:
        """Elementwise results that are read only in slices whose total size is at most theirs, or
        few times theirs where one instruction computes an element.
        """
        uses = graph.uses()
        only_sliced: set[Value] = set()
        sizes: dict[Value, int] = {}
        for node in reversed(graph.nodes):
            is_elementwise = is_fusible(node) and node.op.scalar
            if not is_elementwise or node.may_raise or node.output in graph.outputs:
                continue  # an element outside the slices may be the one that raises
            readers = uses.get(node.output, ())
            size = 0
            for reader in readers:
                is_cut = len(reader.outputs) == 1 and reader.output in only_sliced
                if is_cut and reader.output.shape == node.output.shape:
                    size += sizes[reader.output]
                else:
                    size += elements_of(reader.output if _rows(reader) else node.output)
            is_only_sliced = all(
                _rows(reader) or not only_sliced.isdisjoint(reader.outputs) for reader in readers
            )
            most = elements_of(node.output) * (RECOMPUTED if _is_instruction(node) else 1)
            if readers and is_only_sliced and size <= most:
                only_sliced.add(node.output)
                sizes[node.output] = size
        return only_sliced

    def is_other(self, value: Value) -> bool:
        """Whether a slice of a value is read elsewhere, or computed."""
        node = self.made.get(value)
        return value in self.cut or (node is not None and _rows(node) is not None)

    def computed(self, value: Value, rows: tuple, output: Value) -> None:
        """The operation that gives `value` on slices of its operands."""
        node = self.made[value]
        inputs = tuple(self.slice(operand, rows, value, dims(output)) for operand in node.inputs)
        self.nodes.append(replace(node, inputs=inputs, outputs=(output,)))

    def sliced(self, value: Value, rows: tuple, output: Value) -> None:
        """A slice of a value; that of a slice is one of the array."""
        node = self.made.get(value)
        inner = None if node is None else _rows(node)
        if value in self.cut:
            self.computed(value, rows, output)
        elif node is not None and inner is not None:
            (source,) = node.inputs
            composed = tuple(map(_composed, inner, rows, dims(source)))
            self.sliced(source, composed, output)
        else:
            where = None if node is None else node.where
            attrs = {"index": rows}
            self.nodes.append(
                Node(TABLE["strided_slice"], (value,), attrs, (output,), where, value.name)
            )

    def slice(self, value: Value, rows: tuple, whole: Value, shape: tuple) -> Value:
        """The slice of an operand that is needed for these rows of the result `whole`."""
        rank, own = len(dims(value)), rows[len(rows) - len(dims(value)) :]
        own = tuple(WHOLE if size == 1 else row for size, row in zip(dims(value), own, strict=True))
        if all(row == WHOLE for row in own):
            return value
        if (value, own) not in self.slices:
            sizes = zip(dims(value), shape[len(shape) - rank :], strict=True)
            result = Value(
                value.dtype, tuple(1 if old == 1 else new for old, new in sizes), value.name
            )
            self.slices[value, own] = result
            self.sliced(value, own, result)
        return self.slices[value, own]


# ---- splits ------------------------------------------------------------------------------------


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
