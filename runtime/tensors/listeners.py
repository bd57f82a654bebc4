"""Who hears of operations: gradient tapes that are recording, and observers.

`TAPES` holds every recording tape of every thread, so that the common test "is any tape recording?"
is one look at a list. `RECORDING` holds those of the current context, the innermost last. A tape
records the operations of the builder it was opened in (None: eager ones), so operations inside a
sub-graph reach it only as the node that holds the sub-graph.

Each observer sees what every operation took and gave. While there is one, functions run on a plan
of their own, in which each operation is a line followed by a look at it; native code waits.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextvars import ContextVar

TAPES: list = []
RECORDING: ContextVar[tuple] = ContextVar("allograph_recording", default=())


def start(tape) -> None:
    """Start recording on `tape`."""
    TAPES.append(tape)
    RECORDING.set((*RECORDING.get(), tape))


def stop(tape) -> None:
    """No longer let `tape` listen, whatever others do."""
    TAPES.remove(tape)
    RECORDING.set(tuple(other for other in RECORDING.get() if other is not tape))


def listeners(builder) -> list:
    """The tapes that hear operations of `builder`."""
    return [tape for tape in RECORDING.get() if tape.builder is builder]


def note(builder, op, inputs, attrs, outputs) -> None:
    """Tell the tapes that `outputs = op(*inputs, **attrs)` was done."""
    for tape in listeners(builder):
        tape.note(op, inputs, attrs, outputs)


def follow(outputs, count: int) -> None:
    """Tell tapes that a recorded node has more outputs now; the first `count` are the same."""
    for tape in RECORDING.get():
        tape.follow(outputs[:count], outputs[count:])


# ---- observers ---------------------------------------------------------------------------------


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
