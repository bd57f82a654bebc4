"""The passes, in order."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ..core.debug_output import show
from ..ir.graph import Graph
from ..ir.rewrite import inside_subgraphs
from .dead_code import drop_dead_loop_state, eliminate_dead_code
from .eliminate_common_subexpressions import eliminate_common_subexpressions
from .fold_constants import fold_constants
from .inline_calls import inline_calls
from .loops.hoist_loop_invariants import hoist_loop_invariants
from .simplify import simplify
from .specialize_branches import specialize_branches
from .split_to_slices import split_to_slices

PASSES: dict[str, Callable[[Graph], Graph]] = {
    "inline_calls": inline_calls,
    "fold_constants": fold_constants,
    "specialize_branches": specialize_branches,
    "split_to_slices": split_to_slices,
    "simplify": simplify,
    "hoist_loop_invariants": hoist_loop_invariants,
    "drop_dead_loop_state": drop_dead_loop_state,
    "eliminate_common_subexpressions": eliminate_common_subexpressions,
    "eliminate_dead_code": eliminate_dead_code,
}

SKIPPED: set[str] = set()  # passes that the user has switched off


def optimize(graph: Graph, skip: tuple[str, ...] = ()) -> Graph:
    """The graph after all passes, sub-graphs included; names in `skip` are left out.

    >>> list(PASSES)[:2]
    ['inline_calls', 'fold_constants']
    """
    for _, result in optimization_steps(graph, skip):
        graph = result
    return graph


def optimization_steps(graph: Graph, skip: tuple[str, ...] = ()) -> Iterator[tuple[str, Graph]]:
    """The name of each pass that changes the graph, and the graph after it.

    The last step is that of all passes inside the sub-graphs.
    """
    for name, run in PASSES.items():
        if name not in skip and name not in SKIPPED:
            result = run(graph)
            if result is not graph:
                show("passes", f"{graph.name} after {name}", result)
                yield name, result
            graph = result
    result = inside_subgraphs(graph, lambda inner: optimize(inner, skip))
    if result is not graph:
        yield "passes of sub-graphs", result
