"""Program -> the kernel of a grid that computes it, and its buffers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import cast

import numpy as np

from ...codegen.native.emit_native import write_block
from ...codegen.native.kernel_builder import Builder, Draft
from ...codegen.native.kernel_writer import numpy_type
from ...core.array_pool import BufferType
from ...ir.graph import Value, dims
from ...jit.routines import FAMILIES
from ...kernel_ir.kernels import Function, KernelIR, names_written
from ...kernel_ir.nodes import Call, Evaluate, If, Let, Name, Statement, call, transformed, walk
from ...lowering.cost_model import Target
from ...lowering.kernel_plan import kernel_plan
from ...lowering.not_native import NotNativeError
from ...lowering.program import Program
from ..grid_kernel import (
    CONSTANT,
    INPUT,
    LANES,
    OUTPUT,
    SCRATCH,
    STATUS,
    SUCCESS,
    WARP,
    GridBuffer,
    GridKernel,
    GridProgram,
)
from .grid_steps import StepWriter
from .grid_writer import check_size, may_fail, of_thread

DEVICE = Target(cores=1, shares_all=True)  # loops over batches are not divided for few threads
ONE_BLOCK = 4 * LANES  # elements that the threads of one block compute as fast as those of a grid
MOST_SHARED = 48 << 10  # bytes of a block
INT64 = np.dtype(np.int64)
# What kernels may call that is no function of numbers: the first words of their names.
CALLABLE = (
    "draw", "philox", "new", "reshaped", "copy", "select", "wrapped", "checked", "opaque", "one",
    "short", "trip", "shared", "thread", "block", "lane", "grid", "warp", "shuffled", "failing",
    "matrix", "range", "min", "max", "abs", "bool", "len", "int", "float",
    "half", "brain", "variate", "special",
)  # fmt: skip
WITHOUT_FORM = ("lapack",)
BY_WARPS = {"shuffled_down", "shuffled_from_first", "warp_barrier"}
NUMBERS = ("f32", "f64", "i32", "i64", "l32", "l64")


def grid_program(program: Program) -> GridProgram:
    """The program as a device runs it. Raises NotNativeError naming what has no form for it."""
    return kernel_of(replace(program, donated=()))


def kernel_of(program: Program, is_part: bool = False, has_flag: bool = False) -> GridProgram:
    """The program as one kernel. It may leave outputs in inputs that are donated, and has no buffer
    for them then.

    That of a part has one more input, a status word: where that tells of a failure, nothing is
    done. With a flag, it has a truth value behind it: where that is false, nothing is done.
    """
    writer = StepWriter(kernel_plan(program, DEVICE))
    buffers: dict[str, GridBuffer] = {}
    for position, value in enumerate(program.inputs):
        _check(writer, value)
        name = writer.name(value)
        if not value.shape:
            cell = name.with_suffix("_cell")
            writer.let(name, cell[0])
            name = cell
        buffers[name.id] = _buffer(value, INPUT, position)
    if is_part:
        buffers["before"] = GridBuffer(INT64, (1,), INPUT, len(program.inputs))
    if has_flag:
        buffers["runs"] = GridBuffer(np.dtype(bool), (), INPUT, len(program.inputs) + 1)
    block = writer.block
    _write_block(writer, program)
    for value in program.outputs:  # what a step lacks says more
        _check(writer, value)
    outputs = _write_outputs(writer, program)
    for constant, content in writer.constants:
        buffers[constant] = GridBuffer(content.dtype, content.shape, CONSTANT, content=content)
    for own, wanted in writer.caller_buffers.items():
        buffers[own] = outputs.get(own) or _scratch(wanted)
    buffers |= outputs
    if may_fail(writer.statements()):
        buffers["status"] = GridBuffer(INT64, (1,), STATUS)
    if sum(dtype.itemsize * size for dtype, _, size in writer.shared_arrays) > MOST_SHARED:
        raise NotNativeError("the products of one kernel need more memory than a block has")
    for (dtype, _, size), array in writer.shared_arrays.items():
        block.insert(0, Let(array, call("shared_array", size, numpy_type(dtype.name))))
    if is_part:
        test = Name("before")[0].equals(int(SUCCESS))
        test = test.joined("and", Name("runs")[0]) if has_flag else test
        writer.block[:] = [Draft(lambda body, _: If(test, body), list(block))]
    kernel = _kernel(writer, program.name, buffers)
    return GridProgram(program.name, tuple(buffers.values()), (kernel,))


def _check(writer: StepWriter, value: Value) -> None:
    """Raise NotNativeError if a value is none that goes into a kernel, or comes out of it."""
    writer.check(value)
    check_size(value)


def _write_block(writer: StepWriter, program: Program) -> None:
    """The statements of all steps."""
    block = writer.plan.block
    write_block(writer, block)
    for value, location in block.results.items():  # only whole arrays go back
        writer.copied(value, location, writer.read(value))


def _buffer(value: Value, role: str, position: int) -> GridBuffer:
    return GridBuffer(value.dtype.numpy_dtype, dims(value), role, position)


def _scratch(wanted: BufferType) -> GridBuffer:
    return GridBuffer(np.dtype(wanted.dtype), cast("tuple[int, ...]", wanted.shape), SCRATCH)


def _write_outputs(writer: StepWriter, program: Program) -> dict[str, GridBuffer]:
    """The buffers of the outputs, by the parameters that hold them: those that the last step has
    written to, or copies.
    """
    changing = names_written(writer.statements())
    in_place = {(value, str(writer.name(owner))) for owner, value in program.donated}
    outputs: dict[str, GridBuffer] = {}
    for position, value in enumerate(program.outputs):
        name = writer.read(value)
        variable = str(name)
        if (value, variable) in in_place and variable not in changing:
            continue
        is_whole = value.shape and variable in writer.caller_buffers and variable not in changing
        if is_whole and variable not in outputs:
            outputs[variable] = _buffer(value, OUTPUT, position)
            continue
        copy = Name(f"out{position}")
        outputs[copy.id] = _buffer(value, OUTPUT, position)
        if value.shape:
            _write_copy(writer, copy, name, outputs[copy.id].size)
        else:
            with writer.when(call("thread_index").equals(0)):
                writer.let(copy[0], writer.cast(name, value.dtype))
    return outputs


def _write_copy(writer: StepWriter, target: Name, source: Name, size: int) -> None:
    position = writer.position()
    accesses = writer.accesses((), (), reads=[source], writes=[target])
    to, from_ = target.with_suffix("_"), target.with_suffix("_from")
    writer.let(to, call("reshaped", target, (size,)))
    writer.let(from_, call("reshaped", source, (size,)))
    with writer.over_threads("i", size):
        writer.let(to["i"], from_["i"])
    writer.synchronize(position, accesses)


def copying_kernel(
    name: str, buffers: Sequence[GridBuffer], pairs: Iterable[Sequence[int]], has_flag: bool
) -> GridKernel:
    """A kernel that copies some of its parameters to others, whose positions are the pairs. With a
    flag, the last one is a truth value: where it is false, nothing is done.
    """
    copy, names = Builder(), [Name(f"x{at}") for at in range(len(buffers))]
    with copy.when(names[-1][0]) if has_flag else nullcontext():
        for from_, to in pairs:
            arrays = [names[at].with_suffix("_flat") for at in (to, from_)]
            for array, at in zip(arrays, (to, from_), strict=True):
                copy.let(array, call("reshaped", names[at], (buffers[at].size,)))
            with copy.loop("i", *of_thread(buffers[to].size)):
                copy.let(arrays[0]["i"], arrays[1]["i"])
    threads = max(buffer.size for buffer in buffers)
    code = KernelIR((Function("kernel", tuple(map(str, names)), copy.statements()),))
    return GridKernel(name, code, (), threads, threads <= ONE_BLOCK, parameters=tuple(buffers))


def _kernel(writer: StepWriter, name: str, buffers: dict[str, GridBuffer]) -> GridKernel:
    body = writer.statements()
    one_block = writer.threads <= ONE_BLOCK
    body = tuple(transformed(statement, _by_single_blocks) for statement in body)
    if one_block:
        body = tuple(transformed(statement, _of_one_block) for statement in body)
    _check_calls(body)
    code = KernelIR((Function("kernel", tuple(buffers), body),))
    return GridKernel(
        name,
        code,
        tuple(range(len(buffers))),
        writer.threads,
        one_block,
        "grid_barrier" in code.calls,
        max(writer.lanes, WARP if code.calls & BY_WARPS else 1),
        tuple(writer.failures) if "status" in buffers else (),
        tuple(buffers.values()),
        writer.origins,
    )


def _by_single_blocks(part):
    """A draw that computes one block of the generator after the other, not vectors of them."""
    if type(part) is Call and part.name.startswith("draw_") and "few" not in part.name:
        return Call(Name(f"draw_few_{part.name.removeprefix('draw_')}"), part.arguments)
    return part


def _of_one_block(part):
    """A barrier of the grid as one of its only block."""
    is_barrier = type(part) is Evaluate and type(part.value) is Call
    if is_barrier and part.value.name == "grid_barrier":
        return Evaluate(Call(Name("block_barrier"), ()))
    return part


def _check_calls(body: Iterable[Statement]) -> None:
    """Raise NotNativeError if statements call what a device does not have."""
    for part in walk(body):
        if type(part) is Call and type(part.function) is Name:
            first, _, rest = part.name.partition("_")
            is_number = rest.rpartition("_")[2] in NUMBERS and first not in FAMILIES
            is_known = first in CALLABLE or is_number
            if not is_known or any(word in part.name for word in WITHOUT_FORM):
                raise NotNativeError(f"devices have no function '{part.name}'")
