"""Constants for what loops of known trip count have counted in the end.

    i = 0                                   i = 0
    while i < 9:                            while i < 9:
        i += 1                                  i += 1
    y = x[i]                                y = x[9]

So the length of an array with a row for each iteration is known.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...ir.constant_values import full_constant
from ...ir.graph import Graph, Node, Value
from ...ir.op import TABLE
from ...ir.rewrite import inside_subgraphs, rewrite_ops
from ...ir.trip_counts import induction_variable_of, step_of


def with_known_counts(graph: Graph) -> Graph:
    """The graph with constants for what loops of known trip count have counted in the end."""
    graph = inside_subgraphs(graph, with_known_counts)
    producers, read = graph.producers(), graph.values_read()
    values: dict[Value, Value] = {}

    def visit(loop: Node) -> list[Node]:
        induction = induction_variable_of(loop, producers)
        count = None if induction is None else induction.trip_count
        nodes = [loop]
        for at, end in _ends(loop, count, read).items():
            result = values[loop.outputs[at]] = replace(loop.outputs[at], constant=end)
            nodes.append(Node(TABLE["const"], (), {"value": end}, (result,), loop.where))
        return nodes

    return rewrite_ops(graph, {"while": visit}, values)


def _ends(loop: Node, count: int | None, read: set[Value]) -> dict[int, np.ndarray]:
    """The last values of what a loop counts, by position, where they are read."""
    ends: dict[int, np.ndarray] = {}
    for at in range(loop.attrs["carried"] if count is not None else 0):
        start = full_constant(loop.inputs[at])
        if (
            start is None
            or loop.outputs[at] not in read
            or start.shape
            or start.dtype.kind not in "iu"
        ):
            continue
        end = _end(loop, at, int(start), count or 0)
        limits = np.iinfo(start.dtype)
        if end is not None and limits.min <= end <= limits.max:
            ends[at] = np.array(end, start.dtype)
    return ends


def _end(loop: Node, at: int, start: int, count: int) -> int | None:
    """The last value of a counter, or of the largest of what follows it, as `max(size, i + 1)`."""
    body = loop.attrs["body"]
    producers, own = body.producers(), body.inputs[at]
    step = step_of(loop, at)
    step = _sum_of_steps(body.outputs[at], own, producers) if step is None else step
    if step is not None:
        return start + count * step
    larger = producers.get(body.outputs[at])
    if larger is None or larger.op is not TABLE["maximum"] or own not in larger.inputs:
        return None
    value = larger.inputs[larger.inputs[0] is own]
    for position in range(loop.attrs["carried"]):
        begin, rise = full_constant(loop.inputs[position]), step_of(loop, position)
        if body.outputs[position] is value and begin is not None and rise is not None and rise > 0:
            return max(start, int(begin) + count * rise) if count else start
    return None


def _sum_of_steps(value: Value, own: Value, producers: dict[Value, Node]) -> int | None:
    """What is added to a carried value in one iteration, in steps, if it is constant."""
    total = 0
    while value is not own:
        node = producers.get(value)
        step = full_constant(node.inputs[1]) if node and node.op is TABLE["add"] else None
        if node is None or step is None or step.shape:
            return None
        value, total = node.inputs[0], total + int(step)
    return total or None
