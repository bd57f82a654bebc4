"""Kernels of a grid as PTX, the assembly language of NVIDIA's GPUs, by LLVM.

Nothing of NVIDIA's is needed for it. What C libraries compute on a CPU, formulas of this package
do; trigonometric functions of numbers out of their reach fail, and so does what calls them.
"""

from __future__ import annotations

import functools
import math
import re
from types import SimpleNamespace
from typing import Any

import numpy as np
from llvmlite import binding, ir

from ..core.locks import LLVM
from ..ir.op import TABLE
from ..jit import values
from ..jit.kernel_types import INT64, ArrayType
from ..jit.llvm_values import Number, as_intrinsics, fma
from ..jit.loop_facts import Polling
from ..jit.loop_hints import DEFAULT_HINTS, intrinsic, kernel_function
from ..jit.routines import scope_of
from ..jit.statements import StatementWriter
from ..jit.translate import Module
from ..jit.values import I64, Array
from ..kernel_ir.kernels import Function
from ..kernel_ir.nodes import Statement, While
from ..lowering.not_native import NotNativeError
from .c_library import IN_STEPS, LIBRARY
from .grid.bounded_loops import BoundedLoops
from .grid_kernel import STOP, WARP, GridKernel, unwritten_parameters

TRIPLE, FEATURES = "nvptx64-nvidia-cuda", "+ptx80"
ENTRY = "kernel"  # the name of a kernel in its PTX
I1, I32 = ir.IntType(1), ir.IntType(32)
GLOBAL, SHARED = 1, 3  # address spaces
MAIN = "grid"  # the function that all threads run
HIGHEST = 1 << 31
ITERATIONS = 1 << 16  # of a thread, between two polls
SHORT = 1 << 14  # iterations of a loop that ends soon
LONG_ITERATION = 1 << 8  # short ones: as many as an iteration with loops inside counts for
MOST_OF_A_THREAD = 1 << 14  # bytes of an array that each thread has
POLLS = DEFAULT_HINTS._replace(polls=True)


def ptx(kernel: GridKernel, architecture: str = "sm_90", locations: Any = None) -> str:
    """The PTX of a kernel. Raises NotNativeError where it needs what a device does not have."""
    return compiled(llvm_assembly(kernel, locations), architecture)


def llvm_assembly(kernel: GridKernel, locations: Any = None) -> str:
    """A kernel in LLVM's assembly language: the function `kernel`, of an address for each of its
    parameters. `locations` is told the statements, as in `translate`.
    """
    module = GridModule(kernel.name)
    module.locations = locations
    (function,) = kernel.code.functions
    module.bounds = BoundedLoops(function)
    types = tuple(ArrayType(buffer.dtype, buffer.shape or (1,)) for buffer in kernel.parameters)
    scope = {**scope_of(kernel.code.calls - GRID_FUNCTIONS.keys()), **GRID_FUNCTIONS}
    scope |= {name: _within_reach(name) for name in kernel.code.calls if _reaches(name)}
    main = Function(MAIN, function.parameters, function.body)
    written, _, may_fail = module.write(main, MAIN, types, scope, POLLS, result=())
    written.attributes.add("alwaysinline")
    for argument, name in zip(written.args, function.parameters, strict=True):
        if name in unwritten_parameters(function):  # LLVM may read their elements early
            argument.add_attribute("noalias")
    assert kernel.failures or not may_fail  # or the status word has no place
    _write_entry(module, written, kernel if may_fail else None, function.body[0])
    _define_library(module)
    assembly = str(module.ir)
    if " frem " in assembly:
        _define_remainders(module)
        assembly = REMAINDER.sub(r"call \1 @remainder_\1(\1 \2, \1 \3)", str(module.ir))
    return _without_processor(assembly)


def compiled(assembly: str, architecture: str) -> str:
    """The PTX of LLVM's assembly language."""
    with LLVM:
        machine = _target_machine(architecture)
        layout = f'target datalayout = "{machine.target_data}"'  # alignments follow when it is read
        module = binding.parse_assembly(LAYOUT.sub(layout, assembly, count=1))
        module.triple = TRIPLE
        options = binding.create_pipeline_tuning_options(speed_level=3)
        builder = binding.create_pass_builder(machine, options)
        builder.getModulePassManager().run(module, builder)
        return machine.emit_assembly(module)


@functools.cache
def _target_machine(architecture: str):
    binding.initialize_all_targets()
    binding.initialize_all_asmprinters()
    target = binding.Target.from_triple(TRIPLE)
    return target.create_target_machine(cpu=architecture, features=FEATURES, opt=3)


# ---- the module --------------------------------------------------------------------------------


class GridStatements(StatementWriter):
    """The body of a function that runs on a device."""

    def body(self, statements: tuple[Statement, ...]) -> None:
        locations = self.module.locations
        for statement in statements if locations is not None and self.is_polled else ():
            if not self.builder.block.is_terminated:
                locations.note(self, statement)
                super().body((statement,))
        if locations is None or not self.is_polled:
            super().body(statements)

    waited = None  # the slot of the number of iterations since the last poll
    ends_soon = False

    def write_while(self, node: While) -> None:
        """A loop that ends soon leaves polls to those around it."""
        self.ends_soon = self.is_polled and self.module.bounds.most_iterations(node) <= SHORT
        super().write_while(node)
        self.ends_soon = False

    @property
    def is_polled(self) -> bool:
        return self.hints.polls

    def write_poll(self, polling: Polling) -> None:
        """At the end of an iteration: end the thread where the host has set the word that says so,
        which is read once in many iterations.
        """
        if not self.is_polled or self.ends_soon or polling is Polling.NEVER:
            return
        builder = self.builder
        if self.waited is None:
            self.waited = self.on_stack(I32)
            with self.in_head():
                builder.store(I32(0), self.waited)
        weight = I32(LONG_ITERATION if polling is Polling.ALWAYS else 1)
        count = builder.add(builder.load(self.waited), weight)
        builder.store(count, self.waited)
        asks, ends, goes_on = map(self.block, ("asks", "ends", "goes_on"))
        is_quiet = builder.icmp_unsigned("<", count, I32(ITERATIONS))
        builder.cbranch(is_quiet, goes_on, asks).set_weights([1 << 20, 1])
        self.at(asks)
        builder.store(I32(0), self.waited)
        address = builder.load(_word(self.module, STOP, I64))
        source = "ld.relaxed.sys.u32 $0, [$1];"
        is_set = builder.icmp_unsigned("!=", _assembly(self, I32, source, "=r,l,", address), I32(0))
        builder.cbranch(is_set, ends, goes_on).set_weights([1, 1 << 20])
        self.at(ends)
        _assembly(self, ir.VoidType(), "exit;", "")
        self.go(goes_on)
        self.at(goes_on)

    def new_array(self, dtype: np.dtype, sizes: tuple, zeros: bool = False) -> Array:
        """An array of the thread, in its local memory."""
        count = math.prod(sizes)
        if not isinstance(count, int) or count * dtype.itemsize > MOST_OF_A_THREAD:
            raise NotNativeError("a thread has no memory for an array of so many elements")
        type_ = values.memory_type(dtype)
        array = Array(dtype, self.on_stack(type_, max(count, 1), 16), sizes)
        if zeros:
            self.fill_bytes(array.data, count * dtype.itemsize)
        return array

    def write_guarded(self, node) -> None:
        """Statements after whose failure the thread goes on, when it has noted that."""
        outer, self.failed = self.failed, ir.Block(self.function, "failing")
        after = self.block("behind")
        self.body(node.body)
        self.go(after)
        self.function.blocks.append(self.failed)
        self.at(self.failed)
        note_failure(self, *map(self.value, node.call.arguments))
        self.builder.branch(after)
        self.failed = outer
        self.at(after)


class GridModule(Module):
    """An LLVM module for a device."""

    writer = GridStatements
    bounds: BoundedLoops


def _write_entry(
    module: Module, main: ir.Function, failing: GridKernel | None, first: Statement
) -> None:
    types = [argument.type for argument in main.args]
    entry = ir.Function(module.ir, ir.FunctionType(ir.VoidType(), types), ENTRY)
    entry.calling_convention = "ptx_kernel"
    builder = ir.IRBuilder(entry.append_basic_block())
    for argument, own in zip(main.args, entry.args, strict=True):
        for attribute in argument.attributes:
            own.add_attribute(attribute)
    if module.locations is not None:  # what is inlined keeps its lines where the call has one
        whole: Any = SimpleNamespace(module=module, function=entry, builder=builder)
        module.locations.note(whole, first)
    failed = builder.extract_value(builder.call(main, entry.args), 0)
    if failing is not None:
        with builder.if_then(failed, likely=False):
            builder.atomic_rmw("min", entry.args[-1], I64(0), "monotonic")
    builder.ret_void()


# ---- where a thread is -------------------------------------------------------------------------


def _register(writer, name: str) -> ir.Value:
    """A special register, as a number of 64 bits."""
    type_ = ir.FunctionType(I32, [])
    function = writer.module.declared(f"llvm.nvvm.read.ptx.sreg.{name}", type_)
    return writer.builder.zext(writer.builder.call(function, []), I64)


def _number(write):
    """An intrinsic that gives a number which is not negative."""

    @intrinsic
    def call(writer):
        return Number(writer.builder, write(writer))

    return call


def _thread_index(writer) -> ir.Value:
    builder = writer.builder
    first = builder.mul(_register(writer, "ctaid.x"), _register(writer, "ntid.x"))
    return builder.add(first, _register(writer, "tid.x"))


def _thread_count(writer) -> ir.Value:
    return writer.builder.mul(_register(writer, "nctaid.x"), _register(writer, "ntid.x"))


@intrinsic
def block_barrier(writer) -> None:
    """Wait for all threads of the block."""
    type_ = ir.FunctionType(ir.VoidType(), [])
    writer.builder.call(writer.module.declared("llvm.nvvm.barrier0", type_), [])


@intrinsic
def warp_barrier(writer) -> None:
    """Wait for all threads of the warp."""
    barrier = writer.module.declared(
        "llvm.nvvm.bar.warp.sync", ir.FunctionType(ir.VoidType(), [I32])
    )
    writer.builder.call(barrier, [I32(-1)])


@intrinsic
def shuffled_down(writer, number: Number, distance: int) -> Number:
    """The number that the lane so many behind this one has."""
    return _shuffled(writer, number, "down", distance)


@intrinsic
def shuffled_from_first(writer, number: Number) -> Number:
    """The number that the first lane of the warp has."""
    return _shuffled(writer, number, "idx", 0)


def _shuffled(writer, number: Number, way: str, place: int) -> Number:
    """The number that another lane has, in parts of 32 bits."""
    builder, value, bits = writer.builder, number.value, max(number.bits, 32)
    whole, part = ir.IntType(bits), ir.FunctionType(I32, [I32] * 4)
    function = writer.module.declared(f"llvm.nvvm.shfl.sync.{way}.i32", part)
    value = builder.bitcast(value, ir.IntType(number.bits))
    value = builder.zext(value, whole) if number.bits < bits else value
    result = whole(0)
    for start in range(0, bits, 32):
        word = builder.trunc(builder.lshr(value, whole(start)), I32) if bits > 32 else value
        word = builder.call(function, [I32(-1), word, I32(place), I32(WARP - 1)])
        word = builder.shl(builder.zext(word, whole), whole(start)) if bits > 32 else word
        result = builder.or_(result, word)
    result = builder.trunc(result, ir.IntType(number.bits)) if number.bits < bits else result
    return number.with_value(builder.bitcast(result, number.type))


def _assembly(writer, result: ir.Type, source: str, constraints: str, *operands) -> ir.Value:
    """An instruction of PTX that reads and writes memory."""
    type_ = ir.FunctionType(result, [operand.type for operand in operands])
    code = ir.InlineAsm(type_, source, f"{constraints}~{{memory}}", side_effect=True)
    return writer.builder.call(code, operands)


@intrinsic
def grid_barrier(writer) -> None:
    """Wait for all threads of the grid.

    A thread of each block adds 1 to a word, that of the first block so much that its highest bit
    changes when all have come: the word need not be reset.
    """
    builder, void = writer.builder, ir.VoidType()
    block_barrier(writer)
    is_first = builder.icmp_unsigned("==", _register(writer, "tid.x"), I64(0))
    with builder.if_then(is_first):
        word = _word(writer.module, "arrived", I32)
        blocks = builder.trunc(_register(writer, "nctaid.x"), I32)
        is_head = builder.icmp_unsigned("==", _register(writer, "ctaid.x"), I64(0))
        most = builder.sub(I32(HIGHEST), builder.sub(blocks, I32(1)))
        step = builder.select(is_head, most, I32(1))
        _assembly(writer, void, "fence.acq_rel.gpu;", "")
        source = "atom.add.acq_rel.gpu.global.u32 $0, [$1], $2;"
        before = _assembly(writer, I32, source, "=r,l,r,", word, step)
        wait, again, after = map(writer.block, ("wait", "again", "arrived"))
        builder.branch(wait)
        builder.position_at_end(wait)
        now = _assembly(writer, I32, "ld.acquire.gpu.global.u32 $0, [$1];", "=r,l,", word)
        changed = builder.and_(builder.xor(before, now), I32(HIGHEST))
        builder.cbranch(builder.icmp_unsigned("!=", changed, I32(0)), after, again)
        builder.position_at_end(again)
        writer.write_poll(Polling.SELDOM)
        builder.branch(wait)
        builder.position_at_end(after)
        _assembly(writer, void, "fence.acq_rel.gpu;", "")
    block_barrier(writer)


def _word(module: Module, name: str, type_: ir.IntType) -> ir.GlobalVariable:
    """A word in the memory of the device, which is 0 at first."""
    word = module.ir.globals.get(name)
    if word is None:
        word = ir.GlobalVariable(module.ir, type_, name, addrspace=GLOBAL)
        word.initializer = type_(0)
    return word


@intrinsic
def shared_array(writer, size: int, dtype) -> Array:
    """Memory of the block."""
    type_ = values.memory_type(np.dtype(dtype))
    whole = ir.ArrayType(type_, size)
    name = f"shared.{len(writer.module.ir.globals)}"
    memory = ir.GlobalVariable(writer.module.ir, whole, name, addrspace=SHARED)
    memory.linkage, memory.initializer = "internal", ir.Constant(whole, ir.Undefined)
    memory.align = 16
    start = writer.builder.addrspacecast(memory, whole.as_pointer())
    return Array(np.dtype(dtype), writer.builder.bitcast(start, type_.as_pointer()), (size,))


@intrinsic
def note_failure(writer, status: Array, number) -> None:
    """Make the status word the least of itself and the number."""
    value = writer.number(number, INT64).value
    writer.builder.atomic_rmw("min", status.data, value, "monotonic")


@intrinsic
def _itself(writer, number):
    return number


GRID_FUNCTIONS: dict[str, Any] = {
    "thread_index": _number(_thread_index),
    "thread_count": _number(_thread_count),
    "block_index": _number(functools.partial(_register, name="ctaid.x")),
    "block_count": _number(functools.partial(_register, name="nctaid.x")),
    "lane_index": _number(functools.partial(_register, name="tid.x")),
    "lane_count": _number(functools.partial(_register, name="ntid.x")),
    "block_barrier": block_barrier,
    "warp_barrier": warp_barrier,
    "grid_barrier": grid_barrier,
    "shuffled_down": shuffled_down,
    "shuffled_from_first": shuffled_from_first,
    "shared_array": shared_array,
    "note_failure": note_failure,
    "failing": note_failure,
    "opaque": _itself,
    "one_by_one": _itself,
    "short": _itself,
}


# ---- numbers -----------------------------------------------------------------------------------


def _reaches(name: str) -> dict[int, float] | None:
    """The reaches of the formula of a function of the C library, by bits; None for others."""
    short, _, type_ = name.rpartition("_")
    operation = short.removeprefix("special_")
    is_of_library = type_ in ("l32", "l64") and operation in TABLE
    return TABLE[operation].slow_path_beyond if is_of_library else None


def _within_reach(name: str):
    """A function of sines, which fails for numbers out of reach of its formula."""
    bits, formula_name = int(name[-2:]), f"{name[:-3]}f{name[-2:]}"
    formula = scope_of([formula_name])[formula_name]
    reaches = _reaches(name)
    assert reaches is not None  # as such functions have it
    limit = float(reaches[bits])

    @kernel_function
    def within_reach(x):
        if abs(x) > limit and abs(x) < np.inf:
            raise AssertionError
        return formula(x)

    return within_reach


_fused = as_intrinsics({"fma": fma})["fma"]


@kernel_function
def remainder(x, y):
    """The remainder of `x / y` with the sign of `x`, which is exact, of float64."""
    rest, size = abs(x), abs(y)
    if not rest < np.inf or size != size or size == 0.0:
        return (x - x) / (y - y)
    if not size < np.inf:
        return x
    step = size
    while rest / step >= 4503599627370496.0:
        step = step * 4503599627370496.0
    while True:
        whole = np.float64(np.int64(rest / step))
        rest = _fused(-whole, step, rest)
        if rest < 0.0:
            rest = rest + step
        if rest >= step:
            rest = rest - step
        if step == size:
            break
        step = step / 4503599627370496.0
    return -rest if x < 0.0 else rest


def _define_library(module: Module) -> None:
    """Functions of the C library that are called, by formulas. Raises NotNativeError for others."""
    for function in list(module.ir.functions):
        if function.blocks or function.name.startswith("llvm."):
            continue
        name = function.name
        is_short = name.endswith("f") and name != "erf" and name[:-1] in LIBRARY
        formula = LIBRARY.get(name[:-1] if is_short else name)
        if formula is None:
            raise NotNativeError(f"devices have no function '{name}'")
        function.attributes.discard("readnone")
        function.linkage = "internal"
        builder = ir.IRBuilder(function.append_basic_block())
        operands = [Number(builder, argument) for argument in function.args]
        if name in IN_STEPS or name[:-1] in IN_STEPS:
            builder.ret(_in_double(module, builder, formula, operands).value)
        else:
            builder.ret(formula(*operands).value)


def _in_double(module: Module, builder, formula, operands: list[Number]) -> Number:
    """The result of a function with branches and loops, which computes in float64."""
    double = np.dtype(np.float64)
    exact, _, _ = module.function(formula, (double,) * len(operands))
    values = [operand.cast(double).value for operand in operands]
    result = builder.extract_value(builder.call(exact, values), 1)
    return Number(builder, result).cast(operands[0].dtype)


def _define_remainders(module: Module) -> None:
    """The functions that take the place of LLVM's remainder, which is not exact on a device."""
    double = np.dtype(np.float64)
    exact, _, _ = module.function(remainder, (double, double))
    wide = ir.DoubleType()
    for type_ in (wide, ir.FloatType()):
        name = f"remainder_{type_}"
        function = ir.Function(module.ir, ir.FunctionType(type_, [type_, type_]), name)
        function.linkage = "internal"
        builder = ir.IRBuilder(function.append_basic_block())
        operands = [
            argument if type_ == wide else builder.fpext(argument, wide)
            for argument in function.args
        ]
        result = builder.extract_value(builder.call(exact, operands), 1)
        builder.ret(result if type_ == wide else builder.fptrunc(result, type_))


LAYOUT = re.compile('target datalayout = ".*"')
REMAINDER = re.compile(r"frem (\w+) ([^,]+), (\S+)")


def _without_processor(assembly: str) -> str:
    """LLVM's assembly language without what only the processor of this process has."""
    assembly = CONSTANT.sub(r"noalias readonly \1", assembly)  # llvmlite has no such attribute
    return KEPT.sub(r"select i1 true, \1 \2, \1 \2", assembly)


# Constants that formulas keep in registers of a CPU: see `llvm_values.keeps_constants`.
CONSTANT = re.compile(r"noalias (%)")
KEPT = re.compile(r'call (\w+) asm\s+"", "=x,0"\(\w+ ([^)]+)\)')
