"""Functions of kernels that call themselves.

The outermost call of one has words in its frame, whose address all calls inside of it get: the
memory that they leave to their callers, which is freed when the outermost call has returned, and
the tick that they have seen, and how deep the stack may be. A call polls for signals.
"""

from __future__ import annotations

import numpy as np
from llvmlite import ir

from ..kernel_ir import nodes
from ..kernel_ir.kernels import Function
from .kernel_types import BOOL
from .polls import poll_from, tick
from .routines import FORMS
from .values import I8, I64

OUTERMOST = I64.as_pointer()
SEEN, LIMIT, WORDS = 1, 2, 3  # the indices of words, and their number
SURE = 1 << 13  # bytes of frames that every stack has
FRAME = 1 << 10  # bytes that arrays of one of them may take


def types_returned(code: Function, value_types: tuple) -> tuple:
    """The types of what a function returns, as its last statement says: numbers of data types, and
    arrays that it was passed.
    """
    known = dict(zip(code.parameters, value_types, strict=True))
    (returned,) = code.body[-1].reads()
    return tuple(
        known[item.id] if isinstance(item, nodes.Name)
        else BOOL if item.name == "bool" else np.dtype(item.name)
        for item in returned.items
    )  # fmt: skip


def outermost_call(writer):
    """The address of the words of the outermost call."""
    if writer.outermost is None:
        with writer.in_head():
            words = writer.outermost = writer.builder.alloca(I64, size=WORDS)
            writer.builder.store(I64(0), words)
            now = tick(writer.module, writer.builder)
            writer.builder.store(now, writer.builder.gep(words, [I64(SEEN)]))
            writer.builder.store(I64(SURE), writer.builder.gep(words, [I64(LIMIT)]))
        writer.module.polls = True
        writer.at_end.append(lambda: _free_all(writer))
    return writer.outermost


def enter(writer, words) -> None:
    """Begin a function that calls itself."""
    builder, module = writer.builder, writer.module
    writer.outermost, writer.leaves_memory = words, True
    writer.most_on_stack = FRAME
    type_ = ir.FunctionType(I8.as_pointer(), [ir.IntType(32)])
    frame = builder.call(module.declared("llvm.frameaddress.p0", type_), [ir.IntType(32)(0)])
    depth = builder.sub(builder.ptrtoint(words, I64), builder.ptrtoint(frame, I64))
    seen, limit = (builder.gep(words, [I64(at)], inbounds=True) for at in (SEEN, LIMIT))
    FORMS["depth"]()["check"](writer, words, depth, limit)
    poll_from(writer, seen)


def left_to_callers(writer, start):
    """The address of elements in memory at `start`, which the outermost call frees."""
    builder, words = writer.builder, writer.outermost
    builder.store(builder.load(words), builder.bitcast(start, OUTERMOST))
    builder.store(builder.ptrtoint(start, I64), words)
    data = builder.ptrtoint(writer.elements_in(start), I64)
    return builder.inttoptr(data, I8.as_pointer())  # it is no memory of this call


def _free_all(writer) -> None:
    """Free what calls have left: each block has the address of the one before in front."""
    builder = writer.builder
    test, body, after = map(writer.block, ("left", "frees", "freed"))
    builder.branch(test)
    writer.at(test)
    start = builder.load(writer.outermost)
    builder.cbranch(builder.icmp_signed("==", start, I64(0)), after, body)
    writer.at(body)
    block = builder.inttoptr(start, OUTERMOST)
    builder.store(builder.load(block), writer.outermost)
    writer.free(builder.bitcast(block, I8.as_pointer()))
    builder.branch(test)
    writer.at(after)
