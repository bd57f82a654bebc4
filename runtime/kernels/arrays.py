"""What native code does with arrays as wholes: new ones, copies, stacks, checked indices."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable

from ..core.array_pool import FIRST_ROWS
from ..jit import supported_functions
from ..jit.kernel_types import INT64
from ..jit.llvm_values import where
from ..jit.loop_hints import written
from ..jit.values import Array, memory_type


@functools.cache
def functions() -> dict[str, Callable]:
    """The functions that the text calls."""
    made = (with_room, wrapped_index, checked_index, either)
    table = {function.__name__: function for function in made}
    for function in (
        supported_functions.new_array,
        supported_functions.reshaped,
        supported_functions.copy_elements,
    ):
        table[function.__name__] = written(function)
    return table


# ---- stacks ----------------------------------------------------------------------------------


@written
def with_room(writer, rows: Array, number):
    """The stack with room for the element `number`: itself, or one with twice as many rows."""
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
    writer.give_back(old)
    inside = builder.block
    builder.branch(after)
    writer.at(after)
    place, height = builder.phi(rows.data.type), builder.phi(length.type)
    for phi, one, other in ((place, rows.data, data), (height, length.value, count.value)):
        phi.add_incoming(one, before)
        phi.add_incoming(other, inside)
    return Array(rows.dtype, place, (length.made(height), *inner))


# ---- choices ---------------------------------------------------------------------------------


@written
def either(writer, condition, x, y):
    """`x if condition else y` of numbers that are both there: an instruction, not a branch."""
    test = writer.truth(condition)
    if not isinstance(test, bool):
        return writer.chosen(test, x, y)
    return writer.number(x if test else y, writer.meeting_of(x, y))


# ---- indices ---------------------------------------------------------------------------------


@written
def wrapped_index(writer, place, size):
    """An index of which negative ones count from the end; the kernel fails outside of the array."""
    number = writer.number(place, INT64)
    return checked_index(writer, where(number < 0, number + size, number), size)


@written
def checked_index(writer, place, size):
    """An index; the kernel fails outside of the array."""
    number = writer.number(place, INT64)
    outside = writer.builder.icmp_unsigned(">=", number.value, writer.word(size))  # huge if < 0
    writer.fail_if(outside)
    return number
