"""Tiles of matrix products whose left matrix has windows of an image as rows, without a copy."""

from __future__ import annotations

import functools

import numpy as np

from ...extend.kernels import ProductTile, intrinsic, tile_columns


@functools.cache
def tile_of_windows(dtype: str, columns: int, height: int):
    """`product(c, c_row, x, x_row, offsets, count, run, b, rows)`: a tile of `tile_product` whose
    rows of the left matrix are windows, `count` runs of `run` elements, at `offsets` in bytes from
    the first element of each row. All addresses are integers.
    """

    @intrinsic
    def product(writer, c, c_row, x, x_row, offsets, count, run, b, rows):
        arguments = (c, c_row, x, x_row, offsets, count, run, b, rows)
        _WindowTile(writer, dtype, columns, height).write_windows(*map(writer.int64, arguments))

    return product


class _WindowTile(ProductTile):
    """Writes the instructions for a tile of windows."""

    def write_windows(self, c, c_row, x, x_row, offsets, count, run, b, rows) -> None:
        builder, word = self.builder, self.int64
        numbers, columns = self.numbers(rows), self.columns
        lines, rows_of_x = self.starts_of(c, c_row, numbers), self.starts_of(x, x_row, numbers)
        before, loop = builder.block, builder.append_basic_block("runs")
        end = builder.append_basic_block("end")
        builder.branch(loop)
        builder.position_at_end(loop)
        number, right = self.phi((word(0), before)), self.phi((b, before))
        sums = [[self.phi((self.zero, before)) for _ in self.starts] for _ in numbers]
        place = builder.add(offsets, builder.mul(number, word(8)))
        offset = builder.load(self.pointer(place, word))
        there = [builder.add(start, offset) for start in rows_of_x]
        new_sums = self.steps(sums, there, word(1), right, word(columns), run)
        inside, following = builder.block, builder.add(number, word(1))
        number.add_incoming(following, inside)
        right.add_incoming(self.offset(right, builder.mul(run, word(columns))), inside)
        for row, new in zip(sums, new_sums, strict=True):
            for value, result in zip(row, new, strict=True):
                value.add_incoming(result, inside)
        builder.cbranch(builder.icmp_signed("<", following, count), loop, end)
        builder.position_at_end(end)
        self.store(lines, new_sums, rows)


def narrow_columns(dtype: str, columns: int) -> int:
    """The columns of the last, narrower tile of a matrix; 0 if it needs none.

    A power of two that holds the remaining columns, at least a vector of 16 bytes.
    """
    left, width = columns % tile_columns(dtype), 16 // np.dtype(dtype).itemsize
    while left > width:
        width *= 2
    return width if left else 0
