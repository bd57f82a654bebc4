"""What the functions share that write a kernel of a grid: buffers, barriers, failures.

The statements of a step are written once, by the functions that write them for the CPU where these
are loops of one thread. Around them the threads of the grid share the elements, the iterations or
the rows. A barrier of the grid stands before a step that touches what others may still write, or
writes what others may still read.
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import field

import numpy as np

from ...codegen.native.kernel_builder import Builder, Draft, Position
from ...codegen.native.kernel_writer import KernelWriter
from ...core.array_pool import BufferType
from ...core.classes import record
from ...core.numpy_dtypes import is_real
from ...ir.extents import Extent, has_extents
from ...ir.graph import Node, Value, elements_of
from ...kernel_ir.nodes import (
    Call,
    Const,
    Evaluate,
    Expression,
    Leave,
    Load,
    Name,
    Operand,
    Statement,
    as_node,
    call,
    walk,
)
from ...lowering.buffer_assignment import Location, may_grow
from ...lowering.not_native import NotNativeError
from ...lowering.program import Step
from ...lowering.schedule import KernelPlan
from ..grid_kernel import LANES, STEP, SUCCESS, WARP, Failure, Guarded

ALL_THREADS, ONE_THREAD = "all threads", "one thread"
MAY_FAIL = ("wrapped_index", "checked_index")
INTEGER_DIVISIONS = ("floor_divide_i", "floor_mod_i", "truncate_", "mean_of_i", "power_i")


@record(frozen=False)
class Accesses:
    """The arrays that a step reads and writes, by the variables that hold them."""

    reads: set[str] = field(default_factory=set)
    writes: set[str] = field(default_factory=set)
    others: bool = False  # perhaps all others too

    def __bool__(self) -> bool:
        return self.others or bool(self.reads or self.writes)

    def __or__(self, other: Accesses) -> Accesses:
        return Accesses(
            self.reads | other.reads, self.writes | other.writes, self.others or other.others
        )

    def meets(self, later: Accesses) -> bool:
        """Whether a barrier has to stand between these accesses and later ones."""
        if self.others or later.others:
            return bool(self) and bool(later)
        touched = later.reads | later.writes
        return bool(self.writes & touched or self.reads & later.writes)


class GridWriter(KernelWriter):
    """One kernel of a grid while it is written.

    pending       what threads may have touched since the last barrier
    mode          None while all threads write the statements of a step; ALL_THREADS or ONE_THREAD
                  while statements are written that a thread runs for itself
    starts_loop   the next step is the first of a loop: a barrier stands before it
    threads       the most threads that have something to do in one step
    lanes         the threads of a block are a multiple of so many
    failures      the steps that may fail; the first are those outside of all guards
    """

    def __init__(self, plan: KernelPlan):
        super().__init__(plan)
        self.pending = Accesses()
        self.mode: str | None = None
        self.starts_loop = False
        self.before: Position
        self.rewritten: set[Value] = set()  # all of whose elements a loop sets
        self.spreading: list[tuple[Operand, Operand]] | None = None  # that threads will share
        self.most = 0  # iterations of these
        self.inner_loop: Step | None = None  # whose iterations threads share with those around it
        self.inner_index: Name
        self.only: Name | None = None  # the number of the only iteration of it that a thread runs
        self.threads = self.lanes = 1
        self.failures = [Failure("", None)]
        self.share = self.shared_call
        self.shared_arrays: dict[tuple[np.dtype, int, int], Name] = {}
        self._alike: dict[str, str] = {}  # of arrays: another with elements of the same memory

    def check(self, value: Value, node: Node | None = None) -> None:
        super().check(value, node)
        where = None if node is None else node.where
        if not is_real(value.dtype.numpy_dtype):
            reason = f"'{value.name}' is {value.dtype.name}, a dtype that devices do not have"
            raise NotNativeError(reason, where)
        if value in self.plan.stacks or may_grow(value):
            raise NotNativeError(f"the size of '{value.name}' is computed", where)

    def lengths(self, shape: Sequence[int]) -> tuple[Operand, ...]:
        """The sizes of axes: variables for those that are computed, which threads share then."""
        sizes: list[Operand] = [int(size) for size in shape]
        for axis, size in enumerate(shape):
            if isinstance(size, Extent):
                sizes[axis] = self.unused("n")
                self.let(sizes[axis], self.trip_count(size))
        return tuple(sizes)

    # ---- memory --------------------------------------------------------------------------

    def _new_array(self, wanted: BufferType, is_callers: bool) -> Name:
        is_shared = self.mode is None or self.mode is ONE_THREAD
        if is_shared and not self.region.is_private:
            return super()._new_array(wanted, True)
        return super()._new_array(wanted, False)

    def scratch(self, dtype: np.dtype, *sizes: int) -> Name:
        """The name of memory that all threads share, until the kernel ends."""
        return super()._new_array(BufferType(dtype.name, sizes), True)

    def shared_array(self, dtype: np.dtype, number: int, size: int = LANES // WARP) -> Name:
        """The name of memory of a block, which has a number for each warp, or of another size. A
        step that ends with a barrier of the block leaves it to the next one.
        """
        name = Name(f"l{len(self.shared_arrays) + 1}")
        return self.shared_arrays.setdefault((dtype, number, size), name)

    def private_array(self, shape: tuple[int, ...], dtype: str) -> Name:
        if self.mode is ONE_THREAD:
            return super()._new_array(BufferType(dtype, tuple(shape)), True)
        return super().private_array(shape, dtype)

    def copied(self, value: Value, location: Location, source: Name) -> Name:
        if self.mode is ALL_THREADS:
            return super().copied(value, location, source)
        position = self.position() if self.mode is None else self.before
        name, size = self.located(value, location), elements_of(value)
        if value in self.rewritten:
            return name
        self.threads = max(self.threads, size)
        copy = Builder()
        to, from_ = name.with_suffix("_to"), name.with_suffix("_from")
        copy.let(to, call("reshaped", name, (size,)))
        copy.let(from_, call("reshaped", source, (size,)))
        with copy.loop("i", *of_thread(size)):
            copy.let(to["i"], from_["i"])
        if self.mode is ONE_THREAD:
            copy.call("grid_barrier")
        position.insert(copy.statements())
        if self.mode is None:
            self.synchronize(position, Accesses({self.base(source)}, {self.base(name)}))
            if self.spreading is not None:  # the same step writes to the copy
                self.barrier()
        return name

    # ---- threads -------------------------------------------------------------------------

    def over_threads(
        self, index: Operand, size: int, count: Operand | None = None
    ) -> AbstractContextManager[None]:
        """A loop whose iterations the threads of the grid share: `size` of them, or a computed
        count that is not larger.
        """
        self.threads = max(self.threads, size)
        return self.loop(index, *of_thread(size if count is None else count))

    @contextmanager
    def by(self, mode: str) -> Iterator[None]:
        """What is written meanwhile runs as on a CPU, in all threads or in one."""
        outer, self.mode = self.mode, mode
        yield
        self.mode = outer

    @contextmanager
    def by_one(self, before: Position) -> Iterator[None]:
        """One thread runs what is written meanwhile; all threads copy what it needs `before`."""
        self.before = before
        with self.by(ONE_THREAD):
            yield

    @contextmanager
    def spread(self, most: int) -> Iterator[None]:
        """The threads share the iterations of nested loops that are written meanwhile, at most so
        many, which do not depend on each other. What no loop is around is for one thread.
        """
        self.spreading, self.most = [], most
        yield
        self.spreading = None

    def loop(self, target: Operand, *ends: Operand) -> AbstractContextManager[None]:
        if self.only is not None:
            only, self.only = self.only, None
            return super().loop(target, only, only + 1)
        if self.spreading is None or len(ends) > 1:
            return super().loop(target, *ends)
        (end,) = ends
        self.spreading.append((target, end.value if isinstance(end, Const) else end))
        return nullcontext()

    def append(self, statement: Statement) -> None:
        loops, self.spreading = self.spreading, None
        if loops:
            rest, count = Name("i"), product(size for _, size in loops)
            most = count if isinstance(count, int) else self.most
            with self.over_threads(rest, most, count):
                for at, (index, size) in list(enumerate(loops))[::-1]:
                    self.let(index, rest % size if at else rest)
                    self.let(f"i_{at}", rest // size)
                    rest = Name(f"i_{at}")
                super().append(statement)
        elif loops is not None and type(statement.target) is Load:
            with self.when(call("thread_index").equals(0)):
                super().append(statement)
        else:
            super().append(statement)
        self.spreading = None if loops is None else []

    def shared_call(
        self,
        writer: KernelWriter,
        size: int,
        chunks: object,
        write: Callable[[Expression, Expression], None],
    ) -> None:
        """A call with independent iterations: each is for one thread."""
        if self.mode is not None:
            write(as_node(0), as_node(size))
            return
        name = self.unused("t")
        with self.by(ALL_THREADS), self.over_threads(name, size):
            write(name, as_node(1))

    # ---- barriers ------------------------------------------------------------------------

    def base(self, array: Name) -> str:
        """The variable that stands for all those that may hold the same memory."""
        name = array.id
        while self._alike.get(name, name) != name:
            name = self._alike[name]
        return name

    def note_alike(self, arrays: Iterable[Name]) -> None:
        """These variables hold, or exchange, the same memory."""
        first, *others = {self.base(array): None for array in arrays} or [""]
        self._alike.update(dict.fromkeys(others, first))

    def accesses(
        self,
        operands: Iterable[Value],
        results: Iterable[Value],
        reads: Iterable[Name] = (),
        writes: Iterable[Name] = (),
    ) -> Accesses:
        """Those of a step with these operands and results, and of these arrays."""
        read = [self.names[value] for value in operands if value.shape and value in self.names]
        written = [self.names[value] for value in results if value.shape and value in self.names]
        written += [
            self.read(self.updates[value].inputs[0]) for value in results if value in self.updates
        ]
        return Accesses(
            set(map(self.base, (*read, *reads))), set(map(self.base, (*written, *writes)))
        )

    def synchronize(self, position: Position, accesses: Accesses) -> None:
        """Put a barrier before what has been written from a position on, if it needs one."""
        if self.pending.meets(accesses):
            position.insert([Evaluate(call("grid_barrier"))])
            self.pending = Accesses()
        self.pending = self.pending | accesses

    def barrier(self) -> None:
        """All threads wait for each other."""
        self.call("grid_barrier")
        self.pending = Accesses()

    # ---- failures ------------------------------------------------------------------------

    def guard(self, block: list, start: int, iteration: Operand, node: Node) -> bool:
        """Note where the statements of a block fail that have been written from `start` on.
        Returns whether they may.
        """
        items = block[start:]
        built = Builder()
        built.block.extend(items)
        if not may_fail(built.statements()):
            return False
        number = len(self.failures) * STEP
        failing = call("failing", "status", number + as_node(iteration))
        block[start:] = [Draft(lambda body, _: Guarded(failing, body), list(items))]
        self.failures.append(Failure(node.op.name, node.where))
        return True

    def leave_if_failed(self) -> None:
        """All threads leave the kernel if one has noted a failure."""
        self.barrier()
        noted = Name("noted")
        self.let(noted, Name("status")[0])
        self.call("grid_barrier")
        with self.when(noted.differs(int(SUCCESS))):
            self.leave("return")


def may_fail(statements: Iterable[Statement]) -> bool:
    """Whether statements may fail."""
    for part in walk(statements):
        if type(part) is Leave and part.word == "raise":
            return True
        if type(part) is Call and _may_fail(part.name):
            return True
    return False


def _may_fail(name: str) -> bool:
    if name in MAY_FAIL or name.startswith(("draw_", "variate_", "matrix_")):
        return True
    if name.startswith(("half_", "brain_")):
        return False
    is_division = name.startswith(INTEGER_DIVISIONS) and "_i" in name
    return (is_division and "_by_nonzero" not in name) or name.endswith(("_l32", "_l64"))


def check_size(value: Value, node: Node | None = None) -> None:
    """Raise NotNativeError if the size of a value is computed."""
    if has_extents(value.shape):
        where = None if node is None else node.where
        raise NotNativeError(f"the size of '{value.name}' is computed", where)


def product(sizes: Iterable[Operand]) -> Operand:
    """The product of sizes, some of which may be computed."""
    factors = list(sizes)
    if all(isinstance(size, int) for size in factors):
        return math.prod(factors)
    return functools.reduce(operator.mul, (as_node(size) for size in factors if size != 1))


def of_thread(size: Operand) -> tuple[Operand, ...]:
    """The ends of the loop over the iterations of a thread."""
    return call("thread_index"), size, call("thread_count")
