"""Operations of kernels on whole arrays: allocation, copies, stacks, and checked indices."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable

from ..core.array_pool import FIRST_ROWS
from ..jit import supported_functions
from ..jit.kernel_types import INT64, LEAST_SIZE, MOST_SIZE
from ..jit.llvm_values import Number, where
from ..jit.loop_hints import intrinsic
from ..jit.values import I64, Array, memory_type


@functools.cache
def functions() -> dict[str, Callable]:
    """The functions that kernels call."""
    own = (with_room, size_at, wrapped_index, checked_index, either)
    table = {function.__name__: function for function in own}
    for function in (
        supported_functions.new_array,
        supported_functions.reshaped,
        supported_functions.copy_elements,
    ):
        table[function.__name__] = intrinsic(function)
    return table


# ---- stacks ----------------------------------------------------------------------------------


@intrinsic
def with_room(writer, rows: Array, number):
    """The stack with capacity for row `number`: itself, or a copy with twice the capacity."""
    number, length = (writer.number(one, INT64) for one in (number, rows.sizes[0]))
    builder, inner, slot = writer.builder, rows.sizes[1:], writer.held()
    row = math.prod(inner) * rows.dtype.itemsize
    before, grows, after = builder.block, writer.block("grows"), writer.block("roomy")
    fits = (number > 0) & (number < length)
    builder.cbranch(fits.value, after, grows)
    writer.at(grows)
    twice, old = number * 2, builder.load(slot)
    count = where(twice < FIRST_ROWS, twice.like(FIRST_ROWS), twice)
    data = writer.allocate(slot, count * row, memory_type(rows.dtype))
    writer.move_bytes(data, rows.data, where(number < length, number, length) * row)
    writer.free(old)
    inside = builder.block
    builder.branch(after)
    writer.at(after)
    index, height = builder.phi(rows.data.type), builder.phi(length.type)
    for phi, one, other in ((index, rows.data, data), (height, length.value, count.value)):
        phi.add_incoming(one, before)
        phi.add_incoming(other, inside)
    return Array(rows.dtype, index, (length.with_value(height), *inner))


# ---- choices ---------------------------------------------------------------------------------


@intrinsic
def either(writer, condition, x, y):
    """`x if condition else y` of computed scalars: a `select` instruction, not a branch."""
    test = writer.truth(condition)
    if not isinstance(test, bool):
        return writer.chosen(test, x, y)
    return writer.number(x if test else y, writer.meeting_of(x, y))


# ---- numbers ------------------------------------------------------------------------------


@intrinsic
def size_at(writer, numbers: Array, position):
    """An integer from LEAST_SIZE to MOST_SIZE that the caller of a kernel passes. LLVM knows its
    range, which bounds indices.
    """
    address = writer.element(numbers, (position,))
    number = writer.builder.load(address)
    ends = writer.module.ir.add_metadata([I64(LEAST_SIZE), I64(MOST_SIZE + 1)])
    number.set_metadata("range", ends)
    return Number(writer.builder, number)


# ---- indices ---------------------------------------------------------------------------------


@intrinsic
def wrapped_index(writer, index, size):
    """An index that may count from the end. Out of range, the kernel fails."""
    number = writer.number(index, INT64)
    return checked_index(writer, where(number < 0, number + size, number), size)


@intrinsic
def checked_index(writer, index, size):
    """An index that is not negative. Out of range, the kernel fails."""
    number = writer.number(index, INT64)
    outside = writer.builder.icmp_unsigned(">=", number.value, writer.int64(size))  # huge if < 0
    writer.fail_if(outside)
    return number
