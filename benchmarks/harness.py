"""Interleaved timing: contestants take turns, so that a drift of the machine falls on all alike."""

from __future__ import annotations

import gc
import json
import os
import platform
import statistics
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path


@dataclass
class Workload:
    """One thing to measure: contestants by name, and what the first one should reach.

    `limit` bounds the ratio of the first contestant to `reference`, or, without a reference, its
    seconds; with `difference`, the seconds it takes longer than the reference.
    """

    name: str
    contestants: dict[str, Callable[[], object]]
    reference: str | None = None
    limit: float | None = None
    difference: bool = False
    rounds: int = 15
    turn_seconds: float = 0.05


@dataclass
class Result:
    """Medians of one workload; `score` is what `limit` bounds."""

    name: str
    seconds: dict[str, float]
    score: float
    limit: float | None
    kind: str
    spread: dict[str, float] = field(default_factory=dict)

    @property
    def verdict(self) -> str:
        if self.limit is None:
            return ""
        return "yes" if self.score <= self.limit else "NO"


def measure(workload: Workload) -> Result:
    """Rounds in which every contestant has one turn; ratios are taken within a round."""
    repeats = {name: _repeats(call, workload) for name, call in workload.contestants.items()}
    rounds = [_round(workload, repeats, shift) for shift in range(workload.rounds)]
    names = list(workload.contestants)
    samples = {name: [row[name] for row in rounds] for name in names}
    first, kind = names[0], "seconds"
    scores = samples[first]
    if workload.reference:
        pairs = [(row[first], row[workload.reference]) for row in rounds]
        kind = "seconds more" if workload.difference else "times"
        scores = [a - b if workload.difference else a / b for a, b in pairs]
    return Result(
        name=workload.name,
        seconds={name: statistics.median(samples[name]) for name in names},
        score=statistics.median(scores),
        limit=workload.limit,
        kind=kind,
        spread={name: min(samples[name]) for name in names},
    )


def _repeats(call: Callable, workload: Workload) -> int:
    """How many calls fill a turn; the first, unmeasured calls compile and warm up."""
    call()
    call()
    start = time.perf_counter()
    call()
    once = time.perf_counter() - start
    return max(1, int(workload.turn_seconds / max(once, 1e-7)))


def _round(workload: Workload, repeats: dict[str, int], shift: int) -> dict[str, float]:
    """Seconds a call for each contestant; each round begins with another one."""
    names = list(workload.contestants)
    turn = shift % len(names)
    return {
        name: _timed(workload.contestants[name], repeats[name])
        for name in names[turn:] + names[:turn]
    }


def _timed(call: Callable, repeats: int) -> float:
    rows = range(repeats)
    enabled = gc.isenabled()
    gc.disable()
    try:
        start = time.perf_counter()
        for _ in rows:
            call()
        return (time.perf_counter() - start) / repeats
    finally:
        if enabled:
            gc.enable()


def machine() -> dict[str, object]:
    """What the numbers were taken on."""
    import numpy

    return {
        "python": platform.python_version(),
        "numpy": numpy.__version__,
        "system": platform.system(),
        "machine": platform.machine(),
        "cores": os.cpu_count(),
        "date": time.strftime("%Y-%m-%d"),
    }


def write(results: list[Result], folder: Path) -> str:
    """Store `latest.json` and `table.md`; return the table."""
    folder.mkdir(parents=True, exist_ok=True)
    record = {"machine": machine(), "results": [asdict(row) for row in results]}
    (folder / "latest.json").write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
    text = table(results)
    (folder / "table.md").write_text(text, encoding="utf-8")
    return text


def table(results: list[Result]) -> str:
    """The results as a Markdown table."""
    lines = [
        "| workload | seconds a call (median) | score | goal | reached |",
        "|---|---|---|---|---|",
    ]
    for row in results:
        seconds = ", ".join(f"{name} {duration(value)}" for name, value in row.seconds.items())
        goal = "" if row.limit is None else f"at most {_score(row.limit, row.kind)}"
        lines.append(
            f"| {row.name} | {seconds} | {_score(row.score, row.kind)} | {goal} | {row.verdict} |"
        )
    return "\n".join(lines) + "\n"


def _score(value: float, kind: str) -> str:
    return f"{value:.2f}x" if kind == "times" else duration(value) + kind.removeprefix("seconds")


def duration(seconds: float) -> str:
    """Three digits with the unit that suits: `1.20 us`, `35.0 ms`, `2.50 s`."""
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if abs(seconds) >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"
