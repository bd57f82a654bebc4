"""Products of matrices inside of a kernel.

A block computes a tile of the result: its threads put tiles of both operands into shared memory,
and each adds up products for `side` by `side` elements of the tile, which lie TILE apart, so that
neighbors read neighbors.

    for each tile of the result that the block is for:
        for each tile along the depth:
            the threads read both tiles          # each element once
            each thread: totals += a * b         # each element TILE times

Where a matrix has fewer rows or columns than a tile, or their number is computed, each thread
computes some elements. The terms of an element are added up in their order either way, and products
and sums are rounded apart.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext

from ...codegen.native.elements import own_indices
from ...codegen.native.kernel_writer import numpy_type
from ...ir.extents import has_extents
from ...ir.graph import Node, Value, dims, elements_of
from ...kernel_ir.nodes import Expression, Name, Operand, call
from ...lowering.not_native import NotNativeError
from ..grid_kernel import WARP
from .grid_nests import decoded
from .grid_writer import GridWriter, product

TILE = 16  # rows and columns of a tile of which each thread has one element
SIDES = (4, 2)  # rows and columns that a thread has of a larger tile
AT_ONCE = 4  # elements of each operand that a thread reads between two barriers, or fewer
ENOUGH_TILES = 128  # of a result, so that most processors of a card have one


def matmul(writer: GridWriter, node: Node) -> None:
    """A product, and those of a batch."""
    output, (a, _) = node.output, node.inputs
    if output.dtype.is_bool:
        raise NotNativeError("a product of truth values", node.where)
    writer.buffer(output)
    flipped = node.attrs.get("transposed", (False, False))  # by operand: both may be one value
    depth = dims(a)[-2 if flipped[0] else -1]
    *_, rows, columns = dims(output)
    sizes = rows, columns, depth
    if not has_extents((*dims(output), depth)) and min(sizes) >= TILE:
        _Tiles(writer, node, sizes, flipped).write()
        return
    lengths = writer.lengths(dims(output))
    with writer.over_threads("k", elements_of(output), product(lengths)):
        *batch, row, column = decoded(writer, "k", range(len(lengths)), lengths)
        _element(writer, node, (batch, row, column), depth, flipped)


def _element(writer: GridWriter, node: Node, place, depth: int, flipped) -> None:
    """One element of a product."""
    (a, b), (batch, row, column) = node.inputs, place
    total, dtype = writer.unused("s"), numpy_type(node.output.dtype.numpy_dtype.name)
    writer.let(total, dtype(0))
    with writer.loop("t", writer.trip_count(depth) if has_extents((depth,)) else depth):
        left = _item(writer, a, batch, (row, Name("t")), flipped[0])
        right = _item(writer, b, batch, (Name("t"), column), flipped[1])
        writer.let(total, dtype(total + dtype(left * right)))
    writer.let(writer.read(node.output)[(*batch, row, column)], total)


def _item(
    writer: GridWriter, value: Value, batch: Sequence[Operand], place: Sequence[Operand],
    flips: bool,
) -> Expression:  # fmt: skip
    """An element of a matrix of an operand, which may lie there transposed."""
    at = own_indices(batch, Value(value.dtype, dims(value)[:-2], value.name))
    return writer.read(value)[(*at, *(place[::-1] if flips else place))]


class _Tiles:
    """A product by tiles in shared memory."""

    def __init__(self, writer: GridWriter, node: Node, sizes: tuple[int, int, int], flipped):
        self.writer, self.node, self.sizes, self.flipped = writer, node, sizes, flipped
        lanes, count = TILE * TILE, elements_of(node.output)
        enough = (side for side in SIDES if count >= ENOUGH_TILES * lanes * side**2)
        self.side = next(enough, 1)
        self.width = TILE * self.side  # of a tile of the result
        self.depth = TILE * min(AT_ONCE // self.side, -(-sizes[2] // TILE))  # of both operands
        *self.batch, _, _ = dims(node.output)
        self.dtype = node.output.dtype.numpy_dtype
        self.lane, self.row, self.column = map(Name, ("lane", "lane_row", "lane_column"))
        # a row is one element longer, so that columns are in different banks of the memory too
        self.arrays = (
            writer.shared_array(self.dtype, 0, self.width * (self.depth + 1)),
            writer.shared_array(self.dtype, 1, self.depth * (self.width + 1)),
        )
        self.totals = {
            (p, q): writer.unused("s") for p in range(self.side) for q in range(self.side)
        }

    def write(self) -> None:
        writer, width = self.writer, self.width
        rows, columns, depth = self.sizes
        tiles = (*self.batch, -(-rows // width), -(-columns // width))
        writer.lanes = max(writer.lanes, TILE * TILE)
        writer.threads = max(writer.threads, math.prod(tiles) * TILE * TILE)
        writer.let(self.lane, call("lane_index"))
        writer.let(self.row, self.lane // TILE)
        writer.let(self.column, self.lane % TILE)
        ends = call("block_index"), math.prod(tiles), call("block_count")
        with writer.loop("tile", *ends):
            *batch, row, column = decoded(writer, "tile", range(len(tiles)), tiles)
            for total in self.totals.values():
                writer.let(total, self.number(0))
            with writer.loop("start", 0, depth, self.depth):
                with self.lanes():
                    self.read_left(batch, row * width)
                    self.read_right(batch, column * width)
                writer.call("block_barrier")
                with self.lanes():
                    self.add_products()
                writer.call("block_barrier")
            with self.lanes():
                self.store(batch, row * width, column * width)

    def lanes(self) -> AbstractContextManager[None]:
        """Statements for the lanes of a tile alone: blocks of whole warps may have more."""
        is_for_some = TILE * TILE < WARP
        return self.writer.when(self.lane < TILE * TILE) if is_for_some else nullcontext()

    def apart(self, place: Expression, number: int) -> Expression:
        """The place of a further row or column that the thread has."""
        return place + number * TILE if number else place

    def number(self, value: Operand) -> Expression:
        return numpy_type(self.dtype.name)(value)

    def read_left(self, batch: Sequence[Operand], first: Operand) -> None:
        """The tile of the left operand: rows of the result, and some of the depth."""
        for row, inner in self.places(self.width, self.depth, self.flipped[0]):
            place = Name("row"), Name("inner")
            self.writer.let("row", first + row)
            self.writer.let("inner", Name("start") + inner)
            self.read(0, batch, place, self.arrays[0][row * (self.depth + 1) + inner])

    def read_right(self, batch: Sequence[Operand], first: Operand) -> None:
        """The tile of the right operand: some of the depth, and columns of the result."""
        for inner, column in self.places(self.depth, self.width, self.flipped[1]):
            place = Name("inner"), Name("column")
            self.writer.let("inner", Name("start") + inner)
            self.writer.let("column", first + column)
            self.read(1, batch, place, self.arrays[1][inner * (self.width + 1) + column])

    def places(
        self, rows: int, columns: int, flips: bool
    ) -> Iterator[tuple[Expression, Expression]]:
        """The rows and columns of the elements that a thread reads of a tile: neighbors in memory
        are for neighboring threads.
        """
        across = rows if flips else columns
        for at in range(rows * columns // TILE**2):
            number = self.lane + at * TILE * TILE if at else self.lane
            first, second = number // across, number % across
            yield (second, first) if flips else (first, second)

    def read(self, operand: int, batch, place: Sequence[Name], target: Expression) -> None:
        """Put an element of an operand into a tile: 0 where the tile is longer than the matrix,
        which changes no sum that has begun with 0.
        """
        writer, item = self.writer, Name("item")
        value, flips = self.node.inputs[operand], self.flipped[operand]
        source = _item(writer, value, batch, place, flips)
        is_inside = self.inside(place)
        if is_inside is None:
            writer.let(target, source)
            return
        writer.let(item, self.number(0))
        with writer.when(is_inside):
            writer.let(item, source)
        writer.let(target, item)

    def inside(self, place: Sequence[Name]) -> Expression | None:
        """Whether a place is in its matrix; None where all are."""
        rows, columns, depth = self.sizes
        ends = {"row": (rows, self.width), "column": (columns, self.width)}
        ends["inner"] = depth, self.depth
        test: Expression | None = None
        for name in place:
            size, step = ends[name.id]
            if size % step:
                test = name < size if test is None else test.joined("and", name < size)
        return test

    def add_products(self) -> None:
        """The products of two tiles, added up by each thread for its elements."""
        writer, (left, right), name = self.writer, self.arrays, self.writer.unused("s")
        rows = [name.with_suffix(f"_a{p}") for p in range(self.side)]
        columns = [name.with_suffix(f"_b{q}") for q in range(self.side)]
        with writer.loop("t", self.depth):
            for p in range(self.side):
                writer.let(rows[p], left[self.apart(self.row, p) * (self.depth + 1) + "t"])
                at = Name("t") * (self.width + 1) + self.apart(self.column, p)
                writer.let(columns[p], right[at])
            for (p, q), total in self.totals.items():
                writer.let(total, self.number(total + self.number(rows[p] * columns[q])))

    def store(self, batch: Sequence[Operand], row: Operand, column: Operand) -> None:
        writer = self.writer
        for (p, q), total in self.totals.items():
            place = Name("row"), Name("column")
            writer.let("row", row + self.apart(self.row, p))
            writer.let("column", column + self.apart(self.column, q))
            target = writer.read(self.node.output)[(*batch, *place)]
            is_inside = self.inside(place)
            if is_inside is None:
                writer.let(target, total)
                continue
            with writer.when(is_inside):
                writer.let(target, total)
