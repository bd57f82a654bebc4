"""`ag.profiler`: how long each operation takes, and on which line of the program.

While a profile is taken, functions run operation by operation on NumPy, also where native code is
ready: the profile tells which lines are worth compiling or changing, not how fast native code is.
"""

from __future__ import annotations

import json
import os
import socket
import threading
import time
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np

from ...runtime.core.errors import FailedPreconditionError
from ...runtime.core.public_names import public
from ...runtime.core.source_locations import SourceLocation, user_location
from ...runtime.tensors.op_hooks import OBSERVERS


class Row(NamedTuple):
    """One operation that ran, or one block of `Trace`; times in seconds of `perf_counter`."""

    name: str
    where: SourceLocation | None
    start: float
    seconds: float
    thread: int
    details: dict


class LineTime(NamedTuple):
    """What a line of the program took: all its operations together."""

    file: str
    line: int
    seconds: float
    count: int
    operations: tuple[str, ...]


class Recording:
    """The operations noted so far; calling it notes one more."""

    def __init__(self, folder: str):
        self.folder = folder
        self.began = time.perf_counter()
        self.rows: list[Row] = []

    def __call__(self, op, where, start: float, inputs, outputs) -> None:
        seconds = time.perf_counter() - start
        where = user_location(2) if where is None else where
        details = {
            "inputs": [_described(one) for one in inputs],
            "outputs": [_described(one) for one in outputs],
        }
        self.add(op.name, where, start, seconds, details)

    def add(self, name: str, where, start: float, seconds: float, details: dict) -> None:
        self.rows.append(Row(name, where, start, seconds, threading.get_ident(), details))

    def lines(self) -> list[LineTime]:
        """The lines of the program with the time of their operations, the slowest first."""
        found: dict[tuple, list[Row]] = {}
        for row in self.rows:
            if row.where is not None and "block" not in row.details:
                found.setdefault((row.where.file, row.where.line), []).append(row)
        made = [
            LineTime(file, line, sum(row.seconds for row in rows), len(rows),
                     tuple(dict.fromkeys(row.name for row in rows)))
            for (file, line), rows in found.items()
        ]  # fmt: skip
        return sorted(made, key=lambda row: -row.seconds)

    def table(self, most: int = 20) -> str:
        """The slowest lines as a table: milliseconds, number of operations, line, operations."""
        head = f"{'ms':>10} {'count':>8}  line"
        rows = [
            f"{row.seconds * 1000:10.3f} {row.count:8}  {row.file}:{row.line}  "
            f"{', '.join(row.operations)}"
            for row in self.lines()[:most]
        ]
        return "\n".join([head, *rows])

    def as_trace(self) -> dict:
        """The form that chrome://tracing and Perfetto open."""
        threads = {
            one: place for place, one in enumerate(dict.fromkeys(r.thread for r in self.rows))
        }
        events = [
            {"name": row.name, "ph": "X", "pid": os.getpid(), "tid": threads[row.thread],
             "ts": (row.start - self.began) * 1e6, "dur": row.seconds * 1e6,
             "args": {**row.details, "line": str(row.where or "")}}
            for row in self.rows
        ]  # fmt: skip
        return {"displayTimeUnit": "ms", "traceEvents": events}

    def save(self) -> str:
        """Write the trace below the folder; the path of the file."""
        run = time.strftime("%Y_%m_%d_%H_%M_%S")
        folder = os.path.join(self.folder, "plugins", "profile", run)
        os.makedirs(folder, exist_ok=True)
        path = os.path.join(folder, f"{socket.gethostname()}.trace.json")
        with open(path, "w", encoding="utf-8") as handle:
            json.dump(self.as_trace(), handle)
        return path


def _described(array) -> str:
    array = np.asarray(array)
    kind = "string" if array.dtype == object else array.dtype.name
    return f"{kind}[{','.join(map(str, array.shape))}]"


def running() -> Recording | None:
    """The recording that is being made, if any."""
    return next((one for one in OBSERVERS if isinstance(one, Recording)), None)


@public("profiler.experimental.ProfilerOptions")
class ProfilerOptions(NamedTuple):
    """What other profilers can be told; here every operation is noted, whatever it says."""

    host_tracer_level: int = 2
    python_tracer_level: int = 0
    device_tracer_level: int = 1
    delay_ms: int | None = None


@public("profiler.experimental.start")
def start(logdir, options=None) -> None:
    """Begin to note how long each operation takes.

    Raises FailedPreconditionError (a RuntimeError) while another profile is taken.
    """
    if running() is not None:
        raise FailedPreconditionError("a profile is being taken already", "Stop that one first.")
    OBSERVERS.append(Recording(os.fspath(logdir)))


@public("profiler.experimental.stop")
def stop(save: bool = True) -> Recording:
    """End the profile: its rows; with `save` also a file that chrome://tracing and Perfetto open.

    The file lies in `logdir/plugins/profile/<time>/<host>.trace.json`. `.table()` of the result
    shows the slowest lines of the program, `.lines()` gives them as records.

    >>> import allograph as ag, tempfile
    >>> ag.profiler.experimental.start(tempfile.mkdtemp())
    >>> _ = ag.reduce_sum(ag.ones([100, 100]))
    >>> [row.name for row in ag.profiler.experimental.stop().rows]
    ['fill', 'reduce_sum']

    Raises FailedPreconditionError (a RuntimeError) when no profile is being taken.
    """
    recording = running()
    if recording is None:
        raise FailedPreconditionError("no profile is being taken")
    OBSERVERS.remove(recording)
    if save:
        recording.save()
    return recording


@public("profiler.experimental.Profile")
class Profile:
    """A block that is profiled; `.recording` tells what happened, and the file is written.

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
    """Name a block of the program in the profile, if one is taken; `details` are shown with it."""
    began = time.perf_counter()
    try:
        yield
    finally:
        recording = running()
        if recording is not None:
            shown = {"block": True, **{key: str(value) for key, value in details.items()}}
            recording.add(name, user_location(3), began, time.perf_counter() - began, shown)
