"""One replica: a trace called with arrays, which leaves variables and random streams as they were.

What the trace assigns to variables is part of the result. So a replica computes the same in this
process and in a worker, before, after or beside the others.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from ...extend.graphs import Executable, executable_of
from ...extend.state import LIMIT, RANDOM_STATE, Cell, RLock
from ...extend.tracing import ConcreteFunction

ALONE = RLock()  # random streams and the values of variables belong to the whole process


class Call(NamedTuple):
    """The arrays of one call, and the seed of its random numbers."""

    arrays: Sequence[np.ndarray]
    seed: int


class Answer(NamedTuple):
    """The results of one call, and the values that it gave to the variables it assigns."""

    results: list[np.ndarray]
    assigned: list[np.ndarray]


class ReplicaFunction:
    """A trace, the variables that it assigns, and whether it draws random numbers.

    It is compiled before the first call. Otherwise the bits of a result would depend on when a
    compiler in the background is done.
    """

    def __init__(self, concrete: ConcreteFunction):
        self.concrete = concrete
        self.executable = compiled_first(concrete)
        nodes = list(concrete.frozen.walk())
        self.assignments = [node for node in nodes if node.op.variable_access == "write"]
        cells: dict[Cell, None] = dict.fromkeys(node.attrs["cell"] for node in self.assignments)
        self.cells = list(cells)
        self.draws = any(node.op.draws_stream for node in nodes)

    def __call__(self, call: Call) -> Answer:
        if not self.cells and not self.draws:
            return Answer(self._results(call), [])
        with ALONE, seeded(call.seed), unchanged(self.cells):
            results = self._results(call)
            return Answer(results, [cell.read() for cell in self.cells])

    def _results(self, call: Call) -> list[np.ndarray]:
        captured = self.concrete.captured_arrays
        return list(self.executable(*call.arrays, *captured))


def compiled_first(concrete: ConcreteFunction) -> Executable:
    """The executable of a trace, with what can be compiled compiled."""
    execution = concrete.execution
    if execution.mode != "auto":
        return concrete.executable
    return executable_of(concrete.frozen, execution._replace(mode="hybrid"))


def mixed_seed(*numbers: int) -> int:
    """A seed that several numbers determine."""
    words = [number % LIMIT for number in numbers]
    return int(np.random.SeedSequence(words).generate_state(1, np.uint64)[0] >> np.uint64(1))


@contextlib.contextmanager
def seeded(seed: int) -> Iterator[None]:
    """Random numbers of this seed inside; the streams of the process go on behind it."""
    before = RANDOM_STATE.seed, RANDOM_STATE.drawn
    RANDOM_STATE.reset(seed)
    try:
        yield
    finally:
        RANDOM_STATE.seed, RANDOM_STATE.drawn = before


@contextlib.contextmanager
def unchanged(cells: list[Cell]) -> Iterator[None]:
    """Assignments to these variables inside; they have their values again behind it."""
    before = [cell.read() for cell in cells]
    for cell, array in zip(cells, before, strict=True):
        cell.array = np.array(array)  # native code may write into the array itself
    try:
        yield
    finally:
        for cell, array in zip(cells, before, strict=True):
            cell.array = array
