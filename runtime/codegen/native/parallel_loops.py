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

WORD = re.compile(r"[A-Za-z_]\w*")
VARIABLE = re.compile(r"[a-z]\w*$")
ASSIGNED = re.compile(r"^\s*([A-Za-z_][\w, ]*?) (?:[+\-*|&]?=) ", re.MULTILINE)
FAILING = re.compile(r"(?<!\w)(wrapped_index|checked_index)\(")  # notes the failure instead
FIRST_WORD = 2  # after the number of the next piece, and whether something failed


class PartWriter:
    """The part of a NestWriter that splits loops."""

    def __init__(self):
        self.parts: list[str] = []
        self.split: int | None = None  # turns of a piece, while a part is written
        self.is_outermost = False
        self.in_part = False  # whether what is written is one thread's own
        self.private: list[str] | None = None  # lines before the loop, in the part
        self.partials: dict[Node, Value] = {}  # where pieces leave what they reduce to

    def outermost(self, index: str, size: int, depth: int) -> int:
        """A loop, or the piece of it if it is the one that is split; gives the depth inside."""
        if self.is_outermost and self.split is not None:
            self.line(depth, f"for turn in range(min({self.split}, {size} - first)):")
            self.line(depth + 1, f"{index} = first + turn")
        else:
            text = f"hidden({size})" if size >= HIDDEN_TRIP_COUNT_FROM else size
            self.line(depth, f"for {index} in range({text}):")
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
        if self.in_part or chunks is None:
            write(depth)
            return
        for node in reductions:
            given = node.inputs[0].dtype
            dtype = given if self.wide(node) == given.numpy_dtype else float64
            word = f"p{next(self.count)}"
            self.partials[node] = Value(dtype, (chunks.count,), word)
            self.scratch(f"{word} = new_array(({chunks.count},), np.{plain(dtype.name)})", depth)
        self.shared([nest], chunks, write, depth)
        for node in reductions:
            self.start_reduction(node, depth)
            partial = self.partials.pop(node).name
            self.line(depth, f"for number in range({chunks.count}):")
            self.combine(node, f"{partial}[number]", depth + 1)
            self.finish_reduction(node, [], depth)

    def shared(
        self, nests: list[Nest], chunks: Chunks | None, write: Callable[[int], None], depth: int
    ) -> None:
        """The lines of `write(depth)`, a loop, for one thread, or in chunks for several."""
        if self.in_part or chunks is None:
            write(depth)
            return

        def words(body: list[str]) -> dict[str, Value]:
            return self.outer_words(body, nests)

        self.divided(*chunks, write, words, depth)

    def spread(
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
        chunks = None if self.in_part else call_chunks(cost, size)
        if chunks is None:
            write(depth, "0", str(size))
            return
        length, count = chunks
        turns = f"min({length}, {size} - first)"
        self.divided(length, count, lambda at: write(at, "first", turns), lambda _: values, depth)

    def divided(
        self,
        length: int | str,
        count: int | str,
        write: Callable[[int], None],
        words_of: Callable[[list[str]], dict[str, Value]],
        depth: int,
        failed: str | None = None,
    ) -> None:
        """The lines of `write(depth)` as a part, in `count` pieces of `length` turns: numbers, or
        variables that hold them. The kernel fails where a piece does, or the variable `failed` is
        true then.
        """
        start, pieces = len(self.lines), len(self.parts)
        self.split, self.private = length, []
        write(2)
        body, private = self.lines[start:], self.private
        del self.lines[start:]
        self.split = self.private = None
        words = words_of([*body, f"{length} {count}"])
        head = [_loaded(*row, place) for place, row in enumerate(words.items(), start=FIRST_WORD)]
        head += private
        self.parts.append(_part_text(pieces + 1, len(words), head, body, length, count))
        self.line(depth, f"table = np.zeros({FIRST_WORD + len(words)}, np.int64)")
        for place, (word, value) in enumerate(words.items(), start=FIRST_WORD):
            self.line(depth, _stored(word, value, place))
        run = f"run_part(parts[{pieces}], table, {count}, live)"
        if failed is not None:
            self.line(depth, f"{failed} = {run}")
            return
        self.line(depth, f"if {run}:")
        self.line(depth + 1, "raise IndexError")

    def outer_words(self, lines: list[str], nests: list[Nest]) -> dict[str, Value]:
        """The variables that lines need from around them, each with a value that it holds."""
        found = {word for text in lines for word in WORD.findall(text)}
        values = {
            value
            for nest in nests
            for node in nest.nodes
            for value in (*node.inputs, node.output)
            if value in self.names
        }
        named = {self.names[value]: value for value in values}
        named |= {value.name: value for value in self.partials.values()}
        named |= {word: Value(int64, (), word) for word in self.fixed.values()}
        return {word: named[word] for word in sorted(found & named.keys())}

    def words_around(self, lines: list[str], named: dict[str, Value]) -> dict[str, Value]:
        """The variables of `named` that lines read and do not assign."""
        text = "\n".join(lines)
        assigned = {word for row in ASSIGNED.findall(text) for word in WORD.findall(row)}
        found = set(WORD.findall(text)) - assigned
        return {word: named[word] for word in sorted(found & named.keys())}


def _stored(word: str, value: Value, place: int) -> str:
    """The line that puts a variable into the table."""
    if value.shape:
        return f"table[{place}] = {word}.ctypes.data"
    if value.dtype.is_floating:
        return f"table.view(np.float64)[{place}] = {word}"
    return f"table[{place}] = np.int64({word})"


def _loaded(word: str, value: Value, place: int) -> str:
    """The line that takes a variable from the table."""
    kind = value.dtype.numpy_dtype.name
    if value.shape:
        return f"{word} = array_at(table[{place}], {value.shape}, np.{plain(kind)})"
    if value.dtype.is_floating:
        return f"{word} = np.{kind}(table.view(np.float64)[{place}])"
    return f"{word} = {'bool' if kind == 'bool' else f'np.{kind}'}(table[{place}])"


def plain(kind: str) -> str:
    return "bool_" if kind == "bool" else kind


def _part_text(number: int, words: int, head, body, length, count) -> str:
    lines = [
        f"def part_{number}(address):",
        f"    table = array_at(address, ({FIRST_WORD + words},), np.int64)",
        *(f"    {text}" for text in head),
        "    while True:",
        "        number = taken(address)",
        f"        if number < 0 or number >= {count}:",
        "            break",
        f"        first = number * {length}",
        *(FAILING.sub(r"noted_\1(table, ", text) for text in body),
    ]
    return "\n".join(lines) + "\n"
