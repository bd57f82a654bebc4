"""Slices whose bounds are computed, and whose length is constant all the same.

    for i in range(5):
        y = x[i : i + 96]        with x of shape (100,)

The bounds differ by 96, and `i` is at most 4: nothing is cut off. The slice becomes a window of a
known size, and so what is computed of it needs no computed size.
"""

from __future__ import annotations

from dataclasses import replace

from ..core.classes import NamedTuple
from ..core.dtypes import DType, int64
from ..core.errors import ShapeError
from ..core.shapes import is_static
from ..ir.constant_values import full_constant
from ..ir.graph import Graph, Node, Value
from ..ir.indexing import Slot, expanded
from ..ir.op import TABLE
from ..ir.trip_counts import Sum, range_of, sum_of


class Interval(NamedTuple):
    """The integers that a value may be."""

    low: int
    high: int


class Known(NamedTuple):
    """What is known of the inputs of a graph."""

    intervals: dict[Value, Interval]
    sums: dict[Value, Sum]


def with_known_lengths(graph: Graph) -> Graph:
    """The graph with windows for slices of constant length; the graph itself if there are none."""
    read = _rewritten(graph, Known({}, {}))
    if read is graph:
        return graph
    try:
        from .propagate_shapes import specialise_shapes  # which most programs do without

        sized = specialise_shapes(read, [value.shape for value in read.inputs])
    except ShapeError:  # an error when it runs, if it gets there
        return graph
    return _rewritten(sized, Known({}, {}))


def _rewritten(graph: Graph, known: Known) -> Graph:
    bounds = _Bounds(graph, known)
    nodes = [rewritten for node in graph.nodes for rewritten in _rewritten_node(node, bounds)]
    if list(map(id, nodes)) == list(map(id, graph.nodes)):
        return graph
    return graph.replace(nodes=tuple(nodes))


def _rewritten_node(node: Node, bounds: _Bounds) -> list[Node]:
    if node.subgraphs:
        return [_with_graphs(node, bounds)]
    form = _FORMS.get(node.op.name)
    rewritten = None if form is None else form(node, bounds)
    return [node] if rewritten is None else rewritten


def _read(node: Node, bounds: _Bounds) -> list[Node] | None:
    window = _window(node, node.inputs[1:], bounds)
    return None if window is None else _made(node, "window", node.inputs, window)


def _assigned(node: Node, bounds: _Bounds) -> list[Node] | None:
    value = node.inputs[1]
    window = _window(node, node.inputs[2:], bounds) if is_static(value.shape) else None
    if window is None or not _fits(value.shape, window["sizes"]):
        return None
    return _made(node, "set_window", node.inputs, window)


_FORMS = {"strided_slice": _read, "set_item": _assigned}


def _made(node: Node, name: str, inputs: tuple[Value, ...], attrs: dict) -> list[Node]:
    """The node of a window, whose bounds are integers of 64 bits, after casts of others."""
    first = len(TABLE[name].inputs) - 1  # of the bounds
    casts: list[Node] = []
    bounds: list[Value] = []
    for value in inputs[first:]:
        if value.dtype is not int64:
            output = Value(int64, (), "cast")
            casts.append(Node(TABLE["cast"], (value,), {"dtype": int64}, (output,), node.where))
            value = output
        bounds.append(value)
    inputs = (*inputs[:first], *bounds)
    return [*casts, replace(node, op=TABLE[name], inputs=inputs, attrs=attrs)]


def _fits(shape, sizes) -> bool:
    own = sizes[len(sizes) - len(shape) :]
    return len(shape) <= len(sizes) and all(a in (1, b) for a, b in zip(shape, own, strict=True))


def _with_graphs(node: Node, bounds: _Bounds) -> Node:
    counted = range_of(node, bounds.producers) if "carried" in node.attrs else None
    fixed = node.attrs.get("carried", 0)
    attrs = dict(node.attrs)
    for key, graph in node.subgraphs.items():
        known = Known({}, {})
        operands = node.op.operands_of(node, key)
        for place, (own, operand) in enumerate(zip(graph.inputs, operands, strict=True)):
            interval = bounds.interval(operand) if place >= fixed else None
            if counted is not None and place == counted.position and key == "body":
                limit, interval = counted.limit, None
                most = Interval(limit, limit) if isinstance(limit, int) else bounds.interval(limit)
                if most is not None and isinstance(counted.start, int):
                    interval = Interval(counted.start, most.high - 1)
            if interval is not None:
                known.intervals[own] = interval
            if place >= fixed:
                known.sums[own] = sum_of(operand, bounds.producers, bounds.sums)
        attrs[key] = _rewritten(graph, known)
    if all(attrs[key] is graph for key, graph in node.subgraphs.items()):
        return node
    return replace(node, attrs=attrs)


# ---- one slice ---------------------------------------------------------------------------------


def _window(node: Node, scalars, bounds: _Bounds) -> dict | None:
    """The attributes of a window in place of a slice with computed bounds; None where a bound may
    be cut off, or counts from the end.
    """
    shape, index = node.inputs[0].shape, node.attrs["index"]
    if not is_static(shape) or not any(
        type(row) is tuple and any(type(part) is Slot for part in row) for row in index
    ):
        return None
    entries: list = []
    sizes: list[int] = []
    axis = 0
    for row in expanded(index, len(shape)):
        if row is None:
            sizes.append(1)
            continue
        size, axis = shape[axis], axis + 1
        if type(row) is tuple:
            along = _along(row, size, scalars, bounds)
            if along is None:
                return None
            entries.append((len(sizes), *along[:2]))
            sizes.append(along[2])
        else:
            position = _position(row, size, scalars, bounds)
            if position is None:
                return None
            entries.append(position)
    return {"index": tuple(entries), "sizes": tuple(sizes)}


def _position(row, size: int, scalars, bounds: _Bounds):
    """An index of an axis, if it is one."""
    if type(row) is not Slot:
        return row % size if size else None
    interval = bounds.interval(scalars[row.position])
    return row if interval is not None and interval.low >= 0 and interval.high < size else None


def _along(row: tuple, size: int, scalars, bounds: _Bounds) -> tuple | None:
    """The start, the step and the length of a slice that is not cut off."""
    start, stop, step = row
    if not any(type(part) is Slot for part in row):
        first, last, step = slice(*row).indices(size)
        return first, step, len(range(first, last, step))
    if step not in (None, 1) or type(start) is not Slot or type(stop) is not Slot:
        return None
    first, last = scalars[start.position], scalars[stop.position]
    sums = [sum_of(value, bounds.producers, bounds.sums) for value in (first, last)]
    (base, before), (base_of_last, after) = sums
    interval = bounds.interval(first)
    if interval is None or bounds.interval(last) is None:
        return None
    if base is not base_of_last or after < before:
        return None
    is_inside = interval.low >= 0 and interval.high + after - before <= size
    return (start, 1, after - before) if is_inside else None


# ---- bounds ------------------------------------------------------------------------------------


class _Bounds:
    """What is known of the integers of a graph; `known` are the intervals of its inputs."""

    def __init__(self, graph: Graph, known: Known):
        self.producers = graph.producers()
        self.known: dict[Value, Interval | None] = dict(known.intervals)
        self.sums = known.sums

    def interval(self, value: Value) -> Interval | None:
        constant = full_constant(value)
        if constant is not None:
            is_integer = value.dtype.is_integer and constant.size == 1
            return Interval(constant.item(), constant.item()) if is_integer else None
        if value not in self.known and value.dtype.is_integer and value.shape == ():
            self.known[value] = None
            node = self.producers.get(value)
            rule = None if node is None else _RULES.get(node.op.name)
            if node is not None and rule is not None:
                parts = [self.interval(operand) for operand in node.inputs]
                interval = None if None in parts else rule(*parts)
                self.known[value] = interval if _fits_in(value.dtype, interval) else None
        return self.known.get(value)


def _fits_in(dtype: DType, interval: Interval | None) -> bool:
    """Whether no result wraps around."""
    return interval is not None and dtype.min <= interval.low and interval.high <= dtype.max


def _product(a: Interval, b: Interval) -> Interval:
    corners = [x * y for x in a for y in b]
    return Interval(min(corners), max(corners))


_RULES = {
    "add": lambda a, b: Interval(a.low + b.low, a.high + b.high),
    "subtract": lambda a, b: Interval(a.low - b.high, a.high - b.low),
    "multiply": _product,
    "maximum": lambda a, b: Interval(max(a.low, b.low), max(a.high, b.high)),
    "minimum": lambda a, b: Interval(min(a.low, b.low), min(a.high, b.high)),
}
