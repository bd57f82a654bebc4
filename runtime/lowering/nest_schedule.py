"""The schedule of loop nests: the order of their loops, the form of each, and their chunks."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

from ..core.dtypes import float32, float64
from ..core.math_precision import PRECISION
from ..ir.extents import has_extents
from ..ir.graph import Node, Value
from ..ir.indexing import expanded
from . import cost_model
from .cost_model import Chunks, chunks_of, formula_length, nest_cost
from .fuse_rows import reduced_axes
from .program import Nest
from .static_shapes import dims, elements_of


class NestSchedule(NamedTuple):
    """How the loops of one nest run.

    kept         axes of the outer loops, in order; the result has them
    reduced      axes of the inner loops, which reductions take away
    is_flat      one loop over all elements: every array is read at the index of the result
    by_columns   the reduced axes lie outside of a kept one: an accumulator for each column, and the
                 loop over the columns innermost, so that memory is read in order
    column_tile  columns whose accumulators are worked on together; None for all of them
    trip_count   of the outermost loop, if its iterations are independent
    chunks       of the outermost loop, where threads share it
    breaks       indices at which the loop over the last axis is divided; see `Op.breaks`
    """

    kept: tuple[int, ...]
    reduced: tuple[int, ...]
    is_flat: bool
    by_columns: bool
    column_tile: int | None
    trip_count: int | None
    chunks: Chunks | None
    breaks: tuple[int, ...] = ()

    def on_one_thread(self) -> NestSchedule:
        """The schedule inside of a parallel region, where nothing is divided any more."""
        return self._replace(chunks=None)

    @property
    def reduces_outermost(self) -> bool:
        """Whether the outermost loop is reduced: its chunks leave partial results."""
        if not self.kept:
            return bool(self.reduced)
        return self.by_columns and self.reduced[0] < self.kept[0]


def nest_schedule(nest: Nest, in_row_loop: bool = False, may_be_flat: bool = True) -> NestSchedule:
    """The schedule of a nest of known shape; `in_row_loop` where the loop over its first axis is
    shared with other nests.
    """
    shape, last = dims(nest.space), len(dims(nest.space)) - 1
    kept, reduced = _loop_order(nest)
    by_columns = bool(
        reduced and last not in reduced and shape[last] >= cost_model.SHORTEST_COLUMNS
    )
    inner = [axis for axis in kept if axis > reduced[0]] if by_columns else []
    is_tiled = inner == [last] and shape[last] > cost_model.COLUMN_TILE
    column_tile = cost_model.COLUMN_TILE if is_tiled else None
    is_flat = not in_row_loop and may_be_flat and _is_flat(nest)
    trip_count: int | None
    if is_flat:
        trip_count = elements_of(nest.space)
    elif reduced and not kept:
        trip_count = shape[0]
    else:
        outer = [axis for axis in kept if axis < reduced[0]] if by_columns else kept
        trip_count = shape[outer[0]] if outer else None
    chunks = None if in_row_loop else parallel_chunks([nest], trip_count)
    if by_columns and trip_count is None and not in_row_loop:
        chunks = _chunks_of_rows(nest, shape[reduced[0]], math.prod(shape[axis] for axis in kept))
    is_shared = len(kept) == 1 and (in_row_loop or chunks is not None)
    breaks = () if is_shared or reduced else _breaks(nest)
    return NestSchedule(kept, reduced, is_flat, by_columns, column_tile, trip_count, chunks, breaks)


def _chunks_of_rows(nest: Nest, rows: int, columns: int) -> Chunks | None:
    """How the rows of a nest that has an accumulator for each column are divided: each chunk has
    accumulators of its own, which have to be few beside the elements.
    """
    chunks = parallel_chunks([nest], rows)
    is_worth = chunks is not None and chunks.number * columns * 8 <= elements_of(nest.space)
    return chunks if is_worth else None


def _loop_order(nest: Nest) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The kept axes, which are the outer loops, and the reduced ones."""
    rank = len(dims(nest.space))
    reductions = [node for node in nest.nodes if node.op.reduce]
    if not reductions:
        return tuple(range(rank)), ()
    reduced = reduced_axes(reductions[0])  # all are over the same axes
    return tuple(axis for axis in range(rank) if axis not in reduced), reduced


def _breaks(nest: Nest) -> tuple[int, ...]:
    """The indices at which the loop over the last axis is divided."""
    if has_extents(nest.space.shape):
        return ()
    found = {
        at
        for node in nest.nodes
        if node.op.breaks is not None
        for at in node.op.breaks(node.output, *node.inputs, **node.attrs)
        if 0 < at < dims(nest.space)[-1]
    }
    return tuple(sorted(found)) if len(found) <= cost_model.MOST_BREAKS else ()


def _is_flat(nest: Nest) -> bool:
    """Whether every array is read at the index of the result, in more or fewer than one axis."""
    shape = dims(nest.space)
    return (
        len(shape) != 1
        and not has_extents(shape)
        and all(
            node.op.scalar
            and not node.op.reduce
            and all(value.shape in ((), shape) for value in node.inputs)
            for node in nest.nodes
        )
    )


def parallel_chunks(nests: list[Nest], trip_count: int | None) -> Chunks | None:
    """How a loop around nests is divided for threads; None where one thread runs it."""
    if trip_count is None or trip_count < 2 or not may_run_in_region(nests):
        return None
    if any(has_extents(nest.space.shape) for nest in nests):  # perhaps few elements
        return None
    cost = nest_cost(nests)
    if cost < cost_model.PARALLEL_FROM:
        return None
    chunks = chunks_of(cost, trip_count)
    return chunks if chunks.number > 1 else None


def call_chunks(cost: float, trip_count: int) -> Chunks | None:
    """How a library call with `trip_count` independent iterations is divided for threads."""
    if trip_count < 2 or cost < cost_model.PARALLEL_FROM:
        return None
    return chunks_of(cost, trip_count)


def may_run_in_region(nests: Iterable[Nest]) -> bool:
    """Whether all operations of these loops may run inside a parallel region."""
    return all(node.is_parallel_safe for nest in nests for node in nest.nodes)


def has_few_rows(nest: Nest, axis: int) -> bool:
    """Whether a nest computes formulas along its last axis for so few elements that vectors across
    the rows would save less than a microsecond. LLVM would take 0.1 s for the code of such vectors.
    """
    shape = dims(nest.space)
    return (
        not has_extents(shape)
        and axis == len(shape) - 1
        and elements_of(nest.space) <= cost_model.FEW_ELEMENTS
        and any(map(formula_length, nest.nodes))
    )


def reads_apart(nest: Nest, axis: int) -> bool:
    """Whether elements along an axis of a nest are read that do not lie together, and little is
    computed of them: a vector of such elements takes longer than they take one by one.
    """
    return not any(map(formula_length, nest.nodes)) and any(
        _is_apart(node, axis - len(dims(nest.space)) + len(dims(node.output)))
        for node in nest.nodes
    )


def _is_apart(node: Node, axis: int) -> bool:
    """Whether an axis of a view is not the last one of its source, in steps of 1."""
    entries_of = _ENTRIES.get(node.op.name)
    if entries_of is None:
        return False
    rank = len(dims(node.inputs[0]))
    return any(
        type(entry) is tuple and entry[0] == axis and (at != rank - 1 or entry[2] != 1)
        for at, entry in enumerate(entries_of(node, rank))
    )


def _entries_of_slice(node: Node, rank: int) -> list:
    """An index template as that of a window, without the starts."""
    entries, own = [], 0
    for row in expanded(node.attrs["index"], rank):
        if row is not None:
            entries.append((own, 0, row[2] or 1) if type(row) is tuple else row)
        own += row is None or type(row) is tuple
    return entries


_ENTRIES = {"window": lambda node, _: node.attrs["index"], "strided_slice": _entries_of_slice}


def has_slow_path(node: Node) -> bool:
    """Whether the formula of a node is not for all numbers."""
    return node.op.slow_path_beyond is not None and not PRECISION.precise_math


def is_read_in_order(operand: Value, nest: Nest) -> bool:
    """Whether each element of an operand is read where that element of the result is computed."""
    return all(
        node.op.scalar or node.op.reduce or operand not in node.inputs for node in nest.nodes
    )


# ---- accurate sums -----------------------------------------------------------------------------


def is_sum(node: Node) -> bool:
    return node.op.reduce.combine.startswith("plus(")


def compensated_sums(nest: Nest, reduced: tuple[int, ...]) -> list[Node]:
    """Sums that add partial sums of float64 and keep the rounding error of each addition."""
    return [
        node
        for node in nest.nodes
        if node.op.reduce
        and reduced
        and is_sum(node)
        and node.inputs[0].dtype is float64
        and _elements_of_sum(node) > cost_model.SUM_BLOCK
    ]


def partial_sums(nest: Nest, reduced: tuple[int, ...]) -> list[Node]:
    """Sums that add partial sums instead of elements.

    In float64 the rounding error of adding them is kept, so it does not grow with their number.
    Sums of float32 are kept in float64 and need none of this; where the elements are computed in
    the nest, their partial sums are float32, since wider ones would halve the vectors of everything
    else in the loop.
    """
    if not reduced:
        return []
    compensated = compensated_sums(nest, reduced)
    computed = {node.output for node in nest.nodes}
    is_long = dims(nest.space)[reduced[-1]] >= cost_model.SHORTEST_PARTIAL
    return [
        node
        for node in nest.nodes
        if node in compensated
        or (
            node.op.reduce
            and is_sum(node)
            and node.inputs[0].dtype is float32
            and node.inputs[0] in computed
            and is_long
        )
    ]


def _elements_of_sum(node: Node) -> int:
    return elements_of(node.inputs[0]) // max(elements_of(node.output), 1)
