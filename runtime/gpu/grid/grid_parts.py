"""Programs of several kernels: a large product is for NVIDIA's library, between two of them, and
what has no form for threads is for the host.

The steps before and after a product are kernels of their own; what they hand on, also numbers, is
in memory. A loop with such a product in it is a loop of launches: its carried values have memory of
their own, which the kernels of an iteration write to, in place where nothing reads the old value.

    x = tanh(x @ w)       kernel 1: what is before
                          product:  t = x @ w
                          kernel 2: x = tanh(t)

Where a test ends such a loop, a kernel computes a truth value after each iteration, and kernels do
nothing once it is false. So the CPU may launch some iterations before it asks whether they ran.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from ...core.dtypes import bool_
from ...ir.extents import has_extents
from ...ir.graph import Node, Value, dims
from ...ir.node_properties import is_noreturn
from ...ir.op import PURE, TABLE
from ...ir.trip_counts import ends_at_limit_alone, range_of
from ...lowering.program import (
    Branch,
    LibraryCall,
    Loop,
    Program,
    Step,
    inner_programs,
    nodes_of,
    producers_of,
    steps_inside,
)
from ...lowering.transposed_operands import with_transposed_operands
from ..grid_kernel import (
    INPUT,
    OUTPUT,
    SCRATCH,
    STATUS,
    GridBranch,
    GridBuffer,
    GridKernel,
    GridLoop,
    GridProgram,
    GridStep,
    HostStep,
    NoteFailure,
    Product,
)
from .grid_program import copying_kernel, grid_program, kernel_of
from .grid_writer import check_size
from .host_steps import CALLED_BY_HOST, COMPUTED_BY_HOST

LIBRARY_FROM = 1 << 26  # multiplications of a product that is not a loop of a kernel
VIEWS = [TABLE[name] for name in ("reshape", "ensure_shape")]


def program_in_parts(program: Program, has_library: bool = True) -> GridProgram:
    """The program as a device runs it that may have a library of products. Raises NotNativeError
    naming what has no form for it.
    """
    if not any(_is_apart(step, has_library) for step in program.steps):
        return grid_program(program)
    for step in program.steps:
        for node in (node for each in (step, *steps_inside(step)) for node in nodes_of(each)):
            for value in (*node.inputs, *node.outputs):
                check_size(value, node)  # no part hands the length of an array on
    return _Parts(program, has_library).program


def large_products(program: Program) -> list[Node]:
    """The products of a program that are for the library, those in loops and branches too."""
    nodes: list[Node] = []
    for step in program.steps:
        if isinstance(step, LibraryCall) and _is_product(step):
            nodes.append(step.node)
        elif isinstance(step, (Loop, Branch)):
            nodes += [node for inner in inner_programs(step) for node in large_products(inner)]
    return nodes


def _is_apart(step: Step, has_library: bool) -> bool:
    """Whether a step is between kernels, or a loop or a branch with one in it that is."""
    if isinstance(step, (Loop, Branch)):
        inside = (inner for program in inner_programs(step) for inner in program.steps)
        return any(_is_apart(inner, has_library) for inner in inside)
    return _is_between_kernels(step, has_library)


def _is_between_kernels(step: Step, has_library: bool) -> bool:
    return _is_for_host(step) or (has_library and _is_product(step))


def _is_for_host(step: Step) -> bool:
    return isinstance(step, LibraryCall) and step.node.op in (COMPUTED_BY_HOST, CALLED_BY_HOST)


def _may_raise(step: Step) -> bool:
    nodes = (node for each in (step, *steps_inside(step)) for node in nodes_of(each))
    return any(node.may_raise for node in nodes)


def _is_product(step: Step) -> bool:
    return isinstance(step, LibraryCall) and _is_large(step.node)


def _is_large(node: Node) -> bool:
    if node.op is not TABLE["matmul"] or node.output.dtype.numpy_dtype.char not in "fd":
        return False
    (a, b), batch = node.inputs, dims(node.output)[:-2]
    depth = dims(a)[-2 if _flips(node)[0] else -1]
    if any(value.dtype != node.output.dtype for value in (a, b)):
        return False
    if any(dims(value)[:-2] not in ((), batch) for value in (a, b)):
        return False
    sizes = (*dims(node.output), depth)
    return None not in sizes and not has_extents(sizes) and math.prod(sizes) >= LIBRARY_FROM


def _flips(node: Node) -> tuple[bool, bool]:
    """Which operands of a product lie there transposed."""
    return node.attrs.get("transposed", (False, False))


# ---- parts of a block ----------------------------------------------------------------------------


class _Part:
    """Some steps that are one kernel, or a step that is none."""

    def __init__(self, steps: list[Step], is_kernel: bool):
        self.steps, self.is_kernel = steps, is_kernel
        self.made = {value for step in steps for node in nodes_of(step) for value in node.outputs}

    def reads(self) -> list[Value]:
        """The values of other parts that it reads, in order."""
        nodes = (node for step in self.steps for node in nodes_of(step))
        values = (value for node in nodes for value in node.inputs)
        return list(dict.fromkeys(value for value in values if value not in self.made))


class _Parts:
    """The parts of a program, and the buffers that they share."""

    def __init__(self, program: Program, has_library: bool):
        self.has_library = has_library
        self.buffers: list[GridBuffer] = []
        self.numbers: dict[Value, int] = {}  # of the buffers that hold values
        self.copied: dict[Value, Step] = {}  # constants and views, which each kernel makes again
        word = GridBuffer(np.dtype(np.int64), (1,), STATUS)
        self.status, self.before = 0, 1
        self.buffers += [word, word]
        self.kernels = 0
        self.name = program.name
        for position, value in enumerate(program.inputs):
            self.numbers[value] = self._new(value, INPUT, position)
        places = [
            self._new(value, OUTPUT, position) for position, value in enumerate(program.outputs)
        ]
        steps = self.block(program, places, None)
        self.program = GridProgram(program.name, tuple(self.buffers), tuple(steps))

    def _new(self, value: Value, role: str = SCRATCH, position: int = 0) -> int:
        self.buffers.append(GridBuffer(value.dtype.numpy_dtype, dims(value), role, position))
        return len(self.buffers) - 1

    def _number_of(self, value: Value) -> int:
        """The number of the buffer of a value that a step makes; a new one where it has none."""
        if value not in self.numbers:
            self.numbers[value] = self._new(value)
        return self.numbers[value]

    def base(self, value: Value) -> Value:
        """The value whose memory a view has, or the value."""
        while (step := self.copied.get(value)) is not None and nodes_of(step)[0].inputs:
            value, *_ = nodes_of(step)[0].inputs
        return value

    def block(self, program: Program, places: Sequence[int], flag: int | None) -> list[GridStep]:
        """The steps of a program whose outputs go to buffers of these numbers. Kernels do nothing
        where the truth value in the buffer `flag` is false.
        """
        steps: list[GridStep] = []
        kept = [step for step in with_transposed_operands(program) if step is not None]
        parts = self._parts_of(self._without_copied(kept))
        last = self._last_reads(parts, program.outputs)
        targets: dict[Value, int] = {}
        for value, number in zip(program.outputs, places, strict=True):
            targets.setdefault(self.base(value), number)
        owners = {self.numbers.get(value): value for value in program.inputs}
        for at, part in enumerate(parts):
            later = [value for value in part.made if last.get(value, -1) > at]
            for value in later:
                self.numbers.pop(value, None)
                owner = owners.get(targets.get(value))
                if value in targets and (owner is None or last.get(owner, -1) < at):
                    self.numbers[value] = targets[value]
            donated = {
                value: owner
                for value in later
                if (owner := owners.get(targets.get(value))) is not None
                and part.is_kernel and last.get(owner, -1) == at
                and (owner.dtype, owner.shape) == (value.dtype, value.shape)
            }  # fmt: skip
            steps += self._part(part, later, donated, flag, producers_of(program))
        return [*steps, *self._moves(program.outputs, places, flag)]

    def _parts_of(self, steps: Iterable[Step]) -> list[_Part]:
        """The parts of a block. What a product does not need is for the kernel behind it; but
        checks are before all that comes after them, which may rely on them.
        """
        parts: list[_Part] = []
        waiting: list[Step] = []
        for step in steps:
            if not _is_apart(step, self.has_library):
                waiting.append(step)
                continue
            is_kernel = not isinstance(step, (Loop, Branch))
            is_kernel = is_kernel and not _is_between_kernels(step, self.has_library)
            own = _Part([step], is_kernel)
            needed, before = set(map(self.base, own.reads())), list[Step]()
            for earlier in reversed(waiting):
                part = _Part([earlier], True)
                if part.made & needed or _may_raise(earlier):
                    before.insert(0, earlier)
                    needed |= set(map(self.base, part.reads()))
            waiting = [earlier for earlier in waiting if earlier not in before]
            parts += [_Part(before, True), own]
        return [part for part in (*parts, _Part(waiting, True)) if part.steps]

    def _without_copied(self, steps: list[Step]) -> list[Step]:
        """The steps but those that each kernel has for itself."""
        rest = []
        for step in steps:
            node = nodes_of(step)[0]
            is_view = node.op in VIEWS and all(map(self._is_constant, node.inputs[1:]))
            if isinstance(step, LibraryCall) and (node.op.is_constant or is_view):
                self.copied[node.output] = step
            else:
                rest.append(step)
        return rest

    def _last_reads(self, parts: list[_Part], outputs: Iterable[Value]) -> dict[Value, int]:
        """The last part that reads each value, or a view of it: the outputs are read at the end."""
        last: dict[Value, int] = {}
        reads = [*(part.reads() for part in parts), list(outputs)]
        for at, values in enumerate(reads):
            last |= dict.fromkeys(map(self.base, values), at)
        return last

    def _moves(
        self, values: Sequence[Value], places: Sequence[int], flag: int | None
    ) -> list[GridStep]:
        """The kernels that copy outputs which are elsewhere to their places."""
        constants = [self.base(value) for value in values if self._is_constant(value)]
        steps: list[GridStep] = []
        if constants:
            unique = list(dict.fromkeys(constants))
            for value in unique:
                self.numbers[value] = self._new(value)
            steps += self._kernel([self.copied[value] for value in unique], unique, {}, flag)
        pairs = [
            (self.numbers[self.base(value)], place)
            for value, place in zip(values, places, strict=True)
        ]
        pairs = [pair for pair in pairs if pair[0] != pair[1]]
        targets = {place for _, place in pairs}
        first = [(source, self._like(source)) for source in {a for a, _ in pairs} & targets]
        moved = dict(first)
        for group in (first, [(moved.get(source, source), place) for source, place in pairs]):
            if group:
                steps.append(self._copies(group, flag))
        return steps

    def _is_constant(self, value: Value) -> bool:
        base = self.base(value)
        return base not in self.numbers and base in self.copied

    def _like(self, number: int) -> int:
        self.buffers.append(self.buffers[number]._replace(role=SCRATCH))
        return len(self.buffers) - 1

    def _copies(self, pairs: Sequence[tuple[int, int]], flag: int | None) -> GridKernel:
        arguments = tuple(dict.fromkeys(number for pair in pairs for number in pair))
        arguments += () if flag is None else (flag,)
        buffers = [self.buffers[number] for number in arguments]
        places = [tuple(map(arguments.index, pair)) for pair in pairs]
        self.kernels += 1
        name = f"{self.name}_{self.kernels}"
        return replace(copying_kernel(name, buffers, places, flag is not None), arguments=arguments)

    # ---- one part --------------------------------------------------------------------------

    def _part(
        self, part: _Part, wanted: list[Value], donated: dict[Value, Value], flag: int | None,
        producers: dict[Value, Node],
    ) -> list[GridStep]:  # fmt: skip
        if part.is_kernel:
            return self._kernel(part.steps, wanted, donated, flag)
        (step,) = part.steps
        if isinstance(step, Loop):
            return self._loop(step, flag, producers)
        if isinstance(step, Branch):
            return [*self._constant_operands(step.node, flag), self._branch(step, flag)]
        assert isinstance(step, LibraryCall)
        if not wanted and not step.node.may_raise and step.node.effect == PURE:
            return []
        call = self._host_step if _is_for_host(step) else self._product
        return [*self._constant_operands(step.node, flag), call(step.node)]

    def _host_step(self, node: Node) -> HostStep:
        inputs = [self.numbers[self.base(value)] for value in node.inputs]
        return HostStep(node, (*inputs, *map(self._number_of, node.outputs)))

    def _constant_operands(self, node: Node, flag: int | None) -> list[GridStep]:
        values = [self.base(value) for value in node.inputs]
        constants = list(dict.fromkeys(filter(self._is_constant, values)))
        if not constants:
            return []
        for value in constants:
            self.numbers[value] = self._new(value)
        return self._kernel([self.copied[value] for value in constants], constants, {}, flag)

    def _product(self, node: Node) -> Product:
        (a, b), output, (left, right) = node.inputs, node.output, _flips(node)
        *batch, rows, columns = dims(output)
        depth = dims(a)[-2 if left else -1]
        return Product(
            self.numbers[self.base(a)], self.numbers[self.base(b)], self._number_of(output),
            (rows, columns, depth), math.prod(batch), (left, right),
            (rows * depth * (len(dims(a)) > 2), depth * columns * (len(dims(b)) > 2)),
            output.dtype.numpy_dtype,
        )  # fmt: skip

    def _kernel(
        self, steps: list[Step], wanted: list[Value], donated: dict[Value, Value], flag: int | None
    ) -> list[GridStep]:
        """The kernel of some steps that leaves the values that are wanted in memory."""
        part = _Part(steps, True)
        steps, inputs = self._with_copied(part)
        pairs = tuple((owner, value) for value, owner in donated.items() if owner in inputs)
        own = Program(self.name, tuple(inputs), tuple(steps), tuple(wanted), donated=pairs)
        grid = kernel_of(own, is_part=True, has_flag=flag is not None)
        (kernel,) = grid.kernels
        in_place = {own.outputs.index(value): self.numbers[owner] for owner, value in pairs}
        kept = {buffer.position for buffer in grid.buffers if buffer.role == OUTPUT}
        for position, number in in_place.items():
            if position not in kept:
                self.numbers[wanted[position]] = number
        numbers = [self._number(buffer, own, flag) for buffer in grid.buffers]
        self.kernels += 1
        kernel = replace(kernel, name=f"{self.name}_{self.kernels}", arguments=tuple(numbers))
        return [kernel, NoteFailure(self.status, self.before)] if kernel.failures else [kernel]

    def _number(self, buffer: GridBuffer, own: Program, flag: int | None) -> int:
        """The number in the whole program of a buffer of one kernel."""
        if buffer.role == INPUT and buffer.position >= len(own.inputs):
            words = self.before, flag
            number = words[buffer.position - len(own.inputs)]
            assert number is not None
            return number
        if buffer.role == INPUT:
            return self.numbers[own.inputs[buffer.position]]
        if buffer.role == OUTPUT:
            return self._number_of(own.outputs[buffer.position])
        if buffer.role == STATUS:
            return self.status
        self.buffers.append(buffer)
        return len(self.buffers) - 1

    def _with_copied(self, part: _Part) -> tuple[list[Step], list[Value]]:
        """The steps of a part, with the constants and views that each reads, and its inputs."""
        steps: list[Step] = []
        known, inputs = set[Value](), list[Value]()

        def need(value: Value) -> None:
            step = self.copied.get(value)
            if value in known or value in part.made:
                return
            known.add(value)
            if step is None or (value in self.numbers and nodes_of(step)[0].inputs):
                inputs.append(value)
                return
            for operand in nodes_of(step)[0].inputs:
                need(operand)
            steps.append(step)

        for step in part.steps:
            for value in _Part([step], True).reads():
                need(value)
            steps.append(step)
        return steps, inputs

    # ---- branches and loops -------------------------------------------------------------------

    def _loop(self, step: Loop, flag: int | None, producers: dict[Value, Node]) -> list[GridStep]:
        node, carried = step.node, step.node.attrs["carried"]
        producers = {**producers, **self._nodes_of_copied()}
        counter = range_of(node, producers)
        count = counter.trip_count if counter and ends_at_limit_alone(node) else None
        starts, places = node.inputs[:carried], list(map(self._number_of, node.outputs))
        steps = self._moves(starts, places, flag)
        for program in (step.test, step.body):
            for value, number in zip(program.inputs, places, strict=False):
                self.numbers[value] = number
            for value, source in zip(program.inputs[carried:], node.inputs[carried:], strict=True):
                self._alias(value, source)
        if count is not None:
            return [*steps, GridLoop(count, None, (), tuple(self.block(step.body, places, flag)))]
        flag = self._new(Value(bool_, (), "runs"))
        test = self.block(step.test, [flag], None)
        body = self.block(step.body, places, flag)
        return [*steps, GridLoop(None, flag, tuple(test), tuple(body))]

    def _branch(self, step: Branch, flag: int | None) -> GridBranch:
        condition, *operands = step.node.inputs
        places = list(map(self._number_of, step.node.outputs))
        sides = []
        for key, program in (("then", step.then), ("orelse", step.orelse)):
            for value, source in zip(program.inputs, operands, strict=True):
                self._alias(value, source)
            if is_noreturn(step.node.attrs[key]):
                sides.append(tuple(self.block(replace(program, outputs=()), (), flag)))
            else:
                sides.append(tuple(self.block(program, places, flag)))
        return GridBranch(self.numbers[self.base(condition)], *sides)

    def _nodes_of_copied(self) -> dict[Value, Node]:
        return {value: nodes_of(step)[0] for value, step in self.copied.items()}

    def _alias(self, value: Value, source: Value) -> None:
        """A value inside of a loop is one outside."""
        if (step := self.copied.get(source)) is None:
            self.numbers[value] = self.numbers[source]
            return
        (node,) = nodes_of(step)
        self.copied[value] = LibraryCall(replace(node, outputs=(value,)))
