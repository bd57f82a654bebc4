"""Passes that run only before native compilation."""

from __future__ import annotations

from ..core import thresholds
from ..ir.graph import Graph
from .passes_on_demand import for_graphs, for_graphs_with
from .pipeline import optimize


def native_ready(graph: Graph) -> Graph:
    """A graph after the passes for native code; the graph itself if they change nothing."""
    known = _with_known_lengths(graph)
    sized = graph if known is graph else optimize(known)
    result = _reroll_unrolled_loops(_einsum_to_matmul(sized))
    result = _push_slices_up(_batch_loop_matmuls(sized if result is sized else optimize(result)))
    return graph if result is graph else optimize(result)


@for_graphs_with({"set_item", "strided_slice"})
def _with_known_lengths(graph: Graph) -> Graph:
    from .affine_slices import with_known_lengths

    return with_known_lengths(graph)


@for_graphs_with({"einsum", "matmul", "tensordot"})
def _einsum_to_matmul(graph: Graph) -> Graph:
    from .einsum_to_matmul import einsum_to_matmul

    return einsum_to_matmul(graph)


@for_graphs(lambda graph: len(graph.nodes) >= thresholds.REROLLED_FROM)
def _reroll_unrolled_loops(graph: Graph) -> Graph:
    from .loops.reroll_unrolled_loops import reroll_unrolled_loops

    return reroll_unrolled_loops(graph, thresholds.REROLLED_FROM)


@for_graphs_with({"while"}, {"matmul"})
def _batch_loop_matmuls(graph: Graph) -> Graph:
    from .loops.batch_loop_matmuls import batch_loop_matmuls

    return batch_loop_matmuls(graph)


@for_graphs_with({"strided_slice"})
def _push_slices_up(graph: Graph) -> Graph:
    from .push_slices_up import push_slices_up

    return push_slices_up(graph)
