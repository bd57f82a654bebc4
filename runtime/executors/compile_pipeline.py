"""From a graph to the program that native code is made of: the one way that all executors go."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from ..codegen.numpy.emit_numpy import Plan, emit_numpy
from ..ir.callee import Callee
from ..ir.graph import Graph
from ..lowering.fuse_loop_nests import lower
from ..lowering.program import Program
from ..passes.functionalize_variables import Functionalized, functionalize_variables
from ..passes.native_pipeline import native_ready
from ..passes.pipeline import optimize


class NativeForm(NamedTuple):
    """A graph as native code takes it: variables are inputs and outputs of `graph`."""

    graph: Graph
    program: Program
    functionalized: Functionalized | None

    def bind_variables(self, function: Callable) -> Callable:
        """`function` of this graph as a function of the original one."""
        return (
            function
            if self.functionalized is None
            else WithVariables(function, self.functionalized)
        )


def native_form(graph: Graph, program: Program | None = None) -> NativeForm:
    """The form of an optimized graph that native code is made of.

    `program` is the lowered graph, where there is one already: it is used where the form is the
    graph itself.
    """
    functionalized = functionalize_variables(graph)
    made = native_ready(graph if functionalized is None else optimize(functionalized.graph))
    if made is not graph or program is None:
        program = lower(made)
    return NativeForm(made, program, functionalized)


class WithVariables:
    """A function of a graph whose variables were threaded, called without them."""

    def __init__(self, function: Callable, functionalized: Functionalized):
        self.function = function
        self.cells = functionalized.cells
        self.assigned = functionalized.assigned
        self.count = len(functionalized.graph.outputs) - len(functionalized.assigned)

    def __call__(self, *arrays):
        results = self.function(*arrays, *[cell.read() for cell in self.cells])
        for cell, array in zip(self.assigned, results[self.count :], strict=True):
            cell.array = array
        return results[: self.count]


def numpy_program(graph: Graph) -> Plan:
    """The NumPy program of a graph."""
    return emit_numpy(lower(optimize(graph)))


Callee.emit = staticmethod(numpy_program)
