"""Reductions: accumulators before, inside and after the loops that they run over."""

from __future__ import annotations

import contextlib
import functools
import operator
from collections.abc import Callable, Collection, Iterator, Sequence

import numpy as np

from ...core import thresholds
from ...core.dtypes import float64
from ...core.numpy_dtypes import extremes_of
from ...ir.extents import has_extents
from ...ir.graph import Node, Value, dims, elements_of
from ...kernel_ir.nodes import Expression, Name, Operand, as_node, call, named
from ...lowering.nest_schedule import NestSchedule, compensated_sums, partial_sums
from ...lowering.program import Nest
from .elements import computed, store
from .kernel_writer import Accumulator, KernelWriter, indices_of, literal, new_array
from .loop_headers import axis_loops, block_loop, innermost_loop
from .parallel_loops import parallel_nests

# Steps that a NaN may not meet, for those that it may.
EXTREMES = {
    "maximum({acc}, {x})": "larger({acc}, {x})",
    "minimum({acc}, {x})": "smaller({acc}, {x})",
}


def start_reduction(writer: KernelWriter, node: Node, element: Expression | None = None) -> None:
    """Make an accumulator, or use the `element` in an array for it."""
    name = writer.unused("a") if element is None else element
    writer.nest.accumulators[node.output] = Accumulator(name)
    writer.let(name, _initial(node))
    if isinstance(name, Name) and is_extreme(node):
        writer.let(name.with_suffix("_nan"), False)


def _initial(node: Node) -> Expression:
    """What an accumulator starts with."""
    initial, dtype = node.op.reduce.initial, node.inputs[0].dtype
    if isinstance(initial, bool):
        return as_node(initial)
    if isinstance(initial, int):
        return call(f"np.{accumulator_dtype(node).name}", initial)
    number = extremes_of(dtype.numpy_dtype)[initial == "highest"]
    return literal(np.asarray(number, dtype.numpy_dtype))


def is_extreme(node: Node) -> bool:
    """Whether it is the largest or smallest float. NaN, which is the result if there is one, is
    looked for apart, which LLVM vectorizes better than one step that does both.
    """
    return node.op.reduce.combine in EXTREMES and node.inputs[0].dtype.is_floating


def accumulator_dtype(node: Node) -> np.dtype:
    """The type of an accumulator: sums of float32 are kept in float64, which loses nothing."""
    dtype = node.inputs[0].dtype.numpy_dtype
    sums = node.op.reduce.combine.startswith(("plus(", "times("))
    return np.dtype(np.float64) if sums and dtype == np.float32 else dtype


def combine(writer: KernelWriter, node: Node, item: Expression) -> None:
    """Take one more item into an accumulator."""
    accumulator, value = writer.nest.accumulators[node.output], node.inputs[0]
    name, template = accumulator.name, node.op.reduce.combine
    if isinstance(name, Name) and is_extreme(node):
        template = EXTREMES[template]
        writer.update(name.with_suffix("_nan"), "|", item.differs(item))
    result = computed(writer, template, {"acc": name, "x": item}, value.dtype)
    dtype = value.dtype.numpy_dtype if accumulator.is_partial else accumulator_dtype(node)
    writer.let(name, result if value.dtype.is_bool else call(f"np.{dtype.name}", result))


def finish_reduction(
    writer: KernelWriter, node: Node, kept: Sequence[int], sums: Collection[Name] = ()
) -> None:
    """The result of a reduction from its accumulator; `sums` have kept what they lost."""
    accumulator = writer.nest.accumulators[node.output]
    value, result = node.inputs[0], node.output
    complete(writer, node, accumulator, sums)
    items = {"acc": accumulator.name, "n": _terms(writer, value, result, kept)}
    total = computed(writer, node.op.reduce.finish, items, value.dtype)
    total = writer.cast(total, result.dtype)
    if not result.shape:
        writer.let(writer.name(result), total)
        return
    indices: Sequence[Operand] = indices_of(kept)
    if node.attrs["keepdims"]:
        indices = [Name(f"i{axis}") if axis in kept else 0 for axis in range(len(dims(value)))]
    store(writer, result, indices, total)


def _terms(writer: KernelWriter, value: Value, result: Value, kept: Sequence[int]) -> Expression:
    """How many elements each element of a result is made of."""
    if not has_extents(value.shape):
        return as_node(elements_of(value) // max(elements_of(result), 1))
    reduced = [writer.size(size) for axis, size in enumerate(dims(value)) if axis not in kept]
    return functools.reduce(operator.mul, reduced, as_node(1))


def complete(
    writer: KernelWriter, node: Node, accumulator: Accumulator, sums: Collection[Name]
) -> None:
    """Put what was kept apart back into an accumulator."""
    name, dtype = accumulator.name, node.inputs[0].dtype
    if isinstance(name, Name) and is_extreme(node):
        nan = call(f"np.{dtype.name}", named("np.nan"))
        writer.let(name, name.with_suffix("_nan").choice(nan, name))
    if name in sums and dtype is float64:  # an infinite sum has no error to add, but NaN
        lost = name.with_suffix("_lost")
        writer.update(name, "+", lost.equals(lost).choice(lost, 0.0))


# ---- chunks ------------------------------------------------------------------------------------


def reduce_in_chunks(
    writer: KernelWriter,
    nest: Nest,
    schedule: NestSchedule,
    write: Callable[[], None],
) -> None:
    """Loops of which the outermost is reduced: each chunk, then the partial results, in order."""
    chunks, kept = schedule.chunks, schedule.kept
    if chunks is None:
        write()
        return
    reductions = [node for node in nest.nodes if node.op.reduce]
    partials, sizes = writer.region.partials, dims(nest.space)
    for node in reductions:
        dtype = node.inputs[0].dtype
        dtype = dtype if accumulator_dtype(node) == dtype.numpy_dtype else float64
        name, shape = writer.unused("p"), (chunks.number, *(sizes[axis] for axis in kept))
        partials[node] = Value(dtype, shape, name.id)
        writer.allocate(new_array(name, shape, dtype.name))
    parallel_nests(writer, chunks, write)
    for node in reductions:
        partial = Name(partials.pop(node).name)
        if kept:
            _merge_columns(writer, node, partial, schedule)
            continue
        start_reduction(writer, node)
        with writer.loop("chunk", chunks.number):
            combine(writer, node, partial["chunk"])
        finish_reduction(writer, node, [])


def _merge_columns(writer: KernelWriter, node: Node, partial: Name, schedule: NestSchedule) -> None:
    """The results of the columns from those of the chunks, which the first one takes in."""
    kept, sizes = schedule.kept, dims(node.inputs[0])
    indices = indices_of(kept)
    writer.nest.accumulators[node.output] = Accumulator(partial[(0, *indices)])
    assert schedule.chunks is not None
    chunks = writer.loop("chunk", 1, schedule.chunks.number)
    with chunks, axis_loops(writer, kept, sizes):
        combine(writer, node, partial[("chunk", *indices)])
    with axis_loops(writer, kept, sizes):
        finish_reduction(writer, node, kept)


def keep_partial(
    writer: KernelWriter, node: Node, kept: Sequence[int], sums: Collection[Name]
) -> None:
    """Keep the partial result of one chunk of a parallel loop."""
    accumulator = writer.nest.accumulators[node.output]
    complete(writer, node, accumulator, sums)
    partial = Name(writer.region.partials[node].name)
    writer.let(partial[("chunk", *indices_of(kept))], accumulator.name)


# ---- accurate sums -----------------------------------------------------------------------------


def start_partial_sums(
    writer: KernelWriter, nest: Nest, reduced: tuple[int, ...]
) -> dict[Node, Name]:
    """Sums that add partial sums instead of elements, with the names of their totals.

    In float64 the rounding error of each addition is kept (T. J. Dekker's sum of two numbers).
    """
    accumulators = writer.nest.accumulators
    for node in compensated_sums(nest, reduced):
        writer.let(accumulators[node.output].name.with_suffix("_lost"), 0.0)
    return {node: accumulators[node.output].name for node in partial_sums(nest, reduced)}


@contextlib.contextmanager
def summed_blocks(
    writer: KernelWriter,
    reduced: tuple[int, ...],
    shape,
    sums: dict[Node, Name],
    one_by_one: bool,
) -> Iterator[None]:
    """The innermost loop, in blocks where partial sums are to stay short; then the partial sums."""
    with contextlib.ExitStack() as stack:
        if reduced:
            axis, size, block = reduced[-1], shape[reduced[-1]], None
            if sums and size > thresholds.SUM_BLOCK:
                block = thresholds.SUM_BLOCK
                stack.enter_context(block_loop(writer, size, block))
            start_blocks(writer, sums)
            with innermost_loop(writer, f"i{axis}", size, block, one_by_one):
                yield
        else:
            yield
        add_partial_sums(writer, sums)


def start_blocks(writer: KernelWriter, sums: dict[Node, Name]) -> None:
    """Start the partial sums of a block."""
    for node, total in sums.items():
        partial = total.with_suffix("_partial")
        writer.nest.accumulators[node.output] = Accumulator(partial, is_partial=True)
        writer.let(partial, call(f"np.{node.inputs[0].dtype.name}", 0))


def add_partial_sums(writer: KernelWriter, sums: dict[Node, Name]) -> None:
    for node, total in sums.items():
        writer.nest.accumulators[node.output] = Accumulator(total)
        partial, more, back, lost = (
            total.with_suffix(f"_{word}") for word in ("partial", "more", "back", "lost")
        )
        if node.inputs[0].dtype is not float64:
            writer.update(total, "+", call("np.float64", partial))
            continue
        writer.let(more, total + partial)
        writer.let(back, more - total)
        writer.update(lost, "+", (total - (more - back)) + (partial - back))
        writer.let(total, more)
