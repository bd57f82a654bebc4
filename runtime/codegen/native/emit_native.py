"""Program -> the source of one native function: scalars in registers, and explicit loops.

Array values are C-contiguous. A nest stores a result over an operand that dies in it, and item
assignment happens in place, where nobody else reads the old content; other results go to buffers
that are made before the outermost loop and used again.
"""

from __future__ import annotations

import contextlib
from functools import partial
from typing import NamedTuple

import numpy as np

from ...core.array_pool import BufferType, bytes_of
from ...core.numpy_dtypes import is_real
from ...core.shapes import size_of
from ...ir.graph import Node, Value
from ...ir.indexing import Slot, expanded
from ...ir.node_properties import never_ends
from ...lowering.buffer_assignment import buffer_type, exchange
from ...lowering.elementwise_loops import RegisterTiling
from ...lowering.fuse_rows import rows_together
from ...lowering.growing_stacks import stacks_of
from ...lowering.nest_schedule import parallel_chunks
from ...lowering.not_native import NotNativeError
from ...lowering.program import (
    Branch,
    Invoke,
    LibraryCall,
    Loop,
    Nest,
    Program,
    nodes_of,
    producers_of,
)
from ...lowering.schedule import loop_schedule
from ...lowering.transposed_operands import with_transposed_operands
from .host_target import host_target
from .library_calls import form_of
from .loop_ir import If, Simple, may_fail, printed
from .loop_nests import NestWriter, size_class
from .operands import Access
from .parallel_iterations import ParallelLoop
from .register_tiling import RegisterTiles


class KernelSource(NamedTuple):
    """The source of one kernel.

    Its parameters are the program's inputs, then `constants`, the addresses of its parallel regions
    and the table of the thread pool if it has `regions`, and the `buffers` that the caller makes:
    those of results, and large ones.
    """

    source: str
    constants: list[np.ndarray]
    buffers: list[BufferType]
    regions: int


def emit_native(program: Program) -> KernelSource:
    """The source of `kernel` for a program.

    Raises NotNativeError naming the first operation without a native form.
    """
    return Emitter().write(program)


def planned_memory(program: Program) -> int:
    """The bytes of all arrays that the native code of a program makes: its results, and what it
    needs meanwhile. Stacks, which grow, and copies for libraries come on top.

    Raises NotNativeError like `emit_native`.
    """
    writer = Emitter()
    writer.write(program)
    return sum(map(bytes_of, writer.buffers.types.values()))


class Emitter(NestWriter):
    """Writes the steps of a program as the source of one kernel."""

    def __init__(self):
        super().__init__()
        self.constants: list[tuple[str, np.ndarray]] = []
        self.producers: dict[Value, Node] = {}

    def write(self, program: Program) -> KernelSource:
        self.stacks = stacks_of(program)
        for value in (*program.inputs, *program.outputs):
            self.check(value)
        arrays = [value for value in program.outputs if value.shape and value not in self.stacks]
        self.returned = {size_class(buffer_type(value)) for value in arrays}
        inputs = [self.name(value) for value in program.inputs]
        self.block(program, 1)
        results = "".join(f"{self.result(value)}, " for value in program.outputs)
        self.line(1, f"return ({results})")
        parameters = ", ".join([*inputs, *(name for name, _ in self.constants)])
        if self.regions:
            parameters += ", regions, control"
        parameters += "".join(f", {name}" for name in self.caller_buffers)
        source = "".join(region.printed() for region in self.regions)
        source += f"def kernel({parameters}):\n" + "".join(printed(self.code.root, 1))
        constants = [array for _, array in self.constants]
        buffers = list(self.caller_buffers.values())
        return KernelSource(source, constants, buffers, len(self.regions))

    def result(self, value: Value) -> str:
        """What the kernel returns for an output: only whole arrays go back, so rows are copied."""
        name = self.read(value)
        if name not in self.views:
            return name
        copy = self.buffer(value, 1)
        self.line(1, f"copy_elements({copy}, {name})")
        return copy

    # ---- steps ---------------------------------------------------------------------------

    def block(self, program: Program, depth: int) -> None:
        last: dict[Value, int] = dict.fromkeys(program.inputs, -1)
        steps = with_transposed_operands(program)
        self.producers |= producers_of(program)
        for index, step in enumerate(steps):
            for node in nodes_of(step):
                last.update((value, index) for value in (*node.inputs, *node.outputs))
        for value in program.outputs:
            last[value] = len(steps)
        dying: list[dict[Value, None]] = [{} for _ in range(len(steps) + 2)]
        for value, index in last.items():
            dying[index][value] = None
        for value in dying[-1]:
            self.buffers.drop(value)
        block = self.code.block_at(depth)
        before, start = len(block), 0
        while start < len(steps):
            end = start + rows_together(steps[start:], self.buffers)
            group = list(zip(steps[start:end], dying[start:end], strict=True))
            self.rows(group, depth) if len(group) > 1 else self.steps(group, depth)
            start = end
        if len(block) == before:
            self.line(depth, "pass")

    def steps(self, group, depth: int, inside_rows: bool = False) -> None:
        """Steps, each with the values that die in it."""
        for step, dead in group:
            if inside_rows and isinstance(step, Nest):
                self.nest(step, dead, depth, inside_rows=True)
            else:
                self.step(step, dead, depth)
            for value in dead:
                self.buffers.drop(value)

    def rows(self, group, depth: int) -> None:
        """Nests that share the loop over their first axis."""
        count = group[0][0].space.shape[0]
        stores = [value for step, _ in group if isinstance(step, Nest) for value in step.stores]
        singles = [value for value in stores if size_of(value.shape) == count]
        self.row_scalars = {value: f"s{next(self.count)}" for value in singles}
        self.short_lived = {value for _, dead in group for value in dead} & set(singles)
        with self.allocating_before(depth):
            nests = [step for step, _ in group if isinstance(step, Nest)]

            def write(depth: int) -> None:
                self.is_outermost = True
                self.steps(group, self.outermost("i0", count, depth), inside_rows=True)

            self.parallel_nests(nests, parallel_chunks(nests, count), write, depth)
        self.row_scalars, self.short_lived = {}, set()

    @contextlib.contextmanager
    def allocating_before(self, depth: int):
        """Buffers that are made meanwhile come before the outermost loop or branch."""
        if self.allocations is not None:
            yield
            return
        position, self.allocations = self.code.position(depth), []
        yield
        position.insert(map(Simple, self.allocations))
        self.allocations = None

    def step(self, step, dying, depth: int) -> None:
        if isinstance(step, Nest):
            if not self.is_view(step, depth):
                self.nest(step, dying, depth)
        elif isinstance(step, LibraryCall):
            self.call(step.node, dying, depth)
        elif isinstance(step, Invoke):
            self.invoke(step, depth)
        else:
            with self.allocating_before(depth):
                self.control(step, dying, depth)

    def is_view(self, step: Nest, depth: int) -> bool:
        """Rows of an array that nobody here will overwrite need no copy: `x[i]`, `x[i, j]`."""
        node, *more = step.nodes
        if more or node.op.name != "strided_slice" or not node.output.shape:
            return False
        operand, *scalars = node.inputs
        rows = expanded(node.attrs["index"], len(operand.shape))
        scalar_indices = [row for row in rows if type(row) in (int, Slot)]
        whole = rows[len(scalar_indices) :]
        if self.buffers.is_alone(operand) or any(row != (None, None, None) for row in whole):
            return False
        access = Access(self, operand)
        indices = [
            access.index(axis, self.read(scalars[row.position]) if type(row) is Slot else row)
            for axis, row in enumerate(scalar_indices)
        ]
        self.write_hoisted(self.code.position(depth))
        name = self.name(node.output)
        self.line(depth, f"{name} = {self.read(operand)}[{', '.join(indices)}]")
        self.views.add(name)
        self.buffers.share(node.output, operand)
        return True

    def control(self, step, dying, depth: int) -> None:
        if isinstance(step, Branch):
            self.branch(step, dying, depth)
        else:
            self.loop(step, dying, depth)

    def call(self, node: Node, dying: set[Value], depth: int) -> None:
        if node.op.name == "assert":
            self.assertion(node, depth)
            return
        if node.op.always_raises:  # the plan then raises it
            self.line(depth, "raise AssertionError")
            return
        if node.op.is_constant:
            self.constant(node)
            return
        for value in (*node.inputs, *node.outputs):
            self.check(value, node)
        form = form_of(node)
        if form is None:
            raise NotNativeError(f"the operation '{node.op.name}' has no native form", node.where)
        self.dying = dying
        form(self, node, depth)

    def constant(self, node: Node) -> None:
        array = node.attrs["value"]
        if not is_real(array.dtype):
            return  # a string: who reads it has no native form
        if array.ndim == 0:
            self.names[node.output] = self.literal(array)
            return
        name = f"c{len(self.constants) + 1}"
        self.constants.append((name, np.ascontiguousarray(array)))
        self.names[node.output] = name

    def assertion(self, node: Node, depth: int) -> None:
        """A failure ends the kernel; the plan then says what failed."""
        condition = node.inputs[0]
        self.check(condition, node)
        source = self.read(condition)
        self.line(depth, f"if not {f'np.all({source})' if condition.shape else source}:")
        self.line(depth + 1, "raise AssertionError")

    # ---- control flow --------------------------------------------------------------------

    def branch(self, step: Branch, dying, depth: int) -> None:
        test, *operands = step.node.inputs
        for value in step.node.outputs:
            self.check(value, step.node)
        start, buffers_of_results, source = self.buffers.state(), None, self.read(test)
        sides = [(f"if {source}:", step.then, "then"), (f"if not {source}:", step.orelse, "orelse")]
        sides.sort(key=lambda side: not never_ends(step.node.attrs[side[2]]))  # a raise comes first
        for keyword, program, key in sides:
            self.buffers.restore(start)
            self.line(depth, keyword if program is sides[0][1] else "else:")
            self.bind(program, operands, dying)
            self.block(program, depth + 1)
            if never_ends(step.node.attrs[key]) and program is sides[0][1]:
                continue
            buffers_of_results = self.pass_results(
                step.node.outputs, program.outputs, buffers_of_results, depth + 1
            )
            if (step.node, key) in self.choice_flags:
                self.line(depth + 1, f"{self.choice_flags[step.node, key]} = True")

    def bind(self, program: Program, operands, dying) -> None:
        """The inputs of an inner program are variables of this one; what dies is theirs."""
        for inner, value in zip(program.inputs, operands, strict=True):
            self.alias(inner, value)
        for value in operands:
            if value in dying:
                self.buffers.drop(value)

    def pass_results(
        self, targets, sources, buffers_of_results: list[str] | None, depth: int
    ) -> list[str]:
        """Results of an inner program become values of this one, in these buffers if there are
        some already.
        """
        left, right, own_buffers = [], [], []
        for target, value in zip(targets, sources, strict=True):
            if target.shape and target not in self.stacks:
                own_buffers.append(self.moved_to_buffer(target, value, depth))
            else:
                left.append(self.name(target))
                right.append(self.read(value))
        for value in sources:
            self.buffers.drop(value)
        buffers_of_results = own_buffers if buffers_of_results is None else buffers_of_results
        for new, old in exchange(buffers_of_results, own_buffers):
            left.append(new)
            right.append(old)
        if left and left != right:
            self.line(depth, f"{', '.join(left)} = {', '.join(right)}")
        arrays = [target for target in targets if target.shape and target not in self.stacks]
        for target in arrays:
            self.buffers.drop(target)
        for target, name in zip(arrays, buffers_of_results, strict=True):
            self.buffers.place(target, name)
            self.names[target] = name
        return buffers_of_results

    def moved_to_buffer(self, target: Value, value: Value, depth: int) -> str:
        """Move the elements of `value` to `target`: its buffer where that is free to go, else a
        copy.
        """
        if buffer_type(value) != buffer_type(target):
            raise NotNativeError(f"the shape of '{target.name}' is not the same on all paths")
        name = self.read(value)
        if self.buffers.is_alone(value) and self.buffers.buffer_of[value] == name:
            self.buffers.drop(value)
            self.buffers.place(target, name)
            return name
        copy = self.buffer(target, depth)
        self.line(depth, f"copy_elements({copy}, {name})")
        return copy

    def loop(self, step: Loop, dying, depth: int) -> None:
        node, carried = step.node, step.node.attrs["carried"]
        for value in (*node.inputs, *node.outputs):
            self.check(value, node)
        for one, inner in zip(node.inputs[:carried], step.body.inputs, strict=False):
            if one.shape != inner.shape and inner not in self.stacks:
                raise NotNativeError(f"the shape of '{one.name}' changes in a loop", node.where)

        def first_state() -> None:
            self.first_state(node, dying, depth)

        if not self.loop_by_schedule(step, first_state, partial(self.sequential, step), depth):
            first_state()
            self.sequential(step, depth)

    def loop_by_schedule(self, step: Loop, first_state, sequential, depth: int) -> bool:
        """Write a loop in register tiles or as a parallel region, if its schedule says so.

        `first_state()` writes the lines that put the state before the loop into the values of its
        outputs, `sequential(depth)` those of the sequential loop.
        """
        schedule = loop_schedule(step, self.producers, host_target())
        if isinstance(schedule, RegisterTiling):
            first_state()
            RegisterTiles(self, step, schedule).write(depth)
            return True
        if schedule is None or self.in_region:
            return False
        first_state()
        ParallelLoop(self, step, schedule).write(sequential, depth)
        return True

    def sequential(self, step: Loop, depth: int) -> None:
        """A loop whose iterations run one after another."""
        node, outputs = step.node, step.node.outputs
        arrays = [value.shape and value not in self.stacks for value in outputs]
        buffers_of_results = [
            self.read(value) for value, held in zip(outputs, arrays, strict=True) if held
        ]
        operands = [*outputs, *node.inputs[node.attrs["carried"] :]]
        self.line(depth, "while True:")
        body = self.code.block_at(depth + 1)
        self.bind(step.test, operands, ())
        self.block(step.test, depth + 1)
        self.line(depth + 1, f"if not {self.read(step.test.outputs[0])}:")
        self.line(depth + 2, "break")
        results = [v for v, held in zip(step.body.outputs, arrays, strict=True) if held]
        self.preferred_buffers.update(zip(results, buffers_of_results, strict=True))
        self.bind(step.body, operands, outputs)
        self.block(step.body, depth + 1)
        self.pass_results(outputs, step.body.outputs, buffers_of_results, depth + 1)
        if self.in_region and may_fail(body):
            body.insert(0, If("table[1] != 0", [Simple("break")], comment="it failed"))

    def first_state(self, node: Node, dying, depth: int) -> None:
        """What goes into a loop becomes its results so far."""
        carried, outputs = node.attrs["carried"], node.outputs
        state = node.inputs[:carried]
        kept = [*state, *node.inputs[carried:]]
        for index, (result, value) in enumerate(zip(outputs, state, strict=True)):
            if result in self.stacks:
                self.line(depth, f"{self.name(result)} = {self.read(value)}")
            elif value in dying and kept.count(value) == 1 and value.shape:
                self.moved_to_buffer(result, value, depth)
                self.names[result] = self.buffers.buffer_of[result]
            elif value.shape:
                self.line(depth, f"copy_elements({self.buffer(result, depth)}, {self.read(value)})")
            else:
                self.line(depth, f"{self.name(result)} = {self.read(value)}")
            kept[index] = None

    def invoke(self, step: Invoke, depth: int) -> None:
        self.bind(step.program, step.node.inputs, ())
        self.block(step.program, depth)
        for target, value in zip(step.node.outputs, step.program.outputs, strict=True):
            self.alias(target, value)
        for value in step.program.outputs:
            self.buffers.drop(value)
