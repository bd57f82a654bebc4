"""Calls of kernels, with the tests that a call has to pass, as a function of C.

`bound_call(self, arguments, count, names)` tests the arguments, runs a kernel, and arranges what
its entry returns. `self` is a tuple. Its first item is an array of int64, the table below. Its
second item is called with the arguments where a test fails, the kernel was not compiled for them,
or they do not fit. Further items keep alive what the table refers to.

    table = [number of calls that had results, number of arguments, of values, of parameters,
             most arguments without names, *names of arguments or 0, *default values or 0,
             *tests, END,
             address of the entry, whether the second item is called where the kernel fails,
             number of inputs, *their values, number of constants, *their addresses,
             number of new arrays, *(rank, address of the data type, *sizes) of each,
             number of restored arrays, bytes of them all, *(value, bytes) of each,
             result]

Values are the arguments, and what tests append to them. A test is its number among TESTS, and words
that `value_passes` and `state_passes` name; objects are addresses. In place of the entry and what
follows it there may be 0, a function that is called with the arguments, and what this returns where
it does not take them. A new array of rank MADE_BY_PYTHON is what the Python function at the second
address returns; it has no sizes.
Arrays that are restored hold what they held where the kernel fails. Results are described in
`call_results.py`.

The functions are kernel source, with addresses as integers. Objects that they return are new
references, or NULL where an exception was raised. `otherwise_call` calls the second item of `self`.
It takes the place of `bound_call` while that is compiled.
"""

from __future__ import annotations

from ..loader.symbols import (
    BOUND_CALL,
    END,
    FAILURE,
    MADE_BY_PYTHON,
    MISMATCH,
    NUMPY,
    PREFIX,
    TESTS,
)
from ..loop_hints import kernel_function
from ..translate import Module
from .addresses import (
    address_of,
    are_same,
    called,
    dropped,
    empty,
    enter,
    field,
    held,
    move,
    place_of,
    put,
    python,
    stack,
    word,
    write_function,
)  # fmt: skip
from .call_results import RAISED, result_of
from .python_entry import (
    BASE,
    BYTE_ORDER,
    DATA,
    DTYPE,
    FLAGS,
    HEAD,
    RANK,
    SIZES,
    STRIDES,
    TYPE_NUMBER,
)  # fmt: skip

CLASS_OF, LENGTH, ITEMS_OF_LIST, FIRST_ITEM = 1, 2, 3, tuple.__basicsize__ // 8  # words of objects
HEAD_WORDS, EQUAL = 5, 2  # of a table; the comparison, as Python numbers it
VERSION = 8  # the place behind the head of a dictionary of a number that each change replaces
NULL, MISSED = 0, 0
NDARRAY, INTEGER, TRUE = f"{NUMPY}ndarray", f"{PREFIX}PyLong_Type", f"{PREFIX}_Py_TrueStruct"
ERROR = PREFIX + FAILURE
(CLASS, SAME, WEAK, COMPARED, CONTENT, BOUNDED, ARRAY, APART, SIZED, TUPLE, LIST, ENTRY, CALLED,
 TENSOR, GIVEN, ITEM, FIELD, ATTRIBUTE, HOLDS, CONTEXT) = TESTS.values()  # fmt: skip


def written() -> str:
    """The library of the function, in LLVM's assembly language."""
    module = Module("calls")
    write_function(module, BOUND_CALL, bound_call)
    return str(module.ir)


# ---- tests -----------------------------------------------------------------------------------


@kernel_function(inline=True)
def is_same_dtype(dtype, other):
    """Whether data types are equal. Pickles have equal ones that are others."""
    is_equal = field(dtype, TYPE_NUMBER, 32) == field(other, TYPE_NUMBER, 32)
    return is_equal and field(dtype, BYTE_ORDER, 8) == field(other, BYTE_ORDER, 8)


@kernel_function(inline=True)
def array_passes(at, value):
    """data type, flags, rank, sizes, 0 or rank, strides: the value is such an array."""
    if word(value, CLASS_OF) != address_of(NDARRAY):
        return MISSED
    dtype, flags, rank = word(at, 0), word(at, 1), word(at, 2)
    if (field(value, FLAGS, 32) & flags) != flags or field(value, RANK, 32) != rank:
        return MISSED
    if not is_same_dtype(field(value, DTYPE, 64), dtype):
        return MISSED
    steps = word(at, 3 + rank)
    if not are_same(field(value, SIZES, 64), at + 24, rank):
        return MISSED
    if not are_same(field(value, STRIDES, 64), at + 32 + 8 * rank, steps):
        return MISSED
    return 6 + rank + steps


@kernel_function(inline=True)
def int_passes(at, value):
    """bound: the value is an int of at most this size."""
    if word(value, CLASS_OF) != address_of(INTEGER):
        return MISSED
    overflow = stack(1)
    number = python.as_int(value, overflow)
    fits = field(overflow, -HEAD, 32) == 0 and -word(at, 0) <= number <= word(at, 0)
    return 3 if fits else MISSED


@kernel_function
def are_apart(at, value, values):
    """The offsets of the first and the last byte of the value; another one, and those of that: two
    arrays that share none.
    """
    other = word(values, word(at, 2))
    if value == other:
        return MISSED
    if (field(value, BASE, 64) | field(other, BASE, 64)) == NULL:
        return 7
    start, other_start = field(value, DATA, 64), field(other, DATA, 64)
    is_before = start + word(at, 1) <= other_start + word(at, 3)
    return 7 if is_before or other_start + word(at, 4) <= start + word(at, 0) else MISSED


@kernel_function(inline=True)
def value_passes(test, at, value):
    """CLASS: class; SAME: object; WEAK: weak reference; COMPARED: class, object that it equals;
    CONTENT: class, count, words behind its head; SIZED, TUPLE and LIST: class, count of items;
    ENTRY: key of the dictionary; CALLED: function, whose result for the value is appended; TENSOR:
    class, another one, name, 1. An array stands for a tensor.
    """
    own = word(value, CLASS_OF)
    if test == TENSOR:
        is_known = own == word(at, 0) or own == word(at, 1)
        return 6 if is_known or own == address_of(NDARRAY) else MISSED
    if test == CALLED:
        return 3
    if test == ENTRY:
        return 3 if python.item_of(value, word(at, 0)) != NULL else MISSED
    if test == SAME:
        return 3 if value == word(at, 0) else MISSED
    if test == WEAK:
        return 3 if value == field(word(at, 0), 0, 64) else MISSED
    if own != word(at, 0):
        return MISSED
    if test == CLASS:
        return 3
    other = word(at, 1)
    if test == COMPARED:
        return 4 if value == other or python.compare(value, other, EQUAL) == 1 else MISSED
    if test == CONTENT:
        return 4 + other if are_same(value + HEAD, at + 16, other) else MISSED
    return 4 if word(value, LENGTH) == other else MISSED


@kernel_function
def returns_true(function):
    answer = python.start(function)
    if answer == NULL:
        return RAISED
    python.drop(answer)
    return 1 if answer == address_of(TRUE) else MISSED


@kernel_function(inline=True)
def context_passes(at):
    """context variable, object, function or 0, address: the variable has the object, or that at the
    address, or the function returns True.
    """
    slot = stack(1)
    if python.context(word(at, 0), NULL, slot) != 0:
        return RAISED
    value = word(slot, 0)
    python.drop(value)
    if value == word(at, 1):
        return 5
    if word(at, 2) == NULL:
        return MISSED
    return 5 if value == word(word(at, 3), 0) else 5 * returns_true(word(at, 2))


@kernel_function(inline=True)
def state_passes(test, at):
    """ITEM: dictionary, key, object, version of the dictionary that had it, bits that are set in
    later ones; FIELD: object, word behind its head; ATTRIBUTE: holder, name, object; HOLDS: a
    function that returns True; GIVEN: an object that is appended to the values.
    """
    if test == ITEM:
        version = field(word(at, 0), VERSION, 64)
        if version == word(at, 3):
            return 6
        if python.item_of(word(at, 0), word(at, 1)) != word(at, 2):
            return MISSED
        put(at, 3, version | word(at, 4))
        return 6
    if test == FIELD:
        return 3 if field(word(at, 0), 0, 64) == word(at, 1) else MISSED
    if test == GIVEN:
        return 2
    if test == CONTEXT:
        return context_passes(at)
    if test == HOLDS:
        return 2 * returns_true(word(at, 0))
    value = python.get(word(at, 0), word(at, 1))
    if value == NULL:
        return MISSED
    python.drop(value)
    return 4 if value == word(at, 2) else MISSED


@kernel_function(inline=True)
def append_values(test, at, value, values, filled):
    """The number of values with those of a test that has passed; MISSED or RAISED without them."""
    if test == GIVEN:
        put(values, filled, held(word(at, 1)))
        return filled + 1
    if test == ENTRY:
        put(values, filled, held(python.item_of(value, word(at, 2))))
        return filled + 1
    if test == CALLED:
        result = called(word(at, 2), value)
        put(values, filled, result)
        return filled + 1 if result != NULL else MISSED
    if test == TENSOR:
        is_array = word(value, CLASS_OF) == address_of(NDARRAY)
        array = held(value) if is_array else python.get(value, word(at, 4))
        put(values, filled, array)
        return filled + 1 if array != NULL else RAISED
    items = value + 8 * FIRST_ITEM if test == TUPLE else word(value, ITEMS_OF_LIST)
    for index in range(word(at, 3)):
        python.hold(word(items, index))
        put(values, filled + index, word(items, index))
    return filled + word(at, 3)


@kernel_function(inline=True)
def tested(at, values, received):
    """The address behind the tests, MISSED or RAISED; and the number of values."""
    filled = received
    while word(at, 0) != END:
        test, value = word(at, 0), NULL
        if test >= GIVEN:
            size = state_passes(test, at + 8)
        else:
            value = word(values, word(at, 1))
            if test == ARRAY:
                size = array_passes(at + 16, value)
            elif test == BOUNDED:
                size = int_passes(at + 16, value)
            elif test == APART:
                size = are_apart(at + 16, value, values)
            else:
                size = value_passes(test, at + 16, value)
        if size <= MISSED:
            return size, filled
        if TUPLE <= test <= GIVEN:
            more = append_values(test, at, value, values, filled)
            if more <= MISSED:
                return more, filled
            filled = more
        at += 8 * size
    return at + 8, filled


# ---- the kernel ------------------------------------------------------------------------------


@kernel_function(inline=True)
def with_new_arrays(at, parameters, first):
    """The address behind the new arrays, which are appended; RAISED without memory for one."""
    count, filled = word(at, 0), first
    at += 8
    for _ in range(count):
        rank, maker = word(at, 0), word(at, 1)
        at += 16
        if rank == MADE_BY_PYTHON:
            array = python.start(maker)
        else:
            python.hold(maker)  # NumPy takes this reference
            array = empty(rank, at, maker)
            at += 8 * rank
            if array == NULL:
                python.fail(word(address_of(ERROR), 0))
        if array == NULL:
            return dropped(parameters, first, filled, RAISED)
        put(parameters, filled, array)
        filled += 1
    return at


@kernel_function
def is_own_failure():
    """Whether the kernel raised the exception: that of a handler of a signal has a traceback."""
    error = stack(3)
    python.fetch(error, error + 8, error + 16)
    is_own = word(error, 0) == word(address_of(ERROR), 0) and word(error, 2) == NULL
    python.restore(word(error, 0), word(error, 1), word(error, 2))
    return is_own


@kernel_function
def move_all(at, values, memory, is_back):
    """Copy the elements of arrays to memory, or back."""
    for index in range(word(at, 0)):
        data, size = field(word(values, word(at, 2 + 2 * index)), DATA, 64), word(at, 3 + 2 * index)
        move(data if is_back else memory, memory if is_back else data, size)
        memory += size
    return memory


@kernel_function(inline=True)
def entered(at, values, entry, parameters, end):
    """The result of the entry; or NULL, and the arrays that are restored hold what they held."""
    if word(at, 0) == 0:
        return enter(entry, parameters, end)
    memory = python.allocate(word(at, 1))
    if memory == NULL:
        python.fail(word(address_of(ERROR), 0))
        return NULL
    move_all(at, values, memory, False)
    outputs = enter(entry, parameters, end)
    if outputs == NULL:
        move_all(at, values, memory, True)
    python.free(memory)
    return outputs


@kernel_function(inline=True)
def run(at, values, parameters, calls):
    """What the words behind the tests say: the result, MISSED or RAISED."""
    entry, may_fail, count = word(at, 0), word(at, 1), word(at, 2)
    at += 24
    for index in range(count):
        put(parameters, index, word(values, word(at, index)))
    at += 8 * count
    constants = word(at, 0)
    for index in range(constants):
        put(parameters, count + index, word(at, 1 + index))
    at += 8 + 8 * constants
    first = count + constants
    end = first + word(at, 0)
    at = with_new_arrays(at, parameters, first)
    if at == RAISED:
        return MISSED if python.matches(address_of(MISMATCH)) == 1 else RAISED
    outputs = entered(at, values, entry, parameters, end)
    at += 16 + 16 * word(at, 0)
    if outputs == NULL:
        is_mismatch = python.matches(address_of(MISMATCH)) == 1
        is_missed = is_mismatch or (may_fail != 0 and is_own_failure())
        return dropped(parameters, first, end, MISSED if is_missed else RAISED)
    put(calls, 0, word(calls, 0) + 1)
    result = result_of(at, outputs, values, parameters, first)
    return dropped(parameters, first, end, result)


@kernel_function(inline=True)
def are_bound(about, values, most, arguments, count, names, most_unnamed):
    """Put the arguments, and default values for others, among the values; whether they fit."""
    if count > most_unnamed:
        return False
    for index in range(count):
        put(values, index, word(arguments, index))
    for index in range(count, most):
        put(values, index, word(about, most + index))
    if names != NULL:
        for index in range(word(names, LENGTH)):
            place = place_of(word(names, FIRST_ITEM + index), about, count, most)
            if place == most:
                return False
            put(values, place, word(arguments, count + index))
    has_each = True
    for index in range(count, most):
        has_each &= word(values, index) != NULL
    return has_each


@kernel_function
def bound_call(this, arguments, count, names):
    table = field(word(this, FIRST_ITEM), DATA, 64)
    most = word(table, 1)
    values, parameters = stack(word(table, 2)), stack(word(table, 3))
    if not are_bound(table + 8 * HEAD_WORDS, values, most, arguments, count, names, word(table, 4)):
        return otherwise_call(this, arguments, count, names)
    at, filled = tested(table + 8 * (HEAD_WORDS + 2 * most), values, most)
    if at > MISSED:
        if word(at, 0) == NULL:
            result = python.call(word(at, 1), values, most, NULL)
            if result != word(at, 2):
                return dropped(values, most, filled, result)
            python.drop(result)
            at = MISSED
        else:
            at = run(at, values, parameters, table)
    dropped(values, most, filled, 0)
    if at == MISSED:
        python.clear()
        return otherwise_call(this, arguments, count, names)
    return NULL if at < MISSED else at


@kernel_function
def otherwise_call(this, arguments, count, names):
    return python.call(word(this, FIRST_ITEM + 1), arguments, count, names)
