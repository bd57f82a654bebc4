"""The text form of programs: steps in order, what is fused, and the plan of native code: the
schedule of a step, and where the arrays live that it makes.

program f(x: float32[2000,1000]) -> (exp):
  1 nest over [2000,1000], stores exp:
      schedule: one loop over all elements, parallel: 11 chunks of 181824
      exp: float32[2000,1000] = exp(x)
"""

from __future__ import annotations

from ..core.shapes import dimensions
from ..ir.callee import Callee
from ..ir.graph import Node, Value
from ..ir.graph_printer import show_attribute
from .buffer_assignment import KERNEL, InBuffer, Location, ReuseOperand, StoreBoth, StoreInto
from .cost_model import Chunks, Target
from .elementwise_loops import RegisterTiling
from .independent_iterations import ParallelIterations
from .kernel_plan import kernel_plan
from .loop_distribution import Distribution
from .matmul_schedule import LibraryBlocks, ProductSchedule, Tiling, VectorProduct
from .nest_schedule import NestSchedule
from .program import Branch, Invoke, Loop, Nest, Program, Step
from .row_blocking import RowGroup, blocked_steps
from .schedule import BlockPlan, Elided, KernelPlan, RowLoop, StepPlan


def printed(program: Program, target: Target | None = None) -> str:
    """The text of a program and of the programs inside it, with its plan for a processor."""
    plan = kernel_plan(program, target or Target())
    title = f"program {program.name}({_specs(program.inputs)}) -> ({_names(program.outputs)}):"
    return "\n".join([title, *_Printer(plan).block(program, plan.block, "  ")]) + "\n"


class _Printer:
    """Prints the blocks of one program."""

    def __init__(self, plan: KernelPlan):
        self.plan = plan

    def block(self, program: Program, plan: BlockPlan | None, margin: str) -> list[str]:
        """The lines of a block; without a plan where it is not run step by step."""
        lines = []
        row_loops = {} if plan is None else _row_loops(plan)
        row_groups = _row_groups(program)
        for index, step in enumerate(program.steps):
            own = None if plan is None else plan.by_step[step]
            inner = own.inner if isinstance(own, StepPlan) else {}
            first, *more = self.step(step, program, inner)
            lines.append(f"{margin}{index + 1} {first}")
            if plan is not None and own in row_loops:
                lines.append(f"{margin}    {_rows(row_loops[own], program, plan)}")
            if index in row_groups:
                lines.append(f"{margin}    {_blocks(row_groups[index], index)}")
            lines += [f"{margin}    {line}" for line in (*self.planned(step, own), *more)]
            freed = _freed(program, index)
            if freed:
                lines.append(f"{margin}    free {', '.join(freed)}")
        if plan is not None and plan.results:
            lines.append(f"{margin}memory: {self.memory(plan.results)}")
        return lines

    def step(self, step: Step, program: Program, inner: dict[str, BlockPlan]) -> list[str]:
        if isinstance(step, Nest):
            stored = f"stores {_names(step.stores)}" if step.stores else "stores nothing"
            calls = [_call(node, program) for node in step.nodes]
            return [f"nest over [{dimensions(step.space.shape)}], {stored}:", *calls]
        node = step.node
        if isinstance(step, Branch):
            head = f"branch on {node.inputs[0].name} -> ({_specs(node.outputs)}):"
            sides = self.inner("then", step.then, inner), self.inner("else", step.orelse, inner)
            return [head, *sides[0], *sides[1]]
        if isinstance(step, Loop):
            carried = _names(node.inputs[: node.attrs["carried"]])
            head = f"loop ({carried}) -> ({_specs(node.outputs)}):"
            blocks = self.inner("test", step.test, inner), self.inner("body", step.body, inner)
            return [head, *blocks[0], *blocks[1]]
        if isinstance(step, Invoke):
            return [f"invoke {step.program.name}: {_call(node, program)}"]
        return [f"call {_call(node, program)}"]

    def inner(self, title: str, program: Program, plans: dict[str, BlockPlan]) -> list[str]:
        """A program inside a step: a parallel loop as threads run it."""
        keys = {"else": ("orelse",), "body": ("parallel", "body")}.get(title, (title,))
        plan = next((plans[key] for key in keys if key in plans), None)
        head = f"{title} ({_names(program.inputs)}) -> ({_names(program.outputs)}):"
        return [head, *self.block(program, plan, "  ")]

    def planned(self, step: Step, plan: StepPlan | Elided | None) -> list[str]:
        """The lines of the schedule of a step, and of its memory."""
        if isinstance(plan, Elided):
            return [f"schedule: not made: products read {plan.source.name}"]
        if plan is None:
            return []
        words = _schedule(step, plan)
        lines = [f"schedule: {', '.join(words)}"] if words else []
        return lines + ([f"memory: {self.memory(plan.memory)}"] if plan.memory else [])

    def memory(self, locations: dict[Value, Location]) -> str:
        rows = locations.items()
        return ", ".join(f"{value.name} {self.location(location)}" for value, location in rows)

    def location(self, location: Location) -> str:
        if isinstance(location, InBuffer):
            owner = self.plan.buffers[location.number].owner
            return f"in {'' if owner == KERNEL else f'{owner} '}buffer {location.number}"
        if isinstance(location, ReuseOperand):
            return f"over {location.operand.name}"
        if isinstance(location, StoreBoth):
            part = location.update.inputs[0].name
            return f"{self.location(location.own)} and in a part of {part}"
        if isinstance(location, StoreInto):
            return f"in a part of {location.update.inputs[0].name}"
        return f"is a view of {location.operand.name}"


def _freed(program: Program, index: int) -> list[str]:
    """The arrays in memory that no step after this one reads."""
    step = program.steps[index]
    dead = program.dies[index] if index < len(program.dies) else frozenset()
    if isinstance(step, Nest):
        dead -= {node.output for node in step.nodes} - set(step.stores)
    return sorted(value.name for value in dead if value.shape != ())


def _call(node: Node, program: Program) -> str:
    attrs = [
        f" {key}={f'&{value.name}' if isinstance(value, Callee) else show_attribute(value)}"
        for key, value in node.attrs.items()
        if key not in node.subgraphs
    ]
    over = [program.reuse[value].name for value in node.outputs if value in program.reuse]
    results = f"{_specs(node.outputs)} = " if node.outputs else ""
    target = f" over {', '.join(over)}" if over else ""
    return f"{results}{node.op.name}({_names(node.inputs)}){''.join(attrs)}{target}"


def _specs(values: tuple[Value, ...]) -> str:
    return ", ".join(map(repr, values))


def _names(values: tuple[Value, ...]) -> str:
    return ", ".join(value.name for value in values)


# ---- schedules ---------------------------------------------------------------------------------


def _row_loops(plan: BlockPlan) -> dict[StepPlan | Elided | None, RowLoop]:
    """The row loops of a block, each by the plan of its first step."""
    return {item.steps[0]: item for item in plan.items if isinstance(item, RowLoop)}


def _row_groups(program: Program) -> dict[int, RowGroup]:
    """The steps that the NumPy program does block by block, by the index of the first."""
    groups, index = {}, 0
    for item in blocked_steps(program, ()):
        if isinstance(item, RowGroup):
            groups[index] = item
        index += len(item.steps) if isinstance(item, RowGroup) else 1
    return groups


def _blocks(group: RowGroup, index: int) -> str:
    """The line of the row blocks of the NumPy program."""
    length = group.blocks[0].stop - group.blocks[0].start
    steps = _step_numbers(index + 1, index + len(group.steps))
    return f"NumPy: {steps} in {len(group.blocks)} blocks of {length} rows"


def _step_numbers(first: int, last: int) -> str:
    return f"step {first}" if first == last else f"steps {first} to {last}"


def _rows(rows: RowLoop, program: Program, plan: BlockPlan) -> str:
    """The line of a row loop."""
    plans = [plan.by_step[step] for step in program.steps]
    first, last = (plans.index(rows.steps[end]) + 1 for end in (0, -1))
    words = [f"{_step_numbers(first, last)} in one loop over {rows.trip_count} rows"]
    words += _chunks(rows.chunks)
    if rows.temporaries:
        kept = [value.name for value in rows.scalars if value in rows.temporaries]
        words.append(f"{' and '.join(kept)} not stored")
    return f"rows: {', '.join(words)}"


def _schedule(step: Step, plan: StepPlan) -> list[str]:
    """What a schedule says, as words; none if the step runs as it stands."""
    schedule = plan.schedule
    if isinstance(schedule, NestSchedule):
        return _nest(schedule)
    if isinstance(schedule, RegisterTiling):
        return _tiling(schedule)
    if isinstance(schedule, ParallelIterations) and isinstance(step, Loop):
        return _iterations(step, schedule)
    return _product(schedule) if isinstance(schedule, ProductSchedule) else []


def _chunks(chunks: Chunks | None) -> list[str]:
    if chunks is None:
        return []
    return [f"parallel: {chunks.number} chunks of {chunks.length}"]


def _nest(schedule: NestSchedule) -> list[str]:
    words = ["one loop over all elements"] if schedule.is_flat else []
    if schedule.by_columns:
        words.append("by columns")
        if schedule.tile is not None:
            axis, length = schedule.tile
            of_axis = "" if axis == schedule.kept[-1] else f" of axis {axis}"
            words[-1] += f", {length}{of_axis} at a time"
    chunks = _chunks(schedule.chunks)
    if schedule.has_partials:
        chunks.append("partial results")
    if schedule.shares_columns:
        chunks.append("of the columns")
    if schedule.distribution is not None:
        chunks += _distribution(schedule.distribution)
    return words + chunks


def _distribution(distribution: Distribution) -> list[str]:
    names = " and ".join(value.name for value in distribution.handed_on)
    loops = f"distributed over {len(distribution.loops)} loops in blocks of {distribution.block}"
    return [f"{loops}, which hand on {names}"]


def _tiling(schedule: RegisterTiling) -> list[str]:
    words = [f"register tiles of {schedule.width} elements"]
    words += ["each until it stops changing"] if schedule.stops_early else []
    return words + _chunks(schedule.chunks)


def _iterations(step: Loop, schedule: ParallelIterations) -> list[str]:
    words = ["parallel iterations"]
    if schedule.chunks is not None:
        words[0] += f": {schedule.chunks.number} chunks of {schedule.chunks.length}"
    else:
        words.append(f"sequential below {schedule.least}")
    if schedule.is_speculative:
        words.append("sequential if a chunk fails")
    for index, reduction in schedule.loop.reductions.by_index.items():
        words.append(f"{step.node.outputs[index].name} reduced by {reduction.op}")
    return words


def _product(schedule: ProductSchedule) -> list[str]:
    words, blocks = [schedule.form], schedule.blocks
    if isinstance(blocks, Tiling):
        words[0] = f"tiles in blocks of {blocks.rows} x {blocks.columns} x {blocks.depth}"
        sides = zip(("left", "right"), blocks.in_place, strict=True)
        packed = [side for side, in_place in sides if not in_place]
        words.append("in place" if not packed else f"{' and '.join(packed)} packed")
    elif isinstance(blocks, LibraryBlocks):
        words[0] += f" in blocks of {blocks.rows} x {blocks.columns} x {blocks.depth}"
    elif isinstance(blocks, VectorProduct):
        words[0] = f"vector times {'columns' if blocks.by_columns else 'rows'}"
        words += ["sums of rows are added"] if blocks.is_partial else []
    words += _chunks(blocks and blocks.chunks)
    words += [f"reads {value.name} as its transpose" for value in schedule.transposed]
    return words
