"""The time of each line and operation in one run on NumPy."""

from __future__ import annotations

from typing import Any

from ...extend.graphs import OBSERVERS
from ...extend.operations import PURE
from ..tensorboard.profiler import Operation, Recording


def run_on_numpy(concrete: Any, arrays: list | None) -> tuple[list[Operation], str | None]:
    """The operations of one run, and the reason where there is none."""
    if arrays is None:
        return [], "Give a value for each argument."
    nodes = concrete.frozen.walk()
    if any(node.effect != PURE and not node.op.is_check for node in nodes if not node.subgraphs):
        return [], "It has side effects, and is not run again."
    recording = Recording("")
    OBSERVERS.append(recording)
    try:
        concrete.executable(*arrays)
    except Exception as error:  # the user's, such as a failed assertion
        return [], f"{type(error).__name__}: {error}"
    finally:
        OBSERVERS.remove(recording)
    return recording.rows, None


def totals(operations: list[Operation]) -> list[tuple[str, int, str, str, float, int]]:
    """The operations of each line: file, line, function, name, seconds and how often they ran."""
    found: dict[tuple[str, int, str, str], tuple[float, int]] = {}
    for one in operations:
        if one.where is not None:
            key = one.where.file, one.where.line, one.where.function, one.name
            seconds, count = found.get(key, (0.0, 0))
            found[key] = seconds + one.seconds, count + 1
    return [(*key, *time) for key, time in found.items()]
