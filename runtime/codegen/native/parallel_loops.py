"""Loops whose turns do not depend on each other, split into pieces that threads share.

The lines of such a loop become a function of their own, a *part*, that takes the number of the next
piece from a counter until there is none. Scalars and addresses of arrays reach it in a table of
64-bit words. The kernel lets other threads in, runs the part itself too, and waits.

The pieces are the same whatever the number of threads, and so are the results.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from ...core.dtypes import float64, int64
from ...ir.graph import Node, Value
from ...lowering.cost_model import HIDDEN_TRIP_COUNT_FROM, Chunks
from ...lowering.nest_schedule import call_chunks
from ...lowering.program import Nest

NAME = re.compile(r"[A-Za-z_]\w*")
VARIABLE = re.compile(r"[a-z]\w*$")
ASSIGNED = re.compile(r"^\s*([A-Za-z_][\w, ]*?) (?:[+\-*|&]?=) ", re.MULTILINE)
FAILING = re.compile(r"(?<!\w)(wrapped_index|checked_index)\(")  # notes the failure instead
FIRST_CAPTURE = 2  # after the number of the next piece, and whether something failed


class ParallelLoopWriter:
    """The part of a NestWriter that splits loops."""

    def __init__(self):
        self.regions: list[str] = []
        self.split: int | None = None  # turns of a piece, while a part is written
        self.is_outermost = False
        self.in_region = False  # whether what is written is one thread's own
        self.preamble: list[str] | None = None  # lines before the loop, in the part
        self.partials: dict[Node, Value] = {}  # where pieces leave what they reduce to

    def outermost(self, index: str, size: int, depth: int) -> int:
        """A loop, or the piece of it if it is the one that is split; gives the depth inside."""
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
        """Loops that reduce everything to one element each: pieces first, then their results."""
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
            self.partials[node] = Value(dtype, (chunks.count,), name)
            self.scratch(
                f"{name} = new_array(({chunks.count},), np.{numpy_name(dtype.name)})", depth
            )
        self.parallel_nests([nest], chunks, write, depth)
        for node in reductions:
            self.start_reduction(node, depth)
            partial = self.partials.pop(node).name
            self.line(depth, f"for chunk in range({chunks.count}):")
            self.combine(node, f"{partial}[chunk]", depth + 1)
            self.finish_reduction(node, [], depth)

    def parallel_nests(
        self, nests: list[Nest], chunks: Chunks | None, write: Callable[[int], None], depth: int
    ) -> None:
        """The lines of `write(depth)`, a loop, for one thread, or in chunks for several."""
        if self.in_region or chunks is None:
            write(depth)
            return

        def captures(body: list[str]) -> dict[str, Value]:
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
        """A call that does `size` independent turns: `write(depth, first, count)` writes it for
        some of them. `values` are the arrays that it takes, by name; `cost` is in nanoseconds.
        """
        chunks = None if self.in_region else call_chunks(cost, size)
        if chunks is None:
            write(depth, "0", str(size))
            return
        length, count = chunks
        length_text = f"min({length}, {size} - first)"
        self.parallel_region(
            length, count, lambda at: write(at, "first", length_text), lambda _: values, depth
        )

    def parallel_region(
        self,
        length: int | str,
        count: int | str,
        write: Callable[[int], None],
        captures_of: Callable[[list[str]], dict[str, Value]],
        depth: int,
        failed: str | None = None,
    ) -> None:
        """The lines of `write(depth)` as a part, in `count` pieces of `length` turns: numbers, or
        variables that hold them. The kernel fails where a piece does, or the variable `failed` is
        true then.
        """
        start, region = len(self.lines), len(self.regions)
        self.split, self.preamble = length, []
        write(2)
        body, preamble = self.lines[start:], self.preamble
        del self.lines[start:]
        self.split = self.preamble = None
        captures = captures_of([*body, f"{length} {count}"])
        head = [
            _loaded(*row, position)
            for position, row in enumerate(captures.items(), start=FIRST_CAPTURE)
        ]
        head += preamble
        self.regions.append(_region_source(region + 1, len(captures), head, body, length, count))
        self.line(depth, f"table = np.zeros({FIRST_CAPTURE + len(captures)}, np.int64)")
        for position, (name, value) in enumerate(captures.items(), start=FIRST_CAPTURE):
            self.line(depth, _stored(name, value, position))
        run = f"run_region(regions[{region}], table, {count}, control)"
        if failed is not None:
            self.line(depth, f"{failed} = {run}")
            return
        self.line(depth, f"if {run}:")
        self.line(depth + 1, "raise IndexError")

    def captures_of_nests(self, lines: list[str], nests: list[Nest]) -> dict[str, Value]:
        """The variables that lines need from around them, each with a value that it holds."""
        found = {name for source in lines for name in NAME.findall(source)}
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
        return {name: named[name] for name in sorted(found & named.keys())}

    def captures_of(self, lines: list[str], named: dict[str, Value]) -> dict[str, Value]:
        """The variables of `named` that lines read and do not assign."""
        source = "\n".join(lines)
        assigned = {name for row in ASSIGNED.findall(source) for name in NAME.findall(row)}
        found = set(NAME.findall(source)) - assigned
        return {name: named[name] for name in sorted(found & named.keys())}


def _stored(name: str, value: Value, position: int) -> str:
    """The line that puts a variable into the table."""
    if value.shape:
        return f"table[{position}] = {name}.ctypes.data"
    if value.dtype.is_floating:
        return f"table.view(np.float64)[{position}] = {name}"
    return f"table[{position}] = np.int64({name})"


def _loaded(name: str, value: Value, position: int) -> str:
    """The line that takes a variable from the table."""
    kind = value.dtype.numpy_dtype.name
    if value.shape:
        return f"{name} = array_at(table[{position}], {value.shape}, np.{numpy_name(kind)})"
    if value.dtype.is_floating:
        return f"{name} = np.{kind}(table.view(np.float64)[{position}])"
    return f"{name} = {'bool' if kind == 'bool' else f'np.{kind}'}(table[{position}])"


def numpy_name(kind: str) -> str:
    return "bool_" if kind == "bool" else kind


def _region_source(number: int, captures: int, head, body, length, count) -> str:
    lines = [
        f"def region_{number}(address):",
        f"    table = array_at(address, ({FIRST_CAPTURE + captures},), np.int64)",
        *(f"    {source}" for source in head),
        "    while True:",
        "        chunk = next_chunk(address)",
        f"        if chunk < 0 or chunk >= {count}:",
        "            break",
        f"        first = chunk * {length}",
        *(FAILING.sub(r"noted_\1(table, ", source) for source in body),
    ]
    return "\n".join(lines) + "\n"
