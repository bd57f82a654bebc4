"""Results of calls: what a kernel returned, as the table of `bound_call.py` wants it.

A result is one of RESULTS:

    whole   the tuple that the entry returns
    one     1 and a part; arrays that change
    tuple   the number of parts, and the parts; arrays that change
    tensor  1 and a part, a class, and the attribute of a new instance that the part becomes
    made    the same as for a tuple: a function, and what it is called with

A part is one of PARTS, and two words:

    object  an object, 0
    value   a value, 0
    output  an item of the tuple, 0
    number  an item of the tuple, and the data type that the number becomes one of
    fresh   an item of the tuple, and what copies it where it is an input, a constant, or an earlier
            item
    called  an item of the tuple, and a function that is called with it
    choice  an item of the tuple, and an object: where they are the same, the next part counts,
            otherwise the part behind it

Arrays that change are their number, that of values which callers know, and for each one a value, an
item of the tuple, which is copied to it where it is another array, and what copies the item before.
"""

from __future__ import annotations

from ..loader.symbols import PARTS, RESULTS
from ..loop_hints import kernel_function
from .addresses import (
    called,
    copy_elements,
    dropped,
    field,
    held,
    narrow,
    place_of,
    put,
    python,
    scalar,
    stack,
    word,
)
from .python_entry import CLASS_OF_NUMBERS, TYPE_NUMBER

NULL, RAISED = 0, -1
OF_OBJECT, OF_VALUE, OF_OUTPUT, OF_NUMBER, OF_COPY, OF_CALL, OF_CHOICE = PARTS.values()
WHOLE, ONE, OF_TUPLE, OF_TENSOR, MADE = RESULTS.values()
SINGLE, LONG_DOUBLE, SINGLE_COMPLEX, DOUBLE_COMPLEX = 11, 13, 14, 15  # as NumPy numbers data types


@kernel_function(inline=True)
def numpy_number(number, dtype):
    """A number of Python's as one of NumPy's. Small integers are the first bytes of large ones."""
    which = field(dtype, TYPE_NUMBER, 32)
    if which > DOUBLE_COMPLEX or which == LONG_DOUBLE:
        return called(field(dtype, CLASS_OF_NUMBERS, 64), number)
    memory = stack(2)
    if which < SINGLE:
        put(memory, 0, python.bits(number))
    else:
        put(memory, 0, field(number, 0, 64))
    if which > LONG_DOUBLE:
        put(memory, 1, field(number, 8, 64))
    if (which - SINGLE) * (which - SINGLE_COMPLEX) == 0:
        narrow(memory, 2)
    return scalar(memory, dtype)


@kernel_function(inline=True)
def part_of(at, outputs, values, parameters, first):
    """A part of the result. Behind `first`, parameters are new arrays."""
    while word(at, 0) == OF_CHOICE:
        at += 24 if python.item(outputs, word(at, 1)) == word(at, 2) else 48
    what, index, function = word(at, 0), word(at, 1), word(at, 2)
    if what == OF_OBJECT:
        return held(index)
    if what == OF_VALUE:
        return held(word(values, index))
    output = python.item(outputs, index)
    if what == OF_CALL:
        return called(function, output)
    if what == OF_NUMBER:
        return numpy_number(output, function)
    if what == OF_COPY:
        if place_of(output, parameters, 0, first) < first:
            return called(function, output)
        for earlier in range(index):
            if python.item(outputs, earlier) == output:
                return called(function, output)
    return held(output)


@kernel_function(inline=True)
def write_back(at, outputs, values):
    """Write outputs to the arrays that change, where the kernel has not; whether that went well.
    The memory of an argument may have what another one gets, so that outputs are copied first.
    """
    count, known = word(at, 0), word(at, 1)
    pairs = stack(2 * count)
    for change in range(count):
        value, output = word(values, word(at, 3 * change + 2)), word(at, 3 * change + 3)
        output = python.item(outputs, output)
        is_other = value != output and place_of(output, values, 0, known) < known
        output = called(word(at, 3 * change + 4), output) if is_other else held(output)
        if output == NULL:
            return False
        put(pairs, 2 * change, value)
        put(pairs, 2 * change + 1, output)
    for change in range(count):
        pair = pairs + 16 * change
        if word(pair, 0) != word(pair, 1) and copy_elements(word(pair, 0), word(pair, 1)) != 0:
            return False
        python.drop(word(pair, 1))
    return True


@kernel_function(inline=True)
def arranged(at, what, parts, count):
    """The parts as the result, which takes their references."""
    if what == ONE:
        return word(parts, 0)
    if what == OF_TENSOR:
        tensor = python.new(word(at, 0), 0)
        python.set(tensor, word(at, 1), word(parts, 0))
        return dropped(parts, 0, count, tensor)
    if what == MADE:
        result = python.call(word(parts, 0), parts + 8, count - 1, NULL)
        return dropped(parts, 0, count, RAISED if result == NULL else result)
    whole = python.tuple(count)
    for index in range(count):
        python.put(whole, index, word(parts, index))
    return whole


@kernel_function(inline=True)
def result_of(at, outputs, values, parameters, first):
    """The result, or RAISED."""
    what = word(at, 0)
    if what == WHOLE:
        return outputs
    count = word(at, 1)
    parts = stack(count)
    at += 16
    for index in range(count):
        part = part_of(at, outputs, values, parameters, first)
        if part == NULL:
            python.drop(outputs)
            return dropped(parts, 0, index, RAISED)
        put(parts, index, part)
        while word(at, 0) == OF_CHOICE:
            at += 48
        at += 24
    if what != OF_TENSOR and not write_back(at, outputs, values):
        python.drop(outputs)
        return dropped(parts, 0, count, RAISED)
    python.drop(outputs)
    return arranged(at, what, parts, count)
