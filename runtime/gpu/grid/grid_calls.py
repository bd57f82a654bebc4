"""Operations that are no loop nests, as all threads of a grid run them.

Most are written by the functions that write them for a CPU: what only moves elements is divided
among the threads, others are run by one thread.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...codegen.native.kernel_builder import Position
from ...codegen.native.library_calls import LARGER, SMALLER, Form, form_of
from ...core import thresholds
from ...ir.graph import Node, dims, elements_of
from ...jit.routines import FAMILIES, FORMS, Family
from ...kernel_ir.nodes import call
from ...lowering.buffer_assignment import InBuffer, View
from ...lowering.not_native import NotNativeError
from ...lowering.schedule import StepPlan
from .grid_products import matmul
from .grid_scans import position, scan
from .grid_scattering import scatter
from .grid_sorting import argsort, insertions, largest, sort
from .grid_writer import ALL_THREADS, GridWriter, check_size

VIEWS = ("reshape", "ensure_shape", "memory_of", "unwritten")
SPREAD = ("set_item", "set_window", "stack", "concat")
OF_COMPUTED_SIZES = ("matmul", "set_item", "set_window")  # beside views and loop nests
MOST_DRAWS = 1 << 16  # of numbers that one thread draws
IS_FIRST_THREAD = call("thread_index").equals(0)
DRAWS = ("stateless_draw", "counted_draw")
BLOCK_BITS = 256  # of the random generator
FAMILIES["philox"] = Family(0, "gpu.grid.grid_random")  # which loads LLVM


def write_call(writer: GridWriter, node: Node, plan: StepPlan) -> None:
    """A call of an operation."""
    name = node.op.name
    own = form_of_threads(name)
    form: Any = own or form_of(node)
    if form is None:
        raise NotNativeError(f"the operation '{name}' has no form for a GPU", node.where)
    for value in (*node.inputs, *node.outputs):
        writer.check(value, node)
    if name not in OF_COMPUTED_SIZES and type(plan.memory.get(node.outputs[0])) is not View:
        for value in (*node.inputs, *node.outputs):
            check_size(value, node)
    start = writer.position()
    if own is not None:
        before = writer.pending
        form(writer, node)
        if writer.pending is not before:  # it has put barriers where it needs them
            writer.pending |= writer.accesses(node.inputs, node.outputs)
            return
    elif name in VIEWS or type(writer.memory.get(node.outputs[0])) is View:
        if _view(writer, node, form) or name == "unwritten":
            return
    elif name in SPREAD:
        with writer.spread(max(map(elements_of, (*node.inputs, *node.outputs)))):
            form(writer, node)
    elif name in DRAWS and _is_shared_draw(node):
        _shared_draw(writer, node)
    elif name in DRAWS and elements_of(node.output) > MOST_DRAWS:
        raise NotNativeError("so many numbers that are drawn one after the other", node.where)
    elif not any(value.shape for value in node.outputs):
        with writer.by(ALL_THREADS):
            form(writer, node)
    else:
        _by_one_thread(writer, node, form, start)
        return
    writer.synchronize(start, writer.accesses(node.inputs, node.outputs))


def form_of_threads(name: str) -> Callable[[GridWriter, Node], None] | None:
    """The form that lets threads share the work: one from here, or one that the library has by the
    name of the operation and these words.
    """
    if name in FORMS:
        own = OWN.get(name) or FORMS[name]().get(f"{name} on a grid")
        return None if isinstance(own, str) else own  # a scalar form: see `device_forms`
    return OWN.get(name)


def _view(writer: GridWriter, node: Node, form: Form) -> bool:
    """A view, or the only element of an array. Whether it is a view, which touches no element."""
    operand, output = next(iter(node.inputs), node.output), node.output
    if output.shape and not operand.shape:
        with writer.when(IS_FIRST_THREAD):
            form(writer, node)
        return False
    form(writer, node)
    is_view = bool(output.shape) and not isinstance(writer.memory[output], InBuffer)
    if is_view:
        writer.note_alike((writer.read(operand), writer.read(output)))
    return is_view


def _by_one_thread(writer: GridWriter, node: Node, form: Form, start: Position) -> None:
    """What has no parallel form: one thread does it, and the others wait."""
    if any(not value.shape for value in node.outputs):
        raise NotNativeError(f"'{node.op.name}' gives numbers and arrays", node.where)
    with writer.when(IS_FIRST_THREAD), writer.by_one(start):
        block = writer.block
        form(writer, node)
        if not block:
            writer.leave("pass")
    writer.synchronize(start, writer.accesses(node.inputs, node.outputs))
    if writer.guard(block, 0, 0, node):
        writer.leave_if_failed()


def _is_shared_draw(node: Node) -> bool:
    """Whether a draw is of uniform numbers, of which each thread computes some."""
    _, _, *parameters = node.inputs
    is_uniform = node.attrs["kind"] == "uniform" and node.output.dtype.is_floating
    is_few = elements_of(node.output) <= thresholds.FEW_DRAWS
    return is_uniform and not is_few and not any(value.shape for value in parameters)


def _shared_draw(writer: GridWriter, node: Node) -> None:
    """Uniform numbers: each thread computes those of some blocks of the generator."""
    _, key, *parameters = node.inputs
    output, bits = node.output, 8 * node.output.dtype.size
    name = writer.buffer(output)
    words = [call("np.uint64", writer.read(key)[index]) for index in range(dims(key)[0])]
    words += [call("np.uint64", 0)] * (3 - len(words))
    limits = [*words, *map(writer.read, parameters)]
    every = name.with_suffix("_all")
    writer.let(every, call("reshaped", name, (elements_of(output),)))
    count = -(-elements_of(output) // numbers_of_block(bits))
    with writer.over_threads("t", count):
        writer.call(f"philox_uniform_f{bits}", every, "t", *limits)


def numbers_of_block(bits: int) -> int:
    """The uniform numbers that a block of the generator holds."""
    return BLOCK_BITS // bits


OWN = {
    "matmul": matmul,
    "sort": sort,
    "argsort": argsort,
    "tensor_scatter_nd_update": scatter("{new}"),
    "tensor_scatter_nd_add": scatter("{old} + {new}"),
    "tensor_scatter_nd_sub": scatter("{old} - {new}"),
    "tensor_scatter_nd_max": scatter(LARGER),
    "tensor_scatter_nd_min": scatter(SMALLER),
    "largest_k": largest,
    "searchsorted": insertions,
    "argmax": position(">"),
    "argmin": position("<"),
    "cumsum": scan("{so_far} + {x}", -0.0, 0),
    "cumprod": scan("{so_far} * {x}", 1, 1),
    "cumulative_logsumexp": scan("log_add_exp({so_far}, {x})", -np.inf, -np.inf),
}
