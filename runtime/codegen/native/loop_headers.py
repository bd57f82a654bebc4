"""Loops over axes: whole, in chunks that threads share, or in blocks. Their bodies are written in
the context.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator

from ...core import thresholds
from ...ir.extents import Extent
from .kernel_writer import KernelWriter


@contextlib.contextmanager
def axis_loop(
    writer: KernelWriter, index: str, size: int, one_by_one: bool = False
) -> Iterator[None]:
    """A loop, or one chunk of it if it is the parallel one."""
    region, is_chunk = writer.region, writer.region.is_outermost and writer.region.chunk is not None
    region.is_outermost = False
    if is_chunk:
        with writer.loop("iteration", f"range(min({region.chunk}, {size} - first))"):
            writer.line(f"{index} = first + iteration")
            yield
        return
    is_hidden = size >= thresholds.HIDDEN_TRIP_COUNT_FROM and not isinstance(size, Extent)
    source = f"opaque({size})" if is_hidden else writer.trip_count(size)
    with writer.loop(index, f"range({f'one_by_one({source})' if one_by_one else source})"):
        yield


@contextlib.contextmanager
def part_loop(writer: KernelWriter, index: str, start: int, stop: int) -> Iterator[None]:
    """A loop over a part of an axis. It counts from 0, as in `innermost_loop`."""
    if stop - start == 1:
        writer.line(f"{index} = {start}")
        yield
        return
    with axis_loop(writer, "j" if start else index, stop - start):
        if start:
            writer.line(f"{index} = {start} + j")
        yield


@contextlib.contextmanager
def axis_loops(
    writer: KernelWriter,
    axes: Iterable[int],
    shape,
    inside_rows: bool = False,
    one_by_one: bool = False,
) -> Iterator[None]:
    """Loops over these axes. With `inside_rows`, that over the first axis is there already."""
    with contextlib.ExitStack() as stack:
        for axis in axes:
            if inside_rows and axis == 0:
                continue
            if inside_rows and shape[axis] == 1:
                writer.line(f"i{axis} = 0")
            else:
                stack.enter_context(axis_loop(writer, f"i{axis}", shape[axis], one_by_one))
        yield


@contextlib.contextmanager
def block_loop(writer: KernelWriter, size: int, block: int) -> Iterator[None]:
    """A loop over blocks of an axis, of which the last may be shorter."""
    region, first, number = writer.region, "", str(-(-size // block))
    if region.is_outermost and isinstance(region.chunk, int):
        first, number = "first + ", str(-(-region.chunk // block))
    elif isinstance(size, Extent):
        number = f"({writer.size(size)} + {block - 1}) // {block}"
    with writer.loop("block", f"range({number})"):
        writer.line(f"start = {first}block * {block}")
        yield


@contextlib.contextmanager
def innermost_loop(
    writer: KernelWriter, index: str, size: int, block: int | None, one_by_one: bool = False
) -> Iterator[None]:
    """The loop over an axis, or over a block of it. It counts from 0: a loop with another start is
    one that LLVM cannot see to stay inside of the array.
    """
    if block is None:
        with axis_loop(writer, index, size, one_by_one):
            yield
        return
    region = writer.region
    is_chunked = region.is_outermost and region.chunk is not None
    end = f"min({size}, first + {region.chunk})" if is_chunked else writer.size(size)
    region.is_outermost = False
    with writer.loop("j", f"range(min({block}, {end} - start))"):
        writer.line(f"{index} = start + j")
        yield
