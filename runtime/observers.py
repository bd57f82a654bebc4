"""Watching operations run: each active observer sees what every operation took and gave.

While there is one, functions run on a plan of their own, in which each operation is a line followed
by a look at it; native code waits.
"""

from __future__ import annotations

import time
from collections.abc import Callable

# observer(op, where, start, inputs, outputs): the operation, the user's line (None: the one that is
# running now), when it began (`time.perf_counter`), and its arrays.
OBSERVERS: list[Callable] = []

# The passes that neither hide an operation nor move it to another line.
HARMLESS = ("inline_calls", "drop_unused_state", "eliminate_dead_code")


def notify(op, where, start: float, inputs, outputs) -> None:
    for observer in tuple(OBSERVERS):
        observer(op, where, start, inputs, outputs)


def notify_run(graph) -> None:
    """Tell the observers that have a method `ran` that a graph runs."""
    for observer in tuple(OBSERVERS):
        if hasattr(observer, "ran"):
            observer.ran(graph)


def observed_plan(graph):
    """The NumPy plan of a graph in which every operation is looked at."""
    from .emit_numpy import emit_numpy
    from .lower import lower
    from .passes.pipeline import PASSES, optimize

    skipped = tuple(name for name in PASSES if name not in HARMLESS)
    return emit_numpy(lower(optimize(graph, skipped)), look=_look)


def _look(node):
    """What the plan calls after the line of a node."""

    def look(start, inputs, outputs):
        notify(node.op, node.where, start, inputs, outputs)

    return look


def run_observed(op, arrays, attrs):
    """The kernel of an eager operation, looked at."""
    start = time.perf_counter()
    result = op.kernel(*arrays, **attrs)
    outputs = result if type(result) is tuple else (result,)
    notify(op, None, start, arrays, outputs)
    return result
