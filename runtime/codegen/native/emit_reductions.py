"""Reductions as source: accumulators before, inside and after the loops that they run over."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Iterator, Sequence

import numpy as np

from ...core import thresholds
from ...core.dtypes import float64
from ...ir.extents import has_extents
from ...ir.graph import Node, Value, dims, elements_of
from ...lowering.nest_schedule import NestSchedule, compensated_sums, partial_sums
from ...lowering.program import Nest
from .elements import computed, store
from .kernel_writer import Accumulator, KernelWriter, numpy_name
from .loop_headers import axis_loops, block_loop, innermost_loop
from .parallel_loops import parallel_nests

# Steps that a NaN may not meet, for those that it may.
EXTREMES = {
    "maximum({acc}, {x})": "larger({acc}, {x})",
    "minimum({acc}, {x})": "smaller({acc}, {x})",
}


def start_reduction(writer: KernelWriter, node: Node, element: str | None = None) -> None:
    """Make an accumulator, or use the `element` in an array for it."""
    name = element or f"a{next(writer.count)}"
    writer.nest.accumulators[node.output] = Accumulator(name, element is not None)
    writer.line(f"{name} = {_initial(writer, node)}")
    if element is None and is_extreme(node):
        writer.line(f"{name}_nan = False")


def _initial(writer: KernelWriter, node: Node) -> str:
    """What an accumulator starts with."""
    initial, dtype = node.op.reduce.initial, node.inputs[0].dtype
    if initial in ("True", "False"):
        return initial
    if initial not in ("lowest", "highest"):
        return f"np.{accumulator_dtype(node).name}({initial})"
    if dtype.is_floating:
        number = -np.inf if initial == "lowest" else np.inf
    else:
        limits = np.iinfo(dtype.numpy_dtype)
        number = limits.min if initial == "lowest" else limits.max
    return writer.literal(np.asarray(number, dtype.numpy_dtype))


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


def combine(writer: KernelWriter, node: Node, item: str) -> None:
    """Take one more item into an accumulator."""
    accumulator, value = writer.nest.accumulators[node.output], node.inputs[0]
    name, source = accumulator.name, node.op.reduce.combine
    if not accumulator.is_element and is_extreme(node):
        source = EXTREMES[source]
        writer.line(f"{name}_nan |= {item} != {item}")
    source = computed(writer, source, {"acc": name, "x": item}, value.dtype)
    dtype = value.dtype.numpy_dtype if accumulator.is_partial else accumulator_dtype(node)
    writer.line(f"{name} = {source if value.dtype.is_bool else f'np.{dtype.name}({source})'}")


def finish_reduction(
    writer: KernelWriter, node: Node, kept: Sequence[int], sums: Collection[str] = ()
) -> None:
    """The result of a reduction from its accumulator; `sums` have kept what they lost."""
    accumulator = writer.nest.accumulators[node.output]
    value, result = node.inputs[0], node.output
    count = _terms(writer, value, result, kept)
    _complete(writer, node, accumulator, sums)
    source = computed(
        writer, node.op.reduce.finish, {"acc": accumulator.name, "n": count}, value.dtype
    )
    source = writer.cast(source, result.dtype)
    if not result.shape:
        writer.line(f"{writer.name(result)} = {source}")
        return
    indices = [f"i{axis}" for axis in kept]
    if node.attrs["keepdims"]:
        indices = [f"i{axis}" if axis in kept else "0" for axis in range(len(dims(value)))]
    store(writer, result, indices, source)


def _terms(writer: KernelWriter, value: Value, result: Value, kept: Sequence[int]) -> str:
    """How many elements each element of a result is made of."""
    if not has_extents(value.shape):
        return str(elements_of(value) // max(elements_of(result), 1))
    reduced = [size for axis, size in enumerate(dims(value)) if axis not in kept]
    return " * ".join(["1", *map(writer.size, reduced)])


def _complete(
    writer: KernelWriter, node: Node, accumulator: Accumulator, sums: Collection[str]
) -> None:
    """Put what was kept apart back into an accumulator."""
    name, dtype = accumulator.name, node.inputs[0].dtype
    if not accumulator.is_element and is_extreme(node):
        nan = f"np.{dtype.name}(np.nan)"
        writer.line(f"{name} = {nan} if {name}_nan else {name}")
    if name in sums and dtype is float64:  # an infinite sum has no error to add, but NaN
        writer.line(f"{name} += {name}_lost if {name}_lost == {name}_lost else 0.0")


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
        name, shape = f"p{next(writer.count)}", (chunks.number, *(sizes[axis] for axis in kept))
        partials[node] = Value(dtype, shape, name)
        writer.allocate(f"{name} = new_array({shape}, np.{numpy_name(dtype.name)})")
    parallel_nests(writer, [nest], chunks, write)
    for node in reductions:
        partial = partials.pop(node).name
        if kept:
            _merge_columns(writer, node, partial, schedule)
            continue
        start_reduction(writer, node)
        with writer.loop("chunk", f"range({chunks.number})"):
            combine(writer, node, f"{partial}[chunk]")
        finish_reduction(writer, node, [])


def _merge_columns(writer: KernelWriter, node: Node, partial: str, schedule: NestSchedule) -> None:
    """The results of the columns from those of the chunks, which the first one takes in."""
    kept, sizes = schedule.kept, dims(node.inputs[0])
    indices = ", ".join(f"i{axis}" for axis in kept)
    writer.nest.accumulators[node.output] = Accumulator(f"{partial}[0, {indices}]", True)
    assert schedule.chunks is not None
    chunks = writer.loop("chunk", f"range(1, {schedule.chunks.number})")
    with chunks, axis_loops(writer, kept, sizes):
        combine(writer, node, f"{partial}[chunk, {indices}]")
    with axis_loops(writer, kept, sizes):
        finish_reduction(writer, node, kept)


def keep_partial(
    writer: KernelWriter, node: Node, kept: Sequence[int], sums: Collection[str]
) -> None:
    """Keep the partial result of one chunk of a parallel loop."""
    accumulator = writer.nest.accumulators[node.output]
    _complete(writer, node, accumulator, sums)
    indices = ", ".join(["chunk", *(f"i{axis}" for axis in kept)])
    writer.line(f"{writer.region.partials[node].name}[{indices}] = {accumulator.name}")


# ---- accurate sums -----------------------------------------------------------------------------


def start_partial_sums(
    writer: KernelWriter, nest: Nest, reduced: tuple[int, ...]
) -> dict[Node, str]:
    """Sums that add partial sums instead of elements, with the names of their totals.

    In float64 the rounding error of each addition is kept (T. J. Dekker's sum of two numbers).
    """
    accumulators = writer.nest.accumulators
    for node in compensated_sums(nest, reduced):
        writer.line(f"{accumulators[node.output].name}_lost = 0.0")
    return {node: accumulators[node.output].name for node in partial_sums(nest, reduced)}


@contextlib.contextmanager
def summed_blocks(
    writer: KernelWriter,
    reduced: tuple[int, ...],
    shape,
    sums: dict[Node, str],
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


def start_blocks(writer: KernelWriter, sums: dict[Node, str]) -> None:
    """Start the partial sums of a block."""
    for node, total in sums.items():
        writer.nest.accumulators[node.output] = Accumulator(f"{total}_partial", is_partial=True)
        writer.line(f"{total}_partial = np.{node.inputs[0].dtype.name}(0)")


def add_partial_sums(writer: KernelWriter, sums: dict[Node, str]) -> None:
    for node, total in sums.items():
        writer.nest.accumulators[node.output] = Accumulator(total)
        if node.inputs[0].dtype is not float64:
            writer.line(f"{total} += np.float64({total}_partial)")
            continue
        writer.line(f"{total}_more = {total} + {total}_partial")
        writer.line(f"{total}_back = {total}_more - {total}")
        lost = f"({total} - ({total}_more - {total}_back)) + ({total}_partial - {total}_back)"
        writer.line(f"{total}_lost += {lost}")
        writer.line(f"{total} = {total}_more")
