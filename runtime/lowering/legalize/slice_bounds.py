"""The bounds of slices whose numbers may be computed, as scalars of the graph."""

from __future__ import annotations

from collections.abc import Callable

from ...core.dtypes import bool_
from ...core.numpy_dtypes import is_integer
from ...ir.constant_values import full_constant
from ...ir.extents import length_of
from ...ir.graph import Node, Value
from ...ir.indexing import Scalar
from ...ir.scalar_nodes import ScalarNodes

# The value that a value stands for, in a graph around perhaps, and what computes it.
Source = Callable[[Value], tuple[Value, Node | None]]
HUGE = 1 << 40  # elements, more than an axis has: a larger step takes one element too


def bounds_of(nodes: ScalarNodes, row: tuple, size) -> tuple[Scalar, Scalar, Scalar]:
    """The start, the number of elements and the step of a slice of an axis."""
    start, stop, step = row
    step = 1 if step is None else step
    length = length_of(size)
    if not isinstance(step, int):
        return _of_computed_step(nodes, start, stop, step, length)
    if step > 0:
        first = 0 if start is None else nodes.clamped(start, length, 0)
        end = length if stop is None else nodes.clamped(stop, length, 0)
        count = nodes.arithmetic("subtract", end, first)
        if start is not None and stop is not None:
            count = nodes.arithmetic("maximum", count, 0)
    else:
        before = nodes.arithmetic("subtract", length, 1)
        first = before if start is None else nodes.clamped(start, length, -1)
        end = -1 if stop is None else nodes.clamped(stop, length, -1)
        count = nodes.arithmetic("maximum", nodes.arithmetic("subtract", first, end), 0)
    if abs(step) > 1:
        count = nodes.arithmetic("add", count, abs(step) - 1)
        count = nodes.arithmetic("floor_divide", count, abs(step))
    return first, count, step


def _of_computed_step(
    nodes: ScalarNodes, start: Scalar | None, stop: Scalar | None, step_value: Value, length: Scalar
) -> tuple[Scalar, Scalar, Scalar]:
    """The same for a step of either sign. A step of 0 fails as a divisor."""
    step = nodes.arithmetic("minimum", nodes.arithmetic("maximum", step_value, -HUGE), HUGE)
    is_up = nodes.computed("less", 0, step, dtype=bool_)
    low = nodes.computed("select", is_up, 0, -1)
    before = nodes.arithmetic("subtract", length, 1)
    first: Scalar = nodes.computed("select", is_up, 0, before)
    first = first if start is None else nodes.clamped(start, length, low)
    end: Scalar = nodes.computed("select", is_up, length, -1)
    end = end if stop is None else nodes.clamped(stop, length, low)
    distance = nodes.arithmetic("subtract", end, first)
    past = nodes.computed("select", is_up, 1, -1)  # so that the quotient is rounded up
    distance = nodes.arithmetic("subtract", nodes.arithmetic("add", distance, step), past)
    count = nodes.computed("floor_divide", distance, step)
    return first, nodes.arithmetic("maximum", count, 0), step


def limit_of(source: Source, start: Scalar | None, stop: Scalar | None) -> int | None:
    """The most elements of a slice by the forms of its bounds, if they differ by a constant: 3 for
    `x[max(0, i - 1) : min(n, i + 2)]`. There may be more where a bound counts from the end.
    """
    lows = _forms(source, 0 if start is None else start, "maximum")
    highs = [] if stop is None else _forms(source, stop, "minimum")
    distances = [b - a for first, a in lows for second, b in highs if first is second]
    return max(min(distances), 0) if distances else None


def _forms(source: Source, scalar: Scalar, extreme: str) -> list[tuple]:
    """Values, or None, and numbers: a scalar is the sum of one of the pairs, and at least each of
    them if `extreme` is "maximum", at most each if it is "minimum".
    """
    if not isinstance(scalar, Value):
        return [(None, int(scalar))]
    known = full_constant(scalar)
    if known is not None:
        return [(None, int(known))]
    value, node = source(scalar)
    if node is None:
        return [(value, 0)]
    name = node.op.name
    if name == "cast" and is_integer(node.inputs[0].dtype.numpy_dtype):
        return _forms(source, node.inputs[0], extreme)
    if name in ("add", "subtract"):
        first, second = (_forms(source, operand, extreme) for operand in node.inputs)
        sign = 1 if name == "add" else -1
        if len(second) == 1 and second[0][0] is None:
            return [(base, number + sign * second[0][1]) for base, number in first]
        if sign == 1 and len(first) == 1 and first[0][0] is None:
            return [(base, number + first[0][1]) for base, number in second]
    if name == extreme or (name == "select" and _extreme_of(source, node) == extreme):
        return [form for operand in node.inputs[-2:] for form in _forms(source, operand, extreme)]
    return [(value, 0)]


def _extreme_of(source: Source, node: Node) -> str | None:
    """What `a if a < b else b`, or the like, is."""
    _, test = source(node.inputs[0])
    if test is None or set(test.inputs) != set(node.inputs[1:]):
        return None
    names = {"less": "minimum", "less_equal": "minimum",
             "greater": "maximum", "greater_equal": "maximum"}  # fmt: skip
    extreme = names.get(test.op.name)
    if extreme is None or test.inputs[0] is node.inputs[1]:
        return extreme
    return "maximum" if extreme == "minimum" else "minimum"
