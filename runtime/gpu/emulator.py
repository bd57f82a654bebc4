"""An emulated device: kernels of a grid run as Python on NumPy arrays, slow and exact.

The threads of a grid are generators, which stop at barriers, and at shuffles, where those of a warp
exchange numbers. They run one after the other, in an
order that changes at each barrier: a result that depends on it is another one than that of a
device. Two threads that touch one element between two barriers, of which one writes it, are an
error, as is an index out of an array, and a barrier that some threads do not reach.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Generator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..core.dtypes import as_dtype
from ..core.parsing import parsed
from ..core.places import object_at
from ..jit.backends import OWN
from ..kernel_ir.kernels import Function, KernelIR
from ..kernel_ir.nodes import Call, Evaluate, For, Leave, Name, While, transformed
from .grid_kernel import (
    CONSTANT,
    INPUT,
    OUTPUT,
    STATUS,
    SUCCESS,
    WARP,
    GridBuffer,
    GridKernel,
    GridProgram,
    HostStep,
    Product,
    unwritten_parameters,
)
from .launches import Runner, run_steps

BLOCKS, LANES = 2, 4  # of an emulated launch: few, since each thread takes as long as all of it
BARRIERS = ("warp_barrier", "block_barrier", "grid_barrier")
SHUFFLES = DOWN, FROM_FIRST = ("shuffled_down", "shuffled_from_first")
END = (None, None)  # where a thread has stopped that has run to its end
FAILURES = ArithmeticError, AssertionError, ValueError  # by which source fails
READ, WRITE, ATOMIC = "reads", "writes", "atomically changes"


class DeviceFaultError(Exception):
    """What a device does not promise to notice: races, indices out of arrays, lost threads."""


def launch(
    kernel: GridKernel,
    arrays: Sequence[np.ndarray],
    most_blocks: int = BLOCKS,
    lanes: int = LANES,
    poll: Callable[[], None] = lambda: None,
) -> None:
    """Run a kernel on arrays, one for each of its parameters. Its loops call `poll`."""
    grid = _Grid(*kernel.grid(most_blocks, lanes), arrays[-1] if kernel.failures else None)
    tracked = [
        _Tracked(grid, np.atleast_1d(array), f"parameter {at}") for at, array in enumerate(arrays)
    ]
    function, namespace, grid.constants = _function_of(kernel)
    namespace.update(grid.functions(), _poll=poll)
    with np.errstate(all="ignore"):
        grid.run([function(*tracked) for _ in range(grid.count)])


def run(
    program: GridProgram,
    inputs: Sequence[Any],
    most_blocks: int = BLOCKS,
    lanes: int = LANES,
) -> tuple[list[np.ndarray], int]:
    """The outputs of a program for these inputs, and its status word."""
    memory = [_allocated(buffer, inputs) for buffer in program.buffers]
    run_steps(program.steps, _OnArrays(memory, program.numbers(STATUS), (most_blocks, lanes)))
    status = [int(memory[number][0]) for number in program.numbers(STATUS)]
    return [memory[number] for number in program.numbers(OUTPUT)], min(status, default=SUCCESS)


class _OnArrays(Runner):
    """Runs the steps of a program on arrays."""

    def __init__(self, memory: list[np.ndarray], status: list[int], grid: tuple[int, int]):
        self.memory, self.status, self.grid = memory, status, grid

    def launch(self, kernel: GridKernel) -> None:
        pairs = zip(kernel.arguments, kernel.parameters, strict=True)
        arrays = [self.memory[number].reshape(buffer.shape) for number, buffer in pairs]
        launch(kernel, arrays, *self.grid)

    def multiply(self, product: Product) -> None:
        multiply(product, [self.memory[number].reshape(-1) for number in product.arguments])

    def call(self, step: HostStep) -> None:
        arrays = [self.memory[number] for number in step.arguments]
        count = len(step.node.inputs)
        for target, result in zip(arrays[count:], step.computed(arrays[:count]), strict=True):
            target[...] = result.reshape(target.shape)

    def copy_word(self, target: int, source: int) -> None:
        self.memory[target][:] = self.memory[source]

    def holds(self, flag: int) -> bool:
        has_failed = any(self.memory[at][0] != SUCCESS for at in self.status)
        return bool(self.memory[flag]) and not has_failed


def multiply(product: Product, arrays: Sequence[np.ndarray]) -> None:
    """A product of the elements of arrays: the operands', and the result's."""
    rows, columns, depth = product.sizes
    shapes = (rows, depth), (depth, columns)
    *operands, result = arrays
    matrices = []
    for array, shape, flips, stride in zip(
        operands, shapes, product.transposed, product.strides, strict=True
    ):
        count = product.batch if stride else 1
        stored = array.reshape(count, *(shape[::-1] if flips else shape))
        matrices.append(np.swapaxes(stored, 1, 2) if flips else stored)
    result[:] = np.matmul(*matrices).reshape(-1)


def _allocated(buffer: GridBuffer, inputs: Sequence[Any]) -> np.ndarray:
    """The memory of a buffer before a program runs. Unwritten elements are no likely results."""
    if buffer.role == STATUS:
        return np.full(buffer.shape, SUCCESS)
    if buffer.role == CONSTANT:
        return np.array(buffer.content, buffer.dtype)
    if buffer.role == INPUT:
        return np.array(inputs[buffer.position], buffer.dtype).reshape(buffer.shape)
    return unwritten(buffer.dtype, buffer.shape)


def unwritten(dtype: np.dtype, shape: tuple[int, ...]) -> np.ndarray:
    """An array whose elements nobody has written: they are no likely results."""
    count = math.prod(shape) * dtype.itemsize
    return np.full(count, 1 if dtype == np.bool_ else 0xA5, np.uint8).view(dtype).reshape(shape)


@functools.lru_cache(256)
def _function_of(kernel: GridKernel) -> tuple[Callable, dict[str, Any], set[str]]:
    """The kernel as a generator, the names that it finds, and the parameters that it only reads."""
    (function,) = kernel.code.functions
    read = unwritten_parameters(function)
    constants = {f"parameter {function.parameters.index(name)}" for name in read}
    stop = Evaluate(Name("(yield None, None)"))
    body = tuple(transformed(statement, _as_generator) for statement in function.body)
    own = KernelIR((Function(function.name, function.parameters, (*body, stop)),))
    namespace = object_at("backends.python.interpreted:namespace_of")(kernel.code, OWN.compiled)
    namespace = {
        name: _on_elements(value) if callable(value) and name not in ("range", "bool") else value
        for name, value in namespace.items()
    }
    exec(compile(parsed(own.source), f"<{kernel.name}>", "exec"), namespace)
    return namespace[function.name], namespace, constants


def _as_generator(part):
    """A barrier or a shuffle as the place where a generator stops; what fails by one exception."""
    if isinstance(part, (For, While)):  # long ones end where the host says so
        return replace(part, body=(Evaluate(Call(Name("_poll"), ())), *part.body))
    if type(part) is Leave and part.word == "raise":
        return Leave("raise", Name("AssertionError"))
    is_barrier = type(part) is Evaluate and type(part.value) is Call
    if is_barrier and part.value.name in BARRIERS:
        return Evaluate(Name(f"(yield {part.value.name!r}, None)"))
    if type(part) is Call and part.name in SHUFFLES:
        number, *distance = part.arguments
        return Name(f"(yield ({part.name!r}, {', '.join(map(str, distance))}), {number})")
    return part


def _on_elements(function: Callable) -> Callable:
    """A function of whole arrays, which is seen to write the elements that have changed."""

    @functools.wraps(function, updated=())
    def call(*arguments):
        tracked = [argument for argument in arguments if isinstance(argument, _Tracked)]
        if not tracked:
            return function(*arguments)
        before = [argument.elements.copy() for argument in tracked]
        plain = [
            argument.elements if isinstance(argument, _Tracked) else argument
            for argument in arguments
        ]
        result = function(*plain)
        for argument, old in zip(tracked, before, strict=True):
            changed = (argument.elements != old) & (
                (argument.elements == argument.elements) | (old == old)
            )
            argument.touch(argument.numbers[changed], WRITE)
        return result

    return call


# ---- memory ------------------------------------------------------------------------------------


class _Tracked:
    """An array in the memory of the device, or a view of one, whose elements have numbers."""

    def __init__(self, grid: _Grid, elements: np.ndarray, name: str, numbers=None, accesses=None):
        self.grid, self.elements, self.name = grid, elements, name
        self.numbers = (
            np.arange(elements.size).reshape(elements.shape) if numbers is None else numbers
        )
        self.accesses: dict[int, set] = {} if accesses is None else accesses
        if accesses is None:
            grid.accesses.append(self.accesses)

    @property
    def shape(self) -> tuple[int, ...]:
        return self.elements.shape

    @property
    def size(self) -> int:
        return self.elements.size

    @property
    def dtype(self) -> np.dtype:
        return self.elements.dtype

    def __len__(self) -> int:
        return len(self.elements)

    def __array__(self, dtype=None, copy=None) -> np.ndarray:
        self.touch(self.numbers, READ)
        return np.array(self.elements, dtype)

    def view_of(self, change: Callable[[np.ndarray], np.ndarray]) -> _Tracked:
        """The view that a function gives."""
        numbers = change(self.numbers)
        return _Tracked(self.grid, change(self.elements), self.name, numbers, self.accesses)

    def reshape(self, *shape) -> _Tracked:
        sizes = shape[0] if isinstance(shape[0], tuple) else shape
        if math.prod(sizes) != self.size:
            raise DeviceFaultError(f"{self.name}: {self.shape} as {sizes}")
        return self.view_of(lambda array: array.reshape(sizes))

    def __getitem__(self, index):
        self.check(index)
        numbers = self.numbers[index]
        if isinstance(numbers, np.ndarray) and numbers.shape != ():
            return self.view_of(lambda array: array[index])
        self.touch(numbers, READ)
        return self.elements[index][()]

    def __setitem__(self, index, value) -> None:
        self.check(index)
        self.touch(self.numbers[index], WRITE)
        self.elements[index] = value

    def check(self, index) -> None:
        """Raise DeviceFaultError for an index out of the array. None counts from the end."""
        for at, size in zip(index if type(index) is tuple else (index,), self.shape, strict=False):
            if not isinstance(at, slice) and at is not Ellipsis and not 0 <= at < size:
                raise DeviceFaultError(f"{self.name}: the index {at} of {size} elements")

    def touch(self, numbers, mode: str) -> None:
        """Note an access of this thread to elements."""
        if mode is not READ and self.name in self.grid.constants and np.size(numbers):
            raise DeviceFaultError(f"{self.name} is written, which others may read early")
        for number in np.ravel(numbers).tolist():
            others = self.accesses.setdefault(number, set())
            own = self.grid.access(mode)
            if own not in others:
                for other in others:
                    self.grid.compare(own, other, f"{self.name}[{number}]")
                others.add(own)


# ---- threads -----------------------------------------------------------------------------------


class _Grid:
    """The threads of one launch, and where each is."""

    def __init__(self, blocks: int, lanes: int, status: np.ndarray | None):
        self.blocks, self.lanes, self.count = blocks, lanes, blocks * lanes
        self.waiting: dict[int, tuple] = {}  # threads: the place, and the number to be exchanged
        self.ended: set[int] = set()
        self.current = 0
        self.accesses: list[dict[int, set]] = []  # since the last barrier of the grid
        self.epochs = [0] * blocks  # the barriers of each block so far
        self.warp_epochs: dict[int, int] = {}  # those of each warp, by its first thread
        self.shared: list[list[_Tracked]] = [[] for _ in range(blocks)]
        self.requested = [0] * self.count  # shared arrays, by thread
        self.constants: set[str] = set()  # parameters that no thread writes
        self.status = status

    def functions(self) -> dict[str, Callable]:
        """The functions of kernel IR that tell a thread where it is."""
        number = np.int64
        return {
            "thread_index": lambda: number(self.current),
            "thread_count": lambda: number(self.count),
            "block_index": lambda: number(self.current // self.lanes),
            "block_count": lambda: number(self.blocks),
            "lane_index": lambda: number(self.current % self.lanes),
            "lane_count": lambda: number(self.lanes),
            "shared_array": self.shared_array,
            "note_failure": self.note_failure,
            "failing": lambda status, number: _Failing(self, status, number),
            "reshaped": lambda array, *shape: array.reshape(*shape),
            "copy_elements": _copy_elements,
            "first_rows": lambda rows, stop: rows[:stop],
            **NARROW_FLOATS,
        }

    def run(self, threads: list[Generator]) -> None:
        """Run all threads to the end, from stop to stop."""
        self.resume(threads, range(self.count))
        stops = 1
        while len(self.ended) < self.count:
            released = self.released()
            if not released:
                places = sorted({str(place) for place, _ in self.waiting.values()})
                raise DeviceFaultError(f"threads wait for others for ever: {', '.join(places)}")
            self.resume(threads, released if stops % 2 else released[::-1])
            stops += 1

    def resume(self, threads: list[Generator], order: Sequence[int]) -> None:
        """Let threads run until each stops again, or ends."""
        for self.current in order:
            _, number = self.waiting.pop(self.current, END)
            stop = self.resumed(threads[self.current], number)
            if stop == END:
                self.ended.add(self.current)
            else:
                self.waiting[self.current] = stop

    def resumed(self, thread: Generator, number: Any) -> tuple:
        """Where a thread stops next, and the number that it has for others."""
        try:
            return thread.send(number)
        except StopIteration:
            return END
        except FAILURES:
            if self.status is None:
                raise
            self.status[0] = min(self.status[0], 0)
            return END

    def released(self) -> list[int]:
        """Those that go on, which have waited for all others of their warp, block or grid."""
        if self.places(range(self.count)) == {"grid_barrier"}:
            for accesses in self.accesses:
                accesses.clear()
            return list(range(self.count))
        released: list[int] = []
        for start in range(0, self.count, self.lanes):
            block = range(start, start + self.lanes)
            if self.places(block) == {"block_barrier"}:
                self.epochs[start // self.lanes] += 1
                released += block
                continue
            for first in range(start, block.stop, WARP):
                warp = range(first, min(first + WARP, block.stop))
                (place, *others) = self.places(warp)
                if others or place in (None, "block_barrier", "grid_barrier"):
                    continue
                if place == "warp_barrier":
                    self.warp_epochs[first] = self.warp_epochs.get(first, 0) + 1
                else:
                    self.shuffle(warp, *place)
                released += warp
        return released

    def places(self, threads: range) -> set:
        """Where these threads wait; None stands for those that have ended."""
        return {self.waiting.get(thread, END)[0] for thread in threads}

    def shuffle(self, warp: range, way: str, distance: int = 0) -> None:
        """Exchange the numbers of the threads of a warp."""
        numbers = [self.waiting[thread][1] for thread in warp]
        if way == FROM_FIRST:
            others = numbers[:1] * len(warp)
        else:
            others = [*numbers[distance:], *numbers[-distance:]]
        for thread, number in zip(warp, others, strict=True):
            self.waiting[thread] = way, number

    def access(self, mode: str) -> tuple:
        block, lane = divmod(self.current, self.lanes)
        warp = self.current - lane % WARP
        return self.current, block, self.epochs[block], warp, self.warp_epochs.get(warp, 0), mode

    def compare(self, own: tuple, other: tuple, place: str) -> None:
        """Raise DeviceFaultError if two accesses to one element may be in any order."""
        thread, block, epoch, warp, warp_epoch, mode = own
        if thread == other[0] or mode == other[5] != WRITE:
            return
        if block == other[1] and epoch != other[2]:
            return
        if warp == other[3] and warp_epoch != other[4]:
            return
        message = f"a race: thread {other[0]} {other[5]} {place}, and thread {thread} {mode} it"
        raise DeviceFaultError(message)

    def shared_array(self, size: int, dtype) -> _Tracked:
        block, at = self.current // self.lanes, self.requested[self.current]
        self.requested[self.current] += 1
        if at == len(self.shared[block]):
            unwritten = np.full(size * np.dtype(dtype).itemsize, 1, np.uint8).view(dtype)
            self.shared[block].append(_Tracked(self, unwritten, f"shared array {at} of {block}"))
        return self.shared[block][at]

    def note_failure(self, status: _Tracked, number) -> None:
        status.touch(status.numbers[0], ATOMIC)
        status.elements[0] = min(status.elements[0], number)


class _Failing:
    """What notes a failure of the statements in it."""

    def __init__(self, grid: _Grid, status: _Tracked, number):
        self.grid, self.status, self.number = grid, status, number

    def __enter__(self) -> None:
        pass

    def __exit__(self, type_, error, trace) -> bool:
        is_failure = type_ is not None and issubclass(type_, FAILURES)
        if is_failure:
            self.grid.note_failure(self.status, self.number)
        return is_failure


def _narrow_floats() -> dict[str, Callable]:
    """Conversions of 16-bit floats, by the names that they have in kernels."""

    def as_float(bits, name):
        return np.asarray(bits, np.uint16).view(as_dtype(name).numpy_dtype).astype(np.float32)[()]

    def of_float(number, name):
        return np.asarray(number).astype(as_dtype(name).numpy_dtype).view(np.uint16)[()]

    forms = {"as_float": (as_float, ("i32", "i64")), "of_float": (of_float, FLOAT_SUFFIXES)}
    return {
        f"{word}_{form}_{suffix}": functools.partial(function, name=name)
        for word, name in (("half", "float16"), ("brain", "bfloat16"))
        for form, (function, suffixes) in forms.items()
        for suffix in suffixes
    }


FLOAT_SUFFIXES = ("f32", "f64", "l32", "l64")
NARROW_FLOATS = _narrow_floats()


def _copy_elements(target, source) -> None:
    target[...] = np.asarray(source)
