"""Parallel regions: what they, and the kernels around them, call to share chunks among threads."""

from __future__ import annotations

import functools
import platform

from llvmlite import ir

from ..jit.entry.python_entry import OBJECT
from ..jit.kernel_types import INT64
from ..jit.llvm_values import Number, where
from ..jit.loader.llvm_backend import IS_WAITING
from ..jit.loader.symbols import PREFIX, SHARED
from ..jit.loop_hints import intrinsic, kernel_function
from ..jit.polls import FAILED, INTERRUPTED, poll_region
from ..jit.supported_functions import array_at
from ..jit.translate import Module
from ..jit.values import I64
from .mailbox import (
    ARGUMENTS,
    ASLEEP,
    COUNT,
    FIRST_WORKER,
    INSIDE,
    LINE,
    LOCK,
    MAILBOX_AT,
    NAP,
    OWNED,
    POSTED,
    REGION,
    SEATS,
    SPINNING,
    WORKERS,
)

FAR = 1 << 61  # counters further from zero are left to the sequential loop
SPINS = 4000  # iterations that a kernel spin-waits before it lets other threads run
NAP_MICROSECONDS = 20  # for which it lets them
LARGEST_VECTOR = 64  # elements that a vectorized loop handles at once, at most
LIBRARY = f"{SHARED}parallel."  # the prefix of the functions of the library


@functools.cache
def functions() -> dict[str, object]:
    """The functions that parallel regions and the kernels around them call."""
    own = [one_by_one, opaque, short, next_chunk, run_region, trip_count]
    return {"array_at": intrinsic(array_at)} | {function.__name__: function for function in own}


@intrinsic
def call_region(writer, region, arguments):
    """A call of a parallel region by its address."""
    type = ir.FunctionType(ir.VoidType(), [I64])
    function = writer.builder.inttoptr(writer.int64(region), type.as_pointer())
    writer.builder.call(function, [writer.int64(arguments)])


@kernel_function
def run_region(region, table, chunks, control):
    """Run all chunks of a region, with the help of other threads. True if one has failed."""
    run_chunks(region, table.ctypes.data, min(control[COUNT], chunks) - 1, control[MAILBOX_AT])
    if table[FAILED] & INTERRUPTED:
        raise KeyboardInterrupt
    return table[FAILED] != 0


# ---- the library that kernels share ----------------------------------------------------------


def written() -> str:
    """The library, in LLVM's assembly language."""
    module = Module("parallel")
    for function in (share_chunks, spin_wait, work):
        _write_c_function(module, function)
    module.ir.add_named_metadata(IS_WAITING)
    return str(module.ir)


def _write_c_function(module: Module, function) -> None:
    """A function of integers as one of C."""
    count = function.__code__.co_argcount
    target, *_ = module.function(function, (INT64,) * count)
    type_ = ir.FunctionType(ir.VoidType(), [I64] * count)
    entry = ir.Function(module.ir, type_, f"{LIBRARY}{function.__name__}")
    builder = ir.IRBuilder(entry.append_basic_block())
    builder.call(target, entry.args)
    builder.ret_void()


@intrinsic
def run_chunks(writer, *arguments):
    """Call `share_chunks`."""
    type_ = ir.FunctionType(ir.VoidType(), [I64] * len(arguments))
    function = writer.module.declared(f"{PREFIX}{LIBRARY}share_chunks", type_)
    writer.builder.call(function, [writer.int64(argument) for argument in arguments])


@kernel_function(cold=True)
def share_chunks(region, table, helpers, mailbox):
    """Run all chunks of a region, with the help of so many other threads.

    The workers may be busy with the region of another kernel: this thread then works alone.
    """
    if helpers < 1 or not exchange(mailbox + OWNED, 0, 1):
        call_region(region, table)
    else:
        post(mailbox, region, table, helpers)
        call_region(region, table)
        withdraw(mailbox, table)


# ---- the mailbox: see mailbox.py for its invariants ------------------------------------------


@kernel_function(cold=True)
def post(mailbox, region, table, helpers):
    """Post a region to the threads that spin-wait, and wake others if they are too few."""
    put_word(mailbox + REGION, region)
    put_word(mailbox + ARGUMENTS, table)
    put_word(mailbox + SEATS, helpers)
    fetch_add(mailbox + POSTED, 1)
    asleep = helpers - word_at(mailbox + SPINNING)
    worker = mailbox + FIRST_WORKER
    end = worker + word_at(mailbox + WORKERS) * LINE
    while asleep > 0 and worker < end:
        if exchange(worker + ASLEEP, 1, 0):
            release(word_at(worker + LOCK))
            asleep -= 1
        worker += LINE


@kernel_function(cold=True)
def withdraw(mailbox, table):
    """Withdraw the posted region, and wait for the threads inside."""
    fetch_add(mailbox + POSTED, 1)
    spins = 0
    while word_at(mailbox + INSIDE) != 0:
        pause()
        spins += 1
        if spins % SPINS == 0:
            nap(word_at(mailbox + NAP))
            poll_region(table)
    put_word(mailbox + OWNED, 0)


@kernel_function(cold=True)
def work(mailbox, worker, iterations):
    """The life of a worker: run what is posted, spin-wait, sleep."""
    seen = 0
    while True:
        seen = spin_wait(mailbox, seen, iterations)
        put_word(worker + ASLEEP, 1)
        number = word_at(mailbox + POSTED)
        is_new = number & 1 != 0 and number != seen
        if not (is_new and exchange(worker + ASLEEP, 1, 0)):
            acquire(word_at(worker + LOCK))


@kernel_function(cold=True)
def spin_wait(mailbox, seen, iterations):
    """Run what is posted, until nothing new has been for so many iterations. `seen` is the number
    of the last job that this thread knows, and so is the result.
    """
    waited = 0
    if iterations > 0:
        fetch_add(mailbox + SPINNING, 1)
    while waited <= iterations:
        number = word_at(mailbox + POSTED)
        if number & 1 != 0 and number != seen:
            seen, waited = number, 0
            join(mailbox, number)
        else:
            pause()
            waited += 1
    if iterations > 0:
        fetch_add(mailbox + SPINNING, -1)
    return seen


@kernel_function(cold=True)
def join(mailbox, number):
    """Run the region posted as `number`, unless it is over or has enough threads."""
    fetch_add(mailbox + INSIDE, 1)
    if word_at(mailbox + POSTED) == number and fetch_add(mailbox + SEATS, -1) > 0:
        call_region(word_at(mailbox + REGION), word_at(mailbox + ARGUMENTS))
    fetch_add(mailbox + INSIDE, -1)


def _lock(writer, address):
    return writer.builder.inttoptr(writer.int64(address), OBJECT)


@intrinsic
def release(writer, lock):
    """Release a lock of Python's C interface, from any thread."""
    writer.builder.call(writer.module.external("unlock"), [_lock(writer, lock)])


@intrinsic
def acquire(writer, lock):
    """Take a lock of Python's C interface, and sleep until it is free."""
    flag = ir.IntType(32)(1)
    writer.builder.call(writer.module.external("lock"), [_lock(writer, lock), flag])


@intrinsic
def nap(writer, lock):
    """Let other threads run: wait in vain for a lock that is never free."""
    arguments = [_lock(writer, lock), I64(NAP_MICROSECONDS), ir.IntType(32)(0)]
    writer.builder.call(writer.module.external("lock_timed"), arguments)


def _pointer(writer, address):
    return writer.builder.inttoptr(writer.int64(address), I64.as_pointer())


@intrinsic
def word_at(writer, address):
    """The value of a shared word."""
    pointer = _pointer(writer, address)
    return Number(writer.builder, writer.builder.load_atomic(pointer, "seq_cst", 8))


@intrinsic
def put_word(writer, address, value):
    writer.builder.store_atomic(writer.int64(value), _pointer(writer, address), "seq_cst", 8)


@intrinsic
def fetch_add(writer, address, number):
    """Add to a shared word; the result is its old value."""
    pointer = _pointer(writer, address)
    old = writer.builder.atomic_rmw("add", pointer, writer.int64(number), "seq_cst")
    return Number(writer.builder, old)


@intrinsic
def exchange(writer, address, old, new):
    """Replace a shared word if its value is `old`; the result says whether it was."""
    pointer, values = _pointer(writer, address), (writer.int64(old), writer.int64(new))
    pair = writer.builder.cmpxchg(pointer, *values, "seq_cst", "seq_cst")
    return Number(writer.builder, writer.builder.extract_value(pair, 1))


@intrinsic
def pause(writer):
    """Leave the core to its other hardware thread for a moment."""
    machine, nothing = platform.machine().lower(), ir.VoidType()
    if machine in ("x86_64", "amd64"):
        function = ir.FunctionType(nothing, [])
        writer.builder.call(writer.module.declared("llvm.x86.sse2.pause", function), [])
    elif machine in ("arm64", "aarch64"):
        function = ir.FunctionType(nothing, [ir.IntType(32)])
        hint = writer.module.declared("llvm.aarch64.hint", function)
        writer.builder.call(hint, [ir.IntType(32)(1)])


# ---- trip counts -----------------------------------------------------------------------------


@intrinsic
def trip_count(writer, start, limit, step, least, most, exactly=False):
    """The number of iterations of a counter from `start` by `step` up to `limit`.

    It is -1 where the counter might leave the range from `least` to `most`, or, with `exactly`,
    might step over the limit.
    """
    start, limit = (writer.number(end, INT64) for end in (start, limit))
    distance = limit - start if step > 0 else start - limit
    stride = abs(step)
    count = where(distance > 0, distance, 0)
    if stride > 1:
        count = (count + (stride - 1)).divided(writer.number(stride, INT64))
    last = start + count * step
    bound = FAR - stride - 1
    least, most = max(least, -bound), min(most, bound)
    is_safe = (last >= least) & (last <= most)
    for value in (start, limit):
        is_safe &= (value >= least) & (value <= most)
    if exactly:
        is_safe &= last == limit
    return where(is_safe, count, -1)


# ---- inside a parallel region ----------------------------------------------------------------


@kernel_function(vectors=False, unrolled=False)
def next_chunk(address):
    """The number of the next chunk, from the counter that all threads share."""
    return fetch_add(address, 1)


@intrinsic
def one_by_one(writer, number):
    """The number. A loop over `range` of it is not vectorized: its elements lie far apart."""
    return number


@intrinsic
def short(writer, number):
    """The number. A loop over `range` of it ends soon, so it need not poll for signals."""
    return number


@intrinsic
def opaque(writer, number):
    """The number, whose value LLVM does not know (an optimization barrier).

    For a trip count that is a constant, LLVM is told whether it is a multiple of the vector width:
    a vectorized loop needs no remainder loop then.
    """
    if isinstance(number, Number):
        return number
    barrier = ir.InlineAsm(ir.FunctionType(I64, [I64]), "", "=r,0")
    result = Number(writer.builder, writer.builder.call(barrier, [writer.int64(number)]))
    unit = min(number & -number, LARGEST_VECTOR)
    if unit > 1:
        writer.assume((result & (unit - 1)) == 0)
    return result
