"""Translates statements of kernels: assignments, branches, loops, failures."""

from __future__ import annotations

import itertools
import math

from llvmlite import ir

from ..kernel_ir.kernels import last_needed
from ..kernel_ir.nodes import Const, Expression, Leave, Load, Name, Statement, Tuple
from . import values
from .entry.python_entry import OBJECT_SIZE
from .expressions import ExpressionWriter
from .function_writer import OBJECT
from .kernel_types import UntranslatableError
from .llvm_values import Number
from .loop_facts import Polling, is_range, polling_of
from .loop_hints import DEFAULT_HINTS, is_one_by_one, of_loop
from .polls import ITERATIONS, write_poll
from .supported_functions import copy_elements, fill, least
from .values import I8, I64, Array, type_of

# Instructions through which a condition is followed to a bit, and how many of them.
THROUGH_BITS, MOST_SEARCHED = {"icmp", "xor", "and", "or", "trunc", "zext"}, 16


class StatementWriter(ExpressionWriter):
    """The body of a function."""

    is_kernel = is_region = False
    tick = None  # the slot of the tick that the function has seen
    hints = DEFAULT_HINTS
    repeated = 0  # instructions that loops of known trip counts repeat, beyond those written
    result: list = []  # slots for the components of the result

    @property
    def is_polled(self) -> bool:
        """Whether long loops poll. Those of most functions that a kernel calls do not."""
        return self.is_kernel or self.is_region or self.hints.polls

    def body_of_kernel(self, statements: tuple[Statement, ...]) -> None:
        """The body of a kernel, which frees an array behind the statement that needs it last: the
        next one takes over its memory, which is in the cache, and costs no page faults.
        """
        slots: list[list] = []  # by the statements that make arrays
        for statement, dead in zip(statements, last_needed(statements), strict=True):
            count = len(self.memory)
            self.body((statement,))
            if self.builder.block.is_terminated:
                return
            slots.append(self.memory[count:])
            for slot in (slot for allocation in dead for slot in slots[allocation]):
                self.free(self.builder.load(slot))
                self.builder.store(OBJECT(None), slot)

    def body(self, statements: tuple[Statement, ...]) -> None:
        for statement in statements:
            if self.builder.block.is_terminated:
                return
            write = getattr(self, f"write_{type(statement).__name__.lower()}")
            if self.module.locations is not None and (self.is_kernel or self.is_region):
                self.module.locations.note(self, statement)
            write(statement)

    def write_evaluate(self, node):
        if not isinstance(node.value, Const):  # a docstring
            self.value(node.value)

    def write_leave(self, node):
        if node.word == "raise":
            self.fail()
        elif node.word == "return":
            self.write_return(node)
        elif node.word != "pass":
            self.go(self.loops[-1][node.word == "break"])

    def write_return(self, node: Leave) -> None:
        """Store the result in its slots. The exit of the function reads it there."""
        if node.value is None:
            self.go(self.end)
            return
        value = self.typed(self.value(node.value))
        if self.is_kernel:
            wanted = self.module.results or tuple(map(type_of, value))
            value = tuple(map(self.kept, value, wanted))
        type_ = self.types.take_result(type_of(value))
        for slot, part in zip(self.result, values.components_of(value, type_), strict=True):
            self.builder.store(part, slot)
        self.go(self.end)

    def kept(self, value, wanted):
        """A result of a kernel. An array whose size its caller does not know outlives the call."""
        is_unknown = isinstance(value, Array) and None in wanted.shape
        return self.outliving(value) if is_unknown else value

    def outliving(self, value: Array) -> Array:
        """The array in memory that outlives the call: its own, if the kernel has allocated it and
        no earlier result has it, or a copy. The address to free is in front of the elements.
        """
        builder, none = self.builder, OBJECT(None)
        own, data = none, builder.bitcast(value.data, OBJECT)
        for slot in self.memory:
            start = builder.load(slot)
            is_its = builder.icmp_unsigned("==", self.elements_in(start), data)
            own = builder.select(is_its, start, own)
            builder.store(builder.select(is_its, none, start), slot)
        kept = self.held()
        builder.store(own, kept)
        with builder.if_then(builder.icmp_unsigned("==", own, none)):
            size = math.prod(value.sizes) * value.dtype.itemsize
            self.move_bytes(self.allocate(kept, size, I8), data, size)
        start = builder.load(kept)
        builder.store(none, kept)
        data = self.elements_in(start)
        place = builder.bitcast(builder.gep(data, [I64(-OBJECT_SIZE)]), OBJECT.as_pointer())
        builder.store(start, place)
        return Array(value.dtype, builder.bitcast(data, value.data.type), value.sizes)

    # ---- assignments ---------------------------------------------------------------------

    def write_let(self, node):
        value = self.value(node.value)
        for target in (node.target, *node.more):
            self.store(target, value)

    def write_update(self, node):
        """The target is evaluated once."""
        target = node.target
        if isinstance(target, Name):
            old = self.value_name(target)
            self.store(target, self.combined(node.op, old, self.value(node.value)))
            return
        owner, indices = self.value(target.array), self.indices(target)
        if len(indices) != len(owner.sizes) or any(isinstance(index, slice) for index in indices):
            raise UntranslatableError("an assignment to a part of an array with an operator")
        more = self.value(node.value)
        self.write(owner, indices, self.combined(node.op, self.read(owner, indices), more))

    def store(self, target: Expression, value) -> None:
        if isinstance(target, Name):
            self.assign(target.id, value)
        elif isinstance(target, Tuple):
            if not isinstance(value, tuple) or len(value) != len(target.items):
                raise UntranslatableError("unpacking of something that is not such a tuple")
            for item, part in zip(target.items, map(self.typed, value), strict=True):
                self.store(item, part)
        elif not isinstance(target, Load):
            raise UntranslatableError(f"an assignment to {target}")
        else:
            self.store_at(self.value(target.array), self.indices(target), value)

    def store_at(self, owner: Array, indices: tuple, value) -> None:
        if len(indices) == len(owner.sizes) and not any(isinstance(key, slice) for key in indices):
            self.write(owner, indices, value)
            return
        part = self.view(owner, indices)
        copy_elements(self, part, value) if isinstance(value, Array) else fill(self, part, value)

    # ---- branches and loops --------------------------------------------------------------

    def decided(self, node: Expression) -> bool | Number:
        """The value of a condition: True or False if it is a constant."""
        test = self.truth(self.value(node))
        if isinstance(test, Number) and test.length:
            raise UntranslatableError("a branch on a vector, whose elements may differ")
        return test

    def write_if(self, node):
        test = self.decided(node.test)
        if isinstance(test, bool):
            self.body(node.body if test else node.orelse)
            return
        first = node.body[0]
        if isinstance(first, Leave) and first.word == "raise" and not node.orelse:
            self.fail_if(test.value)
            return
        yes, after = self.block("then"), self.block("after")
        no = self.block("orelse") if node.orelse else after
        branch = self.builder.cbranch(test.value, yes, no)
        if is_bit_test(branch.parent, test.value):
            branch.set_metadata("unpredictable", self.module.ir.add_metadata([]))
        goes_on = not node.orelse
        for block, statements in ((yes, node.body), (no, node.orelse)):
            if block is not after:
                self.at(block)
                self.body(statements)
                goes_on |= not self.builder.block.is_terminated
                self.go(after)
        self.at(after)
        if not goes_on:  # both branches leave: what follows may read names that neither sets
            self.builder.unreachable()

    def write_while(self, node):
        test, body, following, after = map(self.block, ("test", "body", "next", "after"))
        self.go(test)
        self.at(test)
        goes_on = self.decided(node.test)
        if isinstance(goes_on, Number):
            self.builder.cbranch(goes_on.value, body, after)
        else:
            self.go(body if goes_on else after)
        self.at(body)
        self.loop_body(node.body, following, after)
        self.go(following)
        self.at(following)
        self.write_poll(polling_of(node))
        self.go(test)
        self.at(after)

    def write_poll(self, polling: Polling) -> None:
        """Write the poll of a loop at the end of an iteration."""
        if self.is_polled and polling is not Polling.NEVER:
            write_poll(self, is_seldom=polling is Polling.SELDOM)

    def loop_body(self, statements, following, after) -> None:
        self.loops.append((following, after))
        self.body(statements)
        self.loops.pop()

    def write_for(self, node):
        """A loop over `range`, or an unrolled loop over a tuple."""
        if not is_range(node.iterable):
            for part in self.value(node.iterable):
                self.store(node.target, part)
                self.body(node.body)
            return
        ends = self.ends([self.size(self.value(bound)) for bound in node.iterable.arguments])
        after = self.block("after")
        polling = polling_of(node) if self.is_polled else Polling.NEVER
        if polling is Polling.SELDOM and not (isinstance(ends[2], int) and ends[2] < 0):
            self.write_strips(node, *ends, after)
        else:
            self.write_range(node, *ends, after, polling)
        self.go(after)
        self.at(after)

    def write_strips(self, node, start, stop, step, after) -> None:
        """A long loop as a loop over strips, which polls: LLVM can still vectorize each strip."""
        length = step * ITERATIONS

        def strip(first: Number) -> None:
            self.write_range(node, first, least(self, first + length, stop), step, after)

        self.count((start, stop, length), strip, self.block("next"), Polling.ALWAYS)

    def write_range(self, node, start, stop, step, after, polling=Polling.NEVER) -> None:
        """The loop itself. It ends here, or with a `break` at the block `after`."""
        first, following = len(self.function.blocks), self.block("next")
        around = self.repeated

        def body(number: Number) -> None:
            self.store(node.target, number)
            self.loop_body(node.body, following, after)

        again = self.count((start, stop, step), body, following, polling)
        bound = stop - start if isinstance(start, int) and isinstance(stop, int) else 0
        written = sum(map(_length, self.function.blocks[first:]))
        length = written + self.repeated - around
        self.repeated = around + length * max(bound, 1) - written
        hints = of_loop(self.hints, is_one_by_one(node.iterable), bound, length)
        self.module.hint(again, hints)

    def count(self, ends: tuple, write, following, polling: Polling):
        """Write a loop of `write(number)`, which may go to the block `following` for the next
        number. Gives the branch that closes it.
        """
        start, stop, step = ends
        test, body, after = map(self.block, ("test", "body", "done"))
        counter = self.on_stack(I64)
        limit = self.int64(stop)
        self.builder.store(self.int64(start), counter)
        self.go(test)
        self.at(test)
        number = self.builder.load(counter)
        sign = ">" if isinstance(step, int) and step < 0 else "<"
        self.builder.cbranch(self.builder.icmp_signed(sign, number, limit), body, after)
        self.at(body)
        write(Number(self.builder, number))
        self.go(following)
        self.at(following)
        self.write_poll(polling)
        more = self.builder.add(self.builder.load(counter), self.int64(step), flags=["nsw"])
        self.builder.store(more, counter)
        again = self.builder.branch(test)
        self.at(after)
        return again

    def ends(self, bounds: list) -> tuple:
        """Start, stop and step of a range. A step that is not a constant must be positive."""
        if len(bounds) < 3:
            return (0, bounds[0], 1) if len(bounds) == 1 else (*bounds, 1)
        return tuple(bounds)


def _length(block) -> int:
    return len(block.instructions)


def is_bit_test(block: ir.Block, test: ir.Value) -> bool:
    """Whether a condition at the end of a block is that of a last bit, `x & 1`, which no processor
    predicts: LLVM would make a branch of an instruction that selects.
    """
    stores = (each for each in block.instructions if each.opname == "store")
    stored = {place: value for value, place in (store.operands for store in stores)}
    waiting = [test]
    for value in itertools.islice(iter(waiting), MOST_SEARCHED):
        opname, operands = getattr(value, "opname", ""), list(getattr(value, "operands", ()))
        if opname == "and" and any(getattr(operand, "constant", 0) == 1 for operand in operands):
            return True
        if opname == "load":
            waiting += filter(None, [stored.get(operands[0])])
        elif opname in THROUGH_BITS:
            waiting += operands
    return False
