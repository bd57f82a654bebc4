"""From a graph to the program that native code is made of: the one way that all executors go."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from ..codegen.numpy.emit_numpy import Plan, emit_numpy
from ..ir.callee import Callee
from ..ir.graph import Graph
from ..lowering.fuse_loop_nests import lower
from ..lowering.program import Program
from ..passes.functionalize_variables import Threaded, thread_variables
from ..passes.native_pipeline import prepared
from ..passes.pipeline import optimize


class NativeForm(NamedTuple):
    """A graph as native code takes it: variables are inputs and outputs of `graph`."""

    graph: Graph
    program: Program
    threaded: Threaded | None

    def bind_variables(self, function: Callable) -> Callable:
        """`function` of this graph as a function of the original one."""
        return function if self.threaded is None else WithVariables(function, self.threaded)


def native_form(graph: Graph, program: Program | None = None) -> NativeForm:
    """The form of an optimized graph that native code is made of.

    `program` is the lowered graph, where there is one already: it is used where the form is the
    graph itself.
    """
    threaded = thread_variables(graph)
    made = prepared(graph if threaded is None else optimize(threaded.graph))
    if made is not graph or program is None:
        program = lower(made)
    return NativeForm(made, program, threaded)


class WithVariables:
    """A function of a graph whose variables were threaded, called without them."""

    def __init__(self, function: Callable, threaded: Threaded):
        self.function = function
        self.cells = threaded.cells
        self.written = threaded.written
        self.count = len(threaded.graph.outputs) - len(threaded.written)

    def __call__(self, *arrays):
        results = self.function(*arrays, *[cell.read() for cell in self.cells])
        for cell, array in zip(self.written, results[self.count :], strict=True):
            cell.array = array
        return results[: self.count]


def numpy_program(graph: Graph) -> Plan:
    """The NumPy program of a graph."""
    return emit_numpy(lower(optimize(graph)))


Callee.emit = staticmethod(numpy_program)
