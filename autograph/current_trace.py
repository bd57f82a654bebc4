"""The trace that is being recorded: converted code asks it what to stage, and how."""

from __future__ import annotations

from contextvars import ContextVar
from typing import Any

from .stager import Stager


class Trace:
    """One recording of a function; the front end that makes it chooses the stager."""

    def __init__(self, stager: Any):
        self.stager = stager


UNTRACED = Trace(Stager())  # converted code runs as plain Python
TRACE: ContextVar[Trace] = ContextVar("allograph_trace", default=UNTRACED)


def unsupported(message: str, cure: str) -> Exception:
    """The error for a construct that staged values cannot drive."""
    return TRACE.get().stager.refusal(message, cure)
