"""Polls: a loop of a kernel looks whether a signal has arrived.

While kernels run, a thread of Python increments a word, the tick (`interrupt_clock.py`). A loop
compares it with the tick that it has seen. Where it has changed, Python's main thread takes the GIL
and runs the handlers of signals that have arrived. A handler that raises, as that of Ctrl-C does,
ends the kernel with its exception.

Other threads ask nothing: Python handles signals in its main thread. A thread that runs a parallel
region leaves it when the region is interrupted, or has failed elsewhere.
"""

from __future__ import annotations

from llvmlite import ir

from .llvm_values import Number
from .loader.shared_words import MAIN_THREAD, TICK, WORDS
from .loader.symbols import PREFIX, SHARED, SHARED_WORDS
from .loop_hints import intrinsic
from .values import I64

ITERATIONS = 4096  # of a loop with short iterations, between two polls
FAILED = 1  # the index in the table of a parallel region of what went wrong
INTERRUPTED = 2  # this bit of it: a handler has raised
BIT, WORD = ir.IntType(1), I64.as_pointer()
OFTEN, RARELY = 1 << 20, 1  # branch weights
# The rare call saves all registers, so the loop around it keeps its values in them.
CONVENTION = "preserve_mostcc"
POLL = f"{SHARED}entry.poll"  # its name in the library of the entries of kernels


def shared_word(module, builder: ir.IRBuilder, index: int):
    """The address of a word that is shared with Python."""
    words = module.ir.globals.get(SHARED_WORDS)
    if words is None:
        words = ir.GlobalVariable(module.ir, ir.ArrayType(I64, WORDS.size), SHARED_WORDS)
    return builder.gep(words, [I64(0), I64(index)], inbounds=True)


def write_poll(writer, is_seldom: bool) -> None:
    """Write the poll of a loop, at the end of an iteration. The function fails where it has to end.

    With `is_seldom` it only counts down in most iterations: an instruction and a branch that fuse.
    """
    module, builder, seen = writer.module, writer.builder, _seen_tick(writer)
    asks, goes_on = writer.block("asks"), writer.block("goes_on")
    if is_seldom:
        left = writer.on_stack(I64)
        with writer.in_head():
            builder.store(I64(ITERATIONS), left)
        count = builder.sub(builder.load(left), I64(1))
        builder.store(count, left)
        is_quiet = builder.icmp_unsigned("!=", count, I64(0))
    else:
        now = tick(module, builder)
        is_quiet = builder.icmp_unsigned("==", now, builder.load(seen))
    builder.cbranch(is_quiet, goes_on, asks).set_weights([OFTEN, RARELY])
    writer.at(asks)
    if is_seldom:
        builder.store(I64(ITERATIONS), left)
    table = writer.function.args[0] if writer.is_region else I64(0)
    writer.fail_if(builder.call(_poll(module), [seen, table], cconv=CONVENTION))
    writer.go(goes_on)
    writer.at(goes_on)


@intrinsic
def poll_region(writer, table) -> Number:
    """Whether the parallel region with a table at this address has to end."""
    arguments = [_seen_tick(writer), writer.int64(table)]
    ends = writer.builder.call(_poll(writer.module), arguments, cconv=CONVENTION)
    return Number(writer.builder, ends)


@intrinsic
def tick_now(writer) -> Number:
    """The tick."""
    return Number(writer.builder, tick(writer.module, writer.builder))


@intrinsic
def poll_after(writer, seen, table) -> Number:
    """The tick, after a poll of a loop that has seen `seen`. It fails where the loop has to end."""
    builder, now = writer.builder, tick(writer.module, writer.builder)
    slot, latest = writer.on_stack(I64), writer.on_stack(I64)
    seen = writer.int64(seen)
    builder.store(seen, latest)
    with builder.if_then(builder.icmp_unsigned("!=", now, seen), likely=False):
        builder.store(seen, slot)
        arguments = [slot, writer.int64(table)]
        writer.fail_if(builder.call(_poll(writer.module), arguments, cconv=CONVENTION))
        builder.store(builder.load(slot), latest)
    return Number(builder, builder.load(latest))


def poll_from(writer, seen) -> None:
    """Write a poll where a function begins that has seen the tick at an address."""
    builder = writer.builder
    is_new = builder.icmp_unsigned("!=", tick(writer.module, builder), builder.load(seen))
    with builder.if_then(is_new, likely=False):
        writer.fail_if(builder.call(_poll(writer.module), [seen, I64(0)], cconv=CONVENTION))


def _seen_tick(writer):
    """The slot of the tick that the function has seen: first, that at its start."""
    writer.module.polls = True
    if writer.tick is None:
        writer.tick = writer.on_stack(I64)
        with writer.in_head():
            writer.builder.store(tick(writer.module, writer.builder), writer.tick)
    return writer.tick


def tick(module, builder: ir.IRBuilder):
    return builder.load_atomic(shared_word(module, builder, TICK), "monotonic", 8)


def _poll(module) -> ir.Function:
    """The function `poll(tick, table)`: whether the loop has to end. `tick` is the address of the
    tick that it has seen, and `table` that of the table of its parallel region, or 0.
    """
    function = module.declared(PREFIX + POLL, ir.FunctionType(BIT, [WORD, I64]))
    function.calling_convention = CONVENTION
    function.attributes.add("cold")
    function.attributes.add("nounwind")
    return function


def write_poll_function(module) -> None:
    """Define it, in the library that kernels share."""
    function = ir.Function(module.ir, ir.FunctionType(BIT, [WORD, I64]), POLL)
    function.calling_convention = CONVENTION
    _leave_as_it_is(function)
    builder = ir.IRBuilder(function.append_basic_block())
    seen, table = function.args
    now = tick(module, builder)
    with builder.if_then(builder.icmp_unsigned("==", now, builder.load(seen))):
        builder.ret(BIT(0))
    builder.store(now, seen)
    ends = builder.call(_interrupted(module), [])
    with builder.if_then(builder.icmp_unsigned("==", table, I64(0))):
        builder.ret(ends)
    failed = builder.gep(builder.inttoptr(table, WORD), [I64(FAILED)])
    with builder.if_then(ends):
        builder.atomic_rmw("or", failed, I64(INTERRUPTED), "seq_cst")
    status = builder.load_atomic(failed, "monotonic", 8)
    builder.ret(builder.icmp_unsigned("!=", status, I64(0)))
    return function


def _interrupted(module) -> ir.Function:
    """The function that says whether the handler of a signal has raised an exception."""
    function = ir.Function(module.ir, ir.FunctionType(BIT, []), "interrupted")
    function.linkage = "internal"
    _leave_as_it_is(function)
    builder = ir.IRBuilder(function.append_basic_block())

    def call(name: str, *arguments):
        return builder.call(module.external(name), arguments)

    main = builder.load(shared_word(module, builder, MAIN_THREAD))
    with builder.if_then(builder.icmp_unsigned("!=", call("thread"), main)):
        builder.ret(BIT(0))
    state = call("ensure")
    call("signals")
    error = call("occurred")
    call("leave", state)
    builder.ret(builder.icmp_unsigned("!=", error, error.type(None)))
    return function


def _leave_as_it_is(function: ir.Function) -> None:
    """Tell LLVM not to optimize a function that rarely runs."""
    for attribute in ("noinline", "optnone"):
        function.attributes.add(attribute)
