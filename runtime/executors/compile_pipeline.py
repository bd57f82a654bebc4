"""The pipeline from a graph to the program that native code is generated from."""

from __future__ import annotations

import contextlib
import functools
from collections import deque
from collections.abc import Callable, Iterator
from itertools import repeat

from ..codegen.native.kernel_writer import host_target
from ..core.classes import NamedTuple
from ..core.errors import InvalidArgumentError
from ..ir.callee import callees_in
from ..ir.graph import Graph
from ..ir.node_properties import has_computed_sizes
from ..lowering.cost_model import Target
from ..lowering.fuse_loop_nests import lower
from ..lowering.not_native import NotNativeError
from ..lowering.program import Program
from ..passes.functionalize_variables import Functionalized, functionalize_variables
from ..passes.pipeline import (
    BEFORE_NATIVE_CODE,
    ORDERING,
    RETRIED,
    Steps,
    after,
    contents_of,
    optimize,
    steps_of,
)


class NativeForm(NamedTuple):
    """The native form of a graph: variables are inputs and outputs of `source`, and of `graph`,
    which is prepared for native code. With `may_limit`, calls in which it reads all of an array of
    very many rows leave it.
    """

    source: Graph
    graph: Graph
    program: Program
    functionalized: Functionalized | None
    may_limit: bool = False

    def bind_variables(self, function: Callable) -> Callable:
        """A function of the original graph, from one of this graph."""
        if self.functionalized is None:
            return function
        return WithVariables(function, self.functionalized)

    def bind_cells(self, on_tensors: Callable | None) -> Callable | None:
        """The same of what makes tables for tensors and cells (see `KernelCalls`). None if
        variables are assigned.
        """
        if on_tensors is None or self.functionalized is None:
            return on_tensors
        is_read = not self.functionalized.assigned
        return functools.partial(on_tensors, cells=self.functionalized.cells) if is_read else None


def native_forms(graph: Graph, program=None, target: Target | None = None) -> Iterator[NativeForm]:
    """The forms of an optimized graph that native code may be generated from: where arrays grow by
    rows, and, if one has no native code so, where they have all their rows from the start, or a
    limit of them. They are for this processor, if no other `target` is named.
    """
    yield (form := native_form(graph, program, target))
    otherwise = after(RETRIED, graph, target)
    if otherwise is not graph:
        yield (form := native_form(otherwise, None, target))
    if "ensure_length" in contents_of(graph):
        yield form._replace(may_limit=True)


def native_form(
    graph: Graph, program: Program | None = None, target: Target | None = None
) -> NativeForm:
    """The form of an optimized graph that native code is generated from.

    `program` is the lowered graph, if there is one, reused where the form is the graph itself.
    """
    functionalized = functionalize_variables(graph)
    source = graph if functionalized is None else optimize(functionalized.graph)
    prepared_graph = after(BEFORE_NATIVE_CODE, source, target or host_target())
    if prepared_graph is not graph or program is None:
        program = lower(prepared_graph)
    return NativeForm(source, prepared_graph, program, functionalized)


def preparation_steps(graph: Graph) -> Steps:
    """The passes that change an optimized graph before native code is generated from it, and the
    graph after each.
    """
    functionalized = functionalize_variables(graph)
    if functionalized is not None:
        graph = optimize(functionalized.graph)
        yield functionalize_variables.__name__, graph
    yield from steps_of(BEFORE_NATIVE_CODE, graph, host_target())


def sized_program(form: NativeForm) -> Program | None:
    """The program with memory for the most elements that slices of computed bounds may have; None
    where all shapes are known. Raises NotNativeError where that has no native form.
    """
    if not has_computed_sizes(form.graph):
        return None
    return lower(_with_known_sizes(form.graph, form.may_limit))


def _with_known_sizes(graph: Graph, may_limit: bool) -> Graph:
    from ..lowering.legalize.computed_sizes import with_computed_sizes

    return after(ORDERING, with_computed_sizes(graph, may_limit), host_target())


def with_values_for_cells(graph: Graph) -> Graph:
    """The graph with values in place of the cells that it declares itself, and with the errors of
    what nobody reads.

    Raises InvalidArgumentError where it uses cells of others.
    """
    from ..passes.keep_errors import keep_errors

    if not any(node.op.variable_access or node.op.callee_attribute for node in graph.walk()):
        return keep_errors(graph)
    functionalized = functionalize_variables(graph)
    if functionalized is None or functionalized.cells:
        raise InvalidArgumentError("it has effects on variables, or others")
    for callee in callees_in(functionalized.graph):
        assert callee.graph is not None
        graph = after(BEFORE_NATIVE_CODE, optimize(keep_errors(callee.graph)), host_target())
        callee.graph = graph
        if has_computed_sizes(graph):
            with contextlib.suppress(NotNativeError):  # where arrays grow, these need no bound
                callee.graph = _with_known_sizes(graph, False)
    return keep_errors(functionalized.graph)


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
