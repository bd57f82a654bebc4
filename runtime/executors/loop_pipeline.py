"""The part of the pipeline for loops, and for items of arrays that they set."""

from __future__ import annotations

from ..codegen.native.host_target import host_target
from ..core.errors import Error
from ..core.tracebacks import is_from_handler
from ..ir.graph import Graph
from ..lowering.batch_parallel.split_batch import split_batches
from ..lowering.legalize.counted_stacks import with_counted_stacks
from ..lowering.legalize.flat_stacks import with_flat_stacks
from ..lowering.legalize.settled_stacks import with_settled_stacks
from ..passes.dead_code import eliminate_dead_code
from ..passes.loops.add_to_items import add_to_items
from ..passes.loops.skip_unread_rows import skip_unread_rows
from ..passes.loops.sum_after_loops import sum_after_loops
from ..passes.pipeline import optimize
from ..passes.propagate_shapes import specialise_shapes

PASSES = (sum_after_loops, add_to_items, skip_unread_rows)


def with_native_loops(graph: Graph) -> Graph:
    """The graph with loops as native code is generated from them."""
    for run in (_with_arrays_for_stacks, *PASSES):
        changed = run(graph)
        graph = graph if changed is graph else optimize(changed)
    split = split_batches(graph, host_target())
    return graph if split is graph else eliminate_dead_code(split)


def _with_arrays_for_stacks(graph: Graph) -> Graph:
    """The graph whose loops save values for the backward pass in arrays, where they can."""
    flat = with_flat_stacks(graph)
    counted = with_counted_stacks(with_settled_stacks(flat))
    if counted is flat:
        return flat
    try:
        return specialise_shapes(counted, [value.shape for value in counted.inputs])
    except Error as error:  # of what no iteration reaches, perhaps
        if is_from_handler(error):
            raise
        return counted
