"""The native code of segment reductions: a loop over the slices."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...extend.graphs import Node, dims, elements_of
from ...extend.kernels import LARGER, SMALLER, KernelWriter, NotNativeError
from ...extend.specs import highest, lowest


def _segments(combined: str, start: Callable) -> Callable:
    """Slices are combined with those of their segment, in order; negative numbers are left out."""

    def form(writer: KernelWriter, node: Node) -> None:
        data, numbers, _ = node.inputs
        output, name = node.output, f"s{next(writer.count)}"
        if not numbers.shape:
            raise NotNativeError(f"'{node.op.name}' of one slice", node.where)
        dtype, rows = output.dtype.numpy_dtype, elements_of(numbers)
        slices = dims(data)[len(dims(numbers)) :]
        out = writer.buffer(output)
        writer.line(f"{out}[:] = {writer.literal(np.asarray(start(dtype), dtype))}")
        writer.line(f"{name}_at = {writer.read(numbers)}.reshape({rows})")
        writer.line(f"{name}_x = {writer.read(data)}.reshape({(rows, *slices)})")
        positions = [f"i{axis}" for axis in range(len(slices))]
        old = f"{out}[{', '.join([name, *positions])}]"
        source = combined.format(old=old, new=f"{name}_x[{', '.join(['t', *positions])}]")
        with writer.loop("t", f"range({rows})"):
            with writer.when(f"{name}_at[t] < 0"):
                writer.line("continue")
            writer.line(f"{name} = checked_index({name}_at[t], {dims(output)[0]})")
            with writer.loops(positions, slices):
                writer.line(f"{old} = {writer.cast(source, output.dtype)}")

    return form


FORMS = {
    "unsorted_segment_sum": _segments("{old} + {new}", lambda dtype: 0),
    "unsorted_segment_prod": _segments("{old} * {new}", lambda dtype: 1),
    "unsorted_segment_max": _segments(LARGER, lowest),
    "unsorted_segment_min": _segments(SMALLER, highest),
}
