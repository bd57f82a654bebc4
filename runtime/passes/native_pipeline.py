"""What happens to a graph before it is compiled, beyond the passes that serve the plan too."""

from __future__ import annotations

from ..ir.graph import Graph
from .batch_loop_matmuls import loop_products
from .einsum_to_matmul import products_as_matmul
from .pipeline import optimize
from .push_slices_up import slices_first
from .reroll_unrolled_loops import reroll


def prepared(graph: Graph) -> Graph:
    """An optimised graph in the form that native code is made of; the same one if it is that."""
    made = reroll(products_as_matmul(graph))
    made = slices_first(loop_products(graph if made is graph else optimize(made)))
    return graph if made is graph else optimize(made)
