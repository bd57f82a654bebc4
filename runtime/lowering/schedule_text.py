"""The text form of schedules: one line of a printed program."""

from __future__ import annotations

from .cost_model import Chunks
from .elementwise_loops import RegisterTiling
from .independent_iterations import ParallelIterations
from .nest_schedule import NestSchedule
from .program import Loop, Step
from .schedule import NotMade, ProductSchedule, Schedule


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
