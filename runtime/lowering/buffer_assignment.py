"""The memory of native code: where an array lives, which buffers are free, and which values are
stacks, which need none.

Every array that native code makes lives in a *buffer*, a variable of the kernel that holds an array
of one type and shape. A value that is not used any more frees its buffer for the next value of that
type. The number of buffers never changes while control flow runs: what a branch or an iteration
leaves in another buffer than the one expected is put right by exchanging variables, not elements.
"""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Iterable, Mapping

from ..core import thresholds
from ..core.array_pool import BufferType, bytes_of, is_large
from ..core.classes import NamedTuple
from ..core.shapes import is_static, size_of
from ..ir.extents import Extent, capacities
from ..ir.graph import Node, Value, dims, elements_of
from ..ir.indexing import WHOLE, Slot, expanded
from ..ir.node_properties import has_slow_path
from ..ir.op import TABLE
from .not_native import NotNativeError
from .program import Branch, LibraryCall, Loop, Nest, Program, inner_programs, is_read_in_order

ARGUMENT, CALLER, KERNEL, THREAD = "argument", "caller", "kernel", "thread"


class InBuffer(NamedTuple):
    """An array of its own, in a buffer that was free."""

    number: int


class ReuseOperand(NamedTuple):
    """An array in the memory of `operand`, which nothing reads any more."""

    operand: Value


class View(NamedTuple):
    """An array whose elements are some of `operand`, or all of them in another shape."""

    operand: Value


class StoreInto(NamedTuple):
    """No array: a nest writes the elements where `update` would copy them."""

    update: Node


class StoreBoth(NamedTuple):
    """An array whose elements a nest writes where `update` would copy them too."""

    own: InBuffer | ReuseOperand
    update: Node


class PlannedBuffer(NamedTuple):
    """A variable that holds an array of one type; `owner` says who makes it: the caller of the
    kernel, the kernel, or each thread of a parallel region for itself. That of a donated input is
    an argument.
    """

    type: BufferType
    owner: str


Location = InBuffer | ReuseOperand | View | StoreInto | StoreBoth


def may_grow(value: Value) -> bool:
    """Whether a value is an array of which the number of rows alone is not known: native code has
    a form for the operations that change it, and that read a row of it.
    """
    shape = value.shape or ()
    return bool(shape) and shape[0] is None and is_static(shape[1:]) and 0 not in shape[1:]


def buffer_type(value: Value) -> BufferType:
    return BufferType(value.dtype.numpy_dtype.name, capacities(value.shape))


class Buffers:
    """The buffers there are, and the values that live in each at this point of the kernel."""

    def __init__(self) -> None:
        self.types: dict[int, BufferType] = {}
        self.buffer_of: dict[Value, int] = {}
        self.users: dict[int, set[Value]] = {}

    def state(self) -> tuple[dict, dict]:
        """Who lives where, to come back to with `restore`."""
        return dict(self.buffer_of), {number: set(values) for number, values in self.users.items()}

    def restore(self, state: tuple[dict, dict]) -> None:
        """Go back to an earlier point; buffers made since then stay, and are free."""
        buffer_of, users = state
        self.buffer_of = dict(buffer_of)
        self.users = {number: set(users.get(number, ())) for number in self.types}

    def of(self, values) -> Buffers:
        """Those that `values` live in alone: the others are neither free nor to be overwritten."""
        restricted = Buffers()
        numbers = {self.buffer_of[value] for value in values if value in self.buffer_of}
        restricted.types = {number: self.types[number] for number in numbers}
        restricted.users = {number: set(self.users[number]) for number in numbers}
        restricted.buffer_of = {
            value: number for value, number in self.buffer_of.items() if number in numbers
        }
        return restricted

    def free(self, wanted_type: BufferType, best: int | None = None) -> int | None:
        """A buffer of this type that nobody lives in, if there is one; `best` if that is one."""
        numbers = [
            number
            for number, own in self.types.items()
            if own == wanted_type and not self.users[number]
        ]
        return best if best in numbers else numbers[0] if numbers else None

    def add(self, number: int, wanted_type: BufferType) -> None:
        self.types[number] = wanted_type
        self.users[number] = set()

    def assign(self, value: Value, number: int) -> None:
        """`value` lives in this buffer from now on."""
        self.buffer_of[value] = number
        self.users[number].add(value)

    def share(self, value: Value, other: Value) -> None:
        """`value` is made of the elements of another one: the same buffer, if that has one."""
        if other in self.buffer_of:
            self.assign(value, self.buffer_of[other])

    def drop(self, *values: Value) -> None:
        """Nobody needs these values any more."""
        for value in values:
            number = self.buffer_of.pop(value, None)
            if number is not None:
                self.users[number].discard(value)

    def is_alone(self, value: Value) -> bool:
        """Whether overwriting the elements of `value` changes no other value."""
        return value in self.buffer_of and self.users[self.buffer_of[value]] == {value}


# Values that have a variable of their own beside that of their buffer.
ROW, RESHAPED = "row", "reshaped"


class Memory:
    """Where the arrays of a kernel live: `buffers` are those at this point of the walk over its
    steps, and `planned` all of them.
    """

    def __init__(self, program: Program):
        self.stacks = stacks_of(program)
        self.returned = {_size_class(value) for value in program.outputs if is_static(value.shape)}
        self.buffers = Buffers()
        self.planned: dict[int, PlannedBuffer] = {}
        self.preferred: dict[Value, int] = {}  # the buffer that a result had best be written to
        self.views: dict[Value, str | None] = {}
        self.updates: dict[Value, Node] = {}  # by the value that the next nest writes into
        self.read_later: set[Value] = set()  # of these, those that need an array as well
        self.arguments: dict[int, Value] = {}  # the buffers that are donated inputs
        self.saved_blocks: dict[int, float] = defaultdict(float)  # of undo logs, at most, by buffer
        self.outlived: set[Value] = set()  # slices that are not read when their operand changes
        self.iterations = 1  # of the loops around a step, as far as known
        self.in_region = False
        for value, output in program.donated:
            self.donate(value, output)

    def donate(self, value: Value, output: Value) -> None:
        """The memory of an input is a buffer like others, and the best one for an output."""
        if not self.is_array(value):
            return
        number = len(self.planned) + 1
        self.planned[number] = PlannedBuffer(buffer_type(value), ARGUMENT)
        self.buffers.add(number, buffer_type(value))
        self.buffers.assign(value, number)
        self.arguments[number] = value
        self.preferred[output] = number

    def is_array(self, value: Value) -> bool:
        """Whether a value needs a buffer."""
        has_memory = is_static(value.shape) or may_grow(value)
        return bool(value.shape) and has_memory and value not in self.stacks

    def in_buffer(self, value: Value) -> InBuffer:
        """Memory for `value`: a free buffer of its type, or a new one."""
        wanted = buffer_type(value)
        number = self.buffers.free(wanted, self.preferred.get(value))
        if number is None:
            number = len(self.planned) + 1
            is_callers = is_large(wanted) or _size_class(value) in self.returned
            owner = THREAD if self.in_region else CALLER if is_callers else KERNEL
            self.planned[number] = PlannedBuffer(wanted, owner)
            self.buffers.add(number, wanted)
        self.assign(value, number)
        self.saved_blocks[number] = NOT_LOGGED
        return InBuffer(number)

    def assign(self, value: Value, number: int) -> None:
        """`value` is the whole content of a buffer."""
        self.views.pop(value, None)  # which it may be in another version of a loop
        self.buffers.assign(value, number)

    def alias(self, value: Value, other: Value) -> None:
        """`value` is another name for the elements of `other`."""
        self.views[value] = self.views.get(other)
        self.buffers.share(value, other)

    def over(self, value: Value, operand: Value, by: Node | None = None) -> ReuseOperand:
        """The memory of an operand, which a library call, or a nest, overwrites."""
        is_logged = by is not None and self.views.get(operand) != ROW and not self.in_region
        blocks = saved_blocks(by) * self.iterations if by and is_logged else NOT_LOGGED
        self.saved_blocks[self.buffers.buffer_of[operand]] += blocks
        self.alias(value, operand)
        return ReuseOperand(operand)

    def moved(self, target: Value, value: Value) -> Location:
        """Where `target` gets the elements of `value`: in its buffer if that is free to go."""
        number = self.buffers.buffer_of.get(value, 0)
        is_whole = self.buffers.is_alone(value) and not self.views.get(value)
        if not is_whole or self.buffers.types[number] != buffer_type(target):
            return self.in_buffer(target)
        self.buffers.drop(value)
        self.assign(target, number)
        return ReuseOperand(value)

    def bind(self, program: Program, operands: Iterable[Value], last_used: Iterable[Value]) -> None:
        """The inputs of an inner program are variables of this one; what dies is theirs."""
        operands = list(operands)
        for inner, value in zip(program.inputs, operands, strict=True):
            self.alias(inner, value)
        self.buffers.drop(*(value for value in operands if value in last_used))

    def pass_results(
        self, targets: tuple[Value, ...], sources: tuple[Value, ...], expected: list[int] | None
    ) -> tuple[dict[Value, Location], list[int]]:
        """Where results of an inner program become values of this one; the buffers that they are
        in afterwards are those `expected`, if there are some already.
        """
        rows = [row for row in zip(targets, sources, strict=True) if self.is_array(row[0])]
        results = {target: self.moved(target, value) for target, value in rows}
        own = [self.buffers.buffer_of[target] for target, _ in rows]
        self.buffers.drop(*sources, *results)
        expected = own if expected is None else expected
        for (target, _), number, before in zip(rows, expected, own, strict=True):
            self.assign(target, number)
            if number != before:  # variables are exchanged, and hold the memory of others
                self.saved_blocks[number] = self.saved_blocks[before] = NOT_LOGGED
        return results, expected

    # ---- results -------------------------------------------------------------------------

    def is_row_view(self, nest: Nest) -> bool:
        """Rows of an array that nobody here will overwrite need no copy: `x[i]`, `x[i, 2:]`."""
        node, *more = nest.nodes
        if more or node.op.name != "strided_slice" or not node.output.shape:
            return False
        is_kept = not self.buffers.is_alone(node.inputs[0]) or node.output in self.outlived
        return is_contiguous(node) and is_kept

    def stored(self, value: Value, nest: Nest, last_used: set[Value]) -> Location:
        """The memory of a stored result."""
        if value not in self.updates:
            return self.own_memory(value, nest, last_used)
        update = self.updates[value]
        if value not in self.read_later:
            return StoreInto(update)
        return StoreBoth(self.own_memory(value, nest, last_used), update)

    def own_memory(
        self, value: Value, nest: Nest, last_used: set[Value]
    ) -> InBuffer | ReuseOperand:
        """That of an operand which dies here, or a free buffer."""
        operands = dict.fromkeys(operand for node in nest.nodes for operand in node.inputs)
        fitting = [
            operand
            for operand in operands
            if operand.dtype is value.dtype
            and operand.shape == value.shape == nest.space.shape
            and operand in last_used
            and self.buffers.is_alone(operand)
            and is_read_in_order(operand, nest)
        ]
        if not fitting or any(map(has_slow_path, nest.nodes)):  # which are perhaps read again
            return self.in_buffer(value)
        preferred = self.preferred.get(value)
        claimed = {self.preferred.get(other) for other in nest.stores} - {preferred}
        holders = {self.buffers.buffer_of[operand]: operand for operand in reversed(fitting)}
        if preferred in holders:
            return self.over(value, holders[preferred])
        free = [operand for number, operand in holders.items() if number not in claimed]
        return self.over(value, (free or fitting)[-1])

    def result_of(self, node: Node, value: Value, last_used: set[Value]) -> Location:
        """Where a result of a library call lives."""
        operand = node.inputs[0] if node.inputs else None
        if node.op.callee_attribute:
            return self.changed_by_call(node, value, last_used)
        if operand is None or not operand.shape or node.op.native_result == "new":
            return self.in_buffer(value)
        if node.op.native_result == "view":
            is_stack = operand in self.stacks or node.op.saves_for_backward
            if may_grow(operand) and not is_stack:
                return self.rows_of(value, operand, last_used)
            if self.is_reshaped_back(value, operand):
                number = self.buffers.buffer_of[operand]
                self.assign(value, number)
                return InBuffer(number)
            self.alias(value, operand)
            if value.shape != operand.shape:
                self.views[value] = self.views[value] or RESHAPED
            if is_stack:
                self.views[value] = ROW
            return View(operand)
        is_read_too = operand in node.inputs[1:]  # while it changes, as in `a[::-1] = a`
        is_read_too |= may_grow(value) and not may_grow(operand)  # into memory that may get longer
        if operand in last_used and self.buffers.is_alone(operand) and not is_read_too:
            return self.over(value, operand, node)
        return self.in_buffer(value)

    def changed_by_call(self, node: Node, value: Value, last_used: set[Value]) -> Location:
        """Where an array is that a function changes in place: where it was, or in a copy."""
        operand = operand_of(node, value)
        is_last = operand in last_used and node.inputs.count(operand) == 1  # not of equal arrays
        is_free = is_last and self.buffers.is_alone(operand) and not self.views.get(operand)
        return self.over(value, operand, node) if is_free else self.in_buffer(value)

    def is_reshaped_back(self, value: Value, operand: Value) -> bool:
        """Whether a view of reshaped elements has the shape that these have in their buffer."""
        number = self.buffers.buffer_of.get(operand, -1)
        is_reshaped = self.views.get(operand) is RESHAPED
        return is_reshaped and self.buffers.types.get(number) == buffer_type(value)

    def rows_of(self, value: Value, operand: Value, last_used: set[Value]) -> Location:
        """Where rows of an array that grows live: one in an array of its own, several in place."""
        if not may_grow(value):
            return self.in_buffer(value)
        if operand in last_used and self.buffers.is_alone(operand):
            return self.over(value, operand)
        self.alias(value, operand)
        self.views[value] = ROW
        return View(operand)

    def initial_state(self, node: Node, last_used: set[Value]) -> dict[Value, Location]:
        """Where the results of a loop are before its first iteration."""
        memory: dict[Value, Location] = {}
        kept: list[Value | None] = list(node.inputs)
        for index, (result, value) in enumerate(zip(node.outputs, node.inputs, strict=False)):
            if self.is_array(result):
                is_last = value in last_used and kept.count(value) == 1
                memory[result] = self.moved(result, value) if is_last else self.in_buffer(result)
            kept[index] = None
        return memory


def operand_of(call: Node, result: Value) -> Value:
    """The array that a function changes to give a result."""
    graph, output = call.attrs["callee"].graph, call.outputs.index(result)
    places = [position for position, target in graph.donated if target == output]
    if not places:
        raise NotNativeError("a function that calls itself returns a new array", call.where)
    return call.inputs[places[0]]


def _size_class(value: Value) -> tuple[str, int | None]:
    """Types of arrays that may be parts of the same memory."""
    return value.dtype.numpy_dtype.name, size_of(value.shape)


def exchange(wanted: list[str], actual: list[str]) -> list[tuple[str, str]]:
    """The simultaneous assignments `variable = variable` after which `wanted` holds what `actual`
    did; every buffer is still held by one variable, and each variable holds arrays of one type.

    >>> exchange(["a", "b"], ["c", "a"])
    [('a', 'c'), ('b', 'a'), ('c', 'b')]
    """
    source = dict(zip(wanted, actual, strict=True))
    pairs = list(source.items())
    for spare in wanted:
        if spare not in actual:  # its array goes to the variable at the end of the chain
            last = source[spare]
            while last in source:
                last = source[last]
            pairs.append((last, spare))
    return [(new, old) for new, old in pairs if new != old]


# ---- stacks ------------------------------------------------------------------------------------


def stacks_of(program: Program, stacks: set[Value] | None = None) -> set[Value]:
    """The stacks of loops among the values of a program: arrays whose number of rows grows."""
    stacks = set() if stacks is None else stacks
    for step in program.steps:
        if isinstance(step, LibraryCall) and step.node.op.name == "stack_push":
            stacks.add(step.node.output)
        for inner in inner_programs(step):
            assert not isinstance(step, Nest)
            operands = step.node.inputs[isinstance(step, Branch) :]  # without the condition
            pairs = zip(operands, inner.inputs, strict=True)
            stacks |= {value for operand, value in pairs if operand in stacks}
            stacks_of(inner, stacks)
        if isinstance(step, Loop):
            rows = zip(
                step.test.inputs,
                step.body.inputs,
                step.body.outputs,
                step.node.outputs,
                strict=False,
            )
            stacks |= {value for row in rows if row[2] in stacks for value in row}
    return stacks


# ---- undo logs ---------------------------------------------------------------------------------

# Donated inputs get their content back where a kernel fails that has changed them. A kernel that
# sets few elements or rows of a large one keeps an undo log: before it first writes to a block of
# elements, it saves the block. Others are copied as a whole before the kernel runs, which takes
# less time for each element that changes.

NOT_LOGGED = math.inf


class UndoLog(NamedTuple):
    """The types of the arrays of an undo log: saved blocks in the order in which they were saved,
    the number of them and theirs, and whether each block is saved.
    """

    saved: BufferType
    blocks: BufferType
    is_saved: BufferType


def undo_log(value: Value) -> UndoLog:
    """The undo log of a donated input."""
    memory, size = buffer_type(value), thresholds.LOG_BLOCK
    count = -(-elements_of(value) // size)
    saved, blocks = BufferType(memory.dtype, (count, size)), BufferType("int64", (count + 1,))
    return UndoLog(saved, blocks, BufferType("bool", (count,)))


def logged_inputs(arguments: Mapping[int, Value], saved: Mapping[int, float]) -> frozenset[Value]:
    """The donated inputs, by the buffers that they are, whose changes a kernel logs if it may fail
    after one: those of which it saves fewer blocks than a copy has.
    """
    return frozenset(
        value for number, value in arguments.items()
        if bytes_of(buffer_type(value)) >= thresholds.LOGGED_FROM
        and saved[number] * thresholds.LOG_BLOCK <= elements_of(value)
    )  # fmt: skip


def saved_blocks(node: Node) -> float:
    """How many blocks a node changes at most, if it sets elements at numbers that lie together:
    `a[i, j] = x`, `a[i] = row`. Other changes are not logged.
    """
    if node.op is not TABLE["set_item"]:
        return NOT_LOGGED
    count, shape = leading_numbers(node), dims(node.inputs[0])
    rows = expanded(node.attrs["index"], len(shape))
    is_row = all(row == WHOLE for row in rows[count:]) and None not in shape[count:]
    return math.prod(shape[count:]) // thresholds.LOG_BLOCK + 1 if is_row else NOT_LOGGED


def is_contiguous(node: Node) -> bool:
    """Whether the elements of a slice lie one after the other: `x[i]`, `x[i, 2:]`, `x[:5]`."""
    count, shape = leading_numbers(node), dims(node.inputs[0])
    rows = expanded(node.attrs["index"], len(shape))[count:]
    if None in rows:  # a new axis
        return False
    if not rows or rows[0] == WHOLE or isinstance(shape[count], Extent):
        return all(row == WHOLE for row in rows)
    first, *others = rows
    is_known = type(first) is tuple and not any(type(bound) is Slot for bound in first)
    is_part = is_known and slice(*first).indices(shape[count])[2] == 1
    return is_part and all(row == WHOLE for row in others)


def leading_numbers(node: Node) -> int:
    """How many of the first indices of a node are numbers."""
    rows = expanded(node.attrs["index"], len(dims(node.inputs[0])))
    return len(list(itertools.takewhile(lambda row: type(row) in (int, Slot), rows)))
