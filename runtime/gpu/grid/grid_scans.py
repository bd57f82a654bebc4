"""Running sums, and places of largest elements, by threads of a grid.

Each thread goes along some lines. Where there are few, which are long, these are divided into
chunks whose number follows from the shape: what a chunk comes to is known before a second look at
it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import numpy as np

from ...codegen.native.elements import computed
from ...codegen.native.kernel_writer import literal, numpy_type
from ...core.shapes import normal_axis
from ...ir.graph import Node, dims, elements_of
from ...kernel_ir.nodes import Expression, Name, Operand, as_node, call, compared
from ...lowering.not_native import NotNativeError
from .grid_nests import decoded
from .grid_writer import GridWriter

MANY_LINES = 1024  # of which each is for one thread
SHORT = 256  # elements of a line that is for one thread
MOST_CHUNKS = 512  # of a line


def chunks_of(lines: int, size: int) -> int:
    """The chunks of each line: it depends on nothing else."""
    if lines >= MANY_LINES or size <= SHORT:
        return 1
    return min(MOST_CHUNKS, -(-size // 64))


class _Chunks:
    """The lines of an array along an axis, as [before, axis, after], and their chunks."""

    def __init__(self, writer: GridWriter, node: Node):
        (x,), shape = node.inputs, dims(node.inputs[0])
        axis = normal_axis(node.attrs["axis"], len(shape))
        self.cubic = math.prod(shape[:axis]), shape[axis], math.prod(shape[axis + 1 :])
        self.size, self.lines = shape[axis], math.prod(shape) // max(shape[axis], 1)
        self.count = chunks_of(self.lines, self.size)
        self.length = -(-self.size // self.count)
        self.writer, self.node, self.name = writer, node, writer.unused("s")
        self.source = self.name.with_suffix("_x")
        writer.let(self.source, call("reshaped", writer.read(x), self.cubic))

    def start(self) -> tuple[Name, Name, Operand, Operand]:
        """Of chunk `k` of all lines: the indices of the line, and the ends of the chunk."""
        writer, (before, _, after) = self.writer, self.cubic
        line, first = self.name.with_suffix("_line"), self.name.with_suffix("_start")
        writer.let(line, Name("k") // self.count if self.count > 1 else "k")
        outer, inner = decoded(writer, line.id, (0, 1), (before, after))
        if self.count == 1:
            return outer, inner, 0, self.size
        writer.let(first, Name("k") % self.count * self.length)
        return outer, inner, first, call("min", first + self.length, self.size)

    def numbers(self, dtype: np.dtype) -> Name:
        """Memory for a number of each chunk, which nothing writes until the next barrier."""
        name = self.writer.scratch(dtype, self.lines * self.count)
        self.writer.pending |= self.writer.accesses((), (), reads=[name])
        return name


# ---- running sums ------------------------------------------------------------------------------


def scan(combined: str, identity: float, start: float):
    """A running sum, which starts with `identity`, or with `start` to exclude each element."""

    def form(writer: GridWriter, node: Node) -> None:
        target = writer.buffer(node.output)
        writer.synchronize(writer.position(), writer.accesses(node.inputs, node.outputs))
        _Scan(writer, node, combined, (identity, start)).write(target)

    return form


class _Scan(_Chunks):
    """A running sum: `so_far` goes through the elements of a chunk."""

    def __init__(self, writer: GridWriter, node: Node, combined: str, starts: tuple[float, float]):
        super().__init__(writer, node)
        self.combined, self.dtype = combined, node.output.dtype
        self.is_exclusive = bool(node.attrs.get("exclusive"))
        self.identity, self.first = (
            literal(np.asarray(number, self.dtype.numpy_dtype))
            for number in (starts[0], starts[self.is_exclusive])
        )
        self.so_far, self.item = self.name, self.name.with_suffix("_item")

    def write(self, target: Name) -> None:
        writer, count = self.writer, self.lines * self.count
        result = self.name.with_suffix("_out")
        writer.let(result, call("reshaped", target, self.cubic))
        first: Expression = self.first
        if self.count > 1:
            totals = self.numbers(self.dtype.numpy_dtype)
            with writer.over_threads("k", count):
                self.total(totals)
            writer.barrier()
            with writer.over_threads("k", self.lines):
                self.before(totals)
            writer.barrier()
            writer.pending |= writer.accesses((), (), reads=[totals])
            first = totals["k"]
        with writer.over_threads("k", count):
            self.elements(first, result)

    def combine(self, item: Expression) -> None:
        items: dict[str, Expression] = {"so_far": self.so_far, "x": item}
        dtype = numpy_type(self.dtype.numpy_dtype.name)
        self.writer.let(self.so_far, dtype(computed(self.writer, self.combined, items, self.dtype)))

    def place(self) -> Expression:
        """Where element `t` of the sum is."""
        return as_node(self.size - 1) - "t" if self.node.attrs["reverse"] else Name("t")

    def total(self, totals: Name) -> None:
        """That of a chunk."""
        outer, inner, *ends = self.start()
        self.writer.let(self.so_far, self.identity)
        with self.writer.loop("t", *ends):
            self.combine(self.source[outer, self.place(), inner])
        self.writer.let(totals["k"], self.so_far)

    def before(self, totals: Name) -> None:
        """What is before each chunk of a line takes the place of its total."""
        self.writer.let(self.so_far, self.first)
        with self.writer.loop("t", self.count):
            own = totals[Name("k") * self.count + "t"]
            self.writer.let(self.item, own)
            self.writer.let(own, self.so_far)
            self.combine(self.item)

    def elements(self, first: Expression, result: Name) -> None:
        """Those of a chunk, which begins with `first`."""
        writer, (outer, inner, *ends) = self.writer, self.start()
        writer.let(self.so_far, first)
        with writer.loop("t", *ends):
            at = (outer, self.place(), inner)
            if self.is_exclusive:
                writer.let(self.item, self.source[at])
                writer.let(result[at], self.so_far)
                self.combine(self.item)
            else:
                self.combine(self.source[at])
                writer.let(result[at], self.so_far)


# ---- places of largest elements ----------------------------------------------------------------


def position(better: str):
    """The place of the first best element of each line; NaN beats all."""

    def form(writer: GridWriter, node: Node) -> None:
        (x,), output = node.inputs, node.output
        if not dims(x)[normal_axis(node.attrs["axis"], len(dims(x)))]:
            raise NotNativeError(f"'{node.op.name}' of nothing", node.where)
        if output.shape:
            writer.buffer(output)
        writer.synchronize(writer.position(), writer.accesses(node.inputs, node.outputs))
        _Extremes(writer, node, better).write()

    return form


class _Extremes(_Chunks):
    """The places of the best elements: of chunks, then those of lines among them."""

    def __init__(self, writer: GridWriter, node: Node, better: str):
        super().__init__(writer, node)
        self.better, self.is_floating = better, node.inputs[0].dtype.is_floating
        names = "_item", "_best", "_other", "_y"
        self.item, self.best, self.other, self.flat = map(self.name.with_suffix, names)

    def write(self) -> None:
        writer, output = self.writer, self.node.output
        place: Callable[[Operand], Expression] = partial(call, "np.int64")
        stop = self.size
        if self.count > 1:
            firsts = self.numbers(np.dtype(np.int64))
            stop = -(-self.size // self.length)
            with writer.over_threads("k", self.lines * self.count):
                outer, inner, first, last = self.start()
                with writer.when(as_node(first) < last):
                    self.look(outer, inner, place, first, last)
                    writer.let(firsts["k"], self.name)
            writer.barrier()
            writer.pending |= writer.accesses((), (), reads=[firsts])
            place = partial(_of_chunk, firsts, self.count)
        if not output.shape:
            writer.let("k", 0)
            self.of_line(place, stop)
            writer.let(writer.name(output), writer.cast(self.name, output.dtype))
            return
        writer.let(self.flat, call("reshaped", writer.read(output), (elements_of(output),)))
        with writer.over_threads("k", self.lines):
            self.of_line(place, stop)
            writer.let(self.flat["k"], writer.cast(self.name, output.dtype))

    def of_line(self, place: Callable[[Operand], Expression], stop: int) -> None:
        outer, inner = decoded(self.writer, "k", (0, 1), (self.cubic[0], self.cubic[2]))
        self.look(outer, inner, place, 0, stop)

    def look(
        self, outer: Operand, inner: Operand, place: Callable[[Operand], Expression],
        start: Operand, stop: Operand,
    ) -> None:  # fmt: skip
        """The best element of those at the places of the numbers from start to stop."""
        writer = self.writer
        writer.let(self.name, place(start))
        writer.let(self.best, self.source[outer, self.name, inner])
        with writer.loop("t", start, stop):
            writer.let(self.other, place("t"))
            writer.let(self.item, self.source[outer, self.other, inner])
            with writer.when(self.wins()):
                writer.let(self.name, self.other)
                writer.let(self.best, self.item)

    def wins(self) -> Expression:
        is_better = compared(self.better)(self.item, self.best)
        if not self.is_floating:
            return is_better
        is_first_nan = self.item.differs(self.item).joined("and", self.best.equals(self.best))
        return is_better.joined("or", is_first_nan)


def _of_chunk(firsts: Name, count: int, number: Operand) -> Expression:
    """The place of the best element of a chunk of line `k`."""
    return firsts[Name("k") * count + number]
