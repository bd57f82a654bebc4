"""Rows of arrays that are written, and then overwritten or not read any more.

    out = zeros((n, ...))               out = unwritten((n, ...))
    for i in range(n):                  for i in range(n):
        out[i] = f(i)                       out[i] = f(i)

    for i in range(n):                  for i in range(n):
        y = f(rows[i])                      y = f(rows[i])
        rows[i] = 0

The second form is the gradient of the first one: nobody reads row `i` in a later iteration, or
after the loop.
"""

from __future__ import annotations

from dataclasses import replace

from ...core.shapes import is_static
from ...ir.graph import Graph, Node, Value
from ...ir.indexing import row_slot
from ...ir.node_properties import row_reader_of, setter_of
from ...ir.op import TABLE
from ...ir.rewrite import inside_subgraphs, items_at, rewrite_ops, with_operands
from ...ir.trip_counts import goes_through, induction_variable_of


def skip_unread_rows(graph: Graph) -> Graph:
    """The graph without such values."""
    graph = inside_subgraphs(graph, skip_unread_rows)
    if not graph.has("while"):
        return graph
    return _without_first_values(_without_last_values(graph))


# ---- rows that are read once -------------------------------------------------------------------


def _without_last_values(graph: Graph) -> Graph:
    producers, read = graph.producers(), graph.values_read()

    def visit(loop: Node) -> Node:
        induction = induction_variable_of(loop, producers)
        count = None if induction is None else induction.trip_count
        gone = [
            at
            for at in range(loop.attrs["carried"] if count is not None else 0)
            if loop.outputs[at] not in read and _is_read_once(loop, at, count or 0)
        ]
        if not gone:
            return loop
        kept = [at for at in range(loop.attrs["carried"]) if at not in gone]
        more = (*range(loop.attrs["carried"], len(loop.inputs)), *gone)  # which nothing changes
        body: Graph = loop.attrs["body"]
        return with_operands(loop, kept, more, body.replace(outputs=items_at(body.outputs, kept)))

    return rewrite_ops(graph, {"while": visit})


def _is_read_once(loop: Node, position: int, count: int) -> bool:
    """Whether each iteration reads the row of its number alone, and then sets it."""
    body, test = loop.attrs["body"], loop.attrs["test"]
    own, result = body.inputs[position], body.outputs[position]
    setter, uses = body.producers().get(result), body.uses()
    if setter is None or setter.op is not TABLE["set_item"] or setter.inputs[0] is not own:
        return False
    if result in uses or body.outputs.count(result) != 1 or own in body.outputs:
        return False
    if test.inputs[position] in test.values_read() or own in setter.inputs[1:]:
        return False
    counter = _row_counter(loop, setter)
    if counter is None or not goes_through(loop, counter, count):
        return False
    number = body.inputs[counter]
    others = [node for node in uses[own] if node is not setter]
    readers = [row_reader_of(body, node.outputs[0]) for node in others]
    return all(
        reader is node is not None and node.inputs == (own, number)
        for reader, node in zip(readers, others, strict=True)
    )


# ---- arrays that are written as a whole ----------------------------------------------------------


def _without_first_values(graph: Graph) -> Graph:
    producers, unread = graph.producers(), set()
    for loop in graph.nodes:
        if "carried" in loop.attrs:
            unread |= {
                loop.inputs[at]
                for at in range(loop.attrs["carried"])
                if _is_filled_for(graph, loop, at) and _is_written(loop, at, producers)
            }

    def visit(node: Node) -> Node:
        if unread.isdisjoint(node.outputs):
            return node
        attrs = {"dtype": node.output.dtype}
        return replace(node, op=TABLE["unwritten"], inputs=node.inputs[:1], attrs=attrs)

    return rewrite_ops(graph, {"fill": visit}) if unread else graph


def _is_filled_for(graph: Graph, loop: Node, position: int) -> bool:
    """Whether a carried array is filled with one number at first, and for this loop alone."""
    value = loop.inputs[position]
    node = graph.producers().get(value)
    if node is None or node.op is not TABLE["fill"] or value in graph.outputs:
        return False
    return graph.uses()[value] == [loop] and loop.inputs.count(value) == 1


def _is_written(loop: Node, position: int, producers: dict[Value, Node]) -> bool:
    """Whether the iterations of a loop set all items of a carried array, and read none."""
    body, test = loop.attrs["body"], loop.attrs["test"]
    shape, setter = body.inputs[position].shape, setter_of(body, position)
    induction = induction_variable_of(loop, producers)
    if shape is None or not is_static(shape) or setter is None or induction is None:
        return False
    if setter.op is not TABLE["set_item"] or test.inputs[position] in test.values_read():
        return False
    counter = _row_counter(loop, setter)
    if counter is None or induction.trip_count != shape[0]:
        return False
    return goes_through(loop, counter, shape[0])


def _row_counter(loop: Node, setter: Node) -> int | None:
    """The position of the carried value that is the number of the row that a node sets."""
    inputs, shape = loop.attrs["body"].inputs, setter.inputs[0].shape
    if shape is None or not is_static(shape):
        return None
    slot = row_slot(setter.attrs["index"], shape)
    number = None if slot is None else setter.inputs[2:][slot.position]
    if number not in inputs:
        return None
    counter = inputs.index(number)
    return counter if counter < loop.attrs["carried"] else None
