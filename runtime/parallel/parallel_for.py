"""What the parts of shared loops and the kernels around them call: pieces, threads, addresses."""

from __future__ import annotations

import functools
import platform

from llvmlite import ir

from ..jit.kernel_types import INT64
from ..jit.llvm_values import Number, where
from ..jit.loop_hints import helper, written
from ..jit.supported_functions import array_at
from ..jit.values import WORD
from .mailbox import AWAKE, BOARD_AT, COUNT, INSIDE, OWNED, PART, POSTED, ROOM, TABLE, WAIT, WAKE

FAR = 1 << 61  # from zero: what counts further away is left to the plan
PATIENCE = 4000  # turns that a kernel waits, awake, before it lets others run
LARGEST_UNIT = 64  # elements: vectors of so many are in flight at most


@functools.cache
def functions() -> dict[str, object]:
    """The functions that parts and the kernels around them call."""
    made = (hidden, taken, run_part, linger, noted_wrapped_index, noted_checked_index)
    made += (turns_between,)
    return {"array_at": written(array_at)} | {one.__name__: one for one in made}


def _called(writer, address, arguments, result=WORD):
    """A call of the function at an address, with words."""
    given = list(map(writer.word, arguments))
    kind = ir.FunctionType(result, [WORD] * len(given))
    place = writer.builder.inttoptr(writer.word(address), kind.as_pointer())
    return writer.builder.call(place, given)


@written
def call_part(writer, part, table):
    _called(writer, part, [table], ir.VoidType())


@written
def call_word(writer, function, *arguments):
    """A call of a function that gives a word."""
    return Number(writer.builder, _called(writer, function, arguments))


@helper(seldom=True)
def run_part(part, table, pieces, live):
    """All pieces of a part, with the help of other threads; whether something failed."""
    address, helpers = table.ctypes.data, min(live[COUNT], pieces) - 1
    if helpers < 1:
        call_part(part, address)
    else:
        job = wake(part, address, helpers, live)
        call_part(part, address)
        wait(job, live)
    return table[1] != 0


# ---- threads that stand by -------------------------------------------------------------------


@helper(seldom=True)
def wake(part, table, helpers, live):
    """Post a part for those who are awake, and wake others if they are too few. Gives the number of
    the pool's job, which is even, and 1 more where it is posted.
    """
    board, job = live[BOARD_AT], 0
    awake = min(helpers, word_at(board + AWAKE))
    if awake > 0 and exchanged(board + OWNED, 0, 1):
        put_word(board + PART, part)
        put_word(board + TABLE, table)
        put_word(board + ROOM, awake)
        added(board + POSTED, 1)
        job, helpers = 1, helpers - awake
    if helpers > 0:
        job |= call_word(live[WAKE], part, table, helpers + 1)
    return job


@helper(seldom=True)
def wait(job, live):
    """Take it down, and wait for those inside; then as the pool does."""
    board = live[BOARD_AT]
    if job & 1:
        added(board + POSTED, 1)
        turns = 0
        while word_at(board + INSIDE) != 0:
            pause()
            turns += 1
            if turns % PATIENCE == 0:
                call_word(live[WAIT], 0)
        put_word(board + OWNED, 0)
    if job > 1:
        while call_word(live[WAIT], job & -2) == 0:
            pass


@helper(vectors=False, unrolled=False)
def linger(board, turns):
    """Work on what is posted, until nothing new has been for so many turns."""
    seen, turn = 0, 0
    added(board + AWAKE, 1)
    while turn < turns:
        number = word_at(board + POSTED)
        if number & 1 and number != seen:
            seen, turn = number, 0
            join(board, number)
        else:
            pause()
            turn += 1
    added(board + AWAKE, -1)


@helper(vectors=False, unrolled=False)
def join(board, number):
    """Work on the posting `number`, unless it is over or has enough threads."""
    added(board + INSIDE, 1)
    if word_at(board + POSTED) == number and added(board + ROOM, -1) > 0:
        call_part(word_at(board + PART), word_at(board + TABLE))
    added(board + INSIDE, -1)


def _pointer(writer, address):
    return writer.builder.inttoptr(writer.word(address), WORD.as_pointer())


@written
def word_at(writer, address):
    """A word that threads share."""
    place = _pointer(writer, address)
    return Number(writer.builder, writer.builder.load_atomic(place, "seq_cst", 8))


@written
def put_word(writer, address, value):
    writer.builder.store_atomic(writer.word(value), _pointer(writer, address), "seq_cst", 8)


@written
def added(writer, address, number):
    """Add to a word; what it held before."""
    place = _pointer(writer, address)
    made = writer.builder.atomic_rmw("add", place, writer.word(number), "seq_cst")
    return Number(writer.builder, made)


@written
def exchanged(writer, address, old, new):
    """Replace a word if it holds `old`: whether it did."""
    place, words = _pointer(writer, address), (writer.word(old), writer.word(new))
    found = writer.builder.cmpxchg(place, *words, "seq_cst", "seq_cst")
    return Number(writer.builder, writer.builder.extract_value(found, 1))


@written
def pause(writer):
    """Let the other half of the core work."""
    machine, nothing = platform.machine().lower(), ir.VoidType()
    if machine in ("x86_64", "amd64"):
        function = ir.FunctionType(nothing, [])
        writer.builder.call(writer.module.declared("llvm.x86.sse2.pause", function), [])
    elif machine in ("arm64", "aarch64"):
        function = ir.FunctionType(nothing, [ir.IntType(32)])
        hint = writer.module.declared("llvm.aarch64.hint", function)
        writer.builder.call(hint, [ir.IntType(32)(1)])


# ---- turns -----------------------------------------------------------------------------------


@written
def turns_between(writer, start, limit, step, least, most, exactly=False):
    """How many turns a counter makes from `start` by `step` until it has reached `limit`; -1 where
    it might leave `least` to `most`, or, if it is to meet the limit exactly, miss it.
    """
    start, limit = (writer.number(one, INT64) for one in (start, limit))
    way = limit - start if step > 0 else start - limit
    stride = abs(step)
    count = where(way > 0, way, 0)
    if stride > 1:
        count = (count + (stride - 1)).divided(writer.number(stride, INT64))
    last = start + count * step
    near = FAR - stride - 1
    least, most = max(least, -near), min(most, near)
    fine = (last >= least) & (last <= most)
    for one in (start, limit):
        fine &= (one >= least) & (one <= most)
    if exactly:
        fine &= last == limit
    return where(fine, count, -1)


# ---- pieces ----------------------------------------------------------------------------------


@helper(vectors=False, unrolled=False)
def taken(address):
    """The number of the next piece."""
    return added(address, 1)


@helper(vectors=False, unrolled=False)
def noted_wrapped_index(table, place, size):
    if place < 0:
        place += size
    if place < 0 or place >= size:
        table[1] = 1
        return 0
    return place


@helper(vectors=False, unrolled=False)
def noted_checked_index(table, place, size):
    if place < 0 or place >= size:
        table[1] = 1
        return 0
    return place


@written
def hidden(writer, number):
    """The number, of which LLVM does not know that it is constant; but whether loops of so many
    turns leave a rest when they become vectors, which would have to be written besides.
    """
    nothing = ir.InlineAsm(ir.FunctionType(WORD, [WORD]), "", "=r,0")
    made = Number(writer.builder, writer.builder.call(nothing, [writer.word(number)]))
    unit = min(number & -number, LARGEST_UNIT)
    if unit > 1:
        writer.assume((made & (unit - 1)) == 0)
    return made
