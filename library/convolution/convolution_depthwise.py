"""Depthwise convolution: each channel has a filter of its own, and vectors hold channels.

Tiles (`depthwise_tiles.py`) of a line follow each other before the next vectors of channels. Their
sums stay in registers while they walk over their windows. Elements outside of the image count as
zeros: no margins are written.

The last tile of a line, the last lines of an image, and the last vector of channels begin early
enough to be whole. Their first results are computed twice, and are the same.

Pixels lie a multiple of the number of channels apart. If that is a power of two, they share a few
sets of the first-level cache, which keeps too little of them to be read again. Then the lines of a
tile, and the filters, are copied first, with their margins, for some vectors of channels.
"""

from __future__ import annotations

import functools

import numpy as np

from ...extend.kernels import kernel_function
from . import depthwise_tiles
from .depthwise_tiles import Tile

COPIED_BYTES = 1 << 16  # of the image, if they hold more than one vector of channels
MOST_VECTORS = 4  # of channels, for which the tiles of a line are computed together
MANY_VECTORS = 8  # of channels: one more, so that all begin at cache lines, takes little time


@functools.cache
def functions(dtype: str, sizes: str) -> dict[str, object]:
    """The functions that kernels call. Arrays and geometries are those of
    `convolution_im2col.py`, without margins.
    """
    tile = Tile.named(dtype, sizes)
    made = {"lines": _lines(tile), "filters": _filters(tile)}
    return {tile.name(word): function for word, function in made.items()}


def most_vectors(tile: Tile, channels: int) -> int:
    """The number of vectors of channels, at most: it depends on addresses."""
    return channels // tile.channels + 1


# ---- what both have in common ----------------------------------------------------------------


def _starts(tile: Tile):
    size, vector_length = tile.item_bytes, tile.channels

    @kernel_function(vectors=False, unrolled=False)
    def shift_of(address, channels):
        """The channels by which vectors begin earlier, if they are many: those at this address do
        not cross cache lines then.
        """
        if channels % vector_length == 0 and channels >= MANY_VECTORS * vector_length:
            return address // size % vector_length
        return 0

    @kernel_function(vectors=False, unrolled=False)
    def fill_starts(starts, shift, channels):
        """Where vectors begin, in bytes from the first channel of a pixel."""
        for part in range(len(starts)):
            channel = max(part * vector_length - shift, 0)
            starts[part] = min(channel, channels - vector_length) * size

    return shift_of, fill_starts


def _layout(tile: Tile):
    rows, stride, length, copies = tile.down.results, tile.across.stride, tile.length, tile.copied

    @kernel_function(inline=True, vectors=False, unrolled=False)
    def layout(geometry, sizes, step):
        """The box of the image that is copied for a tile of lines, its pixels, the vectors of
        channels that are copied together, and the steps from pixel to pixel, and of planes, lines
        and pixels, in bytes. Without copies, the steps are those of the image.
        """
        (_, _, across), (kd, kh, kw), (_, sh, _), (_, dh, dw), _margins = geometry
        box = kd, (rows - 1) * sh + (kh - 1) * dh + 1, (across - 1) * stride + (kw - 1) * dw + 1
        pixels, group = box[0] * box[1] * box[2], MOST_VECTORS
        if copies:
            group = max(min(COPIED_BYTES // (pixels * length), group), 1)
        near = group * length if copies else step
        line_step = (box[2] if copies else sizes[2]) * near
        plane_step = (box[1] if copies else sizes[1]) * line_step
        return box, pixels, group, near, (plane_step, line_step, near)

    return layout


def _copied_filters(tile: Tile):
    copy, length = depthwise_tiles.copy(tile), tile.length

    @kernel_function(inline=False, vectors=False, unrolled=False)
    def copied_filters(start, to, positions, step, starts):
        """The filters of each vector of channels, one after another."""
        for part in range(len(starts)):
            for position in range(positions):
                copy(to, start + position * step + starts[part])
                to += length

    return copied_filters


def _copied_image(tile: Tile):
    copy, length = depthwise_tiles.copy(tile), tile.length

    @kernel_function(inline=False, vectors=False, unrolled=False)
    def copied_image(image, sizes, step, to, pixel_step, place, box, dd, starts, outside):
        """A box of the image, for some vectors of channels; zeros where it is outside."""
        depth, height, width = sizes
        top, row, column = place
        for plane in range(top, top + box[0] * dd, dd):
            for h in range(row, row + box[1]):
                there = 0 <= plane < depth and 0 <= h < height
                line = image + (plane * height + h) * width * step
                for w in range(column, column + box[2]):
                    inside = there and 0 <= w < width
                    for part in range(len(starts)):
                        source = line + w * step + starts[part] if inside else outside
                        copy(to + part * length, source)
                    to += pixel_step

    return copied_image


# ---- convolution -----------------------------------------------------------------------------


def _tiles(tile: Tile):
    zeros, add = depthwise_tiles.zeros(tile), depthwise_tiles.add(tile)
    store, results, stride = depthwise_tiles.store(tile), tile.across.results, tile.across.stride
    taps, positions, copied = tile.down.size, tile.positions, tile.copied

    @kernel_function(inline=True, vectors=False, unrolled=False)
    def tiles(image, sizes, steps, place, offsets, filters, filter_steps, made, starts, more):
        """The results of some lines, for some vectors of channels."""
        depth, height, width = sizes
        plane_step, line_step, pixel_step = steps
        top, row, left = place
        across, kd, kh, dd, dh, step, outside = more
        for w in range(0, across, results):
            w = min(w, across - results)
            column = left + w * stride
            for part in range(len(starts)):
                sums, b = zeros(), filters + (filter_steps[0] * part if copied else starts[part])
                for plane in range(top, top + kd * dd, dd):
                    there = height if 0 <= plane < depth else 0
                    for at in range(row, row + kh * dh, taps * dh):
                        a = image + plane * plane_step + at * line_step + column * pixel_step
                        a += offsets[part]
                        here, whole = (at, column), (there, width)
                        near = line_step, pixel_step
                        sums = add(sums, a, near, b, filter_steps[1], outside, here, whole)
                        b += positions * filter_steps[1]
                store(made + w * step + starts[part], (across * step, step), sums)

    return tiles


def _lines(tile: Tile):
    size, vector_length, length = tile.item_bytes, tile.channels, tile.length
    rows = tile.down.results
    (shift_of, fill_starts), layout, tiles = _starts(tile), _layout(tile), _tiles(tile)
    copied_filters, copied_image, copies = _copied_filters(tile), _copied_image(tile), tile.copied

    @kernel_function(inline=False, vectors=False, unrolled=False, polls=True)
    def lines(x, filters, y, first, count, turned, geometry):
        """The results of `count` tiles of lines, from the tile `first` on. In the backward pass,
        filters are turned: their positions are in reversed order.
        """
        (deep, high, across), (kd, kh, _), (sd, sh, _), (dd, dh, _), margins = geometry
        before, above, left = margins
        sizes, step, positions = x.shape[1:4], x.shape[4] * size, len(filters)
        images, made = np.int64(x.ctypes.data), np.int64(y.ctypes.data)
        channels = x.shape[4]
        shift = shift_of(made if copies else images, channels)
        starts = np.empty((channels + shift + vector_length - 1) // vector_length, np.int64)
        fill_starts(starts, shift, channels)
        nothing = np.zeros(vector_length, x.dtype)
        outside = np.int64(nothing.ctypes.data)
        weights, filter_steps = np.int64(filters.ctypes.data), (0, step)
        if turned:
            weights, filter_steps = weights + (positions - 1) * step, (0, -step)
        box, pixels, group, near, steps = layout(geometry, sizes, step)
        copied = np.empty(pixels * group * vector_length if copies else 0, x.dtype)
        own_filters = np.empty(len(starts) * positions * vector_length if copies else 0, x.dtype)
        if copies:
            start, weights = weights, np.int64(own_filters.ctypes.data)
            copied_filters(start, weights, positions, filter_steps[1], starts)
            filter_steps = positions * length, length
        offsets = np.empty(group, np.int64)
        for part in range(group):
            offsets[part] = part * length
        down = (high + rows - 1) // rows
        more = across, kd, kh, 1 if copies else dd, dh, step, outside
        for number in range(first, first + count):
            line, rest = divmod(number, down)
            image, d = divmod(line, deep)
            h = min(rest * rows, high - rows)
            place = d * sd - before, h * sh - above, -left
            to = made + (line * high + h) * across * step
            a = images + image * sizes[0] * sizes[1] * sizes[2] * step
            for begin in range(0, len(starts), group):
                own, b = starts[begin : begin + group], weights + begin * filter_steps[0]
                if copies:
                    memory = np.int64(copied.ctypes.data)
                    copied_image(a, sizes, step, memory, near, place, box, dd, own, outside)
                    tiles(memory, box, steps, (0, 0, 0), offsets, b, filter_steps, to, own, more)
                else:
                    tiles(a, sizes, steps, place, own, b, filter_steps, to, own, more)

    return lines


# ---- the gradient of the filters -------------------------------------------------------------


def _tiles_back(tile: Tile):
    load, store = depthwise_tiles.load_sums(tile), depthwise_tiles.store_sums(tile)
    add = depthwise_tiles.add_back(tile)
    add_one = depthwise_tiles.add_back(tile.with_results(tile.down.results, 1))
    results, stride, taps = tile.across.results, tile.across.stride, tile.down.size
    positions, length = tile.positions, tile.length

    @kernel_function(inline=True, vectors=False, unrolled=False)
    def tiles(image, sizes, steps, place, offsets, sums, back, starts, more):
        """Add what some lines of results give to the sums, for some vectors of channels."""
        depth, height, width = sizes
        plane_step, line_step, pixel_step = steps
        top, row, left = place
        across, kd, kh, dd, dh, step, outside = more
        near, back_steps, whole = (line_step, pixel_step), (across * step, step), across // results
        for part in range(len(starts)):
            for plane in range(top, top + kd * dd, dd):
                there = height if 0 <= plane < depth else 0
                for at in range(row, row + kh * dh, taps * dh):
                    a = image + plane * plane_step + at * line_step + left * pixel_step
                    a, b, column = a + offsets[part], back + starts[part], left
                    total = load(sums)
                    for _ in range(whole):
                        here, size = (at, column), (there, width)
                        total = add(total, a, near, b, back_steps, outside, here, size)
                        column += stride * results
                        a, b = a + stride * results * pixel_step, b + results * step
                    for _ in range(whole * results, across):
                        here, size = (at, column), (there, width)
                        total = add_one(total, a, near, b, back_steps, outside, here, size)
                        column += stride
                        a, b = a + stride * pixel_step, b + step
                    store(sums, total)
                    sums += positions * length

    return tiles


def _filters(tile: Tile):
    size, vector_length, length = tile.item_bytes, tile.channels, tile.length
    rows = tile.down.results
    (shift_of, fill_starts), layout, tiles = _starts(tile), _layout(tile), _tiles_back(tile)
    copied_image, copy, copies = _copied_image(tile), depthwise_tiles.copy(tile), tile.copied

    @kernel_function(inline=False, vectors=False, unrolled=False, polls=True)
    def filters(x, made, dy, first, count, geometry):
        """Those of `count` vectors of channels, from the vector `first` on: sums over all windows,
        in order.
        """
        (deep, high, across), (kd, kh, _), (sd, sh, _), (dd, dh, _), margins = geometry
        before, above, left = margins
        sizes, step, positions = x.shape[1:4], x.shape[4] * size, len(made)
        images, back = np.int64(x.ctypes.data), np.int64(dy.ctypes.data)
        weights = np.int64(made.ctypes.data)
        channels = x.shape[4]
        shift = shift_of(back, channels)
        starts = np.empty((channels + shift + vector_length - 1) // vector_length, np.int64)
        fill_starts(starts, shift, channels)
        nothing = np.zeros(vector_length, x.dtype)
        outside = np.int64(nothing.ctypes.data)
        box, pixels, group, near, steps = layout(geometry, sizes, step)
        copied = np.empty(pixels * group * vector_length if copies else 0, x.dtype)
        offsets = np.empty(group, np.int64)
        for part in range(group):
            offsets[part] = part * length
        more = across, kd, kh, 1 if copies else dd, dh, step, outside
        down = high // rows
        own_sums = np.empty(group * positions * vector_length, x.dtype)
        sums, end = np.int64(own_sums.ctypes.data), min(first + count, len(starts))
        for begin in range(first, end, group):
            own = starts[begin : min(begin + group, end)]
            own_sums[:] = 0
            for number in range(len(x) * deep * down):
                line, rest = divmod(number, down)
                image, d = divmod(line, deep)
                h = rest * rows
                place = d * sd - before, h * sh - above, -left
                b = back + (line * high + h) * across * step
                a = images + image * sizes[0] * sizes[1] * sizes[2] * step
                if copies:
                    memory = np.int64(copied.ctypes.data)
                    copied_image(a, sizes, step, memory, near, place, box, dd, own, outside)
                    tiles(memory, box, steps, (0, 0, 0), offsets, sums, b, own, more)
                else:
                    tiles(a, sizes, steps, place, own, sums, b, own, more)
            for part in range(len(own)):
                for position in range(positions):
                    source = sums + (part * positions + position) * length
                    copy(weights + position * step + own[part], source)

    return filters
