"""Functions that call themselves: each is a function of the kernel.

It takes numbers and arrays, and returns numbers. Arrays change in place; those that grow are
returned, too, as they may have other memory then.
"""

from __future__ import annotations

import sys
from typing import Any, NamedTuple

import numpy as np

from ...extend.graphs import Callee, Node, Program, Value, backend, lower
from ...extend.kernels import (
    RECURSIVE,
    Evaluate,
    Function,
    InBuffer,
    KernelWriter,
    Let,
    Name,
    NotNativeError,
    RegionState,
    Tuple,
    call,
    constant_array,
    host_target,
    kernel_plan,
    may_grow,
    names_written,
    write_block,
)

DEPTH = Name("depth")  # how many such calls are inside one another


class Written(NamedTuple):
    """A function, and the constant arrays that it takes last."""

    name: str
    constants: list[np.ndarray]
    function: Any = None


def call_of(writer: KernelWriter, node: Node) -> None:
    """Write a call of such a function."""
    callee = node.attrs["callee"]
    if not callee.is_of_arrays:
        raise NotNativeError(f"the operation '{node.op.name}' has no native form", node.where)
    if not backend().has_recursion:
        raise NotNativeError("a function calls itself in computed branches", node.where)
    written = writer.functions.get(callee) or _written(writer, callee)
    operands = list(map(writer.read, node.inputs))  # some of which may be one value
    for position, target in sorted(callee.graph.donated):
        value = node.outputs[target]
        if value in writer.memory:
            operands[position] = _in_place(writer, value, node.inputs[position])
    results = [writer.read(value) if value.shape else writer.name(value)
               for value in node.outputs if not value.shape or may_grow(value)]  # fmt: skip
    depth = DEPTH + 1 if writer.region.is_private else 1
    constants = (constant_array(writer, array) for array in written.constants)
    value = call(written.name, depth, *operands, *constants)
    writer.append(Let(Tuple(tuple(results)), value) if results else Evaluate(value))


def _in_place(writer: KernelWriter, value: Value, operand: Value) -> Name:
    location = writer.memory[value]
    if isinstance(location, InBuffer):
        return writer.copied(value, location, writer.read(operand))
    return writer.buffer(value)


def _written(writer: KernelWriter, callee: Callee) -> Written:
    """The function of a callee, written again until it takes the constants that its calls pass."""
    assert callee.graph is not None
    program, name = lower(callee.graph), f"{RECURSIVE}{len(writer.functions)}"
    written = writer.functions[callee] = Written(name, [])
    while written.function is None:
        function, constants = _function(writer, program, name)
        if len(constants) == len(written.constants):
            written = written._replace(function=function)
        else:
            written = Written(name, constants)
        writer.functions[callee] = written
    return written


def _function(writer: KernelWriter, program: Program, name: str) -> tuple[Function, list]:
    plan = kernel_plan(program, host_target(), is_inside=True)
    inner = KernelWriter(plan)
    inner.functions, inner.region = writer.functions, RegionState(is_private=True)
    for value in (*program.inputs, *program.outputs):
        inner.check(value)
    inputs = [inner.name(value) for value in program.inputs]
    inner.fail_when(call("int", sys.getrecursionlimit()) < DEPTH)
    write_block(inner, plan.block)
    returned = [
        inner.read(value) if value.shape else inner.cast(inner.read(value), value.dtype)
        for value in program.outputs if not value.shape or may_grow(value)
    ]  # fmt: skip
    written = names_written(inner.statements())
    for value, output in program.donated:
        place = inputs[program.inputs.index(value)].id
        is_moved = value.shape and inner.read(output).id != place
        if is_moved or (value.shape and place in written and not may_grow(value)):
            raise NotNativeError("a function that calls itself exchanges arrays")
    inner.leave("return", Tuple(tuple(returned)))
    constants = [array for _, array in inner.constants]
    names = ["depth", *(name.id for name in inputs), *(name for name, _ in inner.constants)]
    return Function(name, tuple(names), inner.statements()), constants
