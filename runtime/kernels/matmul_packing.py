"""Packing of the operands of a matrix product: blocks of them as tiles that the microkernel reads
in order.

A block of the right matrix becomes panels: the columns of a tile, step by step. Rows of the left
matrix become contiguous; of a transposed matrix, the rows of a tile are contiguous in each step.
"""

from __future__ import annotations

import functools

import numpy as np

from ..jit.llvm_types import integer_type, number_type, vector_type
from ..jit.loop_hints import intrinsic, kernel_function
from .tile_sizes import tile_columns, tile_rows

LINE = 64  # bytes of a cache line, which a vector should not cross


@functools.cache
def packing(dtype: str):
    """`pack_rows(given, to, steps, rows, a_row, a_step, width)` packs rows, tile after tile, and
    `pack_columns(given, to, steps, columns, b_step, b_column, panel)` panels of columns, which
    begin `panel` elements apart.
    """
    wide, high = tile_columns(dtype), tile_rows()
    square = wide // 2
    panels_of_rows, rows_of_tile, block = panels(wide), panels(high), _transposed_block(dtype)

    @kernel_function(inline=False, vectors=False, unrolled=False)
    def pack_columns(source, to, steps, columns, b_step, b_column, panel):
        full = columns // wide
        if b_column == 1:
            panels_of_rows(source, to, steps, full, b_step, panel)
            for step in range(steps):
                for column in range(full * wide, columns):
                    at = full * panel + step * wide + column - full * wide
                    to[at] = source[step * b_step + column]
            return
        whole = steps // square * square
        for column in range(0, columns, square):
            here = column // wide * panel + column % wide
            there = column * b_column
            if column + square <= columns:
                for step in range(0, whole, square):
                    block(source[there + step :], to[here + step * wide :], b_column, wide)
            for i in range(min(square, columns - column)):
                first = whole if column + square <= columns else 0
                for step in range(first, steps):
                    to[here + step * wide + i] = source[there + i * b_column + step]

    @kernel_function(inline=False, vectors=False, unrolled=False)
    def pack_rows(matrix, to, steps, rows, a_row, a_step, width):
        for first in range(0, rows, high):
            tile, out, count = matrix[first * a_row :], to[first * width :], min(high, rows - first)
            if a_step == 1:
                for row in range(count):
                    source = tile[row * a_row : row * a_row + steps]
                    out[row * width : row * width + steps] = source
            elif count == high:
                rows_of_tile(tile, out, steps, 1, a_step, 0)
            else:
                for step in range(steps):
                    for row in range(count):
                        out[step * high + row] = tile[step * a_step + row]

    return pack_rows, pack_columns


def panels(length: int):
    @intrinsic
    def copy_panels(writer, matrix, to, steps, count, distance, panel) -> None:
        """Copy rows with a stride of `distance` to `count` panels of `length` elements."""

        def row(step) -> None:
            def copy(number) -> None:
                source = writer.element(matrix, (step * distance + number * length,))
                target = writer.element(to, (number * panel + step * length,))
                writer.copy_vector(target, source, matrix.dtype, length)

            writer.count_up(count, copy)

        writer.count_up(steps, row)

    return copy_panels


def _transposed_block(dtype: str):
    """`block(given, to, given_row, to_row)` transposes, in registers, as many rows and columns as a
    vector has elements.
    """
    size = tile_columns(dtype) // 2

    @intrinsic
    def block(writer, source, to, given_row, to_row) -> None:
        builder = writer.builder
        vector = vector_type(number_type(np.dtype(dtype)), size)
        indices = vector_type(integer_type(32), size)

        def address(array, row, stride):
            place = writer.element(array, (writer.number(stride) * row,))
            return builder.bitcast(place, vector.as_pointer())

        rows = [builder.load(address(source, row, given_row)) for row in range(size)]
        for row in rows:
            row.align = np.dtype(dtype).itemsize
        bit = size // 2
        while bit:
            for i in (i for i in range(size) if not i & bit):
                pair = rows[i], rows[i + bit]
                low = [j if not j & bit else size + j - bit for j in range(size)]
                high = [j + bit if not j & bit else size + j for j in range(size)]
                rows[i], rows[i + bit] = (
                    builder.shuffle_vector(*pair, indices(order)) for order in (low, high)
                )
            bit //= 2
        for row, value in enumerate(rows):
            builder.store(value, address(to, row, to_row)).align = np.dtype(dtype).itemsize

    return block
