"""The steps of a program, as all threads of a grid run them.

Numbers are computed by each thread for itself, so all threads go the same way through branches and
loops. Loop nests, iterations that do not depend on each other, and rows are divided among threads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from ...codegen.native.elements import write_scalars
from ...codegen.native.emit_native import (
    note_origins,
    write_block,
    write_initial_state,
    write_sequential,
)
from ...codegen.native.kernel_writer import write_constant
from ...codegen.native.parallel_iterations import CHUNK, ParallelLoop, Partials
from ...codegen.native.parallel_loops import FIRST
from ...codegen.native.register_tiling import RegisterTiles
from ...ir.graph import Value, dims, elements_of
from ...ir.indexing import Slot, expanded
from ...ir.node_properties import setter_of
from ...ir.op import TABLE
from ...ir.trip_counts import ends_at_limit_alone
from ...kernel_ir.nodes import Expression, Name, Operand, as_node, call
from ...lowering.buffer_assignment import ReuseOperand, View
from ...lowering.elementwise_loops import RegisterTiling
from ...lowering.independent_iterations import ParallelIterations, independent_iterations
from ...lowering.program import (
    LibraryCall,
    Loop,
    Nest,
    nodes_of,
    producers_of,
    steps_inside,
)
from ...lowering.schedule import RowLoop, StepPlan
from .grid_calls import write_call
from .grid_nests import write_nest
from .grid_rows import write_rows
from .grid_writer import ALL_THREADS, Accesses, GridWriter, check_size, of_thread

PAIR = Name("pair")  # of iterations of two loops, one inside of the other
MOST_PARTIALS = 1024  # of a reduction by iterations: so many threads share them


class StepWriter(GridWriter):
    """Writes the steps of one kernel."""

    def write_item(self, item: StepPlan | RowLoop, write: Callable) -> None:
        if self.mode is not None:
            if isinstance(item, StepPlan) and item.step is self.inner_loop:
                self.only, self.inner_loop = self.inner_index, None
            write(self, item)
            assert self.only is None
            return
        if self.starts_loop:
            self.barrier()
            self.starts_loop = False
        if isinstance(item, RowLoop):
            write_rows(self, item)
            return
        self.memory, self.schedule = item.memory, item.schedule
        step = item.step
        if isinstance(step, Nest):
            _write_nest(self, step, item, write)
        elif isinstance(step, LibraryCall):
            _write_library_call(self, step, item, write)
        elif isinstance(step, Loop) and isinstance(item.schedule, RegisterTiling):
            Elements(self, step, item.schedule).write_from(item)
        elif isinstance(step, Loop) and isinstance(item.schedule, ParallelIterations):
            _write_control_flow(self, item, partial(_write_iterations, self, step, item))
        else:
            _write_control_flow(self, item, partial(write, self, item))
        note_origins(self, step)


def _write_nest(writer: GridWriter, nest: Nest, plan: StepPlan, write: Callable) -> None:
    operands = [value for node in nest.nodes for value in node.inputs]
    position = writer.position()
    if any(isinstance(location, View) for location in plan.memory.values()):
        write(writer, plan)
        node = nest.nodes[0]
        writer.note_alike((writer.read(node.inputs[0]), writer.read(node.output)))
    elif nest.space.shape:
        write_nest(writer, plan)
    else:
        for node in nest.nodes:
            for value in (*node.inputs, node.output):
                writer.check(value, node)
        accesses = writer.accesses(operands, ())
        write_scalars(writer, nest)
        if accesses:
            writer.synchronize(position, accesses)


def _write_library_call(
    writer: GridWriter, step: LibraryCall, plan: StepPlan, write: Callable
) -> None:
    node = step.node
    if node.op.is_constant:
        write_constant(writer, node)
    elif node.op is TABLE["assert"] or node.op.always_raises:
        position, accesses = writer.position(), writer.accesses(node.inputs, ())
        write(writer, plan)
        if accesses:
            writer.synchronize(position, accesses)
    else:
        write_call(writer, node, plan)


# ---- control flow ------------------------------------------------------------------------------


def _has_arrays(plan: StepPlan) -> bool:
    """Whether a step, or one inside of it, reads or makes arrays, those of partial results too."""
    steps = (plan.step, *steps_inside(plan.step))
    nodes = (node for step in steps for node in nodes_of(step) if not node.op.is_constant)
    if any(value.shape != () for node in nodes for value in (*node.inputs, *node.outputs)):
        return True
    schedules = (inner.schedule for inner in _plans(plan))
    return any(isinstance(s, ParallelIterations) and s.loop.reductions.by_index for s in schedules)


def _plans(plan: StepPlan) -> Iterator[StepPlan]:
    """A plan, and those inside of it."""
    yield plan
    for block in plan.inner.values():
        for item in block.items:
            if isinstance(item, StepPlan):
                yield from _plans(item)


def _write_control_flow(writer: GridWriter, plan: StepPlan, write: Callable[[], None]) -> None:
    """A branch or a loop, with barriers before it, and before each iteration."""
    step = plan.step
    assert not isinstance(step, Nest)
    has_arrays = _has_arrays(plan)
    if has_arrays and writer.pending:
        writer.barrier()
    if isinstance(step, Loop):
        outer, writer.starts_loop = writer.starts_loop, has_arrays
        write()
        writer.starts_loop = outer
    else:
        write()
    if has_arrays:
        writer.note_alike(
            writer.read(value)
            for value in (*step.node.inputs, *step.node.outputs)
            if value.shape and value in writer.names
        )
        writer.pending = Accesses(others=True)


# ---- loops over elements -----------------------------------------------------------------------


class Elements(RegisterTiles):
    """A loop that treats each element alike: a thread runs all iterations for its elements."""

    def write_from(self, plan: StepPlan) -> None:
        """Write the loop, whose results are where its plan says."""
        writer, node, self.initial = self.writer, self.step.node, {}
        for result, value in zip(node.outputs, node.inputs, strict=False):
            if result.shape:
                self.initial[result] = writer.read(value).with_suffix("_")
                flat = call("reshaped", writer.read(value), (elements_of(result),))
                writer.let(self.initial[result], flat)
                writer.located(result, plan.memory[result])
            else:
                writer.let(writer.name(result), writer.read(value))
        self.write()

    def write(self) -> None:
        writer, arrays = self.writer, self.tiling.arrays
        assert isinstance(writer, GridWriter)
        for value in arrays:
            check_size(value, self.step.node)
        self.tiling = self.tiling._replace(stops_early=False)
        for step in (*self.step.test.steps, *self.step.body.steps):
            if isinstance(step, LibraryCall):
                write_constant(writer, step.node)
        start = writer.position()
        size = elements_of(arrays[0])
        flat = {value: writer.read(value).with_suffix("_") for value in arrays}
        for value, name in flat.items():
            writer.let(name, call("reshaped", writer.read(value), (size,)))
        with writer.over_threads("i", size):
            self.element(flat)
        self.start_of_scalars()
        self.iterations({})
        writer.synchronize(start, writer.accesses(self.step.node.inputs, self.step.node.outputs))

    def element(self, flat: dict[Value, Name]) -> None:
        """All iterations for one element."""
        writer, node = self.writer, self.step.node
        self.start_of_scalars()
        registers_of = {value: writer.unused("e") for value in flat}
        for value, name in registers_of.items():
            writer.let(name, self.initial.get(value, flat[value])["i"])
        self.iterations(registers_of)
        for value in node.outputs:
            if value.shape:
                writer.let(flat[value]["i"], registers_of[value])


# ---- independent iterations --------------------------------------------------------------------


def _write_iterations(writer: GridWriter, step: Loop, plan: StepPlan) -> None:
    """A loop whose iterations the threads share."""
    assert isinstance(plan.schedule, ParallelIterations)
    writer.starts_loop = False
    writer.rewritten = _rewritten(step, plan.schedule)
    write_initial_state(writer, step.node, plan)
    writer.rewritten = set()
    if writer.pending:
        writer.barrier()
    body = partial(write_block, writer, plan.inner["parallel"])

    def sequential() -> None:
        writer.starts_loop = True
        write_sequential(writer, step, plan)

    Iterations(writer, plan).write(body, sequential)


def _rewritten(step: Loop, schedule: ParallelIterations) -> set[Value]:
    """The arrays of which each iteration sets the row of its number, and all rows are set."""
    node, induction = step.node, schedule.loop.induction
    body, results = node.attrs["body"], set()
    if induction.start != 0 or induction.step != 1:
        return set()
    counter = body.inputs[induction.position]
    for at, result in enumerate(node.outputs):
        setter = setter_of(body, at) if result.shape else None
        if setter is None or "index" not in setter.attrs:
            continue
        if dims(result)[0] != induction.trip_count:
            continue
        first, *others = expanded(setter.attrs["index"], len(dims(result)))
        is_own = type(first) is Slot and setter.inputs[2:][first.position] is counter
        if is_own and all(row == (None, None, None) for row in others):
            results.add(result)
    return results


def _inner_loop(plan: StepPlan) -> tuple[Loop, int, int] | None:
    """The only loop in the iterations of a loop, if its iterations do not depend on each other and
    all else computes numbers: the first value of its counter, and how many iterations there are.
    Then each pair of iterations is for one thread, which computes these numbers again.
    """
    items = plan.inner["parallel"].items
    loops = [item for item in items if isinstance(item, StepPlan) and isinstance(item.step, Loop)]
    if len(loops) != 1 or not all(item is loops[0] or _is_of_numbers(item) for item in items):
        return None
    (inner,) = loops
    assert isinstance(inner.step, Loop) and isinstance(plan.step, Loop)
    loop = independent_iterations(inner.step.node, producers_of(plan.step.body))
    if loop is None or loop.reductions.by_index or not ends_at_limit_alone(inner.step.node):
        return None
    start, count = loop.induction.start, loop.induction.trip_count
    is_in_place = all(type(place) is ReuseOperand for place in inner.memory.values())
    if not isinstance(start, int) or not count or inner.counter is None or not is_in_place:
        return None
    return (inner.step, start, count) if count > 1 else None


def _is_of_numbers(item: StepPlan | RowLoop) -> bool:
    """Whether a step computes numbers alone."""
    if isinstance(item, RowLoop):
        return False
    if isinstance(item.step, LibraryCall):
        return item.step.node.op.is_constant
    return isinstance(item.step, Nest) and not item.step.space.shape and not item.memory


class Iterations(ParallelLoop):
    """A loop with independent iterations: each is for one thread, and so is each of those of a loop
    in it. With reductions, each thread runs some that follow each other.
    """

    def __init__(self, writer: GridWriter, plan: StepPlan):
        assert isinstance(plan.step, Loop) and isinstance(plan.schedule, ParallelIterations)
        super().__init__(writer, plan.step, plan.schedule)
        self.plan = plan

    def in_chunks(self, count: Operand, failed: Name | None = None) -> None:
        writer, node = self.writer, self.step.node
        assert isinstance(writer, GridWriter)
        partials = GridPartials(writer, node, self.schedule.loop.reductions)
        partials.allocate()
        start = writer.position()
        most = self.induction.trip_count or 1 << 20
        index, used, head, length = FIRST, as_node(count), list[Expression](), as_node(1)
        if partials.indices:
            length = partials.name(partials.indices[0]).with_suffix("_length")
            writer.let(length, (used + (MOST_PARTIALS - 1)) // MOST_PARTIALS)
            writer.let(length.with_suffix("_used"), (used + length - 1) // length)
            writer.threads = max(writer.threads, min(most, MOST_PARTIALS))
            partials.keep_start()
            index, used, head = CHUNK, length.with_suffix("_used"), [CHUNK * length]
        elif inner := _inner_loop(self.plan):
            step, first, trip_count = inner
            writer.inner_loop, writer.inner_index = step, writer.unused("i")
            writer.threads = max(writer.threads, most * trip_count)
            index, used, head = PAIR, used * trip_count, [PAIR // trip_count]
            inner_index = PAIR % trip_count + first if first else PAIR % trip_count
        else:
            writer.threads = max(writer.threads, most)
        with writer.loop(index, *of_thread(used)):
            block = writer.block
            for number in head:
                writer.let(FIRST, number)
            if writer.inner_loop is not None:
                writer.let(writer.inner_index, inner_index)
            self.of_thread(partials, length, count, start)
        assert writer.inner_loop is None
        if writer.guard(block, len(head), index, node):
            writer.leave_if_failed()
        if partials.indices:
            writer.barrier()
            partials.restore_start()
            partials.merge(used)
        counter = node.outputs[self.induction.position]
        end = self.start() + as_node(count) * self.induction.step
        writer.let(writer.read(counter), writer.cast(end, counter.dtype))

    def of_thread(self, partials: Partials, length: Operand, count: Operand, start) -> None:
        """The iterations of one thread, with arrays of its own."""
        writer = self.writer
        assert isinstance(writer, GridWriter)
        outer, writer.region.preamble = writer.region.preamble, []
        with writer.by(ALL_THREADS), writer.private_memory() as preamble:
            partials.start()
            with writer.loop("iteration", *self.iterations(length, count)):
                self.iteration()
                partials.pass_results(self.step.body.outputs)
            partials.leave()
        start.insert(preamble)
        writer.region.preamble = outer


class GridPartials(Partials):
    """Partial results in memory that all threads share. Meanwhile, a thread has its own results in
    the variables that the loop carries.
    """

    def keep_start(self) -> None:
        for index in self.indices:
            name = self.name(index)
            self.writer.let(name.with_suffix("_start"), name)

    def restore_start(self) -> None:
        for index in self.indices:
            name = self.name(index)
            self.writer.let(name, name.with_suffix("_start"))

    def new_array(self, dtype) -> Name:
        assert isinstance(self.writer, GridWriter)
        return self.writer.scratch(dtype.numpy_dtype, MOST_PARTIALS)
