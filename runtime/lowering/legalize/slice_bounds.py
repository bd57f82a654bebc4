"""The bounds of slices whose numbers may be computed, as scalars of the graph."""

from __future__ import annotations

from ...core.dtypes import bool_
from ...ir.extents import Extent
from ...ir.graph import Value
from ...ir.indexing import Scalar
from ...ir.scalar_nodes import ScalarNodes

HUGE = 1 << 40  # elements, more than an axis has: a larger step takes one element too


def bounds_of(nodes: ScalarNodes, row: tuple, size) -> tuple[Scalar, Scalar, Scalar]:
    """The start, the number of elements and the step of a slice of an axis."""
    start, stop, step = row
    step = 1 if step is None else step
    length = size.length if isinstance(size, Extent) else size
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
    nodes: ScalarNodes, start: Scalar | None, stop: Scalar | None, given: Value, length: Scalar
) -> tuple[Scalar, Scalar, Scalar]:
    """The same for a step of either sign. A step of 0 fails as a divisor."""
    step = nodes.arithmetic("minimum", nodes.arithmetic("maximum", given, -HUGE), HUGE)
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
