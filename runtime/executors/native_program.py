"""Native code for a program: which of its steps become kernels, and how they are called."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from ..codegen.native.emit_native import emit_native
from ..codegen.native.kernel_scope import scope_of
from ..codegen.numpy.emit_numpy import emit_numpy
from ..core.array_pool import BufferType, is_large, large_array
from ..core.classes import record
from ..core.debug_output import show
from ..core.errors import InvalidArgumentError, ShapeError
from ..core.kernel_compiler import NONE, PYTHON, kernel_compiler
from ..core.shapes import size_of
from ..core.tracebacks import is_from_handler
from ..ir.graph import Graph, Value
from ..jit.cache import assembly, compiled, source_file
from ..jit.kernel_types import INT64, ArrayType
from ..lowering.fuse_loop_nests import lower, nodes_of
from ..lowering.not_native import NotNativeError
from ..lowering.program import Branch, Loop, Nest, Program, Step, inner_programs
from ..parallel.thread_pool import CONTROL
from ..passes.functionalize_variables import Functionalized, functionalize_variables
from ..passes.pipeline import optimize
from .compile_pipeline import NativeForm, WithVariables, sized_program
from .fallback import with_fallback

WORTH_COMPILING = 1024  # elements of a loop nest outside loops
NO_COMPILER = 'the kernel compiler "none" is chosen'
WHOLE_LIMIT = 256  # nodes of one kernel: LLVM's time grows faster than the source


@record()
class Kernel:
    """One compiled function: calling it takes the inputs and gives a tuple of the outputs.

    `types` are those of the parameters in its source, and `results` those of its results.
    `alone(donated)` makes a form of `function` whose results are neither arguments, nor constants,
    nor one another, except for outputs in donated inputs.
    `compiler` is the name of what compiled it.
    """

    name: str
    source: str
    inputs: tuple[Value, ...]
    outputs: tuple[Value, ...]
    function: Callable
    types: tuple
    results: tuple
    alone: Callable
    compiler: str

    def __call__(self, *arrays):
        return self.function(*arrays)

    @property
    def file(self) -> str:
        """The file that holds its source, if kernels are kept on disk."""
        return str(source_file(self.name))

    def assembly(self) -> str:
        """Its machine instructions, to be read; none where the source runs as Python."""
        if self.compiler == PYTHON:
            return ""
        scope = scope_of(self.source)
        return assembly(self.source, self.types, self.results, scope, self.compiler)


@record()
class NativeProgram:
    """A program whose work is done by kernels; `function` runs it like a NumPy program."""

    function: Callable
    kernels: tuple[Kernel, ...]


def compile_program(program: Program, whole: bool = False) -> NativeProgram:
    """Native code for a program: one kernel where everything has a native form.

    Otherwise its loops, branches and large nests become kernels that the NumPy plan calls. With
    `whole`, or when there are none, NotNativeError says what has no native form.

    A program of one kernel fails as the kernel does. In a plan, a kernel that fails runs again on
    NumPy.
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
    safe: dict[Step, Callable] = {
        step: _with_fallback(step, kernel) for step, kernel in kernels.items()
    }
    plan = emit_numpy(program, safe)
    return NativeProgram(plan.function, tuple(kernels.values()))


def compile_sized(form: NativeForm) -> NativeProgram | None:
    """Native code for slices of computed bounds, which is the same for all of them; None where all
    shapes are known. Raises NotNativeError where there is none.
    """
    program = sized_program(form)
    if program is None:
        return None
    kernel = compile_kernel(program)  # one: no NumPy plan takes arrays for their capacity
    return NativeProgram(kernel.function, (kernel,))


def why_not(step) -> str | None:
    """The reason why a step runs on NumPy in a partly native program; None if it is a kernel."""
    missing = missing_compiler()
    if missing:
        return missing
    try:
        emit_native(_without_variables(step)[0])
    except NotNativeError as error:
        return str(error)
    return None if _is_worth_it(step) else "too little work for a call of its own"


def _kernels(program: Program, whole: bool) -> dict[Step, Kernel]:
    """The kernels of the steps that have one, and of the steps inside those that have none."""
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
    """The kernel of one step. Variables are passed to it, and assigned when it has returned."""
    program, functionalized = _without_variables(step)
    kernel = compile_kernel(program)
    if functionalized is None:
        return kernel
    alone = program_of(step)
    function = WithVariables(kernel.function, functionalized)
    return replace(kernel, inputs=alone.inputs, outputs=alone.outputs, function=function)


def _without_variables(step) -> tuple[Program, Functionalized | None]:
    """The program of one step, without effects on variables."""
    program = program_of(step)
    graph = Graph("part", program.inputs, nodes_of(step), program.outputs)
    functionalized = functionalize_variables(graph)
    return (
        program if functionalized is None else lower(optimize(functionalized.graph))
    ), functionalized


def _with_fallback(step: Step, kernel: Kernel) -> Kernel:
    function = with_fallback(kernel.function, lambda: emit_numpy(program_of(step)))
    return replace(kernel, function=function)


def _size(program: Program) -> int:
    """The number of nodes, inner programs included."""
    total = 0
    for step in program.steps:
        total += len(nodes_of(step)) + sum(map(_size, inner_programs(step)))
    return total


def _is_worth_it(step: Step) -> bool:
    """Whether a kernel of its own pays for a step, since calling it costs time too."""
    if isinstance(step, (Loop, Branch)):
        return True
    if not isinstance(step, Nest) or len(step.nodes) < 2 or not step.space.shape:
        return False
    return (size_of(step.space.shape) or 0) >= WORTH_COMPILING


def program_of(step) -> Program:
    """A program of one step."""
    computed = {value for node in nodes_of(step) for value in node.outputs}
    inputs = dict.fromkeys(
        value for node in nodes_of(step) for value in node.inputs if value not in computed
    )
    outputs = step.stores if isinstance(step, Nest) else step.node.outputs
    return Program("part", tuple(inputs), (step,), tuple(outputs), (frozenset(),))


def compile_kernel(program: Program) -> Kernel:
    """Compile a program as one function."""
    if kernel_compiler() == NONE:
        raise NotNativeError(NO_COMPILER)
    source, constants, buffers, regions = emit_native(program)
    constants = list(map(_with_own_dtype, constants))
    inputs, outputs = program.inputs, program.outputs
    show("kernels", program.name, source)
    types = [_type_of(value) for value in inputs]
    types += [ArrayType(array.dtype, array.shape) for array in constants]
    if regions:  # their addresses, and the table of the thread pool
        types += [ArrayType(INT64, (regions,)), ArrayType(INT64, CONTROL.shape)]
    types += [ArrayType(np.dtype(buffer.dtype), tuple(buffer.shape or ())) for buffer in buffers]
    results = tuple(map(_type_of, outputs))
    compiler = kernel_compiler()
    compiled_kernel = compiled(source, tuple(types), results, lambda: scope_of(source), compiler)
    if compiled_kernel.regions:
        constants = [*constants, np.array(compiled_kernel.regions, np.int64), CONTROL]
    entry = compiled_kernel.function
    functions = _wrap(entry, inputs, outputs, constants, buffers, checks=compiler != PYTHON)
    name = compiled_kernel.name
    about = (functions[0], tuple(types), results, functions[1], compiler)
    return Kernel(name, source, inputs, outputs, *about)


def _with_own_dtype(array: np.ndarray) -> np.ndarray:
    """The array with NumPy's own data type object, which kernels look for; pickles have copies."""
    return np.require(array, requirements=["C", "A"]).view(np.dtype(array.dtype.type))


def _type_of(value: Value) -> ArrayType | np.dtype:
    dtype = value.dtype.numpy_dtype
    return ArrayType(dtype, value.shape) if value.shape else dtype


def _wrap(
    entry: Callable, inputs, outputs, constants, buffers, checks: bool
) -> tuple[Callable, Callable]:
    """Python around a kernel: arrays of any layout in, NumPy's arrays and numbers out.

    The entry raises TypeError for arrays that the kernel was not compiled for; one without `checks`
    is given no others. The second function makes a form that copies results which are arguments,
    constants or one another.
    """
    names = [f"x{index}" for index in range(len(inputs))]
    extra = [f"c{index}" for index in range(len(constants))]
    results = [f"y{index}" for index in range(len(outputs))]
    scope: dict[str, Any] = {
        "np": np,
        "entry": entry,
        "large_array": large_array,
        "empty": np.empty,
        "is_from_handler": is_from_handler,
        "conformed": lambda *arrays: [*map(_conformed, inputs, arrays)],
    }
    sources = [_new_array(f"k{index}", buffer, scope) for index, buffer in enumerate(buffers)]
    new = [f"n{index}" for index in range(len(buffers))]
    call = f"entry({', '.join([*names, *extra, *new])})"
    call = f"{', '.join(results)}, = {call}" if results else call
    arguments = ", ".join(names)
    lines = []
    if new:
        made = (f"        {name} = {source}" for name, source in zip(new, sources, strict=True))
        lines += ["    try:", *made, "    except (MemoryError, ValueError) as error:"]
        lines += ["        if is_from_handler(error):", "            raise"]
        # Where there is no memory for the results, the NumPy program says at which line.
        lines.append("        raise ArithmeticError from None")
    conform = f"{arguments}, = conformed({arguments})" if inputs else "pass"
    if checks:
        lines += ["    try:", f"        {call}", "    except TypeError as error:"]
        # The handler of a signal, which has frames of its own, may have raised it.
        lines += ["        if error.__traceback__.tb_next is not None:", "            raise"]
        lines += [f"        {conform}", f"        {call}"]
    else:
        lines += [f"    {conform}", f"    {call}"]
    shapes = [_shape_of(array) for array in (*inputs, *constants, *buffers)]
    returned = []
    for name, value in zip(results, outputs, strict=True):
        scope[f"{name}_type"] = value.dtype.numpy_dtype.type
        scope[f"{name}_shape"] = value.shape
        returned.append(_as_output(name, value.shape, shapes))
    end = f"    return ({''.join(expression + ', ' for expression in returned)})"
    scope.update(zip(extra, constants, strict=True))
    exec("\n".join([f"def call({arguments}):", *lines, end]), scope)

    def alone(donated: frozenset[tuple[int, int]] = frozenset()) -> Callable:
        own = {results[output]: names[position] for position, output in donated}
        copies = _copies(results, outputs, [*names, *extra], own)
        exec("\n".join([f"def alone({arguments}):", *lines, *copies, end]), scope)
        return scope["alone"]

    return scope["call"], alone


def _copies(results: list[str], outputs, others: list[str], own: dict[str, str]) -> list[str]:
    """The source that copies results which are one of `others`, or an earlier result. Each may be
    that of `own`, to whose memory it belongs.
    """
    lines, others = [], list(others)
    for name, value in zip(results, outputs, strict=True):
        if value.shape:
            known = [other for other in others if other != own.get(name)]
            is_other = " or ".join(f"{name} is {other}" for other in known)
            lines += [f"    if {is_other}:", f"        {name} = {name}.copy()"] if known else []
            others.append(name)
    return lines


def _conformed(value: Value, array) -> np.ndarray:
    """A contiguous copy with the type of an input. Raises ShapeError where the graph is wrong
    about its shape, and InvalidArgumentError where it is wrong about its data type.
    """
    array = np.asarray(array)
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
    fresh = np.empty(shape=array.shape, dtype=dtype)
    fresh[...] = array
    return fresh


def _new_array(name: str, buffer: BufferType, scope: dict[str, Any]) -> str:
    """The source of a new array that a kernel writes to."""
    scope[name] = buffer if is_large(buffer) else buffer.shape
    scope[f"{name}_type"] = np.dtype(buffer.dtype)
    return f"large_array({name})" if is_large(buffer) else f"empty({name}, {name}_type)"


def _as_output(name: str, shape: tuple, others: list[tuple]) -> str:
    """The source of a result of a kernel as NumPy has it.

    A scalar gets its type. A stack of rows comes as bytes. An array may be one of the arguments,
    whose shapes are `others`, and then needs a shape of its own.
    """
    if not shape:
        return f"{name}_type({name})"
    if None in shape:
        return f"np.frombuffer({name}, {name}_type).reshape(-1, *{name}_shape[1:])"
    alike = {other for other in others if math.prod(other) == math.prod(shape)}
    return name if alike <= {shape} else f"{name}.reshape({name}_shape)"


def _shape_of(array) -> tuple:
    return tuple(-1 if size is None else size for size in array.shape)


def missing_compiler() -> str | None:
    """Why there is no native code at all, here and now; None where there can be."""
    if kernel_compiler() == NONE:
        return NO_COMPILER
    try:
        import llvmlite  # noqa: F401 - an optional extra
    except ImportError:
        return "llvmlite is not installed; pip install 'allograph[native]'"
    return None


def refusal(error: NotNativeError | ImportError) -> InvalidArgumentError:
    """The error for the user of `jit_compile=True`."""
    if isinstance(error, ImportError):
        message = f"jit_compile=True: native code needs llvmlite: {error}"
        return InvalidArgumentError(message, "pip install allograph[native]")
    cure = "Leave jit_compile out to run this part on NumPy."
    refused = InvalidArgumentError(f"jit_compile=True: {error}", cure)
    refused.at(error.where)
    return refused
