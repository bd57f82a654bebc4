"""Passes that are loaded with the first graph that they may change.

    @for_graphs_with({"einsum", "tensordot"})
    def matrix_products(graph: Graph) -> Graph:
        from .einsum_to_matmul import einsum_to_matmul

        return einsum_to_matmul(graph)

Other graphs pass as they are. Loading the passes that a loop over scalars does without takes as
long as a small kernel.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

from ..ir.graph import Graph

Pass = Callable[[Graph], Graph]

ARRAY = "an array"  # among the contents of a graph: a value that is no scalar
PASSES: list[Pass] = []  # those on demand; `__wrapped__` is the pass for all graphs


def for_graphs_with(*groups: set[str]) -> Callable[[Pass], Pass]:
    """A pass that changes no graph but those whose contents have one of each of these groups."""
    return for_graphs(lambda graph: not any(map(contents_of(graph).isdisjoint, groups)))


def for_graphs(may_change: Callable[[Graph], bool]) -> Callable[[Pass], Pass]:
    """A pass that changes no other graphs than those."""

    def on_demand(run: Pass) -> Pass:
        @functools.wraps(run)
        def run_on_demand(graph: Graph) -> Graph:
            return run(graph) if may_change(graph) else graph

        PASSES.append(run_on_demand)
        return run_on_demand

    return on_demand


def contents_of(graph: Graph) -> set[str]:
    """The names of the operations of a graph and of its sub-graphs, and ARRAY if it has one."""
    found = graph.facts.contents
    if found is None:
        found = {node.op.name for node in graph.nodes}
        values = [*graph.inputs, *(value for node in graph.nodes for value in node.outputs)]
        if any(value.shape != () for value in values):
            found.add(ARRAY)
        for node in graph.nodes:
            found = found.union(*map(contents_of, node.subgraphs.values()))
        graph.facts.contents = found
    return found
