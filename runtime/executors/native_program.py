"""Native code for a program: which of its steps become kernels, and how they are called."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from ..codegen.native.emit_native import emit_native
from ..codegen.native.kernel_scope import scope_of
from ..codegen.numpy.emit_numpy import Plan, emit_numpy
from ..core.array_pool import Kind, is_large, large_array
from ..core.debug_output import show
from ..core.errors import InvalidArgumentError
from ..core.floating_point_state import quietly
from ..ir.graph import Graph, Value
from ..jit.cache import assembly, compiled
from ..jit.kernel_types import INT64, ArrayKind
from ..lowering.fuse_loop_nests import lower, nodes_of
from ..lowering.not_native import NotNativeError
from ..lowering.program import Branch, Loop, Nest, Program, inner_programs
from ..parallel.thread_pool import LIVE
from ..passes.functionalize_variables import Threaded, thread_variables
from ..passes.pipeline import optimize
from .compile_pipeline import WithVariables

WORTH_COMPILING = 1024  # elements of a nest outside loops
WHOLE_LIMIT = 256  # nodes of one kernel: LLVM's time grows faster than the text


@dataclass(frozen=True, eq=False)
class Kernel:
    """One compiled function: calling it takes the inputs and gives a tuple of the outputs.

    `text` is its source; `kinds` are those of its parameters, and `results` of what it gives.
    """

    name: str
    text: str
    inputs: tuple[Value, ...]
    outputs: tuple[Value, ...]
    function: Callable
    kinds: tuple
    results: tuple

    def __call__(self, *arrays):
        return self.function(*arrays)

    def assembly(self) -> str:
        """The instructions of the processor, as text."""
        return assembly(self.text, self.kinds, self.results, scope_of(self.text))


@dataclass(frozen=True)
class NativeProgram:
    """A program of which kernels do the work; `function` runs it like a plan."""

    function: Callable
    kernels: tuple[Kernel, ...]


def compile_program(program: Program, whole: bool = False) -> NativeProgram:
    """Native code for a program: one kernel where everything has a native form.

    Otherwise its loops, branches and large nests become kernels that the NumPy plan calls; with
    `whole`, or when there are none, NotNativeError says what has no native form.
    """
    if _size(program) <= WHOLE_LIMIT:
        try:
            kernel = compile_kernel(program)
            return NativeProgram(kernel.function, (kernel,))
        except NotNativeError:
            if whole:
                raise
    elif whole:
        emit_native(program)  # names what has no native form
    kernels = _kernels(program, whole)
    if not kernels:
        raise NotNativeError("no part of it has a native form that would pay")
    plan = emit_numpy(program, {step: _safe(step, kernel) for step, kernel in kernels.items()})
    return NativeProgram(plan.function, tuple(kernels.values()))


def why_not(step) -> str | None:
    """Why a step runs on NumPy where not all of a program is native; None when it becomes a
    kernel.
    """
    try:
        emit_native(_without_variables(step)[0])
    except NotNativeError as error:
        return str(error)
    return None if _is_worth_it(step) else "too little work for a call of its own"


def _kernels(program: Program, whole: bool) -> dict:
    """The kernels of the steps that have one; of what does not, those of the steps inside."""
    found = {}
    for step in program.steps:
        if whole or _is_worth_it(step):
            try:
                found[step] = _compile_step(step)
            except NotNativeError:
                for inner in inner_programs(step):
                    found.update(_kernels(inner, whole))
    return found


def _compile_step(step) -> Kernel:
    """The kernel of one step; variables are passed to it, and assigned when it is done."""
    program, threaded = _without_variables(step)
    kernel = compile_kernel(program)
    if threaded is None:
        return kernel
    alone = program_of(step)
    function = WithVariables(kernel.function, threaded)
    return replace(kernel, inputs=alone.inputs, outputs=alone.outputs, function=function)


def _without_variables(step) -> tuple[Program, Threaded | None]:
    """The program of one step, without effects on variables."""
    program = program_of(step)
    graph = Graph("part", program.inputs, nodes_of(step), program.outputs)
    threaded = thread_variables(graph)
    return (program if threaded is None else lower(optimize(threaded.graph))), threaded


def with_fallback(native: Callable, emit_plan: Callable[[], Plan]) -> Callable:
    """Native code that is run again as the NumPy program that `emit_plan` gives when it fails.

    A kernel raises ArithmeticError alone, before it has changed anything, and does not say what is
    wrong; the NumPy program raises the error itself, at the user's line.
    """

    def function(*arrays):
        try:
            return native(*arrays)
        except ArithmeticError:
            return quietly(emit_plan().function, *arrays)

    return function


def _safe(step, kernel: Kernel) -> Kernel:
    return replace(
        kernel, function=with_fallback(kernel.function, lambda: emit_numpy(program_of(step)))
    )


def _size(program: Program) -> int:
    """How many nodes there are, those of inner programs too."""
    total = 0
    for step in program.steps:
        total += len(nodes_of(step)) + sum(map(_size, inner_programs(step)))
    return total


def _is_worth_it(step) -> bool:
    if isinstance(step, (Loop, Branch)):
        return True
    return (
        isinstance(step, Nest)
        and len(step.nodes) > 1
        and np.prod(step.space.shape or (0,)) >= WORTH_COMPILING
    )


def program_of(step) -> Program:
    """A program of one step."""
    made = {value for node in nodes_of(step) for value in node.outputs}
    inputs = dict.fromkeys(
        value for node in nodes_of(step) for value in node.inputs if value not in made
    )
    outputs = step.stores if isinstance(step, Nest) else step.node.outputs
    return Program("part", tuple(inputs), (step,), tuple(outputs), (frozenset(),))


def compile_kernel(program: Program) -> Kernel:
    """Compile a program as one function."""
    text, constants, given = emit_native(program)
    inputs, outputs = program.inputs, program.outputs
    show("kernels", program.name, text)
    kinds = [_kind_of(value) for value in inputs]
    kinds += [ArrayKind(array.dtype, array.shape) for array in constants]
    parts = text.count("def part_")
    if parts:  # their addresses, and how to find threads
        kinds += [ArrayKind(INT64, (parts,)), ArrayKind(INT64, LIVE.shape)]
    kinds += [ArrayKind(np.dtype(kind.dtype), kind.shape) for kind in given]
    results = tuple(map(_kind_of, outputs))
    made = compiled(text, tuple(kinds), results, lambda: scope_of(text))
    if made.regions:
        constants = [*constants, np.array(made.regions, np.int64), LIVE]
    wrapped = _wrap(made.function, inputs, outputs, constants, given)
    return Kernel(made.name, text, inputs, outputs, wrapped, tuple(kinds), results)


def _kind_of(value: Value):
    dtype = value.dtype.numpy_dtype
    return ArrayKind(dtype, value.shape) if value.shape else dtype


def _wrap(entry: Callable, inputs, outputs, constants, given) -> Callable:
    """Python around a kernel: contiguous writable arrays and numbers in, NumPy's numbers out."""
    names = [f"x{index}" for index in range(len(inputs))]
    lines = [f"def call({', '.join(names)}):"]
    for name, value in zip(names, inputs, strict=True):
        if value.shape:
            lines.append(
                f"    if not {name}.flags.carray:\n        {name} = np.array({name}, order='C')"
            )
        else:
            lines.append(f"    {name} = {name}[()]")
    extra = [f"c{index}" for index in range(len(constants))]
    results = [f"y{index}" for index in range(len(outputs))]
    scope = {"np": np, "entry": entry, "large_array": large_array, "empty": np.empty}
    rooms = [_room(f"k{index}", kind, scope) for index, kind in enumerate(given)]
    call = f"entry({', '.join([*names, *extra, *rooms])})"
    lines.append(f"    {', '.join(results)}, = {call}" if results else f"    {call}")
    arrays = [_shape_of(array) for array in (*inputs, *constants, *given)]
    made = []
    for name, value in zip(results, outputs, strict=True):
        kind = value.dtype.numpy_dtype
        scope[f"{name}_type"] = kind.type
        scope[f"{name}_shape"] = value.shape
        made.append(_as_output(name, value.shape, arrays))
    lines.append(f"    return ({''.join(text + ', ' for text in made)})")
    scope.update(zip(extra, constants, strict=True))
    exec("\n".join(lines), scope)
    return scope["call"]


def _room(name: str, kind: Kind, scope: dict) -> str:
    """The text of a new array for a kernel to write to."""
    scope[name] = kind if is_large(kind) else kind.shape
    scope[f"{name}_type"] = np.dtype(kind.dtype)
    return f"large_array({name})" if is_large(kind) else f"empty({name}, {name}_type)"


def _as_output(name: str, shape, arrays) -> str:
    """The text of a result of a kernel as NumPy's: a number, a stack of rows that came as bytes, or
    an array, perhaps with the same elements in another shape.
    """
    if not shape:
        return f"{name}_type({name})"
    if None in shape:
        return f"np.frombuffer({name}, {name}_type).reshape(-1, *{name}_shape[1:])"
    alike = {own for own in arrays if math.prod(own) == math.prod(shape)}
    return name if alike <= {shape} else f"{name}.reshape({name}_shape)"


def _shape_of(array) -> tuple:
    return tuple(-1 if size is None else size for size in array.shape)


def refused(error: NotNativeError | ImportError) -> InvalidArgumentError:
    """What the user of `jit_compile=True` is told."""
    if isinstance(error, ImportError):
        message = f"jit_compile=True: native code needs llvmlite: {error}"
        return InvalidArgumentError(message, "pip install allograph[native]")
    message = f"jit_compile=True: {error}"
    return InvalidArgumentError(message, "Leave jit_compile out to run this part on NumPy.").at(
        error.where
    )
