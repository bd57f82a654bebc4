"""Scalars and their checks before the arrays between which the program computes them.

    y = x * 2                    check(n != 0)
    check(n != 0)                k = 1 / n
    k = 1 / n                    y = x * 2
    z = y * k                    z = y * k

On the left side, what is no loop over elements ends the loop nest of `y`, which is stored and read
again for `z`. A check may come sooner: where it does not hold, the kernel has changed nothing, and
other code runs.
"""

from __future__ import annotations

from ...ir.graph import Graph, Node, Value
from ...ir.op import PURE, TABLE
from ...ir.rewrite import inside_subgraphs


def scalars_first(graph: Graph) -> Graph:
    """The graph, and its sub-graphs, with each scalar that is computed from scalars as early as an
    effect allows, and each check once.
    """
    graph = inside_subgraphs(graph, scalars_first)
    nodes: list[Node] = []
    late: list[Node] = []
    computed: set[Value] = set()  # by late nodes
    checked: set[Value] = set()
    for node in graph.nodes:
        is_check = node.op is TABLE["assert"]
        if is_check and node.inputs[0] in checked:
            continue
        checked.update(node.inputs[:is_check])
        if node.subgraphs or not (is_check or node.effect == PURE):
            nodes += [*late, node]
            late, computed = [], set()
        elif computed.isdisjoint(node.inputs) and _is_of_scalars(node):
            nodes.append(node)
        else:
            late.append(node)
            computed.update(node.outputs)
    nodes += late
    return graph if nodes == list(graph.nodes) else graph.replace(nodes=tuple(nodes))


def _is_of_scalars(node: Node) -> bool:
    """An index of a view stays where it is: what is read before often proves its bounds."""
    is_index = node.op is TABLE["wrapped_index"]
    return not is_index and all(value.shape == () for value in (*node.inputs, *node.outputs))
