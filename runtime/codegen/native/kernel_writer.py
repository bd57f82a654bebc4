"""What the functions that write a kernel share: its statements, the names of values, its memory."""

from __future__ import annotations

import contextlib
import itertools
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import field
from typing import TYPE_CHECKING, Any

import numpy as np

from ...core import thresholds
from ...core.array_pool import BufferType, is_large
from ...core.classes import NamedTuple, record
from ...core.dtypes import DType, int64, stack
from ...core.numpy_dtypes import is_numeric
from ...core.shapes import is_static, size_of
from ...ir.callee import Callee
from ...ir.extents import Extent
from ...ir.graph import Node, Value
from ...ir.node_properties import has_native_type
from ...jit.backends import backend
from ...jit.cpu import vector_registers
from ...kernel_ir import nodes as ir
from ...kernel_ir.nodes import Expression, Let, Name, Operand, Statement, as_node, call, named
from ...kernels.tile_sizes import tile_columns, tile_rows
from ...lowering.buffer_assignment import (
    CALLER,
    InBuffer,
    Location,
    StoreBoth,
    StoreInto,
    buffer_type,
    may_grow,
)
from ...lowering.cost_model import Target
from ...lowering.not_native import NotNativeError
from ...lowering.program import Program
from ...lowering.schedule import KernelPlan
from ...parallel.thread_pool import cores
from .kernel_builder import Builder, ParallelRegion, Position

if TYPE_CHECKING:
    from ...lowering.schedule import RowLoop, Schedule, StepPlan
    from .elements import LogVariables


NOWHERE = Name("")  # the array of a value that has none of its own


class Accumulator(NamedTuple):
    """Where a reduction keeps what it has so far: a variable, or an element of an array.

    A partial one adds up a block of elements, in their own dtype.
    """

    name: Any
    is_partial: bool = False


@record(frozen=False, slots=False)
class NestState:
    """What is known inside of a loop nest, or of a loop that nests share.

    row_scalars  registers of the values that have one element in each row
    temporaries  those of them that are not stored
    slow_path    the elements are computed by functions of the C library
    part         the indices of the last axis that the loop runs over, where it is divided
    """

    registers: dict[Value, Expression] = field(default_factory=dict)
    accumulators: dict[Value, Accumulator] = field(default_factory=dict)
    row_scalars: dict[Value, Name] = field(default_factory=dict)
    temporaries: frozenset[Value] = frozenset()
    slow_path: bool = False
    part: tuple[int, int] | None = None


@record(frozen=False, slots=False)
class RegionState:
    """Which parallel region is being written, if any.

    chunk         iterations of a chunk, while the loop that threads share is written
    is_outermost  the next loop is that one
    is_private    one thread alone runs what is written
    preamble      statements before the chunks of the region
    partials      where chunks leave the partial results of reductions
    """

    chunk: Operand | None = None
    is_outermost: bool = False
    is_private: bool = False
    preamble: list[Statement] | None = None
    partials: dict[Node, Value] = field(default_factory=dict)


def literal(array) -> Expression:
    """A number of its data type."""
    number = array.item()
    if isinstance(number, complex):
        return call("complex", literal(array.real), literal(array.imag))
    return as_node(number) if isinstance(number, bool) else call(f"np.{array.dtype.name}", number)


class KernelWriter(Builder):
    """One kernel while it is written.

    names         the variables, or literals, that hold values
    variables     the names of scalars and arrays that no loop of a nest changes
    memory        where the results of the step live that is being written
    schedule      that of this step
    choice_flags  variables to be set on a side of a branch or selection
    updates       what nests write into a part of another array, with the node that says where
    read_later    of these, those that have an array of their own as well
    in_vectors    LLVM may compute the scalars of several iterations at once
    holds         the variable that says whether the assertions of a loop hold that checks them late
    allocations   statements before the outermost loop or branch around here
    arrays        the types of the arrays that the kernel makes or is given
    logs          the undo logs of donated inputs, by their variables
    share         divides a call among threads, if not as `parallel_chunks` does
    """

    share: Callable | None = None
    literal = staticmethod(literal)

    def __init__(self, plan: KernelPlan):
        super().__init__()
        self.plan = plan
        self.count = itertools.count(1)
        self.constants: list[tuple[str, np.ndarray]] = []
        self.names: dict[Value, Any] = {}
        self.variables: set[str] = set()
        self.hoisted: dict[str, Let] = {}
        self.choice_flags: dict[tuple[Node, str], Name] = {}
        self.memory: dict[Value, Location] = {}
        self.schedule: Schedule | None = None
        self.caller_buffers: dict[str, BufferType] = {}
        self.arrays: list[BufferType] = []
        self.logs: dict[str, LogVariables] = {}
        self.allocations: list[Statement] | None = None
        self.updates: dict[Value, Node] = {}
        self.read_later: set[Value] = set()
        self.expected_iterations: Operand = 0  # of the innermost loop, at most; 0: not known
        self.in_vectors = False
        self.holds: Name | None = None
        self.nest = NestState()
        self.region = RegionState()
        self.regions: list[ParallelRegion] = []
        self.functions: dict[Callee, Any] = {}
        self._buffer_names: dict[int, Name] = {}
        self._free_work_arrays: dict[BufferType, list[Name]] = {}

    # ---- hoisted expressions -------------------------------------------------------------

    def write_item(self, item: StepPlan | RowLoop, write: Callable) -> None:
        """Write what a plan has next, as `write(writer, item)` does."""
        write(self, item)

    def hoist(self, expression: Expression) -> Expression:
        """A name for an expression that is the same everywhere in a nest, computed before it."""
        source = str(expression)
        if source not in self.hoisted:
            self.hoisted[source] = Let(self.unused("k"), expression)
        return self.hoisted[source].target

    def write_hoisted(self, position: Position | None = None) -> None:
        """What `hoist` named, at a position before its uses: by default, before what comes next."""
        position = position or self.position()
        position.insert(self.hoisted.values())
        self.hoisted = {}

    # ---- names and types -----------------------------------------------------------------

    def unused(self, letter: str) -> Name:
        """A variable that no other statement has."""
        return Name(f"{letter}{next(self.count)}")

    def name(self, value: Value) -> Any:
        if value not in self.names:
            self.names[value] = self.new_variable()
        return self.names[value]

    def view_name(self, value: Value) -> Name:
        """The name of a view: a variable of its own, never that of a buffer."""
        if not self.is_fixed(self.names.get(value)):
            self.names[value] = self.new_variable()
        return self.names[value]

    def new_variable(self) -> Name:
        """The name of a scalar or array that no loop of a nest changes."""
        name = self.unused("v")
        self.variables.add(name.id)
        return name

    def is_fixed(self, expression: Expression | None) -> bool:
        """Whether an expression is a variable that no loop of a nest changes."""
        return isinstance(expression, Name) and expression.id in self.variables

    def read(self, value: Value) -> Any:
        """The variable, or the number, that holds a value."""
        return self.names[value]

    def check(self, value: Value, node: Node | None = None) -> None:
        where = None if node is None else node.where
        if not has_native_type(value, node) or value.dtype.name in ("float16", "bfloat16"):
            reason = f"'{value.name}' is {value.dtype.name}, a dtype that native code does not have"
            if value.dtype is stack:
                reason = f"'{value.name}' is a list, in which arrays may differ in shape"
            if value.dtype.is_complex and node is not None:
                reason = f"'{node.op.name}' of complex numbers"
            raise NotNativeError(reason, where)
        if not is_static(value.shape) and not self._is_growing(value, node):
            raise NotNativeError(f"the shape of '{value.name}' is not known before it runs", where)
        if (size_of(value.shape) or 0) * value.dtype.size > sys.maxsize:
            raise NotNativeError(f"'{value.name}' would be larger than any memory", where)

    def _is_growing(self, value: Value, node: Node | None) -> bool:
        """Whether a value is an array of rows whose number is not known, as loops push or write
        them, and the operation has a form for those.
        """
        if value in self.plan.stacks:
            return True
        return may_grow(value) and (node is None or node.op.any_rows)

    def cast(self, operand: Operand, dtype: DType) -> Expression:
        return call("bool" if dtype.is_bool else f"np.{dtype.name}", operand)

    def size(self, size: int) -> Expression:
        """The size of an axis, which a variable holds where it is computed."""
        return self.read(size.length) if isinstance(size, Extent) else ir.Const(int(size))

    def trip_count(self, size: int) -> Expression:
        """The trip count of the loop over an axis: loops of a known limit poll for no signals."""
        length = self.size(size)
        return call("min", length, size) if isinstance(size, Extent) else length

    def note_counters(self, *names: Name) -> None:
        """Variables that hold an int64: parallel regions may read them."""
        self.names |= {Value(int64, (), name.id): name for name in names}

    def element_at(self, value: Value, indices: Iterable[Operand]) -> Expression:
        """The expression of one element of a value: a register, or a read from memory."""
        if value in self.nest.registers:
            return self.nest.registers[value]
        if value in self.nest.row_scalars:
            return self.nest.row_scalars[value]
        return self.read(value)[tuple(indices)] if value.shape else self.read(value)

    def log_of(self, value: Value) -> LogVariables | None:
        """The undo log of the array that holds a value, if there is one."""
        return self.logs.get(self.read(value).id)

    def alias(self, value: Value, other: Value) -> None:
        """`value` is another name for `other`."""
        self.names[value] = self.read(other)

    # ---- memory --------------------------------------------------------------------------

    def buffer(self, value: Value) -> Name:
        """The array that a result of this step is written to, as planned."""
        return self.located(value, self.memory[value])

    def located(self, value: Value, location: Location) -> Name:
        """The array of a value: its buffer, or that of the operand whose memory it has."""
        if isinstance(location, StoreInto):
            self.updates[value] = location.update
            return NOWHERE
        if isinstance(location, StoreBoth):
            self.updates[value] = location.update
            self.read_later.add(value)
            location = location.own
        if isinstance(location, InBuffer):
            self.names[value] = self._buffer_name(location.number)
        else:
            self.names[value] = self.read(location.operand)
        return self.names[value]

    def copied(self, value: Value, location: Location, source: Name) -> Name:
        """The array of a value, with the elements of another."""
        name = self.located(value, location)
        if may_grow(value):
            self.let(name, call("copy_rows", source, 0))
        else:
            self.call("copy_elements", name, source)
        return name

    def _buffer_name(self, number: int) -> Name:
        if number not in self._buffer_names:
            if number in self.plan.arguments:
                return self._buffer_names.setdefault(number, self.name(self.plan.arguments[number]))
            planned = self.plan.buffers[number]
            is_callers = planned.owner == CALLER
            self._buffer_names[number] = self._new_array(planned.type, is_callers)
        return self._buffer_names[number]

    def _new_array(self, wanted: BufferType, is_callers: bool) -> Name:
        name = self.unused("b")
        if not is_static(wanted.shape):  # the first value in it makes the array
            return name
        if not self.region.is_private:
            self.arrays.append(wanted)
        if is_callers:
            self.caller_buffers[name.id] = wanted
        else:
            self.allocate(new_array(name, wanted.shape, wanted.dtype))
        return name

    def allocate(self, statement: Statement) -> None:
        """A statement that makes an array, before the outermost loop."""
        if self.allocations is None:
            self.append(statement)
        else:
            self.allocations.append(statement)

    def private_array(self, shape: tuple[int, ...], dtype: str) -> Name:
        """The name of a new array, which each thread has for itself."""
        name = self.unused("a")
        statement = new_array(name, shape, dtype)
        if self.region.preamble is None:
            self.allocate(statement)
        else:
            self.region.preamble.append(statement)
        return name

    @contextlib.contextmanager
    def allocating_before(self) -> Iterator[None]:
        """Arrays that are made meanwhile come before the outermost loop or branch."""
        if self.allocations is not None:
            yield
            return
        position, self.allocations = self.position(), []
        yield
        position.insert(self.allocations)
        self.allocations = None

    def work_array(self, value: Value) -> Name:
        """Memory that only this step needs; give it back with `release`."""
        wanted = buffer_type(value)
        free = self._free_work_arrays.setdefault(wanted, [])
        is_callers = is_large(wanted) and not self.region.is_private
        name = free.pop(0) if free else self._new_array(wanted, is_callers)
        self.names[value] = name
        return name

    def release(self, value: Value) -> None:
        self._free_work_arrays[buffer_type(value)].append(self.names[value])

    @contextlib.contextmanager
    def private_memory(self) -> Iterator[list[Statement]]:
        """Context manager for code that one thread of a parallel region runs. Yields the preamble,
        in which the arrays of the thread are allocated.
        """
        outer = self.region, self.allocations, self._free_work_arrays
        preamble = self.region.preamble
        assert preamble is not None
        self.region = RegionState(is_outermost=True, is_private=True)
        self.allocations, self._free_work_arrays = [], {}
        yield preamble
        preamble += self.allocations
        self.region, self.allocations, self._free_work_arrays = outer


def bind(writer: KernelWriter, program: Program, operands: Iterable[Value]) -> None:
    """The inputs of an inner program are variables of this one."""
    for inner, value in zip(program.inputs, operands, strict=True):
        writer.alias(inner, value)


def write_constant(writer: KernelWriter, node: Node) -> None:
    """A scalar is a literal, an array a parameter of the kernel."""
    array = node.attrs["value"]
    if not is_numeric(array.dtype):
        return  # a string: who reads it has no native form
    if array.ndim == 0:
        writer.names[node.output] = writer.literal(array)
        return
    writer.names[node.output] = constant_array(writer, array)


def constant_array(writer: KernelWriter, array: np.ndarray) -> Name:
    """The parameter of the kernel that is a constant array."""
    for known, other in writer.constants:
        if other is array:
            return Name(known)
    name = Name(f"c{len(writer.constants) + 1}")
    writer.constants.append((name.id, np.ascontiguousarray(array)))
    return name


def numpy_type(dtype: str) -> Expression:
    """The data type of an array."""
    return named(f"np.{'bool_' if dtype == 'bool' else dtype}")


def new_array(name: Name, shape: tuple, dtype: str) -> Let:
    """The statement that makes an array."""
    return Let(name, call("new_array", shape, numpy_type(dtype)))


def indices_of(axes: Iterable[int]) -> tuple[Name, ...]:
    """The variables that count along axes of a nest."""
    return tuple(Name(f"i{axis}") for axis in axes)


def host_target() -> Target:
    """What schedules depend on, for this processor and the cores that this process may use."""
    if not backend().has_vectors:
        return Target(vector_registers=0)
    size, number = vector_registers()
    shared_by = max(cores(), thresholds.LEAST_CORES)
    return Target(size, number, shared_by, tile_rows(), tile_columns("float32") * 4)
