"""The microkernel of matrix products: one tile of the result, accumulated in vector registers.

A tile is a few rows by two vectors of columns. Each step along the depth multiplies one element of
each row by the vectors of a row of the right matrix. The rows of the left matrix have a stride, and
may overlap. The vector instructions are written explicitly, because loops would leave register
allocation to LLVM's heuristics.

The terms of each element are added from the first step to the last, whichever thread computes it.
"""

from __future__ import annotations

import functools

import numpy as np

from ..jit.cpu import vector_registers
from ..jit.llvm_values import Number, fma
from ..jit.loop_hints import intrinsic
from .tile_sizes import tile_rows


@functools.cache
def tile_product(dtype: str, columns: int, height: int | None = None):
    """`product(c, c_row, a, a_row, a_step, b, b_step, depth, rows, adds)` for tiles of so many
    columns: c[i, :] = (c[i, :] if adds) + sum of a[i * a_row + t * a_step] * b[t * b_step, :].
    Tiles are `height` rows high; `tile_rows()` if that is None.

    The three matrices are addresses, and strides are in elements. Only the first `rows` rows are
    stored.
    """

    @intrinsic
    def product(writer, c, c_row, a, a_row, a_step, b, b_step, depth, rows, adds):
        arguments = (c, c_row, a, a_row, a_step, b, b_step, depth, rows, adds)
        tile = ProductTile(writer, dtype, columns, height or tile_rows())
        tile.write(*map(writer.int64, arguments))

    return product


class ProductTile:
    """Writes the instructions for one tile."""

    def __init__(self, writer, dtype: str, columns: int, height: int):
        from llvmlite import ir

        self.builder, self.height = writer.builder, height
        self.size = np.dtype(dtype).itemsize
        self.real = ir.FloatType() if self.size == 4 else ir.DoubleType()
        length = min(columns, vector_registers()[0] // self.size)
        self.vector = ir.VectorType(self.real, length)
        self.starts, self.columns = range(0, columns, length), columns
        self.int64 = ir.IntType(64)
        self.zero = ir.Constant(self.vector, None)

    def offset(self, base, *elements):
        """An address plus offsets in elements."""
        for element in elements:
            base = self.builder.add(base, self.builder.mul(element, self.int64(self.size)))
        return base

    def pointer(self, address, type_):
        return self.builder.inttoptr(address, type_.as_pointer())

    def load(self, address, type_):
        value = self.builder.load(self.pointer(address, type_))
        value.align = self.size
        return value

    def write(self, c, c_row, a, a_row, a_step, b, b_step, depth, rows, adds) -> None:
        numbers = self.numbers(rows)
        lines, rows_of_a = self.starts_of(c, c_row, numbers), self.starts_of(a, a_row, numbers)
        sums = self.old(lines, self.builder.icmp_signed("!=", adds, self.int64(0)))
        self.store(lines, self.steps(sums, rows_of_a, a_step, b, b_step, depth), rows)

    def numbers(self, rows) -> list:
        """The numbers of the rows. Those beyond the last one repeat it, so that nothing is read
        outside of the matrix.
        """
        builder, word = self.builder, self.int64
        last = builder.sub(rows, word(1))
        return [
            builder.select(builder.icmp_signed("<", word(i), last), word(i), last)
            for i in range(self.height)
        ]

    def starts_of(self, start, stride, numbers) -> list:
        return [self.offset(start, self.builder.mul(number, stride)) for number in numbers]

    def store(self, lines, sums, rows) -> None:
        builder, word = self.builder, self.int64
        for i, (line, vectors) in enumerate(zip(lines, sums, strict=True)):
            with builder.if_then(builder.icmp_signed("<", word(i), rows)):
                for start, vector in zip(self.starts, vectors, strict=True):
                    address = self.pointer(self.offset(line, word(start)), self.vector)
                    builder.store(vector, address).align = self.size

    def old(self, lines, adds) -> list[list]:
        """The initial sums: zeros, or the elements of the result."""
        builder, before = self.builder, self.builder.block
        with builder.if_then(adds):
            there = [
                [
                    self.load(self.offset(line, self.int64(start)), self.vector)
                    for start in self.starts
                ]
                for line in lines
            ]
            inside = builder.block
        return [[self.phi((self.zero, before), (value, inside)) for value in row] for row in there]

    def phi(self, *incoming):
        merged = self.builder.phi(incoming[0][0].type)
        for value, block in incoming:
            merged.add_incoming(value, block)
        return merged

    def steps(self, sums, rows_of_a, a_step, b, b_step, depth) -> list[list]:
        """The loop along the depth."""
        builder, before = self.builder, self.builder.block
        loop, end = builder.append_basic_block("steps"), builder.append_basic_block("end")
        builder.branch(loop)
        builder.position_at_end(loop)
        step = self.phi((self.int64(0), before))
        sums = [[self.phi((value, before)) for value in row] for row in sums]
        right = self.offset(b, builder.mul(step, b_step))
        places = [self.offset(right, self.int64(start)) for start in self.starts]
        vectors = [Number(builder, self.load(place, self.vector)) for place in places]
        here = builder.mul(step, a_step)
        results = []
        for row, line in zip(sums, rows_of_a, strict=True):
            number = Number(builder, self.load(self.offset(line, here), self.real))
            number, pairs = number.spread(self.vector.count), zip(vectors, row, strict=True)
            results.append([fma(number, b, Number(builder, c)).value for b, c in pairs])
        following = builder.add(step, self.int64(1))
        step.add_incoming(following, loop)
        for row, new in zip(sums, results, strict=True):
            for value, result in zip(row, new, strict=True):
                value.add_incoming(result, loop)
        builder.cbranch(builder.icmp_signed("<", following, depth), loop, end)
        builder.position_at_end(end)
        return results
