"""The part of the pipeline for loops, and for items of arrays that they set."""

from __future__ import annotations

from ..codegen.native.host_target import host_target
from ..ir.graph import Graph
from ..passes.dead_code import eliminate_dead_code
from ..passes.passes_on_demand import ARRAY, for_graphs_with
from ..passes.pipeline import optimize


def with_native_loops(graph: Graph) -> Graph:
    """The graph with loops as native code is generated from them."""
    for run in (_with_arrays_for_stacks, _sum_after_loops, _add_to_items, _skip_unread_rows):
        changed = run(graph)
        graph = graph if changed is graph else optimize(changed)
    split = _split_batches(graph)
    return graph if split is graph else eliminate_dead_code(split)


def _with_arrays_for_stacks(graph: Graph) -> Graph:
    """The graph whose loops save values for the backward pass in arrays, where they can."""
    flat = _with_flat_stacks(graph)
    counted = _with_counted_stacks(_with_known_counts(_with_settled_stacks(flat)))
    if counted is flat:
        return flat
    from ..passes.propagate_shapes import with_inferred_shapes

    return with_inferred_shapes(counted)


@for_graphs_with({"stack_push"})
def _with_flat_stacks(graph: Graph) -> Graph:
    from ..lowering.legalize.flat_stacks import with_flat_stacks

    return with_flat_stacks(graph)


@for_graphs_with({"stack_push"})
def _with_settled_stacks(graph: Graph) -> Graph:
    from ..lowering.legalize.settled_stacks import with_settled_stacks

    return with_settled_stacks(graph)


@for_graphs_with({"while"})
def _with_known_counts(graph: Graph) -> Graph:
    from ..passes.loops.known_counts import with_known_counts

    return with_known_counts(graph)


@for_graphs_with({"stack_push"})
def _with_counted_stacks(graph: Graph) -> Graph:
    from ..lowering.legalize.counted_stacks import with_counted_stacks

    return with_counted_stacks(graph)


@for_graphs_with({"while"}, {"matmul", "set_item"})
def _sum_after_loops(graph: Graph) -> Graph:
    from ..passes.loops.sum_after_loops import sum_after_loops

    return sum_after_loops(graph)


@for_graphs_with({"set_item"})
def _add_to_items(graph: Graph) -> Graph:
    from ..passes.loops.add_to_items import add_to_items

    return add_to_items(graph)


@for_graphs_with({"while"}, {"set_item"})
def _skip_unread_rows(graph: Graph) -> Graph:
    from ..passes.loops.skip_unread_rows import skip_unread_rows

    return skip_unread_rows(graph)


@for_graphs_with({"while"}, {ARRAY})
def _split_batches(graph: Graph) -> Graph:
    from ..lowering.batch_parallel.split_batch import split_batches

    return split_batches(graph, host_target())
