"""Translates the IR of a kernel, and the functions that it calls, to one LLVM module."""

from __future__ import annotations

import ast
import builtins
import functools
import itertools
import linecache
import textwrap
import types
from collections.abc import Callable
from typing import Protocol

import numpy as np
from llvmlite import ir

from ..core.parsing import parsed
from ..kernel_ir.kernels import DISJOINT, PART, RECURSIVE, Function, KernelIR
from ..kernel_ir.nodes import Statement
from ..kernel_ir.reader import function_of
from . import values
from .entry.python_entry import EXTERNAL, OBJECT, write_entry
from .function_writer import RetypedError, TypeTable, returns_own_memory
from .kernel_types import INT64, ArrayType, UntranslatableError, inside_kernel
from .loader.llvm_backend import HAS_SHORT_LOOPS
from .loader.shared_words import CLOCK, WORKERS, Service
from .loop_facts import counters_of
from .loop_hints import DEFAULT_HINTS, KERNEL_HINTS, LONG_MODULE, PART_HINTS, LoopHints
from .polls import FAILED
from .recursion import OUTERMOST, enter, outermost_call, types_returned
from .statements import StatementWriter
from .values import I64, Array, memory_type, type_of

KERNEL = "kernel"  # the function of the source that Python calls
REGION = "region_"  # the prefix of its parallel regions


class Module:
    """An LLVM module. A function is translated when it is first called with its argument types."""

    writer = StatementWriter

    def __init__(self, name: str, written: ir.Module | None = None):
        self.ir = ir.Module(name) if written is None else written
        self.functions: dict[tuple, tuple] = {}
        self.tables: dict[int, tuple] = {}
        self.loop_metadata_of: dict[tuple, ir.MDValue] = {}
        self.count = 0
        self.scope: dict = {}  # the names that the kernel knows
        self.results: tuple = ()  # the types of the results of the kernel
        self.polls = False  # whether a loop looks for signals
        self.short_loops: list[tuple[ir.Instruction, bool]] = []  # their ends, and `vectors`
        self.locations: Locations | None = None

    def hint(self, end: ir.Instruction, hints: LoopHints) -> None:
        """Give the hints on a loop to LLVM, with the branch that closes it."""
        if hints.is_short:
            self.short_loops.append((end, hints.vectors))
        if not (hints.vectors and hints.unrolled):
            end.set_metadata("llvm.loop", self.loop_metadata(hints.vectors, hints.unrolled))

    def loop_metadata(self, vectors: bool, unrolled: bool) -> ir.MDValue:
        """The metadata of a loop that is not to be vectorized, or not to be unrolled."""
        properties = [] if vectors else [["llvm.loop.vectorize.enable", ir.IntType(1)(0)]]
        properties += [] if unrolled else [["llvm.loop.unroll.disable"]]
        key = vectors, unrolled
        if key not in self.loop_metadata_of:
            node = self.ir.add_metadata([*map(self.ir.add_metadata, properties)])
            node.operands = (node, *node.operands)  # LLVM requires a reference to itself
            self.loop_metadata_of[key] = node
        return self.loop_metadata_of[key]

    def hint_short_loops(self) -> None:
        """Give the hints on short loops to LLVM, which depend on the length of the module."""
        blocks = (block for function in self.ir.functions for block in function.blocks)
        if sum(len(block.instructions) for block in blocks) > LONG_MODULE:
            for end, vectors in self.short_loops:
                end.set_metadata("llvm.loop", self.loop_metadata(vectors, False))
        elif self.short_loops:
            self.ir.add_named_metadata(HAS_SHORT_LOOPS)

    def assembly(self) -> str:
        """The module in LLVM's assembly language."""
        self.hint_short_loops()
        return str(self.ir)

    # ---- external symbols ----------------------------------------------------------------

    def declared(self, name: str, type_: ir.FunctionType) -> ir.Function:
        known = self.ir.globals.get(name)
        return known if known is not None else ir.Function(self.ir, type_, name)

    def external(self, name: str) -> ir.Function:
        return self.declared(*EXTERNAL[name])

    def object(self, symbol: str) -> ir.GlobalVariable:
        """A variable outside the module that holds, or is, an object of Python's."""
        known = self.ir.globals.get(symbol)
        return known if known is not None else ir.GlobalVariable(self.ir, OBJECT, symbol)

    def free_name(self, name: str, scope: dict):
        """The value of a name that is no variable: a constant, or a table of numbers."""
        value = scope[name] if name in scope else getattr(builtins, name, None)
        if value is None:
            raise UntranslatableError(f"the name {name}")
        return self.table(value) if isinstance(value, np.ndarray) else value

    def table(self, numbers: np.ndarray) -> Array:
        """A constant array in the module."""
        if id(numbers) not in self.tables:
            type_ = memory_type(numbers.dtype)
            flat = [type_(number) for number in numbers.ravel().tolist()]
            whole = ir.ArrayType(type_, len(flat))
            table = ir.GlobalVariable(self.ir, whole, f"table.{len(self.tables)}")
            table.linkage, table.global_constant = "internal", True
            table.initializer = ir.Constant(whole, flat)
            self.tables[id(numbers)] = table.bitcast(type_.as_pointer()), numbers
        return Array(numbers.dtype, self.tables[id(numbers)][0], numbers.shape)

    # ---- functions -----------------------------------------------------------------------

    def call(self, writer, function, arguments: list):
        """Call the translation of a Python function for the types of these arguments."""
        arguments = [writer.typed(argument) for argument in arguments]
        value_types = tuple(map(type_of, arguments))
        is_recursive = is_of_kernel = isinstance(function, Function)
        if is_of_kernel and not (is_recursive := function.name.startswith(RECURSIVE)):
            value_types = tuple(map(_of_any_size, value_types))  # statements of a kernel share it
        target, result, may_fail = self.function(function, value_types)
        parts = [outermost_call(writer)] if is_recursive else []
        parts += [
            part
            for value, type_ in zip(arguments, value_types, strict=True)
            for part in values.components_of(value, type_)
        ]
        builder = writer.builder
        returned = builder.call(target, parts)
        if may_fail:
            writer.fail_if(builder.extract_value(returned, 0))
        count = len(values.llvm_types_of(result))
        components = iter([builder.extract_value(returned, 1 + at) for at in range(count)])
        return values.value_of(builder, result, components)

    def function(self, function, value_types: tuple):
        """The function for these types, the type of its result, and whether it may fail."""
        key = (function, repr(value_types))
        if isinstance(function, Function):
            if key not in self.functions:
                about = value_types, self.scope, PART_HINTS
                name = f"{function.name}.{len(self.functions)}"
                if function.name.startswith(RECURSIVE):
                    return self.write_recursive(key, function, name, value_types)
                self.functions[key] = self.write(function, name, *about)
            return self.functions[key]
        if not isinstance(function, types.FunctionType):
            raise UntranslatableError(f"a call of {function!r}")
        if key not in self.functions:
            code, cells = ir_of(function), function.__closure__ or ()
            around = {
                name: cell.cell_contents
                for name, cell in zip(function.__code__.co_freevars, cells, strict=True)
            }
            scope = {**function.__globals__, **around}
            name = f"{function.__name__}.{len(self.functions)}"
            hints = getattr(function, "hints", DEFAULT_HINTS)
            self.functions[key] = self.write(code, name, value_types, scope, hints)
        return self.functions[key]

    def write(
        self, code: Function, name: str, value_types: tuple, scope, hints=DEFAULT_HINTS, result=None
    ):
        """Translate a function again until the types of its variables and its result are stable."""
        known = TypeTable(dict(zip(code.parameters, value_types, strict=True)), result)
        while True:
            self.count += 1
            own = f"{name}.{self.count}"
            translated = ir.Function(self.ir, _type_of_function(value_types, known.result), own)
            try:
                self.attempt(code, translated, value_types, known, scope, hints)
                break
            except RetypedError:
                del self.ir.globals[own]
        for attribute in ("nounwind", *hints.attributes):
            translated.attributes.add(attribute)
        translated.linkage = "internal"
        return translated, () if known.result is None else known.result, known.may_fail

    def write_recursive(self, key: tuple, code: Function, name: str, value_types: tuple) -> tuple:
        """Translate a function that calls itself: the calls name it before it is written."""
        result = types_returned(code, value_types)
        known = TypeTable(dict(zip(code.parameters, value_types, strict=True)), result)
        known.may_fail = True
        function = ir.Function(self.ir, _type_of_function(value_types, result, OUTERMOST), name)
        function.linkage = "internal"
        self.functions[key] = function, result, True
        while True:
            try:
                self.attempt(code, function, value_types, known, self.scope, KERNEL_HINTS)
                return self.functions[key]
            except RetypedError:
                function.blocks.clear()

    def attempt(
        self, code: Function, function: ir.Function, value_types, known: TypeTable, scope, hints
    ) -> None:
        returned = function.return_value.type
        writer = self.writer(self, function, known, scope)
        writer.counters = counters_of(code)
        writer.is_kernel, writer.hints = code.name == KERNEL, hints
        writer.is_region = code.name.startswith(REGION)
        writer.result = [writer.on_stack(type_) for type_ in returned.elements[1:]]
        if writer.is_kernel or code.name.startswith(DISJOINT):
            state_disjoint(function)
        parts = iter(function.args)
        if code.name.startswith(RECURSIVE):
            enter(writer, next(parts))
        for argument, type_ in zip(code.parameters, value_types, strict=True):
            writer.assign(argument, values.value_of(writer.builder, type_, parts))
        (writer.body_of_kernel if writer.is_kernel else writer.body)(code.body)

        def leave(failed: bool) -> None:
            values_ = ir.Constant(returned, ir.Undefined)
            values_ = writer.builder.insert_value(values_, ir.IntType(1)(failed), 0)
            for at, slot in enumerate(writer.result if not failed else ()):
                value = writer.builder.load(slot)
                values_ = writer.builder.insert_value(values_, value, at + 1)
            writer.builder.ret(values_)

        writer.finish(leave)
        if not writer.is_kernel and returns_own_memory(function, writer.result):
            raise UntranslatableError(
                f"{code.name} returns an array that it makes, whose memory is freed when it "
                "returns: pass the array that it fills"
            )


def _type_of_function(value_types: tuple, result, *more: ir.Type) -> ir.FunctionType:
    """A function that returns whether it fails, and the parts of its result."""
    results = [] if result is None else values.llvm_types_of(result)
    parameters = [part for type_ in value_types for part in values.llvm_types_of(type_)]
    return ir.FunctionType(ir.LiteralStructType([ir.IntType(1), *results]), [*more, *parameters])


def _of_any_size(type_):
    """The type without the sizes of its axes, if it is that of arrays."""
    if not isinstance(type_, ArrayType):
        return type_
    return type_._replace(shape=tuple(None if size != 1 else 1 for size in type_.shape))


def state_disjoint(kernel: ir.Function) -> None:
    """Tell LLVM that what a kernel writes through one array is not read through another."""
    for argument in kernel.args:
        if isinstance(argument.type, ir.PointerType):
            argument.add_attribute("noalias")


@functools.cache
def ir_of(function) -> Function:
    """A Python function that kernels call as kernel IR."""
    return function_of(tree_of(function))


def tree_of(function) -> ast.FunctionDef:
    """The syntax tree of a function, from its own lines."""
    code = function.__code__
    lines = linecache.getlines(code.co_filename, function.__globals__)
    if not lines:
        raise ImportError(f"native code needs the source file {code.co_filename}")
    return parsed(_definition(lines[code.co_firstlineno - 1 :])).body[0]


def _definition(lines: list[str]) -> str:
    """The definition of a function that `lines` begin with, without its decorators."""
    rest = itertools.dropwhile(lambda line: not line.lstrip().startswith("def "), lines)
    first = next(rest)
    margin = first[: len(first) - len(first.lstrip())]
    inside = (" ", ")", "\n", "#")  # what lines begin with until it ends
    body = itertools.takewhile(lambda line: line.removeprefix(margin).startswith(inside), rest)
    return textwrap.dedent("".join((first, *body)))


class Locations(Protocol):
    """What is told the statements of a kernel, so that its instructions know their lines."""

    def note(self, writer: StatementWriter, statement: Statement) -> None:
        """What is written from now on belongs to this statement."""


def translate(
    name: str,
    code: KernelIR,
    scope: dict,
    value_types: tuple,
    results: tuple,
    keeps_gil: bool = False,
    locations: Locations | None = None,
) -> str:
    """The LLVM assembly of a kernel. Python enters it by the function `name`; its parallel regions
    `region_1` and so on, which take an address, become the functions `name_region_1`.

    `value_types` are those of the parameters of the function `kernel`, and `results` those of its
    results. With `keeps_gil`, it runs with the GIL. Raises UntranslatableError.
    """
    module = Module(name)
    module.locations = locations
    services: list[Service] = []
    prefixes = PART, DISJOINT, RECURSIVE
    parts = {part.name: part for part in code.functions if part.name.startswith(prefixes)}
    module.scope = scope = {**scope, **parts}
    for function in code.functions[len(parts) :]:
        if function.name.startswith(REGION):
            region, *_ = module.write(function, function.name, (INT64,), scope, KERNEL_HINTS)
            write_region(module, f"{name}_{function.name}", functools.partial(_failed, region))
            services = [WORKERS]
        else:
            module.results = results
            inside = tuple(map(inside_kernel, value_types)), tuple(map(inside_kernel, results))
            written = module.write(function, KERNEL, inside[0], scope, KERNEL_HINTS, inside[1])
            kernel, type_, _ = written
            services += [CLOCK] if module.polls else []
            about = value_types, type_, results, services, keeps_gil
            write_entry(module, name, kernel, *about)
    return module.assembly()


def _failed(region: ir.Function, builder: ir.IRBuilder, address):
    """Whether a region fails, as a call of it says."""
    return builder.extract_value(builder.call(region, [address]), 0)


def write_region(module: Module, name: str, call: Callable) -> None:
    """A parallel region as a function of C. `call(builder, address)` gives a bit that says whether
    it failed, which is noted in its table.
    """
    function = ir.Function(module.ir, ir.FunctionType(ir.VoidType(), [I64]), name)
    builder = ir.IRBuilder(function.append_basic_block())
    (address,) = function.args
    with builder.if_then(call(builder, address), likely=False):
        table = builder.inttoptr(address, I64.as_pointer())
        builder.atomic_rmw("or", builder.gep(table, [I64(FAILED)]), I64(1), "seq_cst")
    builder.ret_void()
