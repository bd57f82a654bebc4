"""Loops whose iterations run in parallel, as source: see `lowering/independent_iterations.py`.

An iteration may write the row of its own number, and take part in reductions that are exact in any
order; partial results are combined in the order of the iterations. Where the trip count is computed
when the loop starts, the sequential loop is emitted too, for few iterations.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...core import thresholds
from ...core.dtypes import bool_, int64
from ...ir.graph import Node, Value
from ...ir.op import TABLE
from ...kernel_ir.nodes import Statement
from ...kernel_ir.reader import statements
from ...lowering.carried_scalars import Reduction, Reductions
from ...lowering.independent_iterations import ParallelIterations, iteration_chunks
from ...lowering.not_native import NotNativeError
from ...lowering.program import Loop
from .elements import computed
from .kernel_writer import KernelWriter, bind, numpy_name
from .parallel_loops import captures_among, parallel_region, variables_of_static_shape

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
            self.in_chunks(str(count))
            return
        count_name, is_sequential = f"n{next(self.writer.count)}", f"f{next(self.writer.count)}"
        self.writer.line(f"{count_name} = {self.trip_count()}")
        is_few = f"{count_name} < {least}{self.rows_meet(count_name)}"
        self.writer.line(f"{is_sequential} = {is_few}")
        with self.writer.when(f"not {is_sequential}"):
            self.in_chunks(count_name, is_sequential)
        with self.writer.when(is_sequential, "few iterations, or those before a failure"):
            sequential()

    def trip_count(self) -> str:
        """The expression of the trip count, -1 if the counter overflows."""
        start = self.writer.read(self.step.node.outputs[self.induction.position])
        limit = self.induction.limit
        end = str(limit) if isinstance(limit, int) else f"np.int64({self.writer.read(limit)})"
        bounds = np.iinfo(self.induction.dtype.numpy_dtype)
        ends = f"{bounds.min}, {min(int(bounds.max), np.iinfo(np.int64).max)}"
        if self.induction.is_inclusive:
            end += " + 1" if self.induction.step > 0 else " - 1"
        exactly = self.induction.comparison == "not_equal"
        return f"trip_count(np.int64({start}), {end}, {self.induction.step}, {ends}, {exactly})"

    def rows_meet(self, count_name: str) -> str:
        """The test that an iteration counts its row from the end of an array, where another may
        count from the beginning.
        """
        if not self.schedule.loop.has_rows or (
            self.induction.step > 0 and isinstance(self.induction.start, int)
        ):
            return ""
        start = f"np.int64({self.writer.read(self.step.node.outputs[self.induction.position])})"
        later = f" + ({count_name} - 1) * {self.induction.step}" * (self.induction.step < 0)
        return f" or {start}{later} < 0"

    def in_chunks(self, count: str, failed: str | None = None) -> None:
        """Each thread runs some of the iterations; arrays that one works with are its own."""
        node = self.step.node
        partials = Partials(self.writer, node, self.schedule.loop.reductions)
        length, chunk_count = self.run_time_chunks(count)
        partials.allocate()
        preamble_lines: list[str] = []

        def write() -> None:
            with self.writer.private_memory() as preamble:
                partials.start()
                with self.writer.loop("iteration", self.iterations(length, count)):
                    self.iteration()
                    partials.pass_results(self.step.body.outputs)
                partials.leave()
            preamble_lines.extend(preamble)

        def captures(body: tuple[Statement, ...]) -> dict[str, Value]:
            named = variables_of_static_shape(self.writer)
            named |= {name: Value(int64, (), name) for name in (count, length, chunk_count)}
            own = statements("\n".join(preamble_lines))
            return captures_among((*body, *own), named | partials.captures)

        parallel_region(self.writer, length, chunk_count, write, captures, failed)
        if failed is None:
            self.finish(partials, count, chunk_count)
        else:
            with self.writer.when(f"not {failed}"):
                self.finish(partials, count, chunk_count)

    def finish(self, partials: Partials, count: str, chunk_count: str) -> None:
        """Combine the partial results; the counter is what it is after all iterations."""
        partials.merge(chunk_count)
        counter = self.step.node.outputs[self.induction.position]
        end = f"np.int64({self.writer.read(counter)}) + {count} * {self.induction.step}"
        self.writer.line(f"{self.writer.read(counter)} = {self.writer.cast(end, counter.dtype)}")

    def run_time_chunks(self, count: str) -> tuple[str, str]:
        """The length of a chunk and the number of chunks: as many as may be, since one iteration
        may take longer than others.
        """
        if count.isdigit():
            chunks = iteration_chunks(int(count))
            return str(chunks.length), str(chunks.number)
        length, chunk_count = f"{count}_length", f"{count}_chunks"
        most = thresholds.MOST_CHUNKS
        self.writer.line(f"{length} = ({count} + {most - 1}) // {most}")
        self.writer.line(f"{chunk_count} = ({count} + {length} - 1) // {length}")
        return length, chunk_count

    @property
    def counts_up(self) -> bool:
        """Whether the numbers of the iterations follow each other, and start at a known one."""
        return self.induction.step == 1 and isinstance(self.induction.start, int)

    def iterations(self, length: str, count: str) -> str:
        """The range of the iterations of a chunk: of the counter itself where LLVM then sees its
        bounds, which makes tests of indices superfluous.
        """
        if not self.counts_up:
            return f"range(min({length}, {count} - first))"
        start = self.induction.start
        first, end = (f"first + {start}", f"{count} + {start}") if start else ("first", count)
        return f"range({first}, min({first} + {length}, {end}))"

    def iteration(self) -> None:
        """One iteration, whose counter follows from the chunk."""
        node, index = self.step.node, self.induction.position
        operands = [*node.outputs, *node.inputs[node.attrs["carried"] :]]
        bind(self.writer, self.step.body, operands)
        own, start = self.step.body.inputs[index], self.writer.read(node.outputs[index])
        self.writer.names[own] = self.writer.new_variable()
        counter = "iteration"
        if not self.counts_up:
            counter = f"np.int64({start}) + (first + iteration) * {self.induction.step}"
        self.writer.line(f"{self.writer.read(own)} = {self.writer.cast(counter, own.dtype)}")
        self.body()
        for value, result in zip(node.outputs, self.step.body.outputs, strict=True):
            if value.shape and self.writer.read(value) != self.writer.read(result):
                raise NotNativeError(f"'{value.name}' moves in a loop", node.where)


class Partials:
    """The partial results that chunks leave of the scalars that a loop reduces."""

    def __init__(self, writer: KernelWriter, node: Node, reductions: Reductions):
        self.writer = writer
        self.node = node
        self.reductions = reductions
        self.indices = list(reductions.by_index)
        self.arrays: dict[object, str] = {}  # where the chunks leave them
        self.starts: dict[int, str] = {}  # what a chunk starts with
        self.flags: dict[int, str] = {}  # by index of the leader
        self.captures: dict[str, Value] = {}

    def name(self, index: int) -> str:
        return self.writer.read(self.node.outputs[index])

    def new_name(self, letter: str, dtype, shape=()) -> str:
        name = f"{letter}{next(self.writer.count)}"
        self.captures[name] = Value(dtype, shape, name)
        return name

    def new_array(self, dtype) -> str:
        most = thresholds.MOST_CHUNKS
        name = self.new_name("p", dtype, (most,))
        element = numpy_name(dtype.numpy_dtype.name)
        self.writer.allocate(f"{name} = new_array(({most},), np.{element})")
        return name

    def allocate(self) -> None:
        """Arrays for partial results, and the scalars that chunks start with."""
        for index in self.indices:
            value, op = self.node.outputs[index], self.reductions.by_index[index].op
            self.arrays[index] = self.new_array(value.dtype)
            if TABLE[op].identity is not None:
                count_name = np.asarray(TABLE[op].identity, value.dtype.numpy_dtype)
                self.starts[index] = self.writer.literal(count_name)
            else:
                self.starts[index] = self.new_name("s", value.dtype)
                self.writer.line(f"{self.starts[index]} = {self.name(index)}")
        for node, (leader, side) in self.reductions.choices.items():
            if self.needs_flag(leader):
                if leader not in self.flags:
                    self.flags[leader] = f"f{next(self.writer.count)}"
                    self.arrays[FLAGS, leader] = self.new_array(bool_)
                self.writer.choice_flags[node, side] = self.flags[leader]

    def needs_flag(self, leader: int) -> bool:
        """Whether a candidate may equal the scalar that chunks start with, and win."""
        return self.reductions.by_index[leader].op.endswith("_equal")

    def start(self) -> None:
        for index, start in self.starts.items():
            self.writer.line(f"{self.name(index)} = {start}")
        for flag in self.flags.values():
            self.writer.line(f"{flag} = False")

    def pass_results(self, results) -> None:
        """The end of an iteration."""
        if self.indices:
            left = ", ".join(self.name(index) for index in self.indices)
            right = ", ".join(self.writer.read(results[index]) for index in self.indices)
            self.writer.line(f"{left} = {right}")

    def leave(self) -> None:
        """The end of a chunk."""
        for index in self.indices:
            self.writer.line(f"{self.arrays[index]}[chunk] = {self.name(index)}")
        for leader, flag in self.flags.items():
            self.writer.line(f"{self.arrays[FLAGS, leader]}[chunk] = {flag}")
        self.writer.choice_flags = {}

    def merge(self, chunk_count: str) -> None:
        """Combine the partial results, in the order of the iterations."""
        if not self.indices:
            return
        self.writer.line("chunk = 0")
        with self.writer.while_loop(f"chunk < {chunk_count}"):
            for index, reduction in self.reductions.by_index.items():
                if reduction.leader is None:
                    self.combine(index, reduction)
                elif reduction.leader == index:
                    self.choose(index, reduction)
            self.writer.line("chunk += opaque(1)")  # LLVM need not write it out

    def combine(self, index: int, reduction: Reduction) -> None:
        value, writer = self.node.outputs[index], self.writer
        items = {"x": self.name(index), "y": self.left(index)}
        source = computed(writer, str(TABLE[reduction.op].scalar), items, value.dtype)
        source = writer.cast(source, value.dtype)
        writer.line(f"{self.name(index)} = {source}")

    def choose(self, leader: int, reduction: Reduction) -> None:
        """The choice of a chunk wins against those before it as in the sequential loop."""
        sign = str(TABLE[reduction.op].scalar).format(x=self.left(leader), y=self.name(leader))
        if leader in self.flags:
            sign = f"{self.arrays[FLAGS, leader]}[chunk] and {sign}"
        with self.writer.when(sign):
            for index, other in self.reductions.by_index.items():
                if other.leader == leader:
                    self.writer.line(f"{self.name(index)} = {self.left(index)}")

    def left(self, index: int) -> str:
        return f"{self.arrays[index]}[chunk]"
