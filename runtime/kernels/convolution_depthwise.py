"""Depthwise convolution: each channel has a filter of its own, and vectors hold channels.

A tile is some results of a line, for a vector of channels. Its sums stay in registers while it
walks over the lines of its windows. An element of the image is read once for all windows of the
tile that it is in. Elements outside of the image count as zeros: no margins are written.

The last tile of a line, and the last vector of channels, begin early enough to be whole. Their
first results are computed twice, and are the same.
"""

from __future__ import annotations

import functools

import numpy as np

from ..core.classes import NamedTuple
from ..jit.cpu import vector_registers
from ..jit.llvm_types import number_type, vector_type
from ..jit.llvm_values import Number, fma
from ..jit.loop_hints import intrinsic, kernel_function

MOST_RESULTS = 8  # of a tile


class Tile(NamedTuple):
    """What the instructions of a tile follow from: windows along a line, the channels of a vector,
    and the results of a tile.
    """

    dtype: str
    size: int
    stride: int
    dilation: int
    channels: int
    results: int

    @classmethod
    def of(cls, dtype: str, along: tuple[int, int, int], channels: int, line: int) -> Tile:
        """That for `line` results: a long one, where few results are computed twice."""
        vector_length = vector_registers()[0] // np.dtype(dtype).itemsize
        vector_length = min(vector_length, 1 << channels.bit_length() - 1)
        sizes = range(1, min(MOST_RESULTS, line) + 1)
        results = min(sizes, key=lambda size: -(-line // size) * (size + 1))
        return cls(dtype, *along, vector_length, results)

    def name(self, function: str) -> str:
        return f"depthwise_{function}_{self.dtype}_{'x'.join(map(str, self[1:]))}"

    def column(self, result: int, position: int) -> int:
        """Where a position of a window is, in a line of the image from the tile's first window."""
        return result * self.stride + position * self.dilation

    @property
    def reach(self) -> int:
        """The elements of a line that the windows of a tile are in."""
        return self.column(self.results - 1, self.size - 1) + 1


@functools.cache
def functions(dtype: str, sizes: str) -> dict[str, object]:
    """The functions that kernels call. Arrays and geometries are those of
    `convolution_im2col.py`, without margins.
    """
    tile = Tile(dtype, *map(int, sizes.split("x")))
    made = {"lines": _lines(tile), "filters": _filters(tile), "turned": _turned()}
    return {tile.name(word): function for word, function in made.items()}


def _lines(tile: Tile):
    zeros, add, store = _zeros(tile, tile.results), _add(tile), _store(tile)
    size, vector_length, results = np.dtype(tile.dtype).itemsize, tile.channels, tile.results
    width_of_window, stride, reach = tile.size, tile.stride, tile.reach

    @kernel_function(vectors=False, unrolled=False, polls=True)
    def lines(x, filters, y, first, count, geometry):
        """The results of `count` lines, from the line `first` on."""
        deep, high, across, kd, kh, _, sd, sh, _, dd, dh, _, before, above, left = geometry
        depth, height, width, channels = x.shape[1:]
        images, made = np.int64(x.ctypes.data), np.int64(y.ctypes.data)
        weights, step = np.int64(filters.ctypes.data), channels * size
        for line in range(first, first + count):
            image, rest = divmod(line, deep * high)
            top, row = rest // high * sd - before, rest % high * sh - above
            for w in range(0, across, results):
                w = min(w, across - results)
                column = w * stride - left
                inside = column >= 0 and column + reach <= width
                for i in range(0, channels, vector_length):
                    i = min(i, channels - vector_length) * size
                    sums = zeros()
                    b = weights + i
                    for plane in range(top, top + kd * dd, dd):
                        for at in range(row, row + kh * dh, dh):
                            there = 0 <= plane < depth and 0 <= at < height
                            place = ((image * depth + plane) * height + at) * width + column
                            a = images + place * step + i
                            if there and inside:
                                sums = add(sums, a, step, b)
                            else:
                                sums = add(sums, a, step, b, column, width if there else 0)
                            b += width_of_window * step
                    store(made + (line * across + w) * step + i, step, sums)

    return lines


def _filters(tile: Tile):
    """The gradient of the filters: their sums over all windows, in order."""
    zeros, store = _zeros(tile, tile.size), _store(tile)
    add, add_one = _add_back(tile), _add_back(tile._replace(results=1))
    size, vector_length, results = np.dtype(tile.dtype).itemsize, tile.channels, tile.results
    width_of_window, stride, reach = tile.size, tile.stride, tile.reach

    @kernel_function(vectors=False, unrolled=False, polls=True)
    def filters(x, made, dy, first, count, geometry):
        """Those of `count` vectors of channels, from the vector `first` on."""
        deep, high, across, kd, kh, _, sd, sh, _, dd, dh, _, before, above, left = geometry
        depth, height, width, channels = x.shape[1:]
        images, back = np.int64(x.ctypes.data), np.int64(dy.ctypes.data)
        weights, step = np.int64(made.ctypes.data), channels * size
        for part in range(first, first + count):
            i = min(part * vector_length, channels - vector_length) * size
            for position in range(kd * kh):
                sums = zeros()
                for line in range(len(x) * deep * high):
                    image, rest = divmod(line, deep * high)
                    plane = rest // high * sd - before + position // kh * dd
                    at = rest % high * sh - above + position % kh * dh
                    there = 0 <= plane < depth and 0 <= at < height
                    place = ((image * depth + plane) * height + at) * width
                    w = 0
                    while w < across:
                        column = w * stride - left
                        inside = column >= 0 and column + reach <= width
                        a = images + (place + column) * step + i
                        c = back + (line * across + w) * step + i
                        if there and inside and w + results <= across:
                            sums = add(sums, a, step, c)
                            w += results
                        else:
                            sums = add_one(sums, a, step, c, column, width if there else 0)
                            w += 1
                store(weights + position * width_of_window * step + i, step, sums)

    return filters


def _turned():
    @kernel_function(vectors=False, unrolled=False)
    def turned(filters, made):
        """The filters of the backward pass: their positions in reversed order."""
        for position in range(len(filters)):
            for i in range(filters.shape[1]):
                made[len(filters) - 1 - position, i] = filters[position, i]

    return turned


# ---- the instructions of a tile --------------------------------------------------------------


def _zeros(tile: Tile, count: int):
    @intrinsic
    def zeros(writer) -> tuple[Number, ...]:
        zero = Number(writer.builder, number_type(np.dtype(tile.dtype))(0.0))
        return (zero.spread(tile.channels),) * count

    return zeros


def _add(tile: Tile):
    """`add(sums, image, step, filters)`: the sums of the results with the products of one line of
    the windows. Image and filters are addresses, `step` is that from pixel to pixel in bytes. If
    the column of the first pixel and the width of the line follow, pixels outside are zeros.
    """

    @intrinsic
    def add(writer, sums, image, step, filters, column=None, width=None) -> tuple[Number, ...]:
        line = _Line(writer, tile, image, step, column, width)
        weights = _Line(writer, tile, filters, step)
        made = list(sums)
        for position in range(tile.size):
            weight = weights.pixel(position)
            for result in range(tile.results):
                pixel = line.pixel(tile.column(result, position), filters)
                made[result] = fma(pixel, weight, made[result])
        return tuple(made)

    return add


def _add_back(tile: Tile):
    """`add(sums, image, step, back)`: the sums of a line of filters with the products of the
    results' gradients and the image. The other arguments are those of `_add`.
    """

    @intrinsic
    def add(writer, sums, image, step, back, column=None, width=None) -> tuple[Number, ...]:
        line = _Line(writer, tile, image, step, column, width)
        gradients = _Line(writer, tile, back, step)
        made = list(sums)
        for result in range(tile.results):
            gradient = gradients.pixel(result)
            for position in range(tile.size):
                pixel = line.pixel(tile.column(result, position), back)
                made[position] = fma(pixel, gradient, made[position])
        return tuple(made)

    return add


def _store(tile: Tile):
    @intrinsic
    def store(writer, address, step, sums) -> None:
        line = _Line(writer, tile, address, step)
        for index, value in enumerate(sums):
            writer.builder.store(value.value, line.address(index)).align = line.align

    return store


class _Line:
    """The pixels of a line, for the channels of a vector. Each is loaded once."""

    def __init__(self, writer, tile: Tile, start, step, column=None, width=None):
        self.builder, self.dtype = writer.builder, np.dtype(tile.dtype)
        self.align = self.dtype.itemsize
        self.vector = vector_type(number_type(self.dtype), tile.channels)
        self.start, self.step = writer.int64(start), writer.int64(step)
        self.bounds = None if column is None else (writer.int64(column), writer.int64(width))
        self.loaded: dict[int, Number] = {}

    def address(self, index: int):
        offset = self.builder.mul(self.step, self.step.type(index))
        address = self.builder.add(self.start, offset)
        return self.builder.inttoptr(address, self.vector.as_pointer())

    def pixel(self, index: int, readable=None) -> Number:
        """A pixel; zeros if it is outside. The address `readable` is read in its place."""
        if index not in self.loaded:
            self.loaded[index] = self._load(index, readable)
        return self.loaded[index]

    def _load(self, index: int, readable) -> Number:
        builder, address = self.builder, self.address(index)
        if self.bounds is None:
            return self._vector(address)
        column, width = self.bounds
        inside = builder.icmp_unsigned("<", builder.add(column, column.type(index)), width)
        other = builder.inttoptr(readable.value, self.vector.as_pointer())
        pixel = self._vector(builder.select(inside, address, other))
        return pixel.with_value(builder.select(inside, pixel.value, pixel.like(0).value))

    def _vector(self, address) -> Number:
        loaded = self.builder.load(address)
        loaded.align = self.align
        return Number(self.builder, loaded)
