"""Loops of a user's program while it runs: their times, and the rest of hot ones as native code."""

from __future__ import annotations

import linecache
import sys
import time
import types
from collections.abc import Callable, Iterator
from typing import Any

from .loop_sources import LoopSource

LOADING_SECONDS = 0.6  # of the compiler, once in a process
COMPILING_SECONDS = 0.4  # of a loop
WORTH = 3  # times as long as its compilation the rest of a loop takes at least
WORTH_OF_UNKNOWN = 6  # times as long a loop has taken, where nobody knows how long its rest takes
MEASURED_SECONDS = 0.1  # that a loop takes before it is compiled, or left to Python again
SOME_EXECUTIONS = 4
CALL_SECONDS = 1e-4  # that a call of native code may take beside its own work
PART_SECONDS = 2e-3  # of a part of a loop: shorter ones would notice the measurements
MANY_EXECUTIONS = 100  # after which a loop that is short is left alone
SHORT_SECONDS = 5e-5  # of an execution, which would notice that it is watched
MOST_POSTPONED = 3
MOST_ITEMS = 8  # of a tuple
MOST_ROUNDS = 512  # iterations of a `while` between two looks at the clock
SIMPLE = (int, float, complex, bool, type(None))  # what native code takes beside NumPy's objects
GAIN = 1.1  # that native code has to have

COMPILER = f"{__name__.split('.')[0]}.tracing.numpy_mode.jit_function"
PYTHON, NATIVE, REFUSED = "Python", "native", "refused"


class LoopRecord:
    """One loop of the program. `state` says how it runs, and `why` what keeps it in Python."""

    def __init__(self, source: LoopSource, path: str, names: dict[str, Any], restore: Callable):
        self.source, self.path, self.names, self.restore = source, path, names, restore
        self.state, self.why, self.where = PYTHON, "", ""
        self.seconds = self.native_seconds = self.compiling = 0.0
        self.iterations = self.native_iterations = self.executions = self.postponed = 0
        self.jitted: Any = None

    def parts(self, iterations: range) -> _Parts:
        """The parts of an execution of a `for`."""
        self.note_execution()
        return _Parts(self, iterations)

    def rounds(self) -> _Rounds:
        """The rounds of an execution of a `while`."""
        self.note_execution()
        return _Rounds(self)

    def note_execution(self) -> None:
        self.executions += 1
        is_short = self.seconds < SHORT_SECONDS * MANY_EXECUTIONS
        if self.executions == MANY_EXECUTIONS and self.state is PYTHON and is_short:
            self.refuse("its executions are short")
            self.restore(self.source.function)

    def note(self, count: int, seconds: float) -> None:
        self.iterations += count
        self.seconds += seconds

    def is_hot(self, left: int | None) -> bool:
        """Whether native code is worth while for as many iterations; None: for nobody knows."""
        if self.state is REFUSED or not self.iterations:
            return False
        rest = 1.0 if left is None else self.seconds / self.iterations * left
        if self.state is NATIVE or rest <= CALL_SECONDS:
            return rest > CALL_SECONDS
        cost = COMPILING_SECONDS + LOADING_SECONDS * (COMPILER not in sys.modules)
        is_repeated = self.executions >= SOME_EXECUTIONS and self.seconds > WORTH * cost
        if left is None:
            return is_repeated or self.seconds > WORTH_OF_UNKNOWN * cost
        return is_repeated or (self.seconds > MEASURED_SECONDS and rest > WORTH * cost)

    def refuse(self, why: str, where: str = "") -> None:
        self.state, self.why, self.where = REFUSED, why, where

    def postpone(self) -> None:
        """A name had no value."""
        self.postponed += 1
        if self.postponed > MOST_POSTPONED:
            self.refuse("a name in it has no value in the first iterations")

    def run(self, arguments: tuple, count: int | None) -> tuple:
        """The rest of an execution."""
        unfit = next((argument for argument in arguments if not _is_fit(argument)), None)
        if unfit is not None:
            self.refuse(f"it uses a {type(unfit).__name__} from before the loop")
            return self.function()(*arguments)
        start = time.perf_counter()
        if self.jitted is None:
            from .. import jit  # programs without hot loops do without it

            self.jitted, self.state = jit(self.function()), NATIVE
        known = len(self.jitted.jit_table)
        result = self.jitted(*arguments)
        seconds = time.perf_counter() - start
        if len(self.jitted.jit_table) > known:
            self.compiling += seconds
            self.look_at_reason()
        elif count is not None and self.state is NATIVE:
            self.native_seconds += seconds
            self.native_iterations += count
            self.compare()
        return result

    def function(self) -> types.FunctionType:
        """The rest as a function with the globals of the user's module."""
        name = f"{self.path}:{self.source.line}:loop"
        lines = self.source.rest.splitlines(keepends=True)
        linecache.cache[name] = len(self.source.rest), None, lines, name
        code = next(constant for constant in compile(self.source.rest, name, "exec").co_consts
                    if isinstance(constant, types.CodeType))  # fmt: skip
        return types.FunctionType(code, self.names, self.source.function or "rest")

    def look_at_reason(self) -> None:
        """Leave the loop to Python where it has no native form."""
        for entry in self.jitted.jit_table.values():
            if entry.reason is not None:
                line = f"line {entry.where.line}" if entry.where is not None else ""
                self.refuse(entry.reason, line)

    def compare(self) -> None:
        """Leave the loop to Python where native code is no faster."""
        native = self.native_seconds / max(self.native_iterations, 1)
        is_known = self.native_seconds > MEASURED_SECONDS
        if is_known and native * GAIN > self.seconds / self.iterations:
            self.refuse("native code is no faster")


def _is_fit(value: Any) -> bool:
    """Whether native code may take a value: a number, or an array or a number of NumPy's."""
    if type(value) is tuple:
        return len(value) <= MOST_ITEMS and all(map(_is_fit, value))
    return type(value) in SIMPLE or type(value).__module__ == "numpy"


class _Parts:
    """One execution of a `for` over a range: ranges that follow one another, and None where the
    rest may run as native code.
    """

    def __init__(self, record: LoopRecord, iterations: range):
        self.record, self.rest_of = record, iterations
        self.size, self.count, self.start = 1, 0, 0.0
        self.has_run = False

    def __iter__(self) -> Iterator[range | None]:
        return self

    def __next__(self) -> range | None:
        record, rest = self.record, self.rest_of
        if self.count:
            now = time.perf_counter()
            seconds = now - self.start
            record.note(self.count, seconds)
            self.has_run = True
            if seconds < PART_SECONDS:
                self.size *= 8 if seconds * 8 < PART_SECONDS else 2
        if not rest:
            raise StopIteration
        if self.has_run and record.is_hot(len(rest)):
            self.count = 0
            return None
        part, self.rest_of = rest[: self.size], rest[self.size :]
        self.count = len(part)
        self.start = time.perf_counter()
        return part

    def postpone(self) -> None:
        self.has_run = False
        self.record.postpone()

    def rest(self, state: tuple) -> tuple:
        rest = self.rest_of
        return self.record.run((*state, rest.start, rest.stop, rest.step), len(rest))


class _Rounds:
    """One execution of a `while`: `left` iterations until the next look at the clock."""

    def __init__(self, record: LoopRecord):
        self.record, self.left, self.count = record, 0, 0
        self.start = time.perf_counter()

    def is_hot(self) -> bool:
        now = time.perf_counter()
        if self.count:
            self.record.note(self.count, now - self.start)
        is_hot = bool(self.count) and self.record.is_hot(None)
        self.count = min(2 * self.count, MOST_ROUNDS) if now - self.start < PART_SECONDS else 1
        self.start, self.left = now, max(self.count, 1)
        self.count = self.left
        return is_hot

    def postpone(self) -> None:
        self.record.postpone()

    def rest(self, state: tuple) -> tuple:
        return self.record.run((*state, True), None)
