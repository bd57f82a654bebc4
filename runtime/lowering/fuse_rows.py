"""Loop nests together with the step after them.

Consecutive loop nests can share their outermost loop, row by row. A softmax or a layer
normalisation is three or four nests over the same rows. In one loop over the rows, each finds what
the one before wrote in the processor's nearest cache.

A nest can write into a part of an array, without an array for the result in between:

    t = a * b                       one nest, which stores its elements in x[1:-1]
    y = set_item(x, t, [1:-1])

If something reads `t` later, as the next iteration of a loop does, the nest stores them twice.

The part is written while the nest still reads. So the nest may read `x` only at the index that it
writes: NumPy reads all of the right side before it writes.
"""

from __future__ import annotations

from ..core import thresholds
from ..core.shapes import normal_axes
from ..ir.extents import has_extents
from ..ir.graph import Node, Value, dims, elements_of
from ..ir.indexing import expanded, is_everything, slice_length
from .buffer_assignment import Buffers, buffer_type
from .program import LibraryCall, Nest, Step, is_numeric


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
    end = min(len(steps), start + thresholds.MOST_ROW_STEPS)
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
    worth = largest >= thresholds.WORTH_SHARING_ROWS
    worth = worth and largest >= thresholds.SHORTEST_ROW * rows
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


# ---- parts of arrays that are replaced ---------------------------------------------------------


def update_after(nest: Nest, following: Step, last_used: set[Value]) -> Node | None:
    """The node of the step after a nest, after which `dying` are not read, if the nest may store
    its result where that would copy it: there too, if the result is still read.
    """
    if not isinstance(following, LibraryCall) or following.node.op.part_is_read_by is None:
        return None
    if not is_numeric(following):
        return None
    update = following.node
    target, value = update.inputs[:2]
    if value not in nest.stores or target not in last_used:
        return None
    row = dims(nest.space)[-1:]
    if value not in last_used and (not row or row[0] < thresholds.SHORTEST_ROW):
        return None  # a copy may be faster than a loop over short rows
    nodes = {node.output: node for node in nest.nodes}
    is_whole = value.shape == nest.space.shape == _part(update) and not nodes[value].op.reduce
    if not is_whole or target in nodes or update.inputs.count(value) != 1:
        return None
    readers = [node for node in nest.nodes if target in node.inputs]
    if any(node.op.reduce for node in nest.nodes) or not nodes.keys().isdisjoint(update.inputs[2:]):
        return None
    if readers and any(node.op.slow_path_beyond for node in nest.nodes):  # perhaps read again
        return None
    return update if all(_reads_where(node, update) for node in readers) else None


def _part(update: Node) -> tuple | None:
    """The shape of the part of an array that a node replaces; None for other forms."""
    if "sizes" in update.attrs:
        return update.attrs["sizes"]
    rows, sizes = expanded(update.attrs["index"], len(dims(update.inputs[0]))), []
    if None in rows:
        return None
    for row, size in zip(rows, dims(update.inputs[0]), strict=True):
        if type(row) is tuple:
            sizes.append(slice_length(row, size))
    return tuple(sizes)


def _reads_where(node: Node, update: Node) -> bool:
    """Whether a node reads the target at the index alone that the update writes."""
    target, _, *scalars = update.inputs
    if node.op.scalar:
        return target.shape == node.output.shape == _part(update) and _is_everything(update)
    if node.op.name != update.op.part_is_read_by or node.inputs.count(target) != 1:
        return False
    same = node.inputs[0] is target and list(node.inputs[1:]) == scalars
    return same and node.attrs["index"] == update.attrs["index"]


def _is_everything(update: Node) -> bool:
    """Whether a part is the whole array, in order."""
    if "sizes" in update.attrs:
        return False
    return is_everything(update.attrs["index"], dims(update.inputs[0]))
