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
from ..jit.recursion import left_to_callers
from ..jit.values import I8, I64, Array, memory_type


@functools.cache
def functions() -> dict[str, Callable]:
    """The functions that kernels call."""
    own: tuple[Callable, ...] = (ensure_capacity, with_length, copy_rows, first_rows)
    own += (size_at, wrapped_index, checked_index, select)
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
def ensure_capacity(writer, rows: Array, number, expected):
    """The stack with capacity for row `number`: itself, or a copy with twice the capacity, at least
    of `expected` rows.
    """
    numbers = number, expected, rows.sizes[0]
    number, expected, length = (writer.number(operand, INT64) for operand in numbers)
    builder, inner, slot = writer.builder, rows.sizes[1:], writer.held()
    row = math.prod(inner) * rows.dtype.itemsize
    before, grows, after = builder.block, writer.block("grows"), writer.block("roomy")
    fits = (number > 0) & (number < length)
    builder.cbranch(fits.value, after, grows)
    writer.at(grows)
    twice, old = number * 2, builder.load(slot)
    count = where(twice < FIRST_ROWS, twice.like(FIRST_ROWS), twice)
    count = where(count < expected, expected, count)
    writer.fail_if((count > MOST_BYTES // max(row, 1)).value)
    data = writer.allocate(slot, count * row, memory_type(rows.dtype))
    writer.move_bytes(data, rows.data, where(number < length, number, length) * row)
    writer.free(old)
    inside = builder.block
    builder.branch(after)
    writer.at(after)
    index, height = builder.phi(rows.data.type), builder.phi(length.type)
    for phi, value, other in ((index, rows.data, data), (height, length.value, count.value)):
        phi.add_incoming(value, before)
        phi.add_incoming(other, inside)
    return Array(rows.dtype, index, (length.with_value(height), *inner))


# ---- arrays that grow ------------------------------------------------------------------------


MOST_BYTES = 1 << 62


@intrinsic
def with_length(writer, rows: Array, length):
    """The array with at least `length` rows: itself, or a copy with rows of zeros behind, at least
    twice as many. What held the rows that an earlier copy here made is freed.
    """
    number, height = (writer.number(operand, INT64) for operand in (length, rows.sizes[0]))
    builder, slot = writer.builder, None if writer.leaves_memory else writer.held()
    before, grows, after = builder.block, writer.block("grows"), writer.block("long")
    builder.cbranch((number <= height).value, after, grows)
    writer.at(grows)
    twice = height * 2
    grown = _copy_of_rows(writer, rows, where(twice < number, number, twice), slot)
    inside = builder.block
    builder.branch(after)
    writer.at(after)
    index, count = builder.phi(rows.data.type), builder.phi(height.type)
    for phi, value, other in ((index, rows.data, grown.data), (count, height, grown.sizes[0])):
        phi.add_incoming(getattr(value, "value", value), before)
        phi.add_incoming(getattr(other, "value", other), inside)
    return Array(rows.dtype, index, (height.with_value(count), *rows.sizes[1:]))


@intrinsic
def copy_rows(writer, rows: Array, length):
    """A copy with at least `length` rows, of which those behind are zeros."""
    number, height = (writer.number(operand, INT64) for operand in (length, rows.sizes[0]))
    return _copy_of_rows(writer, rows, where(height < number, number, height), writer.held())


def _copy_of_rows(writer, rows: Array, count: Number, slot) -> Array:
    """A copy with `count` rows, not fewer than there are. The memory in `slot` is freed; without
    one, the outermost call of a recursion frees the copy.
    """
    builder, inner, height = writer.builder, rows.sizes[1:], writer.number(rows.sizes[0], INT64)
    row = math.prod(inner) * rows.dtype.itemsize
    writer.fail_if((count > MOST_BYTES // row).value)
    left = None if slot else left_to_callers
    slot = slot or writer.on_stack(I8.as_pointer())
    old, used = None if left else builder.load(slot), height * row
    data = writer.allocate(slot, count * row, memory_type(rows.dtype), left)
    writer.move_bytes(data, rows.data, used)
    start = builder.gep(builder.bitcast(data, I8.as_pointer()), [used.value], inbounds=True)
    writer.fill_bytes(start, (count - height) * row)
    if old is not None:
        writer.free(old)
    return Array(rows.dtype, data, (count, *inner))


@intrinsic
def first_rows(writer, rows: Array, stop):
    """`rows[:stop]`, a view."""
    number, height = (writer.number(operand, INT64) for operand in (stop, rows.sizes[0]))
    number = where(number < 0, number + height, number)
    number = where(number < 0, number.like(0), number)
    count = where(height < number, height, number)
    return Array(rows.dtype, rows.data, (count, *rows.sizes[1:]))


# ---- choices ---------------------------------------------------------------------------------


@intrinsic
def select(writer, condition, x, y):
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
