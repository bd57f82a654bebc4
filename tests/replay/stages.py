"""The text of each stage between a traced graph and machine code, derived from the graph alone.

Nothing is compiled and nothing depends on time: the kernel compiler is replaced while recording.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from unittest import mock

import numpy as np

# Every internal of the package that the recorder knows is imported here.
from allograph.autograph.conversion.compile import Conversion
from allograph.runtime.codegen.numpy.emit_numpy import emit_numpy
from allograph.runtime.executors import native_program
from allograph.runtime.executors.compile_pipeline import native_form
from allograph.runtime.executors.executable import Executable
from allograph.runtime.executors.native_program import compile_program
from allograph.runtime.executors.on_stack_replacement import (
    continuation_of,
    is_replaceable,
    replaceable_loop,
)
from allograph.runtime.executors.shape_specialization import deciding_inputs
from allograph.runtime.gradients.graph_derivative import derivative_of
from allograph.runtime.ir.graph import Graph
from allograph.runtime.jit.backends import Backend
from allograph.runtime.jit.cache.compilation import Compiled
from allograph.runtime.jit.routines import scope_of
from allograph.runtime.jit.translate import translate
from allograph.runtime.kernel_ir.kernels import KernelIR
from allograph.runtime.lowering.fuse_loop_nests import lower
from allograph.runtime.lowering.not_native import NotNativeError
from allograph.runtime.lowering.program import Program
from allograph.runtime.lowering.program_printer import printed
from allograph.runtime.passes.pipeline import optimize
from allograph.runtime.passes.propagate_shapes import specialise_shapes
from allograph.tracing.functions.concrete_function import ConcreteFunction

__all__ = [
    "ConcreteFunction",
    "Conversion",
    "Executable",
    "derivative_of",
    "described",
    "native_program",
    "stages_of",
]

UNKNOWN_SIZES = (5, 3, 2, 1)  # stand for unknown dimensions: the first that fits all inputs
LONGEST_TRANSLATED = 20_000  # characters of a kernel: instructions of longer ones take seconds
UNKNOWN_VALUE = 3  # stands for the elements of inputs that decide shapes

Texts = Iterator[tuple[str, str]]


def stages_of(graph: Graph, thorough: bool = False) -> Texts:
    """Pairs of a stage's name and its text; an exception in a stage is its text, and the last.

    `thorough` adds what takes long: the kernel as LLVM takes it, and the graphs that go on with
    running loops.
    """
    yield "graph", str(graph)
    with attempt() as failed:
        optimized = optimize(graph)
        yield "optimized graph", str(optimized)
        program = lower(optimized)
        yield from _plans(program)
        yield from _native_forms(optimized, program, thorough)
        if thorough:
            yield from _rests_of_loops(optimized)
    if failed.text:
        yield "failure", failed.text


@contextlib.contextmanager
def attempt():
    """Gives a record whose `text` says which exception ended the block."""
    failed = SimpleNamespace(text="")
    try:
        yield failed
    except Exception as error:
        failed.text = described(error)


def described(error: Exception) -> str:
    """The class and the first line: those after it show places, which may move."""
    return f"{type(error).__name__}: {str(error).partition(chr(10))[0]}"


def _plans(program: Program) -> Texts:
    yield "program", printed(program)
    handing_over = emit_numpy(program, replaceable_loop=replaceable_loop).source
    yield "plan", handing_over
    staying = emit_numpy(program).source
    if staying != handing_over:
        yield "plan without replacement", staying


def _rests_of_loops(graph: Graph) -> Texts:
    loops = [node for node in graph.walk() if node.op.name == "while" and is_replaceable(node)]
    if loops:
        yield "rests of loops", "\n".join(str(continuation_of(node)) for node in loops)


def _native_forms(graph: Graph, program: Program, thorough: bool) -> Texts:
    """The prepared graph and its kernels, as it is and for some shapes of its inputs."""
    form = native_form(graph, program)
    ready = form.graph
    if ready is not graph:
        yield "prepared graph", str(ready)
        yield "prepared program", printed(form.program)
    yield from _kernels(form.program, "", thorough)
    by_shape, by_value = deciding_inputs(ready)
    if not (by_shape or by_value):
        return
    with attempt() as failed:
        known = _with_known_shapes(getattr(form, "source", ready), by_value)  # older ones have none
        yield "specialized graph", str(known)
        yield from _kernels(native_form(known).program, "specialized ")
    if failed.text:
        yield "specialized failure", failed.text


def _with_known_shapes(graph: Graph, by_value: list[int]) -> Graph:
    for size in UNKNOWN_SIZES:
        with attempt():
            return optimize(_with_size(graph, by_value, size))
    return optimize(_with_size(graph, by_value, UNKNOWN_SIZES[0]))


def _with_size(graph: Graph, by_value: list[int], unknown: int) -> Graph:
    shapes = [
        tuple(unknown if size is None else size for size in value.shape or ())
        for value in graph.inputs
    ]
    values = {
        place: np.full(shapes[place], UNKNOWN_VALUE, graph.inputs[place].dtype.numpy_dtype)
        for place in by_value
    }
    return specialise_shapes(graph, shapes, values)


def _kernels(program: Program, prefix: str, thorough: bool = False) -> Texts:
    """The kernel of all of a program, or why there is none and the kernels of its steps."""
    for stage, whole in (("kernel", True), ("kernels of steps", False)):
        try:
            with without_compiler() as asked:
                made = compile_program(program, whole=whole)
        except NotNativeError as error:
            yield prefix + stage, f"not native: {error}"
            continue
        yield prefix + stage, "\n".join(_kernel_text(*kernel) for kernel in asked)
        if whole and thorough:
            yield prefix + "instructions", "\n".join(_instructions(*kernel) for kernel in asked)
        plan = getattr(made.function, "__globals__", {}).get("__plan__")
        if plan is not None:
            yield prefix + stage + ", plan", plan.source
        if whole and len(asked) == 1 and plan is None:
            return  # the same without `whole`


def _kernel_text(code: KernelIR, parameters: tuple, results: tuple) -> str:
    """The source of a kernel under the types of its parameters and results."""
    types = [", ".join(map(_type_text, types)) for types in (parameters, results)]
    return f"# ({types[0]}) -> ({types[1]})\n{code.source}"


def _instructions(code: KernelIR, parameters: tuple, results: tuple) -> str:
    """A kernel as it is handed to LLVM."""
    if len(code.source) > LONGEST_TRANSLATED:
        return f"not recorded: a kernel of {len(code.source)} characters"
    with attempt() as failed:
        return translate("kernel", code, scope_of(code.calls), parameters, results)
    return failed.text


def _type_text(kind) -> str:
    dtype = np.dtype(getattr(kind, "dtype", kind)).name
    shape = getattr(kind, "shape", None) or ()
    return f"{dtype}[{','.join('?' if size is None else str(size) for size in shape)}]"


# ---- without machine code ----------------------------------------------------------------------


@contextlib.contextmanager
def without_compiler() -> Iterator[list[tuple]]:
    """While it is entered, kernels are not compiled; the list has what the compiler was given."""
    asked: list[tuple] = []

    def compiled(self, code, parameters, results, keeps_gil=False):
        asked.append((code, parameters, results))
        return Compiled("kernel", _no_machine_code, 0, [], False)

    with mock.patch.object(Backend, "compiled", compiled):
        yield asked


def _no_machine_code(*arrays):
    raise RuntimeError("there is no machine code while programs are recorded")


# ---- what may differ ---------------------------------------------------------------------------

_RULES: tuple[tuple[re.Pattern, str | Callable], ...] = (
    (re.compile(r"    # \S.*:\d+$", re.MULTILINE), "    # <span>"),
    (re.compile(r"\bat 0x[0-9a-fA-F]+"), "at <address>"),
    (re.compile(r"\bline \d+"), "line <number>"),
    (re.compile(r"\.py:\d+"), ".py:<number>"),
    (re.compile(r"/tmp/[\w./+-]+"), "<temporary>"),
    (re.compile(r"(?<=data\()('[^']*', [^']*, )'([^']{80,})'"), lambda m: m[1] + _digest(m[2])),
)


def _digest(text: str) -> str:
    import hashlib

    return f"<{len(text)} characters, {hashlib.sha256(text.encode()).hexdigest()[:16]}>"


def normalized(text: str, trees: tuple[str, ...] = ()) -> str:
    """A text without paths of the `trees`, addresses, temporary files and line numbers."""
    for tree in trees:
        text = text.replace(tree, "<tree>")
    for pattern, replacement in _RULES:
        text = pattern.sub(replacement, text)
    return text
