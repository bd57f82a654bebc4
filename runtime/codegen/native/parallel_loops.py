"""Parallel regions: loops whose iterations are independent, in chunks that threads share.

The body of such a loop is outlined as a function, a parallel region, which takes the next chunk
from a counter until none is left. Scalars and addresses of arrays are passed to it in a table of
64-bit integers. The kernel wakes other threads, runs the region itself too, and waits for them.

The chunks are the same whatever the number of threads, and so are the results.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from ...core.dtypes import int64
from ...core.shapes import is_static
from ...ir.extents import capacities
from ...ir.graph import Value
from ...kernel_ir import nodes as ir
from ...kernel_ir.kernels import names_read, names_written
from ...kernel_ir.nodes import Expression, Let, Name, Operand, Statement, as_node, call, named
from ...lowering.cost_model import Chunks
from ...lowering.nest_schedule import call_chunks
from .kernel_builder import ParallelRegion
from .kernel_writer import KernelWriter, numpy_type

FIRST_CAPTURE = 2  # after the next chunk, and whether something failed
FIRST, TABLE = Name("first"), Name("table")


def parallel_nests(writer: KernelWriter, chunks: Chunks | None, write: Callable[[], None]) -> None:
    """The statements of `write()`, a loop, for one thread, or in chunks for several."""
    if chunks is None:
        write()
    else:
        parallel_region(writer, *chunks, write)


def parallel_call(
    writer: KernelWriter, size: int, cost: float, write: Callable[[Expression, Expression], None]
) -> None:
    """A call with `size` independent iterations: `write(first, count)` writes it for some of
    them. `cost` is that of all in nanoseconds.
    """
    share = writer.share or parallel_chunks
    share(writer, size, call_chunks(cost, size), write)


def parallel_chunks(
    writer: KernelWriter,
    size: int,
    chunks: Chunks | None,
    write: Callable[[Expression, Expression], None],
) -> None:
    """The same call in chunks that are given; None for one thread."""
    if chunks is None or writer.region.is_private:
        write(as_node(0), as_node(size))
        return
    rest = call("min", chunks.length, as_node(size) - FIRST)
    parallel_region(writer, *chunks, lambda: write(FIRST, rest))


def parallel_region(
    writer: KernelWriter,
    length: Operand,
    count: Operand,
    write: Callable[[], None],
    failed: Name | None = None,
    instead: dict[str, Value] | None = None,
) -> None:
    """The statements of `write()` as a region: `count` chunks of `length` iterations, numbers or
    variables. The kernel fails where a chunk does, or sets the variable `failed`. The region takes
    the values `instead` of what some variables hold: arrays in another shape.
    """
    index, region, preamble = len(writer.regions), writer.region, list[Statement]()
    region.chunk, region.preamble = length, preamble
    with writer.inside([]):
        write()
        body = writer.statements()
    region.chunk = region.preamble = None
    ends = [ir.Evaluate(as_node(end)) for end in (length, count)]
    captures = _captures(writer, (*body, *preamble, *ends)) | (instead or {})
    rows = list(enumerate(captures.items(), start=FIRST_CAPTURE))
    loads: list[Statement] = [_loaded(name, value, position) for position, (name, value) in rows]
    size = FIRST_CAPTURE + len(captures)
    writer.regions.append(ParallelRegion(index + 1, loads, preamble, body, length, count, size))
    writer.let(TABLE, call("np.zeros", size, named("np.int64")))
    for position, (name, value) in rows:
        writer.append(_stored(name, value, position))
    run = call("run_region", Name("regions")[index], TABLE, count, "control")
    if failed is not None:
        writer.let(failed, run)
        return
    writer.fail_when(run, "IndexError")


# ---- captures ----------------------------------------------------------------------------------


def _captures(writer: KernelWriter, body: tuple[Statement, ...]) -> dict[str, Value]:
    """The variables of the kernel that statements read and do not assign, each with a value that it
    holds. Stacks are none of them.
    """
    held = {
        name.id: value
        for value, name in writer.names.items()
        if isinstance(name, Name) and is_static(value.shape)
    }
    held |= {str(let.target): Value(int64, (), "") for let in writer.hoisted.values()}
    held |= {value.name: value for value in writer.region.partials.values()}
    read = (names_read(body) - names_written(body)) & held.keys()
    return {name: held[name] for name in sorted(read)}


def _stored(name: str, value: Value, position: int) -> Let:
    """The statement that puts a variable into the table."""
    if value.shape:
        return Let(TABLE[position], Name(name).dot("ctypes.data"))
    if value.dtype.is_floating:
        return Let(_floats(position), Name(name))
    return Let(TABLE[position], call("np.int64", name))


def _loaded(name: str, value: Value, position: int) -> Let:
    """The statement that takes a variable from the table."""
    dtype = value.dtype.numpy_dtype.name
    if value.shape:
        shape = cast("tuple[int, ...]", capacities(value.shape))
        array = call("array_at", TABLE[position], shape, numpy_type(dtype))
        return Let(Name(name), array)
    place = _floats(position) if value.dtype.is_floating else TABLE[position]
    return Let(Name(name), call("bool" if dtype == "bool" else f"np.{dtype}", place))


def _floats(position: int) -> ir.Load:
    """A number of the table, seen as one of floats."""
    return TABLE.dot("view")(named("np.float64"))[position]
