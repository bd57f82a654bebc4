"""Native code for a program: which of its steps become kernels, and how they are called."""

from __future__ import annotations

import contextlib
import itertools
import math
from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from functools import partial

import numpy as np

from ..codegen.native.emit_native import emit_native
from ..core import thresholds
from ..core.array_pool import BufferType
from ..core.classes import record
from ..core.debug_output import show
from ..core.errors import Error, InvalidArgumentError
from ..core.shapes import size_of
from ..ir.graph import Graph, Value
from ..jit.backends import backend, backend_of
from ..jit.cache.compilation import COMPILED_FOR
from ..jit.cache.files import source_file
from ..jit.kernel_types import INT64, ArrayType
from ..kernel_ir.kernels import KernelIR
from ..lowering.buffer_assignment import may_grow, undo_log
from ..lowering.fuse_loop_nests import lower, part
from ..lowering.not_native import NotNativeError
from ..lowering.program import (
    Branch,
    LibraryCall,
    Loop,
    Nest,
    Program,
    Step,
    inner_programs,
    nodes_of,
)
from ..parallel.thread_pool import CONTROL
from ..passes.functionalize_variables import Functionalized, functionalize_variables
from ..passes.pipeline import optimize
from ..tensors.name_scopes import within
from .compile_pipeline import NativeForm, WithVariables, sized_program
from .kernel_calls import KernelCalls, kernel_calls, with_fallback, with_own_dtype
from .machine_code import machine_code

STRAIGHT, IN_LOOP = 1 / 128, 1 / 16  # of a loop: a node without one, and one more in a loop


@record()
class Kernel:
    """One compiled function: calling it takes the inputs and gives a tuple of the outputs.

    `types` are those of the parameters of its code, and `results` those of its results. `calls`
    has other forms of `function`. `compiler` is the name of what compiled it. `fails_late` tells
    that it may raise after it has changed a donated input. With `numbers`, which its source has as
    an argument, other shapes share its machine code.
    """

    name: str
    code: KernelIR
    inputs: tuple[Value, ...]
    outputs: tuple[Value, ...]
    function: Callable
    types: tuple
    results: tuple
    calls: KernelCalls
    compiler: str
    fails_late: bool = False
    numbers: np.ndarray | None = None

    def __call__(self, *arrays):
        return self.function(*arrays)

    @property
    def source(self) -> str:
        """Its code as Python."""
        return self.code.source

    @property
    def file(self) -> str:
        """The file that holds its source, if kernels are kept on disk."""
        return str(source_file(self.name))

    def assembly(self) -> str:
        """Its machine instructions, to be read; none where the source runs as Python."""
        return backend_of(self.compiler).assembly(self.code, self.types, self.results)


@record()
class NativeProgram:
    """A program whose work is done by kernels; `function` runs it like a NumPy program.

    `has_guards` tells that it may raise where native code without guards has results. `numpy_loops`
    are the loops that NumPy runs, although kernels may be inside.
    """

    function: Callable
    kernels: tuple[Kernel, ...]
    has_guards: bool = False
    numpy_loops: tuple[Loop, ...] = ()

    def has_idle_loop(self) -> bool:
        """Whether NumPy runs a loop in which no loop is a kernel: Python runs it faster."""
        return any(
            all(inner in self.numpy_loops for program in inner_programs(loop)
                for inner in _loops(program))
            for loop in self.numpy_loops
        )  # fmt: skip


def compile_program(program: Program, whole: bool = False) -> NativeProgram:
    """Native code for a program: one kernel where everything has a native form.

    Otherwise its loops, branches and large nests become kernels that the NumPy plan calls. With
    `whole`, or when there are none, NotNativeError says what has no native form.

    A program of one kernel fails as the kernel does. In a plan, a kernel that fails runs again on
    NumPy.
    """
    if _size(program) <= thresholds.WHOLE_LIMIT:
        try:
            return _one_kernel(compile_kernel(program), program)
        except NotNativeError:
            if whole:
                raise
    elif whole:
        emit_native(program)  # names what has no native form
    kernels = _kernels(program, whole)
    if not kernels:
        raise NotNativeError("no part of it has a native form that would pay")
    from ..codegen.numpy.emit_numpy import emit_numpy  # one kernel alone needs no plan

    plan = emit_numpy(program, kernels)
    compiled = tuple(kernel for kernel in kernels.values() if kernel is not None)
    return NativeProgram(plan.function, compiled, numpy_loops=tuple(_loops(program, kernels)))


def compile_sized(form: NativeForm) -> NativeProgram | None:
    """Native code for slices of computed bounds, which is the same for all of them; None where all
    shapes are known. Raises NotNativeError where there is none.
    """
    program = sized_program(form)
    if program is None:
        return None
    kernel = compile_kernel(program)  # one: no NumPy plan takes arrays for their capacity
    return _one_kernel(kernel, program)


def _one_kernel(kernel: Kernel, program: Program) -> NativeProgram:
    return NativeProgram(kernel.function, (kernel,), program.has_guards)


TOO_LITTLE = "too little work for a call of its own"  # the reason why NumPy runs a step


def why_not(step) -> str | None:
    """The reason why a step runs on NumPy in a partly native program; None if it is a kernel."""
    missing = backend().missing()
    if missing:
        return missing
    try:
        emit_native(_without_variables(_part_of(step))[0])
    except NotNativeError as error:
        return str(error)
    return None if _is_worth_it(step) else TOO_LITTLE


def _kernels(program: Program, whole: bool) -> dict[Step, Kernel | None]:
    """The kernels of a program, each under its first step, with None under its others: one for all
    steps between two calls of Python, or those of single steps, and of the steps inside these.
    """
    kernels: dict[Step, Kernel | None] = {}
    steps = [step for step in program.steps if not nodes_of(step)[0].op.is_constant]
    python = {step: any(node.op.runs_python for node in _part_of(step).walk()) for step in steps}
    for _, run in itertools.groupby(steps, python.get):
        several = list(run)
        if 1 < len(several) < len(steps) and any(map(_is_worth_it, several)):
            with contextlib.suppress(NotNativeError):
                kernels |= _compile_several(program, several)
                continue
        for step in several:
            if whole or _is_worth_it(step):
                try:
                    kernels[step] = _compile_part(_part_of(step))
                except NotNativeError:
                    for inner in inner_programs(step):
                        kernels.update(_kernels(inner, whole))
    return kernels


def _compile_several(program: Program, steps: list[Step]) -> dict[Step, Kernel | None]:
    if _size(replace(program, steps=tuple(steps))) > thresholds.WHOLE_LIMIT:
        raise NotNativeError("it is too long")
    nodes = [node for step in steps for node in nodes_of(step)]
    dies = dict(zip(program.steps, program.dies, strict=True))
    dead = frozenset().union(*(dies[step] for step in steps))
    outputs = [value for node in nodes for value in node.outputs if value not in dead]
    graph = part(nodes, outputs, (node for step in dies for node in nodes_of(step)))
    return {**dict.fromkeys(steps), steps[0]: _compile_part(graph)}


def _loops(program: Program, besides: Collection[Step] = ()) -> Iterator[Loop]:
    """The loops of a program, except for those in the steps `besides`."""
    for step in program.steps:
        if step not in besides:
            if isinstance(step, Loop):
                yield step
            for inner in inner_programs(step):
                yield from _loops(inner, besides)


def _compile_part(graph: Graph) -> Kernel:
    """The kernel of a part of a program, which NumPy runs where it fails. Variables are passed to
    it, and assigned when it has returned.
    """
    from ..codegen.numpy.emit_numpy import emit_numpy

    program, functionalized = _without_variables(graph)
    kernel = compile_kernel(program)
    native = WithVariables(kernel.function, functionalized) if functionalized else kernel.function
    function = partial(with_fallback, native, lambda: emit_numpy(lower(graph)))
    return replace(kernel, inputs=graph.inputs, outputs=graph.outputs, function=function)


def _without_variables(graph: Graph) -> tuple[Program, Functionalized | None]:
    """The program of a part of another, without effects on variables."""
    functionalized = functionalize_variables(graph)
    return lower(optimize(functionalized.graph) if functionalized else graph), functionalized


def _size(program: Program) -> float:
    """The number of loops, inner programs included, besides which nodes count for little: LLVM's
    time grows with the square of the loops of a function alone.
    """
    total = 0.0
    for step in program.steps:
        count, is_straight = len(nodes_of(step)), _is_straight(step)
        total += count * STRAIGHT if is_straight else 1 + (count - 1) * IN_LOOP
        total += sum(map(_size, inner_programs(step)))
    return total


def _is_straight(step: Step) -> bool:
    """Whether the native code of a step has no loop of its own."""
    if not isinstance(step, LibraryCall):
        return isinstance(step, Branch) or (isinstance(step, Nest) and not step.space.shape)
    node = step.node
    values = node.inputs[1:] if node.op.part_is_read_by else (*node.inputs, *node.outputs)
    is_no_loop = node.op.is_constant or node.op.native_result == "view"
    return is_no_loop or not any(value.shape for value in values)


def _elements(program: Program) -> float:
    """How many elements a program computes; infinity for anything but loop nests and branches."""
    total = 0.0
    for step in program.steps:
        if isinstance(step, Branch):
            total += max(map(_elements, inner_programs(step)))
        elif isinstance(step, Nest):
            size = size_of(step.space.shape)
            total += math.inf if size is None else size * len(step.nodes)
        else:
            return math.inf
    return total


def _is_worth_it(step: Step) -> bool:
    """Whether a kernel of its own pays for a step, since calling it costs time too."""
    if isinstance(step, Branch):  # a kernel copies an array that grows when it is entered
        return not any(map(may_grow, step.node.inputs))
    if isinstance(step, Loop):
        return True
    if not isinstance(step, Nest) or len(step.nodes) < 2 or not step.space.shape:
        return False
    return (size_of(step.space.shape) or 0) >= thresholds.WORTH_COMPILING


def program_of(step: Step) -> Program:
    """A program of one step."""
    graph = _part_of(step)
    return Program("part", graph.inputs, (step,), graph.outputs, (frozenset(),))


def _part_of(step: Step) -> Graph:
    outputs = step.stores if isinstance(step, Nest) else step.node.outputs
    return part(nodes_of(step), outputs)


def compile_kernel(program: Program) -> Kernel:
    """Compile a program as one function."""
    chosen = backend()
    if chosen.refusal is not None:
        raise NotNativeError(chosen.refusal)
    kernel, logged, constants, buffers, regions, fails_late = emit_native(program)
    constants = list(map(with_own_dtype, constants))
    inputs, outputs = program.inputs, program.outputs
    show("kernels", program.name, kernel.source)
    types = [_type_of(value) for value in inputs]
    logs = {at: undo_log(inputs[at]) for at in logged}
    types += [_type_of_buffer(buffer) for log in logs.values() for buffer in log]
    types += [ArrayType(array.dtype, array.shape) for array in constants]
    if regions:  # their addresses, and the table of the thread pool
        types += [ArrayType(INT64, (regions,)), ArrayType(INT64, CONTROL.shape)]
    types += map(_type_of_buffer, buffers)
    results = tuple(map(_type_of, outputs))
    with within(COMPILED_FOR, _users_code(program)):
        code = machine_code(
            kernel, tuple(types), results, chosen, _elements(program) <= thresholds.KEEPS_GIL_TO,
            last=len(types) - len(buffers),
        )  # fmt: skip
    if code.compiled.regions:
        constants = [*constants, np.array(code.compiled.regions, np.int64), CONTROL]
    constants = [*constants, *([] if code.numbers is None else [code.numbers])]
    calls = kernel_calls(code.compiled, inputs, logs, outputs, constants, buffers)
    about = (calls.run, code.types, code.results, calls, chosen.name, fails_late, code.numbers)
    return Kernel(code.compiled.name, code.code, inputs, outputs, *about)


def _users_code(program: Program) -> str:
    """The function, file and line of the user that a program begins with."""
    nodes = (node for step in program.steps for node in nodes_of(step))
    where = next((node.where for node in nodes if node.where is not None), None)
    return "" if where is None else f"{where.function} at {where.file}:{where.line}"


def _type_of(value: Value) -> ArrayType | np.dtype:
    dtype = value.dtype.numpy_dtype
    return ArrayType(dtype, value.shape) if value.shape else dtype


def _type_of_buffer(buffer: BufferType) -> ArrayType:
    return ArrayType(np.dtype(buffer.dtype), tuple(buffer.shape or ()))


def refusal(error: NotNativeError | ImportError) -> Error:
    """The error for the user of `jit_compile=True`."""
    if isinstance(error, ModuleNotFoundError):
        message = f"jit_compile=True: native code needs llvmlite: {error}"
        return InvalidArgumentError(message, "pip install 'allograph[native]'")
    cure = "Leave jit_compile out to run this part on NumPy."
    refused = InvalidArgumentError(f"jit_compile=True: {error}", cure)
    return refused.at(getattr(error, "where", None))
