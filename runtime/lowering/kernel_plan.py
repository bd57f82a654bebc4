"""The plan of a kernel, found by one walk over its steps: their schedules, and where the arrays
that they make live.

The native emitter writes a plan down and decides nothing of this itself. `program_printer` prints
it. A loop that is emitted in two versions, for threads and for one of them, has a plan for each.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import TYPE_CHECKING

from ..core.array_pool import is_large
from ..core.shapes import is_static, size_of
from ..ir.extents import has_extents
from ..ir.graph import Node, Value, dims
from ..ir.node_properties import has_slow_path, is_noreturn
from ..ir.trip_counts import known_iterations, range_of
from .buffer_assignment import (
    ARGUMENT,
    CALLER,
    KERNEL,
    NOT_LOGGED,
    THREAD,
    Buffers,
    InBuffer,
    Location,
    PlannedBuffer,
    ReuseOperand,
    StoreBoth,
    StoreInto,
    View,
    buffer_type,
    is_contiguous,
    logged_inputs,
    may_grow,
    saved_blocks,
    stacks_of,
    views_dead_before_write,
)
from .fuse_rows import rows_together, update_after
from .independent_iterations import ParallelIterations
from .program import (
    Branch,
    Invoke,
    LibraryCall,
    Loop,
    Nest,
    Program,
    Step,
    is_numeric,
    is_read_in_order,
    last_uses,
    nodes_of,
    producers_of,
    steps_inside,
)
from .schedule import BlockPlan, Elided, KernelPlan, RowLoop, StepPlan, loop_schedule
from .target import Target
from .transposed_operands import with_transposed_operands

if TYPE_CHECKING:
    from .schedule import Schedule


def kernel_plan(program: Program, target: Target) -> KernelPlan:
    """The plan of a program for a processor. Steps without a native form have no schedule."""
    planner = _Planner(program, target)
    for value, output in program.donated:
        planner.donate(value, output)
    block = planner.block(program)
    rows = [value for value in program.outputs if planner.views.get(value) is ROW]
    block = block.with_results({value: planner.in_buffer(value) for value in rows})
    logged = logged_inputs(planner.arguments, planner.saved_blocks)
    return KernelPlan(block, planner.planned, planner.stacks, planner.arguments, logged)


# Values that have a variable of their own beside that of their buffer.
ROW, RESHAPED = "row", "reshaped"


class _Planner:
    """One walk over the steps in the order in which they run; `buffers` are those at this point."""

    def __init__(self, program: Program, target: Target):
        self.target = target
        self.stacks = stacks_of(program)
        self.returned = {_size_class(value) for value in program.outputs if is_static(value.shape)}
        self.buffers = Buffers()
        self.planned: dict[int, PlannedBuffer] = {}
        self.preferred: dict[Value, int] = {}  # the buffer that a result had best be written to
        self.views: dict[Value, str | None] = {}
        self.producers: dict[Value, Node] = {}
        self.updates: dict[Value, Node] = {}  # by the value that the next nest writes into
        self.read_later: set[Value] = set()  # of these, those that need an array as well
        self.arguments: dict[int, Value] = {}  # the buffers that are donated inputs
        self.saved_blocks: dict[int, float] = defaultdict(float)  # of undo logs, at most, by buffer
        self.outlived: set[Value] = set()  # slices that are not read when their operand changes
        self.iterations = 1  # of the loops around a step, as far as known
        self.in_region = False

    def donate(self, value: Value, output: Value) -> None:
        """The memory of an input is a buffer like others, and the best one for an output."""
        if not self.is_array(value):
            return
        number = len(self.planned) + 1
        self.planned[number] = PlannedBuffer(buffer_type(value), ARGUMENT)
        self.buffers.add(number, buffer_type(value))
        self.buffers.assign(value, number)
        self.arguments[number] = value
        self.preferred[output] = number

    def is_array(self, value: Value) -> bool:
        """Whether a value needs a buffer."""
        if value in self.stacks:
            return False
        return bool(value.shape) and (is_static(value.shape) or may_grow(value))

    # ---- memory --------------------------------------------------------------------------

    def in_buffer(self, value: Value) -> InBuffer:
        """Memory for `value`: a free buffer of its type, or a new one."""
        wanted = buffer_type(value)
        number = self.buffers.free(wanted, self.preferred.get(value))
        if number is None:
            number = len(self.planned) + 1
            is_callers = is_large(wanted) or _size_class(value) in self.returned
            owner = THREAD if self.in_region else CALLER if is_callers else KERNEL
            self.planned[number] = PlannedBuffer(wanted, owner)
            self.buffers.add(number, wanted)
        self.assign(value, number)
        self.saved_blocks[number] = NOT_LOGGED
        return InBuffer(number)

    def assign(self, value: Value, number: int) -> None:
        """`value` is the whole content of a buffer."""
        self.views.pop(value, None)  # which it may be in another version of a loop
        self.buffers.assign(value, number)

    def alias(self, value: Value, other: Value) -> None:
        """`value` is another name for the elements of `other`."""
        self.views[value] = self.views.get(other)
        self.buffers.share(value, other)

    def over(self, value: Value, operand: Value, by: Node | None = None) -> ReuseOperand:
        """The memory of an operand, which a library call, or a nest, overwrites."""
        is_logged = by is not None and self.views.get(operand) != ROW and not self.in_region
        blocks = saved_blocks(by) * self.iterations if by and is_logged else NOT_LOGGED
        self.saved_blocks[self.buffers.buffer_of[operand]] += blocks
        self.alias(value, operand)
        return ReuseOperand(operand)

    def moved(self, target: Value, value: Value) -> Location:
        """Where `target` gets the elements of `value`: in its buffer if that is free to go."""
        number = self.buffers.buffer_of.get(value)
        is_whole = self.buffers.is_alone(value) and not self.views.get(value)
        if number is None or not is_whole:
            return self.in_buffer(target)
        if self.buffers.types[number] == buffer_type(target):
            self.buffers.drop(value)
            self.assign(target, number)
            return ReuseOperand(value)
        return self.in_buffer(target)

    def bind(self, program: Program, operands: Iterable[Value], last_used: Iterable[Value]) -> None:
        """The inputs of an inner program are variables of this one; what dies is theirs."""
        operands = list(operands)
        for inner, value in zip(program.inputs, operands, strict=True):
            self.alias(inner, value)
        for value in operands:
            if value in last_used:
                self.buffers.drop(value)

    def pass_results(
        self, targets: tuple[Value, ...], sources: tuple[Value, ...], expected: list[int] | None
    ) -> tuple[dict[Value, Location], list[int]]:
        """Where results of an inner program become values of this one; the buffers that they are
        in afterwards are those `expected`, if there are some already.
        """
        rows = [row for row in zip(targets, sources, strict=True) if self.is_array(row[0])]
        results = {target: self.moved(target, value) for target, value in rows}
        own = [self.buffers.buffer_of[target] for target, _ in rows]
        for value in (*sources, *results):
            self.buffers.drop(value)
        expected = own if expected is None else expected
        for (target, _), number, before in zip(rows, expected, own, strict=True):
            self.assign(target, number)
            if number != before:  # variables are exchanged, and hold the memory of others
                self.saved_blocks[number] = self.saved_blocks[before] = NOT_LOGGED
        return results, expected

    # ---- steps ---------------------------------------------------------------------------

    def block(self, program: Program) -> BlockPlan:
        self.producers |= producers_of(program)
        as_run = with_transposed_operands(program)
        steps = [step for step in as_run if step is not None]
        last_used, unused = last_uses(program, steps)
        self.outlived |= views_dead_before_write(steps, last_used)
        for value in unused:
            self.buffers.drop(value)
        items: list[StepPlan | RowLoop] = []
        start = 0
        while start < len(steps):
            self.updates = {}
            end = start + rows_together(steps, start, self.buffers)
            if end < len(steps) and end == start + 1:
                self.note_update(steps[start], steps[end], last_used[end])
            group = list(zip(steps[start:end], last_used[start:end], strict=True))
            items.append(self.row_loop(group) if len(group) > 1 else self.step(*group[0]))
            start = end
        plans = iter([plan for item in items for plan in _plans_in(item)])
        by_step = {
            step: Elided(nodes_of(step)[0].inputs[0]) if kept is None else next(plans)
            for step, kept in zip(program.steps, as_run, strict=True)
        }
        return BlockPlan(tuple(items), by_step, {})

    def note_update(self, step: Step, following: Step, last_used: set[Value]) -> None:
        """Let a nest write its result into the part of an array that the next step replaces."""
        update = update_after(step, following, last_used) if isinstance(step, Nest) else None
        if update is None or self.views.get(update.inputs[0]):
            return
        if self.buffers.is_alone(update.inputs[0]):
            self.updates[update.inputs[1]] = update
            self.read_later = {update.inputs[1]} - last_used

    def row_loop(self, group: list[tuple[Step, set[Value]]]) -> RowLoop:
        from .nest_schedule import parallel_chunks

        nests = [step for step, _ in group if isinstance(step, Nest)]
        count = dims(nests[0].space)[0]
        stores = [value for nest in nests for value in nest.stores]
        scalars = tuple(value for value in stores if size_of(value.shape) == count)
        temporaries = frozenset(value for _, dead in group for value in dead) & set(scalars)
        chunks = None if self.in_region else parallel_chunks(nests, count)
        steps = tuple(self.step(step, dead, temporaries) for step, dead in group)
        return RowLoop(steps, count, chunks, scalars, temporaries)

    def step(
        self, step: Step, last_used: set[Value], temporaries: frozenset[Value] | None = None
    ) -> StepPlan:
        """The plan of a step after which `dying` are not read; `temporaries` in a row loop."""
        if isinstance(step, Nest):
            plan = self.nest(step, last_used, temporaries)
        elif isinstance(step, LibraryCall):
            plan = self.call(step, last_used)
        elif isinstance(step, Branch):
            plan = self.branch(step, last_used)
        elif isinstance(step, Loop):
            plan = self.loop(step, last_used)
        else:
            plan = self.invoke(step)
        for value in last_used:
            self.buffers.drop(value)
        return plan

    # ---- nests ---------------------------------------------------------------------------

    def nest(
        self, nest: Nest, last_used: set[Value], temporaries: frozenset[Value] | None
    ) -> StepPlan:
        if not is_numeric(nest) or not nest.space.shape:
            return StepPlan(nest)
        if temporaries is None and self.is_row_view(nest):
            (node,) = nest.nodes
            self.buffers.share(node.output, node.inputs[0])
            self.views[node.output] = ROW
            return StepPlan(nest, None, {node.output: View(node.inputs[0])})
        from .nest_schedule import nest_schedule  # which loops over scalars do without

        updates = self.updates.keys() & set(nest.stores)
        schedule = nest_schedule(nest, temporaries is not None, not updates)
        if self.in_region:
            schedule = schedule.on_one_thread()
        stored = [
            value for value in nest.stores if value.shape and value not in (temporaries or ())
        ]
        memory = {value: self.stored(value, nest, last_used) for value in stored}
        return StepPlan(nest, schedule, memory)

    def is_row_view(self, nest: Nest) -> bool:
        """Rows of an array that nobody here will overwrite need no copy: `x[i]`, `x[i, 2:]`."""
        node, *more = nest.nodes
        if more or node.op.name != "strided_slice" or not node.output.shape:
            return False
        is_kept = not self.buffers.is_alone(node.inputs[0]) or node.output in self.outlived
        return is_contiguous(node) and is_kept

    def stored(self, value: Value, nest: Nest, last_used: set[Value]) -> Location:
        """The memory of a stored result."""
        if value not in self.updates:
            return self.own_memory(value, nest, last_used)
        update = self.updates[value]
        if value not in self.read_later:
            return StoreInto(update)
        return StoreBoth(self.own_memory(value, nest, last_used), update)

    def own_memory(
        self, value: Value, nest: Nest, last_used: set[Value]
    ) -> InBuffer | ReuseOperand:
        """That of an operand which dies here, or a free buffer."""
        operands = dict.fromkeys(operand for node in nest.nodes for operand in node.inputs)
        fitting = [
            operand
            for operand in operands
            if operand.dtype is value.dtype
            and operand.shape == value.shape == nest.space.shape
            and operand in last_used
            and self.buffers.is_alone(operand)
            and is_read_in_order(operand, nest)
        ]
        if not fitting or any(map(has_slow_path, nest.nodes)):  # which are perhaps read again
            return self.in_buffer(value)
        preferred = self.preferred.get(value)
        claimed = {self.preferred.get(other) for other in nest.stores} - {preferred}
        holders = {self.buffers.buffer_of[operand]: operand for operand in reversed(fitting)}
        if preferred in holders:
            return self.over(value, holders[preferred])
        free = [operand for number, operand in holders.items() if number not in claimed]
        return self.over(value, (free or fitting)[-1])

    # ---- calls ---------------------------------------------------------------------------

    def call(self, step: LibraryCall, last_used: set[Value]) -> StepPlan:
        node = step.node
        if node.op.is_constant:
            return StepPlan(step)
        memory = {
            value: self.result_of(node, value, last_used)
            for value in filter(self.is_array, node.outputs)
        }
        if node.op.name != "matmul" or not is_numeric(step):
            return StepPlan(step, None, memory)
        from .matmul_schedule import product_schedule

        schedule = product_schedule(node, self.target)
        return StepPlan(step, schedule.on_one_thread() if self.in_region else schedule, memory)

    def result_of(self, node: Node, value: Value, last_used: set[Value]) -> Location:
        """Where a result of a library call lives."""
        operand = node.inputs[0] if node.inputs else None
        if operand is None or not operand.shape or node.op.native_result == "new":
            return self.in_buffer(value)
        if node.op.native_result == "view":
            is_stack = operand in self.stacks or node.op.saves_for_backward
            if may_grow(operand) and not is_stack:
                return self.rows_of(value, operand, last_used)
            if self.is_reshaped_back(value, operand):
                number = self.buffers.buffer_of[operand]
                self.assign(value, number)
                return InBuffer(number)
            self.alias(value, operand)
            if value.shape != operand.shape:
                self.views[value] = self.views[value] or RESHAPED
            if is_stack:
                self.views[value] = ROW
            return View(operand)
        is_read_too = operand in node.inputs[1:]  # while it changes, as in `a[::-1] = a`
        is_read_too |= may_grow(value) and not may_grow(operand)  # into memory that may get longer
        if operand in last_used and self.buffers.is_alone(operand) and not is_read_too:
            return self.over(value, operand, node)
        return self.in_buffer(value)

    def is_reshaped_back(self, value: Value, operand: Value) -> bool:
        """Whether a view of reshaped elements has the shape that these have in their buffer."""
        number = self.buffers.buffer_of.get(operand, -1)
        is_reshaped = self.views.get(operand) is RESHAPED
        return is_reshaped and self.buffers.types.get(number) == buffer_type(value)

    def rows_of(self, value: Value, operand: Value, last_used: set[Value]) -> Location:
        """Where rows of an array that grows live: one in an array of its own, several in place."""
        if not may_grow(value):
            return self.in_buffer(value)
        if operand in last_used and self.buffers.is_alone(operand):
            return self.over(value, operand)
        self.alias(value, operand)
        self.views[value] = ROW
        return View(operand)

    # ---- control flow --------------------------------------------------------------------

    def branch(self, step: Branch, last_used: set[Value]) -> StepPlan:
        node, start, expected = step.node, self.buffers.state(), None
        inner: dict[str, BlockPlan] = {}
        for key in sides_in_order(node):
            self.buffers.restore(start)
            program = step.then if key == "then" else step.orelse
            self.bind(program, node.inputs[1:], last_used)
            inner[key] = self.block(program)
            if len(inner) == 1 and is_noreturn(node.attrs[key]):
                continue
            results, expected = self.pass_results(node.outputs, program.outputs, expected)
            inner[key] = inner[key].with_results(results)
        return StepPlan(step, None, {}, inner)

    def loop(self, step: Loop, last_used: set[Value]) -> StepPlan:
        schedule, counter = self.loop_schedule(step), range_of(step.node, self.producers)
        memory = self.initial_state(step.node, last_used)
        for result in memory if schedule is not None else ():
            self.saved_blocks[self.buffers.buffer_of[result]] = NOT_LOGGED
        inner: dict[str, BlockPlan] = {}
        if isinstance(schedule, ParallelIterations):
            inner["parallel"] = self.parallel_body(step)
        if schedule is None or (
            isinstance(schedule, ParallelIterations) and schedule.has_two_versions
        ):
            outside, self.iterations = (
                self.iterations,
                self.iterations * known_iterations(step.node, counter),
            )
            inner |= self.sequential(step)
            self.iterations = outside
        return StepPlan(step, schedule, memory, inner, counter)

    def loop_schedule(self, step: Loop) -> Schedule | None:
        if not all(map(is_numeric, (step, *steps_inside(step)))):
            return None
        if any(map(_has_extents, steps_inside(step))):
            return None
        schedule = loop_schedule(step, self.producers, self.target)
        if not self.in_region or schedule is None:
            return schedule
        return None if isinstance(schedule, ParallelIterations) else schedule.on_one_thread()

    def initial_state(self, node: Node, last_used: set[Value]) -> dict[Value, Location]:
        """Where the results of a loop are before its first iteration."""
        memory: dict[Value, Location] = {}
        kept: list[Value | None] = list(node.inputs)
        for index, (result, value) in enumerate(zip(node.outputs, node.inputs, strict=False)):
            if self.is_array(result):
                is_last = value in last_used and kept.count(value) == 1
                memory[result] = self.moved(result, value) if is_last else self.in_buffer(result)
            kept[index] = None
        return memory

    def sequential(self, step: Loop) -> dict[str, BlockPlan]:
        """A loop whose iterations run one after another."""
        node, outputs = step.node, step.node.outputs
        is_held = [self.is_array(value) for value in outputs]
        expected = [
            self.buffers.buffer_of[value]
            for value, held in zip(outputs, is_held, strict=True)
            if held
        ]
        operands = [*outputs, *node.inputs[node.attrs["carried"] :]]
        self.bind(step.test, operands, ())
        test = self.block(step.test)
        results = [value for value, held in zip(step.body.outputs, is_held, strict=True) if held]
        self.preferred.update(zip(results, expected, strict=True))
        self.bind(step.body, operands, outputs)
        body = self.block(step.body)
        passed, _ = self.pass_results(outputs, step.body.outputs, expected)
        return {"test": test, "body": body.with_results(passed)}

    def parallel_body(self, step: Loop) -> BlockPlan:
        """The body as one thread runs it, which may overwrite the results of the loop and makes
        other buffers for itself.
        """
        node, outer = step.node, self.buffers
        self.buffers, self.in_region = outer.of(node.outputs), True
        operands = [*node.outputs, *node.inputs[node.attrs["carried"] :]]
        self.bind(step.body, operands, node.outputs)
        block = self.block(step.body)
        self.buffers, self.in_region = outer, False
        return block

    def invoke(self, step: Invoke) -> StepPlan:
        self.bind(step.program, step.node.inputs, ())
        block = self.block(step.program)
        for target, value in zip(step.node.outputs, step.program.outputs, strict=True):
            self.alias(target, value)
        for value in step.program.outputs:
            self.buffers.drop(value)
        return StepPlan(step, None, {}, {"program": block})


# ---- facts -------------------------------------------------------------------------------------


def sides_in_order(branch: Node) -> list[str]:
    """The sides of a branch in the order in which they are emitted: one that raises comes first."""
    return sorted(("then", "orelse"), key=lambda key: not is_noreturn(branch.attrs[key]))


def _plans_in(item: StepPlan | RowLoop) -> tuple[StepPlan, ...]:
    return item.steps if isinstance(item, RowLoop) else (item,)


def _size_class(value: Value) -> tuple[str, int | None]:
    """Types of arrays that may be parts of the same memory."""
    return value.dtype.numpy_dtype.name, size_of(value.shape)


def _has_extents(step: Step) -> bool:
    """Whether a step makes or reads arrays whose sizes are computed."""
    values = (value for node in nodes_of(step) for value in (*node.inputs, *node.outputs))
    return any(has_extents(value.shape) for value in values)
