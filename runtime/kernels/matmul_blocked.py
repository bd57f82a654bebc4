"""Cache-blocked matrix products.

One thread computes a block of the result. For each block of the depth it packs its columns of the
right matrix, tile by tile. Then it packs the rows of the left matrix, one row of tiles at a time,
and `matmul_microkernel.py` multiplies them. Packed rows are contiguous, so rows whose stride is a
power of two do not compete for the same cache sets. A matrix has two strides, so it may be a
transposed view.

Kernels share the function of blocks, which is compiled once for each data type (see `written`): it
would take LLVM as long as a large kernel.

The terms of each element are added from the first step to the last, whichever thread computes it.
"""

from __future__ import annotations

import functools

import numpy as np
from llvmlite import ir

from ..jit import supported_functions
from ..jit.kernel_types import INT64
from ..jit.loader.symbols import PREFIX, SHARED
from ..jit.loop_hints import intrinsic, kernel_function
from ..jit.translate import Module
from ..jit.values import I64
from .matmul_microkernel import tile_columns, tile_heights, tile_product, tile_rows

LINE = 64  # bytes of a cache line, which a vector should not cross
TRANSPOSED_AT_ONCE = 16  # steps: a tile of so many stays in the first-level cache
# The parameters of `blocks`: addresses and sizes of three matrices, first, count, geometry.
PARAMETERS = ((INT64,) * 3, (INT64,) * 3, INT64, INT64, (INT64,) * 11)
BLOCKS = ir.FunctionType(ir.IntType(1), [I64] * 19)  # whether it fails


@functools.cache
def functions(dtype: str) -> dict[str, object]:
    """The functions that kernels call.

    `tiled_blocks_float32(left, right, out, first, count, geometry)` computes some blocks of a
    product. A geometry has the rows, columns and depth of the product, the strides of the rows and
    columns of the left matrix and of the right one, the rows, columns and depth of a block, and 1
    if a right matrix of few rows is read in place, else 0.
    """

    @intrinsic
    def shared_blocks(writer, starts, sizes, first, count, geometry):
        """Call `blocks` in the library."""
        given = [writer.int64(one) for one in (*starts, *sizes, first, count, *geometry)]
        writer.module.polls = True
        function = writer.module.declared(PREFIX + _symbol(dtype), BLOCKS)
        writer.fail_if(writer.builder.call(function, given))

    @kernel_function
    def tiled_blocks(left, right, out, first, count, geometry):
        starts = (left.ctypes.data, right.ctypes.data, out.ctypes.data)
        shared_blocks(starts, (left.size, right.size, out.size), first, count, geometry)

    return {f"tiled_blocks_{dtype}": tiled_blocks}


# ---- the library that kernels share ----------------------------------------------------------


def written(dtype: str) -> str:
    """The library of a data type, in LLVM's assembly language."""
    module = Module(f"matmul_{dtype}")
    blocks, *_ = module.function(_blocks(dtype), PARAMETERS)
    entry = ir.Function(module.ir, BLOCKS, _symbol(dtype))
    builder = ir.IRBuilder(entry.append_basic_block())
    builder.ret(builder.extract_value(builder.call(blocks, entry.args), 0))
    return str(module.ir)


def _symbol(dtype: str) -> str:
    return f"{SHARED}matmul_{dtype}.blocks"


def _blocks(dtype: str):
    array_at = intrinsic(supported_functions.array_at)
    real, size = np.dtype(dtype).type, np.dtype(dtype).itemsize
    high, wide = tile_rows(), tile_columns(dtype)
    pack_rows, pack_columns = _packing(dtype)
    tile = _tiles(dtype)

    # One function for all products: sizes are arguments. Tiles are a part of it. Packing is not:
    # LLVM would copy it for each side of a condition that a product settles once.
    @kernel_function(vectors=False, unrolled=False, polls=True)
    def blocks(starts, sizes, first, count, geometry):
        a, b, c = (
            array_at(starts[0], sizes[0], real),
            array_at(starts[1], sizes[1], real),
            array_at(starts[2], sizes[2], real),
        )
        rows, columns, depth, a_row, a_step, b_step, b_column, tall, broad, deep, in_place = (
            geometry
        )
        # Each packed row begins with a cache line, in another cache set than the one before.
        width = (deep * size + LINE - 1) // LINE * (LINE // size) + LINE // size
        packed_rows = np.empty(width * high, real)
        packed = np.empty((broad + wide) * deep, real)
        corner = np.empty(wide * high, real)
        across = (columns + broad - 1) // broad
        for number in range(first, first + count):
            top, side = number // across * tall, number % across * broad
            bottom, end = min(top + tall, rows), min(side + broad, columns)
            for start in range(0, depth, deep):
                steps = min(deep, depth - start)
                for column in range(side, end, wide):
                    if in_place == 0 or column + wide > columns:
                        to = packed[(column - side) * steps :]
                        given = b[start * b_step + column * b_column :]
                        pack_columns(given, to, steps, min(wide, end - column), b_step, b_column)
                for row in range(top, bottom, high):
                    there = min(high, bottom - row)
                    left, between, step = a[row * a_row + start * a_step :], a_row, a_step
                    if in_place == 0:
                        pack_rows(left, packed_rows, steps, there, a_row, a_step, width)
                        left = packed_rows[0:]
                        between, step = (width, 1) if a_step == 1 else (1, high)
                    for column in range(side, end, wide):
                        right, apart = packed[(column - side) * steps :], wide
                        if in_place != 0 and column + wide <= columns:
                            right, apart = b[start * b_step + column :], b_step
                        tile(
                            c[row * columns + column :],
                            *(columns, left, between, step, right, apart),
                            *(steps, there, end - column, start, corner),
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


def _runs(full: int):
    @intrinsic
    def whole_runs(writer, given, to, count, distance) -> None:
        def copy(step) -> None:
            places = writer.element(to, (step * full,)), writer.element(given, (step * distance,))
            writer.copy_vector(*places, given.dtype, full)

        writer.count_up(count, copy)

    @kernel_function(vectors=False, unrolled=False)
    def runs(given, to, count, length, distance):
        """Pack rows of `length` elements with a stride of `distance` as [count, full]."""
        if length == full:
            whole_runs(given, to, count, distance)
        else:
            for step in range(count):
                for place in range(length):
                    to[step * full + place] = given[step * distance + place]

    return runs


def _packing(dtype: str):
    wide = tile_columns(dtype)
    of_columns, of_rows = _runs(wide), _runs(tile_rows())

    @kernel_function(inline=False, vectors=False, unrolled=False)
    def pack_columns(given, to, steps, columns, b_step, b_column):
        """A tile of columns as [steps, columns]."""
        if b_column == 1:
            of_columns(given, to, steps, columns, b_step)
            return
        for start in range(0, steps, TRANSPOSED_AT_ONCE):
            for column in range(columns):
                for step in range(start, min(start + TRANSPOSED_AT_ONCE, steps)):
                    to[step * wide + column] = given[column * b_column + step * b_step]

    @kernel_function(inline=False, vectors=False, unrolled=False)
    def pack_rows(given, to, steps, rows, a_row, a_step, width):
        """The rows of a tile, or [steps, rows] where the matrix is transposed."""
        if a_step != 1:
            of_rows(given, to, steps, rows, a_step)
            return
        for row in range(rows):
            to[row * width : row * width + steps] = given[row * a_row : row * a_row + steps]

    return pack_rows, pack_columns
