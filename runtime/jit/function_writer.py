"""One function of machine code while it is written: its variables, blocks, memory and failures."""

from __future__ import annotations

import contextlib
import math

import numpy as np
from llvmlite import ir

from . import values
from .kernel_types import BOOL, INT64, Lanes, Static, UntranslatableError, join
from .llvm_values import Number
from .values import BYTE, WORD, Array, kind_of, memory_type

# Bytes: arrays up to this size live on the stack, until they are so many of one function.
ON_STACK, ON_STACK_AT_MOST = 1 << 12, 1 << 16
OBJECT = BYTE.as_pointer()
LITERALS = (bool, int, float)
CONSTANTS = (*LITERALS, np.generic)
ALIGNED = 64  # bytes: where the memory of other arrays begins


class RetypedError(Exception):
    """A variable, or the result, holds more than was thought: the function is written again."""


class Kinds:
    """What is known of a function's variables and of its result; it grows until all fits."""

    def __init__(self, parameters: dict, result=None):
        self.variables = dict(parameters)
        self.result = result
        self.may_fail = False

    def take(self, name: str, kind):
        """The kind of the variable, which also holds this one from now on."""
        known = self.variables.setdefault(name, kind)
        wide = join(known, kind)
        if wide != known:
            self.variables[name] = wide
            raise RetypedError
        return known

    def take_result(self, kind):
        if self.result is None:
            self.result = kind
            raise RetypedError
        wide = join(self.result, kind)
        if wide != self.result:
            self.result = wide
            raise RetypedError
        return wide


class Writer:
    """Blocks, variables and memory of one function."""

    def __init__(self, module, function: ir.Function, kinds: Kinds, scope: dict):
        self.module, self.function, self.kinds, self.scope = module, function, kinds, scope
        self.head = function.append_basic_block("head")  # what comes once, before everything
        self.builder = ir.IRBuilder(function.append_basic_block("start"))
        self.first = self.builder.block
        self.end, self.failed = (ir.Block(function, name) for name in ("end", "failed"))
        self.slots: dict[str, list] = {}
        self.memory: list = []  # slots of addresses that are given back at the end
        self.loops: list[tuple[ir.Block, ir.Block]] = []  # where `continue` and `break` go
        self.stacked = 0  # bytes of arrays on the stack

    # ---- blocks --------------------------------------------------------------------------

    def block(self, name: str) -> ir.Block:
        return self.function.append_basic_block(name)

    def at(self, block: ir.Block) -> None:
        self.builder.position_at_end(block)

    def go(self, block: ir.Block) -> None:
        """Continue there, unless this block has ended already."""
        if not self.builder.block.is_terminated:
            self.builder.branch(block)

    def on_stack(self, kind: ir.Type, size: int = 1, aligned: int | None = None):
        """Memory of the function's own."""
        with self.in_head():
            made = self.builder.alloca(kind, size=size)
        if aligned:
            made.align = aligned
        return made

    @contextlib.contextmanager
    def in_head(self):
        with self.builder.goto_block(self.head):
            yield

    def finish(self, returned) -> None:
        """The ways out, and the way in. `returned(failed)` writes the return."""
        self.go(self.end)
        for block, failed in ((self.failed, True), (self.end, False)):
            if failed and not self.kinds.may_fail:
                continue
            self.function.blocks.append(block)
            self.at(block)
            for slot in self.memory:
                self.give_back(self.builder.load(slot))
            returned(failed)
        self.at(self.head)
        self.builder.branch(self.first)

    def fail_if(self, condition) -> None:
        """Leave the function where the condition, a bit, holds; the caller fails too."""
        self.kinds.may_fail = True
        goes_on = self.block("fine")
        branch = self.builder.cbranch(condition, self.failed, goes_on)
        branch.set_weights([1, 1000])
        self.at(goes_on)

    def fail(self) -> None:
        self.kinds.may_fail = True
        self.builder.branch(self.failed)

    # ---- numbers and variables -----------------------------------------------------------

    def number(self, value, dtype: np.dtype | Lanes | None = None) -> Number:
        """A value as a number, or lanes, of this type; constants have their own, or Python's."""
        if isinstance(dtype, Lanes):
            return self.number(value, dtype.dtype).spread(dtype.count)
        if isinstance(value, CONSTANTS):
            own = np.dtype(type(value)) if isinstance(value, np.generic) else _PYTHON[type(value)]
            target = own if dtype is None else dtype
            return Number.constant(self.builder, target.type(value), target)
        if not isinstance(value, Number):
            raise UntranslatableError(f"{value!r} is not a number")
        return value if dtype is None else value.cast(dtype)

    def word(self, value) -> ir.Value:
        return self.number(value, INT64).value

    def size(self, value) -> int | Number:
        """A size or an index: an integer if it is known now."""
        if isinstance(value, (int, np.integer)):
            return int(value)
        return self.number(value, INT64)

    def truth(self, value) -> bool | Number:
        """What Python's `bool` says; True or False if it is known now."""
        if isinstance(value, CONSTANTS):
            return bool(value)
        return self.number(value, BOOL)

    def typed(self, value):
        """Constants as numbers: what a variable takes."""
        if isinstance(value, CONSTANTS):
            return self.number(value)
        return tuple(map(self.typed, value)) if isinstance(value, tuple) else value

    def assign(self, name: str, value) -> None:
        value = self.typed(value)
        kind = self.kinds.take(name, kind_of(value))
        if isinstance(kind, Static):
            return
        for slot, part in zip(self.slots_of(name), values.parts_of(value, kind), strict=True):
            self.builder.store(part, slot)

    def slots_of(self, name: str) -> list:
        if name not in self.slots:
            kinds = values.types_of(self.kinds.variables[name])
            self.slots[name] = [self.on_stack(kind) for kind in kinds]
        return self.slots[name]

    def variable(self, name: str):
        """The value that the variable holds here."""
        parts = iter([self.builder.load(slot) for slot in self.slots_of(name)])
        return values.value_of(self.builder, self.kinds.variables[name], parts)

    # ---- arrays --------------------------------------------------------------------------

    def new_array(self, dtype: np.dtype, sizes: tuple, zeros: bool = False) -> Array:
        """Memory that the function has until it returns."""
        kind = memory_type(dtype)
        count = math.prod(sizes)
        size = count * dtype.itemsize
        if isinstance(size, int) and size <= ON_STACK and self.stacked + size <= ON_STACK_AT_MOST:
            self.stacked += size
            data = self.on_stack(kind, max(count, 1), ALIGNED)
        else:
            data = self.allocated(size, kind)
        if zeros:
            self.fill_bytes(data, size)
        return Array(dtype, data, sizes)

    def allocated(self, size, kind: ir.Type):
        """The address of so many bytes, given back at the end, or when this happens again."""
        slot = self.held()
        self.give_back(self.builder.load(slot))
        return self.allocate(slot, size, kind)

    def held(self):
        """A place for the address of memory, which is given back when the function ends."""
        slot = self.on_stack(OBJECT)
        with self.in_head():
            self.builder.store(OBJECT(None), slot)
        self.memory.append(slot)
        return slot

    def give_back(self, address) -> None:
        self.builder.call(self.module.external("free"), [address])

    def allocate(self, slot, size, kind: ir.Type):
        """The address of so many bytes of new memory, which `slot` holds."""
        start = self.builder.call(self.module.external("allocate"), [self.word(size + ALIGNED)])
        self.builder.store(start, slot)
        self.fail_if(self.builder.icmp_unsigned("==", start, OBJECT(None)))
        address = self.builder.add(self.builder.ptrtoint(start, WORD), WORD(ALIGNED - 1))
        address = self.builder.and_(address, WORD(-ALIGNED))
        return self.builder.inttoptr(address, kind.as_pointer())

    def fill_bytes(self, data, size) -> None:
        """Zeros."""
        pointer = self.builder.bitcast(data, BYTE.as_pointer())
        arguments = [pointer, BYTE(0), self.word(size), ir.IntType(1)(0)]
        kinds = [one.type for one in arguments]
        function = ir.FunctionType(ir.VoidType(), kinds)
        name = "llvm.memset.p0.i64"
        self.builder.call(self.module.declared(name, function), arguments)

    def assume(self, condition: Number) -> None:
        """Tell LLVM what always holds."""
        kind = ir.FunctionType(ir.VoidType(), [ir.IntType(1)])
        self.builder.call(self.module.declared("llvm.assume", kind), [condition.value])

    def move_bytes(self, to, start, size) -> None:
        """A copy, also of memory that overlaps."""
        pointers = [self.builder.bitcast(one, BYTE.as_pointer()) for one in (to, start)]
        arguments = [*pointers, self.word(size), ir.IntType(1)(0)]
        function = ir.FunctionType(ir.VoidType(), [one.type for one in arguments])
        self.builder.call(self.module.declared("llvm.memmove.p0.p0.i64", function), arguments)

    def copy_vector(self, to, start, dtype: np.dtype, count: int) -> None:
        """So many numbers that lie together, at once."""
        vector = ir.VectorType(memory_type(dtype), count).as_pointer()
        made = self.builder.load(self.builder.bitcast(start, vector))
        stored = self.builder.store(made, self.builder.bitcast(to, vector))
        made.align = stored.align = dtype.itemsize

    def element(self, array: Array, places) -> ir.Value:
        """The address of an element, or of where a part of the array begins."""
        steps = values.steps_of(array)
        offset = 0
        for place, step in zip(places, steps, strict=False):
            offset = place * step + offset
        return self.builder.gep(array.data, [self.word(offset)], inbounds=True)

    def read(self, array: Array, places) -> Number:
        value = self.builder.load(self.element(array, places))
        if array.dtype == BOOL:
            return Number(self.builder, value) != 0
        return Number(self.builder, value, array.dtype.kind == "u")

    def write(self, array: Array, places, value) -> None:
        number = self.number(value, array.dtype)
        stored = number.value
        if array.dtype == BOOL:
            stored = self.builder.zext(stored, BYTE)
        self.builder.store(stored, self.element(array, places))

    def count_up(self, size, body) -> None:
        """`body(number)` for each number below a size."""
        before, loop, after = self.builder.block, self.block("each"), self.block("done")
        limit = self.word(size)
        self.builder.cbranch(self.builder.icmp_signed("<", WORD(0), limit), loop, after)
        self.at(loop)
        number = self.builder.phi(WORD)
        number.add_incoming(WORD(0), before)
        body(Number(self.builder, number))
        following = self.builder.add(number, WORD(1), flags=["nsw", "nuw"])
        number.add_incoming(following, self.builder.block)
        self.builder.cbranch(self.builder.icmp_signed("<", following, limit), loop, after)
        self.at(after)

    def each_place(self, sizes, body, places=()) -> None:
        """`body(places)` for the place of every element of an array."""
        if not sizes:
            body(places)
            return
        self.count_up(sizes[0], lambda at: self.each_place(sizes[1:], body, (*places, at)))


_PYTHON = {bool: BOOL, int: INT64, float: np.dtype(np.float64)}
