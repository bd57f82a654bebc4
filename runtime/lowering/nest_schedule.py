"""The schedule of loop nests: the order of their loops, the form of each, and their chunks."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Iterator

from ..core import thresholds
from ..core.classes import NamedTuple
from ..core.dtypes import float32, float64
from ..ir.extents import has_extents
from ..ir.graph import Node, dims, elements_of
from ..ir.indexing import expanded
from .cost_model import Chunks, chunks_of, formula_length, nest_cost
from .fuse_rows import reduced_axes
from .loop_distribution import Distribution, distribution
from .program import Nest


class ColumnTile(NamedTuple):
    """Columns whose accumulators are worked on together: `length` indices of an axis, and all of
    the kept axes after it.
    """

    axis: int
    length: int


class NestSchedule(NamedTuple):
    """How the loops of one nest run.

    kept          axes of the outer loops, in order; the result has them
    reduced       axes of the inner loops, which reductions take away
    is_flat       one loop over all elements: every array is read at the index of the result
    by_columns    the reduced axes lie outside of a kept one: an accumulator for each column, and
                  the loop over the columns innermost, so that memory is read in order
    tile          the columns that are worked on together; None for all of them
    chunked_axis  the axis whose loop threads share: a kept one, or the first reduced one, of which
                  each chunk leaves partial results
    chunks        of that loop, or of the one over all elements
    breaks        indices at which the loop over the last axis is divided; see `Op.breaks`
    """

    kept: tuple[int, ...]
    reduced: tuple[int, ...]
    is_flat: bool
    by_columns: bool
    tile: ColumnTile | None
    chunked_axis: int | None = None
    chunks: Chunks | None = None
    breaks: tuple[int, ...] = ()
    distribution: Distribution | None = None

    @property
    def has_partials(self) -> bool:
        """Whether each chunk leaves partial results."""
        return self.chunked_axis in self.reduced

    @property
    def shares_columns(self) -> bool:
        """Whether each chunk has some of the columns, and all that is reduced to them."""
        return self.tile is not None and self.chunked_axis == self.tile.axis


def nest_schedule(nest: Nest, in_row_loop: bool = False, may_be_flat: bool = True) -> NestSchedule:
    """The schedule of a nest of known shape; `in_row_loop` where the loop over its first axis is
    shared with other nests.
    """
    shape, last = dims(nest.space), len(dims(nest.space)) - 1
    kept, reduced = _loop_order(nest)
    by_columns = bool(
        reduced and last not in reduced and shape[last] >= thresholds.SHORTEST_COLUMNS
    )
    is_flat = not in_row_loop and may_be_flat and _is_flat(nest)
    tile = _column_tile(nest, kept, reduced) if by_columns else None
    schedule = NestSchedule(kept, reduced, is_flat, by_columns, tile)
    if is_flat:
        chunks = parallel_chunks([nest], elements_of(nest.space))
        schedule = schedule._replace(chunks=chunks)
    elif not in_row_loop:
        schedule = _in_chunks(nest, schedule)
    is_row = in_row_loop and len(kept) == 1
    breaks = () if is_row or reduced else _breaks(nest)
    schedule = schedule._replace(breaks=breaks)
    is_row &= not reduced
    return schedule if breaks or is_row else _distributed(nest, schedule)


def _distributed(nest: Nest, schedule: NestSchedule) -> NestSchedule:
    """The schedule with the innermost loop distributed, where that pays."""
    if schedule.is_flat:
        return schedule._replace(distribution=distribution(nest, elements_of(nest.space)))
    axis = (schedule.reduced or schedule.kept)[-1]
    if schedule.by_columns or (schedule.reduced and reads_apart(nest, axis)):
        return schedule
    return schedule._replace(distribution=distribution(nest, dims(nest.space)[axis]))


def _column_tile(nest: Nest, kept: tuple[int, ...], reduced: tuple[int, ...]) -> ColumnTile | None:
    """The columns whose accumulators fit together into the nearest cache; None if all do."""
    shape = dims(nest.space)
    inner = [axis for axis in kept if axis > reduced[0]]
    if math.prod(shape[axis] for axis in inner) <= thresholds.COLUMN_TILE:
        return None
    if has_extents(shape):
        return ColumnTile(inner[0], thresholds.COLUMN_TILE) if len(inner) == 1 else None
    return _tile_within(shape, inner, thresholds.COLUMN_TILE)


def _tile_within(shape: tuple[int, ...], inner: list[int], columns: int) -> ColumnTile:
    """The largest tile of so many columns, of these axes."""
    after = 1
    for axis in reversed(inner):
        if after * shape[axis] > columns or axis == inner[0]:
            break
        after *= shape[axis]
    return ColumnTile(axis, max(columns // after, 1))


def _in_chunks(nest: Nest, schedule: NestSchedule) -> NestSchedule:
    """The schedule with the first way of sharing that gives enough chunks, or that with most."""
    enough = min(chunks_of(nest_cost([nest]), sys.maxsize).number, thresholds.ENOUGH_CHUNKS)
    candidates = [best for best in _ways_to_share(nest, schedule) if best.chunks is not None]
    for best in candidates:
        if _number_of_chunks(best) >= enough:
            return best
    return max(candidates, key=_number_of_chunks, default=schedule)


def _number_of_chunks(schedule: NestSchedule) -> int:
    return schedule.chunks.number if schedule.chunks is not None else 0


def _ways_to_share(nest: Nest, schedule: NestSchedule) -> Iterator[NestSchedule]:
    """By the outermost kept axis, the rows that are reduced, or the columns."""
    shape, kept, reduced = dims(nest.space), schedule.kept, schedule.reduced
    inner = [axis for axis in kept if axis > reduced[0]] if schedule.by_columns else []
    if kept and kept[0] not in inner:
        yield schedule._replace(
            chunked_axis=kept[0], chunks=parallel_chunks([nest], shape[kept[0]])
        )
    if reduced and (not schedule.by_columns or len(inner) == len(kept)):
        yield schedule._replace(chunked_axis=reduced[0], chunks=_chunks_of_rows(nest, schedule))
    if inner and not has_extents(shape):
        tile = schedule.tile or _tile_within(shape, inner, thresholds.COLUMN_TILE)
        chunks = parallel_chunks([nest], shape[tile.axis])
        if chunks is not None:
            tile = tile._replace(length=min(tile.length, chunks.length))
        yield schedule._replace(tile=tile, chunked_axis=tile.axis, chunks=chunks)


def _chunks_of_rows(nest: Nest, schedule: NestSchedule) -> Chunks | None:
    """How the rows of a nest are divided: each chunk leaves a partial result for each column, which
    have to be few beside the elements.
    """
    shape = dims(nest.space)
    chunks = parallel_chunks([nest], shape[schedule.reduced[0]])
    columns = math.prod(shape[axis] for axis in schedule.kept)
    is_worth = chunks is not None and chunks.number * columns * 8 <= elements_of(nest.space)
    return chunks if is_worth or not schedule.kept else None


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
    breaks = {
        at
        for node in nest.nodes
        if node.op.breaks is not None
        for at in node.op.breaks(node.output, *node.inputs, **node.attrs)
        if 0 < at < dims(nest.space)[-1]
    }
    return tuple(sorted(breaks)) if len(breaks) <= thresholds.MOST_BREAKS else ()


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
    if cost < thresholds.PARALLEL_FROM:
        return None
    chunks = chunks_of(cost, trip_count)
    return chunks if chunks.number > 1 else None


def call_chunks(cost: float, trip_count: int) -> Chunks | None:
    """How a library call with `trip_count` independent iterations is divided for threads."""
    if trip_count < 2 or cost < thresholds.PARALLEL_FROM:
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
        and elements_of(nest.space) <= thresholds.FEW_ELEMENTS
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
        and _elements_of_sum(node) > thresholds.SUM_BLOCK
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
    is_long = dims(nest.space)[reduced[-1]] >= thresholds.SHORTEST_PARTIAL
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
