"""The native forms of sorting and search: calls of `kernels/sort_kernels.py`."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

from ...core import thresholds
from ...core.classes import NamedTuple
from ...core.dtypes import uint32, uint64
from ...core.shapes import normal_axis
from ...ir.graph import Node, Value, dims, elements_of
from ...kernel_ir.nodes import Expression, Name, Operand, call, named, reshape
from ...lowering.cost_model import COMPARED_ELEMENT, SORTED_ELEMENT
from .kernel_writer import KernelWriter
from .parallel_loops import parallel_call, parallel_region

DIGIT = 11  # bits, at most: see `kernels/radix_sort.py`, which needs LLVM


def _chunks_of(size: int) -> int:
    """Into how many chunks a row is cut."""
    return min(max(2, size // thresholds.SORT_CHUNK), thresholds.MOST_SORT_CHUNKS)


def _scratch(writer: KernelWriter, size: int) -> list[Name]:
    """Two arrays for keys and positions, which nothing reads afterwards."""
    values = [Value(uint64, (size,), word) for word in ("first", "second")]
    names = [writer.work_array(value) for value in values]
    for value in values:
        writer.release(value)
    return names


class _Rows(NamedTuple):
    """An array as one whose first axis counts rows, and whether every row has rows of its own."""

    value: Value
    shape: tuple
    is_split: bool = True


def _call(
    writer: KernelWriter,
    name: str,
    arrays: list[_Rows],
    cost: float,
    size: int | None = None,
    more: tuple[bool, ...] = (),
) -> None:
    """A call of `sorted_NAME` for all rows, or some of them on each thread; `cost` is that of a
    row, and `size` that of the two arrays which it needs besides.
    """
    dtype = arrays[0].value.dtype.numpy_dtype.name
    trip_count = next(rows.shape[0] for rows in arrays if rows.is_split)
    is_shared = trip_count > 1 and trip_count * cost >= thresholds.PARALLEL_FROM
    scratch: list[Operand] = []
    if size is not None:
        own = [call("np.empty", size, named("np.uint64"))] * 2
        scratch += own if is_shared else _scratch(writer, size)

    def write(first: Expression, count: Expression) -> None:
        operands: list[Expression] = [
            reshape(writer.read(rows.value), rows.shape) for rows in arrays
        ]
        if is_shared:
            chunk = slice(first, first + count)
            operands = [
                array[chunk] if rows.is_split else array
                for array, rows in zip(operands, arrays, strict=True)
            ]
        writer.call(f"sorted_{name}_{dtype}", *operands, *scratch, *more)

    parallel_call(writer, trip_count, trip_count * cost, write)


def _along_axis(name: str, writer: KernelWriter, node: Node) -> None:
    """Rows along an axis, each in an order of its own."""
    (x,), output, attrs = node.inputs, node.output, node.attrs
    axis = normal_axis(attrs["axis"], len(dims(x)))
    is_long = thresholds.PARALLEL_SORT_FROM <= dims(x)[axis] == elements_of(x)
    if is_long and not writer.region.is_private:
        _by_threads(writer, node, name)
        return
    cubic = (math.prod(dims(x)[:axis]), dims(x)[axis], math.prod(dims(x)[axis + 1 :]))
    writer.buffer(output)
    arrays = [_Rows(value, cubic) for value in (x, output)]
    cost = cubic[1] * cubic[2] * SORTED_ELEMENT
    _call(writer, name, arrays, cost, cubic[1], (attrs["descending"],))


def _by_threads(writer: KernelWriter, node: Node, name: str) -> None:
    """One long row: see `kernels/long_rows.py`."""
    (x,), output, down = node.inputs, node.output, node.attrs["descending"]
    size, dtype, sorts_indices = elements_of(x), x.dtype.numpy_dtype.name, name == "indices"
    chunks, item = _chunks_of(size), uint64 if sorts_indices or x.dtype.size == 8 else uint32
    out, passes, level = writer.buffer(output), writer.unused("s"), writer.unused("s")
    writer.note_counters(passes, level)
    spans, both = Value(uint64, (chunks, 6), "found"), Value(item, (2, size), "both")
    table = Value(uint32, (chunks, 1 << DIGIT), "table")
    scratch = (spans, both, table)
    f, b, t = (writer.work_array(value) for value in scratch)
    rest = chunks, "first", 1
    keys, result = (reshape(array, size) for array in (writer.read(x), out))

    def by_threads(function: str, *operands: Operand) -> None:
        def write() -> None:
            writer.call(f"sorted_{function}_{dtype}", *operands)

        parallel_region(writer, 1, chunks, write)

    items = "word" if sorts_indices else "key"
    by_threads(f"{items}_spans", keys, f, *rest, down)
    levels = call(f"sorted_long_form_{dtype}", f, chunks, size, sorts_indices)
    writer.let(passes, levels)
    by_threads(f"long_{items}s", keys, b, f, *rest, down)
    with writer.loop(level, passes):
        by_threads("digit_counts", b, level, t, f, *rest)
        writer.call(f"sorted_digit_starts_{dtype}", t, f, chunks)
        by_threads("digit_moves", b, level, t, f, *rest)
    operands = b, passes, f, result, *rest, down
    if sorts_indices:
        by_threads("long_indices", keys, *operands)
    else:
        by_threads("long_values", *operands)
    for value in scratch:
        writer.release(value)


def _as_rows(value: Value) -> _Rows:
    return _Rows(value, (math.prod(dims(value)[:-1]), dims(value)[-1]))


def _largest(writer: KernelWriter, node: Node) -> None:
    x, _ = node.inputs
    for value in node.outputs:
        writer.buffer(value)
    arrays = list(map(_as_rows, (x, *node.outputs)))
    size = dims(x)[-1]
    few = 16 * dims(node.outputs[0])[-1] <= size
    _call(writer, "largest", arrays, size * (COMPARED_ELEMENT if few else SORTED_ELEMENT), size)


def _insertions(writer: KernelWriter, node: Node) -> None:
    (rows, values), output = node.inputs, node.output
    right, dtype = node.attrs["side"] == "right", rows.dtype.numpy_dtype.name
    if not output.shape:
        at, sequence = writer.unused("s"), _as_rows(rows)
        value = call("np.full", (1, 1), writer.read(values))
        writer.let(at, call("np.empty", (1, 1), named("np.int32")))
        array = reshape(writer.read(rows), sequence.shape)
        writer.call(f"sorted_insertions_{dtype}", array, value, at, right)
        writer.let(writer.name(output), at[0, 0])
        return
    writer.buffer(output)
    steps = COMPARED_ELEMENT * (dims(rows)[-1] + 1).bit_length()
    if len(dims(rows)) == 1:  # each value is a row, which looks into the same one
        flat = (elements_of(values), 1)
        arrays = [_as_rows(rows)._replace(is_split=False), _Rows(values, flat), _Rows(output, flat)]
    else:
        arrays, steps = list(map(_as_rows, (rows, values, output))), steps * dims(values)[-1]
    _call(writer, "insertions", arrays, steps, more=(right,))


FORMS: dict[str, Callable] = {
    "sort": partial(_along_axis, "values"),
    "argsort": partial(_along_axis, "indices"),
    "largest_k": _largest,
    "searchsorted": _insertions,
}
