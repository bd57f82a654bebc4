"""The pipeline from a graph to the program that native code is generated from."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from itertools import repeat
from typing import NamedTuple

from ..core.errors import InvalidArgumentError
from ..ir.graph import Graph
from ..ir.node_properties import has_computed_sizes, has_items_of_views, is_static_graph
from ..lowering.fuse_loop_nests import lower
from ..lowering.not_native import NotNativeError
from ..lowering.program import Program
from ..passes.functionalize_variables import Functionalized, functionalize_variables
from ..passes.native_pipeline import native_ready
from ..passes.passes_on_demand import ARRAY, for_graphs, for_graphs_with
from ..passes.pipeline import optimize
from .loop_pipeline import with_native_loops


class NativeForm(NamedTuple):
    """The native form of a graph: variables are inputs and outputs of `graph`."""

    graph: Graph
    program: Program
    functionalized: Functionalized | None

    def bind_variables(self, function: Callable) -> Callable:
        """A function of the original graph, from one of this graph."""
        return (
            function
            if self.functionalized is None
            else WithVariables(function, self.functionalized)
        )

    def bind_cells(self, on_tensors: Callable | None) -> Callable | None:
        """The same of a maker of a function that takes tensors and cells (see `KernelCalls`). None
        if variables are assigned.
        """
        if on_tensors is None or self.functionalized is None:
            return on_tensors and on_tensors()
        cells = self.functionalized.cells
        if self.functionalized.assigned:
            return None
        function = on_tensors(*{type(cell) for cell in cells})
        return lambda *tensors: function(*tensors, *cells)


def native_forms(graph: Graph, program: Program | None = None) -> Iterator[NativeForm]:
    """The forms of an optimized graph that native code may be generated from: where arrays grow by
    rows, and, if one has no native code so, where they have all their rows from the start.
    """
    yield native_form(graph, program)
    counted = _counted_rows(graph)
    if counted is not graph:
        yield native_form(optimize(counted))


@for_graphs_with({"ensure_length"})
def _counted_rows(graph: Graph) -> Graph:
    from ..lowering.legalize.counted_rows import with_counted_rows
    from ..passes.propagate_shapes import with_inferred_shapes

    changed = with_counted_rows(graph)
    return graph if changed is graph else with_inferred_shapes(changed)


def native_form(graph: Graph, program: Program | None = None) -> NativeForm:
    """The form of an optimized graph that native code is generated from.

    `program` is the lowered graph, if there is one. It is reused where the form is the graph
    itself.
    """
    functionalized = functionalize_variables(graph)
    source = graph if functionalized is None else optimize(functionalized.graph)
    for run in (_inferred_shapes, _by_other_operations, _folded_views, _masked_updates):
        changed = run(source)
        source = source if changed is source else optimize(changed)
    prepared_graph = native_ready(source)
    prepared_graph = _readers_first(with_native_loops(prepared_graph))
    prepared_graph = _proven_indices(prepared_graph)
    if prepared_graph is not graph or program is None:
        program = lower(prepared_graph)
    return NativeForm(prepared_graph, program, functionalized)


def _inferred_shapes(graph: Graph) -> Graph:
    if is_static_graph(graph):
        return graph
    from ..passes.propagate_shapes import with_inferred_shapes

    return with_inferred_shapes(graph)


@for_graphs_with(
    {
        "repeat",
        "reduce_sum",
        "reduce_prod",
        "reduce_mean",
        "reduce_max",
        "reduce_min",
        "reduce_any",
        "reduce_all",
    }
)
def _by_other_operations(graph: Graph) -> Graph:
    from ..lowering.legalize.other_operations import by_other_operations, is_by_others

    return by_other_operations(graph) if any(map(is_by_others, graph.walk())) else graph


@for_graphs(has_items_of_views)
def _folded_views(graph: Graph) -> Graph:
    from ..lowering.legalize.folded_views import with_folded_views

    return with_folded_views(graph)


@for_graphs_with({"replaced_by_mask"})
def _masked_updates(graph: Graph) -> Graph:
    from ..lowering.legalize.masked_updates import masked_updates

    return masked_updates(graph)


@for_graphs_with({ARRAY})
def _readers_first(graph: Graph) -> Graph:
    from ..lowering.legalize.readers_first import readers_first

    return readers_first(graph)


@for_graphs_with({"while", "if"}, {"strided_slice", "set_item", "window", "set_window"})
def _proven_indices(graph: Graph) -> Graph:
    from ..lowering.integer_ranges.in_bounds import with_proven_indices

    return with_proven_indices(graph)


def sized_program(form: NativeForm) -> Program | None:
    """The program with memory for the most elements that slices of computed bounds may have; None
    where all shapes are known. Raises NotNativeError where that has no native form.
    """
    if not has_computed_sizes(form.graph):
        return None
    from ..lowering.legalize.computed_sizes import with_computed_sizes

    return lower(_proven_indices(_readers_first(with_computed_sizes(form.graph))))


def with_values_for_cells(graph: Graph) -> Graph:
    """The graph with values in place of the cells that it declares itself, and with the errors of
    what nobody reads.

    Raises InvalidArgumentError where it uses cells of others.
    """
    from ..passes.keep_errors import keep_errors

    if not any(node.op.variable_access for node in graph.walk()):
        return keep_errors(graph)
    functionalized = functionalize_variables(graph)
    if functionalized is None or functionalized.cells:
        raise InvalidArgumentError("it has effects on variables, or others")
    return keep_errors(functionalized.graph)


def with_real_numbers(graph: Graph) -> Graph:
    """The graph on pairs of real numbers in place of complex ones.

    Raises InvalidArgumentError for what has no form of pairs.
    """
    from ..lowering.legalize.complex_numbers import without_complex_numbers

    try:
        return without_complex_numbers(graph)
    except NotNativeError as error:
        raise InvalidArgumentError(str(error)) from None


class WithVariables:
    """A function of a graph with functionalized variables, which reads and assigns them itself."""

    def __init__(self, function: Callable, functionalized: Functionalized):
        self.function = function
        self.cells = functionalized.cells
        self.assigned = functionalized.assigned
        self.count = len(functionalized.graph.outputs) - len(functionalized.assigned)

    def __call__(self, *arrays):
        results = self.function(*arrays, *[cell.read() for cell in self.cells])
        assigned = self.assigned
        replaced = [cell.array for cell in assigned]  # freed below: that may run Python code
        # One call without Python code inside: no signal ends it half-way.
        deque(map(setattr, assigned, repeat("array"), results[self.count :]), maxlen=0)
        del replaced
        return results[: self.count]
