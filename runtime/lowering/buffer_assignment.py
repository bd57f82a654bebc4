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
from collections.abc import Mapping

from ..core import thresholds
from ..core.array_pool import BufferType, bytes_of
from ..core.classes import NamedTuple
from ..core.shapes import is_static
from ..ir.extents import Extent, capacities
from ..ir.graph import Node, Value, dims, elements_of
from ..ir.indexing import Slot, expanded
from ..ir.op import TABLE
from .program import Branch, Invoke, LibraryCall, Loop, Program, Step, nodes_of

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

    def drop(self, value: Value) -> None:
        """Nobody needs `value` any more."""
        number = self.buffer_of.pop(value, None)
        if number is not None:
            self.users[number].discard(value)

    def is_alone(self, value: Value) -> bool:
        """Whether overwriting the elements of `value` changes no other value."""
        return value in self.buffer_of and self.users[self.buffer_of[value]] == {value}


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
        for inner, operands in _inner_programs(step):
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


def _inner_programs(step: Step) -> list[tuple[Program, tuple[Value, ...]]]:
    """The programs inside a step, each with the operands that it receives."""
    if isinstance(step, Loop):
        return [(step.test, step.node.inputs), (step.body, step.node.inputs)]
    if isinstance(step, Branch):
        return [(step.then, step.node.inputs[1:]), (step.orelse, step.node.inputs[1:])]
    return [(step.program, step.node.inputs)] if isinstance(step, Invoke) else []


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
    is_row = all(row == (None, None, None) for row in rows[count:]) and None not in shape[count:]
    return math.prod(shape[count:]) // thresholds.LOG_BLOCK + 1 if is_row else NOT_LOGGED


def is_contiguous(node: Node) -> bool:
    """Whether the elements of a slice lie one after the other: `x[i]`, `x[i, 2:]`, `x[:5]`."""
    count, shape = leading_numbers(node), dims(node.inputs[0])
    rows = expanded(node.attrs["index"], len(shape))[count:]
    if None in rows:  # a new axis
        return False
    if not rows or rows[0] == (None, None, None) or isinstance(shape[count], Extent):
        return all(row == (None, None, None) for row in rows)
    first, *others = rows
    is_known = type(first) is tuple and not any(type(bound) is Slot for bound in first)
    is_part = is_known and slice(*first).indices(shape[count])[2] == 1
    return is_part and all(row == (None, None, None) for row in others)


def views_dead_before_write(steps: list[Step], last_used: list[set[Value]]) -> set[Value]:
    """The slices that nothing reads any more, nor a view of them, when their operand is last read.

    They may be views of it: native code overwrites an array after its last read.
    """
    last = {value: at for at, values in enumerate(last_used) for value in values}
    nodes = [node for step in steps for node in nodes_of(step)]
    views: dict[Value, list[Value]] = {}
    for node in nodes:
        if node.op.is_view:
            views.setdefault(node.inputs[0], []).append(node.output)
    return {
        node.output
        for node in nodes
        if node.op is TABLE["strided_slice"]
        and _last_read(node.output, views, last) < last.get(node.inputs[0], math.inf)
    }


def _last_read(value: Value, views: dict[Value, list[Value]], last: dict[Value, int]) -> float:
    reads = (_last_read(view, views, last) for view in views.get(value, ()))
    return max(last.get(value, math.inf), *reads, 0)


def leading_numbers(node: Node) -> int:
    """How many of the first indices of a node are numbers."""
    rows = expanded(node.attrs["index"], len(dims(node.inputs[0])))
    return len(list(itertools.takewhile(lambda row: type(row) in (int, Slot), rows)))
