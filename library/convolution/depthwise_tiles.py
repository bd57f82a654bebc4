"""Tiles of depthwise convolution: how large they are, and their instructions.

A tile is some results of some lines, for a vector of channels. An element of the image is read once
for all windows of the tile that it is in. Elements outside of the image are read from a vector of
zeros.
"""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np

from ...extend.kernels import (
    Number,
    fma,
    intrinsic,
    number_type,
    thresholds,
    vector_registers,
    vector_type,
)

SHARING = 2048  # bytes: pixels a multiple of it apart share two sets of the first-level cache
CACHED = 1 << 22  # bytes of an image: larger ones are read in order, from memory
LONGEST = 8  # results of a tile along an axis
SUMS_AT_ONCE = (
    8  # accumulators, which hide the latency of an addition on processors of few registers
)
PIXELS_IN_MEMORY = 4  # of a line of a tile
MOST_LINES = 5  # of the image: a processor fetches so many streams before they are read
MOST_PRODUCTS = 180  # vectors, of a tile: LLVM takes its time for each


class Axis(NamedTuple):
    """Windows along an axis, and the number of results, of a tile or of all."""

    size: int
    stride: int
    dilation: int
    results: int

    def place(self, result: int, position: int) -> int:
        """Where a position of a window is, from the first window on."""
        return result * self.stride + position * self.dilation

    @property
    def places(self) -> list[int]:
        """The elements that windows are in."""
        pairs = itertools.product(range(self.results), range(self.size))
        return sorted({self.place(*pair) for pair in pairs})


class Tile(NamedTuple):
    """What the instructions of a tile follow from: the channels of a vector, windows, results.
    Windows have one line here if their lines are added one after another, not at once.
    """

    dtype: str
    channels: int
    copied: int  # whether lines are copied first: 0 or 1
    down: Axis
    across: Axis

    def name(self, function: str) -> str:
        numbers = (self.channels, self.copied, *self.down, *self.across)
        return f"depthwise_{function}_{self.dtype}_{'x'.join(map(str, numbers))}"

    @classmethod
    def named(cls, dtype: str, numbers: str) -> Tile:
        """That whose name ends with these words."""
        channels, copied, *sizes = map(int, numbers.split("x"))
        return cls(dtype, channels, copied, Axis(*sizes[:4]), Axis(*sizes[4:]))

    def with_results(self, down: int, across: int) -> Tile:
        axes = self.down._replace(results=down), self.across._replace(results=across)
        return Tile(self.dtype, self.channels, self.copied, *axes)

    @property
    def item_bytes(self) -> int:
        return np.dtype(self.dtype).itemsize

    @property
    def length(self) -> int:
        """The bytes of a vector."""
        return self.channels * self.item_bytes

    @property
    def positions(self) -> int:
        """The vectors of filters that a tile reads."""
        return self.down.size * self.across.size

    @property
    def results(self) -> int:
        return self.down.results * self.across.results

    @property
    def products(self) -> int:
        return self.positions * self.results

    @property
    def pixels(self) -> int:
        return len(self.down.places) * len(self.across.places)


def tile_of_results(dtype: str, down: Axis, across: Axis, channels: int) -> Tile:
    """The tile of a convolution, where few results are computed twice and few elements read."""

    def cost(tile: Tile) -> float:
        computed = _whole(down.results, tile.down.results) * _whole(
            across.results, tile.across.results
        )
        vectors = _time(tile, tile.results) + tile.pixels
        return computed / tile.results * vectors * down.size / tile.down.size

    size = down.results * across.results * channels * np.dtype(dtype).itemsize
    copied = size <= CACHED and _shares_sets(dtype, down, across, channels)
    tiles = _tiles(dtype, down, across, channels, copied)
    return _best(tiles, cost, lambda tile: tile.results)


def tile_of_filters(dtype: str, down: Axis, across: Axis, channels: int) -> Tile:
    """The tile for the gradient of filters. Its height divides the height of the result, so no line
    is accumulated twice; what is left of a line is accumulated element by element.
    """

    def cost(tile: Tile) -> float:
        one = tile.with_results(tile.down.results, 1)
        whole, rest = divmod(across.results, tile.across.results)
        counts = ((tile, whole), (one, rest))
        vectors = sum(
            count * (_time(each, each.positions) + each.pixels + each.results)
            for each, count in counts
        )
        return vectors / tile.down.results * down.size / tile.down.size

    copied = _shares_sets(dtype, down, across, channels)
    tiles = _tiles(dtype, down, across, channels, copied)
    tiles = [tile for tile in tiles if down.results % tile.down.results == 0]
    return _best(tiles, cost, lambda tile: tile.positions)


def _time(tile: Tile, sums: int) -> float:
    """That of the products of a tile: a sum waits for the one before."""
    return tile.products * max(1, SUMS_AT_ONCE / sums) if _few_registers() else tile.products


def _few_registers() -> bool:
    return vector_registers()[1] < thresholds.MANY_REGISTERS


def _whole(results: int, of_tile: int) -> int:
    return -(-results // of_tile) * of_tile


def _shares_sets(dtype: str, down: Axis, across: Axis, channels: int) -> bool:
    """Whether pixels lie so that a cache keeps few of them for the next line. With strides, most
    are read once.
    """
    step = channels * np.dtype(dtype).itemsize
    return step % SHARING == 0 and down.stride == across.stride == 1


def _tiles(dtype: str, down: Axis, across: Axis, channels: int, copied: bool) -> list[Tile]:
    """Tiles of one line of windows, and then those of all their lines."""
    most = vector_registers()[0] // np.dtype(dtype).itemsize
    vector_length = min(most, 1 << channels.bit_length() - 1)
    plain = Tile(dtype, vector_length, int(copied), Axis(1, 1, 1, 1), across)
    whole = plain._replace(down=down)
    rows, columns = (range(1, min(LONGEST, axis.results) + 1) for axis in (down, across))
    lines = [plain.with_results(1, count) for count in columns]
    return lines + [whole.with_results(*pair) for pair in itertools.product(rows, columns)]


def _best(tiles: list[Tile], cost, sums) -> Tile:
    """The cheapest whose sums and pixels of a line fit in registers. If these are few, some pixels
    are read from memory by the instructions that multiply them.
    """
    registers = vector_registers()[1] + (PIXELS_IN_MEMORY if _few_registers() else 0)
    fitting = [
        tile
        for tile in tiles
        if tile.products <= MOST_PRODUCTS
        and len(tile.down.places) <= MOST_LINES
        and sums(tile) + len(tile.across.places) + 1 <= registers
    ]
    return min(fitting or tiles, key=cost if fitting else lambda tile: tile.products)


# ---- the instructions ------------------------------------------------------------------------


def zeros(tile: Tile):
    @intrinsic
    def zeros(writer) -> tuple[Number, ...]:
        zero = Number(writer.builder, number_type(np.dtype(tile.dtype))(0.0))
        return (zero.spread(tile.channels),) * tile.results

    return zeros


def copy(tile: Tile):
    """`copy(to, start)`: a vector, from address to address."""

    @intrinsic
    def copy(writer, to, start) -> None:
        memory = _Memory(writer, tile)
        memory.store(memory.number(to), memory.load(memory.number(start)))

    return copy


def add(tile: Tile):
    """`add(sums, image, (line, pixel), filters, filter, outside, (row, column), (height, width))`:
    the sums of the results with the products of the windows and filters.

    Image and filters are addresses; `line`, `pixel` and `filter` are the steps from one to the
    next in bytes; `outside` is the address of zeros. The first element of the tile is in the row
    and column of an image of this height and width, and the address of the image is its.
    """

    @intrinsic
    def add(writer, sums, image, steps, filters, step, outside, at, sizes) -> tuple[Number, ...]:
        memory, made = _Memory(writer, tile), list(sums)
        filters, step = memory.number(filters), memory.number(step)
        for place, pixels in memory.lines(image, steps, outside, at, sizes):
            for row, position in _windows(tile.down, place):
                for column in range(tile.across.size):
                    weight = memory.load(filters + step * (position * tile.across.size + column))
                    for result in range(tile.across.results):
                        pixel = pixels.pixel(tile.across.place(result, column))
                        index = row * tile.across.results + result
                        made[index] = fma(pixel, weight, made[index])
        return tuple(made)

    return add


def add_back(tile: Tile):
    """`add(sums, image, steps, back, (line, pixel), outside, (row, column), (height, width))`: the
    sums of filters with the products of the windows and the gradients of the results.
    """

    @intrinsic
    def add(writer, sums, image, steps, back, back_steps, outside, at, sizes) -> tuple[Number, ...]:
        memory, made = _Memory(writer, tile), list(sums)
        back = memory.number(back)
        line, step = map(memory.number, back_steps)
        for place, pixels in memory.lines(image, steps, outside, at, sizes):
            for row, position in _windows(tile.down, place):
                for result in range(tile.across.results):
                    gradient = memory.load(back + line * row + step * result)
                    for column in range(tile.across.size):
                        pixel = pixels.pixel(tile.across.place(result, column))
                        index = position * tile.across.size + column
                        made[index] = fma(pixel, gradient, made[index])
        return tuple(made)

    return add


def store(tile: Tile):
    """`store(address, (line, pixel), sums)`: the results."""

    @intrinsic
    def store(writer, address, steps, sums) -> None:
        memory = _Memory(writer, tile)
        address = memory.number(address)
        line, step = map(memory.number, steps)
        for index, value in enumerate(sums):
            row, column = divmod(index, tile.across.results)
            memory.store(address + line * row + step * column, value)

    return store


def load_sums(tile: Tile):
    """`load_sums(address)`: the sums of filters, vectors one after another."""

    @intrinsic
    def load_sums(writer, address) -> tuple[Number, ...]:
        memory = _Memory(writer, tile)
        address = memory.number(address)
        return tuple(memory.load(address + at * tile.length) for at in range(tile.positions))

    return load_sums


def store_sums(tile: Tile):
    @intrinsic
    def store_sums(writer, address, sums) -> None:
        memory = _Memory(writer, tile)
        address = memory.number(address)
        for at, value in enumerate(sums):
            memory.store(address + at * tile.length, value)

    return store_sums


def _windows(down: Axis, place: int):
    """The results whose windows a line is in, each with its position in the window."""
    for row in range(down.results):
        position, rest = divmod(place - row * down.stride, down.dilation)
        if not rest and 0 <= position < down.size:
            yield row, position


class _Memory:
    """Loads and stores of vectors."""

    def __init__(self, writer, tile: Tile):
        self.writer, self.builder, self.tile = writer, writer.builder, tile
        self.vector = vector_type(number_type(np.dtype(tile.dtype)), tile.channels)

    def number(self, value) -> Number:
        return Number(self.builder, self.writer.int64(value))

    def pointer(self, address: Number):
        return self.builder.inttoptr(address.value, self.vector.as_pointer())

    def load(self, address: Number) -> Number:
        loaded = self.builder.load(self.pointer(address))
        loaded.align = self.tile.item_bytes
        return Number(self.builder, loaded)

    def store(self, address: Number, value: Number) -> None:
        self.builder.store(value.value, self.pointer(address)).align = self.tile.item_bytes

    def below(self, first: Number, other: Number):
        """Whether 0 <= one < other, a bit."""
        return self.builder.icmp_unsigned("<", first.value, other.value)

    def lines(self, image, steps, outside, at, sizes):
        """The lines of the image that the windows of a tile are in, each with its pixels."""
        image, outside = self.number(image), self.number(outside)
        line, step = map(self.number, steps)
        (row, column), (height, width) = map(self.number, at), map(self.number, sizes)
        columns = {
            place: (step * place, self.below(column + place, width))
            for place in self.tile.across.places
        }
        for place in self.tile.down.places:
            there = self.below(row + place, height)
            yield place, _Pixels(self, image + line * place, there, columns, outside)


class _Pixels:
    """The pixels of a line of the image. Each is loaded once."""

    def __init__(self, memory: _Memory, start: Number, there, columns: dict, outside: Number):
        self.memory, self.start, self.there = memory, start, there
        self.columns, self.outside = columns, outside
        self.loaded: dict[int, Number] = {}

    def pixel(self, place: int) -> Number:
        if place not in self.loaded:
            offset, inside = self.columns[place]
            builder, address = self.memory.builder, self.start + offset
            is_in = builder.and_(self.there, inside)
            chosen = builder.select(is_in, address.value, self.outside.value)
            self.loaded[place] = self.memory.load(address.with_value(chosen))
        return self.loaded[place]
