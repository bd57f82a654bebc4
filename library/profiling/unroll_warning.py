"""Warn once about a Python loop that was unrolled into very many operations."""

from __future__ import annotations

import warnings

from ...extend.errors import user_location
from ...extend.registration import public

MANY = 5000  # operations: tracing them takes about 0.1 s, compiling them many times as long
_REGISTRY: dict = {}  # the lines that were warned about, as `warnings` keeps them


@public("errors.UnrolledLoopWarning")
class UnrolledLoopWarning(UserWarning):
    """A Python loop was unrolled into very many operations of a graph.

    Raised as a Python warning, once for each line. Silence it with
    `warnings.simplefilter("ignore", ag.errors.UnrolledLoopWarning)`.
    """


def note_unrolled(items, count: int) -> None:
    """Warn of a loop over `items` that became too many operations, `count` of them."""
    where = user_location(2) if count >= MANY else None
    if where is None:
        return
    over = f"ag.{items}" if type(items) is range else "a tensor"
    if type(items) is range and (items.start, items.step) == (0, 1):
        over = f"ag.range({items.stop})"
    message = (
        f"this Python loop is unrolled into more than {MANY} operations. Tracing and compiling "
        f"take time for each of them. A loop over {over} stays one operation."
    )
    warnings.warn_explicit(message, UnrolledLoopWarning, where.file, where.line, registry=_REGISTRY)
