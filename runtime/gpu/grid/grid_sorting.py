"""Sorting by threads of a grid.

In a short line, a thread counts the elements that come before its own: the count is where it goes.
In a long one, that sorts runs; then pairs of runs are merged, with a barrier between. A thread
counts the elements of the other run that come before its own, by bisection.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from ...codegen.native.kernel_writer import numpy_type
from ...core.shapes import normal_axis
from ...ir.graph import Node, dims, elements_of
from ...kernel_ir.nodes import Expression, Name, Operand, as_node, call
from .grid_nests import decoded
from .grid_writer import GridWriter

LONGEST = 1 << 11  # elements of a line that is sorted by counting alone
RUN = 32  # elements of a long line that are


def sort(writer: GridWriter, node: Node) -> None:
    """The elements of each line in order; a zero with a sign comes before one without."""
    lines = _Lines(writer, node, has_values=True)
    last = as_node(lines.size - 1)

    def put(before: Name, after: Name, place: Expression, element: Name) -> None:
        writer.let(out[before, last - place if node.attrs["descending"] else place, after], element)

    out = lines.reshaped(writer.buffer(node.output), "_out")
    lines.sort(put)


def argsort(writer: GridWriter, node: Node) -> None:
    """The numbers of the elements of each line in order; equal ones keep theirs."""
    lines = _Lines(writer, node, has_values=False)
    out = lines.reshaped(writer.buffer(node.output), "_out")

    def put(before: Name, after: Name, place: Expression, at: Name) -> None:
        writer.let(out[before, place, after], call("np.int32", at))

    lines.sort(put)


def largest(writer: GridWriter, node: Node) -> None:
    """The first elements of each row, in descending order, and their numbers."""
    for value in node.outputs:
        writer.buffer(value)
    lines = _Lines(writer, node, has_values=False)
    rows, count = lines.cubic[0], dims(node.outputs[0])[-1]
    values, places = (
        lines.reshaped(writer.read(value), suffix, (rows, count, 1))
        for value, suffix in zip(node.outputs, ("_values", "_places"), strict=True)
    )

    def put(before: Name, after: Name, place: Expression, at: Name) -> None:
        with writer.when(place < count):
            writer.let(values[before, place, after], lines.source[before, at, after])
            writer.let(places[before, place, after], call("np.int32", at))

    lines.sort(put)


class _Lines:
    """The lines of an array along an axis. What is sorted are their elements, or the numbers of
    these: equal ones keep their order then.
    """

    def __init__(self, writer: GridWriter, node: Node, has_values: bool):
        x, attrs = node.inputs[0], node.attrs
        axis = normal_axis(attrs.get("axis", -1), len(dims(x)))
        shape = dims(x)
        self.cubic = math.prod(shape[:axis]), shape[axis], math.prod(shape[axis + 1 :])
        self.size, self.count = shape[axis], elements_of(x)
        self.writer, self.node, self.dtype, self.has_values = writer, node, x.dtype, has_values
        self.is_down = attrs.get("descending", True) and not has_values
        self.name = writer.unused("s")
        self.source = self.reshaped(writer.read(x), "_x")

    def reshaped(self, array: Expression, suffix: str, shape: tuple = ()) -> Name:
        name = self.name.with_suffix(suffix)
        self.writer.let(name, call("reshaped", array, shape or self.cubic))
        return name

    def less(self, first: Expression, second: Expression) -> Expression:
        """Whether an element comes before another one in any case."""
        if self.is_down:
            first, second = second, first
        if not self.dtype.is_floating:
            return first < second
        is_number, is_nan = first.equals(first), second.differs(second)
        tests = [is_nan.joined("and", is_number)]
        if self.has_values:  # of zeros, the reciprocals have signs
            unit = numpy_type(self.dtype.numpy_dtype.name)(1)
            tests.append(first.equals(second).joined("and", unit / first < unit / second))
        return (first < second).joined("or", *tests)

    def sort(self, put: Callable[[Name, Name, Expression, Name], None]) -> None:
        """Each element, or its number, is `put` to its place."""
        if self.size <= LONGEST:
            with self.writer.over_threads("k", self.count):
                before, at, after = decoded(self.writer, "k", range(3), self.cubic)
                rank = self.rank(before, at, after, 0, self.size)
                put(before, after, rank, self.name.with_suffix("_own") if self.has_values else at)
        else:
            self.merge(put)

    def rank(self, before: Name, at: Name, after: Name, start: Operand, stop: Operand) -> Name:
        """How many elements from `start` to `stop` come before the one at `at`."""
        writer, source = self.writer, self.source
        own, other, rank = map(self.name.with_suffix, ("_own", "_other", "_rank"))
        writer.let(own, source[before, at, after])
        writer.let(rank, call("np.int64", 0))
        with writer.loop("t", start, stop):
            writer.let(other, source[before, "t", after])
            is_equal = (Name("t") < at).joined("and", self.less(own, other).negated())
            with writer.when(self.less(other, own).joined("or", is_equal)):
                writer.let(rank, rank + 1)
        return rank

    # ---- long lines --------------------------------------------------------------------------

    def merge(self, put: Callable[[Name, Name, Expression, Name], None]) -> None:
        writer, node, size = self.writer, self.node, self.size
        writer.synchronize(writer.position(), writer.accesses(node.inputs, node.outputs))
        dtype = self.dtype.numpy_dtype if self.has_values else np.dtype(np.int32)
        first, second = (writer.scratch(dtype, self.count) for _ in range(2))
        with writer.over_threads("k", self.count):
            before, at, after = decoded(writer, "k", range(3), self.cubic)
            start = at // RUN * RUN
            stop = call("min", start + RUN, size)
            rank = self.rank(before, at, after, start, stop)
            own = self.name.with_suffix("_own") if self.has_values else call("np.int32", at)
            writer.let(first[self.line(before, after) * size + start + rank], own)
        writer.barrier()
        width = self.name.with_suffix("_width")
        writer.let(width, call("np.int64", RUN))
        twice = -(-math.ceil(math.log2(size / RUN)) // 2)
        with writer.loop(self.name.with_suffix("_level"), twice):
            for source, target in ((first, second), (second, first)):
                self.merge_pairs(source, target, width)
                writer.barrier()
                writer.let(width, width * 2)
        with writer.over_threads("k", self.count):
            before, place, after = decoded(writer, "k", range(3), self.cubic)
            element = self.name.with_suffix("_element")
            writer.let(element, first[self.line(before, after) * size + place])
            put(before, after, place, element)
        writer.pending |= writer.accesses((), (), reads=[first])

    def line(self, before: Expression, after: Expression) -> Expression:
        return before * self.cubic[2] + after

    def merge_pairs(self, source: Name, target: Name, width: Name) -> None:
        """Each element of a run goes to its place in the pair of runs."""
        writer, name, size = self.writer, self.name, self.size
        names = "_line", "_pair", "_start", "_own", "_low", "_high", "_middle", "_other", "_place"
        line, pair, start, own, low, high, middle, other, place = map(name.with_suffix, names)
        at, is_left, goes_on = Name("t"), name.with_suffix("_left"), name.with_suffix("_goes_on")
        before, after = (name.with_suffix(suffix) for suffix in ("_before", "_after"))

        def element(array: Expression) -> Expression:
            return array if self.has_values else self.source[before, array, after]

        mask = name.with_suffix("_mask")  # widths are powers of two
        writer.let(mask, call("np.int64", 0) - width * 2)
        with writer.over_threads("k", self.count):
            writer.let(line, Name("k") // size)
            writer.let(at, Name("k") % size)
            writer.let(before, line // self.cubic[2])
            writer.let(after, line % self.cubic[2])
            writer.let(pair, at & mask)
            writer.let(is_left, at - pair < width)
            middle_of_pair = call("min", pair + width, size)
            writer.let(start, is_left.choice(pair, middle_of_pair))
            writer.let(low, is_left.choice(middle_of_pair, pair))
            end = call("min", pair + width * 2, size)
            writer.let(high, is_left.choice(end, middle_of_pair))
            writer.let(place, pair + (at - start) - low)
            writer.let(own, element(source["k"]))
            with writer.while_loop(low < high):
                writer.let(middle, (low + high) // 2)
                writer.let(other, element(source[line * size + middle]))
                behind = is_left.joined("and", self.less(other, own))
                equal = is_left.negated().joined("and", self.less(own, other).negated())
                writer.let(goes_on, behind.joined("or", equal))
                writer.let(low, goes_on.choice(middle + 1, low))
                writer.let(high, goes_on.choice(high, middle))
            writer.let(target[line * size + place + low], source["k"])


def insertions(writer: GridWriter, node: Node) -> None:
    """The places of values in sorted rows: each thread looks for some, by bisection."""
    (rows, values), output = node.inputs, node.output
    size, is_right = dims(rows)[-1], node.attrs["side"] == "right"
    names = "_row", "_value", "_low", "_high", "_middle", "_item", "_rows"
    row, value, low, high, middle, item, every = map(writer.unused("s").with_suffix, names)
    writer.let(
        every, call("reshaped", writer.read(rows), (elements_of(rows) // max(size, 1), size))
    )

    def look(own: Expression, first: Operand) -> None:
        writer.let(value, own)
        writer.let(row, first)
        writer.let(low, call("np.int64", 0))
        writer.let(high, call("np.int64", size))
        with writer.while_loop(low < high):
            writer.let(middle, (low + high) // 2)
            writer.let(item, every[row, middle])
            pair = (value, item) if is_right else (item, value)
            is_nan = pair[1].differs(pair[1]).joined("and", pair[0].equals(pair[0]))
            test = (pair[0] < pair[1]).joined("or", is_nan)
            with writer.when(test.negated() if is_right else test):
                writer.let(low, middle + 1)
            with writer.otherwise():
                writer.let(high, middle)

    if not output.shape:
        look(writer.read(values), 0)
        writer.let(writer.name(output), writer.cast(low, output.dtype))
        return
    target = writer.buffer(output)
    every_value, places = value.with_suffix("s"), target.with_suffix("_all")
    count = elements_of(output)
    writer.let(every_value, call("reshaped", writer.read(values), (count,)))
    writer.let(places, call("reshaped", target, (count,)))
    with writer.over_threads("k", count):
        look(every_value["k"], 0 if len(dims(rows)) == 1 else Name("k") // dims(values)[-1])
        writer.let(places["k"], writer.cast(low, output.dtype))
