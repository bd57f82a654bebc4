"""The text form of programs: steps in order, what is fused, whose memory is used again, and the
schedule of steps that native code does not run as they stand.

program f(x: float32[2000,1000]) -> (exp):
  1 nest over [2000,1000], stores exp:
      schedule: one loop over all elements, parallel: 11 chunks of 181824
      exp: float32[2000,1000] = exp(x)
"""

from __future__ import annotations

from typing import NamedTuple

from ..ir.graph import Node, Value
from ..ir.graph_printer import show_attribute
from .cost_model import Chunks
from .elementwise_loops import RegisterTiling
from .independent_iterations import ParallelIterations
from .nest_schedule import NestSchedule
from .program import Branch, Invoke, Loop, Nest, Program, Step
from .schedule import NotMade, ProductSchedule, Schedule, schedules_of
from .target import Target


def program_text(program: Program, target: Target | None = None) -> str:
    """The text of a program and of the programs inside it, with its schedule for a processor."""
    title = f"program {program.name}({_specs(program.inputs)}) -> ({_names(program.outputs)}):"
    return "\n".join([title, *_block(program, "  ", target or Target())]) + "\n"


class _Inner(NamedTuple):
    """How the programs inside a step are printed: `in_region` where threads run them, without a
    target where they have no schedule of their own.
    """

    target: Target | None
    in_region: bool

    def block(self, title: str, program: Program) -> list[str]:
        head = f"{title} ({_names(program.inputs)}) -> ({_names(program.outputs)}):"
        return [head, *_block(program, "  ", self.target, self.in_region)]


def _block(
    program: Program, margin: str, target: Target | None, in_region: bool = False
) -> list[str]:
    lines = []
    schedules = {} if target is None else schedules_of(program, target)
    for index, step in enumerate(program.steps):
        schedule = schedules.get(step)
        is_tiled = isinstance(schedule, RegisterTiling)
        inner = _Inner(None if is_tiled else target, is_region(schedule, in_region))
        first, *more = _step(step, program, inner)
        lines.append(f"{margin}{index + 1} {first}")
        words = schedule_text(step, schedule, in_region)
        if words:
            lines.append(f"{margin}    schedule: {words}")
        lines += [f"{margin}    {line}" for line in more]
        dead = program.dies[index] if index < len(program.dies) else ()
        large = sorted(value.name for value in dead if value.shape != ())
        if large:
            lines.append(f"{margin}    free {', '.join(large)}")
    return lines


def _step(step: Step, program: Program, inner: _Inner) -> list[str]:
    if isinstance(step, Nest):
        stored = f"stores {_names(step.stores)}" if step.stores else "stores nothing"
        sizes = ",".join("?" if size is None else str(size) for size in step.space.shape or ())
        return [f"nest over [{sizes}], {stored}:", *(_call(node, program) for node in step.nodes)]
    node = step.node
    if isinstance(step, Branch):
        head = f"branch on {node.inputs[0].name} -> ({_specs(node.outputs)}):"
        return [head, *inner.block("then", step.then), *inner.block("else", step.orelse)]
    if isinstance(step, Loop):
        carried = _names(node.inputs[: node.attrs["carried"]])
        head = f"loop ({carried}) -> ({_specs(node.outputs)}):"
        return [head, *inner.block("test", step.test), *inner.block("body", step.body)]
    if isinstance(step, Invoke):
        return [f"invoke {step.program.name}: {_call(node, program)}"]
    return [f"call {_call(node, program)}"]


def _call(node: Node, program: Program) -> str:
    attrs = [
        f" {key}={show_attribute(value)}"
        for key, value in node.attrs.items()
        if key not in node.subgraphs
    ]
    over = [program.reuse[value].name for value in node.outputs if value in program.reuse]
    made = f"{_specs(node.outputs)} = " if node.outputs else ""
    target = f" over {', '.join(over)}" if over else ""
    return f"{made}{node.op.name}({_names(node.inputs)}){''.join(attrs)}{target}"


def _specs(values: tuple[Value, ...]) -> str:
    return ", ".join(map(repr, values))


def _names(values: tuple[Value, ...]) -> str:
    return ", ".join(value.name for value in values)


# ---- schedules ---------------------------------------------------------------------------------


def schedule_text(step: Step, schedule: Schedule | None, in_region: bool) -> str:
    """What a schedule says, as words; an empty text if the step runs as it stands.

    In a parallel region each thread is alone: nothing in there is divided any more.
    """
    if isinstance(schedule, NestSchedule):
        words = _nest(schedule, in_region)
    elif isinstance(schedule, RegisterTiling):
        words = _tiling(schedule, in_region)
    elif isinstance(schedule, ParallelIterations) and isinstance(step, Loop):
        words = [] if in_region else _iterations(step, schedule)
    elif isinstance(schedule, ProductSchedule):
        words = _product(schedule, in_region)
    elif isinstance(schedule, NotMade):
        words = [f"not made: products read {schedule.source.name}"]
    else:
        words = []
    return ", ".join(words)


def is_region(schedule: Schedule | None, in_region: bool) -> bool:
    """Whether the programs inside a step run in a parallel region."""
    return in_region or isinstance(schedule, ParallelIterations)


def _chunks(chunks: Chunks | None, in_region: bool) -> list[str]:
    if chunks is None or in_region:
        return []
    return [f"parallel: {chunks.number} chunks of {chunks.length}"]


def _nest(schedule: NestSchedule, in_region: bool) -> list[str]:
    words = ["one loop over all elements"] if schedule.is_flat else []
    if schedule.by_columns:
        tile = schedule.column_tile
        words.append("by columns" if tile is None else f"by columns, {tile} at a time")
    chunks = _chunks(schedule.chunks, in_region)
    if chunks and schedule.reduces_everything:
        chunks.append("partial results")
    return words + chunks


def _tiling(schedule: RegisterTiling, in_region: bool) -> list[str]:
    words = [f"register tiles of {schedule.width} elements"]
    words += ["each until it stops changing"] if schedule.stops_early else []
    return words + _chunks(schedule.chunks, in_region)


def _iterations(step: Loop, schedule: ParallelIterations) -> list[str]:
    words = ["parallel iterations"]
    if schedule.chunks is not None:
        words[0] += f": {schedule.chunks.number} chunks of {schedule.chunks.length}"
    if schedule.chunks is None:
        words.append(f"sequential below {schedule.least}")
    if schedule.is_speculative:
        words.append("sequential if a chunk fails")
    for index, reduction in schedule.loop.reductions.by_index.items():
        words.append(f"{step.node.outputs[index].name} reduced by {reduction.op}")
    return words


def _product(schedule: ProductSchedule, in_region: bool) -> list[str]:
    words = [schedule.form]
    if schedule.tiling is not None:
        rows, columns, depth, _, in_place, chunks = schedule.tiling
        words[0] = f"tiles in blocks of {rows} x {columns} x {depth}"
        words.append("in place" if in_place else "packed")
        words += _chunks(chunks, in_region)
    words += [f"reads {value.name} as its transpose" for value in schedule.transposed]
    return words


Program.__str__ = program_text  # type: ignore[assignment, method-assign]
