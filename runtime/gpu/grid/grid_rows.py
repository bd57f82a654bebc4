"""Nests that share the loop over their rows, as those of a softmax do.

The lanes of a warp share the elements of a row, or those of a block where rows are few: together
they read neighbors in memory, and what one nest has stored, the next one finds near. What a row has
one of is in a register of every lane. Where there are fewer rows than multiprocessors, and each is
long, the threads of the grid share each nest instead.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ...codegen.native.emit_native import note_origins, write_step
from ...codegen.native.emit_reductions import finish_reduction, start_reduction
from ...ir.graph import Value, dims
from ...kernel_ir.nodes import Name, Operand, call
from ...lowering.nest_schedule import NestSchedule
from ...lowering.program import Nest
from ...lowering.schedule import RowLoop, StepPlan
from ..grid_kernel import WARP
from .grid_nests import (
    MANY_RESULTS,
    OF_A_WARP,
    Chunks,
    add_up_warp,
    chunked,
    decoded,
    lane_elements,
    write_elements,
    write_nest,
)
from .grid_writer import GridWriter

MULTIPROCESSORS = 128  # of a card, about


class Row(NamedTuple):
    """A nest of a group, as it is planned."""

    nest: Nest
    schedule: NestSchedule
    plan: StepPlan


class Shape(NamedTuple):
    """The sizes of the first axes, over which the loop goes, and the most elements of a row."""

    rows: tuple[int, ...]
    elements: int

    @property
    def number(self) -> int:
        """How many rows there are."""
        return math.prod(self.rows)

    @property
    def is_for_warps(self) -> bool:
        return self.number >= MANY_RESULTS or self.elements <= OF_A_WARP

    @property
    def is_for_grid(self) -> bool:
        return self.number < MULTIPROCESSORS and chunked(self.number, self.elements).chunks > 1


def write_rows(writer: GridWriter, rows: RowLoop) -> None:
    """The nests of a group, by rows or one after the other."""
    for plan in rows.steps:
        if not isinstance(plan.step, Nest):
            write_step(writer, plan)
    nests = [
        Row(plan.step, plan.schedule, plan)
        for plan in rows.steps
        if isinstance(plan.step, Nest) and isinstance(plan.schedule, NestSchedule)
    ]
    for row in nests:
        for value, location in row.plan.memory.items():
            writer.located(value, location)
    shape = _shape(nests)
    if shape is not None and not shape.is_for_grid:
        _Rows(writer, rows, nests, shape).write()
        return
    for value in rows.temporaries:
        writer.names[value] = writer.scratch(value.dtype.numpy_dtype, *dims(value))
    for row in nests:
        writer.memory, writer.schedule = row.plan.memory, row.schedule
        write_nest(writer, row.plan)
        note_origins(writer, row.nest)


def _shape(nests: list[Row]) -> Shape | None:
    """The rows of nests; None if their reductions take other axes away than all but the first.

    All spaces have the axes of rows, so a nest reads elements that others store in its row alone.
    """
    spaces = [dims(row.nest.space) for row in nests]
    if any(0 in space for space in spaces):
        return None
    reductions = [row.schedule for row in nests if row.schedule.reduced]
    axes = min(min(schedule.reduced) for schedule in reductions)
    while any(space[:axes] != spaces[0][:axes] for space in spaces):
        axes -= 1
    if any(set(schedule.kept) != set(range(axes)) for schedule in reductions):
        return None
    return Shape(spaces[0][:axes], max(math.prod(space[axes:]) for space in spaces))


class _Rows:
    """The loop over rows, of which each warp or each block computes some."""

    def __init__(self, writer: GridWriter, rows: RowLoop, nests: list[Row], shape: Shape):
        self.writer, self.rows, self.nests, self.shape = writer, rows, nests, shape
        self.axes = len(shape.rows)
        self.is_failing = self.is_pending = False
        size = WARP if shape.is_for_warps else chunked(shape.number, shape.elements).lanes
        writer.threads = max(writer.threads, shape.number * size)

    def write(self) -> None:
        writer, state = self.writer, self.writer.nest
        stores = [value for row in self.nests for value in row.nest.stores]
        scalars = [value for value in stores if math.prod(dims(value)) == self.shape.number]
        state.row_scalars = {value: writer.unused("s") for value in scalars}
        state.temporaries = frozenset(scalars)  # one lane alone stores them
        start = writer.position()
        with writer.loop("k", *self.ends()):
            decoded(writer, "k", range(self.axes), self.shape.rows)
            self.lane = writer.unused("lane")
            self.width: Operand = WARP if self.shape.is_for_warps else call("lane_count")
            of_block = call("lane_index")
            writer.let(self.lane, of_block % WARP if self.shape.is_for_warps else of_block)
            for value, name in state.row_scalars.items():  # that of a failing row is none
                writer.let(name, writer.cast(0, value.dtype))
            for row in self.nests:
                self.nest(row)
        nodes = [node for row in self.nests for node in row.nest.nodes]
        operands = [value for node in nodes for value in node.inputs]
        kept = [value for value in stores if value not in self.rows.temporaries]
        accesses = writer.accesses(operands, kept)
        state.row_scalars, state.temporaries, state.registers = {}, frozenset(), {}
        writer.write_hoisted(start)
        writer.synchronize(start, accesses)
        if self.is_failing:
            writer.leave_if_failed()

    def ends(self) -> tuple[Operand, Operand, Operand]:
        if self.shape.is_for_warps:
            return call("thread_index") // WARP, self.shape.number, call("thread_count") // WARP
        return call("block_index"), self.shape.number, call("block_count")

    def barrier(self) -> None:
        self.writer.call("warp_barrier" if self.shape.is_for_warps else "block_barrier")
        self.is_pending = False

    def nest(self, row: Row) -> None:
        """The elements of a nest in this row."""
        writer, nest = self.writer, row.nest
        writer.memory, writer.schedule, writer.nest.registers = row.plan.memory, row.schedule, {}
        for node in nest.nodes:
            for value in (*node.inputs, node.output):
                writer.check(value, node)
        sizes, inner = dims(nest.space), range(self.axes, len(dims(nest.space)))
        is_shared = math.prod(sizes[axis] for axis in inner) > 1
        if self.is_pending and is_shared:
            self.barrier()
        if row.schedule.reduced:
            self.reduction(nest, row.schedule)
        elif is_shared:
            steps = self.lane, self.width
            self.is_failing |= lane_elements(writer, nest, inner, sizes, steps)
            self.is_pending = True
        else:
            for axis in inner:
                writer.let(f"i{axis}", 0)
            block, before = writer.block, len(writer.block)
            indices = [Name(f"i{axis}") for axis in range(len(sizes))]
            write_elements(writer, nest.nodes, nest.stores, indices)
            self.is_failing |= writer.guard(block, before, "k", nest.nodes[0])
        self.store_scalars(nest)
        note_origins(writer, nest)

    def reduction(self, nest: Nest, schedule: NestSchedule) -> None:
        """Reduce a row to one element, which all of its lanes have then."""
        writer = self.writer
        if not self.shape.is_for_warps:
            shared = chunked(self.shape.number, self.shape.elements)._replace(chunks=1)
            chunks = Chunks(writer, nest, schedule, shared)
            chunks.stage(1, chunks.elements, chunks.finished, True)
            self.is_failing |= chunks.is_failing
            return  # behind a barrier
        reductions = [node for node in nest.nodes if node.op.reduce]
        for node in reductions:
            start_reduction(writer, node)
        steps, sizes = (self.lane, self.width), dims(nest.space)
        self.is_failing |= lane_elements(writer, nest, schedule.reduced, sizes, steps)
        self.is_pending = True
        add_up_warp(writer, reductions)
        for node in reductions:
            name = writer.nest.accumulators[node.output].name
            writer.let(name, call("shuffled_from_first", name))
            finish_reduction(writer, node, schedule.kept)

    def store_scalars(self, nest: Nest) -> None:
        """Store the only elements of a row that something reads afterwards."""
        scalars = self.writer.nest.row_scalars
        stored = [v for v in nest.stores if v in scalars and v not in self.rows.temporaries]
        if not stored:
            return
        self.barrier()  # an operand may have been in the same memory
        with self.writer.when(self.lane.equals(0)):
            for value in stored:
                self.writer.let(self.element(value), scalars[value])

    def element(self, value: Value) -> Operand:
        """The element of a value which has one for each row."""
        axes = range(len(dims(value)))
        indices = [Name(f"i{axis}") if axis < self.axes else 0 for axis in axes]
        return self.writer.read(value)[tuple(indices)]
