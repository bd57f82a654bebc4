"""Trip counts and induction variables of loops like `while i < n: ... i += 2`."""

from __future__ import annotations

import numpy as np

from ..core.classes import NamedTuple
from ..core.dtypes import DType
from ..core.numpy_dtypes import is_signed
from .constant_values import full_constant
from .graph import Graph, Node, Value
from .op import PURE, TABLE

RISING = {"less": True, "less_equal": True, "greater": False, "greater_equal": False}
SIGNS = {"add": 1, "subtract": -1}
LONGEST_STEP = 1 << 31


class InductionVariable(NamedTuple):
    """The counter of a loop that runs while `counter comparison limit` and adds `step`.

    `position` is its position among the carried values. The start and the limit are integers where
    they are constant, else values outside of the loop.
    """

    position: int
    comparison: str
    step: int
    start: int | Value
    limit: int | Value
    dtype: DType

    @property
    def trip_count(self) -> int | None:
        """The number of iterations; None where it is not constant, or the counter overflows."""
        if not (isinstance(self.start, int) and isinstance(self.limit, int)):
            return None
        ahead = 1 if self.step > 0 else -1
        iterations = range(self.start, self.limit + ahead * self.is_inclusive, self.step)
        last = self.start + len(iterations) * self.step
        if self.comparison == "not_equal" and last != self.limit:
            return None
        limits = np.iinfo(self.dtype.numpy_dtype)
        return len(iterations) if limits.min <= last <= limits.max else None

    @property
    def is_inclusive(self) -> bool:
        return self.comparison in ("less_equal", "greater_equal")


class Sum(NamedTuple):
    """An integer as a value of this graph, or of one around it, and a constant."""

    base: Value | None
    offset: int


def sum_of(value: Value, producers: dict[Value, Node], known: dict[Value, Sum]) -> Sum:
    """A value and a constant whose sum an integer is; `known` are such sums of inputs."""
    offset = 0
    while (start := _start_of(value, producers, known)).base is value:
        node = producers.get(value)
        sign = None if node is None or value in known else SIGNS.get(node.op.name)
        if node is None or sign is None:
            break
        first, second = (_start_of(operand, producers, known) for operand in node.inputs)
        if second.base is None:
            value, offset = node.inputs[0], offset + sign * second.offset
        elif first.base is None and sign > 0:
            value, offset = node.inputs[1], offset + first.offset
        else:
            break
    return Sum(start.base, start.offset + offset)


def _start_of(value: Value, producers: dict[Value, Node], known: dict[Value, Sum]) -> Sum:
    """What a sum begins with: a constant, a known sum, or any other value."""
    constant = constant_integer(value, producers)
    return known.get(value, Sum(value, 0)) if constant is None else Sum(None, constant)


def induction_variable_of(node: Node, producers: dict[Value, Node]) -> InductionVariable | None:
    """The induction variable that decides when a loop ends; None if there is none. `producers` maps
    the operands of the loop to their nodes.
    """
    test = node.attrs["test"]
    return _induction_by(test.producers().get(test.outputs[0]), node, producers)


def range_of(node: Node, producers: dict[Value, Node]) -> InductionVariable | None:
    """The induction variable of a loop that counts up by 1 from a constant, which is not negative,
    and ends at a limit or before: `for i in range(start, limit)`, perhaps with a `break`. None for
    other loops.
    """
    test = node.attrs["test"]
    plain = [inner for inner in test.walk() if "orelse" not in inner.attrs]
    if any(inner.may_raise or inner.subgraphs or inner.effect is not PURE for inner in plain):
        return None
    for value in _conditions(test):
        induction = _induction_by(test.producers().get(value), node, producers)
        if induction is not None and _is_range(induction):
            return induction
    return None


def _conditions(test: Graph) -> tuple[Value, ...]:
    """Values that all hold where the test of a loop holds."""
    last = test.producers().get(test.outputs[0])
    if last is not None and last.op is TABLE["logical_and"]:
        return last.inputs
    if last is not None and "orelse" in last.attrs:  # `x and y`: the side without `y` gives `x`
        side = last.attrs["orelse"]
        result = side.outputs[last.outputs.index(test.outputs[0])]
        operands = dict(zip(side.inputs, last.inputs[1:], strict=True))
        return last.inputs[:1] if operands.get(result) is last.inputs[0] else ()
    return test.outputs


def ends_at_limit_alone(node: Node) -> bool:
    """Whether the test of a loop is one comparison."""
    return sum(not inner.op.is_constant for inner in node.attrs["test"].nodes) == 1


def _is_range(counter: InductionVariable) -> bool:
    is_up = (counter.comparison, counter.step) == ("less", 1)
    is_wide = counter.dtype.size >= 4 and is_signed(counter.dtype.numpy_dtype)
    return (
        is_up and is_wide and isinstance(counter.start, int) and 0 <= counter.start < LONGEST_STEP
    )


def _induction_by(
    last: Node | None, node: Node, producers: dict[Value, Node]
) -> InductionVariable | None:
    """The induction variable that the comparison `last` of the test of a loop compares."""
    test = node.attrs["test"]
    if last is None or last.op.swapped is None or last.op.name == "equal":
        return None
    for (value, other), comparison in (
        (last.inputs, last.op.name),
        (last.inputs[::-1], last.op.swapped),
    ):
        position = test.inputs.index(value) if value in test.inputs else node.attrs["carried"]
        if position >= node.attrs["carried"] or value.shape or not value.dtype.is_integer:
            continue
        step, limit = step_of(node, position, producers), _outside(other, "test", node, producers)
        if step and limit is not None and RISING.get(comparison, step > 0) == (step > 0):
            start = node.inputs[position]
            constant = constant_integer(start, producers)
            begin = start if constant is None else constant
            return InductionVariable(position, comparison, step, begin, limit, value.dtype)
    return None


def step_of(node: Node, position: int, producers: dict[Value, Node] | None = None) -> int | None:
    """The constant that each iteration of a loop adds to a carried value, if it is one."""
    body = node.attrs["body"]
    step = body.producers().get(body.outputs[position])
    operands = step.inputs if step is not None and SIGNS.get(step.op.name) else ()
    outside = ((value, _outside(value, "body", node, producers or {})) for value in operands)
    known = {value: Sum(None, number) for value, number in outside if isinstance(number, int)}
    base, number = sum_of(body.outputs[position], body.producers(), known)
    return number if base is body.inputs[position] and 0 < abs(number) <= LONGEST_STEP else None


def goes_through(node: Node, position: int, count: int) -> bool:
    """Whether a carried value is 0, 1, ... `count` - 1 in the iterations of a loop of that trip
    count, or that in reverse.
    """
    start, step = full_constant(node.inputs[position]), step_of(node, position)
    if start is None or not is_signed(start.dtype):
        return False
    return (int(start), step) in ((0, 1), (count - 1, -1))


def _outside(
    value: Value, key: str, node: Node, producers: dict[Value, Node]
) -> int | Value | None:
    """`value` as a constant or the loop-invariant operand that it equals; None otherwise."""
    graph, body = node.attrs[key], node.attrs["body"]
    if value not in graph.inputs:
        return constant_integer(value, graph.producers())
    position = graph.inputs.index(value)
    if position < node.attrs["carried"] and body.outputs[position] is not body.inputs[position]:
        return None
    constant = constant_integer(node.inputs[position], producers)
    return node.inputs[position] if constant is None else constant


def constant_integer(value: Value, producers: dict[Value, Node]) -> int | None:
    """The integer that a constant holds; None for other values."""
    node = producers.get(value)
    if value.shape or not value.dtype.is_integer:
        return None
    if node is not None and node.op.is_constant:
        return int(node.attrs["value"])
    known = full_constant(value)
    return None if known is None else int(known)
