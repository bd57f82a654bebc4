"""The instrumented NumPy plan of a graph, which reports every operation to the observers."""

from __future__ import annotations

from ..codegen.numpy.emit_numpy import emit_numpy
from ..lowering.fuse_loop_nests import lower
from ..passes.pipeline import OPTIMIZATIONS, optimize
from ..tensors.listeners import notify

# The passes that neither remove an operation nor change its line.
HARMLESS = ("inline_calls", "drop_dead_loop_state", "eliminate_dead_code")


def observed_plan(graph):
    """The NumPy plan of a graph that reports every operation to the observers."""
    skipped = tuple(row.name for row in OPTIMIZATIONS if row.name not in HARMLESS)
    return emit_numpy(lower(optimize(graph, skipped)), look=_look)


def _look(node):
    """The function that the plan calls after the line of a node."""

    def look(start, inputs, outputs):
        notify(node.op, node.where, start, inputs, outputs)

    return look
