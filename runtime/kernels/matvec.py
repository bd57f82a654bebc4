"""Products of a matrix and a vector.

`rows` multiplies each row of a matrix by the vector: four rows at once, whose sums are in vector
registers. `columns` adds up the rows of a matrix, each times an element of the vector: eight rows
at once, so that the result is read and written once for all of them. Both read the matrix in the
order in which it lies in memory, which is what limits them.

The last vector of a row begins so that it ends with the row. Its first lanes belong to the vector
before too: their products are left out of the sum of a row, and computed twice in sums of columns.

Kernels share these functions, which are compiled once for each data type (see `written`).
"""

from __future__ import annotations

import functools

import numpy as np
from llvmlite import ir

from ..core import thresholds
from ..jit import supported_functions
from ..jit.cpu import vector_registers
from ..jit.kernel_types import INT64
from ..jit.llvm_values import Number, fma, lane_sum, where
from ..jit.loader.symbols import SHARED
from ..jit.loop_hints import intrinsic, kernel_function
from ..jit.translate import Module
from ..jit.values import I64
from .library_functions import caller_of, define

ROWS_AT_ONCE = {"rows": 4, "columns": 8}
SHORTEST_VECTOR = 16  # bytes
# The parameters: addresses of the matrix, the vector and the result, the stride of the rows; the
# first row and their number; the first column and their number.
PARAMETERS = (INT64,) * 8


@functools.cache
def functions(dtype: str) -> dict[str, object]:
    """The functions that kernels call, for matrices whose rows are contiguous.

    `matvec_rows_float64(matrix, vector, out, first, count)` computes so many elements of
    `out = matrix @ vector`. `matvec_columns_float64(matrix, vector, out, row, rows, first, count)`
    computes elements of `out = vector @ matrix` from some rows of the matrix alone.
    """
    by_rows, by_columns = (caller_of(_symbol(dtype, name)) for name in ROWS_AT_ONCE)

    @kernel_function
    def rows(matrix, vector, out, first, count):
        starts = (matrix.ctypes.data, vector.ctypes.data, out.ctypes.data)
        by_rows(starts, matrix.shape[1], (first, count), (0, matrix.shape[1]))

    @kernel_function
    def columns(matrix, vector, out, row, rows, first, count):
        starts = (matrix.ctypes.data, vector.ctypes.data, out.ctypes.data)
        by_columns(starts, matrix.shape[1], (row, rows), (first, count))

    return {f"matvec_rows_{dtype}": rows, f"matvec_columns_{dtype}": columns}


# ---- the library that kernels share ----------------------------------------------------------


def written(dtype: str) -> str:
    """The library of a data type, in LLVM's assembly language."""
    module = Module(f"matvec_{dtype}")
    for name, make in (("rows", _rows), ("columns", _columns)):
        define(module, _symbol(dtype, name), make(dtype), PARAMETERS, len(PARAMETERS))
    return str(module.ir)


def _symbol(dtype: str, name: str) -> str:
    return f"{SHARED}matvec_{dtype}.{name}"


def _lengths(dtype: str) -> tuple[int, int]:
    """The lanes of a long vector, and of a short one."""
    size = np.dtype(dtype).itemsize
    return vector_registers()[0] // size, SHORTEST_VECTOR // size


def _rows(dtype: str):
    array_at = intrinsic(supported_functions.array_at)
    real, size, at_once = np.dtype(dtype).type, np.dtype(dtype).itemsize, ROWS_AT_ONCE["rows"]
    long, short = _lengths(dtype)
    in_long, in_short = (_sums_of_rows(dtype, length) for length in (long, short))

    @kernel_function(vectors=False, unrolled=False, polls=True)
    def rows(matrix, vector, out, stride, first, count, start, length):
        end = first + count
        for row in range(first, end, at_once):
            line_start, here = matrix + row * stride * size, out + row * size
            if length >= long:
                in_long(line_start, vector, here, stride, length, min(at_once, end - row))
            elif length >= short:
                in_short(line_start, vector, here, stride, length, min(at_once, end - row))
            else:
                factors, results = array_at(vector, length, real), array_at(here, at_once, real)
                for number in range(min(at_once, end - row)):
                    line = array_at(line_start + number * stride * size, length, real)
                    total = real(0)
                    for i in range(length):
                        total += line[i] * factors[i]
                    results[number] = total

    return rows


def _columns(dtype: str):
    array_at = intrinsic(supported_functions.array_at)
    real, size, at_once = np.dtype(dtype).type, np.dtype(dtype).itemsize, ROWS_AT_ONCE["columns"]
    long, short = _lengths(dtype)
    functions = {
        (length, count): _weighted_rows(dtype, length, count)
        for length in (long, short)
        for count in (at_once, 1)
    }
    many_long, one_long = functions[long, at_once], functions[long, 1]
    many_short, one_short = functions[short, at_once], functions[short, 1]
    broad = thresholds.MATRIX_BLOCK // size

    @kernel_function(vectors=False, unrolled=False)
    def add_rows(matrix, factors, here, stride, width, count):
        """Add `at_once` rows, or one, to the result."""
        if width >= long:
            if count == at_once:
                many_long(matrix, factors, here, stride, width)
            else:
                one_long(matrix, factors, here, stride, width)
        elif width >= short:
            if count == at_once:
                many_short(matrix, factors, here, stride, width)
            else:
                one_short(matrix, factors, here, stride, width)
        else:
            weights, results = array_at(factors, count, real), array_at(here, width, real)
            for number in range(count):
                line = array_at(matrix + number * stride * size, width, real)
                for i in range(width):
                    results[i] += weights[number] * line[i]

    @kernel_function(vectors=False, unrolled=False, polls=True)
    def columns(matrix, vector, out, stride, row, rows, first, count):
        # The last vector has sums of its own: they would be read before they are written otherwise.
        sums = np.empty(broad + long, real)
        for begin in range(first, first + count, broad):
            width, at = min(broad, first + count - begin), row
            length = long if width >= long else short if width >= short else 1
            whole = width // length * length
            sums[: whole + length] = real(0)
            while at < row + rows:
                step = at_once if at + at_once <= row + rows else 1
                part = matrix + (at * stride + begin) * size
                add_rows(part, vector + at * size, sums.ctypes.data, stride, width, step)
                at += step
            results = array_at(out + begin * size, width, real)
            results[:whole] = sums[:whole]
            if whole < width:
                results[width - length :] = sums[whole : whole + length]

    return columns


def _sums_of_rows(dtype: str, length: int):
    @intrinsic
    def sums(writer, matrix, vector, out, stride, columns, rows):
        """The products of up to four rows and the vector."""
        numbers = map(writer.int64, (matrix, vector, out, stride, columns, rows))
        _Vectors(writer, dtype, length).sums_of_rows(*numbers)

    @kernel_function(inline=False)  # on its own, all sums stay in registers
    def call(matrix, vector, out, stride, columns, rows):
        sums(matrix, vector, out, stride, columns, rows)

    return call


def _weighted_rows(dtype: str, length: int, count: int):
    @intrinsic
    def add(writer, matrix, vector, out, stride, columns):
        """Add `count` rows, each times an element of the vector, to the result."""
        numbers = map(writer.int64, (matrix, vector, out, stride, columns))
        _Vectors(writer, dtype, length).weighted_rows(count, *numbers)

    @kernel_function(inline=False)
    def call(matrix, vector, out, stride, columns):
        add(matrix, vector, out, stride, columns)

    return call


class _Vectors:
    """Writes loops over the vectors of rows. Addresses and sizes are integers of 64 bits."""

    def __init__(self, writer, dtype: str, length: int):
        self.builder, self.length = writer.builder, length
        self.size = np.dtype(dtype).itemsize
        self.real = ir.FloatType() if self.size == 4 else ir.DoubleType()
        self.vector = ir.VectorType(self.real, length)

    def sums_of_rows(self, matrix, vector, out, stride, columns, rows) -> None:
        builder, height = self.builder, ROWS_AT_ONCE["rows"]
        last, lines = builder.sub(rows, I64(1)), []
        for i in range(height):  # rows beyond the last one repeat it
            number = builder.select(builder.icmp_signed("<", I64(i), last), I64(i), last)
            lines.append(self.address(matrix, builder.mul(number, stride)))

        def add(at, sums):
            factors = self.load(vector, at)
            pairs = zip(lines, sums, strict=True)
            return [fma(self.load(line, at), factors, total) for line, total in pairs]

        def add_two(at, sums):
            second = builder.add(at, I64(self.length))
            return add(at, sums[:height]) + add(second, sums[height:])

        def add_last(at, sums):
            start = self.last(columns)
            indices = ir.Constant(ir.VectorType(I64, self.length), list(range(self.length)))
            is_new = Number(builder, indices) >= Number(builder, builder.sub(at, start))
            pairs = zip(add(start, sums), sums, strict=True)
            return [where(is_new, new, old) for new, old in pairs]

        zero = Number(builder, ir.Constant(self.vector, None))
        at, sums = self.loop(I64(0), columns, 2 * self.length, [zero] * (2 * height), add_two)
        sums = [low + other for low, other in zip(sums[:height], sums[height:], strict=True)]
        at, sums = self.loop(at, columns, self.length, sums, add)
        _, sums = self.last_vector(at, columns, sums, add_last)
        for i, total in enumerate(map(lane_sum, sums)):
            with builder.if_then(builder.icmp_signed("<", I64(i), rows)):
                address = builder.inttoptr(self.address(out, I64(i)), self.real.as_pointer())
                builder.store(total.value, address)

    def weighted_rows(self, count: int, matrix, vector, out, stride, columns) -> None:
        builder = self.builder
        lines = [self.address(matrix, builder.mul(I64(i), stride)) for i in range(count)]
        weights = [self.load(vector, I64(i), self.real).spread(self.length) for i in range(count)]

        def add(at, place):
            """Add to two sums, which do not wait for each other."""
            old, middle = self.load(out, place), count // 2
            products = [
                (self.load(line, at), weight) for line, weight in zip(lines, weights, strict=True)
            ]
            for line, weight in products[middle:]:
                old = fma(line, weight, old)
            if middle:
                line, weight = products[0]
                total = line * weight
                for line, weight in products[1:middle]:
                    total = fma(line, weight, total)
                old = old + total
            self.store(old, out, place)
            return []

        at, _ = self.loop(I64(0), columns, self.length, [], lambda at, _: add(at, at))
        self.last_vector(at, columns, [], lambda at, _: add(self.last(columns), at))

    # ---- loops -------------------------------------------------------------------------------

    def loop(self, at, end, step: int, state: list[Number], body):
        """A loop while a whole `step` is left before `end`. `body(at, state)` gives the new state.
        Returns where it ends, and the last state.
        """
        builder, before = self.builder, self.builder.block
        head, inside, after = (builder.append_basic_block(name) for name in ("head", "body", "end"))
        builder.branch(head)
        builder.position_at_end(head)
        here = builder.phi(I64)
        phis = [builder.phi(x.type) for x in state]
        for phi, value in zip((here, *phis), (at, *(x.value for x in state)), strict=True):
            phi.add_incoming(value, before)
        stop = builder.add(here, I64(step))
        builder.cbranch(builder.icmp_signed("<=", stop, end), inside, after)
        builder.position_at_end(inside)
        new_state = body(here, [Number(builder, phi) for phi in phis])
        for phi, value in zip((here, *phis), (stop, *(x.value for x in new_state)), strict=True):
            phi.add_incoming(value, builder.block)
        builder.branch(head)
        builder.position_at_end(after)
        return here, [Number(builder, phi) for phi in phis]

    def last_vector(self, at, columns, state: list[Number], body):
        """One iteration where less than a vector is left."""
        return self.loop(
            at, self.builder.add(columns, I64(self.length - 1)), self.length, state, body
        )

    def last(self, columns):
        """Where the last vector of a row begins."""
        return self.builder.sub(columns, I64(self.length))

    # ---- memory ------------------------------------------------------------------------------

    def address(self, start, element):
        return self.builder.add(start, self.builder.mul(element, I64(self.size)))

    def pointer(self, start, element, type_):
        return self.builder.inttoptr(self.address(start, element), type_.as_pointer())

    def load(self, start, element, type_=None) -> Number:
        value = self.builder.load(self.pointer(start, element, type_ or self.vector))
        value.align = self.size
        return Number(self.builder, value)

    def store(self, value: Number, start, element) -> None:
        stored = self.builder.store(value.value, self.pointer(start, element, self.vector))
        stored.align = self.size
