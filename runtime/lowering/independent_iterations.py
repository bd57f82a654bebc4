"""Loops whose iterations do not depend on each other, which threads share.

An iteration may write the rows at its own number and a constant, and take part in reductions that
are exact in any order (`parallel_reductions.py`), whose partial results are combined in the order
of the iterations.
"""

from __future__ import annotations

import math

from ..core import thresholds
from ..core.classes import NamedTuple
from ..ir.graph import Graph, Node, Value, dims
from ..ir.indexing import Slot, expanded
from ..ir.node_properties import only_reader
from ..ir.op import PURE
from ..ir.op import TABLE as OPS
from ..ir.trip_counts import (
    InductionVariable,
    Sum,
    ends_at_limit_alone,
    induction_variable_of,
    sum_of,
)
from . import cost_model
from .carried_scalars import Reductions
from .cost_model import Chunks, iteration_cost, vectorized_cost
from .parallel_reductions import reductions_of
from .program import Loop


class IndependentIterations(NamedTuple):
    """A loop whose iterations depend on their number alone; each may write rows of its own: those
    at its counter and a constant, of which `row` is the least. None where it writes none.
    An array has `most` of them, and there are no more iterations.
    """

    induction: InductionVariable
    row: int | None
    most: int
    reductions: Reductions


class ParallelIterations(NamedTuple):
    """The schedule of such a loop.

    least    iterations from which it is worth threads
    chunks   where the trip count is a constant; else both are computed when the loop starts
    is_speculative   an iteration may evaluate an index that the sequential loop never reaches: that
                     one runs again if a chunk fails
    """

    loop: IndependentIterations
    least: int
    chunks: Chunks | None

    @property
    def is_speculative(self) -> bool:
        return self.loop.reductions.speculative

    @property
    def has_two_versions(self) -> bool:
        """Whether the sequential loop is emitted too, and chosen when it runs."""
        return self.chunks is None or self.is_speculative


def parallel_iterations(
    step: Loop, producers: dict[Value, Node], shares_all: bool = False
) -> ParallelIterations | None:
    """The schedule of a loop that threads share iteration by iteration; None for other loops."""
    loop = independent_iterations(step.node, producers)
    if loop is None:
        return None
    body, carried, cost = step.node.attrs["body"], step.node.attrs["carried"], None
    if not loop.reductions.choices:  # LLVM makes vectors of the loop, perhaps
        cost = vectorized_cost(body, loop.induction.position, carried)
    cost = cost or max(iteration_cost(step.body), cost_model.SCALAR_COST)
    least = 2 if shares_all else max(2, math.ceil(thresholds.PARALLEL_FROM / cost))
    count = loop.induction.trip_count
    if (loop.most if count is None else count) < least:
        return None
    return ParallelIterations(loop, least, None if count is None else iteration_chunks(count))


def iteration_chunks(trip_count: int) -> Chunks:
    """As many chunks as may be, since one iteration may take longer than others."""
    length = -(-trip_count // thresholds.MOST_CHUNKS)
    return Chunks(length, -(-trip_count // length))


def independent_iterations(
    node: Node, producers: dict[Value, Node]
) -> IndependentIterations | None:
    """How a loop counts and reduces whose iterations depend on nothing but their number, and write
    rows of their own to the arrays that are carried; None for other loops.
    """
    body: Graph = node.attrs["body"]
    induction = induction_variable_of(node, producers)
    if induction is None or not all(map(_may_run_in_region, body.walk())):
        return None
    rows, scalars = list[tuple](), list[int]()
    for index, value in enumerate(body.inputs[: node.attrs["carried"]]):
        result = body.outputs[index]
        if index == induction.position or result is value:
            continue
        if value.shape == ():
            scalars.append(index)
        elif (row := _own_row(body, index, body.inputs[induction.position], {})) is not None:
            rows.append(row)
        else:
            return None
    row = min((number for number, _ in rows), default=None)
    most = min([cost_model.ASSUMED_PARALLEL_TRIP_COUNT, *(size for _, size in rows if size)])
    if not (rows or scalars) or (row is not None and _is_below_zero(induction, row)):
        return None
    reductions = reductions_of(node, scalars, producers)
    return None if reductions is None else IndependentIterations(induction, row, most, reductions)


def _is_below_zero(induction: InductionVariable, row: int) -> bool:
    """Whether a counter and a constant are known to be negative in some iteration."""
    if not isinstance(induction.start, int):
        return False
    last = induction.start + ((induction.trip_count or 1) - 1) * induction.step
    return min(induction.start, last) + row < 0


def _may_run_in_region(node: Node) -> bool:
    """Whether an operation has no effect but a failure, and may run inside a parallel region.

    The region fails where an iteration does. Then NumPy or Python runs all of it again, so that the
    first error in the order of the iterations is the one that is raised.
    """
    may_run = node.is_parallel_safe or node.op is OPS["assert"]
    return may_run and (node.effect is PURE or node.op.is_check or bool(node.subgraphs))


def _own_row(body: Graph, index: int, counter: Value, sums: dict[Value, Sum]) -> tuple | None:
    """The number that is added to the counter for the row of the array carried at an index of which
    an iteration sets items, along any axis, also in inner loops, if it does nothing else with the
    array; and how many rows there are. `sums` are inputs of this graph that are the counter and a
    number.
    """
    node, producers = only_reader(body, index), body.producers()
    if node is None:
        return None
    if node.op is OPS["while"]:
        at, carried = node.outputs.index(body.outputs[index]), node.attrs["carried"]
        inner, test = node.attrs["body"], node.attrs["test"]
        if node.inputs[at] is not body.inputs[index] or test.inputs[at] in test.uses():
            return None
        captured = zip(inner.inputs[carried:], node.inputs[carried:], strict=True)
        known = {own: sum_of(operand, producers, sums) for own, operand in captured}
        return _own_row(inner, at, counter, known)
    if node.op.in_place is None or node.inputs[0] is not body.inputs[index]:
        return None
    sizes = dims(node.inputs[0])
    rows = [row for row in expanded(node.attrs["index"], len(sizes)) if row is not None]
    for row, size in zip(rows, sizes, strict=False):
        if type(row) is Slot:
            base, number = sum_of(node.inputs[2 + row.position], producers, sums)
            if base is counter and (not number or counter.dtype.size >= 4):  # else it may wrap
                return number, size
    return None


# ---- assertions ----------------------------------------------------------------------------------


def asserts_late(loop: Node, counter: InductionVariable | None) -> bool:
    """Whether a loop checks its assertions when it has ended.

    A branch out of it in each iteration keeps LLVM from using vectors. Where an iteration computes
    elements of arrays, and no number is carried but the counter, the truths of the assertions are
    combined instead. Until the loop ends it computes with numbers that they exclude: divisions and
    indices have checks of their own.
    """
    if counter is None or not ends_at_limit_alone(loop):
        return False
    if any(output.shape == () for at, output in enumerate(loop.outputs) if at != counter.position):
        return False
    inside = list(loop.attrs["body"].walk())
    return any(inner.op is OPS["assert"] for inner in inside) and all(map(_is_of_elements, inside))


def _is_of_elements(node: Node) -> bool:
    """Whether a node computes single numbers, reads an element or a row, or sets an element."""
    if node.op.is_constant or node.op in (OPS["if"], OPS["call"]):
        return True
    if node.op is OPS["strided_slice"]:
        return all(type(entry) in (int, Slot) for entry in node.attrs["index"])
    if node.op in (OPS["assert"], OPS["set_item"]):
        return node.inputs[1 if node.op is OPS["set_item"] else 0].shape == ()
    return node.op.scalar is not None and node.output.shape == ()
