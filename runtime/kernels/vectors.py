"""Vector loads, stores and comparisons of kernels.

A vector starts at a multiple of its length. The last vector of an array may have elements
beyond the end of the array. They are loaded as zeros and not stored.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from ..core.numpy_dtypes import is_unsigned
from ..jit.kernel_types import BOOL, INT64
from ..jit.llvm_types import vector_type
from ..jit.llvm_values import Number, any_lane
from ..jit.loop_hints import intrinsic
from ..jit.values import Array, memory_type

BYTES = np.dtype(np.uint8)  # bools in memory


@functools.cache
def functions() -> dict[str, object]:
    """The functions that kernels call."""
    return {function.__name__: function for function in (vector_load, vector_store, vector_differs)}


@intrinsic
def vector_load(writer, array: Array, start, length: int) -> Number:
    """Load a vector from an array of rank 1, from the element `start` on."""
    row = _Row(writer, array, start, length)

    def take(data, size) -> None:
        writer.fill_bytes(row.buffer.data, length * array.dtype.itemsize)
        writer.move_bytes(row.buffer.data, data, size)

    row.if_short(take)
    loaded = writer.builder.load(row.address())
    loaded.align = array.dtype.itemsize
    return Number(writer.builder, loaded, is_unsigned(row.dtype)).cast(array.dtype)


@intrinsic
def vector_store(writer, array: Array, start, value: Number) -> None:
    """Store a vector to an array of rank 1, from the element `start` on."""
    row = _Row(writer, array, start, value.length or 1)
    value = value.cast(array.dtype).cast(row.dtype)
    writer.builder.store(value.value, row.address()).align = array.dtype.itemsize
    row.if_short(lambda data, size: writer.move_bytes(data, row.buffer.data, size))


@intrinsic
def vector_differs(writer, *pairs) -> Number:
    """Whether any lane differs bitwise in a pair. `pairs` are two vectors, two more, ..."""
    differs: Any = None
    for x, y in zip(pairs[::2], pairs[1::2], strict=True):
        x, y = (n.as_bits() if n.is_float else n for n in map(writer.number, (x, y)))
        differs = x != y if differs is None else differs | (x != y)
    return any_lane(differs)


class _Row:
    """The elements of one vector of an array. The last vector may be partial: it goes through a
    buffer.
    """

    def __init__(self, writer, array: Array, start, length: int):
        self.writer, self.array, self.length = writer, array, length
        self.dtype = BYTES if array.dtype == BOOL else array.dtype
        self.start, self.size = writer.number(start, INT64), array.sizes[0]
        self.fills = isinstance(self.size, int) and self.size % length == 0
        self.buffer: Any = None if self.fills else writer.new_array(array.dtype, (length,))
        self.fits = self.start + length <= self.size

    def address(self):
        """The address of the vector."""
        data = self.writer.element(self.array, (self.start,))
        if not self.fills:
            data = self.writer.builder.select(self.fits.value, data, self.buffer.data)
        vector = vector_type(memory_type(self.array.dtype), self.length)
        return self.writer.builder.bitcast(data, vector.as_pointer())

    def if_short(self, move) -> None:
        """Write `move(address, size)` in bytes for a partial vector."""
        if self.fills:
            return
        short, after = (self.writer.block(name) for name in ("short", "row"))
        self.writer.builder.cbranch(self.fits.value, after, short).set_weights([1000, 1])
        self.writer.at(short)
        count = self.writer.number(self.size) - self.start
        move(self.writer.element(self.array, (self.start,)), count * self.array.dtype.itemsize)
        self.writer.go(after)
        self.writer.at(after)
