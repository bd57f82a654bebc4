"""ONNX forms of products along an axis, sums of segments, repeated and searched elements."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ....extend.graphs import Node, Value
from .array_forms import axis_of, rank_of
from .table import form
from .writer import Writer

LAST = np.iinfo(np.int64).max


@form("sum_to_shape")
def sum_to_shape(to: Writer, node: Node, x: str, sizes: str):
    """The axes to add up are those whose sizes differ."""
    sizes, own = to.int64(sizes), to.op("Shape", x)
    more = to.op("Sub", to.op("Size", own), to.op("Size", sizes))
    ones = to.op("Expand", to.ints(1), to.op("Reshape", more, to.ints(1)))
    differs = to.op("Not", to.op("Equal", own, to.op("Concat", ones, sizes, axis=0)))
    axes = to.op("Reshape", to.op("NonZero", differs), to.ints(-1))
    total = to.op("ReduceSum", x, axes, keepdims=1, noop_with_empty_axes=1)
    return to.op("Reshape", total, sizes, allowzero=1)


@form("broadcast_dynamic_shape")
def broadcast_dynamic_shape(to: Writer, node: Node, one: str, other: str):
    zeros = [to.op("Expand", to.const(np.float32(0)), to.int64(sizes)) for sizes in (one, other)]
    return to.cast(to.op("Shape", to.op("Add", *zeros)), node.output.dtype)


@form("cumprod")
def cumprod(to: Writer, node: Node, x: str):
    def step(total: str, factor: str) -> list[str]:
        following = to.op("Mul", total, factor)
        return [following, total if node.attrs["exclusive"] else following]

    return _scan(to, node, 1, [x], step)


@form("linear_recurrence")
def linear_recurrence(to: Writer, node: Node, x: str, y: str):
    def step(change: str, factor: str, term: str) -> list[str]:
        value = to.op("Add", change, term)
        return [to.op("Mul", value, factor), value]

    return _scan(to, node, 0, [x, y], step)


def _scan(to: Writer, node: Node, start, arrays: list[str], step: Callable) -> str:
    """What `step` gives for the rows of arrays along the axis: the next state, and a row."""
    axis = axis_of(node.attrs["axis"], node.inputs[0])
    sizes = list(node.inputs[0].shape or ())
    del sizes[axis]
    row = Value(node.output.dtype, tuple(sizes))
    shape = to.op("Shape", arrays[0])
    others = to.op("Concat", to.op("Slice", shape, to.ints(0), to.ints(axis)),
                   to.op("Slice", shape, to.ints(axis + 1), to.ints(LAST)), axis=0)  # fmt: skip
    first = to.op("Expand", to.like(start, node.output), others)
    names = [to.unique("state"), *(to.unique("row") for _ in arrays)]
    rows = [(name, row) for name in names]
    body = to.subgraph("body", rows, lambda: step(*names), [row, row])
    directions = [int(node.attrs["reverse"])]
    _, result = to.op(
        "Scan", first, *arrays, outputs=2, body=body, num_scan_inputs=len(arrays),
        scan_input_axes=[axis] * len(arrays), scan_output_axes=[axis],
        scan_input_directions=directions * len(arrays), scan_output_directions=directions,
    )  # fmt: skip
    return result


@form("repeat")
def repeat(to: Writer, node: Node, x: str, repeats: str):
    """Element `i` is repeated at the places from the end of those of `i - 1` to its own end."""
    axis = axis_of(node.attrs["axis"], node.inputs[0])
    count = to.op("Gather", to.op("Shape", x), to.ints(axis))
    each = to.op("Expand", to.dimensions(repeats, -1), count)
    ends = to.op("CumSum", each, to.const(np.int64(0)))
    total = to.op("ReduceSum", each, keepdims=0)
    places = to.op("Range", to.const(np.int64(0)), total, to.const(np.int64(1)))
    passed = to.op("GreaterOrEqual", to.op("Unsqueeze", places, to.ints(1)), ends)
    return to.op(
        "Gather", x, to.op("ReduceSum", to.int64(passed), to.ints(1), keepdims=0), axis=axis
    )


@form("searchsorted")
def searchsorted(to: Writer, node: Node, rows: str, values: str):
    """How many elements of the sorted row are before each value."""
    if rank_of(node.inputs[0]) > 1:
        rows = to.op("Unsqueeze", rows, to.ints(-2))
    compare = "Less" if node.attrs["side"] == "left" else "LessOrEqual"
    before = to.op(compare, rows, to.op("Unsqueeze", values, to.ints(-1)))
    count = to.op("ReduceSum", to.int64(before), to.ints(-1), keepdims=0)
    return to.cast(count, node.output.dtype)


@form("segment_sum")
def segment_sum(to: Writer, node: Node, data: str, ids: str):
    ids = to.int64(ids)
    with_none = to.op("Concat", ids, to.ints(-1), axis=0)  # the greatest of no ids
    count = to.op("Add", to.op("ReduceMax", with_none, keepdims=0), to.const(np.int64(1)))
    return _segment_sums(to, node, data, ids, count)


@form("unsorted_segment_sum")
def unsorted_segment_sum(to: Writer, node: Node, data: str, ids: str, count: str):
    return _segment_sums(to, node, data, to.int64(ids), to.op("Squeeze", to.dimensions(count, 1)))


def _segment_sums(to: Writer, node: Node, data: str, ids: str, count: str) -> str:
    """Sums by index; rows with negative ones are added to a row behind the last."""
    axes = rank_of(node.inputs[1])
    rest = to.op("Slice", to.op("Shape", data), to.ints(axes), to.ints(LAST))
    counts = to.op("Reshape", to.op("Size", ids), to.ints(1))
    rows = to.op("Reshape", data, to.op("Concat", counts, rest, axis=0), allowzero=1)
    ids = to.op("Reshape", ids, to.op("Concat", counts, to.ints(1), axis=0), allowzero=1)
    ids = to.op("Where", to.op("Less", ids, to.const(np.int64(0))), count, ids)
    more = to.op("Reshape", to.op("Add", count, to.const(np.int64(1))), to.ints(1))
    zeros = to.op("Expand", to.like(0, node.output), to.op("Concat", more, rest, axis=0))
    total = to.op("ScatterND", zeros, ids, rows, reduction="add")
    return to.op("Slice", total, to.ints(0), to.op("Reshape", count, to.ints(1)), to.ints(0))


@form("linspace")
def linspace(to: Writer, node: Node, start: str, stop: str, num: str):
    """In float64, and the last number is `stop` itself."""
    rank = rank_of(node.output)
    axis = node.attrs["axis"] % rank
    zero, one = (to.const(np.int64(number)) for number in (0, 1))
    num = to.op("Squeeze", to.dimensions(num, 1))
    before = to.op("Sub", num, one)
    places = to.op("Range", zero, num, one)
    places = to.op("Reshape", places, to.ints(*(-1 if at == axis else 1 for at in range(rank))))
    first, last = (to.cast(x, "float64") for x in (start, stop))
    if rank > 1:
        shape = to.op("Shape", to.op("Add", first, last))
        first, last = (
            to.op("Unsqueeze", to.op("Expand", x, shape), to.ints(axis)) for x in (first, last)
        )
    step = to.op("Div", to.op("Sub", last, first), to.cast(to.op("Max", before, one), "float64"))
    rising = to.op("Add", to.op("Mul", to.cast(places, "float64"), step), first)
    is_last = to.op("And", to.op("Equal", places, before), to.op("Greater", num, one))
    return to.cast(to.op("Where", is_last, last, rising), node.output.dtype)
