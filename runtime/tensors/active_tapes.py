"""Registry of the gradient tapes that are recording.

`TAPES` holds every recording tape of every thread, so that the common test "is any tape recording?"
is one look at a list. `RECORDING` holds those of the current context, the innermost last. A tape
records the operations of the builder it was opened in (None: eager ones), so operations inside a
sub-graph reach it only as the node that holds the sub-graph.
"""

from __future__ import annotations

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
