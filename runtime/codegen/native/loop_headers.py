"""The headers of loops over axes: whole, in chunks that threads share, or in blocks."""

from __future__ import annotations

from collections.abc import Iterable

from ...core import thresholds
from ...ir.extents import Extent
from .kernel_writer import KernelWriter


def open_loop(
    writer: KernelWriter, index: str, size: int, depth: int, one_by_one: bool = False
) -> int:
    """A loop, or one chunk of it if it is the parallel one; returns the depth inside."""
    region = writer.region
    if region.is_outermost and region.chunk is not None:
        writer.for_loop(depth, "iteration", f"range(min({region.chunk}, {size} - first))")
        writer.line(depth + 1, f"{index} = first + iteration")
    else:
        is_hidden = size >= thresholds.HIDDEN_TRIP_COUNT_FROM and not isinstance(size, Extent)
        source = f"opaque({size})" if is_hidden else writer.size(size)
        source = f"one_by_one({source})" if one_by_one else source
        writer.for_loop(depth, index, f"range({source})")
    region.is_outermost = False
    return depth + 1


def open_part(writer: KernelWriter, index: str, start: int, stop: int, depth: int) -> int:
    """A loop over a part of an axis. It counts from 0, as in `open_innermost`."""
    if stop - start == 1:
        writer.line(depth, f"{index} = {start}")
        return depth
    depth = open_loop(writer, "j" if start else index, stop - start, depth)
    if start:
        writer.line(depth, f"{index} = {start} + j")
    return depth


def open_loops(
    writer: KernelWriter,
    axes: Iterable[int],
    shape,
    depth: int,
    inside_rows: bool = False,
    one_by_one: bool = False,
) -> int:
    """Loops over these axes, and the depth inside them. With `inside_rows`, that over the first
    axis is there already.
    """
    for axis in axes:
        if inside_rows and axis == 0:
            continue
        if inside_rows and shape[axis] == 1:
            writer.line(depth, f"i{axis} = 0")
            continue
        depth = open_loop(writer, f"i{axis}", shape[axis], depth, one_by_one)
    return depth


def open_block_loop(writer: KernelWriter, size: int, block: int, depth: int) -> int:
    """A loop over blocks of an axis, of which the last may be shorter."""
    region = writer.region
    if region.is_outermost and isinstance(region.chunk, int):
        writer.for_loop(depth, "block", f"range({-(-region.chunk // block)})")
        writer.line(depth + 1, f"start = first + block * {block}")
    else:
        number = f"({writer.size(size)} + {block - 1}) // {block}"
        number = number if isinstance(size, Extent) else str(-(-size // block))
        writer.for_loop(depth, "block", f"range({number})")
        writer.line(depth + 1, f"start = block * {block}")
    return depth + 1


def open_innermost(
    writer: KernelWriter,
    index: str,
    size: int,
    block: int | None,
    depth: int,
    one_by_one: bool = False,
) -> int:
    """The loop over an axis, or over a block of it. It counts from 0: a loop with another start is
    one that LLVM cannot see to stay inside of the array.
    """
    if block is None:
        return open_loop(writer, index, size, depth, one_by_one)
    region = writer.region
    is_chunked = region.is_outermost and region.chunk is not None
    end = f"min({size}, first + {region.chunk})" if is_chunked else writer.size(size)
    region.is_outermost = False
    writer.for_loop(depth, "j", f"range(min({block}, {end} - start))")
    writer.line(depth + 1, f"{index} = start + j")
    return depth + 1
