"""The passes in order."""

from __future__ import annotations

from ..graph import Graph


def optimize(graph: Graph) -> Graph:
    return graph
