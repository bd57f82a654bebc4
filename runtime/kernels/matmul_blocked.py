"""Cache-blocked matrix products.

One thread computes a block of the result. For each block of the depth it packs some columns of the
right matrix as panels, and some rows of the left matrix (`matmul_packing.py`).
`matmul_microkernel.py` multiplies the rows of a tile by a panel, tile after tile. Packed rows are
contiguous, so rows whose stride is a power of two do not compete for the same cache sets. A matrix
has two strides, so it may be a transposed view.

Kernels share the function of blocks, which is compiled once for each data type (see `written`): it
would take LLVM as long as a large kernel.

The terms of each element are added from the first step to the last, whichever thread computes it.
"""

from __future__ import annotations

import functools

import numpy as np

from ..jit import supported_functions
from ..jit.kernel_types import INT64
from ..jit.loader.symbols import SHARED
from ..jit.loop_hints import intrinsic, kernel_function
from ..jit.translate import Module
from .library_functions import caller_of, define
from .matmul_microkernel import tile_product
from .matmul_packing import LINE, packing
from .tile_sizes import tile_columns, tile_heights, tile_rows

# The parameters of `blocks`: addresses and sizes of three matrices, first, count, geometry.
PARAMETERS = ((INT64,) * 3, (INT64,) * 3, INT64, INT64, (INT64,) * 14)
INTEGERS = 22  # that these consist of


@functools.cache
def functions(dtype: str) -> dict[str, object]:
    """The functions that kernels call.

    `tiled_blocks_float32(left, right, out, first, count, geometry)` computes some blocks of a
    product. A geometry has the rows, columns and depth of the product, the strides of the rows and
    columns of the left matrix and of the right one; the rows, columns and depth of a block, how
    many rows each panel meets in turn, and how many columns are packed together; and 1 if the left
    matrix, and the right one, are read in place, else 0.
    """

    shared_blocks = caller_of(_symbol(dtype))

    @kernel_function
    def tiled_blocks(left, right, out, first, count, geometry):
        starts = (left.ctypes.data, right.ctypes.data, out.ctypes.data)
        shared_blocks(starts, (left.size, right.size, out.size), first, count, geometry)

    return {f"tiled_blocks_{dtype}": tiled_blocks}


# ---- the library that kernels share ----------------------------------------------------------


def written(dtype: str) -> str:
    """The library of a data type, in LLVM's assembly language."""
    module = Module(f"matmul_{dtype}")
    define(module, _symbol(dtype), _blocks(dtype), PARAMETERS, INTEGERS)
    return str(module.ir)


def _symbol(dtype: str) -> str:
    return f"{SHARED}matmul_{dtype}.blocks"


def _blocks(dtype: str):
    array_at = intrinsic(supported_functions.array_at)
    real, size = np.dtype(dtype).type, np.dtype(dtype).itemsize
    high, wide = tile_rows(), tile_columns(dtype)
    pack_rows, pack_columns = packing(dtype)
    tile = _tiles(dtype)

    @kernel_function(vectors=False, unrolled=False)
    def rows_by_panel(
        out,
        columns,
        left,
        apart_rows,
        a_row,
        a_step,
        right,
        b_step,
        steps,
        count,
        left_over,
        adds,
        corner,
    ):
        for row in range(0, count, high):
            tile(
                *(out[row * columns :], columns, left[row * apart_rows :], a_row, a_step),
                *(right, b_step, steps, min(high, count - row), left_over, adds, corner),
            )

    # One function for all products: sizes are arguments. Tiles are a part of it. Packing is not:
    # LLVM would copy it for each side of a condition that a product settles once.
    @kernel_function(vectors=False, unrolled=False, polls=True)
    def blocks(starts, sizes, first, count, geometry):
        a, b, c = (
            array_at(starts[0], sizes[0], real),
            array_at(starts[1], sizes[1], real),
            array_at(starts[2], sizes[2], real),
        )
        rows, columns, depth, a_row, a_step, b_step, b_column = geometry[:7]
        tall, broad, deep, together, wide_packed, left_in_place, right_in_place = geometry[7:]
        # Packed rows and panels begin with a cache line, in another cache set than the one before.
        width = (deep * size + LINE - 1) // LINE * (LINE // size) + LINE // size
        panel = deep * wide + LINE // size
        is_kept = wide_packed < broad  # rows are packed once, for all columns that are
        kept = tall if is_kept else together
        packed_rows = np.empty(width * (high if left_in_place != 0 else kept), real)
        packed = np.empty((wide_packed // wide + 1) * panel, real)
        corner = np.empty(wide * high, real)
        apart_rows, between, step = width, width, 1
        if left_in_place != 0:
            apart_rows, between, step = a_row, a_row, a_step
        elif a_step != 1:
            between, step = 1, high
        across = (columns + broad - 1) // broad
        for number in range(first, first + count):
            top, side = number // across * tall, number % across * broad
            bottom, end = min(top + tall, rows), min(side + broad, columns)
            for start in range(0, depth, deep):
                steps = min(deep, depth - start)
                for begin in range(side, end, wide_packed):
                    stop = min(begin + wide_packed, end)
                    read = begin  # columns up to here are read in place
                    if right_in_place != 0:
                        read = stop if stop % wide == 0 else stop // wide * wide
                    part = b[start * b_step + read * b_column :]
                    to = packed[(read - begin) // wide * panel :]
                    pack_columns(part, to, steps, stop - read, b_step, b_column, panel)
                    for group in range(top, bottom, together):
                        left, count = (
                            a[group * a_row + start * a_step :],
                            min(together, bottom - group),
                        )
                        if left_in_place == 0:
                            to = packed_rows[(group - top) * width if is_kept else 0 :]
                            if begin == side or not is_kept:
                                pack_rows(left, to, steps, count, a_row, a_step, width)
                            left = to[0:]
                        for column in range(begin, stop, wide):
                            right, apart = packed[(column - begin) // wide * panel :], wide
                            if column < read:
                                right, apart = b[start * b_step + column :], b_step
                            out = c[group * columns + column :]
                            rows_by_panel(
                                *(out, columns, left, apart_rows, between, step, right, apart),
                                *(steps, count, end - column, start, corner),
                            )

    return blocks


def _tiles(dtype: str):
    wide, (high, middle, low) = tile_columns(dtype), tile_heights()
    whole, medium, short = (_multiply(dtype, height) for height in (high, middle, low))

    @kernel_function(vectors=False, unrolled=False)
    def tile(c, c_row, a, a_row, a_step, b, b_step, depth, rows, columns, adds, corner):
        """A tile of the result. A partial one is computed in a buffer, and copied."""
        left, right = a.ctypes.data, b.ctypes.data
        out, out_row = c.ctypes.data, c_row
        if columns < wide:
            out, out_row = corner.ctypes.data, wide
            if adds != 0:
                for i in range(rows):
                    for j in range(columns):
                        corner[i * wide + j] = c[i * c_row + j]
        if rows > middle:
            whole(out, out_row, left, a_row, a_step, right, b_step, depth, rows, adds)
        elif rows > low:
            medium(out, out_row, left, a_row, a_step, right, b_step, depth, rows, adds)
        else:
            short(out, out_row, left, a_row, a_step, right, b_step, depth, rows, adds)
        if columns < wide:
            for i in range(rows):
                for j in range(columns):
                    c[i * c_row + j] = corner[i * wide + j]

    return tile


def _multiply(dtype: str, height: int):
    product = tile_product(dtype, tile_columns(dtype), height)

    @kernel_function(inline=False)  # on its own, all sums stay in registers
    def multiply(c, c_row, a, a_row, a_step, b, b_step, depth, rows, adds):
        product(c, c_row, a, a_row, a_step, b, b_step, depth, rows, adds)

    return multiply
