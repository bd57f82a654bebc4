"""The plan of a kernel, found by one walk over its steps: their schedules, and where the arrays
that they make live.

The native emitter writes a plan down and decides nothing of this itself. `program_printer` prints
it. A loop that is emitted in two versions, for threads and for one of them, has a plan for each.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ..core.shapes import size_of
from ..ir.extents import has_extents
from ..ir.graph import Node, Value, dims
from ..ir.node_properties import is_noreturn
from ..ir.trip_counts import ends_at_limit_alone, range_of
from .buffer_assignment import NOT_LOGGED, ROW, Memory, View, logged_inputs
from .cost_model import Target
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
    last_uses,
    nodes_of,
    producers_of,
    steps_inside,
    views_dead_before_write,
)
from .schedule import BlockPlan, Elided, KernelPlan, RowLoop, StepPlan, loop_schedule, on_one_thread
from .transposed_operands import with_transposed_operands

if TYPE_CHECKING:
    from .schedule import Schedule


def kernel_plan(program: Program, target: Target, is_inside: bool = False) -> KernelPlan:
    """The plan of a program for a processor. Steps without a native form have no schedule. What
    runs inside of a kernel makes its arrays itself.
    """
    planner = _Planner(program, target)
    planner.memory.in_region = is_inside
    block, memory = planner.block(program), planner.memory
    rows = [value for value in program.outputs if memory.views.get(value) is ROW]
    block = block._replace(results={value: memory.in_buffer(value) for value in rows})
    logged = logged_inputs(memory.arguments, memory.saved_blocks)
    return KernelPlan(block, memory.planned, memory.stacks, memory.arguments, logged)


class _Planner:
    """One walk over the steps in the order in which they run."""

    def __init__(self, program: Program, target: Target):
        self.target = target
        self.memory = Memory(program)
        self.producers: dict[Value, Node] = {}

    # ---- steps ---------------------------------------------------------------------------

    def block(self, program: Program) -> BlockPlan:
        self.producers |= producers_of(program)
        as_run = with_transposed_operands(program)
        steps = [step for step in as_run if step is not None]
        last_used, unused = last_uses(steps, program.inputs, program.outputs)
        self.memory.outlived |= views_dead_before_write(steps, last_used)
        self.memory.buffers.drop(*unused)
        items: list[StepPlan | RowLoop] = []
        start = 0
        while start < len(steps):
            self.memory.updates, self.memory.read_later = {}, set()
            end = start + rows_together(steps, start, self.memory.buffers)
            if end < len(steps) and end == start + 1:
                self.note_updates(steps[start], zip(steps[end:], last_used[end:], strict=True))
            group = list(zip(steps[start:end], last_used[start:end], strict=True))
            items.append(self.row_loop(group) if len(group) > 1 else self.step(*group[0]))
            start = end
        plans: Any = iter([plan for item in items for plan in getattr(item, "steps", (item,))])
        by_step = {
            step: Elided(nodes_of(step)[0].inputs[0]) if kept is None else next(plans)
            for step, kept in zip(program.steps, as_run, strict=True)
        }
        return BlockPlan(tuple(items), by_step, {})

    def note_updates(self, step: Step, following: Iterable[tuple[Step, set[Value]]]) -> None:
        """Let a nest write its results into parts of arrays that the next steps replace."""
        updates = self.memory.updates
        for later, last_used in following:
            update = update_after(step, later, last_used) if isinstance(step, Nest) else None
            if update is None or self.memory.views.get(update.inputs[0]):
                return
            is_other = len(update.inputs) == 2 and update.inputs[1] not in updates
            if updates and not is_other:  # whose index is checked first, or which is copied
                return
            if not self.memory.buffers.is_alone(update.inputs[0]):
                return
            updates[update.inputs[1]] = update
            self.memory.read_later |= {update.inputs[1]} - last_used

    def row_loop(self, group: list[tuple[Step, set[Value]]]) -> RowLoop:
        from .nest_schedule import parallel_chunks

        nests = [step for step, _ in group if isinstance(step, Nest)]
        count = dims(nests[0].space)[0]
        stores = [value for nest in nests for value in nest.stores]
        scalars = tuple(value for value in stores if size_of(value.shape) == count)
        temporaries = frozenset(value for _, dead in group for value in dead) & set(scalars)
        chunks = None if self.memory.in_region else parallel_chunks(nests, count)
        steps = tuple(self.step(step, dead, temporaries) for step, dead in group)
        return RowLoop(steps, count, chunks, scalars, temporaries)

    def step(
        self, step: Step, last_used: set[Value], temporaries: frozenset[Value] | None = None
    ) -> StepPlan:
        """The plan of a step after which `last_used` are not read; `temporaries` in a row loop."""
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
        self.memory.buffers.drop(*last_used)
        return plan

    # ---- nests ---------------------------------------------------------------------------

    def nest(
        self, nest: Nest, last_used: set[Value], temporaries: frozenset[Value] | None
    ) -> StepPlan:
        if not is_numeric(nest) or not nest.space.shape:
            return StepPlan(nest)
        if temporaries is None and self.memory.is_row_view(nest):
            (node,) = nest.nodes
            self.memory.buffers.share(node.output, node.inputs[0])
            self.memory.views[node.output] = ROW
            return StepPlan(nest, None, {node.output: View(node.inputs[0])})
        from .nest_schedule import nest_schedule  # which loops over scalars do without

        updates = self.memory.updates.keys() & set(nest.stores)
        schedule = nest_schedule(nest, temporaries is not None, not updates)
        if self.memory.in_region:
            schedule = on_one_thread(schedule)
        stored = [
            value for value in nest.stores if value.shape and value not in (temporaries or ())
        ]
        memory = {value: self.memory.stored(value, nest, last_used) for value in stored}
        return StepPlan(nest, schedule, memory)

    # ---- calls ---------------------------------------------------------------------------

    def call(self, step: LibraryCall, last_used: set[Value]) -> StepPlan:
        node = step.node
        if node.op.is_constant:
            return StepPlan(step)
        memory = {
            value: self.memory.result_of(node, value, last_used)
            for value in filter(self.memory.is_array, node.outputs)
        }
        if node.op.name != "matmul" or not is_numeric(step):
            return StepPlan(step, None, memory)
        from .matmul_schedule import product_schedule

        schedule = product_schedule(node, self.target)
        if self.memory.in_region and schedule.blocks is not None:
            schedule = schedule._replace(blocks=on_one_thread(schedule.blocks))
        return StepPlan(step, schedule, memory)

    # ---- control flow --------------------------------------------------------------------

    def branch(self, step: Branch, last_used: set[Value]) -> StepPlan:
        node, start, expected = step.node, self.memory.buffers.state(), None
        inner: dict[str, BlockPlan] = {}
        for key in sides_in_order(node):
            self.memory.buffers.restore(start)
            program = step.then if key == "then" else step.orelse
            self.memory.bind(program, node.inputs[1:], last_used)
            inner[key] = self.block(program)
            if len(inner) == 1 and is_noreturn(node.attrs[key]):
                continue
            results, expected = self.memory.pass_results(node.outputs, program.outputs, expected)
            inner[key] = inner[key]._replace(results=results)
        return StepPlan(step, None, {}, inner)

    def loop(self, step: Loop, last_used: set[Value]) -> StepPlan:
        schedule, counter = self.loop_schedule(step), range_of(step.node, self.producers)
        memory = self.memory.initial_state(step.node, last_used)
        for result in memory if schedule is not None else ():
            self.memory.saved_blocks[self.memory.buffers.buffer_of[result]] = NOT_LOGGED
        inner: dict[str, BlockPlan] = {}
        if isinstance(schedule, ParallelIterations):
            inner["parallel"] = self.parallel_body(step)
        if schedule is None or getattr(schedule, "has_two_versions", False):
            outside = self.memory.iterations
            count = counter.trip_count if counter and ends_at_limit_alone(step.node) else None
            self.memory.iterations = outside * (count or 1)
            inner |= self.sequential(step)
            self.memory.iterations = outside
        return StepPlan(step, schedule, memory, inner, counter)

    def loop_schedule(self, step: Loop) -> Schedule | None:
        if not all(map(is_numeric, (step, *steps_inside(step)))):
            return None
        if any(map(_has_extents, steps_inside(step))):
            return None
        schedule = loop_schedule(step, self.producers, self.target)
        if not self.memory.in_region or schedule is None:
            return schedule
        return None if isinstance(schedule, ParallelIterations) else on_one_thread(schedule)

    def sequential(self, step: Loop) -> dict[str, BlockPlan]:
        """A loop whose iterations run one after another."""
        node, outputs = step.node, step.node.outputs
        pairs = zip(outputs, step.body.outputs, strict=True)
        rows = [row for row in pairs if self.memory.is_array(row[0])]
        expected = [self.memory.buffers.buffer_of[value] for value, _ in rows]
        operands = [*outputs, *node.inputs[node.attrs["carried"] :]]
        self.memory.bind(step.test, operands, ())
        test = self.block(step.test)
        self.memory.preferred.update(zip((new for _, new in rows), expected, strict=True))
        self.memory.bind(step.body, operands, outputs)
        body = self.block(step.body)
        passed, _ = self.memory.pass_results(outputs, step.body.outputs, expected)
        return {"test": test, "body": body._replace(results=passed)}

    def parallel_body(self, step: Loop) -> BlockPlan:
        """The body as one thread runs it, which may overwrite the results of the loop and makes
        other buffers for itself.
        """
        node, memory, outer = step.node, self.memory, self.memory.buffers
        memory.buffers, memory.in_region = outer.of(node.outputs), True
        operands = [*node.outputs, *node.inputs[node.attrs["carried"] :]]
        memory.bind(step.body, operands, node.outputs)
        block = self.block(step.body)
        memory.buffers, memory.in_region = outer, False
        return block

    def invoke(self, step: Invoke) -> StepPlan:
        self.memory.bind(step.program, step.node.inputs, ())
        block = self.block(step.program)
        for target, value in zip(step.node.outputs, step.program.outputs, strict=True):
            self.memory.alias(target, value)
        self.memory.buffers.drop(*step.program.outputs)
        return StepPlan(step, None, {}, {"program": block})


# ---- facts -------------------------------------------------------------------------------------


def sides_in_order(branch: Node) -> list[str]:
    """The sides of a branch in the order in which they are emitted: one that raises comes first."""
    return sorted(("then", "orelse"), key=lambda key: not is_noreturn(branch.attrs[key]))


def _has_extents(step: Step) -> bool:
    """Whether a step makes or reads arrays whose sizes are computed."""
    values = (value for node in nodes_of(step) for value in (*node.inputs, *node.outputs))
    return any(has_extents(value.shape) for value in values)
