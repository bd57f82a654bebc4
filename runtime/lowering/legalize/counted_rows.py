"""Arrays that grow by rows in loops of known trip count: arrays of the most rows there can be.

    rows, size = zeros((0, ...)), 0                rows, size = zeros((n, ...)), 0
    for i in range(n):                             for i in range(n):
        rows = ensure_length(rows, size + 1)           rows[size] = y
        rows[size] = y                                 size += 1
        size += 1                                  return rows[:size]
    return rows[:size]

So do lists to which iterations append items, and a `TensorArray` of dynamic size. Others than the
first `size` rows are not read.
"""

from __future__ import annotations

from dataclasses import replace

from ...core import thresholds
from ...core.classes import NamedTuple
from ...core.shapes import is_static
from ...ir.constant_values import full_constant
from ...ir.graph import Graph, Node, Value, dims
from ...ir.indexing import WHOLE, Slot, expanded
from ...ir.op import TABLE
from ...ir.rewrite import new_zeros, rewrite
from ...ir.trip_counts import InductionVariable, induction_variable_of
from ..buffer_assignment import may_grow
from .saving_loops import at_each_value, replaced_nodes, with_value


def with_counted_rows(graph: Graph) -> Graph:
    """The graph whose counted loops start with all rows of the arrays that they extend; the shapes
    that follow from them are left to be inferred.
    """
    return at_each_value(graph, with_counted_rows, _counted)


class _Growth(NamedTuple):
    """How a graph gets from the values `rows` and `size` to others: how many rows it appends at
    most, and the indices at which it sets rows otherwise.
    """

    rows: Value
    size: Value
    appended: int = 0
    indices: tuple[Value, ...] = ()


def _counted(graph: Graph, loop: Node, position: int) -> Graph:
    rows = loop.outputs[position]
    induction = induction_variable_of(loop, graph.producers()) if may_grow(rows) else None
    trips = None if induction is None else induction.trip_count
    if induction is None or trips is None:
        return graph
    start = graph.producers().get(loop.inputs[position])
    first = loop.inputs[position] if start is None or start.op is not _LENGTH else start.inputs[0]
    for at in range(loop.attrs["carried"]):
        growth, size = _growth_of(loop, position, at), full_constant(loop.inputs[at])
        is_read_so = rows not in graph.outputs and _reads_first_rows(graph, rows, loop.outputs[at])
        if growth is None or size is None or not is_read_so:
            continue
        most = _most_rows(loop, growth, induction, int(size) + trips * growth.appended, trips)
        if most is None or (int(size) and not is_static(first.shape)):
            continue
        longer = Value(rows.dtype, (most, *(rows.shape or ())[1:]), rows.name)
        if (longer.size_in_bytes or 0) <= thresholds.MOST_SAVED_BYTES:
            return _with_rows(graph, loop, position, first if int(size) else None, longer)
    return graph


def _growth_of(loop: Node, position: int, at: int) -> _Growth | None:
    """How an iteration extends the array at a position whose size is at another."""
    body, test = loop.attrs["body"], loop.attrs["test"]
    if test.inputs[position] in test.uses() or body.inputs[at].shape:
        return None
    growth = _growth(body, body.outputs[position], body.outputs[at])
    is_own = growth is not None and growth.rows is body.inputs[position]
    return growth if is_own and growth and growth.size is body.inputs[at] else None


def _growth(graph: Graph, rows: Value, size: Value) -> _Growth | None:
    """From which values of a graph these come; None if it does more than to extend an array."""
    producers, growth, last = graph.producers(), _Growth(rows, size), None
    while _reads_first_rows(graph, growth.rows, growth.size, last):
        if last is not None and growth.rows in graph.outputs:
            return None
        node = producers.get(growth.rows)
        if node is None:
            return growth
        step = _row(node, growth, producers) if node.op is _SET else _branches(node, growth)
        if step is None:
            return None
        last = producers[node.inputs[0]] if node.op is _SET else node
        growth = _Growth(
            step.rows, step.size, growth.appended + step.appended, (*growth.indices, *step.indices)
        )
    return None


def _row(node: Node, growth: _Growth, producers: dict[Value, Node]) -> _Growth | None:
    """A row that is set behind the others, or at an index up to which they are extended."""
    target, _, *index = node.inputs
    extended = producers.get(target)
    if len(index) != 1 or extended is None or extended.op is not _LENGTH or not _is_row(node):
        return None
    rows, length = extended.inputs
    step = producers.get(length)
    by = full_constant(step.inputs[1]) if step is not None and step.op is TABLE["add"] else None
    if step is None or by is None or int(by) != 1 or step.inputs[0] is not index[0]:
        return None
    if length is growth.size:
        return _Growth(rows, index[0], 1)
    larger = producers.get(growth.size)
    if larger is None or larger.op is not TABLE["maximum"] or length not in larger.inputs:
        return None
    before = larger.inputs[larger.inputs[0] is length]
    return _Growth(rows, before, 0, (index[0],))


def _branches(node: Node, growth: _Growth) -> _Growth | None:
    """What either side of an `if` extends by rows."""
    if "then" not in node.attrs or growth.size not in node.outputs:
        return None
    at, of_size = node.outputs.index(growth.rows), node.outputs.index(growth.size)
    sides = []
    for graph in (node.attrs["then"], node.attrs["orelse"]):
        side = _growth(graph, graph.outputs[at], graph.outputs[of_size])
        operands = dict(zip(graph.inputs, node.inputs[1:], strict=True))
        if side is None or not all(value in operands for value in (side.rows, side.size)):
            return None
        indices = tuple(operands.get(value, value) for value in side.indices)
        sides.append(_Growth(operands[side.rows], operands[side.size], side.appended, indices))
    first, second = sides
    if first.rows is not second.rows or first.size is not second.size:
        return None
    appended = max(first.appended, second.appended)
    return _Growth(first.rows, first.size, appended, (*first.indices, *second.indices))


def _most_rows(
    loop: Node, growth: _Growth, induction: InductionVariable, appended: int, trips: int
) -> int | None:
    """The most rows that there are in the end; None if it is not known where rows are set."""
    counter = loop.attrs["body"].inputs[induction.position]
    if not growth.indices:
        return appended
    if growth.appended or not isinstance(induction.start, int) or induction.start < 0:
        return None
    if any(index is not counter for index in growth.indices):
        return None
    last = induction.start + max(trips - 1, 0) * induction.step
    return max(appended, induction.start + 1, last + 1) if last >= 0 else None


def _reads_first_rows(graph: Graph, rows: Value, size: Value, besides: Node | None = None) -> bool:
    """Whether all that reads an array, besides a node, reads its first `size` rows."""
    readers = [node for node in graph.uses().get(rows, ()) if node is not besides]
    return all(_takes_first(node, size) for node in readers)


def _takes_first(node: Node, size: Value) -> bool:
    """Whether a node is `rows[:size]`."""
    if node.op is not _SLICE or len(node.inputs) != 2 or node.inputs[1] is not size:
        return False
    first, *rest = expanded(node.attrs["index"], len(node.inputs[0].shape or ()))
    is_first = first in ((None, Slot(0), None), (None, Slot(0), 1))
    return is_first and all(bounds == WHOLE for bounds in rest)


def _is_row(node: Node) -> bool:
    first, *rest = expanded(node.attrs["index"], len(node.inputs[0].shape or ()))
    return first == Slot(0) and all(bounds == WHOLE for bounds in rest)


# ---- the loop with an array of known size -----------------------------------------------------


def _with_rows(
    graph: Graph, loop: Node, position: int, first: Value | None, longer: Value
) -> Graph:
    """The graph whose loop starts with all rows that it will have, the `first` of which are set."""
    count = 0 if first is None else dims(first)[0]
    rest = replace(longer, shape=(max(dims(longer)[0] - count, 0), *dims(longer)[1:]))
    nodes, start = new_zeros(rest, loop.where)
    if first is not None:
        joined = replace(longer, shape=(count + dims(rest)[0], *dims(rest)[1:]))
        nodes.append(Node(TABLE["concat"], (first, start), {"axis": 0}, (joined,), loop.where))
        start = joined
    body, own = loop.attrs["body"], loop.attrs["body"].inputs[position]
    inner = _without_extension(body, own)
    inputs = with_value(loop.inputs, position, start)
    changed = replace(loop, inputs=inputs, attrs={**loop.attrs, "body": inner})
    return replaced_nodes(graph, {loop: [*nodes, changed]})


def _without_extension(graph: Graph, rows: Value) -> Graph:
    """A graph that sets rows of an array, from a value on, without extending it before."""
    same = {rows}
    values: dict[Value, Value] = {}

    def visit(node: Node) -> Node | None:
        if not same.intersection(node.inputs) or node.op is _SLICE:
            return node
        if node.op is _LENGTH:
            values[node.output] = node.inputs[0]
            return None
        if node.op is _SET:
            same.add(node.output)
            return node
        attrs = dict(node.attrs)
        at = next(index for index, operand in enumerate(node.inputs[1:]) if operand in same)
        for key in ("then", "orelse"):
            attrs[key] = _without_extension(attrs[key], attrs[key].inputs[at])
        same.update(output for output in node.outputs if may_grow(output))
        return replace(node, attrs=attrs)

    return rewrite(graph, visit, values)


_LENGTH, _SET, _SLICE = (TABLE[name] for name in ("ensure_length", "set_item", "strided_slice"))
