"""Loops over axes: whole, in chunks that threads share, or in blocks. Their bodies are written in
the context.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator

from ...core import thresholds
from ...ir.extents import Extent
from ...kernel_ir.nodes import Name, Operand, as_node, call
from .kernel_writer import KernelWriter

FIRST, START, BLOCK = Name("first"), Name("start"), Name("block")


@contextlib.contextmanager
def axis_loop(
    writer: KernelWriter, index: Operand, size: int, one_by_one: bool = False
) -> Iterator[None]:
    """A loop, or one chunk of it if it is the parallel one."""
    region, is_chunk = writer.region, writer.region.is_outermost and writer.region.chunk is not None
    region.is_outermost = False
    if is_chunk:
        with writer.loop("iteration", call("min", region.chunk or 0, as_node(size) - FIRST)):
            writer.let(index, FIRST + "iteration")
            yield
        return
    is_hidden = size >= thresholds.HIDDEN_TRIP_COUNT_FROM and not isinstance(size, Extent)
    end = call("opaque", size) if is_hidden else writer.trip_count(size)
    with writer.loop(index, call("one_by_one", end) if one_by_one else end):
        yield


@contextlib.contextmanager
def part_loop(writer: KernelWriter, index: Operand, start: int, stop: int) -> Iterator[None]:
    """A loop over a part of an axis, or over what a chunk has of it. It counts from 0, as in
    `innermost_loop`.
    """
    region = writer.region
    if region.is_outermost and region.chunk is not None:
        first = call("max", FIRST, start)
        with writer.loop("j", call("min", FIRST + region.chunk, stop) - first):
            writer.let(index, first + Name("j"))
            yield
        return
    if stop - start == 1:
        writer.let(index, start)
        yield
        return
    with axis_loop(writer, "j" if start else index, stop - start):
        if start:
            writer.let(index, start + Name("j"))
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
                writer.let(f"i{axis}", 0)
            else:
                stack.enter_context(axis_loop(writer, f"i{axis}", shape[axis], one_by_one))
        yield


@contextlib.contextmanager
def block_loop(writer: KernelWriter, size: int, block: int) -> Iterator[None]:
    """A loop over blocks of an axis, of which the last may be shorter."""
    region, start, number = writer.region, BLOCK * block, as_node(-(-size // block))
    if region.is_outermost and isinstance(region.chunk, int):
        start, number = FIRST + start, as_node(-(-region.chunk // block))
    elif isinstance(size, Extent):
        number = (writer.size(size) + (block - 1)) // block
    with writer.loop(BLOCK, number):
        writer.let(START, start)
        yield


@contextlib.contextmanager
def innermost_loop(
    writer: KernelWriter,
    index: Operand,
    size: int,
    block: int | None,
    one_by_one: bool = False,
) -> Iterator[None]:
    """The loop over an axis, or over a block of it. It counts from 0: a loop with another start is
    one that LLVM cannot see to stay inside of the array.
    """
    if block is None:
        with axis_loop(writer, index, size, one_by_one):
            yield
        return
    region, end = writer.region, writer.size(size)
    if region.is_outermost and region.chunk is not None:
        end = call("min", size, FIRST + region.chunk)
    region.is_outermost = False
    with writer.loop("j", call("min", block, end - START)):
        writer.let(index, START + "j")
        yield
