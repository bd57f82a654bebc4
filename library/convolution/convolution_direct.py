"""Direct convolution: the microkernel of `matmul_microkernel.py` reads windows from the image.

A window is `depth * height` contiguous runs of a line, or that many times its width where the
elements of a run are not contiguous. Filters are packed first, so that the columns of a tile are
contiguous.
"""

from __future__ import annotations

import functools

import numpy as np

from ...extend.kernels import (
    kernel_function,
    panels,
    tile_columns,
    tile_heights,
    tile_product,
    tile_rows,
)
from .window_tiles import narrow_columns, tile_of_windows

MANY_FILTERS = 1 << 18  # bytes: more fill half of the second-level cache


def packed_width(dtype: str, columns: int) -> int:
    """The number of columns of the packed filters of a group."""
    narrow = narrow_columns(dtype, columns)
    return columns if not narrow else columns - columns % tile_columns(dtype) + narrow


@functools.cache
def functions(dtype: str, columns: str) -> dict[str, object]:
    """The functions that kernels call, for groups of `columns` filters."""
    made = (_pack, _lines, _turned, _filters, _edges, _unpack)
    rows = {make.__name__: make(dtype, int(columns)) for make in made}
    return {f"direct{name}_{dtype}_{columns}": function for name, function in rows.items()}


def _pack(dtype: str, columns: int):
    wide, total = tile_columns(dtype), packed_width(dtype, columns)
    full = columns // wide
    copy = panels(wide)

    @kernel_function(vectors=False, unrolled=False)
    def pack(filters, packed):
        """[depth, groups * columns] to [groups, tiles, depth, columns of a tile]."""
        depth, groups = len(filters), len(packed)
        for group in range(groups):
            line, given = packed[group], filters.reshape(filters.size)[group * columns :]
            copy(given, line, depth, full, groups * columns, depth * wide)
            at = depth * full * wide
            for step in range(depth):
                for column in range(full * wide, total):
                    there = column < columns
                    place = group * columns + column
                    line[at] = filters[step, place] if there else 0
                    at += 1

    return pack


def _tile(dtype: str, columns: int):
    """`tile(c, c_row, x, x_row, offsets, count, run, b, rows)`: a whole tile, or a short one."""
    whole, _, short = tile_heights()
    tall, low = (_windows(dtype, columns, height) for height in (whole, short))

    @kernel_function(vectors=False, unrolled=False)
    def tile(c, c_row, x, x_row, offsets, count, run, b, rows):
        if rows > short:
            tall(c, c_row, x, x_row, offsets, count, run, b, rows)
        else:
            low(c, c_row, x, x_row, offsets, count, run, b, rows)

    return tile


@functools.cache
def _windows(dtype: str, columns: int, height: int):
    product = tile_of_windows(dtype, columns, height)

    @kernel_function(inline=False)  # on its own, all sums stay in registers
    def windows(c, c_row, x, x_row, offsets, count, run, b, rows):
        product(c, c_row, x, x_row, offsets, count, run, b, rows)

    return windows


@kernel_function(vectors=False, unrolled=False)
def set_runs(offsets, image_shape, geometry, item):
    """The distances of the runs of a window from its first element, in bytes."""
    height, width, channels = image_shape
    _counts, (kd, kh, _), _strides, (dd, dh, dw), _margins = geometry
    runs = len(offsets) // (kd * kh)
    for i in range(kd):
        for j in range(kh):
            line = (i * dd * height + j * dh) * width
            for k in range(runs):
                offsets[(i * kh + j) * runs + k] = (line + k * dw) * channels * item


def _lines(dtype: str, columns: int):
    size, rows_at_once = np.dtype(dtype).itemsize, tile_rows()
    wide, narrow = tile_columns(dtype), narrow_columns(dtype, columns)
    full, total = columns // wide, packed_width(dtype, columns)
    by_tile, by_narrow = _tile(dtype, wide if full else narrow), _tile(dtype, narrow or wide)

    @kernel_function(vectors=False, unrolled=False, polls=True)
    def lines(x, packed, y, first, count, geometry):
        """The results of `count` lines, from the line `first` on."""
        (deep, high, across), (kd, kh, kw), (sd, sh, sw), (_, _, dw), _margins = geometry
        image_shape, groups, out = x.shape[2:], len(packed), y.shape[1]
        height, width, channels = image_shape
        inner = channels // groups
        whole = dw == 1 and inner == channels
        run, runs = kw * channels if whole else inner, kd * kh * (1 if whole else kw)
        offsets = np.empty(runs, np.int64)
        set_runs(offsets, image_shape, geometry, size)
        at, depth, apart = np.int64(offsets.ctypes.data), runs * run, sw * channels
        rest = np.empty((rows_at_once, max(narrow, 1)), y.dtype)
        images, filters = np.int64(x.ctypes.data), np.int64(packed.ctypes.data)
        made, left = np.int64(y.ctypes.data), np.int64(rest.ctypes.data)
        # Many filters do not fit into a cache: those of a tile meet all windows in turn.
        together = 1 if depth * total * size > MANY_FILTERS and full > 1 else max(full, 1)
        for begin in range(0, max(full, 1), together):
            end = min(begin + together, full)
            for place in range(first * across, (first + count) * across, across):
                image, line = divmod(place // across, deep * high)
                corner = (image * x.shape[1] + line // high * sd) * height + line % high * sh
                for w in range(0, across, rows_at_once):
                    rows = min(rows_at_once, across - w)
                    for group in range(groups):
                        start = (corner * width + w * sw) * channels + group * inner
                        a = images + start * size
                        b = filters + (group * total + begin * wide) * depth * size
                        c = made + ((place + w) * out + group * columns + begin * wide) * size
                        for _ in range(begin, end):
                            by_tile(c, out, a, apart, at, runs, run, b, rows)
                            b += depth * wide * size
                            c += wide * size
                        if narrow and end == full:
                            by_narrow(left, narrow, a, apart, at, runs, run, b, rows)
                            store = group * columns + full * wide
                            for row in range(rows):
                                for column in range(columns - full * wide):
                                    y[place + w + row, store + column] = rest[row, column]

    return lines


# ---- gradients -------------------------------------------------------------------------------


def _turned(dtype: str, columns: int):
    @kernel_function(vectors=False, unrolled=False)
    def turned(filters, made, channels):
        """The filters of the backward pass: [positions, channels, groups * columns] with reversed
        positions as [positions, columns, groups * channels].
        """
        places, groups = len(filters) // channels, filters.shape[1] // columns
        for place in range(places):
            for i in range(channels):
                given = filters[place * channels + i]
                for group in range(groups):
                    for j in range(columns):
                        row = (places - 1 - place) * columns + j
                        made[row, group * channels + i] = given[group * columns + j]

    return turned


def _filters(dtype: str, columns: int):
    """The gradient of the filters. The rows of its tiles are positions in a window, and its depth
    is the windows of a line.
    """
    size, rows_at_once = np.dtype(dtype).itemsize, tile_rows()
    wide, narrow = tile_columns(dtype), narrow_columns(dtype, columns)
    full, total = columns // wide, packed_width(dtype, columns)
    by_tile, by_narrow = (tile_product(dtype, width) for width in (wide, narrow or wide))

    @kernel_function(vectors=False, unrolled=False, polls=True)
    def filters(x, dy, edges, made, first, count, geometry):
        """Add some tiles to `made`, [groups, depth, packed columns]."""
        (deep, high, across), (kd, kh, kw), (sd, sh, sw), (dd, dh, dw), _margins = geometry
        height, width, channels = x.shape[2:]
        groups, out = len(made), dy.shape[1]
        inner, depth = channels // groups, made.shape[1]
        whole = dw == 1 and inner == channels
        runs, run = (1, kw * channels) if whole else (kw, inner)
        tiles = (run + rows_at_once - 1) // rows_at_once
        images, back, to = (
            np.int64(x.ctypes.data),
            np.int64(dy.ctypes.data),
            np.int64(made.ctypes.data),
        )
        rest = np.int64(edges.ctypes.data)
        for place in range(0, len(dy), across):
            image, line = divmod(place // across, deep * high)
            corner = (image * x.shape[1] + line // high * sd) * height + line % high * sh
            for number in range(first, first + count):
                stretch, tile = divmod(number, tiles)
                group, stretch = divmod(stretch, kd * kh * runs)
                above, k = divmod(stretch, runs)
                start, row = tile * rows_at_once, stretch * run + tile * rows_at_once
                rows = min(rows_at_once, run - start)
                at = (corner + above // kh * dd * height + above % kh * dh) * width + k * dw
                a = images + (at * channels + group * inner + start) * size
                b = back + (place * out + group * columns) * size
                c = to + (group * depth + row) * total * size
                for _ in range(full):
                    by_tile(c, total, a, 1, sw * channels, b, out, across, rows, 1)
                    b += wide * size
                    c += wide * size
                if narrow:
                    b = rest + (place * groups + group) * narrow * size
                    by_narrow(c, total, a, 1, sw * channels, b, groups * narrow, across, rows, 1)

    return filters


def _edges(dtype: str, columns: int):
    start = columns // tile_columns(dtype) * tile_columns(dtype)

    @kernel_function(vectors=False, unrolled=False)
    def edges(dy, made):
        """The columns beyond full tiles, as [lines, groups, columns of the last tile]."""
        made[:] = 0
        for row in range(len(dy)):
            for group in range(made.shape[1]):
                for column in range(columns - start):
                    made[row, group, column] = dy[row, group * columns + start + column]

    return edges


def _unpack(dtype: str, columns: int):
    @kernel_function(vectors=False, unrolled=False)
    def unpack(packed, made):
        """[groups, depth, packed columns] to [depth, groups * columns]."""
        for group in range(len(packed)):
            for row in range(len(made)):
                for column in range(columns):
                    made[row, group * columns + column] = packed[group, row, column]

    return unpack
