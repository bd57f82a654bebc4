"""The table of all passes, in the order in which they run, and what runs them.

A row names a function of a graph that gives an equivalent graph, or the same one where it has
nothing to change. Its module is imported with the first graph that it may change: to load the
passes that a loop over scalars does without takes as long as a small kernel.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from ..core import thresholds
from ..core.classes import NamedTuple
from ..core.debug_output import show
from ..core.places import object_at
from ..ir.graph import Graph
from ..ir.node_properties import (
    has_complex_numbers,
    has_computed_bounds,
    has_items_of_views,
    is_static_graph,
)
from ..ir.rewrite import inside_subgraphs, settled
from ..ir.trip_counts import induction_variable_of

ARRAY = "an array"  # among the contents of a graph: a value that is no scalar
Steps = Iterator[tuple[str, Graph]]  # the name of a pass that changed a graph, the graph after it


class Pass(NamedTuple):
    """A row of the table.

    place       its module in `runtime`, or in `library`, a colon, and the name of its function
    needs       a graph without an operation of each of these groups stays as it is
    where       so does a graph for which this is False
    cleanup     what follows a change by this row, or by those before it that have no cleanup
    by_target   whether the function takes a `Target` after the graph
    """

    place: str
    needs: tuple[set[str], ...] = ()
    where: Callable[[Graph], bool] = lambda graph: True
    cleanup: Callable[[Graph], Graph] | None = lambda graph: optimize(graph)  # noqa: PLW0108 defined below
    by_target: bool = False

    @property
    def name(self) -> str:
        return self.place.partition(":")[2]

    @property
    def function(self) -> Callable[..., Graph]:
        """The pass itself, for any graph."""
        is_librarys = self.place.startswith("library.")
        return object_at(self.place if is_librarys else f"runtime.{self.place}")

    def __call__(self, graph: Graph, target=None) -> Graph:
        """The graph after the pass, for a processor if it depends on one."""
        lacks = self.needs and any(map(contents_of(graph).isdisjoint, self.needs))
        if lacks or not self.where(graph):
            return graph
        return self.function(graph, target) if self.by_target else self.function(graph)


def contents_of(graph: Graph) -> set[str]:
    """The names of the operations of a graph and of its sub-graphs, and ARRAY if it has one."""
    contents = graph.facts.contents
    if contents is None:
        contents = {node.op.name for node in graph.nodes}
        values = [*graph.inputs, *(value for node in graph.nodes for value in node.outputs)]
        if any(value.shape != () for value in values):
            contents.add(ARRAY)
        for node in graph.nodes:
            contents = contents.union(*map(contents_of, node.subgraphs.values()))
        graph.facts.contents = contents
    return contents


# ---- of every executor -------------------------------------------------------------------------

OPTIMIZATIONS = (
    Pass("passes.inline_calls:inline_calls", ({"call"},)),
    Pass("passes.simplify:fold_constants"),
    Pass("passes.inline_calls:specialize_branches", ({"if"},)),
    Pass("passes.push_slices_up:split_to_slices", ({"split", "unstack"},)),
    Pass("passes.simplify:simplify"),
    Pass("passes.loops.hoist_loop_invariants:hoist_loop_invariants", ({"while"},)),
    Pass("passes.dead_code:drop_dead_loop_state", ({"while", "if"},)),
    Pass("passes.simplify:eliminate_common_subexpressions"),
    Pass("passes.dead_code:eliminate_dead_code"),
)
SUB_GRAPHS = "sub_graphs"  # the name of that step
SKIPPED: set[str] = set()  # the names of those that the user has switched off


def optimize(graph: Graph, skip: tuple[str, ...] = ()) -> Graph:
    """The graph after all optimizations, sub-graphs included; names in `skip` are left out.

    >>> [row.name for row in OPTIMIZATIONS][:2]
    ['inline_calls', 'fold_constants']
    """
    return _once(graph, SKIPPED.union(skip), {})


def _once(graph: Graph, skip: set[str], done: dict[Graph, Graph]) -> Graph:
    """A graph, optimized once however many nodes have it, and not where that changed nothing."""
    if graph not in done:
        run = partial(_last, skip=skip, done=done)
        done[graph] = run(graph) if skip else settled(graph, run, optimize)
    return done[graph]


def _last(graph: Graph, skip: set[str], done: dict[Graph, Graph]) -> Graph:
    return [graph, *(result for _, result in optimization_steps(graph, skip, done))][-1]


def optimization_steps(graph: Graph, skip=SKIPPED, done: dict | None = None) -> Steps:
    """The steps of `optimize`. The last one is that of all optimizations inside the sub-graphs."""
    memory = {} if done is None else done
    for row in OPTIMIZATIONS:
        if row.name not in skip:
            result = row(graph)
            if result is not graph:
                show("passes", f"{graph.name} after {row.name}", result)
                yield row.name, result
            graph = result
    result = inside_subgraphs(graph, lambda inner: _once(inner, skip, memory))
    if result is not graph:
        yield SUB_GRAPHS, result


# ---- before native code is generated -----------------------------------------------------------


def _resized(graph: Graph) -> Graph:
    """The graph with its shapes inferred again."""
    return optimize(object_at("runtime.passes.propagate_shapes:with_inferred_shapes")(graph))


_REDUCTIONS = {f"reduce_{name}" for name in ("sum", "prod", "mean", "max", "min", "any", "all")}
_SLICES = {"strided_slice", "set_item", "window", "set_window"}


def _has_indices_or_counters(graph: Graph) -> bool:
    """Whether indices or assertions of a graph may be proven: it has indices, or counted loops."""
    if not contents_of(graph).isdisjoint(_SLICES):
        return True
    loops = (node for node in graph.nodes if "carried" in node.attrs)
    if any(induction_variable_of(loop, graph.producers()) for loop in loops):
        return True
    inner = (graph_inside for node in graph.nodes for graph_inside in node.subgraphs.values())
    return any(map(_has_indices_or_counters, inner))


_WINDOWS = 2 * (  # again, for parts that get what is computed of windows
    Pass(
        "lowering.integer_ranges.known_lengths:with_known_lengths",
        where=lambda graph: any(map(has_computed_bounds, graph.walk())),
        cleanup=_resized,
    ),
)

PREPARATION = (
    Pass(
        "passes.propagate_shapes:with_inferred_shapes",
        where=lambda graph: not is_static_graph(graph),
    ),
    Pass("lowering.legalize.complex_numbers:with_pairs", where=has_complex_numbers),
    Pass(
        "lowering.legalize.other_operations:by_other_operations",
        ({"repeat", "blank", "fill", *_REDUCTIONS},),
    ),
    Pass("lowering.legalize.folded_views:with_folded_views", where=has_items_of_views),
    Pass("lowering.legalize.masked_updates:masked_updates", ({"replaced_by_mask"},)),
    *_WINDOWS,
    Pass(
        "library.linalg.einsum_to_matmul:einsum_to_matmul",
        ({"einsum", "matmul", "tensordot"},),
        cleanup=None,
    ),
    Pass(
        "passes.loops.reroll_unrolled_loops:reroll_unrolled_loops",
        where=lambda graph: len(graph.nodes) >= thresholds.REROLLED_FROM,
    ),
    Pass(
        "library.linalg.batch_loop_matmuls:batch_loop_matmuls",
        ({"while"}, {"matmul"}),
        cleanup=None,
    ),
    Pass("passes.push_slices_up:push_slices_up", ({"strided_slice"},)),
    Pass("lowering.legalize.flat_stacks:with_flat_stacks", ({"stack_push"},), cleanup=None),
    Pass("passes.loops.known_counts:with_known_counts", ({"while"},), cleanup=None),
    Pass(
        "lowering.legalize.counted_stacks:with_counted_stacks", ({"stack_push"},), cleanup=_resized
    ),
    Pass("passes.loops.sum_after_loops:sum_after_loops", ({"while"}, {"matmul", "set_item"})),
    Pass("passes.loops.sum_after_loops:add_to_items", ({"set_item"},)),
    Pass("passes.loops.skip_unread_rows:skip_unread_rows", ({"while"}, {"set_item"})),
    Pass(
        "lowering.batch_parallel.split_batch:split_batches",
        ({"while"}, {ARRAY}),
        cleanup=OPTIMIZATIONS[-1],  # type: ignore[arg-type]  # mypy calls no named tuple
        by_target=True,
    ),
)
RETRIED = (  # tried where the graph has no native form without
    PREPARATION[0],
    Pass(
        "lowering.legalize.loops_in_branches:loops_beside_branches",
        ({"if"}, {"stack_push", "stack_peek"}),
    ),
    Pass(
        "lowering.legalize.counted_rows:with_counted_rows", ({"ensure_length"},), cleanup=_resized
    ),
)
ORDERING = (  # the last ones, also where `with_computed_sizes` has given arrays a bound
    Pass(
        "lowering.legalize.node_order:hoist_reads_over_writes",
        ({ARRAY},),
        cleanup=None,
    ),
    Pass("lowering.legalize.node_order:scalars_first", ({ARRAY},), cleanup=None),
    Pass(
        "lowering.integer_ranges.in_bounds:with_proven_indices",
        ({"while", "if"}, {"assert", *_SLICES}),
        where=_has_indices_or_counters,
        cleanup=None,
    ),
)
BEFORE_NATIVE_CODE = (*PREPARATION, *ORDERING)


def steps_of(rows: tuple[Pass, ...], graph: Graph, target) -> Steps:
    """The passes of these rows that change an optimized graph, and the graph after each."""
    is_clean = True
    for row in rows:
        result = row(graph, target)
        is_changed = result is not graph
        is_clean = is_clean and not is_changed
        if row.cleanup is not None and not is_clean:
            result, is_clean = row.cleanup(result), True
        if result is not graph:
            show("passes", f"{graph.name} after {row.name}", result)
            yield row.name, result
        graph = result


def after(rows: tuple[Pass, ...], graph: Graph, target) -> Graph:
    """The graph after the passes of these rows."""
    for _, result in steps_of(rows, graph, target):
        graph = result
    return graph
