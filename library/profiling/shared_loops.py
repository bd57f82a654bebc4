"""Which loops of a program threads share, and what keeps others on one thread."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ...extend.errors import SourceLocation
from ...extend.graphs import (
    Executable,
    Graph,
    Loop,
    Node,
    Program,
    independent_iterations,
    induction_variable_of,
    inner_programs,
    native_form,
    parallel_iterations,
    producers_of,
)
from ...extend.operations import PURE

TEMPORARY = re.compile(r"(?:array|capture|while|set_item|loop_counter)(?:_\d+)*$")


class LoopThreads(NamedTuple):
    """A loop of the user's source. `why_not` says why one thread runs it; None where threads share
    its iterations.
    """

    where: SourceLocation
    why_not: str | None

    def __str__(self) -> str:
        how = "shared by threads" if self.why_not is None else f"one thread: {self.why_not}"
        place = f"{self.where.file_name}:{self.where.line}"
        return f"{place}: {self.where.source_line().strip()}  # {how}"


def loops_of(executable: Executable) -> list[LoopThreads]:
    """The loops over `prange`, and others that threads share, in the order of their lines."""
    program = native_form(executable.graph).program
    rows = {(row.where.file, row.where.line): row for row in _loops(program)}
    return [rows[place] for place in sorted(rows)]


def _loops(program: Program) -> Iterator[LoopThreads]:
    producers = producers_of(program)
    for step in program.steps:
        if isinstance(step, Loop) and step.node.where is not None:
            if parallel_iterations(step, producers) is not None:
                yield LoopThreads(step.node.where, None)
                continue  # the loops inside are those of one iteration
            if "prange" in step.node.where.source_line():
                yield LoopThreads(step.node.where, _why_not(step, producers))
        for inner in inner_programs(step):
            yield from _loops(inner)


def _why_not(step: Loop, producers: dict) -> str:
    node = step.node
    body: Graph = node.attrs["body"]
    if independent_iterations(node, producers) is not None:
        return "all its iterations together take less time than waking threads"
    if induction_variable_of(node, producers) is None:
        return "what ends it is computed in its iterations"
    for inner in body.walk():
        is_allowed = inner.effect is PURE or inner.op.is_check or inner.subgraphs
        if not is_allowed:
            return f"the order of {_at(inner)} matters"
        if not (inner.is_parallel_safe or inner.op.is_check):
            return f"{_at(inner)} has no form that several threads may run"
    carried = zip(body.inputs[: node.attrs["carried"]], body.outputs, strict=False)
    names = [value.name for value, result in carried if result is not value and not value.shape]
    names = [name for name in names if not TEMPORARY.match(name)]
    if names:
        several = ", ".join(f"`{name}`" for name in names)
        return f"an iteration needs {several} of the one before"
    return "an iteration writes elements that others may read or write"


def _at(node: Node) -> str:
    return f"'{node.op.name}' in line {node.where.line}" if node.where else f"'{node.op.name}'"
