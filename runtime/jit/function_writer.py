"""Writes one LLVM function: its blocks, variables, memory, and failures."""

from __future__ import annotations

import contextlib
import math
from collections import defaultdict
from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from llvmlite.ir import instructions

from ..core import thresholds
from . import values
from .entry.python_entry import EXTERNAL
from .kernel_types import BOOL, INT64, Static, UntranslatableError, VectorType, join
from .llvm_values import Number
from .values import I8, I64, Array, Complex, memory_type, type_of

ON_STACK_AT_MOST = 1 << 16  # bytes: what arrays of one function take there
OBJECT = I8.as_pointer()
LITERALS = (bool, int, float)
CONSTANTS = (*LITERALS, np.generic)
ALIGNED = 64  # bytes: the alignment of arrays


class RetypedError(Exception):
    """A variable or the result needs a wider type: the function is translated again."""


class TypeTable:
    """The types of the variables and the result of a function. They only become wider."""

    def __init__(self, parameters: dict, result=None):
        self.variables = dict(parameters)
        self.result = result
        self.may_fail = False

    def take(self, name: str, type_):
        """The type of a variable that also holds values of `type_`."""
        known = self.variables.setdefault(name, type_)
        wide = join(known, type_)
        if wide != known:
            self.variables[name] = wide
            raise RetypedError
        return known

    def take_result(self, type_):
        if self.result is None:
            self.result = type_
            raise RetypedError
        wide = join(self.result, type_)
        if wide != self.result:
            self.result = wide
            raise RetypedError
        return wide


class Writer:
    """Blocks, variables and memory of one function."""

    def __init__(self, module, function: ir.Function, value_types: TypeTable, scope: dict):
        self.module, self.function, self.types, self.scope = module, function, value_types, scope
        self.head = function.append_basic_block("head")  # allocations: they run once
        self.builder = ir.IRBuilder(function.append_basic_block("start"))
        self.first = self.builder.block
        self.end, self.failed = (ir.Block(function, name) for name in ("end", "failed"))
        self.slots: dict[str, list] = {}
        self.memory: list = []  # slots with addresses that are freed at the end
        self.loops: list[tuple[ir.Block, ir.Block]] = []  # the targets of `continue` and `break`
        self.stacked, self.most_on_stack = 0, ON_STACK_AT_MOST  # bytes of arrays on the stack
        self.outermost: Any = None  # see `recursion`
        self.leaves_memory = False  # memory for arrays that grow is for the callers too
        self.at_end: list[Callable[[], None]] = []

    # ---- blocks --------------------------------------------------------------------------

    def block(self, name: str) -> ir.Block:
        return self.function.append_basic_block(name)

    def at(self, block: ir.Block) -> None:
        self.builder.position_at_end(block)

    def go(self, block: ir.Block) -> None:
        """Branch to a block, unless this block has ended."""
        if not self.builder.block.is_terminated:
            self.builder.branch(block)

    def on_stack(self, type_: ir.Type, size: int = 1, aligned: int | None = None):
        """Memory in the frame of the function."""
        with self.in_head():
            address = self.builder.alloca(type_, size=size)
        if aligned:
            address.align = aligned
        return address

    @contextlib.contextmanager
    def in_head(self):
        with self.builder.goto_block(self.head):
            yield

    def finish(self, returned) -> None:
        """Write the exits and the entry of the function. `returned(failed)` writes a return."""
        self.go(self.end)
        for block, failed in ((self.failed, True), (self.end, False)):
            if failed and not self.types.may_fail:
                continue
            self.function.blocks.append(block)
            self.at(block)
            for slot in self.memory:
                self.free(self.builder.load(slot))
            for write in self.at_end:
                write()
            returned(failed)
        self.at(self.head)
        self.builder.branch(self.first)

    def fail_if(self, condition) -> None:
        """Leave the function if the condition, a bit, holds. The caller fails too."""
        self.types.may_fail = True
        goes_on = self.block("fine")
        branch = self.builder.cbranch(condition, self.failed, goes_on)
        branch.set_weights([1, 1000])
        self.at(goes_on)

    def fail(self) -> None:
        self.types.may_fail = True
        self.builder.branch(self.failed)

    # ---- numbers and variables -----------------------------------------------------------

    def number(self, value, dtype: np.dtype | VectorType | None = None) -> Any:
        """A value as a scalar or a vector of a type; by default that of the value in Python."""
        if isinstance(dtype, VectorType):
            return self.number(value, dtype.dtype).spread(dtype.length)
        if isinstance(value, CONSTANTS):
            own = np.dtype(type(value)) if isinstance(value, np.generic) else _PYTHON[type(value)]
            target = own if dtype is None else dtype
            return Number.constant(self.builder, target.type(value), target)
        if not isinstance(value, (Number, Complex)):
            raise UntranslatableError(f"{value!r} is not a number")
        return value if dtype is None else value.cast(dtype)

    def int64(self, value) -> ir.Value:
        return self.number(value, INT64).value

    def size(self, value) -> int | Number:
        """A size or an index: an int if it is a constant."""
        if isinstance(value, (int, np.integer)):
            return int(value)
        return self.number(value, INT64)

    def truth(self, value) -> bool | Number:
        """The truth value: True or False if it is a constant."""
        if isinstance(value, CONSTANTS):
            return bool(value)
        return self.number(value, BOOL)

    def typed(self, value):
        """A value that a variable can hold: constants become LLVM values."""
        if isinstance(value, CONSTANTS):
            return self.number(value)
        return tuple(map(self.typed, value)) if isinstance(value, tuple) else value

    def assign(self, name: str, value) -> None:
        value = self.typed(value)
        type_ = self.types.take(name, type_of(value))
        if isinstance(type_, Static):
            return
        for slot, part in zip(self.slots_of(name), values.components_of(value, type_), strict=True):
            self.builder.store(part, slot)

    def slots_of(self, name: str) -> list:
        if name not in self.slots:
            value_types = values.llvm_types_of(self.types.variables[name])
            self.slots[name] = [self.on_stack(type_) for type_ in value_types]
        return self.slots[name]

    def variable(self, name: str):
        """The value of a variable."""
        parts = iter([self.builder.load(slot) for slot in self.slots_of(name)])
        return values.value_of(self.builder, self.types.variables[name], parts)

    # ---- arrays --------------------------------------------------------------------------

    def new_array(self, dtype: np.dtype, sizes: tuple, zeros: bool = False) -> Array:
        """A new array, which is freed when the function returns."""
        type_ = memory_type(dtype)
        count = math.prod(sizes)
        size = count * dtype.itemsize
        is_small = isinstance(size, int) and size <= thresholds.ON_STACK
        if is_small and self.stacked + size <= self.most_on_stack:
            self.stacked += size
            data = self.on_stack(type_, max(count, 1), ALIGNED)
        else:
            data = self.allocated(size, type_)
        if zeros:
            self.fill_bytes(data, size)
        return Array(dtype, data, sizes)

    def allocated(self, size, type_: ir.Type):
        """The address of `size` bytes, freed at the end, or when this is executed again."""
        slot = self.held()
        self.free(self.builder.load(slot))
        return self.allocate(slot, size, type_)

    def held(self):
        """A slot for an address that is freed when the function ends."""
        slot = self.on_stack(OBJECT)
        with self.in_head():
            self.builder.store(OBJECT(None), slot)
        self.memory.append(slot)
        return slot

    def free(self, address) -> None:
        self.builder.call(self.module.external("free"), [address])

    def allocate(self, slot, size, type_: ir.Type, left: Callable | None = None):
        """The address of `size` new bytes, stored in `slot`; what `left` makes of that."""
        function = self.module.external("allocate")
        function.return_value.add_attribute("noalias")  # nothing else points there
        start = self.builder.call(function, [self.int64(size + ALIGNED)])
        self.builder.store(start, slot)
        self.fail_if(self.builder.icmp_unsigned("==", start, OBJECT(None)))
        elements = left(self, start) if left else self.elements_in(start)
        return self.builder.bitcast(elements, type_.as_pointer())

    def elements_in(self, start) -> ir.Value:
        """Where elements start in memory that was allocated, behind at least 16 bytes."""
        # An offset, not another address: LLVM then knows that nothing else points there.
        past = self.builder.and_(self.builder.ptrtoint(start, I64), I64(ALIGNED - 1))
        return self.builder.gep(start, [self.builder.sub(I64(ALIGNED), past)], inbounds=True)

    def fill_bytes(self, data, size) -> None:
        """Fill memory with zeros."""
        pointer = self.builder.bitcast(data, I8.as_pointer())
        arguments = [pointer, I8(0), self.int64(size), ir.IntType(1)(0)]
        value_types = [argument.type for argument in arguments]
        function = ir.FunctionType(ir.VoidType(), value_types)
        name = "llvm.memset.p0.i64"
        self.builder.call(self.module.declared(name, function), arguments)

    def assume(self, condition: Number) -> None:
        """Tell LLVM that a condition holds."""
        type_ = ir.FunctionType(ir.VoidType(), [ir.IntType(1)])
        self.builder.call(self.module.declared("llvm.assume", type_), [condition.value])

    def move_bytes(self, to, start, size) -> None:
        """Copy memory that may overlap."""
        pointers = [self.builder.bitcast(address, I8.as_pointer()) for address in (to, start)]
        arguments = [*pointers, self.int64(size), ir.IntType(1)(0)]
        function = ir.FunctionType(ir.VoidType(), [address.type for address in arguments])
        self.builder.call(self.module.declared("llvm.memmove.p0.p0.i64", function), arguments)

    def copy_vector(self, to, start, dtype: np.dtype, count: int) -> None:
        """Copy `count` contiguous elements as one vector."""
        vector = ir.VectorType(memory_type(dtype), count).as_pointer()
        loaded = self.builder.load(self.builder.bitcast(start, vector))
        stored = self.builder.store(loaded, self.builder.bitcast(to, vector))
        loaded.align = stored.align = dtype.itemsize

    def element(self, array: Array, indices) -> ir.Value:
        """The address of an element, or of the first element of a subarray."""
        strides = values.strides_of(array)
        offset = 0
        for index, step in zip(indices, strides, strict=False):
            offset = index * step + offset
        return self.builder.gep(array.data, [self.int64(offset)], inbounds=True)

    def read(self, array: Array, indices) -> Number | Complex:
        places = values.places_of(self.builder, self.element(array, indices), array.dtype)
        parts = iter([self.builder.load(place) for place in places])
        if array.dtype == BOOL:
            return Number(self.builder, next(parts)) != 0
        return values.value_of(self.builder, array.dtype, parts)

    def write(self, array: Array, indices, value) -> None:
        parts = values.components_of(self.number(value, array.dtype), array.dtype)
        if array.dtype == BOOL:
            parts = [self.builder.zext(*parts, I8)]
        places = values.places_of(self.builder, self.element(array, indices), array.dtype)
        for part, place in zip(parts, places, strict=True):
            self.builder.store(part, place)

    def count_up(self, size, body) -> None:
        """Write a loop of `body(number)` over `range(size)`."""
        before, loop, after = self.builder.block, self.block("each"), self.block("done")
        limit = self.int64(size)
        self.builder.cbranch(self.builder.icmp_signed("<", I64(0), limit), loop, after)
        self.at(loop)
        number = self.builder.phi(I64)
        number.add_incoming(I64(0), before)
        body(Number(self.builder, number))
        following = self.builder.add(number, I64(1), flags=["nsw", "nuw"])
        number.add_incoming(following, self.builder.block)
        self.builder.cbranch(self.builder.icmp_signed("<", following, limit), loop, after)
        self.at(after)

    def each_index(self, sizes, body, indices=()) -> None:
        """Write a loop nest of `body(indices)` over all elements of an array."""
        if not sizes:
            body(indices)
            return
        self.count_up(sizes[0], lambda at: self.each_index(sizes[1:], body, (*indices, at)))


_PYTHON = {bool: BOOL, int: INT64, float: np.dtype(np.float64)}


# ---- returned memory -------------------------------------------------------------------------


def returns_own_memory(function: ir.Function, results: list) -> bool:
    """Whether one of the slots `results` may hold such an address, as far as its stores tell."""
    stored = defaultdict(list)
    for block in function.blocks:
        for instruction in block.instructions:
            if isinstance(instruction, instructions.StoreInstr):
                value, slot = instruction.operands
                stored[id(slot)].append(value)
    seen: set[int] = set()

    def is_own(value) -> bool:
        if id(value) in seen:
            return False
        seen.add(id(value))
        if isinstance(value, instructions.AllocaInstr):
            return True
        if isinstance(value, instructions.LoadInstr):
            return any(map(is_own, stored[id(value.operands[0])]))
        is_call = isinstance(value, instructions.CallInstr)
        if is_call and getattr(value.callee, "name", None) == EXTERNAL["allocate"][0]:
            return True
        return any(map(is_own, _sources(value)))

    addresses = (slot for slot in results if isinstance(slot.type.pointee, ir.PointerType))
    return any(is_own(value) for slot in addresses for value in stored[id(slot)])


def _sources(value) -> list:
    """The addresses that a value is computed from."""
    if isinstance(value, instructions.PhiInstr):
        return [operand for operand, _ in value.incomings]
    if not isinstance(value, instructions.Instruction):
        return []
    if isinstance(value, instructions.ExtractValue):  # of what a call returns
        return list(value.operands)
    return [operand for operand in value.operands if isinstance(operand.type, ir.PointerType)]
