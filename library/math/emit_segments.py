"""The native code of segment reductions: a loop over the slices."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...extend.graphs import Node, dims, elements_of
from ...extend.kernels import (
    LARGER,
    SMALLER,
    KernelWriter,
    Name,
    NotNativeError,
    call,
    filled,
    form,
    reshape,
)
from ...extend.specs import highest, lowest


def _segments(combined: str, start: Callable) -> Callable:
    """Slices are combined with those of their segment, in order; negative numbers are left out."""

    def write(writer: KernelWriter, node: Node) -> None:
        data, numbers, _ = node.inputs
        output, name, t = node.output, writer.unused("s"), Name("t")
        if not numbers.shape:
            raise NotNativeError(f"'{node.op.name}' of one slice", node.where)
        dtype, rows = output.dtype.numpy_dtype, elements_of(numbers)
        slices = dims(data)[len(dims(numbers)) :]
        out = writer.buffer(output)
        at, x = name.with_suffix("_at"), name.with_suffix("_x")
        writer.let(out[:], writer.literal(np.asarray(start(dtype), dtype)))
        writer.let(at, reshape(writer.read(numbers), rows))
        writer.let(x, reshape(writer.read(data), (rows, *slices)))
        positions = [Name(f"i{axis}") for axis in range(len(slices))]
        old, new = out[(name, *positions)], x[(t, *positions)]
        item = filled(form(combined), {"old": old, "new": new})
        with writer.loop(t, rows):
            with writer.when(at[t] < 0):
                writer.leave("continue")
            writer.let(name, call("checked_index", at[t], dims(output)[0]))
            with writer.loops(positions, slices):
                writer.let(old, writer.cast(item, output.dtype))

    return write


FORMS = {
    "unsorted_segment_sum": _segments("{old} + {new}", lambda dtype: 0),
    "unsorted_segment_prod": _segments("{old} * {new}", lambda dtype: 1),
    "unsorted_segment_max": _segments(LARGER, lowest),
    "unsorted_segment_min": _segments(SMALLER, highest),
}
