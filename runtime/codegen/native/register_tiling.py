"""Elementwise loops in register tiles, as source: see `lowering/elementwise_loops.py`.

All iterations run for a tile of elements, which stay in vector registers, then for the next tile.
"""

from __future__ import annotations

from ...core.shapes import size_of
from ...ir.graph import Value
from ...lowering.cost_model import CHECK_EVERY
from ...lowering.elementwise_loops import RegisterTiling, array_nodes
from ...lowering.program import LibraryCall, Loop, Nest, Program
from .loop_ir import Statement
from .loop_nests import NestWriter
from .parallel_loops import VARIABLE


class RegisterTilingWriter(NestWriter):
    """The methods of the emitter that keep the state of loops in vector registers."""

    def register_tiles(self, step: Loop, tiling: RegisterTiling, depth: int) -> None:
        """All iterations for a tile of elements, then those for the next one."""
        arrays = tiling.arrays
        for one in (*step.test.steps, *step.body.steps):
            if isinstance(one, LibraryCall):
                self.constant(one.node)
        size, width = size_of(arrays[0].shape), tiling.width
        is_parallel = not self.in_region and tiling.chunks is not None
        if is_parallel:
            self.parallel_tiles(step, tiling, depth)
        else:
            flat = {value: self.read(value) for value in arrays}
            for value in flat if len(arrays[0].shape) > 1 else ():
                flat[value] = f"{self.read(value)}_"
                self.line(depth, f"{flat[value]} = reshaped({self.read(value)}, ({size},))")
            self.line(depth, f"for start in range(0, {size}, {width}):")
            self.tile(step, tiling, flat, depth + 1)
        if is_parallel or tiling.stops_early:  # what the scalars are in the end
            self.start_of_scalars(step, depth)
            self.iterations(step, tiling, {}, depth)

    def parallel_tiles(self, step: Loop, tiling: RegisterTiling, depth: int) -> None:
        """The tiles in chunks that threads share."""
        arrays, width, (length, count) = tiling.arrays, tiling.width, tiling.chunks
        size = size_of(arrays[0].shape)

        def write(at: int) -> None:
            self.line(at, f"for start in range(first, min(first + {length}, {size}), {width}):")
            self.tile(step, tiling, {value: self.read(value) for value in arrays}, at + 1)

        def captures(body: list[Statement]) -> dict[str, Value]:
            named = {
                self.names[value]: Value(value.dtype, (size,) if value.shape else (), "")
                for value in self.names
                if VARIABLE.match(self.names[value])
                and value.shape is not None
                and (not value.shape or size_of(value.shape) == size)
            }
            return self.captures_of(body, named)

        self.parallel_region(length, count, write, captures, depth)

    def start_of_scalars(self, step: Loop, depth: int) -> None:
        """The numbers of the state are those before the loop."""
        for value, initial in zip(step.node.outputs, step.node.inputs, strict=False):
            if not value.shape:
                self.line(depth, f"{self.read(value)} = {self.read(initial)}")

    def tile(self, step: Loop, tiling: RegisterTiling, flat: dict[Value, str], depth: int) -> None:
        """All iterations for the elements from `start` on; `flat` names the arrays, of rank 1."""
        self.start_of_scalars(step, depth)
        registers_of = {value: f"e{next(self.count)}" for value in flat}
        for value, name in registers_of.items():
            self.line(depth, f"{name} = lanes_at({flat[value]}, start, {tiling.width})")
        if tiling.stops_early:
            self.line(depth, "iterations = 0")
        self.iterations(step, tiling, registers_of, depth)
        rows = zip(step.node.outputs, step.body.inputs, step.body.outputs, strict=False)
        for value, initial, result in rows:
            if value.shape and result is not initial:
                self.line(depth, f"lanes_put({flat[value]}, start, {registers_of[value]})")

    def iterations(
        self, step: Loop, tiling: RegisterTiling, registers_of: dict[Value, str], depth: int
    ) -> None:
        """The loop. `registers_of` are variables with elements of the arrays; without them it is
        for the scalars of the state alone.
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
            (self.read(value), self.read(result))
            for value, result in zip(node.outputs, step.body.outputs, strict=True)
            if not value.shape
        ]
        if registers_of:
            rows += self.tile_iteration(step, tiling, registers_of, depth)
        if rows:
            left, right = zip(*rows, strict=True)
            self.line(depth, f"{', '.join(left)} = {', '.join(right)}")

    def scalar_steps(self, program: Program, depth: int) -> None:
        for step in program.steps:
            if isinstance(step, Nest) and not step.space.shape:
                self.scalars(step, depth)

    def tile_iteration(
        self, step: Loop, tiling: RegisterTiling, registers_of: dict[Value, str], depth: int
    ):
        """One iteration for a tile: the variables that change, each with its next value."""
        node, body, carried = step.node, step.body, step.node.attrs["carried"]
        operands = [*node.outputs, *node.inputs[carried:]]
        self.registers = dict(registers_of)  # of constants; then what is inside has other names
        for value, inside in zip(operands, body.inputs, strict=True):
            if value.shape:
                self.registers[inside] = registers_of[value]
        for one in array_nodes(body):
            self.register(one, (), depth)
        rows = [
            (registers_of[value], self.registers[result])
            for value, result in zip(node.outputs, body.outputs, strict=True)
            if value.shape and registers_of[value] != self.registers[result]
        ]
        self.registers = {}
        if tiling.stops_early:
            pairs = ", ".join(f"{old}, {result}" for old, result in rows)
            self.line(depth, f"if iterations % {CHECK_EVERY} == 0 and not lanes_differ({pairs}):")
            self.line(depth + 1, "break")
            self.line(depth, "iterations += 1")
        return rows
