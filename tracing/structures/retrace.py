"""The request to trace a loop again from an adjusted start."""

from __future__ import annotations

from typing import Any, Protocol


class Adjustment(Protocol):
    """What a trace found out about the start of a loop."""

    def adjusted(self, loop: Any) -> Any:
        """The loop to trace instead, or None if the finding concerns another loop."""


class RetraceError(Exception):
    """Raised while a loop is traced: the loop that `adjustment` concerns is traced again."""

    def __init__(self, adjustment: Adjustment):
        super().__init__("a loop has to be traced again")
        self.adjustment = adjustment
