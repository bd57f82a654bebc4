"""Loop nests: registers, loops over the kept and the reduced axes, stores."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import pairwise

from ...ir.graph import Node, Value, dims, elements_of
from ...ir.node_properties import has_slow_path
from ...kernel_ir.nodes import Expression, Name, call
from ...lowering.loop_distribution import Distribution
from ...lowering.nest_schedule import NestSchedule, has_few_rows, reads_apart
from ...lowering.program import Nest
from ...lowering.schedule import StepPlan
from .elements import largest_operand, register, store
from .emit_reductions import (
    accumulator_dtype,
    add_partial_sums,
    combine,
    finish_reduction,
    keep_partial,
    reduce_in_chunks,
    start_blocks,
    start_partial_sums,
    start_reduction,
    summed_blocks,
)
from .kernel_writer import KernelWriter, indices_of, literal
from .loop_headers import axis_loop, axis_loops, block_loop, innermost_loop, part_loop
from .parallel_loops import parallel_nests

WriteElement = Callable[[Iterable[Node], Iterable[Value]], None]


def write_nest(writer: KernelWriter, plan: StepPlan, inside_rows: bool = False) -> None:
    """The loops of a nest; `inside_rows`, that over the first axis is there already."""
    nest, schedule = plan.step, plan.schedule
    assert isinstance(nest, Nest)
    assert isinstance(schedule, NestSchedule)
    for value in plan.memory:
        writer.buffer(value)
    start = writer.position()

    def loops() -> None:
        writer.region.is_outermost = not inside_rows
        if schedule.is_flat:
            _flat_loop(writer, nest, schedule)
        elif schedule.by_columns:
            _columns(writer, nest, schedule, inside_rows)
        else:
            _loops(writer, nest, schedule, inside_rows)
        writer.nest.registers = {}

    def write() -> None:
        _with_second_pass(writer, nest, loops)

    if schedule.has_partials:
        reduce_in_chunks(writer, nest, schedule, write)
    else:
        parallel_nests(writer, schedule.chunks, write)
    writer.write_hoisted(start)
    if 0 in dims(nest.space) and any(node.may_raise for node in nest.nodes):
        writer.leave("raise", "AssertionError")  # no iteration checks what NumPy checks


def _with_second_pass(writer: KernelWriter, nest: Nest, write: Callable[[], None]) -> None:
    """A nest that meets a number out of a formula's reach is done again by the C library."""
    tests = {}
    for node in filter(has_slow_path, nest.nodes):
        real = node.output.dtype.numpy_dtype.type
        reaches = node.op.slow_path_beyond
        assert reaches is not None  # `has_slow_path` says so
        limit, largest = real(reaches[8 * node.output.dtype.size]), largest_operand(node)
        if largest.id not in tests:
            writer.let(largest, literal(real(0)))
        tests[largest.id] = largest > literal(limit)
    write()
    if tests:
        first, *others = tests.values()
        writer.nest.slow_path = True
        with writer.when(first.joined("or", *others)):
            write()
        writer.nest.slow_path = False


def _flat_loop(writer: KernelWriter, nest: Nest, schedule: NestSchedule) -> None:
    """One loop over all elements."""
    arrays = {
        value: None  # in order, so that each process writes the same source
        for node in nest.nodes
        for value in node.inputs
        if value.shape and value in writer.names
    }
    flat = {}
    for value in dict.fromkeys([*arrays, *nest.stores]):
        flat[value] = writer.read(value).with_suffix("_")
        writer.let(flat[value], call("reshaped", writer.read(value), (elements_of(value),)))
    registers = writer.nest.registers
    registers |= {value: name["i"] for value, name in flat.items() if value in arrays}

    def write(nodes: Iterable[Node], stores: Iterable[Value]) -> None:
        for node in nodes:
            register(writer, node, (Name("i"),))
        for value in stores:
            writer.let(flat[value]["i"], registers[value])

    size = elements_of(nest.space)
    if schedule.distribution is not None:
        _distributed_loops(writer, nest, schedule.distribution, ("i", size), write, {})
    else:
        with axis_loop(writer, "i", size):
            write(nest.nodes, nest.stores)


def _loops(writer: KernelWriter, nest: Nest, schedule: NestSchedule, inside_rows: bool) -> None:
    """The kept axes outside, the reduced ones inside."""
    kept, reduced, shape = schedule.kept, schedule.reduced, nest.space.shape
    reductions = _reductions(nest)
    if schedule.breaks:
        with axis_loops(writer, kept[:-1], shape, inside_rows):
            _divided(writer, nest, schedule)
        return
    has_partials = schedule.has_partials
    few = bool(reductions) and has_few_rows(nest, reduced[-1])
    writer.region.is_outermost &= not has_partials
    distribution = schedule.distribution
    outer = kept if reduced or distribution is None else kept[:-1]
    with axis_loops(writer, outer, shape, inside_rows, one_by_one=few):
        for node in reductions:
            start_reduction(writer, node)
        sums = start_partial_sums(writer, nest, reduced)
        writer.region.is_outermost |= has_partials
        with axis_loops(writer, reduced[:-1], shape):
            if distribution is not None:
                axis, write = (reduced or kept)[-1], partial(_element, writer, nest)
                last = f"i{axis}", dims(nest.space)[axis]
                _distributed_loops(writer, nest, distribution, last, write, sums)
            else:
                one_by_one = bool(reductions) and reads_apart(nest, reduced[-1])
                with summed_blocks(writer, reduced, shape, sums, one_by_one):
                    _elements(writer, nest)
        for node in reductions:
            if node in writer.region.partials:
                keep_partial(writer, node, kept, sums.values())
            else:
                finish_reduction(writer, node, kept, sums.values())


def _distributed_loops(
    writer: KernelWriter,
    nest: Nest,
    distribution: Distribution,
    axis: tuple[str, int],
    write: WriteElement,
    sums: dict[Node, Name],
) -> None:
    """The loops over an axis, given by its index and size: `write(nodes, stores)` writes what
    one of them does to an element. `sums` get a partial sum of each block.

    The last loop stores all results, since they may be written over what the loops read.
    """
    (index, size), registers = axis, writer.nest.registers
    block, is_outermost = distribution.block, writer.region.is_outermost
    places = {
        value: writer.private_array((block,), value.dtype.numpy_dtype.name)["j"]
        for value in distribution.handed_on
    }
    with block_loop(writer, size, block):
        start_blocks(writer, sums)
        *earlier, last = distribution.loops
        for nodes in earlier:
            writer.region.is_outermost = is_outermost
            with innermost_loop(writer, index, size, block):
                write(nodes, ())
                for node in nodes:
                    if node.output in places:
                        writer.let(places[node.output], registers[node.output])
                        registers[node.output] = places[node.output]
        writer.region.is_outermost = is_outermost
        with innermost_loop(writer, index, size, block):
            write(last, nest.stores)
        add_partial_sums(writer, sums)


def _divided(writer: KernelWriter, nest: Nest, schedule: NestSchedule) -> None:
    """The loop over the last axis in parts, in each of which memory is read along lines."""
    last, is_outermost = schedule.kept[-1], writer.region.is_outermost
    for part in pairwise((0, *schedule.breaks, dims(nest.space)[last])):
        writer.nest.part, writer.region.is_outermost = part, is_outermost
        with part_loop(writer, f"i{last}", *part):
            writer.region.is_outermost = False
            _elements(writer, nest)
    writer.nest.part = None


def _columns(writer: KernelWriter, nest: Nest, schedule: NestSchedule, inside_rows: bool) -> None:
    """Every column has an accumulator, in an array; the loop over the columns is innermost."""
    kept, reduced, shape = schedule.kept, schedule.reduced, dims(nest.space)
    tile, reductions, partials = schedule.tile, _reductions(nest), writer.region.partials
    outer = [axis for axis in kept if axis < reduced[0]]
    inner = [axis for axis in kept if axis > reduced[0]]
    far = [axis for axis in inner if tile is not None and axis < tile.axis]
    near = inner[len(far) :]
    items = {node: _column_accumulators(writer, node, near, schedule) for node in reductions}
    writer.region.is_outermost &= not schedule.has_partials
    with contextlib.ExitStack() as stack:
        if tile is None or not schedule.shares_columns:
            stack.enter_context(axis_loops(writer, outer, shape, inside_rows))
            outer = []
        if tile is not None:
            stack.enter_context(block_loop(writer, shape[tile.axis], tile.length))
        writer.region.is_outermost = False
        stack.enter_context(axis_loops(writer, [*outer, *far], shape))
        with _column_loops(writer, near, shape, schedule):
            for node in reductions:
                start_reduction(writer, node, items[node])
        writer.region.is_outermost = schedule.has_partials
        axes = [axis for axis in range(reduced[0], len(shape)) if axis not in far]
        with _column_loops(writer, axes, shape, schedule):
            _elements(writer, nest)
        with _column_loops(writer, near, shape, schedule):
            for node in reductions:
                if node in partials:
                    place = Name(partials[node].name)[("chunk", *indices_of(inner))]
                    writer.let(place, items[node])
                else:
                    finish_reduction(writer, node, kept)


@contextlib.contextmanager
def _column_loops(
    writer: KernelWriter, axes: Iterable[int], shape, schedule: NestSchedule
) -> Iterator[None]:
    """Loops over axes, that of the tile over the columns of one block."""
    tile = schedule.tile
    with contextlib.ExitStack() as stack:
        for axis in axes:
            block = tile.length if tile is not None and axis == tile.axis else None
            writer.region.is_outermost |= block is not None and schedule.shares_columns
            stack.enter_context(innermost_loop(writer, f"i{axis}", shape[axis], block))
        yield


def _column_accumulators(
    writer: KernelWriter, node: Node, axes: list[int], schedule: NestSchedule
) -> Expression:
    """An array of accumulators; its element at the index of the loops."""
    shape = dims(node.inputs[0])
    sizes, indices = [int(shape[axis]) for axis in axes], list(indices_of(axes))
    if schedule.tile is not None:
        sizes[0], indices[0] = min(sizes[0], schedule.tile.length), Name("j")
    name = writer.private_array(tuple(sizes), accumulator_dtype(node).name)
    return name[tuple(indices)]


def _reductions(nest: Nest) -> list[Node]:
    return [node for node in nest.nodes if node.op.reduce]


def _elements(writer: KernelWriter, nest: Nest) -> None:
    """The innermost lines: one element of each node."""
    _element(writer, nest, nest.nodes, nest.stores)


def _element(
    writer: KernelWriter, nest: Nest, nodes: Iterable[Node], stores: Iterable[Value]
) -> None:
    """One element of some nodes of a nest, and of what is stored."""
    state, indices = writer.nest, indices_of(range(len(dims(nest.space))))
    for node in nodes:
        if node.op.reduce:
            combine(writer, node, writer.element_at(node.inputs[0], indices))
        else:
            register(writer, node, indices)
    for value in stores:
        if value in state.registers and value not in state.accumulators:
            store(writer, value, indices, state.registers[value])
