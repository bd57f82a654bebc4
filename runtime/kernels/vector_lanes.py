"""Elements of arrays in the lanes of vectors: how kernels read, compare and write them.

An array is read and written from `start` on, a multiple of the number of lanes; the last of its
vectors may have lanes beyond its end, which hold zeros and are not written.
"""

from __future__ import annotations

import functools

import numpy as np

from ..jit.kernel_types import BOOL, INT64
from ..jit.llvm_types import vector_type
from ..jit.llvm_values import Number, any_lane
from ..jit.loop_hints import written
from ..jit.values import Array, memory_type

BYTES = np.dtype(np.uint8)  # what truth values are in memory


@functools.cache
def functions() -> dict[str, object]:
    """The functions that kernels call."""
    return {one.__name__: one for one in (lanes_at, lanes_put, lanes_differ)}


@written
def lanes_at(writer, array: Array, start, lanes: int) -> Number:
    """The vector of elements from `start` on of an array of rank 1."""
    row = _Row(writer, array, start, lanes)

    def take(data, size) -> None:
        writer.fill_bytes(row.room.data, lanes * array.dtype.itemsize)
        writer.move_bytes(row.room.data, data, size)

    row.if_short(take)
    made = writer.builder.load(row.address())
    made.align = array.dtype.itemsize
    return Number(writer.builder, made, row.kind.kind == "u").cast(array.dtype)


@written
def lanes_put(writer, array: Array, start, value: Number) -> None:
    """Write a vector to an array of rank 1 from `start` on."""
    row = _Row(writer, array, start, value.lanes)
    value = value.cast(array.dtype).cast(row.kind)
    writer.builder.store(value.value, row.address()).align = array.dtype.itemsize
    row.if_short(lambda data, size: writer.move_bytes(data, row.room.data, size))


@written
def lanes_differ(writer, *pairs) -> Number:
    """Whether the bits of any lane differ in a pair; `pairs` are two vectors, two more, ..."""
    found = None
    for x, y in zip(pairs[::2], pairs[1::2], strict=True):
        x, y = (one.as_bits() if one.is_float else one for one in map(writer.number, (x, y)))
        found = x != y if found is None else found | (x != y)
    return any_lane(found)


class _Row:
    """Elements of an array that are a vector, or the last of them, which are fewer: these go
    through room of their own.
    """

    def __init__(self, writer, array: Array, start, lanes: int):
        self.writer, self.array, self.lanes = writer, array, lanes
        self.kind = BYTES if array.dtype == BOOL else array.dtype
        self.start, self.size = writer.number(start, INT64), array.sizes[0]
        self.fills = isinstance(self.size, int) and self.size % lanes == 0
        self.room = None if self.fills else writer.new_array(array.dtype, (lanes,))
        self.fits = self.start + lanes <= self.size

    def address(self):
        """Where the vector is."""
        data = self.writer.element(self.array, (self.start,))
        if not self.fills:
            data = self.writer.builder.select(self.fits.value, data, self.room.data)
        kind = vector_type(memory_type(self.array.dtype), self.lanes)
        return self.writer.builder.bitcast(data, kind.as_pointer())

    def if_short(self, move) -> None:
        """`move(address, size)` for the last elements and their bytes, if they are fewer."""
        if self.fills:
            return
        short, after = (self.writer.block(name) for name in ("short", "row"))
        self.writer.builder.cbranch(self.fits.value, after, short).set_weights([1000, 1])
        self.writer.at(short)
        count = self.writer.number(self.size) - self.start
        move(self.writer.element(self.array, (self.start,)), count * self.array.dtype.itemsize)
        self.writer.go(after)
        self.writer.at(after)
