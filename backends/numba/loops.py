"""The ranges of kernels, and the hints on loops that our own compiler gives.

The counter of a range is below its stop, which LLVM sees. Numba's own ranges count the iterations
besides, and LLVM knows nothing of the counter.
"""

from __future__ import annotations

import re

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.extending import intrinsic, lower_builtin, models, register_model
from numba.core.imputils import RefType, iternext_impl

from ...runtime.jit.loop_hints import Hints, LoopHints, of_loop
from ...runtime.jit.translate import Module
from ...runtime.jit.values import I64

VERBOSITY = 3  # instructions that Numba writes for one of ours


class Range(types.SimpleIterableType):
    """A range. `bound` is that of its trip count, or 0 if it is not known; `is_down` says whether
    its step is negative, and `one_by_one` whether what its loop reads lies far apart.
    """

    def __init__(self, bound: int, is_down: bool, one_by_one: bool):
        self.bound, self.is_down, self.one_by_one = bound, is_down, one_by_one
        name = f"kernel_range({bound}, {is_down}, {one_by_one})"
        super().__init__(name, RangeIterator(self))


class RangeIterator(types.SimpleIteratorType):
    """What gives the numbers of a range."""

    def __init__(self, range_: Range):
        self.range = range_
        name = f"iterator({range_.bound}, {range_.is_down}, {range_.one_by_one})"
        super().__init__(f"kernel_range_{name}", types.int64)


@register_model(Range)
class _RangeModel(models.StructModel):
    def __init__(self, manager, type_):
        super().__init__(
            manager, type_, [(name, types.int64) for name in ("start", "stop", "step")]
        )


@register_model(RangeIterator)
class _IteratorModel(models.StructModel):
    def __init__(self, manager, type_):
        counter = "counter", types.CPointer(types.int64)
        super().__init__(manager, type_, [counter, ("stop", types.int64), ("step", types.int64)])


@intrinsic(prefer_literal=True)
def counted(typing, start, stop, step, bound, is_down, one_by_one):
    """`range(start, stop, step)`, with what its type says, as literals."""
    known = (one.literal_value for one in (bound, is_down, one_by_one))
    type_ = Range(*map(int, known))

    def write(context, builder, signature, arguments):
        made = cgutils.create_struct_proxy(type_)(context, builder)
        pairs = zip(signature.args[:3], arguments, strict=False)
        numbers = [context.cast(builder, one, given, types.int64) for given, one in pairs]
        made.start, made.stop, made.step = numbers
        return made._getvalue()

    return type_(start, stop, step, bound, is_down, one_by_one), write


@lower_builtin("getiter", Range)
def _iterator(context, builder, signature, arguments):
    given = cgutils.create_struct_proxy(signature.args[0])(context, builder, arguments[0])
    made = cgutils.create_struct_proxy(signature.return_type)(context, builder)
    made.counter = cgutils.alloca_once(builder, I64)
    builder.store(given.start, made.counter)
    made.stop, made.step = given.stop, given.step
    return made._getvalue()


@lower_builtin("iternext", RangeIterator)
@iternext_impl(RefType.UNTRACKED)
def _next(context, builder, signature, arguments, result):
    (type_,) = signature.args
    builder.block.range = type_.range  # for `hint_loops`
    iterator = cgutils.create_struct_proxy(type_)(context, builder, arguments[0])
    number = builder.load(iterator.counter)
    sign = ">" if type_.range.is_down else "<"
    goes_on = builder.icmp_signed(sign, number, iterator.stop)
    result.set_valid(goes_on)
    with builder.if_then(goes_on):
        result.yield_(number)
        builder.store(builder.add(number, iterator.step, flags=["nsw"]), iterator.counter)


def hint_loops(module: Module, function: ir.Function, hints: Hints) -> None:
    """Give the hints on the loops of a function to LLVM."""
    offsets = {block: _offset(block) for block in function.blocks}
    for block, last in offsets.items():
        end = block.terminator
        targets = [one for one in getattr(end, "operands", ()) if one in offsets]
        for start in targets:
            if 0 <= offsets[start] <= last and "." not in start.name:
                inside = [one for one, at in offsets.items() if offsets[start] <= at <= last]
                module.hint(end, _hints_of(start, inside, hints))


def _hints_of(start: ir.Block, inside: list[ir.Block], hints: Hints) -> LoopHints:
    """The hints on the loop that begins with the block `start`."""
    if len(start.instructions) == 1 and isinstance(start.terminator, ir.Branch):
        (start,) = start.terminator.operands  # the other is an extended argument of a long jump
    found = getattr(start, "range", None)
    if found is None:
        return LoopHints(hints.vectors, hints.unrolled)
    length = sum(len(one.instructions) for one in inside) // VERBOSITY
    return of_loop(hints, found.one_by_one, found.bound, length)


def _offset(block: ir.Block) -> int:
    """The offset of a block in the bytecode: Numba names it `B16`, and parts of it `B16.if`."""
    match = re.match(r"B(\d+)", block.name)
    return int(match[1]) if match else -1
