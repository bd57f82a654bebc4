"""Loops whose iterations run in parallel: see `lowering/independent_iterations.py`.

An iteration may write the row of its own number, and take part in reductions that are exact in any
order; partial results are combined in the order of the iterations. Where the trip count is computed
when the loop starts, the sequential loop is emitted too, for few iterations.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

import numpy as np

from ...core import thresholds
from ...core.dtypes import bool_
from ...ir.graph import Node, Value
from ...ir.op import TABLE
from ...kernel_ir.nodes import Expression, Name, Operand, as_node, call
from ...kernel_ir.reader import filled, form
from ...lowering.carried_scalars import Reduction, Reductions
from ...lowering.independent_iterations import ParallelIterations, iteration_chunks
from ...lowering.not_native import NotNativeError
from ...lowering.program import Loop
from .elements import computed
from .kernel_writer import KernelWriter, bind, literal, new_array
from .parallel_loops import FIRST, parallel_region

CHUNK, ITERATION = Name("chunk"), Name("iteration")
FLAGS = "flags"  # a key beside indices: whether a chunk has chosen a candidate


class ParallelLoop:
    """One loop whose iterations threads share, as its schedule says."""

    def __init__(self, writer: KernelWriter, step: Loop, schedule: ParallelIterations):
        self.writer, self.step, self.schedule = writer, step, schedule
        self.induction = schedule.loop.induction

    def write(self, body: Callable[[], None], sequential: Callable[[], None]) -> None:
        """Write a loop as a parallel region; `body()` writes the body as a thread runs it.
        Where the choice is made when it runs, `sequential()` writes the sequential version
        too.
        """
        self.body = body
        least, count = self.schedule.least, self.induction.trip_count
        if not self.schedule.has_two_versions:
            assert count is not None
            self.in_chunks(count)
            return
        count_name, is_sequential = self.writer.unused("n"), self.writer.unused("f")
        self.writer.note_counters(count_name)
        self.writer.let(count_name, self.trip_count())
        is_few = (count_name < least).joined("or", *self.rows_meet(count_name))
        self.writer.let(is_sequential, is_few)
        with self.writer.when(is_sequential.negated()):
            self.in_chunks(count_name, is_sequential)
        with self.writer.when(is_sequential, "few iterations, or those before a failure"):
            sequential()

    def start(self) -> Expression:
        """What the counter is before the loop."""
        counter = self.step.node.outputs[self.induction.position]
        return call("np.int64", self.writer.read(counter))

    def trip_count(self) -> Expression:
        """The expression of the trip count, -1 if the counter overflows."""
        limit = self.induction.limit
        end = limit if isinstance(limit, int) else call("np.int64", self.writer.read(limit))
        bounds = np.iinfo(self.induction.dtype.numpy_dtype)
        ends = int(bounds.min), min(int(bounds.max), np.iinfo(np.int64).max)
        if self.induction.is_inclusive:
            end = as_node(end) + 1 if self.induction.step > 0 else as_node(end) - 1
        exactly = self.induction.comparison == "not_equal"
        return call("trip_count", self.start(), end, self.induction.step, *ends, exactly)

    def rows_meet(self, count_name: Name) -> list[Expression]:
        """The test that an iteration counts its row from the end of an array, where another may
        count from the beginning, if that may be.
        """
        row = self.schedule.loop.row
        if row is None or (self.induction.step > 0 and isinstance(self.induction.start, int)):
            return []
        least = self.start() + row if row else self.start()
        if self.induction.step < 0:
            least = least + (count_name - 1) * self.induction.step
        return [least < 0]

    def in_chunks(self, count: Operand, failed: Name | None = None) -> None:
        """Each thread runs some of the iterations; arrays that one works with are its own."""
        node = self.step.node
        partials = Partials(self.writer, node, self.schedule.loop.reductions)
        length, chunk_count = self.run_time_chunks(count)
        partials.allocate()

        def write() -> None:
            with self.writer.private_memory():
                partials.start()
                with self.writer.loop(ITERATION, *self.iterations(length, count)):
                    self.iteration()
                    partials.pass_results(self.step.body.outputs)
                partials.leave()

        parallel_region(self.writer, length, chunk_count, write, failed)
        if failed is None:
            self.finish(partials, count, chunk_count)
        else:
            with self.writer.when(failed.negated()):
                self.finish(partials, count, chunk_count)

    def finish(self, partials: Partials, count: Operand, chunk_count: Operand) -> None:
        """Combine the partial results; the counter is what it is after all iterations."""
        partials.merge(chunk_count)
        counter = self.step.node.outputs[self.induction.position]
        end = self.start() + as_node(count) * self.induction.step
        self.writer.let(self.writer.read(counter), self.writer.cast(end, counter.dtype))

    def run_time_chunks(self, count: Operand) -> tuple[Operand, Operand]:
        """The length of a chunk and the number of chunks: as many as may be, since one iteration
        may take longer than others.
        """
        if not isinstance(count, Name):
            chunks = iteration_chunks(cast("int", count))
            return chunks.length, chunks.number
        length, chunk_count = count.with_suffix("_length"), count.with_suffix("_chunks")
        most = thresholds.MOST_CHUNKS
        self.writer.note_counters(length, chunk_count)
        self.writer.let(length, (count + (most - 1)) // most)
        self.writer.let(chunk_count, (count + length - 1) // length)
        return length, chunk_count

    @property
    def counts_up(self) -> bool:
        """Whether the numbers of the iterations follow each other, and start at a known one."""
        return self.induction.step == 1 and isinstance(self.induction.start, int)

    def iterations(self, length: Operand, count: Operand) -> list[Operand]:
        """The range of the iterations of a chunk: of the counter itself where LLVM then sees its
        bounds, which makes tests of indices superfluous.
        """
        if not self.counts_up:
            return [call("min", length, as_node(count) - FIRST)]
        start = cast("int", self.induction.start)
        first, end = (FIRST + start, as_node(count) + start) if start else (FIRST, count)
        return [first, call("min", first + length, end)]

    def iteration(self) -> None:
        """One iteration, whose counter follows from the chunk."""
        node, index = self.step.node, self.induction.position
        operands = [*node.outputs, *node.inputs[node.attrs["carried"] :]]
        bind(self.writer, self.step.body, operands)
        own, counter = self.step.body.inputs[index], as_node(ITERATION)
        self.writer.names[own] = self.writer.new_variable()
        if not self.counts_up:
            counter = self.start() + (FIRST + ITERATION) * self.induction.step
        self.writer.let(self.writer.read(own), self.writer.cast(counter, own.dtype))
        self.body()
        for value, result in zip(node.outputs, self.step.body.outputs, strict=True):
            if value.shape and self.writer.read(value).id != self.writer.read(result).id:
                raise NotNativeError(f"'{value.name}' moves in a loop", node.where)


class Partials:
    """The partial results that chunks leave of the scalars that a loop reduces."""

    def __init__(self, writer: KernelWriter, node: Node, reductions: Reductions):
        self.writer = writer
        self.node = node
        self.reductions = reductions
        self.indices = list(reductions.by_index)
        self.arrays: dict[object, Name] = {}  # where the chunks leave them
        self.starts: dict[int, Expression] = {}  # what a chunk starts with
        self.flags: dict[int, Name] = {}  # by index of the leader

    def name(self, index: int) -> Name:
        return self.writer.read(self.node.outputs[index])

    def new_name(self, letter: str, dtype, shape=()) -> Name:
        name = self.writer.unused(letter)
        self.writer.names[Value(dtype, shape, name.id)] = name
        return name

    def new_array(self, dtype) -> Name:
        most = thresholds.MOST_CHUNKS
        name = self.new_name("p", dtype, (most,))
        self.writer.allocate(new_array(name, (most,), dtype.numpy_dtype.name))
        return name

    def allocate(self) -> None:
        """Arrays for partial results, and the scalars that chunks start with."""
        for index in self.indices:
            value, op = self.node.outputs[index], self.reductions.by_index[index].op
            self.arrays[index] = self.new_array(value.dtype)
            if TABLE[op].identity is not None:
                identity = np.asarray(TABLE[op].identity, value.dtype.numpy_dtype)
                self.starts[index] = literal(identity)
            else:
                self.starts[index] = self.new_name("s", value.dtype)
                self.writer.let(self.starts[index], self.name(index))
        for node, (leader, side) in self.reductions.choices.items():
            if self.needs_flag(leader):
                if leader not in self.flags:
                    self.flags[leader] = self.writer.unused("f")
                    self.arrays[FLAGS, leader] = self.new_array(bool_)
                self.writer.choice_flags[node, side] = self.flags[leader]

    def needs_flag(self, leader: int) -> bool:
        """Whether a candidate may equal the scalar that chunks start with, and win."""
        return self.reductions.by_index[leader].op.endswith("_equal")

    def start(self) -> None:
        for index, start in self.starts.items():
            self.writer.let(self.name(index), start)
        for flag in self.flags.values():
            self.writer.let(flag, False)

    def pass_results(self, results) -> None:
        """The end of an iteration."""
        if self.indices:
            left = [self.name(index) for index in self.indices]
            self.writer.let(left, [self.writer.read(results[index]) for index in self.indices])

    def leave(self) -> None:
        """The end of a chunk."""
        for index in self.indices:
            self.writer.let(self.left(index), self.name(index))
        for leader, flag in self.flags.items():
            self.writer.let(self.arrays[FLAGS, leader][CHUNK], flag)
        self.writer.choice_flags = {}

    def merge(self, chunk_count: Operand) -> None:
        """Combine the partial results, in the order of the iterations."""
        if not self.indices:
            return
        chunk = CHUNK
        self.writer.let(chunk, 0)
        with self.writer.while_loop(chunk < chunk_count):
            for index, reduction in self.reductions.by_index.items():
                if reduction.leader is None:
                    self.combine(index, reduction)
                elif reduction.leader == index:
                    self.choose(index, reduction)
            self.writer.update(chunk, "+", call("opaque", 1))  # LLVM need not write it out

    def combine(self, index: int, reduction: Reduction) -> None:
        value, writer = self.node.outputs[index], self.writer
        items = {"x": self.name(index), "y": self.left(index)}
        total = computed(writer, str(TABLE[reduction.op].scalar), items, value.dtype)
        writer.let(self.name(index), writer.cast(total, value.dtype))

    def choose(self, leader: int, reduction: Reduction) -> None:
        """The choice of a chunk wins against those before it as in the sequential loop."""
        items = {"x": self.left(leader), "y": self.name(leader)}
        test = filled(form(str(TABLE[reduction.op].scalar)), items)
        if leader in self.flags:
            test = self.arrays[FLAGS, leader][CHUNK].joined("and", test)
        with self.writer.when(test):
            for index, other in self.reductions.by_index.items():
                if other.leader == leader:
                    self.writer.let(self.name(index), self.left(index))

    def left(self, index: int) -> Expression:
        return self.arrays[index][CHUNK]
