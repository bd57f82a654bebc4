"""Interleaved timing: contestants take turns, so that a drift of the machine affects all alike."""

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
    sample_seconds: float = 0.05


@dataclass
class Result:
    """Medians of one workload; `score` is what `limit` bounds."""

    name: str
    seconds: dict[str, float]
    score: float
    limit: float | None
    unit: str
    spread: dict[str, float] = field(default_factory=dict)

    @property
    def verdict(self) -> str:
        if self.limit is None:
            return ""
        return "yes" if self.score <= self.limit else "NO"


def measure(workload: Workload) -> Result:
    """Rounds in which every contestant has one sample; ratios are taken within a round."""
    repeats = {name: _repeats(call, workload) for name, call in workload.contestants.items()}
    rounds = [_round(workload, repeats, shift) for shift in range(workload.rounds)]
    names = list(workload.contestants)
    samples = {name: [seconds_by_name[name] for seconds_by_name in rounds] for name in names}
    first, unit = names[0], "seconds"
    scores = samples[first]
    if workload.reference:
        pairs = [
            (seconds_by_name[first], seconds_by_name[workload.reference])
            for seconds_by_name in rounds
        ]
        unit = "seconds more" if workload.difference else "times"
        scores = [a - b if workload.difference else a / b for a, b in pairs]
    return Result(
        name=workload.name,
        seconds={name: statistics.median(samples[name]) for name in names},
        score=statistics.median(scores),
        limit=workload.limit,
        unit=unit,
        spread={name: min(samples[name]) for name in names},
    )


def _repeats(call: Callable, workload: Workload) -> int:
    """How many calls fill a sample; the first, unmeasured calls compile and warm up."""
    call()
    call()
    start = time.perf_counter()
    call()
    once = time.perf_counter() - start
    return max(1, int(workload.sample_seconds / max(once, 1e-7)))


def _round(workload: Workload, repeats: dict[str, int], shift: int) -> dict[str, float]:
    """Seconds a call for each contestant; each round begins with another one."""
    names = list(workload.contestants)
    first = shift % len(names)
    return {
        name: _timed(workload.contestants[name], repeats[name])
        for name in names[first:] + names[:first]
    }


def _timed(call: Callable, repeats: int) -> float:
    iterations = range(repeats)
    enabled = gc.isenabled()
    gc.disable()
    try:
        start = time.perf_counter()
        for _ in iterations:
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
    record = {"machine": machine(), "results": [asdict(result) for result in results]}
    (folder / "latest.json").write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
    markdown = table(results)
    (folder / "table.md").write_text(markdown, encoding="utf-8")
    return markdown


def table(results: list[Result]) -> str:
    """The results as a Markdown table."""
    lines = [
        "| workload | seconds a call (median) | score | goal | reached |",
        "|---|---|---|---|---|",
    ]
    for result in results:
        seconds = ", ".join(f"{name} {duration(value)}" for name, value in result.seconds.items())
        score = _score(result.score, result.unit)
        goal = "" if result.limit is None else f"at most {_score(result.limit, result.unit)}"
        lines.append(f"| {result.name} | {seconds} | {score} | {goal} | {result.verdict} |")
    return "\n".join(lines) + "\n"


def _score(value: float, unit: str) -> str:
    return f"{value:.2f}x" if unit == "times" else duration(value) + unit.removeprefix("seconds")


def duration(seconds: float) -> str:
    """Three digits with the unit that suits: `1.20 us`, `35.0 ms`, `2.50 s`."""
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if abs(seconds) >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"
