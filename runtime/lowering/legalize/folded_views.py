"""Elements of views, read and written where they are in the array.

    y = x[2:]                        z = set_item(x, v, i + 2)
    z = set_item(x, set_item(y, v, i), 2:)

A view that changes is an assignment to a copy of its elements, and an assignment of all of these to
the array: in a loop, work for each element of the view. The right side does neither. The same holds
for views of views, for axes in another order, for several assignments one after the other, and for
elements that are only read.

An index of the view is checked against the size of the view. An element of one of two arrays, as a
condition says, is one of two elements.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import replace

from ...core.dtypes import int64
from ...core.shapes import is_static
from ...ir.graph import Graph, Node, Value, dims
from ...ir.indexing import WHOLE, Scalar, Slot, expanded, picked_axis
from ...ir.node_properties import choices_of
from ...ir.op import TABLE
from ...ir.rewrite import inside_subgraphs
from ...ir.scalar_nodes import ScalarNodes
from ..buffer_assignment import may_grow
from .slice_bounds import bounds_of


class ComplicatedError(Exception):
    """An index of a view is no basic index of the array."""


def with_folded_views(graph: Graph) -> Graph:
    """The graph whose items of views are items of arrays; the graph itself if there are none."""
    graph = inside_subgraphs(graph, with_folded_views)
    folding = _Folding()
    for node in graph.nodes:
        folding.visit(node)
    if not folding.has_changed:
        return graph
    return graph.replace(nodes=tuple(folding.nodes.nodes))


class _Folding:
    """One walk over a graph. `views` are the arrays that have the elements of views, also of those
    with changes, and the nodes that make such a view. `folded` are views of views, in the same way,
    as views of what the first is a view of. `choices` are one of two arrays, as a condition says.

    Native code may overwrite an array where it changes. So what is read afterwards is not read from
    the array as it was: its copy would be one of the whole array.
    """

    def __init__(self) -> None:
        self.nodes = ScalarNodes()
        self.views: dict[Value, tuple[Value, Node]] = {}
        self.folded: dict[Value, tuple[Value, Node]] = {}
        self.choices: dict[Value, tuple[Value, Value, Value]] = {}
        self.reads: dict[tuple, Value] = {}  # of arrays that are choices, by the array and index
        self.overwritten: set[Value] = set()
        self.has_changed = False

    def visit(self, node: Node) -> None:
        self.nodes.where = node.where
        if node.op.is_view and (is_static(node.inputs[0].shape) or may_grow(node.inputs[0])):
            self.views[node.output] = node.inputs[0], node
        self.choices.update(choices_of(node))
        is_read = node.op.is_indexing and not _is_change(node)
        folded = self.read(node) if is_read else self.changed(node)
        if folded.op.is_view and folded is not node:
            self.folded[folded.output] = folded.inputs[0], folded
        self.has_changed |= folded is not node
        self.nodes.add(folded)
        self.overwritten.update(_overwritten_by(folded))

    def read(self, node: Node) -> Node:
        """A read of a view as one of the array."""
        while source := self.folded.get(node.inputs[0]) or self.views.get(node.inputs[0]):
            array, view = source
            if array in self.overwritten or not is_static(array.shape):
                return node
            try:
                index, operands = self.composed(array, view, node)
            except ComplicatedError:
                return node
            node = replace(node, inputs=(array, *operands), attrs=index)
        choice = self.choices.get(node.inputs[0])
        if choice is None or not self.overwritten.isdisjoint(choice):
            return node
        return self.chosen(node, *choice)

    def chosen(self, node: Node, condition: Value, *arrays: Value) -> Node:
        """A read of one of two arrays as one of two reads."""
        operands = node.inputs[1:]
        for array in arrays:
            key = array, repr(node.attrs), operands
            if key not in self.reads:
                output = replace(node.output)
                folded = self.read(replace(node, inputs=(array, *operands), outputs=(output,)))
                self.nodes.add(folded)
                self.reads[key] = output
        read = (self.reads[array, repr(node.attrs), operands] for array in arrays)
        return Node(TABLE["select"], (condition, *read), {}, node.outputs, node.where, "select")

    def changed(self, node: Node) -> Node:
        """An assignment of all elements of a view as assignments to the array."""
        assigned = self.assigned_view(node)
        if assigned is None:
            return node
        array, view, changes = assigned
        try:
            indices = [self.composed(array, view, change_of_view) for change_of_view in changes]
        except ComplicatedError:
            return node
        self.views.pop(node.output, None)  # which is no view of its changes any more
        self.views[changes[-1].output] = node.output, view
        for change, (index, operands) in zip(changes, indices, strict=True):
            output = node.output if change is changes[-1] else replace(node.output)
            inputs = array, change.inputs[1], *operands
            array, updated = output, replace(change, inputs=inputs, attrs=index, outputs=(output,))
            if change is not changes[-1]:
                self.nodes.add(updated)
        return updated

    def assigned_view(self, node: Node) -> tuple[Value, Node, list[Node]] | None:
        """The array, the view and its changes, if a node assigns a changed view of an array to it,
        or undoes the change of shape or axes that a changed view began with.
        """
        is_assignment = node.op is TABLE["set_item"]
        if not is_assignment and not node.op.is_view:
            return None
        value = node.inputs[1] if is_assignment else node.inputs[0]
        changes: list[Node] = []
        while (change := self.nodes.made.get(value)) is not None and _is_change(change):
            changes.insert(0, change)
            value = change.inputs[0]
            viewed = self.views.get(value)
            if viewed is not None and _is_inverse(node, *viewed):
                return *viewed, changes
        return None

    # ---- indices -------------------------------------------------------------------------

    def composed(self, array: Value, view: Node, node: Node) -> tuple[dict, list[Value]]:
        """The attributes of a node that reads or changes a view, for the array, and its indices."""
        if "axes" in node.attrs:
            return self.of_arrays(array, view, node)
        shape, scalars = view.output.shape or (), node.inputs[len(node.op.inputs) - 1 :]
        rows = [_with_scalars(row, scalars) for row in expanded(node.attrs["index"], len(shape))]
        index, operands = _with_slots(list(_COMPOSED[view.op](self, array, view, rows)))
        return {"index": index}, operands

    def of_arrays(self, array: Value, view: Node, node: Node) -> tuple[dict, list[Value]]:
        """Arrays of indices of some axes of a slice, for those of the array."""
        if view.op is not TABLE["strided_slice"]:
            raise ComplicatedError
        axes, arrays = node.attrs["axes"], node.inputs[len(node.op.inputs) - 1 :]
        array_of = dict(zip(axes, arrays, strict=True))
        places: dict[int, Value] = {}
        own = 0  # the axis of the view
        for axis, (row, size) in enumerate(zip(_rows_of(view), array.shape or (), strict=False)):
            if isinstance(row, Scalar):
                places[axis] = self.nodes.as_value(row)
                continue
            if own in array_of:
                places[axis] = self.positions(row, array_of[own], size)
            elif row != WHOLE:
                raise ComplicatedError
            own += 1
        if picked_axis(tuple(places)) != picked_axis(axes) or own != len(view.output.shape or ()):
            raise ComplicatedError
        return {"axes": tuple(places)}, list(places.values())

    def positions(self, row: tuple | None, at: Value, size) -> Value:
        """The indices in an axis that are the indices `at` in a slice of it."""
        if row == WHOLE:
            return at
        if row is None or not is_static(at.shape):
            raise ComplicatedError
        first, count, step = self.bounds(row, size)
        at = self.nodes.added("cast", at, dtype=int64) if at.dtype is not int64 else at
        at = self.nodes.added("wrapped_index", at, count)
        return self.nodes.added("add", self.nodes.added("multiply", at, step), first)

    def of_slice(self, array: Value, view: Node, inner_rows: list) -> Iterator:
        """The rows of an index of a slice, as rows of an index of the array."""
        axis, rows = 0, deque(inner_rows)
        for row in _rows_of(view):
            if isinstance(row, Scalar):
                yield row
            else:
                while rows and rows[0] is None:
                    yield rows.popleft()
                inner = rows.popleft()
                if row is not None:
                    yield self.along(row, inner, self.size_of(array, axis))
                elif inner == WHOLE:
                    yield None
                elif inner not in (0, -1):
                    raise ComplicatedError
            axis += row is not None
        yield from rows

    def size_of(self, array: Value, axis: int):
        """The size of an axis, which is computed of rows that grow."""
        size = dims(array)[axis]
        if size is not None:
            return size
        key = ("shape", array)
        if key not in self.nodes.known:
            self.nodes.known[key] = self.nodes.added("shape", array, dtype=int64)
        return self.nodes.computed("strided_slice", self.nodes.known[key], index=(axis,))

    def along(self, row: tuple, inner, size):
        """The index of an axis of this size that is the index `inner` of a slice of it."""
        if WHOLE in (row, inner):
            return inner if row == WHOLE else row
        is_known = not any(isinstance(part, Value) for part in (*row, size))
        if isinstance(inner, tuple):
            if not is_known or any(isinstance(part, Value) for part in inner):
                return self.part_of(row, inner, size)
            chosen = range(*slice(*row).indices(size))[slice(*inner)]
            stop = chosen.stop if chosen.stop >= 0 else None
            return (chosen.start, stop, chosen.step) if chosen else (0, 0, 1)
        first, count, step = self.bounds(row, size)
        at = self.nodes.arithmetic("multiply", self.checked(inner, count), step)
        return self.nodes.arithmetic("add", first, at)

    def part_of(self, row: tuple, inner: tuple, size) -> tuple:
        """The slice of an axis that is a slice of the slice `row`; the steps of both are 1."""
        if not {row[2], inner[2]} <= {None, 1}:
            raise ComplicatedError
        first, count, _ = self.bounds(row, size)
        start, length, _ = self.bounds(inner, count)
        start = self.nodes.arithmetic("add", first, start)
        return start, self.nodes.arithmetic("add", start, length), None

    def bounds(self, row: tuple, size) -> tuple[Scalar, Scalar, Scalar]:
        return bounds_of(self.nodes, tuple(map(self.nodes.as_int64, row)), size)

    def of_axes(self, array: Value, view: Node, rows: list) -> list:
        """The rows of an index of transposed axes, of which one at most is a slice."""
        order = view.attrs["perm"] or tuple(reversed(range(len(rows))))
        slices = [row for row in rows if not isinstance(row, Scalar)]
        if len(slices) > 1 or None in rows or len(rows) != len(order):
            raise ComplicatedError
        return [rows[order.index(axis)] for axis in range(len(order))]

    def of_shape(self, array: Value, view: Node, rows: list) -> list:
        """One element of an array of another shape."""
        is_view = array in self.views  # any other is the same memory in native code
        if not (is_view and array.shape and all(isinstance(row, Scalar) for row in rows)):
            raise ComplicatedError
        flat: Scalar = 0
        for row, size in zip(rows, dims(view.output), strict=True):
            flat = self.nodes.arithmetic("multiply", flat, size) if flat != 0 else 0
            flat = self.nodes.arithmetic("add", flat, self.checked(row, size))
        positions: list[Scalar] = []
        for size in reversed(dims(array)[1:]):
            rest = self.nodes.arithmetic("floor_divide", flat, size)
            whole = self.nodes.arithmetic("multiply", rest, size)
            positions.insert(0, self.nodes.arithmetic("subtract", flat, whole))
            flat = rest
        return [flat, *positions]

    def checked(self, at: Scalar, size: Scalar) -> Scalar:
        """An index that counts from the start of its axis."""
        if isinstance(at, int) and isinstance(size, int):
            if not -size <= at < size:
                raise ComplicatedError
            return at % size
        return self.nodes.computed("wrapped_index", self.nodes.as_int64(at), size)


# How an index of a view is composed with the view.
_COMPOSED = {
    TABLE["strided_slice"]: _Folding.of_slice,
    TABLE["transpose"]: _Folding.of_axes,
    TABLE["reshape"]: _Folding.of_shape,
}


def _is_change(node: Node) -> bool:
    """Whether a node sets elements of its first operand at an index, or at arrays of indices."""
    return node.op.is_indexing and node.op.native_result == "overwrites"


def _overwritten_by(node: Node) -> tuple[Value, ...]:
    """The arrays that a node may overwrite."""
    if "carried" in node.attrs:
        return node.inputs[: node.attrs["carried"]]
    inside = (inner for graph in node.subgraphs.values() for inner in graph.walk())
    return node.inputs if any(map(_is_change, inside)) else node.inputs[: _is_change(node)]


def _is_inverse(node: Node, array: Value, view: Node) -> bool:
    """Whether a node puts the elements of a view back to where they are in the array."""
    if node.op is TABLE["set_item"]:
        is_same = view.op is TABLE["strided_slice"] and node.attrs == view.attrs
        value = node.inputs[1]
        return (
            is_same
            and node.inputs[0] is array
            and node.inputs[2:] == view.inputs[1:]
            and value.shape == view.output.shape
        )
    if node.op is not view.op or node.output.shape != array.shape:
        return False
    if node.op is TABLE["reshape"]:
        return True
    own_order, view_order = (each.attrs["perm"] or _reversed(each) for each in (node, view))
    if not own_order or not view_order:
        return False
    return all(own_order[at] == axis for axis, at in enumerate(view_order))


def _reversed(node: Node) -> tuple[int, ...]:
    return tuple(reversed(range(len(node.output.shape or ()))))


def _rows_of(view: Node) -> list:
    """The rows of the index of a slice, with values in place of Slots."""
    rows = expanded(view.attrs["index"], len(view.inputs[0].shape or ()))
    return [_with_scalars(row, view.inputs[1:]) for row in rows]


def _with_scalars(row, scalars):
    """A row of an index with values in place of Slots."""
    if type(row) is tuple:
        return tuple(_with_scalars(part, scalars) for part in row)
    return scalars[row.position] if type(row) is Slot else row


def _with_slots(rows: list) -> tuple[tuple, list[Value]]:
    """An index with Slots in place of values, and the values."""
    scalars: list[Value] = []

    def slot(part):
        if not isinstance(part, Value):
            return part
        scalars.append(part)
        return Slot(len(scalars) - 1)

    index = tuple(tuple(map(slot, row)) if type(row) is tuple else slot(row) for row in rows)
    return index, scalars
