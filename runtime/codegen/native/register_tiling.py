"""Loops that treat each element alike: all turns for a group of elements, which stay in registers,
then those for the next one. Threads share the groups where that pays.

An element goes through the same operations in the same order as in the loop as it stands, so the
results are the same to the last bit, however many elements a group has.
"""

from __future__ import annotations

from ...core.shapes import size_of
from ...ir.graph import Value
from ...lowering.cost_model import CHECK_EVERY
from ...lowering.elementwise_loops import RegisterTiling, array_nodes
from ...lowering.program import LibraryCall, Loop, Nest, Program
from .loop_nests import NestWriter
from .parallel_loops import VARIABLE


class RegisterWriter(NestWriter):
    """The part of the writer of native text that keeps the state of loops in registers."""

    def element_by_element(self, step: Loop, tiling: RegisterTiling, depth: int) -> None:
        """All turns for a group of elements, then those for the next one."""
        arrays = tiling.arrays
        for one in (*step.test.steps, *step.body.steps):
            if isinstance(one, LibraryCall):
                self.constant(one.node)
        size, lanes = size_of(arrays[0].shape), tiling.width
        shared = not self.in_part and tiling.chunks is not None
        if shared:
            self.shared_groups(step, tiling, depth)
        else:
            flat = {value: self.read(value) for value in arrays}
            for value in flat if len(arrays[0].shape) > 1 else ():
                flat[value] = f"{self.read(value)}_"
                self.line(depth, f"{flat[value]} = reshaped({self.read(value)}, ({size},))")
            self.line(depth, f"for start in range(0, {size}, {lanes}):")
            self.group(step, tiling, flat, depth + 1)
        if shared or tiling.stops_early:  # what the numbers are in the end
            self.start_of_numbers(step, depth)
            self.turns(step, tiling, {}, depth)

    def shared_groups(self, step: Loop, tiling: RegisterTiling, depth: int) -> None:
        """The groups in pieces, of which threads take one after another."""
        arrays, lanes, (length, count) = tiling.arrays, tiling.width, tiling.chunks
        size = size_of(arrays[0].shape)

        def write(at: int) -> None:
            self.line(at, f"for start in range(first, min(first + {length}, {size}), {lanes}):")
            self.group(step, tiling, {value: self.read(value) for value in arrays}, at + 1)

        def words(body: list[str]) -> dict[str, Value]:
            named = {
                self.names[value]: Value(value.dtype, (size,) if value.shape else (), "")
                for value in self.names
                if VARIABLE.match(self.names[value])
                and value.shape is not None
                and (not value.shape or size_of(value.shape) == size)
            }
            return self.words_around(body, named)

        self.divided(length, count, write, words, depth)

    def start_of_numbers(self, step: Loop, depth: int) -> None:
        """The numbers of the state are those before the loop."""
        for value, given in zip(step.node.outputs, step.node.inputs, strict=False):
            if not value.shape:
                self.line(depth, f"{self.read(value)} = {self.read(given)}")

    def group(self, step: Loop, tiling: RegisterTiling, flat: dict[Value, str], depth: int) -> None:
        """All turns for the elements from `start` on; `flat` names the arrays, of rank 1."""
        self.start_of_numbers(step, depth)
        held = {value: f"e{next(self.count)}" for value in flat}
        for value, name in held.items():
            self.line(depth, f"{name} = lanes_at({flat[value]}, start, {tiling.width})")
        if tiling.stops_early:
            self.line(depth, "turns = 0")
        self.turns(step, tiling, held, depth)
        rows = zip(step.node.outputs, step.body.inputs, step.body.outputs, strict=False)
        for value, given, made in rows:
            if value.shape and made is not given:
                self.line(depth, f"lanes_put({flat[value]}, start, {held[value]})")

    def turns(self, step: Loop, tiling: RegisterTiling, held: dict[Value, str], depth: int) -> None:
        """The loop over turns. `held` are variables with elements of the arrays; without them it is
        for the numbers of the state alone.
        """
        node, carried = step.node, step.node.attrs["carried"]
        operands = [*node.outputs, *node.inputs[carried:]]
        self.line(depth, "while True:")
        depth += 1
        self.bind(step.test, operands, ())
        self.scalar_steps(step.test, depth)
        self.line(depth, f"if not {self.read(step.test.outputs[0])}:")
        self.line(depth + 1, "break")
        self.bind(step.body, operands, ())
        self.scalar_steps(step.body, depth)
        rows = [
            (self.read(value), self.read(made))
            for value, made in zip(node.outputs, step.body.outputs, strict=True)
            if not value.shape
        ]
        if held:
            rows += self.turn_of_group(step, tiling, held, depth)
        if rows:
            left, right = zip(*rows, strict=True)
            self.line(depth, f"{', '.join(left)} = {', '.join(right)}")

    def scalar_steps(self, program: Program, depth: int) -> None:
        for step in program.steps:
            if isinstance(step, Nest) and not step.space.shape:
                self.scalars(step, depth)

    def turn_of_group(self, step: Loop, tiling: RegisterTiling, held: dict[Value, str], depth: int):
        """One turn for a group: the variables that change, each with its next value."""
        node, body, carried = step.node, step.body, step.node.attrs["carried"]
        operands = [*node.outputs, *node.inputs[carried:]]
        self.registers = dict(held)  # of constants; then what is inside has other names
        for value, inside in zip(operands, body.inputs, strict=True):
            if value.shape:
                self.registers[inside] = held[value]
        for one in array_nodes(body):
            self.register(one, (), depth)
        rows = [
            (held[value], self.registers[made])
            for value, made in zip(node.outputs, body.outputs, strict=True)
            if value.shape and held[value] != self.registers[made]
        ]
        self.registers = {}
        if tiling.stops_early:
            pairs = ", ".join(f"{old}, {made}" for old, made in rows)
            self.line(depth, f"if turns % {CHECK_EVERY} == 0 and not lanes_differ({pairs}):")
            self.line(depth + 1, "break")
            self.line(depth, "turns += 1")
        return rows
