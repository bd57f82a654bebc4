"""Operations that are no loop nests, as all threads of a grid run them.

Most are written by the functions that write them for a CPU: what only moves elements is divided
among the threads, others are run by one thread.
"""

from __future__ import annotations

import math

from ..codegen.native.kernel_builder import Position
from ..codegen.native.library_calls import Form, form_of
from ..core import thresholds
from ..core.axes import normal_axis
from ..ir.graph import Node, dims, elements_of
from ..lowering.buffer_assignment import InBuffer, View
from ..lowering.not_native import NotNativeError
from ..lowering.schedule import StepPlan
from .grid_nests import decoded
from .grid_random import numbers_of_block
from .grid_writer import ALL_THREADS, GridWriter

VIEWS = ("reshape", "ensure_shape", "memory_of", "unwritten")
SPREAD = ("set_item", "set_window", "stack", "concat")
MOST_DRAWS = 1 << 16  # of numbers that one thread draws
DRAWS = ("stateless_draw", "counted_draw")


def write_call(writer: GridWriter, node: Node, plan: StepPlan) -> None:
    """A call of an operation."""
    for value in (*node.inputs, *node.outputs):
        writer.check(value, node)
    name = node.op.name
    if name in OWN:
        form = OWN[name]
    else:
        form = form_of(node)
        if form is None:
            reason = f"the operation '{name}' has no form for a GPU"
            raise NotNativeError(reason, node.where)
    start = writer.position()
    if name in OWN:
        form(writer, node)
    elif name in VIEWS or type(writer.memory.get(node.outputs[0])) is View:
        _view(writer, node, form)
    elif name in SPREAD:
        with writer.spread():
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


def _view(writer: GridWriter, node: Node, form: Form) -> None:
    """A view, or the only element of an array."""
    operand, output = next(iter(node.inputs), node.output), node.output
    if output.shape and not operand.shape:
        with writer.when("thread_index() == 0"):
            form(writer, node)
        return
    form(writer, node)
    if output.shape and not isinstance(writer.memory[output], InBuffer):
        writer.note_alike((writer.read(operand), writer.read(output)))


def _by_one_thread(writer: GridWriter, node: Node, form: Form, start: Position) -> None:
    """What has no parallel form: one thread does it, and the others wait."""
    if any(not value.shape for value in node.outputs):
        raise NotNativeError(f"'{node.op.name}' gives numbers and arrays", node.where)
    with writer.when("thread_index() == 0"), writer.by_one(start):
        block = writer.block
        form(writer, node)
        if not block:
            writer.line("pass")
    writer.synchronize(start, writer.accesses(node.inputs, node.outputs))
    if writer.guard(block, 0, "0", node):
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
    words = [f"np.uint64({writer.read(key)}[{index}])" for index in range(dims(key)[0])]
    words += ["np.uint64(0)"] * (3 - len(words))
    limits = ", ".join([*words, *map(writer.read, parameters)])
    writer.line(f"{name}_all = reshaped({name}, ({elements_of(output)},))")
    count = -(-elements_of(output) // numbers_of_block(bits))
    with writer.over_threads("t", count):
        writer.line(f"philox_uniform_f{bits}({name}_all, t, {limits})")


# ---- running sums ------------------------------------------------------------------------------


def _scan(combined: str, identity: str, start: str):
    """A running sum: each thread goes along some lines of elements."""

    def form(writer: GridWriter, node: Node) -> None:
        (x,), output, attrs = node.inputs, node.output, node.attrs
        out, dtype = writer.buffer(output), f"np.{output.dtype.numpy_dtype.name}"
        shape = dims(output)
        axis = normal_axis(attrs["axis"], len(shape))
        before, size, after = math.prod(shape[:axis]), shape[axis], math.prod(shape[axis + 1 :])
        cubic, name = (before, size, after), f"s{next(writer.count)}"
        writer.line(f"{name}_x = reshaped({writer.read(x)}, {cubic})")
        writer.line(f"{name}_out = reshaped({out}, {cubic})")
        is_exclusive = attrs.get("exclusive")
        steps = f"{size} - 1, -1, -1" if attrs["reverse"] else f"{size}"
        element = f"{name}_x[i0, t, i1]"
        source = combined.format(so_far=name, x=element, bits=output.dtype.size * 8)
        add, keep = f"{name} = {dtype}({source})", f"{name}_out[i0, t, i1] = {name}"
        with writer.over_threads("k", before * after):
            decoded(writer, "k", (0, 1), (before, after))
            writer.line(f"{name} = {dtype}({start if is_exclusive else identity})")
            with writer.loop("t", f"range({steps})"):
                for line in (keep, add) if is_exclusive else (add, keep):
                    writer.line(line)

    return form


# ---- products ----------------------------------------------------------------------------------


def _matmul(writer: GridWriter, node: Node) -> None:
    """Each thread computes some elements of the product."""
    (a, b), output = node.inputs, node.output
    out, name = writer.buffer(output), f"s{next(writer.count)}"
    schedule = writer.schedule
    flipped = getattr(schedule, "transposed", ())
    shape, dtype = dims(output), f"np.{output.dtype.numpy_dtype.name}"
    if output.dtype.is_bool:
        raise NotNativeError("a product of truth values", node.where)
    *batch, row, column = indices = [f"i{axis}" for axis in range(len(shape))]

    def item(value, first: str, second: str) -> str:
        own = dims(value)[:-2]
        at = batch[len(batch) - len(own) :]
        at = ["0" if size == 1 else index for size, index in zip(own, at, strict=True)]
        pair = (second, first) if value in flipped else (first, second)
        return f"{writer.read(value)}[{', '.join([*at, *pair])}]"

    terms = f"{item(a, row, 't')} * {item(b, 't', column)}"
    with writer.over_threads("k", elements_of(output)):
        decoded(writer, "k", range(len(shape)), shape)
        writer.line(f"{name} = {dtype}(0)")
        with writer.loop("t", f"range({dims(a)[-2 if a in flipped else -1]})"):
            writer.line(f"{name} = {dtype}({name} + {dtype}({terms}))")
        writer.line(f"{out}[{', '.join(indices)}] = {name}")


OWN = {
    "matmul": _matmul,
    "cumsum": _scan("{so_far} + {x}", "-0.0", "0"),
    "cumprod": _scan("{so_far} * {x}", "1", "1"),
    "cumulative_logsumexp": _scan("log_add_exp_f{bits}({so_far}, {x})", "-np.inf", "-np.inf"),
}
