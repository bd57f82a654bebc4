"""Arrays that a loop writes as a whole need no values before it.

out = zeros((n, ...))               out = unwritten((n, ...))
for i in range(n):                  for i in range(n):
    out[i] = f(i)                       out[i] = f(i)
"""

from __future__ import annotations

from dataclasses import replace

from ...core.shapes import is_static
from ...ir.graph import Graph, Node, Value
from ...ir.indexing import Slot, expanded, is_everything
from ...ir.node_properties import setter_of
from ...ir.op import TABLE
from ...ir.rewrite import inside_subgraphs
from ...ir.trip_counts import goes_through, induction_variable_of


def skip_first_values(graph: Graph) -> Graph:
    """The graph without the first values of such arrays."""
    graph = inside_subgraphs(graph, skip_first_values)
    producers, unread = graph.producers(), set()
    for loop in graph.nodes:
        if "carried" in loop.attrs:
            unread |= {
                loop.inputs[at]
                for at in range(loop.attrs["carried"])
                if _is_filled_for(graph, loop, at) and _is_written(loop, at, producers)
            }
    if not unread:
        return graph
    nodes = tuple(
        _unwritten(one) if unread.intersection(one.outputs) else one for one in graph.nodes
    )
    return graph.replace(nodes=nodes)


def _unwritten(node: Node) -> Node:
    attrs = {"dtype": node.output.dtype}
    return replace(node, op=TABLE["unwritten"], inputs=node.inputs[:1], attrs=attrs)


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
    first, *rest = expanded(setter.attrs["index"], len(shape))
    scalars = setter.inputs[2:]
    if type(first) is not Slot or scalars[first.position] not in body.inputs:
        return False
    counter = body.inputs.index(scalars[first.position])
    is_whole = all(type(row) is tuple for row in rest) and is_everything(tuple(rest), shape[1:])
    if not is_whole or counter >= loop.attrs["carried"] or induction.trip_count != shape[0]:
        return False
    return goes_through(loop, counter, shape[0])
