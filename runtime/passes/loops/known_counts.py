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
            made = values[loop.outputs[at]] = replace(loop.outputs[at], constant=end)
            nodes.append(Node(TABLE["const"], (), {"value": end}, (made,), loop.where))
        return nodes

    return rewrite_ops(graph, {"while": visit}, values)


def _ends(loop: Node, count: int | None, read: set[Value]) -> dict[int, np.ndarray]:
    """The last values of what a loop counts, by position, where they are read."""
    found: dict[int, np.ndarray] = {}
    for at in range(loop.attrs["carried"] if count is not None else 0):
        step, start = step_of(loop, at), full_constant(loop.inputs[at])
        if step is None or start is None or loop.outputs[at] not in read:
            continue
        end, limits = int(start) + (count or 0) * step, np.iinfo(start.dtype)
        if limits.min <= end <= limits.max:
            found[at] = np.array(end, start.dtype)
    return found
