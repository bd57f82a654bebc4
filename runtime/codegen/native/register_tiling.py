"""Elementwise loops in register tiles: see `lowering/elementwise_loops.py`.

All iterations run for a tile of elements, which stay in vector registers, then for the next tile.
"""

from __future__ import annotations

from ...core import thresholds
from ...ir.graph import Value, dims, elements_of
from ...kernel_ir.nodes import Expression, Name, call
from ...lowering.elementwise_loops import RegisterTiling, array_nodes
from ...lowering.program import LibraryCall, Loop, Nest, Program
from .elements import register, write_scalars
from .kernel_writer import KernelWriter, bind, write_constant
from .parallel_loops import FIRST, parallel_region


class RegisterTiles:
    """One loop whose state stays in vector registers, as its schedule says."""

    def __init__(self, writer: KernelWriter, step: Loop, tiling: RegisterTiling):
        self.writer, self.step, self.tiling = writer, step, tiling

    def write(self) -> None:
        """All iterations for a tile of elements, then those for the next one."""
        arrays = self.tiling.arrays
        for step in (*self.step.test.steps, *self.step.body.steps):
            if isinstance(step, LibraryCall):
                write_constant(self.writer, step.node)
        size, width = elements_of(arrays[0]), self.tiling.width
        is_parallel = self.tiling.chunks is not None
        if is_parallel:
            self.parallel_tiles()
        else:
            flat = {value: self.writer.read(value) for value in arrays}
            for value, name in list(flat.items()) if len(dims(arrays[0])) > 1 else ():
                flat[value] = name.with_suffix("_")
                self.writer.let(flat[value], call("reshaped", name, (size,)))
            with self.writer.loop("start", 0, size, width):
                self.tile(flat)
        if is_parallel or self.tiling.stops_early:  # what the scalars are in the end
            self.start_of_scalars()
            self.iterations({})

    def parallel_tiles(self) -> None:
        """The tiles in chunks that threads share."""
        arrays, width, chunks = self.tiling.arrays, self.tiling.width, self.tiling.chunks
        assert chunks is not None
        length, count = chunks
        size = elements_of(arrays[0])

        def write() -> None:
            with self.writer.loop("start", FIRST, call("min", FIRST + length, size), width):
                self.tile({value: self.writer.read(value) for value in arrays})

        flat = {self.writer.read(value).id: Value(value.dtype, (size,), "") for value in arrays}
        parallel_region(self.writer, length, count, write, instead=flat)

    def start_of_scalars(self) -> None:
        """The numbers of the state are those before the loop."""
        for value, initial in zip(self.step.node.outputs, self.step.node.inputs, strict=False):
            if not value.shape:
                self.writer.let(self.writer.read(value), self.writer.read(initial))

    def tile(self, flat: dict[Value, Name]) -> None:
        """All iterations for the elements from `start` on; `flat` names the arrays, of rank 1."""
        self.start_of_scalars()
        registers_of = {value: self.writer.unused("e") for value in flat}
        for value, name in registers_of.items():
            self.writer.let(name, call("vector_load", flat[value], "start", self.tiling.width))
        if self.tiling.stops_early:
            self.writer.let("iterations", 0)
        self.iterations(registers_of)
        rows = zip(
            self.step.node.outputs, self.step.body.inputs, self.step.body.outputs, strict=False
        )
        for value, initial, result in rows:
            if value.shape and result is not initial:
                self.writer.call("vector_store", flat[value], "start", registers_of[value])

    def iterations(self, registers_of: dict[Value, Name]) -> None:
        """The loop. `registers_of` are variables with elements of the arrays; without them it is
        for the scalars of the state alone.
        """
        node, carried = self.step.node, self.step.node.attrs["carried"]
        operands = [*node.outputs, *node.inputs[carried:]]
        with self.writer.while_loop(True):
            bind(self.writer, self.step.test, operands)
            self.scalar_steps(self.step.test)
            with self.writer.when(self.writer.read(self.step.test.outputs[0]).negated()):
                self.writer.leave("break")
            bind(self.writer, self.step.body, operands)
            self.scalar_steps(self.step.body)
            rows = [
                (self.writer.read(value), self.writer.read(result))
                for value, result in zip(node.outputs, self.step.body.outputs, strict=True)
                if not value.shape
            ]
            if registers_of:
                rows += self.tile_iteration(registers_of)
            if rows:
                self.writer.let([left for left, _ in rows], [right for _, right in rows])

    def scalar_steps(self, program: Program) -> None:
        for step in program.steps:
            if isinstance(step, Nest) and not step.space.shape:
                write_scalars(self.writer, step)

    def tile_iteration(
        self, registers_of: dict[Value, Name]
    ) -> list[tuple[Expression, Expression]]:
        """One iteration for a tile: the variables that change, each with its next value."""
        node, body, carried = self.step.node, self.step.body, self.step.node.attrs["carried"]
        operands = [*node.outputs, *node.inputs[carried:]]
        # Of constants; then what is inside has other names.
        self.writer.nest.registers = dict(registers_of)
        for value, inside in zip(operands, body.inputs, strict=True):
            if value.shape:
                self.writer.nest.registers[inside] = registers_of[value]
        for inner in array_nodes(body):
            register(self.writer, inner, ())
        rows: list[tuple[Expression, Expression]] = [
            (registers_of[value], self.writer.nest.registers[result])
            for value, result in zip(node.outputs, body.outputs, strict=True)
            if value.shape and registers_of[value] is not self.writer.nest.registers[result]
        ]
        self.writer.nest.registers = {}
        if self.tiling.stops_early:
            pairs = [register for row in rows for register in row]
            is_checked = (Name("iterations") % thresholds.CHECK_EVERY).equals(0)
            is_same = call("vector_differs", *pairs).negated()
            with self.writer.when(is_checked.joined("and", is_same)):
                self.writer.leave("break")
            self.writer.update("iterations", "+", 1)
        return rows
