"""The NumPy program of a graph."""

from __future__ import annotations

from ..codegen.numpy.emit_numpy import emit_numpy
from ..codegen.numpy.numpy_plan import Plan
from ..ir.callee import Callee
from ..ir.graph import Graph
from ..lowering.fuse_loop_nests import lower
from ..passes.pipeline import optimize


def numpy_program(graph: Graph) -> Plan:
    """The graph, optimized and lowered, as Python source that calls NumPy."""
    return emit_numpy(lower(optimize(graph)))


Callee.emit = staticmethod(numpy_program)
