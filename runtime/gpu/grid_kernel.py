"""Programs as a device runs them: kernels that every thread of a grid runs, and what the host does
between them.

A grid is some blocks of some threads. Each thread runs the function `kernel` of a `GridKernel` from
its first statement to its last; its parameters are arrays in the memory of the device. Numbers are
in variables of the thread: all threads compute the same ones from the same elements, so all of them
take the same way through branches and loops. The elements of arrays are divided among the threads.

These functions of kernel IR tell a thread where it is, and let it wait for others:

| call | gives, or does |
|---|---|
| `thread_index()`, `thread_count()` | the number of the thread in the grid, and of all threads |
| `block_index()`, `block_count()` | the number of its block, and that of all blocks |
| `lane_index()`, `lane_count()` | its number in its block, and of the threads of a block |
| `block_barrier()` | waits until all threads of the block are there |
| `warp_barrier()` | waits until all threads of the warp are there, `WARP` lanes of the block |
| `shuffled_down(number, distance)` | the number of the thread so many lanes further in the warp |
| `shuffled_from_first(number)` | the number of the first thread of the warp |
| `grid_barrier()` | waits until all threads of the grid are there |
| `shared_array(size, dtype)` | an array that the threads of a block share |
| `note_failure(status, number)` | makes `status[0]` the least of itself and the number |

What was written before a barrier is read after it by those who waited. All lanes of a warp shuffle
together, which orders no memory; where there is no such lane, a thread gets its own number. A
statement `with failing(status, number): ...` is left where an index, a division or an assertion in
it fails: it notes the number, and the thread goes on behind it.

A kernel writes its results to buffers of their own: where it fails, its inputs are as they were.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field
from typing import NamedTuple, Union

import numpy as np

from ..core.classes import record
from ..core.source_locations import SourceLocation
from ..ir.graph import Node, dims
from ..ir.op import TABLE
from ..kernel_ir.kernels import Function, KernelIR, names_in
from ..kernel_ir.nodes import Call, Evaluate, Expression, Let, Name, Statement, walk

INPUT, OUTPUT, CONSTANT, SCRATCH, STATUS = "input", "output", "constant", "scratch", "status"

STOP = "stop_address"  # of a module: the address of a word, by which the host ends its kernels
LANES = 256  # threads of a block on a device
WARP = 32  # threads of a block that the device runs together: those with consecutive numbers
SUCCESS = np.iinfo(np.int64).max  # what the status word holds until something fails
WRITING = ("draw_", "philox_", "failing")  # first words of functions that also give something
STEP = 1 << 40  # a failure has the number `step * STEP + iteration`


@record()
class Guarded(Statement):
    """`with failing(status, number):` what fails inside is noted, and the thread goes on behind."""

    call: Expression
    body: tuple[Statement, ...]

    @property
    def value(self) -> str:
        """Its first line."""
        return f"with {self.call}:"


class GridBuffer(NamedTuple):
    """An array in the memory of the device.

    role      whether it is an input or an output of the program, a constant, memory that the
              kernels need meanwhile, or the status word
    position  of the input or the output
    content   the elements of a constant
    """

    dtype: np.dtype
    shape: tuple[int, ...]
    role: str
    position: int = 0
    content: np.ndarray | None = None

    @property
    def size(self) -> int:
        """Its elements; that of a number is one."""
        return math.prod(self.shape)

    @property
    def bytes(self) -> int:
        """The memory that it takes."""
        return self.size * self.dtype.itemsize


class Failure(NamedTuple):
    """A step that may fail, as the user wrote it."""

    message: str
    where: SourceLocation | None


@record()
class GridKernel:
    """One kernel.

    code            kernel IR: the function `kernel`, and nothing beside it
    arguments       for each of its parameters the number of a buffer of the program
    parameters      these buffers; for the kernel, one of rank 0 is an array of one element
    threads         as many have something to do; more do no harm, and fewer do the same work
    one_block       whether it runs in one block, so that no barrier of the grid is needed
    is_cooperative  whether it has barriers of the grid: all blocks have to run at the same time
    lanes           the threads of a block are a multiple of so many
    origins         the nodes whose results its variables hold, for those who look at the source
    failures        what `step` of a failure number stands for; if there are any, the status word is
                    its last parameter, and what fails outside of `failing` has the number 0
    """

    name: str
    code: KernelIR
    arguments: tuple[int, ...]
    threads: int
    one_block: bool = False
    is_cooperative: bool = False
    lanes: int = 1
    failures: tuple[Failure, ...] = ()
    parameters: tuple[GridBuffer, ...] = ()
    origins: dict[str, Node] = field(default_factory=dict)

    def grid(self, most_blocks: int, lanes: int = LANES) -> tuple[int, int]:
        """The blocks of a launch and their threads: at most so many blocks, a power of two."""
        lanes = -(-lanes // self.lanes) * self.lanes
        if self.one_block:
            return 1, lanes
        wanted = max(1, -(-self.threads // lanes))
        return min(
            1 << (wanted - 1).bit_length(), 1 << (max(most_blocks, 1).bit_length() - 1)
        ), lanes

    def failure(self, status: int) -> tuple[Failure, int] | None:
        """The first failure that a status word tells of, and the iteration; None for success."""
        if status == SUCCESS:
            return None
        step, iteration = divmod(int(status), STEP)
        return self.failures[step], iteration


@record()
class Product:
    """A product of matrices by a library, between kernels: `result = left @ right`.

    left, right, result   the numbers of their buffers
    sizes                 the rows and the columns of the result, and what is added up for each
    batch                 how many products there are, one after the other in memory
    transposed            which operands lie there as their transposes
    strides               the elements from one matrix of a batch to the next, of both operands
    """

    left: int
    right: int
    result: int
    sizes: tuple[int, int, int]
    batch: int
    transposed: tuple[bool, bool]
    strides: tuple[int, int]
    dtype: np.dtype
    word = "product"  # of people

    @property
    def arguments(self) -> tuple[int, int, int]:
        """The numbers of its buffers, as those of a kernel."""
        return self.left, self.right, self.result

    def __str__(self) -> str:
        rows, columns, depth = self.sizes
        batch = f"{self.batch} x " if self.batch > 1 else ""
        return f"{batch}{rows} x {depth} times {depth} x {columns} of {self.dtype}"


@record()
class HostStep:
    """An operation between kernels that the host computes.

    node       its inputs and outputs are arrays in memory, as the device has them
    arguments  the numbers of the buffers of its inputs, then of its outputs
    """

    node: Node
    arguments: tuple[int, ...]
    word = "between kernels:"

    def computed(self, arrays: Sequence[np.ndarray]) -> Sequence[np.ndarray]:
        """Its results. Raises ArithmeticError where it fails."""
        pairs = zip(arrays, self.node.inputs, strict=True)
        operands = [array.reshape(dims(value)) for array, value in pairs]
        try:
            return self.node.op.kernel(*operands, **self.node.attrs)
        except Exception as error:
            raise ArithmeticError(f"{self} has failed") from error

    def __str__(self) -> str:
        node = self.node.attrs["node"]
        if node.op is TABLE["host_call"]:
            return f"a call of {node.attrs['function'].name}"
        return f"{node.op.name} of {' and '.join(str(dims(value)) for value in node.inputs)}"


@record()
class GridLoop:
    """Steps that run again and again.

    count   how often; None where a test decides
    flag    the number of the buffer with the truth value that `test` computes
    test    its steps, before the first iteration and after each
    body    the steps of an iteration, whose kernels do nothing where the truth value is false
    """

    count: int | None
    flag: int | None
    test: tuple[GridStep, ...]
    body: tuple[GridStep, ...]

    @property
    def may_overrun(self) -> bool:
        """Whether iterations may be launched before it is known that they run: no loop inside has a
        test, which might never end then, and the host neither computes nor chooses anything.
        """
        steps = list(flat_steps((*self.test, *self.body)))
        counts = [step.count for step in steps if isinstance(step, GridLoop)]
        asks_host = any(isinstance(step, (HostStep, GridBranch)) for step in steps)
        return None not in counts and not asks_host


@record()
class GridBranch:
    """Steps of which the host chooses some.

    flag    the number of the buffer with the truth value that decides
    then    the steps where it is true
    orelse  those where it is false
    """

    flag: int
    then: tuple[GridStep, ...]
    orelse: tuple[GridStep, ...]


@record()
class NoteFailure:
    """What was noted so far becomes known to later kernels: the number of the status word, and that
    of the word which those read that come after it. Where a check has failed, they do nothing, for
    what they compute may rely on it.
    """

    status: int
    before: int


GridStep = Union[GridKernel, Product, HostStep, GridLoop, GridBranch, NoteFailure]  # noqa: UP007 - evaluated before names are defined


def flat_steps(steps: Iterable[GridStep]) -> Iterator[GridStep]:
    """The steps, and those inside of loops."""
    for step in steps:
        yield step
        if isinstance(step, GridLoop):
            yield from flat_steps((*step.test, *step.body))
        if isinstance(step, GridBranch):
            yield from flat_steps((*step.then, *step.orelse))


@record()
class GridProgram:
    """A program for a device: its buffers, and the steps that run one after the other.

    Before a call, inputs and constants are copied to the device; the status word is `SUCCESS`, if
    there is one. The program has failed where it is another number then: its outputs are no
    results.
    """

    name: str
    buffers: tuple[GridBuffer, ...]
    steps: tuple[GridStep, ...]

    @property
    def kernels(self) -> tuple[GridKernel, ...]:
        """Its kernels, those in loops too."""
        return tuple(step for step in flat_steps(self.steps) if isinstance(step, GridKernel))

    def numbers(self, role: str) -> list[int]:
        """The numbers of the buffers of a role, inputs and outputs by their position."""
        rows = [
            (buffer.position, at) for at, buffer in enumerate(self.buffers) if buffer.role == role
        ]
        return [at for _, at in sorted(rows)]


def unwritten_parameters(code: Function) -> set[str]:
    """The parameters of a kernel that no thread writes."""
    written: set[str] = set()
    views: list[tuple[str, set[str]]] = []
    for part in walk(code.body):
        if type(part) is Call and part.name.startswith(WRITING):
            written |= names_in(part.arguments)
        if type(part) is Evaluate:  # a call that gives nothing does something
            written |= names_in([part.value])
        if type(part) is Let and type(part.target) is Name:
            views.append((part.target.id, names_in([part.value])))
        elif isinstance(part, Statement):
            written |= names_in(getattr(target, "array", target) for target in part.targets())
    for view, sources in reversed(views):  # what is behind a view is written with it
        if view in written:
            written |= sources
    return set(code.parameters) - written
