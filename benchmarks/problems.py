"""Problems of `workloads/` for the harness: their engines take turns in one process."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Iterable

from contest.engines import ENGINES, build, difference, expected, load
from harness import Workload


def problem(
    name: str, engines: Iterable[str], reference: str, limit: float, size: str = "full"
) -> Workload:
    """The workload of a problem, for those of the engines that are installed.

    Raises AssertionError where an engine's first result is not NumPy's.
    """
    module = importlib.import_module(f"workloads.{name}")
    keywords = module.SIZES[size]
    right = expected(module, keywords)
    contestants = {}
    for engine in (ENGINES[one] for one in engines):
        if importlib.util.find_spec(engine.module) is None:
            continue
        call, read = build(engine, load(engine), module, keywords)
        error = difference(module, read(call()), right)
        tolerance = getattr(module, "TOLERANCE", 1e-5)
        assert error <= tolerance, f"{name}, {engine.title}: off by {error:.3g}"
        contestants[engine.title] = call
    return Workload(name, contestants, ENGINES[reference].title, limit)
