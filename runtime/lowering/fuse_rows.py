"""Consecutive loop nests that can share their outermost loop, row by row.

A softmax or a layer normalisation is three or four nests over the same rows. In one loop over the
rows, each finds what the one before wrote in the processor's nearest cache.
"""

from __future__ import annotations

from ..core.axes import normal_axes
from ..ir.extents import has_extents
from ..ir.graph import Node, Value
from . import cost_model
from .buffer_assignment import Buffers, buffer_type
from .program import LibraryCall, Nest, Step, is_numeric
from .static_shapes import dims, elements_of


def reduced_axes(node: Node) -> tuple[int, ...]:
    """The axes that a reduction takes away, in order."""
    return tuple(sorted(normal_axes(node.attrs["axis"], len(dims(node.inputs[0])))))


def rows_together(steps: list[Step], start: int, buffers: Buffers) -> int:
    """How many of these steps, from `start` on, can be done row by row; 1 if that has no use."""
    count = nests = reductions = largest = 0
    outputs: set[Value] = set()
    first = steps[start]
    if not isinstance(first, Nest) or not is_numeric(first) or not first.space.shape:
        return 1
    rows = dims(first.space)[0]
    end = min(len(steps), start + cost_model.MOST_ROW_STEPS)
    for index in range(start, end if rows > 1 else start):
        step = steps[index]
        if isinstance(step, LibraryCall) and step.node.op.is_constant:
            continue
        if not isinstance(step, Nest) or not _fits(step, rows, outputs, buffers):
            break
        outputs |= {node.output for node in step.nodes}
        count, nests = index + 1 - start, nests + 1
        reductions += any(node.op.reduce for node in step.nodes)
        largest = max(largest, elements_of(step.space))
    worth = largest >= cost_model.WORTH_SHARING_ROWS
    worth = worth and largest >= cost_model.SHORTEST_ROW * rows
    return count if nests > 1 and reductions and worth else 1


def _fits(nest: Nest, rows: int, outputs: set[Value], buffers: Buffers) -> bool:
    shape = nest.space.shape
    if not is_numeric(nest) or not shape or shape[0] != rows or has_extents(shape):
        return False
    if any(node.op.reduce and 0 in reduced_axes(node) for node in nest.nodes):
        return False
    return all(
        _is_row_by_row(node, value, shape, buffers)
        for node in nest.nodes
        for value in node.inputs
        if value in outputs or not _is_constant(value, buffers)
    )


def _is_constant(value: Value, buffers: Buffers) -> bool:
    """Whether nothing in a group can overwrite it."""
    return not value.shape or value not in buffers.buffer_of


def _is_row_by_row(node: Node, value: Value, shape, buffers: Buffers) -> bool:
    """Whether a row of the result needs that row of an operand's buffer, and no other."""
    if node.op.element is not None:
        return False
    number = buffers.buffer_of.get(value)
    is_view = number is not None and buffers.types[number] != buffer_type(value)
    return not is_view and len(dims(value)) == len(shape) and dims(value)[0] == shape[0]
