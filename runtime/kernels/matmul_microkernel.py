"""Products of matrices whose rows may overlap, tile by tile, in the registers of the processor.

A tile is some rows by two vectors of columns. For each step along the depth it takes one number of
each row times a vector of the right matrix; everything it adds up stays in registers. Rows are
given by the distance between them, so the windows of a convolution are rows where they lie, and
need not be copied. The vectors are written as such, because what the compiler would make of loops
is left to its guesses.

Each element is added up from the first step to the last, whoever computes it.
"""

from __future__ import annotations

import functools

import numpy as np

from ..jit.cpu import vector_registers
from ..jit.llvm_values import Number, fma
from ..jit.loop_hints import written


def tile_rows() -> int:
    """How many rows a tile has."""
    return 12 if vector_registers()[1] == 32 else 6


def tile_columns(dtype: str) -> int:
    """How many columns a tile has: two vectors."""
    return 2 * vector_registers()[0] // np.dtype(dtype).itemsize


def narrow_columns(dtype: str, columns: int) -> int:
    """The columns of the last, narrower tile of a matrix; 0 if it needs none.

    A power of two that holds what is left, at least a vector of 16 bytes.
    """
    left, width = columns % tile_columns(dtype), 16 // np.dtype(dtype).itemsize
    while left > width:
        width *= 2
    return width if left else 0


@functools.cache
def tile_product(dtype: str, columns: int):
    """`product(c, c_row, a, a_row, a_step, b, b_step, depth, rows, adds)` for tiles of so many
    columns: c[i, :] = (c[i, :] if adds) + sum of a[i * a_row + t * a_step] * b[t * b_step, :].

    The three matrices are addresses; distances are in elements. Of the rows, the first `rows` are
    computed and written.
    """

    @written
    def product(writer, c, c_row, a, a_row, a_step, b, b_step, depth, rows, adds):
        arguments = (c, c_row, a, a_row, a_step, b, b_step, depth, rows, adds)
        _Tile(writer, dtype, columns).write(*map(writer.word, arguments))

    return product


class _Tile:
    """Writes the machine's own language for one tile."""

    def __init__(self, writer, dtype: str, columns: int):
        from llvmlite import ir

        self.builder = writer.builder
        self.size = np.dtype(dtype).itemsize
        self.real = ir.FloatType() if self.size == 4 else ir.DoubleType()
        lanes = min(columns, vector_registers()[0] // self.size)
        self.vector = ir.VectorType(self.real, lanes)
        self.starts = range(0, columns, lanes)
        self.word = ir.IntType(64)
        self.zero = ir.Constant(self.vector, None)

    def place(self, base, *elements):
        """An address so many elements further on."""
        for element in elements:
            base = self.builder.add(base, self.builder.mul(element, self.word(self.size)))
        return base

    def pointer(self, address, kind):
        return self.builder.inttoptr(address, kind.as_pointer())

    def load(self, address, kind):
        made = self.builder.load(self.pointer(address, kind))
        made.align = self.size
        return made

    def write(self, c, c_row, a, a_row, a_step, b, b_step, depth, rows, adds) -> None:
        builder, word = self.builder, self.word
        last = builder.sub(rows, word(1))
        # Rows that there are not repeat the last one, so that nothing is read from elsewhere.
        numbers = [
            builder.select(builder.icmp_signed("<", word(i), last), word(i), last)
            for i in range(tile_rows())
        ]
        lines = [self.place(c, builder.mul(number, c_row)) for number in numbers]
        sums = self.old(lines, builder.icmp_signed("!=", adds, word(0)))
        given = [self.place(a, builder.mul(number, a_row)) for number in numbers]
        sums = self.steps(sums, given, a_step, b, b_step, depth)
        for i, (line, vectors) in enumerate(zip(lines, sums, strict=True)):
            with builder.if_then(builder.icmp_signed("<", word(i), rows)):
                for start, vector in zip(self.starts, vectors, strict=True):
                    address = self.pointer(self.place(line, word(start)), self.vector)
                    builder.store(vector, address).align = self.size

    def old(self, lines, adds) -> list[list]:
        """What the sums start from."""
        builder, before = self.builder, self.builder.block
        with builder.if_then(adds):
            there = [
                [
                    self.load(self.place(line, self.word(start)), self.vector)
                    for start in self.starts
                ]
                for line in lines
            ]
            inside = builder.block
        return [[self.phi((self.zero, before), (value, inside)) for value in row] for row in there]

    def phi(self, *incoming):
        made = self.builder.phi(incoming[0][0].type)
        for value, block in incoming:
            made.add_incoming(value, block)
        return made

    def steps(self, sums, given, a_step, b, b_step, depth) -> list[list]:
        """The loop along the depth."""
        builder, before = self.builder, self.builder.block
        loop, end = builder.append_basic_block("steps"), builder.append_basic_block("end")
        builder.branch(loop)
        builder.position_at_end(loop)
        step = self.phi((self.word(0), before))
        sums = [[self.phi((value, before)) for value in row] for row in sums]
        right = self.place(b, builder.mul(step, b_step))
        places = [self.place(right, self.word(start)) for start in self.starts]
        vectors = [Number(builder, self.load(place, self.vector)) for place in places]
        here = builder.mul(step, a_step)
        made = []
        for row, line in zip(sums, given, strict=True):
            number = Number(builder, self.load(self.place(line, here), self.real))
            number, pairs = number.spread(self.vector.count), zip(vectors, row, strict=True)
            made.append([fma(number, b, Number(builder, c)).value for b, c in pairs])
        following = builder.add(step, self.word(1))
        step.add_incoming(following, loop)
        for row, new in zip(sums, made, strict=True):
            for value, result in zip(row, new, strict=True):
                value.add_incoming(result, loop)
        builder.cbranch(builder.icmp_signed("<", following, depth), loop, end)
        builder.position_at_end(end)
        return made
