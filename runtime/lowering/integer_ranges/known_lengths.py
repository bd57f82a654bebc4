"""Slices whose bounds are computed, and whose length is constant all the same.

    for i in range(5):
        y = x[i : i + 96]        with x of shape (100,)

The bounds differ by 96, and `i` is at most 4: nothing is cut off. The slice becomes a window of a
known size, and so what is computed of it needs no computed size.
"""

from __future__ import annotations

from dataclasses import replace

from ...core.shapes import is_static
from ...ir.graph import Graph, Node, Value
from ...ir.indexing import Slot, expanded
from ...ir.node_properties import has_computed_bounds
from ...ir.op import TABLE
from ...ir.scalar_nodes import ScalarNodes
from .in_bounds import Walk
from .scalar_values import is_integer

WINDOWS = {TABLE["strided_slice"]: TABLE["window"], TABLE["set_item"]: TABLE["set_window"]}


def with_known_lengths(graph: Graph) -> Graph:
    """The graph with windows for slices of constant length; the graph itself if there are none."""
    walk = _Windows(graph, may_guard=False)
    windowed = walk.whole()
    return windowed if walk.has_windows else graph


class _Windows(Walk):
    """One walk over a program that writes windows."""

    has_windows = False

    def node(self, node: Node, nodes: ScalarNodes, renamed: dict, producers) -> Node | None:
        if node.op in WINDOWS and has_computed_bounds(node):
            node = self.window(node, nodes)
        return super().node(node, nodes, renamed, producers)

    def window(self, node: Node, nodes: ScalarNodes) -> Node:
        """A window in place of a slice; the slice where a bound may be cut off, or counts from the
        end.
        """
        first = len(node.op.inputs) - 1
        shape, scalars = node.inputs[0].shape, node.inputs[first:]
        if not is_static(shape) or not all(map(is_integer, scalars)):
            return node
        entries: list = []
        sizes: list[int] = []
        axis = 0
        for row in expanded(node.attrs["index"], len(shape)):
            size = 1 if row is None else shape[axis]
            axis += row is not None
            if type(row) is tuple:
                along = self.along_axis(row, size, scalars)
                if along is None:
                    return node
                entries.append((len(sizes), *along[:2]))
                sizes.append(along[2])
            elif row is None:
                sizes.append(1)
            elif type(row) is Slot and self.is_between(scalars[row.position], 0, size - 1):
                entries.append(row)
            elif type(row) is Slot or not size:
                return node
            else:
                entries.append(row % size)
        if node.op is TABLE["set_item"] and not _fits(node.inputs[1].shape, sizes):
            return node
        self.has_windows = True
        attrs = {"index": tuple(entries), "sizes": tuple(sizes)}
        inputs = (*node.inputs[:first], *map(nodes.as_int64, scalars))
        return replace(node, op=WINDOWS[node.op], inputs=inputs, attrs=attrs)

    def along_axis(self, row: tuple, size: int, scalars: tuple[Value, ...]) -> tuple | None:
        """The start, the step and the length of a slice that is not cut off."""
        start, stop, step = row
        if not any(type(part) is Slot for part in row):
            first, last, step = slice(*row).indices(size)
            return first, step, len(range(first, last, step))
        if step not in (None, 1) or type(start) is not Slot or type(stop) is not Slot:
            return None
        low, high = (self.values.form(scalars[bound.position]) for bound in (start, stop))
        length = (high - low).constant
        if (high - low).terms or length < 0:
            return None
        is_inside = self.is_between(scalars[start.position], 0, size - length)
        return (start, 1, length) if is_inside else None

    def is_between(self, value: Value, low: int, high: int) -> bool:
        return self.values.is_between(self.values.form(value), low, high)


def _fits(shape, sizes: list[int]) -> bool:
    """Whether a value of a shape is broadcast to a part of these sizes."""
    if not is_static(shape) or len(shape) > len(sizes):
        return False
    own = sizes[len(sizes) - len(shape) :]
    return all(size in (1, wanted) for size, wanted in zip(shape, own, strict=True))
