"""What happens to a graph before it is compiled, beyond the passes that serve the plan too."""

from __future__ import annotations

from ..graph import Graph
from .loop_products import loop_products
from .pipeline import optimize
from .products_as_matmul import products_as_matmul
from .reroll import reroll
from .slices_first import slices_first


def prepared(graph: Graph) -> Graph:
    """An optimised graph in the form that native code is made of; the same one if it is that."""
    made = reroll(products_as_matmul(graph))
    made = slices_first(loop_products(graph if made is graph else optimize(made)))
    return graph if made is graph else optimize(made)
