"""Direct convolution: the microkernel of `matmul_microkernel.py` reads windows from the image.

A window is `depth * height` contiguous runs of a line, or that many times its width where the
elements of a run are not contiguous. Filters are packed first, so that the columns of a tile are
contiguous.
"""

from __future__ import annotations

import functools

import numpy as np

from ..jit.loop_hints import kernel_function
from .matmul_microkernel import narrow_columns, tile_columns, tile_product, tile_rows


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

    @kernel_function(vectors=False, unrolled=False)
    def pack(filters, packed):
        """[depth, groups * columns] to [groups, tiles, depth, columns of a tile]."""
        depth, groups = len(filters), len(packed)
        for group in range(groups):
            at = 0
            for start in range(0, total, wide):
                for step in range(depth):
                    for column in range(start, min(start + wide, total)):
                        there = column < columns
                        place = group * columns + column
                        packed[group, at] = filters[step, place] if there else 0
                        at += 1

    return pack


@functools.cache
def _runs(dtype: str, columns: int):
    """`stretches(c, c_row, x, rows, b, inner, height, width, channels, geometry)` sums a tile over
    the runs of its windows. `c`, `x` and `b` are the addresses of its first row, of the first
    window, and of its filters.
    """
    product, size = tile_product(dtype, columns), np.dtype(dtype).itemsize

    # On its own, all sums stay in registers.
    @kernel_function(inline=False, vectors=False, unrolled=False)
    def sum_of_runs(c, c_row, x, rows, b, inner, height, width, channels, geometry):
        kd, kh, kw, _, _, sw, dd, dh, dw = geometry[3:12]
        whole = dw == 1 and inner == channels
        runs, run = (1, kw * channels) if whole else (kw, inner)
        adds = 0
        for i in range(kd):
            for j in range(kh):
                line = ((i * dd * height) + j * dh) * width
                for k in range(runs):
                    start = x + (line + k * dw) * channels * size
                    product(c, c_row, start, sw * channels, 1, b, columns, run, rows, adds)
                    b += run * columns * size
                    adds = 1

    return sum_of_runs


def _lines(dtype: str, columns: int):
    size, rows_at_once = np.dtype(dtype).itemsize, tile_rows()
    wide, narrow = tile_columns(dtype), narrow_columns(dtype, columns)
    full, total = columns // wide, packed_width(dtype, columns)
    by_tile = _runs(dtype, wide if full else narrow)
    by_narrow = _runs(dtype, narrow or wide)

    @kernel_function(vectors=False, unrolled=False, polls=True)
    def lines(x, packed, y, first, count, geometry):
        """The results of `count` lines, from the line `first` on."""
        deep, high, across = geometry[:3]
        window, image_shape = geometry[3:6], x.shape[2:]
        height, width, channels = image_shape
        sd, sh, sw = geometry[6:9]
        groups, inner, out = len(packed), channels // len(packed), y.shape[1]
        depth = window[0] * window[1] * window[2] * inner
        rest = np.empty((rows_at_once, max(narrow, 1)), y.dtype)
        images, filters = np.int64(x.ctypes.data), np.int64(packed.ctypes.data)
        made, left = np.int64(y.ctypes.data), np.int64(rest.ctypes.data)
        for place in range(first * across, (first + count) * across, across):
            image, line = divmod(place // across, deep * high)
            corner = (image * x.shape[1] + line // high * sd) * height + line % high * sh
            for w in range(0, across, rows_at_once):
                rows = min(rows_at_once, across - w)
                for group in range(groups):
                    start = (corner * width + w * sw) * channels + group * inner
                    a, b = images + start * size, filters + group * depth * total * size
                    c = made + ((place + w) * out + group * columns) * size
                    for _ in range(full):
                        by_tile(c, out, a, rows, b, inner, *image_shape, geometry)
                        b += depth * wide * size
                        c += wide * size
                    if narrow:
                        by_narrow(left, narrow, a, rows, b, inner, *image_shape, geometry)
                        at = group * columns + full * wide
                        for row in range(rows):
                            for column in range(columns - full * wide):
                                y[place + w + row, at + column] = rest[row, column]

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
        deep, high, across, kd, kh, kw, sd, sh, sw, dd, dh, dw = geometry[:12]
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
