"""Loop nests whose elements the threads of a grid share.

Without reductions, each thread computes some elements. Where axes are reduced, each thread, or each
warp, computes some results if there are many; otherwise the lanes of *chunks* do, whose number
follows from the shape alone. Each lane adds up its elements, then the warps add up by shuffles, and
each thread adds up what the warps of its block have. So a sum of floats does not depend on the
grid.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from contextlib import ExitStack, nullcontext
from typing import NamedTuple

from ...codegen.native.elements import register, store
from ...codegen.native.emit_reductions import (
    accumulator_dtype,
    combine,
    complete,
    finish_reduction,
    start_reduction,
)
from ...codegen.native.kernel_writer import indices_of
from ...ir.graph import Node, Value, dims, elements_of
from ...ir.node_properties import has_slow_path
from ...kernel_ir.nodes import Name, Operand, as_node, call
from ...lowering.nest_schedule import NestSchedule
from ...lowering.not_native import NotNativeError
from ...lowering.program import Nest
from ...lowering.schedule import StepPlan
from ..grid_kernel import LANES, WARP
from .grid_writer import GridWriter, product

MANY_RESULTS = 1024  # of which each thread, or each warp, computes some
FEW_ELEMENTS = 32  # that one thread reduces
OF_A_WARP = 256  # elements, from which on the lanes of a block share them
OF_A_CHUNK = 2048  # elements, from which on there are more chunks
MOST_CHUNKS = 1024


def write_nest(writer: GridWriter, plan: StepPlan) -> None:
    """The loops of a nest."""
    nest, schedule = plan.step, plan.schedule
    assert isinstance(nest, Nest)
    assert isinstance(schedule, NestSchedule)
    for node in nest.nodes:
        for value in (*node.inputs, node.output):
            writer.check(value, node)
    writer.nest.registers = {}
    start = writer.position()
    for value in plan.memory:
        writer.buffer(value)
    operands = [value for node in nest.nodes for value in node.inputs]
    accesses = writer.accesses(operands, nest.stores)
    if 0 in dims(nest.space) and any(node.may_raise for node in nest.nodes):
        writer.leave("raise", "AssertionError")  # no iteration checks what NumPy checks
    if not schedule.reduced:
        writer.synchronize(start, accesses)
        _elementwise(writer, nest, schedule)
    else:
        writer.synchronize(start, accesses)
        _reduction(writer, nest, schedule)
    writer.write_hoisted(start)
    writer.nest.registers = {}


def write_elements(
    writer: GridWriter, nodes: Iterable[Node], stores: Iterable[Value], indices
) -> None:
    """One element of some nodes of a nest, and of what is stored."""
    state = writer.nest
    for node in nodes:
        if node.op.reduce:
            combine(writer, node, writer.element_at(node.inputs[0], indices))
        else:
            state.slow_path = has_slow_path(node)
            register(writer, node, indices)
            state.slow_path = False
    for value in stores:
        if value in state.registers and value not in state.accumulators:
            store(writer, value, indices, state.registers[value])


def _elementwise(writer: GridWriter, nest: Nest, schedule: NestSchedule) -> None:
    """Each thread computes some elements."""
    size = elements_of(nest.space)
    if not size:
        return
    if schedule.is_flat:
        _flat(writer, nest, size)
        return
    sizes = writer.lengths(dims(nest.space))
    with writer.over_threads("i", size, product(sizes)):
        block = writer.block
        indices = decoded(writer, "i", range(len(sizes)), sizes)
        write_elements(writer, nest.nodes, nest.stores, indices)
    _guard(writer, block, 0, "i", nest)


def _guard(writer: GridWriter, block: list, start: int, index: Operand, nest: Nest) -> None:
    """Note where an element fails, and leave the kernel then."""
    if writer.guard(block, start, index, nest.nodes[0]):
        writer.leave_if_failed()


def _flat(writer: GridWriter, nest: Nest, size: int) -> None:
    """All arrays are read at the index of the result."""
    registers = writer.nest.registers
    operands = [value for node in nest.nodes for value in node.inputs]
    arrays = dict.fromkeys(value for value in operands if value.shape and value in writer.names)
    flat = {}
    for value in dict.fromkeys([*arrays, *nest.stores]):
        flat[value] = writer.read(value).with_suffix("_")
        writer.let(flat[value], call("reshaped", writer.read(value), (size,)))
    registers |= {value: flat[value]["i"] for value in arrays}
    with writer.over_threads("i", size):
        block = writer.block
        write_elements(writer, nest.nodes, (), ("i",))
        for value in nest.stores:
            writer.let(flat[value]["i"], registers[value])
    _guard(writer, block, 0, "i", nest)


def decoded(
    writer: GridWriter, flat: str, axes: Sequence[int], shape: Sequence[Operand]
) -> tuple[Name, ...]:
    """The indices of element `flat` of some axes, which the variables `i0` and so on then hold."""
    rest = Name(flat)
    for at, axis in reversed(list(enumerate(axes))):
        if not at:
            writer.let(f"i{axis}", rest)
            break
        writer.let(f"i{axis}", rest % shape[axis])
        writer.let(f"{flat}_{axis}", rest // shape[axis])
        rest = Name(f"{flat}_{axis}")
    return indices_of(range(len(shape)))


# ---- reductions --------------------------------------------------------------------------------


class Chunked(NamedTuple):
    """How lanes share the elements that each result is made of: `chunks` of them for each."""

    results: int
    elements: int
    lanes: int
    chunks: int


def chunked(results: int, elements: int) -> Chunked:
    """The chunks for so many results of so many elements: it depends on nothing else."""
    lanes = max(WARP, min(LANES, _power_of_two(elements)))
    most = max(1, MOST_CHUNKS // _power_of_two(results))
    chunks = min(most, _power_of_two(elements // OF_A_CHUNK) if elements else 1)
    return Chunked(results, elements, lanes, max(1, chunks))


def _power_of_two(number: int) -> int:
    """The least that is not smaller; 1 for 0."""
    return 1 << max(number - 1, 0).bit_length()


def _reduction(writer: GridWriter, nest: Nest, schedule: NestSchedule) -> None:
    shape = dims(nest.space)
    results = math.prod(shape[axis] for axis in schedule.kept)
    elements = math.prod(shape[axis] for axis in schedule.reduced)
    if not results:
        return
    is_many = results >= MANY_RESULTS
    is_along_memory = len(shape) - 1 in schedule.reduced  # neighboring lanes read neighbors
    if not schedule.kept or not (is_many or elements <= OF_A_WARP):
        Chunks(writer, nest, schedule, chunked(results, elements)).write()
    elif is_along_memory and elements > FEW_ELEMENTS:
        _by_warps(writer, nest, schedule, results)
    elif is_many or elements <= FEW_ELEMENTS:
        _by_result(writer, nest, schedule, results)
    else:
        Chunks(writer, nest, schedule, chunked(results, elements)).write()


def _by_result(writer: GridWriter, nest: Nest, schedule: NestSchedule, results: int) -> None:
    """Each thread computes some results."""
    sizes = writer.lengths(dims(nest.space))
    reductions = [node for node in nest.nodes if node.op.reduce]
    with writer.over_threads("k", results, product(sizes[axis] for axis in schedule.kept)):
        block = writer.block
        indices = decoded(writer, "k", schedule.kept, sizes)
        for node in reductions:
            start_reduction(writer, node)
        reduced = schedule.reduced
        with writer.loops((f"i{axis}" for axis in reduced), (sizes[axis] for axis in reduced)):
            write_elements(writer, nest.nodes, nest.stores, indices)
        for node in reductions:
            finish_reduction(writer, node, schedule.kept)
    _guard(writer, block, 0, "k", nest)


def _by_warps(writer: GridWriter, nest: Nest, schedule: NestSchedule, results: int) -> None:
    """Each warp computes some results."""
    sizes = writer.lengths(dims(nest.space))
    reductions = [node for node in nest.nodes if node.op.reduce]
    writer.threads = max(writer.threads, results * WARP)
    count = product(sizes[axis] for axis in schedule.kept)
    of_warp = call("thread_index") // WARP, count, call("thread_count") // WARP
    with writer.loop("k", *of_warp):
        decoded(writer, "k", schedule.kept, sizes)
        lane = writer.unused("lane")
        writer.let(lane, call("lane_index") % WARP)
        for node in reductions:
            start_reduction(writer, node)
        is_failing = lane_elements(writer, nest, schedule.reduced, sizes, (lane, WARP))
        add_up_warp(writer, reductions)
        with writer.when(lane.equals(0)):
            for node in reductions:
                finish_reduction(writer, node, schedule.kept)
    if is_failing:
        writer.leave_if_failed()


def lane_elements(
    writer: GridWriter, nest: Nest, axes: Sequence[int], sizes, steps: tuple[Operand, Operand]
) -> bool:
    """The elements of a lane along some axes: the first, and how far it is to the next. Returns
    whether they may fail.
    """
    first, step = steps
    with writer.loop("r", first, product(sizes[axis] for axis in axes), step):
        block = writer.block
        indices = decoded(writer, "r", axes, sizes)
        write_elements(writer, nest.nodes, nest.stores, indices)
    return writer.guard(block, 0, "r", nest.nodes[0])


def add_up_warp(writer: GridWriter, reductions: Iterable[Node]) -> None:
    """Half of the lanes of a warp is added to the other half, until the first one has all."""
    for node in reductions:
        accumulator = writer.nest.accumulators[node.output]
        other, distance = accumulator.name.with_suffix("_other"), WARP // 2
        writer.origins |= {accumulator.name.id: node, other.id: node}
        while distance:
            complete(writer, node, accumulator, ())
            writer.let(other, call("shuffled_down", accumulator.name, distance))
            combine(writer, node, other)
            distance //= 2
        complete(writer, node, accumulator, ())


class Chunks:
    """A reduction by the lanes of chunks.

    Numbers are computed by each block for itself, since every thread needs them.
    """

    def __init__(self, writer: GridWriter, nest: Nest, schedule: NestSchedule, shared: Chunked):
        self.writer, self.nest, self.schedule, self.shared = writer, nest, schedule, shared
        self.reductions = [node for node in nest.nodes if node.op.reduce]
        self.dtypes = {node: accumulator_dtype(node) for node in self.reductions}
        self.partials: dict[Node, Name] = {}
        self.is_failing = False
        self.sizes = writer.lengths(dims(nest.space))
        self.width = shared.lanes  # the lanes that share the elements of a chunk
        self.is_number = not self.reductions[0].output.shape
        self.warps_of = {
            node: writer.shared_array(self.dtypes[node], at)
            for at, node in enumerate(self.reductions)
        }
        if any(self.is_number is bool(node.output.shape) for node in self.reductions):
            raise NotNativeError("a number and an array by one loop", self.reductions[0].where)

    def write(self) -> None:
        writer, shared = self.writer, self.shared
        writer.threads = max(writer.threads, shared.results * shared.chunks * shared.lanes)
        if shared.chunks == 1 and not (self.is_number and _has_stores(self.nest)):
            self.stage(1, self.elements, self.finished, self.is_number)
        else:
            count = shared.results * shared.chunks
            for node in self.reductions:
                self.partials[node] = writer.scratch(self.dtypes[node], count)
            self.stage(shared.chunks, self.elements, self.kept_partials, False)
            writer.barrier()
            self.width = max(WARP, min(LANES, _power_of_two(shared.chunks)))
            writer.nest.registers = {}
            self.stage(1, self.partial_elements, self.finished, self.is_number)
        results = [node.output for node in self.reductions]
        writer.pending |= writer.accesses((), results, reads=self.partials.values())
        if self.is_failing:
            writer.leave_if_failed()

    def stage(self, chunks: int, elements, finish, is_everywhere: bool) -> None:
        """Chunks of elements to one number each, which `finish` takes."""
        writer, width, sizes = self.writer, self.width, self.sizes
        count = product([*(sizes[axis] for axis in self.schedule.kept), chunks])
        with ExitStack() as stack:
            if not is_everywhere:
                ends = call("block_index"), count, call("block_count")
                stack.enter_context(writer.loop("q", *ends))
                writer.let("k", Name("q") // chunks if chunks > 1 else "q")
                decoded(writer, "k", self.schedule.kept, sizes)
            with writer.loop("chunk", call("lane_index"), width, call("lane_count")):
                for node in self.reductions:
                    start_reduction(writer, node)
                elements(chunks)
                add_up_warp(writer, self.reductions)
                with writer.when((Name("chunk") % WARP).equals(0)):
                    for node, name in self.warps_of.items():
                        accumulator = writer.nest.accumulators[node.output]
                        writer.let(name[Name("chunk") // WARP], accumulator.name)
            writer.call("block_barrier")
            with nullcontext() if is_everywhere else writer.when(call("lane_index").equals(0)):
                self.add_up_warps(width // WARP)
                finish()
            writer.call("block_barrier")

    def elements(self, chunks: int) -> None:
        """Those of the nest that a lane takes in."""
        step, first = chunks * self.shared.lanes, as_node("chunk")
        if chunks > 1:
            first = Name("q") % chunks * self.shared.lanes + first
        axes, steps = self.schedule.reduced, (first, step)
        self.is_failing = lane_elements(self.writer, self.nest, axes, self.sizes, steps)

    def partial_elements(self, _: int) -> None:
        """The results of chunks."""
        writer, count = self.writer, self.shared.chunks
        place = Name("k") * count + "r" if self.schedule.kept else "r"
        with writer.loop("r", "chunk", count, self.width):
            for node, name in self.partials.items():
                combine(writer, node, name[place])

    def add_up_warps(self, count: int) -> None:
        """What a block has, from what its warps have."""
        writer = self.writer
        for node in self.reductions:
            start_reduction(writer, node)
        with writer.loop("warp", count):
            for node, name in self.warps_of.items():
                combine(writer, node, name["warp"])

    def kept_partials(self) -> None:
        for node, name in self.partials.items():
            accumulator = self.writer.nest.accumulators[node.output]
            complete(self.writer, node, accumulator, ())
            self.writer.let(name["q"], accumulator.name)

    def finished(self) -> None:
        for node in self.reductions:
            finish_reduction(self.writer, node, self.schedule.kept)


def _has_stores(nest: Nest) -> bool:
    """Whether a nest stores more than what it reduces to."""
    reduced = {node.output for node in nest.nodes if node.op.reduce}
    return any(value not in reduced for value in nest.stores)
