"""What happens to a graph before it is compiled, beyond the passes that serve the plan too."""

from __future__ import annotations

from ..ir.graph import Graph
from .batch_loop_matmuls import batch_loop_matmuls
from .einsum_to_matmul import einsum_to_matmul
from .pipeline import optimize
from .push_slices_up import push_slices_up
from .reroll_unrolled_loops import reroll_unrolled_loops


def native_ready(graph: Graph) -> Graph:
    """An optimised graph in the form that native code is made of; the same one if it is that."""
    made = reroll_unrolled_loops(einsum_to_matmul(graph))
    made = push_slices_up(batch_loop_matmuls(graph if made is graph else optimize(made)))
    return graph if made is graph else optimize(made)
