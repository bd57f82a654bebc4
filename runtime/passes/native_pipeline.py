"""Passes that run only before native compilation."""

from __future__ import annotations

from ..ir.graph import Graph
from .affine_slices import with_known_lengths
from .einsum_to_matmul import einsum_to_matmul
from .loops.batch_loop_matmuls import batch_loop_matmuls
from .loops.reroll_unrolled_loops import reroll_unrolled_loops
from .pipeline import optimize
from .push_slices_up import push_slices_up


def native_ready(graph: Graph) -> Graph:
    """A graph after the passes for native code; the graph itself if they change nothing."""
    known = with_known_lengths(graph)
    sized = graph if known is graph else optimize(known)
    result = reroll_unrolled_loops(einsum_to_matmul(sized))
    result = push_slices_up(batch_loop_matmuls(sized if result is sized else optimize(result)))
    return graph if result is graph else optimize(result)
