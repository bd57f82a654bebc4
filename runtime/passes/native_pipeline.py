"""Passes that run only before native compilation."""

from __future__ import annotations

from ..ir.graph import Graph
from .batch_loop_matmuls import batch_loop_matmuls
from .einsum_to_matmul import einsum_to_matmul
from .pipeline import optimize
from .push_slices_up import push_slices_up
from .reroll_unrolled_loops import reroll_unrolled_loops


def native_ready(graph: Graph) -> Graph:
    """A graph after the passes for native code; the graph itself if they change nothing."""
    result = reroll_unrolled_loops(einsum_to_matmul(graph))
    result = push_slices_up(batch_loop_matmuls(graph if result is graph else optimize(result)))
    return graph if result is graph else optimize(result)
