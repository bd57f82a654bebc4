"""What the parts of shared loops and the kernels around them call: pieces, threads, addresses."""

from __future__ import annotations

import functools

from llvmlite import ir

from .codegen.kinds import INT64
from .codegen.known import array_at
from .codegen.marks import helper, written
from .codegen.values import WORD
from .machine_numbers import Number


@functools.cache
def functions() -> dict[str, object]:
    """The functions that parts and the kernels around them call."""
    made = (hidden, differ, taken, run_part, noted_wrapped_index, noted_checked_index)
    return {"array_at": written(array_at)} | {one.__name__: one for one in made}


def _called(writer, address, arguments, result=WORD):
    """A call of the function at an address, with words."""
    given = list(map(writer.word, arguments))
    kind = ir.FunctionType(result, [WORD] * len(given))
    place = writer.builder.inttoptr(writer.word(address), kind.as_pointer())
    return writer.builder.call(place, given)


@written
def taken(writer, address):
    """The number of the next piece."""
    place = writer.builder.inttoptr(writer.word(address), WORD.as_pointer())
    return Number(writer.builder, writer.builder.atomic_rmw("add", place, WORD(1), "seq_cst"))


@written
def call_part(writer, part, table):
    _called(writer, part, [table], ir.VoidType())


@written
def call_word(writer, function, *arguments):
    """A call of a function that gives a word."""
    return Number(writer.builder, _called(writer, function, arguments))


@helper
def run_part(part, table, pieces, live):
    """All pieces of a part, with the help of other threads; whether something failed."""
    address = table.ctypes.data
    if live[2] < 2:
        call_part(part, address)
    else:
        job = call_word(live[0], part, address, pieces)
        call_part(part, address)
        while call_word(live[1], job) == 0:
            pass
    return table[1] != 0


@written
def differ(writer, x, y):
    """The bits in which two numbers of one type differ."""
    x, y = (one.as_bits() if one.is_float else one for one in map(writer.number, (x, y)))
    bits = x ^ y
    return Number(writer.builder, bits.value, True).cast(INT64)


@helper
def noted_wrapped_index(table, place, size):
    if place < 0:
        place += size
    if place < 0 or place >= size:
        table[1] = 1
        return 0
    return place


@helper
def noted_checked_index(table, place, size):
    if place < 0 or place >= size:
        table[1] = 1
        return 0
    return place


@written
def hidden(writer, number):
    """The number, of which LLVM does not know that it is constant."""
    nothing = ir.InlineAsm(ir.FunctionType(WORD, [WORD]), "", "=r,0")
    return Number(writer.builder, writer.builder.call(nothing, [writer.word(number)]))
