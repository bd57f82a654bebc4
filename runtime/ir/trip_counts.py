"""Loops whose number of turns follows from two numbers: `while i < n: ... i += 2`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..core.dtypes import DType
from .graph import Node, Value

RISING = {"less": True, "less_equal": True, "greater": False, "greater_equal": False}
SIGNS = {"add": 1, "subtract": -1}
LONGEST_STEP = 1 << 31


class Counting(NamedTuple):
    """A loop that goes on while `counter comparison limit`, and adds `step` in each turn.

    `place` is the counter's among the carried values. The start and the limit are integers, or
    values outside of the loop where they are not known.
    """

    place: int
    comparison: str
    step: int
    start: int | Value
    limit: int | Value
    dtype: DType

    @property
    def count(self) -> int | None:
        """How many turns there are; None where that is not known, or the counter overflows."""
        if not (isinstance(self.start, int) and isinstance(self.limit, int)):
            return None
        ahead = 1 if self.step > 0 else -1
        turns = range(self.start, self.limit + ahead * self.is_inclusive, self.step)
        last = self.start + len(turns) * self.step
        if self.comparison == "not_equal" and last != self.limit:
            return None
        limits = np.iinfo(self.dtype.numpy_dtype)
        return len(turns) if limits.min <= last <= limits.max else None

    @property
    def is_inclusive(self) -> bool:
        return self.comparison in ("less_equal", "greater_equal")


def counting_of(node: Node, made: dict[Value, Node]) -> Counting | None:
    """How a loop counts its turns; None if it does not. `made` says who made its operands."""
    test = node.attrs["test"]
    last = test.producers().get(test.outputs[0])
    if last is None or last.op.swapped is None or last.op.name == "equal":
        return None
    for (value, limit), comparison in (
        (last.inputs, last.op.name),
        (last.inputs[::-1], last.op.swapped),
    ):
        place = test.inputs.index(value) if value in test.inputs else node.attrs["carried"]
        if place >= node.attrs["carried"] or value.shape or not value.dtype.is_integer:
            continue
        step, limit = _step_of(node, place, made), _outside(limit, "test", node, made)
        if step and limit is not None and RISING.get(comparison, step > 0) == (step > 0):
            start = node.inputs[place]
            known = number_of(start, made)
            begin = start if known is None else known
            return Counting(place, comparison, step, begin, limit, value.dtype)
    return None


def _step_of(node: Node, place: int, made: dict[Value, Node]) -> int | None:
    """What each turn adds to a carried value, where that is a constant."""
    body = node.attrs["body"]
    step = body.producers().get(body.outputs[place])
    sign = 0 if step is None else SIGNS.get(step.op.name, 0)
    if not sign:
        return None
    first, second = step.inputs
    if sign > 0 and second is body.inputs[place]:
        first, second = second, first
    number = _outside(second, "body", node, made)
    if first is not body.inputs[place] or not isinstance(number, int):
        return None
    if abs(number) > LONGEST_STEP:
        return None
    return sign * number


def _outside(value: Value, key: str, node: Node, made: dict[Value, Node]) -> int | Value | None:
    """The integer that `value` is in every turn of a loop, or the value outside that has it."""
    graph, body = node.attrs[key], node.attrs["body"]
    if value not in graph.inputs:
        return number_of(value, graph.producers())
    place = graph.inputs.index(value)
    if place < node.attrs["carried"] and body.outputs[place] is not body.inputs[place]:
        return None
    known = number_of(node.inputs[place], made)
    return node.inputs[place] if known is None else known


def number_of(value: Value, made: dict[Value, Node]) -> int | None:
    """The integer that a constant holds; None for other values."""
    node = made.get(value)
    if value.shape or not value.dtype.is_integer:
        return None
    if node is not None and node.op.is_constant:
        return int(node.attrs["value"])
    return None if value.constant is None else int(np.asarray(value.constant))
