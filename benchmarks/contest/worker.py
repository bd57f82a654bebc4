"""One engine on one workload in a process of its own: commands come in, a JSON line each goes out.

    python benchmarks/contest/worker.py ENGINE WORKLOAD SIZE THREADS

The first answer contains the cost of the start: `import_ms`, `setup_ms` (inputs and builder),
`first_call_ms` (trace, compile, run once) and `peak_mb` (peak memory until then). Then the commands
`settle`, `turn SECONDS` (returns microseconds per call), `check` and `count N` (N calls) are
executed until the input ends. Engines may write to standard output, so answers get a copy of its
file descriptor, and everything else is redirected to standard error.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import sys
import time
from pathlib import Path

sys.path[0] = str(Path(__file__).parents[1])

from contest.engines import ENGINES, MissingError, build, difference, expected, load, prepare  # noqa: E402
from contest.memory import peak_mb  # noqa: E402


class Session:
    """An engine, ready to be called."""

    def __init__(self, engine: str, name: str, size: str, threads: int):
        self.engine = ENGINES[engine]
        start = time.perf_counter()
        module = load(self.engine)
        self.record = {"import_ms": _since(start)}
        self.workload = importlib.import_module(f"workloads.{name}")
        reduced = getattr(self.workload, "REDUCED", {})
        if size == "full":
            size = reduced.get(engine, size)
        self.size = self.workload.SIZES[size]
        self.record.update(size=size, scale=self._scale())
        start = time.perf_counter()
        prepare(self.engine, module, self.workload, threads)
        self.call, self.read = build(self.engine, module, self.workload, self.size)
        self.record["setup_ms"] = _since(start)

    def _scale(self) -> float:
        """The ratio of the work of the reported size to that of this size."""
        full = self.workload.SIZES["full"]
        if self.size is full or not hasattr(self.workload, "work"):
            return 1.0
        return self.workload.work(**full) / self.workload.work(**self.size)

    def start(self) -> dict:
        gc.collect()
        start = time.perf_counter()
        self.result = self.call()
        self.record["first_call_ms"] = _since(start)
        self.record["peak_mb"] = peak_mb()
        self.result = self.read(self.result)
        return self.record

    def settle(self, most: float | None = None) -> dict:
        """Call the function until its time is steady; returns the shortest time of a call."""
        self.calls = 1
        seconds = self.engine.settle if most is None else min(most, self.engine.settle)
        begin = time.perf_counter()
        once = self._timed()
        while time.perf_counter() - begin < seconds:
            once = min(once, self._timed())
        self.once = once
        return {"once_us": once * 1e6}

    def sample(self, seconds: float) -> float:
        self.calls = max(1, int(seconds / max(self.once, 1e-8)))
        return self._timed() * 1e6

    def _timed(self) -> float:
        call = self.call
        gc.disable()
        try:
            iterations = range(self.calls)
            start = time.perf_counter()
            for _ in iterations:
                call()
            return (time.perf_counter() - start) / self.calls
        finally:
            gc.enable()

    def check(self) -> dict:
        error = difference(self.workload, self.result, expected(self.workload, self.size))
        return {"error": error, "agrees": error <= getattr(self.workload, "TOLERANCE", 1e-5)}

    def count(self, calls: int) -> int:
        for _ in range(calls):
            self.call()
        return calls

    def obey(self, line: str):
        command, *values = line.split()
        converters = {"settle": float, "sample": float, "check": str, "count": int}
        return getattr(self, command)(*map(converters[command], values))


def _since(start: float) -> float:
    return (time.perf_counter() - start) * 1e3


def main() -> None:
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)

    def answer(value) -> None:
        answers.write(json.dumps(value) + "\n")
        answers.flush()

    engine, name, size, threads = sys.argv[1:]
    try:
        session = Session(engine, name, size, int(threads))
        answer(session.start())
    except MissingError as reason:
        answer({"missing": str(reason)})
        return
    except Exception as error:  # a row of the table, and the run goes on
        lines = str(error).strip().splitlines() or [""]
        answer({"failed": f"{type(error).__name__}: {lines[0]}"[:300]})
        raise
    for line in sys.stdin:
        answer(session.obey(line))


if __name__ == "__main__":
    main()
