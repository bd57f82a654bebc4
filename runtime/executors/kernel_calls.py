"""How Python calls a kernel: arrays of any layout in, NumPy's arrays and numbers out."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np

from ..codegen.numpy.numpy_plan import Plan, node_at
from ..core.array_pool import BufferType, array_at, is_large, new_array, raw_free
from ..core.classes import NamedTuple
from ..core.errors import InvalidArgumentError, ShapeError
from ..core.floating_point_state import call_in_errstate
from ..core.tracebacks import is_from_handler
from ..ir.graph import Value
from ..jit.cache.compilation import Compiled
from ..jit.loader.symbols import MADE_BY_PYTHON, MismatchError
from ..lowering.buffer_assignment import UndoLog
from ..tensors.tensor import EagerTensor
from .bound_calls import CallTable, bound


class KernelCalls(NamedTuple):
    """The functions that call a kernel.

    `run` takes its inputs and returns a tuple of results. `alone(donated, fails_late)` makes a form
    of it whose results are neither arguments, nor constants, nor one another, except for outputs in
    donated inputs; where it fails, these hold what they held. `on_tensors(table, places, cells)`
    gives the words of a table whose values at these places are tensors, for a function that returns
    a tensor; `cells` follow them. It is None where the kernel has not one result. `native` is what
    tables of other calls have of the kernel, which returns arrays with the shapes of its outputs
    and keeps no undo log; None where there is no such.
    """

    run: Callable
    alone: Callable
    on_tensors: Callable | None
    native: NativeCall | None


def kernel_calls(
    kernel: Compiled,
    inputs: Sequence[Value],
    logs: dict[int, UndoLog],
    outputs: Sequence[Value],
    constants: Sequence,
    buffers: Sequence[BufferType],
) -> KernelCalls:
    """The functions that call a kernel. It takes undo logs, empty ones, of the inputs at some
    positions after its inputs.
    """
    makers = [partial(_new_array, buffer) for buffer in buffers]

    def conformed(conform, *arrays):
        """Run the kernel on any arrays. `bound_call` calls this where its arguments do not fit."""
        operands = [conform(*pair) for pair in zip(inputs, arrays, strict=False)]
        logged = arrays[len(inputs) :]
        return kernel.function(*operands, *logged, *constants, *[new() for new in makers])

    forms = (_conformed, _of_own_class)
    runs: list[Callable] = [partial(conformed, form) for form in forms]
    if not kernel.address:  # the source runs as Python
        return _Wrapped(runs, inputs, logs, outputs, constants, buffers).calls(None, None)
    count = len(inputs) + sum(map(len, logs.values()))
    native = NativeCall(kernel.address, constants, _new_arrays(buffers))
    table = CallTable(count)
    words = native.words(table, range(count))
    runs = [bound(words, run, table) for run in runs]
    wrapped = _Wrapped(runs, inputs, logs, outputs, constants, buffers)
    if logs or not wrapped.keeps_shapes:
        return wrapped.calls(None, None)
    if len(outputs) != 1:
        return wrapped.calls(None, native)
    return wrapped.calls(partial(_on_tensors, native, outputs[0]), native)


class NativeCall(NamedTuple):
    """What a kernel is called with besides its inputs: the address of its entry, the constants, and
    the new arrays, as a table has them.
    """

    address: int
    constants: Sequence
    new_arrays: list

    def words(self, table: CallTable, inputs: Sequence[int], *how) -> np.ndarray:
        return table.that_runs(self.address, inputs, self.constants, self.new_arrays, *how)


def _on_tensors(
    native: NativeCall, output: Value, table: CallTable, places: Iterable[int], cells: Iterable = ()
) -> np.ndarray:
    of_cells = {type(cell) for cell in cells} or {EagerTensor}
    classes = table.keep(EagerTensor, *of_cells, "array")
    arrays: list[int] = []
    for place in [*places, *(table.value_of("given", cell) for cell in cells)]:
        arrays += table.unpack("tensor", 1, place, *classes)
    scalar = table.keep(output.dtype.numpy_dtype)
    copy = table.keep(np.ndarray.copy)  # where the result is an argument, which may be an array
    part = table.part("fresh", 0, *copy) if output.shape else table.part("number", 0, *scalar)
    result = table.result("tensor", [part], classes[0], classes[2])
    return native.words(table, arrays, result, True)


def _new_arrays(buffers) -> list:
    """The new arrays of a table: by NumPy, or large ones by Python."""
    return [
        (MADE_BY_PYTHON, partial(_new_array, buffer, MismatchError), ())
        if is_large(buffer)
        else (len(buffer.shape or ()), np.dtype(buffer.dtype), buffer.shape or ())
        for buffer in buffers
    ]  # fmt: skip


def _new_array(buffer: BufferType, failure: type[Exception] = ArithmeticError) -> np.ndarray:
    """A new array that a kernel writes to.

    Where there is no memory for it, the call fails as a kernel does, and a function of C leaves it
    to what it calls otherwise: the NumPy program says at which line.
    """
    try:
        return new_array(buffer)
    except (MemoryError, ValueError) as error:
        if is_from_handler(error):
            raise
        raise failure from None


class _Wrapped:
    """The functions around one kernel. Each of `runs` takes its inputs and returns what its entry
    does; the second one only takes arrays whose numbers have the classes of the graph.
    """

    def __init__(self, runs: list[Callable], inputs, logs, outputs, constants, buffers):
        self.outputs = outputs
        self.logs: dict[str, UndoLog] = {f"x{position}": log for position, log in logs.items()}
        self.inputs = [f"x{index}" for index in range(len(inputs))]
        self.constants = [f"c{index}" for index in range(len(constants))]
        self.results = [f"y{index}" for index in range(len(outputs))]
        self.scope: dict[str, Any] = {"rows_of": rows_of, "run": runs[0], "run_own": runs[1]}
        if logs:
            self.scope |= {"new_log": new_log, "restore": restore}
            self.scope |= {f"{name}_type": log for name, log in self.logs.items()}
        self.scope.update(zip(self.constants, constants, strict=True))
        arrays = *inputs, *constants, *buffers
        shapes = [tuple(-1 if n is None else n for n in array.shape) for array in arrays]
        self.returned = []
        for name, value in zip(self.results, outputs, strict=True):
            self.scope[f"{name}_type"] = value.dtype.numpy_dtype.type
            self.scope[f"{name}_shape"] = value.shape
            self.returned.append(_as_output(name, value.shape, shapes))

        self.is_as_returned = self.returned == self.results
        rows = zip(self.results, self.returned, outputs, strict=True)
        self.keeps_shapes = all(name == form or not output.shape for name, form, output in rows)

    def calls(self, on_tensors: Callable | None, native: NativeCall | None) -> KernelCalls:
        is_plain = self.is_as_returned and not self.logs
        run = self.scope["run"] if is_plain else self._function([])
        return KernelCalls(run, self._alone, on_tensors, native)

    def _alone(
        self, donated: frozenset[tuple[int, int]] = frozenset(), fails_late: bool = False
    ) -> Callable:
        own = {self.results[output]: self.inputs[position] for position, output in donated}
        restored = [self.inputs[position] for position, _ in sorted(donated)] if fails_late else []
        return self._function(self._copies(own), restored, "run_own")

    def _function(
        self, copies: list[str], restored: Sequence[str] = (), run: str = "run"
    ) -> Callable:
        """The function around `run` that does `copies`. Arguments that are `restored` change while
        it runs, so that other threads can change other elements, and not where it raises.
        """
        arguments = ", ".join(self.inputs)
        operands = ", ".join([*self.inputs, *(f"*{name}_log" for name in self.logs)])
        assigned = f"{', '.join(self.results)}, = " if self.results else ""
        body = [f"    {assigned}{run}({operands})"]
        copied = [name for name in restored if name not in self.logs]
        if copied or self.logs:
            body = [
                *(f"    {name}_before = {name}.copy()" for name in copied),
                *(f"    {name}_log = new_log({name}_type)" for name in self.logs),
                "    try:",
                f"    {body[0]}",
                "    except BaseException:",
                *(f"        {name}[...] = {name}_before" for name in copied),
                *(f"        restore({name}, *{name}_log)" for name in self.logs),
                "        raise",
            ]
        end = f"    return ({''.join(expression + ', ' for expression in self.returned)})"
        head = [f"def call({arguments}):", *body]
        exec("\n".join([*head, *copies, end]), self.scope)
        return self.scope.pop("call")

    def _copies(self, own: dict[str, str]) -> list[str]:
        """The source that copies results which are arguments, constants, or an earlier result. Each
        may be that of `own`, to whose memory it belongs.
        """
        lines, others = [], [*self.inputs, *self.constants]
        for name, value in zip(self.results, self.outputs, strict=True):
            if value.shape:
                known = [other for other in others if other != own.get(name)]
                is_other = " or ".join(f"{name} is {other}" for other in known)
                lines += [f"    if {is_other}:", f"        {name} = {name}.copy()"] if known else []
                others.append(name)
        return lines


def with_own_dtype(array: np.ndarray) -> np.ndarray:
    """The array with NumPy's own data type object, which kernels look for; pickles have copies."""
    return np.require(array, requirements=["C", "A"]).view(np.dtype(array.dtype.type))


def _conformed(value: Value, value_passed) -> np.ndarray:
    """The array that a kernel takes: the given one, or a contiguous copy with NumPy's own data type
    object. A result that is an argument must be the object that was given, or share nothing.

    Raises ShapeError where the graph is wrong about its shape, and InvalidArgumentError where it is
    wrong about its data type.
    """
    array = np.asarray(value_passed)
    dtype, shape = value.dtype.numpy_dtype, value.shape or ()
    fits = len(array.shape) == len(shape)
    if not fits or any(n not in (None, m) for n, m in zip(shape, array.shape, strict=True)):
        raise ShapeError(
            f"{value.name!r} has shape {array.shape}, not {shape} as the graph says",
            "Correct the shape that was declared for it.",
        )
    if array.dtype.newbyteorder("=") != dtype:
        raise InvalidArgumentError(
            f"{value.name!r} holds {array.dtype}, not {dtype} as the graph says",
            "Correct the data type that was declared for it.",
        )
    is_own = array is value_passed and array.dtype is np.dtype(dtype.type)
    if is_own and array.flags.c_contiguous and array.flags.aligned:
        return array
    fresh = np.empty(shape=array.shape, dtype=dtype.type)
    fresh[...] = array
    return fresh


def _of_own_class(value: Value, value_passed) -> np.ndarray:
    """The same for functions that mean what NumPy does: data types of another byte order, or of
    another class of numbers, as `np.longlong` beside int64, are other ones.
    """
    own, dtype = value.dtype.numpy_dtype, np.asarray(value_passed).dtype
    if dtype != own or dtype.type is not own.type:
        raise InvalidArgumentError(f"{value.name!r} holds other numbers than the graph says", "")
    return _conformed(value, value_passed)


def _as_output(name: str, shape: tuple, others: list[tuple]) -> str:
    """The source of a result of a kernel as NumPy has it.

    A scalar gets its type. A stack of rows comes as bytes. An array may be one of the arguments,
    whose shapes are `others`, and then needs a shape of its own.
    """
    if not shape:
        return f"{name}_type({name})"
    if None in shape:
        return f"rows_of({name}, {name}_type).reshape(-1, *{name}_shape[1:])"
    alike = {other for other in others if other and math.prod(other) == math.prod(shape)}
    return name if alike <= {shape} else f"{name}.reshape({name}_shape)"


def rows_of(content, type_: type) -> np.ndarray:
    """The elements of a stack, from bytes, or in memory that is freed with the last view of it."""
    if type(content) is bytearray:
        return np.frombuffer(content, type_)
    start, address, size = content
    numbers = BufferType(np.dtype(type_).str, (size // np.dtype(type_).itemsize,))
    return array_at(address, numbers, partial(raw_free(), start))


# ---- failures ---------------------------------------------------------------------------------

# A kernel raises ArithmeticError itself and does not say why. Arguments that it changed get their
# content back. The NumPy program computes the result, or raises the error at the user's line.


def new_log(log: UndoLog) -> list[np.ndarray]:
    """An empty undo log: its blocks, the number of them and theirs, and whether each is saved."""
    saved, blocks = new_array(log.saved), new_array(log.blocks)
    blocks[0] = 0
    return [saved, blocks, np.zeros(len(saved), np.bool_)]


def restore(array: np.ndarray, saved: np.ndarray, blocks: np.ndarray, _) -> None:
    """Write the saved blocks of a log back.

    >>> array, saved = np.arange(7), np.full((3, 3), -1)
    >>> restore(array, saved, np.array([2, 2, 0, 0]), None)
    >>> array.tolist()
    [-1, -1, -1, 3, 4, 5, -1]
    """
    size = saved.shape[1]
    count, whole = blocks[0], array.size // size
    elements, saved, blocks = array.reshape(-1), saved[:count], blocks[1 : count + 1]
    is_whole = blocks < whole
    elements[: whole * size].reshape(whole, size)[blocks[is_whole]] = saved[is_whole]
    for row in saved[~is_whole]:  # the last block is shorter
        elements[whole * size :] = row[: array.size % size]


def failed_in_kernel(error: BaseException) -> bool:
    """Whether an error comes from a kernel, and not from the Python code that a plan calls."""
    return type(error) is ArithmeticError and node_at(error.__traceback__) is None


def with_fallback(native: Callable, emit_plan: Callable[[], Plan], /, *arrays):
    """Native code, and the NumPy program that `emit_plan` gives where it fails."""
    try:
        return native(*arrays)
    except ArithmeticError as error:
        if not failed_in_kernel(error):
            raise
    return call_in_errstate(emit_plan().function, *arrays)
