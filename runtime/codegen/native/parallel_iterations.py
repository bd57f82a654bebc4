"""Loops whose turns do not depend on each other: threads take turns.

A turn may write the rows of its own number, and take part in reductions that are exact in any order
(`loop_reductions.py`), whose partial results are put together in the order of the turns. Where the
number of turns is known only when the loop starts, few of them run as the loop stands.
"""

from __future__ import annotations

import numpy as np

from ...core.dtypes import bool_, int64
from ...core.shapes import is_static
from ...ir.graph import Node, Value
from ...ir.op import TABLE
from ...lowering.carried_scalars import Reduction, Reductions
from ...lowering.cost_model import MOST_CHUNKS
from ...lowering.independent_iterations import ParallelIterations
from ...lowering.not_native import NotNativeError
from ...lowering.program import Loop
from .loop_nests import NestWriter
from .parallel_loops import VARIABLE, plain

FLAGS = "taken"  # instead of a place: whether a piece has taken a candidate


class TurnWriter(NestWriter):
    """The part of the writer of native text that gives the turns of a loop to threads."""

    def __init__(self):
        super().__init__()
        self.constants_made: dict[Value, Node] = {}  # of single numbers

    def turns_as_part(
        self, step: Loop, turns: ParallelIterations, first_state, in_turn, depth: int
    ) -> None:
        """Write a loop as a part. Where it has to be seen when it runs whether that is worth it,
        `in_turn(depth)` writes it as it stands too.
        """
        first_state()
        least, count = turns.least, turns.loop.counting.count
        if not turns.has_two_versions:
            self.turn_by_turn(step, turns, str(count), depth)
            return
        number, alone = f"n{next(self.count)}", f"f{next(self.count)}"
        self.line(depth, f"{number} = {self.number_of_turns(step, turns)}")
        self.line(depth, f"{alone} = {number} < {least}{self.rows_meet(step, turns, number)}")
        self.line(depth, f"if not {alone}:")
        self.turn_by_turn(step, turns, number, depth + 1, alone)
        self.line(depth, f"if {alone}:  # few turns, or those before a failure")
        in_turn(depth + 1)

    def number_of_turns(self, step: Loop, turns: ParallelIterations) -> str:
        """How many turns there will be, or -1, as text."""
        counting = turns.loop.counting
        start = self.read(step.node.outputs[counting.place])
        limit = counting.limit
        end = str(limit) if isinstance(limit, int) else f"np.int64({self.read(limit)})"
        bounds = np.iinfo(counting.dtype.numpy_dtype)
        ends = f"{bounds.min}, {min(int(bounds.max), np.iinfo(np.int64).max)}"
        if counting.is_inclusive:
            end += " + 1" if counting.step > 0 else " - 1"
        exactly = counting.comparison == "not_equal"
        return f"turns_between(np.int64({start}), {end}, {counting.step}, {ends}, {exactly})"

    def rows_meet(self, step: Loop, turns: ParallelIterations, number: str) -> str:
        """The test that a turn counts its row from the end of an array, where another turn may
        count from the beginning.
        """
        counting = turns.loop.counting
        if not turns.loop.has_rows or (counting.step > 0 and isinstance(counting.start, int)):
            return ""
        start = f"np.int64({self.read(step.node.outputs[counting.place])})"
        lowest = start if counting.step > 0 else f"{start} + ({number} - 1) * {counting.step}"
        return f" or {lowest} < 0"

    def turn_by_turn(
        self,
        step: Loop,
        turns: ParallelIterations,
        count: str,
        depth: int,
        failed: str | None = None,
    ) -> None:
        """Each thread takes some of the turns; arrays that a turn works with are its own."""
        node, counting = step.node, turns.loop.counting
        partials = _Partials(self, node, turns.loop.reductions)
        length, pieces = self.pieces_of_turns(count, depth)
        partials.before(depth)
        private_lines: list[str] = []

        def write(at: int) -> None:
            private, self.private = self.private, None
            around = self.buffers, self.before
            self.split, self.in_part, self.is_outermost = None, True, False
            self.buffers, self.before = self.buffers.of(node.outputs), []
            partials.start(at)
            self.line(at, f"for turn in range(min({length}, {count} - first)):")
            self.turn(step, turns, at + 1)
            partials.hand_over(step.body.outputs, at + 1)
            partials.leave(at)
            private += self.before
            private_lines.extend(private)
            self.buffers, self.before = around
            self.private, self.in_part = private, False

        def words(body: list[str]) -> dict[str, Value]:
            named = {
                name: value
                for value, name in self.names.items()
                if value.shape is not None and is_static(value.shape) and VARIABLE.match(name)
            }
            named |= {word: Value(int64, (), word) for word in (count, length, pieces)}
            return self.words_around([*body, *private_lines], named | partials.words)

        self.divided(length, pieces, write, words, depth, failed)
        if failed is not None:
            self.line(depth, f"if not {failed}:")
            depth += 1
        partials.merge(pieces, depth)
        counter = node.outputs[counting.place]
        end = f"np.int64({self.read(counter)}) + {count} * {counting.step}"
        self.line(depth, f"{self.read(counter)} = {self.cast(end, counter.dtype)}")

    def pieces_of_turns(self, count: str, depth: int) -> tuple[str, str]:
        """How many turns a piece has, and how many pieces there are: as many as may be, since one
        turn may take longer than others.
        """
        if count.isdigit():
            length = -(-int(count) // MOST_CHUNKS)
            return str(length), str(-(-int(count) // length))
        length, pieces = f"{count}_length", f"{count}_pieces"
        self.line(depth, f"{length} = ({count} + {MOST_CHUNKS - 1}) // {MOST_CHUNKS}")
        self.line(depth, f"{pieces} = ({count} + {length} - 1) // {length}")
        return length, pieces

    def turn(self, step: Loop, turns: ParallelIterations, depth: int) -> None:
        """One turn, whose number follows from those of the piece."""
        node, place = step.node, turns.loop.counting.place
        operands = [*node.outputs, *node.inputs[node.attrs["carried"] :]]
        self.bind(step.body, operands, node.outputs)
        own, start = step.body.inputs[place], self.read(node.outputs[place])
        self.names[own] = f"v{next(self.count)}"
        number = f"np.int64({start}) + (first + turn) * {turns.loop.counting.step}"
        self.line(depth, f"{self.read(own)} = {self.cast(number, own.dtype)}")
        self.block(step.body, depth)
        for value, made in zip(node.outputs, step.body.outputs, strict=True):
            if value.shape and self.read(value) != self.read(made):
                raise NotNativeError(f"'{value.name}' moves in a loop", node.where)


class _Partials:
    """What the pieces of a loop leave of the numbers that it reduces."""

    def __init__(self, writer: TurnWriter, node: Node, reductions: Reductions):
        self.writer = writer
        self.node = node
        self.reductions = reductions
        self.places = list(reductions.by_place)
        self.arrays: dict[object, str] = {}  # where the pieces leave them
        self.starts: dict[int, str] = {}  # what a piece starts with
        self.flags: dict[int, str] = {}  # by place of the leader
        self.words: dict[str, Value] = {}

    def name(self, place: int) -> str:
        return self.writer.read(self.node.outputs[place])

    def new_word(self, letter: str, dtype, shape=()) -> str:
        word = f"{letter}{next(self.writer.count)}"
        self.words[word] = Value(dtype, shape, word)
        return word

    def new_array(self, dtype, depth: int) -> str:
        word = self.new_word("p", dtype, (MOST_CHUNKS,))
        kind = plain(dtype.numpy_dtype.name)
        self.writer.scratch(f"{word} = new_array(({MOST_CHUNKS},), np.{kind})", depth)
        return word

    def before(self, depth: int) -> None:
        """Room for what is left, and the numbers that pieces start with."""
        for place in self.places:
            value, op = self.node.outputs[place], self.reductions.by_place[place].op
            self.arrays[place] = self.new_array(value.dtype, depth)
            if TABLE[op].identity is not None:
                number = np.asarray(TABLE[op].identity, value.dtype.numpy_dtype)
                self.starts[place] = self.writer.literal(number)
            else:
                self.starts[place] = self.new_word("s", value.dtype)
                self.writer.line(depth, f"{self.starts[place]} = {self.name(place)}")
        for node, (leader, side) in self.reductions.takes.items():
            if self.needs_flag(leader):
                if leader not in self.flags:
                    self.flags[leader] = f"f{next(self.writer.count)}"
                    self.arrays[FLAGS, leader] = self.new_array(bool_, depth)
                self.writer.taking[node, side] = self.flags[leader]

    def needs_flag(self, leader: int) -> bool:
        """Whether a candidate may equal the number that pieces start with, and win."""
        return self.reductions.by_place[leader].op.endswith("_equal")

    def start(self, depth: int) -> None:
        for place, text in self.starts.items():
            self.writer.line(depth, f"{self.name(place)} = {text}")
        for flag in self.flags.values():
            self.writer.line(depth, f"{flag} = False")

    def hand_over(self, made, depth: int) -> None:
        """The end of a turn."""
        if self.places:
            left = ", ".join(self.name(place) for place in self.places)
            right = ", ".join(self.writer.read(made[place]) for place in self.places)
            self.writer.line(depth, f"{left} = {right}")

    def leave(self, depth: int) -> None:
        """The end of a piece."""
        for place in self.places:
            self.writer.line(depth, f"{self.arrays[place]}[number] = {self.name(place)}")
        for leader, flag in self.flags.items():
            self.writer.line(depth, f"{self.arrays[FLAGS, leader]}[number] = {flag}")
        self.writer.taking = {}

    def merge(self, pieces: str, depth: int) -> None:
        """What the pieces have left becomes one, in the order of the turns."""
        if not self.places:
            return
        self.writer.line(depth, "number = 0")
        self.writer.line(depth, f"while number < {pieces}:")
        for place, reduction in self.reductions.by_place.items():
            if reduction.leader is None:
                self.combine(place, reduction, depth + 1)
            elif reduction.leader == place:
                self.choose(place, reduction, depth + 1)
        self.writer.line(depth + 1, "number += hidden(1)")  # LLVM need not write it out

    def combine(self, place: int, reduction: Reduction, depth: int) -> None:
        value, writer = self.node.outputs[place], self.writer
        text = TABLE[reduction.op].scalar.format(x=self.name(place), y=self.left(place))
        text = writer.cast(writer.with_functions(text, value.dtype), value.dtype)
        writer.line(depth, f"{self.name(place)} = {text}")

    def choose(self, leader: int, reduction: Reduction, depth: int) -> None:
        """What a piece has chosen wins against those before it as it would have one by one."""
        sign = TABLE[reduction.op].scalar.format(x=self.left(leader), y=self.name(leader))
        if leader in self.flags:
            sign = f"{self.arrays[FLAGS, leader]}[number] and {sign}"
        self.writer.line(depth, f"if {sign}:")
        for place, other in self.reductions.by_place.items():
            if other.leader == leader:
                self.writer.line(depth + 1, f"{self.name(place)} = {self.left(place)}")

    def left(self, place: int) -> str:
        return f"{self.arrays[place]}[number]"
