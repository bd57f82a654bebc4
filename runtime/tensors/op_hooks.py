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


def notify(op, where, start: float, inputs, outputs) -> None:
    for observer in tuple(OBSERVERS):
        observer(op, where, start, inputs, outputs)


def notify_run(graph) -> None:
    """Tell the observers that have a method `ran` that a graph runs."""
    for observer in tuple(OBSERVERS):
        if hasattr(observer, "ran"):
            observer.ran(graph)


def run_observed(op, arrays, attrs):
    """The kernel of an eager operation, looked at."""
    start = time.perf_counter()
    result = op.kernel(*arrays, **attrs)
    outputs = result if type(result) is tuple else (result,)
    notify(op, None, start, arrays, outputs)
    return result
