"""Program -> the kernel IR of one native function: scalars in registers, and explicit loops.

Array values are C-contiguous. The plan of the kernel says how the loops of each step run, and which
buffers its arrays live in (`lowering/kernel_plan.py`); this writes it down.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from functools import partial
from typing import Any, cast

import numpy as np

from ...core.array_pool import BufferType, bytes_of
from ...core.classes import NamedTuple
from ...core.dtypes import int64
from ...core.shapes import is_compatible
from ...ir.graph import Node, Value, dims
from ...ir.indexing import expanded
from ...ir.node_properties import is_noreturn
from ...ir.op import WRITES
from ...ir.trip_counts import InductionVariable, ends_at_limit_alone
from ...kernel_ir.kernels import Function, KernelIR
from ...kernel_ir.nodes import Name, Operand, Tuple, call
from ...lowering.buffer_assignment import (
    InBuffer,
    Location,
    StoreBoth,
    StoreInto,
    View,
    buffer_type,
    exchange,
    leading_numbers,
    may_grow,
)
from ...lowering.cost_model import carries_floats
from ...lowering.elementwise_loops import RegisterTiling
from ...lowering.independent_iterations import ParallelIterations, asserts_late
from ...lowering.kernel_plan import kernel_plan, sides_in_order
from ...lowering.not_native import NotNativeError
from ...lowering.program import Branch, Invoke, LibraryCall, Loop, Nest, Program, Step, nodes_of
from ...lowering.schedule import BlockPlan, KernelPlan, RowLoop, StepPlan
from .elements import Access, log_nest, open_log, write_scalars
from .kernel_writer import KernelWriter, bind, host_target, write_constant


class KernelSource(NamedTuple):
    """One kernel.

    Its parameters are the program's inputs, the arrays of an undo log for each input whose position
    is in `logged`, then `constants`, the addresses of its parallel regions and the table of the
    thread pool if it has `regions`, and the `buffers` that the caller makes: those of results, and
    large ones. `fails_late` tells that it may fail after it has changed a donated input.
    """

    code: KernelIR
    logged: list[int]
    constants: list[np.ndarray]
    buffers: list[BufferType]
    regions: int
    fails_late: bool


def emit_native(program: Program) -> KernelSource:
    """The kernel of a program.

    Raises NotNativeError naming the first operation without a native form.
    """
    return _write_kernel(program)[1]


def planned_memory(program: Program) -> int:
    """The bytes of all arrays that the native code of a program makes: its results, and what it
    needs meanwhile. Stacks, which grow, and copies for libraries come on top.

    Raises NotNativeError like `emit_native`.
    """
    return sum(map(bytes_of, _write_kernel(program)[0].arrays))


def code_and_origins(program: Program) -> tuple[KernelIR, dict[str, Node]]:
    """The kernel of a program, and the node whose result each variable holds.

    Raises NotNativeError like `emit_native`.
    """
    writer, kernel = _write_kernel(program)
    return kernel.code, writer.origins


def _write_kernel(program: Program) -> tuple[KernelWriter, KernelSource]:
    plan = kernel_plan(program, host_target())
    writer, kernel = _write_planned(program, plan._replace(logged=frozenset()))
    if kernel.fails_late and plan.logged:
        return _write_planned(program, plan)
    return writer, kernel


def _write_planned(program: Program, plan: KernelPlan) -> tuple[KernelWriter, KernelSource]:
    writer = KernelWriter(plan)
    for value in program.inputs:
        writer.check(value)
    inputs = [writer.name(value) for value in program.inputs]
    arguments = {writer.name(value).id for value, _ in program.donated}
    logged = [at for at, value in enumerate(program.inputs) if value in plan.logged]
    inputs += [name for at in logged for name in open_log(writer, program.inputs[at])]
    write_block(writer, plan.block)  # refuses what it computes at the line that computes it
    for value in program.outputs:
        writer.check(value)
    for value, location in plan.block.results.items():  # only whole arrays go back
        writer.copied(value, location, writer.read(value))
    writer.leave("return", Tuple(tuple(map(writer.read, program.outputs))))
    parameters = [*(name.id for name in inputs), *(name for name, _ in writer.constants)]
    parameters += ["regions", "control"] if writer.regions else []
    body = writer.statements()
    kernel = Function("kernel", (*parameters, *writer.caller_buffers), body)
    functions = (written.function for written in writer.functions.values())
    code = KernelIR((*functions, *(region.function() for region in writer.regions), kernel))
    constants = [array for _, array in writer.constants]
    buffers = list(writer.caller_buffers.values())
    is_late = False
    if arguments:
        from .late_failures import fails_late  # which graphs that change no arguments do without

        is_late = fails_late(body, writer.regions, arguments)
    return writer, KernelSource(code, logged, constants, buffers, len(writer.regions), is_late)


# ---- steps -------------------------------------------------------------------------------------


def write_block(writer: KernelWriter, plan: BlockPlan) -> None:
    block = writer.block
    before = len(block)
    for item in plan.items:
        writer.write_item(item, write_step)
    if len(block) == before:
        writer.leave("pass")


def _write_rows(writer: KernelWriter, rows: RowLoop) -> None:
    """Nests that share the loop over their first axis."""
    from .loop_headers import axis_loop
    from .parallel_loops import parallel_nests

    row_scalars = {value: writer.unused("s") for value in rows.scalars}
    writer.nest.row_scalars, writer.nest.temporaries = row_scalars, rows.temporaries

    def write() -> None:
        writer.region.is_outermost = True
        with axis_loop(writer, "i0", rows.trip_count):
            for plan in rows.steps:
                write_step(writer, plan, inside_rows=True)

    with writer.allocating_before():
        parallel_nests(writer, rows.chunks, write)
    writer.nest.row_scalars, writer.nest.temporaries = {}, frozenset()


def write_step(writer: KernelWriter, plan: StepPlan | RowLoop, inside_rows: bool = False) -> None:
    if isinstance(plan, RowLoop):
        _write_rows(writer, plan)
        return
    step, writer.memory, writer.schedule = plan.step, plan.memory, plan.schedule
    for location in plan.memory.values():
        if isinstance(location, StoreInto | StoreBoth):
            log_nest(writer, location.update)
    if isinstance(step, Nest):
        if any(isinstance(location, View) for location in plan.memory.values()):
            _write_row_view(writer, step.nodes[0])
        else:
            _write_nest(writer, step, plan, inside_rows)
    elif isinstance(step, LibraryCall):
        _write_call(writer, step.node)
    elif isinstance(step, Invoke):
        _write_invocation(writer, step, plan)
    else:
        with writer.allocating_before():
            if isinstance(step, Branch):
                _write_branch(writer, step, plan)
            else:
                _write_loop(writer, step, plan)
    note_origins(writer, step)


def note_origins(writer: KernelWriter, step: Step) -> None:
    """Note which variables hold the results of a step."""
    origins = writer.origins
    for node in nodes_of(step):
        for value in node.outputs:
            for names in (writer.nest.row_scalars, writer.names):
                if value in names:
                    origins.setdefault(str(names[value]), node)
            if value in writer.nest.accumulators:
                origins.setdefault(str(writer.nest.accumulators[value].name), node)


def _write_nest(writer: KernelWriter, nest: Nest, plan: StepPlan, inside_rows: bool) -> None:
    for node in nest.nodes:
        for value in (*node.inputs, node.output):
            writer.check(value, node)
    writer.nest.registers = {}
    if not nest.space.shape:
        write_scalars(writer, nest)
        return
    from .loop_nests import write_nest  # it loads reductions and parallel loops

    write_nest(writer, plan, inside_rows)


def _write_row_view(writer: KernelWriter, node: Node) -> None:
    """Rows of an array, or a part of one, without a copy: `x[i]`, `x[i, j]`, `x[i, 2:]`."""
    operand, *scalars = node.inputs
    rows = expanded(node.attrs["index"], len(dims(operand)))
    access = Access(writer, operand)
    accesses = [Access(writer, scalar) for scalar in scalars]
    indices: list[Any] = [
        access.picked(axis, row, accesses) for axis, row in enumerate(rows[: leading_numbers(node)])
    ]
    writer.write_hoisted()
    part = next(iter(rows[len(indices) :]), (None, None, None))
    if part != (None, None, None):
        start, stop, _ = slice(*part).indices(dims(operand)[len(indices)])
        indices.append(slice(start, max(start, stop)))
    view = writer.read(operand)[tuple(indices)] if indices else writer.read(operand)
    if part != (None, None, None):
        view = call("reshaped", view, dims(node.output))
    writer.let(writer.view_name(node.output), view)


def _write_call(writer: KernelWriter, node: Node) -> None:
    if node.op.name == "assert":
        _write_assertion(writer, node)
        return
    if node.op.always_raises:  # the plan then raises it
        writer.leave("raise", "AssertionError")
        return
    if node.op.is_constant:
        write_constant(writer, node)
        return
    for value in (*node.inputs, *node.outputs):
        writer.check(value, node)
    from .library_calls import form_of  # programs without such calls do not load their forms

    form = form_of(node)
    if form is None:
        reason = f"the operation '{node.op.name}' has no native form"
        if node.op.effect == WRITES:
            reason = f"'{node.op.name}' acts outside of the graph, as native code does not"
        raise NotNativeError(reason, node.where)
    form(writer, node)


def _write_assertion(writer: KernelWriter, node: Node) -> None:
    """A failure ends the kernel, perhaps after the loop; the plan then says what failed."""
    condition = node.inputs[0]
    writer.check(condition, node)
    test = writer.read(condition)
    if writer.holds is not None:
        writer.let(writer.holds, call("bool", writer.holds & test))
        return
    test = call("np.all", test) if condition.shape else test
    writer.fail_when(test.negated())


# ---- control flow ------------------------------------------------------------------------------


def _write_branch(writer: KernelWriter, step: Branch, plan: StepPlan) -> None:
    node, test = step.node, writer.read(step.node.inputs[0])
    for value in node.outputs:
        writer.check(value, node)
    arrays: list[Name] | None = None
    for index, key in enumerate(sides_in_order(node)):
        program, side = (step.then if key == "then" else step.orelse), plan.inner[key]
        is_then = test if key == "then" else test.negated()
        with writer.otherwise() if index else writer.when(is_then):
            bind(writer, program, node.inputs[1:])
            write_block(writer, side)
            if is_noreturn(node.attrs[key]) and not index:
                continue
            arrays = _pass_results(writer, node, program, side.results, arrays)
            if (node, key) in writer.choice_flags:
                writer.let(writer.choice_flags[node, key], True)


def _pass_results(
    writer: KernelWriter,
    node: Node,
    program: Program,
    results: dict[Value, Location],
    expected: list[Name] | None,
) -> list[Name]:
    """The outputs of an inner program become those of its node, in the arrays `expected` if there
    are some already. Returns the arrays.
    """
    left, right, own = [], [], []
    for target, value in zip(node.outputs, program.outputs, strict=True):
        if target in results:
            own.append(_moved(writer, target, value, results[target]))
        else:
            left.append(writer.name(target))
            right.append(writer.read(value))
    expected = own if expected is None else expected
    for target, array, other in zip(results, expected, own, strict=True):
        if may_grow(target) and array.id != other.id:  # each frees the memory that it grew out of
            raise NotNativeError("arrays that grow change places", node.where)
    for new, old in exchange([name.id for name in expected], [name.id for name in own]):
        left.append(Name(new))
        right.append(Name(old))
    if list(map(str, left)) != list(map(str, right)):
        writer.let(left, right)
    for target, name in zip(results, expected, strict=True):
        writer.names[target] = name
    return expected


def _moved(writer: KernelWriter, target: Value, value: Value, location: Location) -> Name:
    """The array with the elements of `value` for `target`: its own, or a copy, as planned."""
    is_grown = may_grow(target) and is_compatible(target.shape, value.shape)
    if buffer_type(value) != buffer_type(target) and not is_grown:
        raise NotNativeError(f"the shape of '{target.name}' is not the same on all paths")
    if isinstance(location, InBuffer):
        return writer.copied(target, location, writer.read(value))
    return writer.located(target, location)


def _write_loop(writer: KernelWriter, step: Loop, plan: StepPlan) -> None:
    node, carried, schedule = step.node, step.node.attrs["carried"], plan.schedule
    for value in (*node.inputs, *node.outputs):
        writer.check(value, node)
    for operand, inner in zip(node.inputs[:carried], step.body.inputs, strict=False):
        if operand.shape != inner.shape and inner not in writer.plan.stacks and not may_grow(inner):
            raise NotNativeError(f"the shape of '{operand.name}' changes in a loop", node.where)
    write_initial_state(writer, node, plan)
    sequential = partial(write_sequential, writer, step, plan)
    around, writer.in_vectors = writer.in_vectors, schedule is not None
    if isinstance(schedule, RegisterTiling):
        from .register_tiling import RegisterTiles

        RegisterTiles(writer, step, schedule).write()
    elif isinstance(schedule, ParallelIterations):
        from .parallel_iterations import ParallelLoop

        body = partial(write_block, writer, plan.inner["parallel"])
        ParallelLoop(writer, step, schedule).write(body, sequential)
    else:
        sequential()
    writer.in_vectors = around


def write_initial_state(writer: KernelWriter, node: Node, plan: StepPlan) -> None:
    """What goes into a loop becomes its results so far."""
    for result, value in zip(node.outputs, node.inputs, strict=False):
        if result in plan.memory:
            _moved(writer, result, value, plan.memory[result])
        else:
            writer.let(writer.name(result), writer.read(value))


def write_sequential(writer: KernelWriter, step: Loop, plan: StepPlan) -> None:
    """A loop whose iterations run one after another."""
    node, results, outside = step.node, plan.inner["body"].results, writer.expected_iterations
    around, carried, counter = writer.in_vectors, node.attrs["carried"], plan.counter
    writer.in_vectors = counter is not None and not carries_floats(node.attrs["body"], carried)
    arrays = [writer.read(value) for value in results]
    operands = [*node.outputs, *node.inputs[carried:]]
    ends_alone = counter is not None and ends_at_limit_alone(node)
    writer.expected_iterations = _limit(writer, counter) if counter and ends_alone else 0
    is_late = asserts_late(node, counter)
    if is_late:
        writer.holds = writer.new_variable()
        writer.let(writer.holds, True)
    with writer.while_loop(True) if counter is None else _counted(writer, counter, operands):
        if not ends_alone:
            bind(writer, step.test, operands)
            write_block(writer, plan.inner["test"])
            with writer.when(writer.read(step.test.outputs[0]).negated()):
                writer.leave("break")
        bind(writer, step.body, operands)
        write_block(writer, plan.inner["body"])
        _pass_results(writer, node, step.body, results, arrays)
    writer.expected_iterations, writer.in_vectors = outside, around
    if writer.holds is not None and is_late:
        writer.fail_when(writer.holds.negated())
        writer.holds = None


def _limit(writer: KernelWriter, counter: InductionVariable) -> Operand:
    return counter.limit if isinstance(counter.limit, int) else writer.read(counter.limit)


@contextlib.contextmanager
def _counted(
    writer: KernelWriter, counter: InductionVariable, operands: list[Value]
) -> Iterator[None]:
    """A loop over a range, whose trip count LLVM sees. In an iteration its variable is the counter,
    which `operands` holds between iterations.
    """
    name, ends = writer.new_variable(), [_limit(writer, counter)]
    if counter.start:
        ends.insert(0, cast("int", counter.start))
    is_cast = counter.dtype is not int64
    target = writer.unused("i") if is_cast else name
    with writer.loop(target, *ends):
        if is_cast:
            writer.let(name, writer.cast(target, counter.dtype))
        counted = Value(counter.dtype, (), name.id)
        writer.names[counted] = name
        operands[counter.position] = counted
        yield


def _write_invocation(writer: KernelWriter, step: Invoke, plan: StepPlan) -> None:
    bind(writer, step.program, step.node.inputs)
    write_block(writer, plan.inner["program"])
    for target, value in zip(step.node.outputs, step.program.outputs, strict=True):
        writer.alias(target, value)
