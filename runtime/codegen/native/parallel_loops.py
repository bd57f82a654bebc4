"""Parallel regions: loops whose iterations are independent, in chunks that threads share.

The body of such a loop is outlined as a function, a parallel region, which takes the next chunk
from a counter until none is left. Scalars and addresses of arrays are passed to it in a table of
64-bit integers. The kernel wakes other threads, runs the region itself too, and waits for them.

The chunks are the same whatever the number of threads, and so are the results.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterable, Iterator

from ...core.dtypes import float64, int64
from ...ir.graph import Node, Value
from ...lowering.cost_model import HIDDEN_TRIP_COUNT_FROM, Chunks
from ...lowering.nest_schedule import call_chunks
from ...lowering.program import Nest
from .loop_ir import Builder, ParallelRegion, Simple, Statement, names_read, names_written

VARIABLE = re.compile(r"[a-z]\w*$")
FIRST_CAPTURE = 2  # after the next chunk, and whether something failed


class ParallelLoopWriter:
    """The methods of a NestWriter that write parallel regions."""

    def __init__(self):
        self.regions: list[ParallelRegion] = []
        self.split: int | None = None  # iterations of a chunk, while a region is written
        self.is_outermost = False
        self.in_region = False  # whether what is written is one thread's own
        self.preamble: list[str] | None = None  # lines before the chunks of a region
        self.partials: dict[Node, Value] = {}  # where chunks leave partial results

    def outermost(self, index: str, size: int, depth: int) -> int:
        """A loop, or one chunk of it if it is the parallel one; returns the depth inside."""
        if self.is_outermost and self.split is not None:
            self.line(depth, f"for iteration in range(min({self.split}, {size} - first)):")
            self.line(depth + 1, f"{index} = first + iteration")
        else:
            source = f"opaque({size})" if size >= HIDDEN_TRIP_COUNT_FROM else size
            self.line(depth, f"for {index} in range({source}):")
        self.is_outermost = False
        return depth + 1

    def reduced(
        self,
        nest: Nest,
        chunks: Chunks | None,
        reductions: list[Node],
        write: Callable[[int], None],
        depth: int,
    ) -> None:
        """Loops that reduce everything to one element: each chunk, then the partial results."""
        if self.in_region or chunks is None:
            write(depth)
            return
        for node in reductions:
            operand_dtype = node.inputs[0].dtype
            dtype = (
                operand_dtype
                if self.accumulator_dtype(node) == operand_dtype.numpy_dtype
                else float64
            )
            name = f"p{next(self.count)}"
            self.partials[node] = Value(dtype, (chunks.number,), name)
            self.scratch(
                f"{name} = new_array(({chunks.number},), np.{numpy_name(dtype.name)})", depth
            )
        self.parallel_nests([nest], chunks, write, depth)
        for node in reductions:
            self.start_reduction(node, depth)
            partial = self.partials.pop(node).name
            self.line(depth, f"for chunk in range({chunks.number}):")
            self.combine(node, f"{partial}[chunk]", depth + 1)
            self.finish_reduction(node, [], depth)

    def parallel_nests(
        self, nests: list[Nest], chunks: Chunks | None, write: Callable[[int], None], depth: int
    ) -> None:
        """The lines of `write(depth)`, a loop, for one thread, or in chunks for several."""
        if self.in_region or chunks is None:
            write(depth)
            return

        def captures(body: list[Statement]) -> dict[str, Value]:
            return self.captures_of_nests(body, nests)

        self.parallel_region(*chunks, write, captures, depth)

    def parallel_call(
        self,
        values: dict[str, Value],
        size: int,
        cost: float,
        write: Callable[[int, str, str], None],
        depth: int,
    ) -> None:
        """A call with `size` independent iterations: `write(depth, first, count)` writes it for
        some of them. `values` are the arrays that it takes, by name; `cost` is in nanoseconds.
        """
        chunks = None if self.in_region else call_chunks(cost, size)
        if chunks is None:
            write(depth, "0", str(size))
            return
        length, count = chunks
        length_source = f"min({length}, {size} - first)"
        self.parallel_region(
            length, count, lambda at: write(at, "first", length_source), lambda _: values, depth
        )

    def parallel_region(
        self,
        length: int | str,
        count: int | str,
        write: Callable[[int], None],
        captures_of: Callable[[list[Statement]], dict[str, Value]],
        depth: int,
        failed: str | None = None,
    ) -> None:
        """The lines of `write(depth)` as a region: `count` chunks of `length` iterations, numbers
        or variables. The kernel fails where a chunk does, or sets the variable `failed`.
        """
        region, outer = len(self.regions), self.code
        self.split, self.preamble, self.code = length, [], Builder(2)
        write(2)
        body, preamble = self.code.root, self.preamble
        self.split, self.preamble, self.code = None, None, outer
        captures = captures_of([*body, Simple(str(length)), Simple(str(count))])
        loads = [
            _loaded(*row, position)
            for position, row in enumerate(captures.items(), start=FIRST_CAPTURE)
        ]
        size = FIRST_CAPTURE + len(captures)
        self.regions.append(ParallelRegion(region + 1, loads, preamble, body, length, count, size))
        self.line(depth, f"table = np.zeros({size}, np.int64)")
        for position, (name, value) in enumerate(captures.items(), start=FIRST_CAPTURE):
            self.line(depth, _stored(name, value, position))
        run = f"run_region(regions[{region}], table, {count}, control)"
        if failed is not None:
            self.line(depth, f"{failed} = {run}")
            return
        self.line(depth, f"if {run}:")
        self.line(depth + 1, "raise IndexError")

    @contextlib.contextmanager
    def private_buffers(self, values: Iterable[Value]) -> Iterator[list[str]]:
        """While it is entered, the work of one thread is written: it may overwrite the `values`,
        and makes the other buffers for itself, before its first chunk. Gives what it makes.
        """
        preamble, outer = self.preamble, (self.split, self.buffers, self.allocations)
        self.split, self.preamble, self.in_region, self.is_outermost = None, None, True, False
        self.buffers, self.allocations = self.buffers.of(values), []
        yield preamble
        preamble += self.allocations
        self.split, self.buffers, self.allocations = outer
        self.preamble, self.in_region = preamble, False

    def captures_of_nests(self, body: list[Statement], nests: list[Nest]) -> dict[str, Value]:
        """The variables that nests need from around them, each with a value that it holds."""
        values = {
            value
            for nest in nests
            for node in nest.nodes
            for value in (*node.inputs, node.output)
            if value in self.names
        }
        named = {self.names[value]: value for value in values}
        named |= {value.name: value for value in self.partials.values()}
        named |= {name: Value(int64, (), name) for name in self.hoisted.values()}
        return {name: named[name] for name in sorted(names_read(body) & named.keys())}

    def captures_of(self, body: list[Statement], named: dict[str, Value]) -> dict[str, Value]:
        """The variables of `named` that statements read and do not assign."""
        captured = (names_read(body) - names_written(body)) & named.keys()
        return {name: named[name] for name in sorted(captured)}


def _stored(name: str, value: Value, position: int) -> str:
    """The line that puts a variable into the table."""
    if value.shape:
        return f"table[{position}] = {name}.ctypes.data"
    if value.dtype.is_floating:
        return f"table.view(np.float64)[{position}] = {name}"
    return f"table[{position}] = np.int64({name})"


def _loaded(name: str, value: Value, position: int) -> str:
    """The line that takes a variable from the table."""
    dtype = value.dtype.numpy_dtype.name
    if value.shape:
        return f"{name} = array_at(table[{position}], {value.shape}, np.{numpy_name(dtype)})"
    if value.dtype.is_floating:
        return f"{name} = np.{dtype}(table.view(np.float64)[{position}])"
    return f"{name} = {'bool' if dtype == 'bool' else f'np.{dtype}'}(table[{position}])"


def numpy_name(dtype: str) -> str:
    return "bool_" if dtype == "bool" else dtype
