"""`ag.profiler`: the time of each operation, with its line in the program.

During profiling, functions run operation by operation on NumPy, even if native code is available.
The profile shows which lines are worth compiling or changing, not the speed of native code.
"""

from __future__ import annotations

import json
import os
import socket
import threading
import time
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from ...extend.errors import FailedPreconditionError, SourceLocation, user_location
from ...extend.graphs import OBSERVERS
from ...extend.registration import public
from ...extend.tensors import RichDisplay
from ...extend.tracing import JitFunction


class Operation(NamedTuple):
    """An operation that ran, or a block of `Trace`; times in seconds of `perf_counter`."""

    name: str
    where: SourceLocation | None
    start: float
    seconds: float
    thread: int
    details: dict


class LineTime(NamedTuple):
    """The total time in seconds of the operations of a line of the program, and their number."""

    file: str
    line: int
    seconds: float
    count: int  # type: ignore[assignment]
    operations: tuple[str, ...]


class Recording(RichDisplay):
    """The recorded operations; calling it records another one."""

    def __init__(self, folder: str):
        self.folder = folder
        self.began = time.perf_counter()
        self.rows: list[Operation] = []

    def __call__(self, op, where, start: float, inputs, outputs) -> None:
        seconds = time.perf_counter() - start
        where = user_location(2) if where is None else where
        details = {
            "inputs": [_described(one) for one in inputs],
            "outputs": [_described(one) for one in outputs],
        }
        self.add(op.name, where, start, seconds, details)

    def add(self, name: str, where, start: float, seconds: float, details: dict) -> None:
        self.rows.append(Operation(name, where, start, seconds, threading.get_ident(), details))

    def watch_jit(self) -> None:
        """Record calls of functions of `jit` too, as a whole: native code has no operations."""
        own_call: Any = JitFunction.__call__  # an attribute of each instance

        def watched(function, *args, **kwargs):
            where, start = user_location(2), time.perf_counter()
            try:
                return own_call.__get__(function)(*args, **kwargs)
            finally:
                details = {"inputs": [_described(arg) for arg in args if _holds_numbers(arg)]}
                seconds = time.perf_counter() - start
                self.add(f"jit {function.__name__}", where, start, seconds, details)

        JitFunction.__call__ = watched  # type: ignore[method-assign]

    def unwatch_jit(self) -> None:
        """Leave calls of functions of `jit` alone again."""
        del JitFunction.__call__

    def lines(self) -> list[LineTime]:
        """The lines of the program with the times of their operations, slowest first."""
        by_line: dict[tuple, list[Operation]] = {}
        for operation in self.rows:
            if operation.where is not None and "block" not in operation.details:
                by_line.setdefault((operation.where.file, operation.where.line), []).append(
                    operation
                )
        lines = [
            LineTime(file, line, sum(operation.seconds for operation in group), len(group),
                     tuple(dict.fromkeys(operation.name for operation in group)))
            for (file, line), group in by_line.items()
        ]  # fmt: skip
        return sorted(lines, key=lambda line: -line.seconds)

    def table(self, most: int = 20) -> str:
        """A table of the slowest lines: milliseconds, number of operations, line, operations."""
        head = f"{'ms':>10} {'count':>8}  line"
        lines = [
            f"{line.seconds * 1000:10.3f} {line.count:8}  {line.file}:{line.line}  "
            f"{', '.join(line.operations)}"
            for line in self.lines()[:most]
        ]
        return "\n".join([head, *lines])

    def as_trace(self) -> dict:
        """The recording in the JSON format of chrome://tracing and Perfetto."""
        threads = {
            thread: index for index, thread in enumerate(dict.fromkeys(r.thread for r in self.rows))
        }
        events = [
            {"name": operation.name, "ph": "X", "pid": os.getpid(),
             "tid": threads[operation.thread],
             "ts": (operation.start - self.began) * 1e6, "dur": operation.seconds * 1e6,
             "args": {**operation.details, "line": str(operation.where or "")}}
            for operation in self.rows
        ]  # fmt: skip
        return {"displayTimeUnit": "ms", "traceEvents": events}

    def save(self) -> str:
        """Write the trace to a file below the folder; returns the path."""
        run = time.strftime("%Y_%m_%d_%H_%M_%S")
        folder = os.path.join(self.folder, "plugins", "profile", run)
        os.makedirs(folder, exist_ok=True)
        path = os.path.join(folder, f"{socket.gethostname()}.trace.json")
        with open(path, "w", encoding="utf-8") as handle:
            json.dump(self.as_trace(), handle)
        return path


def _holds_numbers(argument) -> bool:
    return isinstance(argument, (np.ndarray, np.generic, int, float, complex))


def _described(array) -> str:
    array = np.asarray(array)
    dtype_name = "string" if array.dtype == object else array.dtype.name
    return f"{dtype_name}[{','.join(map(str, array.shape))}]"


def running() -> Recording | None:
    """The active recording, if any."""
    return next((one for one in OBSERVERS if isinstance(one, Recording)), None)


@public("profiler.experimental.ProfilerOptions")
class ProfilerOptions(NamedTuple):
    """Options of other profilers, accepted and ignored: every operation is recorded."""

    host_tracer_level: int = 2
    python_tracer_level: int = 0
    device_tracer_level: int = 1
    delay_ms: int | None = None


@public("profiler.experimental.start")
def start(logdir, options=None) -> None:
    """Start recording the time of each operation; `stop` writes the profile below `logdir`.

    >>> import allograph as ag, tempfile
    >>> ag.profiler.experimental.start(tempfile.mkdtemp())
    >>> _ = ag.profiler.experimental.stop(save=False)

    Raises FailedPreconditionError (a RuntimeError) if a profile is already active.
    """
    if running() is not None:
        raise FailedPreconditionError("a profile is already active", "Stop that one first.")
    recording = Recording(os.fspath(logdir))
    OBSERVERS.append(recording)
    recording.watch_jit()


@public("profiler.experimental.stop")
def stop(save: bool = True) -> Recording:
    """Stop the profile and return the recording.

    With `save`, it is written to `logdir/plugins/profile/<time>/<host>.trace.json`, a file for
    chrome://tracing and Perfetto. `.table()` of the recording shows the slowest lines of the
    program, `.lines()` returns them as tuples.

    >>> import allograph as ag, tempfile
    >>> ag.profiler.experimental.start(tempfile.mkdtemp())
    >>> _ = ag.reduce_sum(ag.ones([100, 100]))
    >>> [row.name for row in ag.profiler.experimental.stop().rows]
    ['fill', 'reduce_sum']

    Raises FailedPreconditionError (a RuntimeError) if no profile is active.
    """
    recording = running()
    if recording is None:
        raise FailedPreconditionError("no profile is active")
    OBSERVERS.remove(recording)
    recording.unwatch_jit()
    if save:
        recording.save()
    return recording


@public("profiler.experimental.Profile")
class Profile(RichDisplay):
    """A context manager that profiles a block: `start`, then `stop`.

    `.recording` is the recording.

    >>> import allograph as ag, tempfile
    >>> with ag.profiler.experimental.Profile(tempfile.mkdtemp()) as profile:
    ...     _ = ag.constant(1.0) + 2.0
    >>> [row.operations for row in profile.recording.lines()]
    [('add',)]
    """

    def __init__(self, logdir, options=None):
        self.logdir = logdir
        self.recording: Recording | None = None

    def __enter__(self):
        start(self.logdir)
        self.recording = running()
        return self

    def __exit__(self, *error):
        stop()


@public("profiler.experimental.Trace")
@contextmanager
def trace_block(name, **details):
    """A context manager that records a named block in the active profile, with `details`.

    >>> with ag.profiler.experimental.Trace("epoch", number=1):
    ...     pass
    """
    began = time.perf_counter()
    try:
        yield
    finally:
        recording = running()
        if recording is not None:
            described = {"block": True, **{key: str(value) for key, value in details.items()}}
            recording.add(name, user_location(3), began, time.perf_counter() - began, described)
