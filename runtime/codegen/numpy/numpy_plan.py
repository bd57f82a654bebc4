"""A program as Python source that calls NumPy, and the function made of it."""

from __future__ import annotations

import linecache
from collections.abc import Callable

import numpy as np

from ...ir.graph import Node


class Plan:
    """The source text, the function made of it, and the node that each line belongs to."""

    def __init__(self, source: str, lines: dict[int, Node], names: dict):
        self.source = source
        self.lines = lines
        self.file = f"<allograph plan {hash(source) & 0xFFFFFFFFFFFF:012x}>"
        linecache.cache[self.file] = (len(source), None, source.splitlines(True), self.file)
        scope = {"np": np, "__plan__": self, **names}
        exec(compile(source, self.file, "exec"), scope)
        self.function: Callable = scope["plan"]

    def rebind(self, old: object, new: object) -> None:
        """Call `new` wherever the source calls the global `old`."""
        scope = self.function.__globals__
        for name in [name for name, thing in scope.items() if thing is old]:
            scope[name] = new


def node_at(traceback) -> Node | None:
    """The node whose line in a plan raised, from the traceback of an exception."""
    node = None
    while traceback is not None:
        plan = traceback.tb_frame.f_globals.get("__plan__")
        if plan is not None:
            node = plan.lines.get(traceback.tb_lineno, node)
        traceback = traceback.tb_next
    return node
