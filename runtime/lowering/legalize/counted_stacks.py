"""What loops of known trip count save for a gradient: arrays with a row for each iteration.

    for i in range(n):                         saved = zeros((n, ...))
        saved = push(saved, i, y)              for i in range(n):
    for i in reversed(range(n)):                   saved[i] = y
        y = peek(saved, i)                     for i in reversed(range(n)):
                                                   y = saved[i]

A value that is a row of an array which both loops can read, as in `y = x[i]`, is not saved: the
second loop reads it from `x`. Nor is one that is the same in each iteration.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from ...core import thresholds
from ...core.numpy_dtypes import is_real
from ...ir.constant_values import full_constant
from ...ir.graph import Graph, Node, Value, dims
from ...ir.indexing import Slot
from ...ir.node_properties import row_reader_of
from ...ir.op import TABLE
from ...ir.rewrite import new_zeros, with_node_after, zeros_instead
from ...ir.saved_lists import has_no_elements, is_array
from ...ir.trip_counts import induction_variable_of, step_of
from .flat_stacks import counter_of_rows
from .saving_loops import (
    at_each_value,
    pushed,
    read_from,
    readers_of,
    reading,
    replaced_nodes,
    with_value,
)

ROW = {"index": (Slot(0),)}


def with_counted_stacks(graph: Graph) -> Graph:
    """The graph with arrays for the stacks of its loops of known trip count."""
    return at_each_value(graph, with_counted_stacks, _counted)


def _counted(graph: Graph, loop: Node, position: int) -> Graph:
    value, saved = pushed(loop, position), loop.outputs[position]
    readers = readers_of(graph, saved, zeros=True)
    if value is None or readers is None or not is_array(value.dtype, value.shape):
        return graph
    body, carried = loop.attrs["body"], loop.attrs["carried"]
    has_cotangent = readers_of(graph, saved) is None
    if value in body.inputs[carried:] and not has_cotangent:
        outer = loop.inputs[body.inputs.index(value)]
        return read_from(graph, readers, outer, _itself)
    if not is_real(value.dtype.numpy_dtype) or has_no_elements(value):
        return graph
    induction = induction_variable_of(loop, graph.producers())
    count = None if induction is None else induction.trip_count
    start = full_constant(loop.inputs[position])
    counter = counter_of_rows(loop, position)
    if not count or start is None or len(start) or counter is None:
        return graph
    if _is_counter(loop, value, counter) and not has_cotangent:
        return read_from(graph, readers, saved, _number)
    source = None if has_cotangent else _source(loop, value, counter)
    if source is not None:
        return read_from(graph, readers, source, _row)
    rows = Value(value.dtype, (count, *dims(value)), "saved")
    if (rows.size_in_bytes or 0) > thresholds.MOST_SAVED_BYTES:
        return graph
    return _with_rows(graph, loop, position, rows, readers)


def _itself(peek: Node, own: Value) -> Value:
    """What is the same in each iteration."""
    return own


def _number(peek: Node, own: Value) -> Node | Value:
    """The number of the row, in a stack of those numbers."""
    index = peek.inputs[1]
    return index if index.dtype is own.dtype else replace(peek, inputs=(own, index))


def _row(peek: Node, own: Value) -> Node:
    """A row of an array."""
    return replace(peek, op=TABLE["strided_slice"], attrs=ROW, inputs=(own, peek.inputs[1]))


def _row_or_zeros(rows: Value, node: Node, own: Value) -> Node | list[Node]:
    """A row of an array, or zeros of its type."""
    if node.op is TABLE["stack_peek"]:
        return _row(node, own)
    return zeros_instead(node, rows)


def _is_counter(loop: Node, value: Value, counter: int) -> bool:
    """Whether a value is the number of the row in which it is saved."""
    inputs = loop.attrs["body"].inputs[: loop.attrs["carried"]]
    if value not in inputs or value.dtype is not inputs[counter].dtype:
        return False
    return _counts_alike(loop, inputs.index(value), counter)


def _source(loop: Node, value: Value, counter: int) -> Value | None:
    """The array outside of the loop whose row number `counter` a value is."""
    body, carried = loop.attrs["body"], loop.attrs["carried"]
    reader = row_reader_of(body, value)
    if reader is None or reader.inputs[0] not in body.inputs[carried:]:
        return None
    at = body.inputs.index(reader.inputs[0])
    index = reader.inputs[1]
    if index not in body.inputs[:carried]:
        return None
    return loop.inputs[at] if _counts_alike(loop, body.inputs.index(index), counter) else None


def _counts_alike(loop: Node, first: int, second: int) -> bool:
    """Whether two carried values are the same in each iteration."""
    starts = [full_constant(loop.inputs[at]) for at in (first, second)]
    steps = [step_of(loop, at) for at in (first, second)]
    if first == second or starts[0] is None or starts[1] is None:
        return first == second
    return starts[0] == starts[1] and steps[0] == steps[1] and steps[0] is not None


def _with_rows(
    graph: Graph, loop: Node, position: int, rows: Value, readers: list[tuple[Node, int]]
) -> Graph:
    """A graph whose loop sets the rows of an array in place of pushing on a stack."""
    body, test = loop.attrs["body"], loop.attrs["test"]
    push = body.producers()[body.outputs[position]]
    stack, index, value = push.inputs
    own, saved, outer = (replace(rows, name=name) for name in (stack.name, "saved", "saved"))
    changed = replace(
        push, op=TABLE["set_item"], inputs=(own, value, index), attrs=ROW, outputs=(saved,)
    )
    inner = body.replace(
        inputs=with_value(body.inputs, position, own),
        nodes=with_node_after([node for node in body.nodes if node is not push], value, changed),
        outputs=with_value(body.outputs, position, saved),
    )
    test = test.replace(inputs=with_value(test.inputs, position, replace(own)))
    zeros, start = new_zeros(rows, loop.where)
    nodes = [
        *zeros,
        replace(
            loop,
            inputs=with_value(loop.inputs, position, start),
            attrs={**loop.attrs, "body": inner, "test": test},
            outputs=with_value(loop.outputs, position, outer),
        ),
    ]
    replaced: dict[Node, Node | list[Node]] = {loop: nodes}
    replaced |= {
        node: reading(node, at, outer, partial(_row_or_zeros, rows)) for node, at in readers
    }
    for node in graph.uses().get(loop.outputs[position], ()):
        if node.op is TABLE["stack_zeros"]:
            replaced[node] = _row_or_zeros(rows, node, outer)
    return replaced_nodes(graph, replaced)
