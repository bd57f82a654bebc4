"""Parallel regions: loops whose iterations are independent, in chunks that threads share.

The body of such a loop is outlined as a function, a parallel region, which takes the next chunk
from a counter until none is left. Scalars and addresses of arrays are passed to it in a table of
64-bit integers. The kernel wakes other threads, runs the region itself too, and waits for them.

The chunks are the same whatever the number of threads, and so are the results.
"""

from __future__ import annotations

from collections.abc import Callable

from ...core.dtypes import int64
from ...core.shapes import is_static
from ...ir.extents import capacities
from ...ir.graph import Value
from ...kernel_ir.nodes import Statement, names_read, names_written
from ...kernel_ir.reader import statements
from ...lowering.cost_model import Chunks
from ...lowering.nest_schedule import call_chunks
from ...lowering.program import Nest
from .kernel_builder import ParallelRegion
from .kernel_writer import KernelWriter, numpy_name

FIRST_CAPTURE = 2  # after the next chunk, and whether something failed

Captures = Callable[[tuple[Statement, ...]], dict[str, Value]]


def parallel_nests(
    writer: KernelWriter,
    nests: list[Nest],
    chunks: Chunks | None,
    write: Callable[[], None],
) -> None:
    """The lines of `write()`, a loop, for one thread, or in chunks for several."""
    if chunks is None:
        write()
        return

    def captures(body: tuple[Statement, ...]) -> dict[str, Value]:
        return _captures_of_nests(writer, body, nests)

    parallel_region(writer, *chunks, write, captures)


def parallel_call(
    writer: KernelWriter,
    values: dict[str, Value],
    size: int,
    cost: float,
    write: Callable[[str, str], None],
) -> None:
    """A call with `size` independent iterations: `write(first, count)` writes it for some of
    them. `values` are what it needs, by name, and `cost` is that of all in nanoseconds.
    """
    share = writer.share or parallel_chunks
    share(writer, values, size, call_chunks(cost, size), write)


def parallel_chunks(
    writer: KernelWriter,
    values: dict[str, Value],
    size: int,
    chunks: Chunks | None,
    write: Callable[[str, str], None],
) -> None:
    """The same call in chunks that are given; None for one thread."""
    if chunks is None or writer.region.is_private:
        write("0", str(size))
        return
    length, count = chunks
    rest = f"min({length}, {size} - first)"
    parallel_region(writer, length, count, lambda: write("first", rest), lambda _: values)


def parallel_region(
    writer: KernelWriter,
    length: int | str,
    count: int | str,
    write: Callable[[], None],
    captures_of: Captures,
    failed: str | None = None,
) -> None:
    """The lines of `write()` as a region: `count` chunks of `length` iterations, numbers or
    variables. The kernel fails where a chunk does, or sets the variable `failed`.
    """
    index, region, preamble = len(writer.regions), writer.region, list[str]()
    region.chunk, region.preamble = length, preamble
    with writer.inside([]):
        write()
        body = writer.statements()
    region.chunk = region.preamble = None
    captures = captures_of((*body, *statements(f"{length}\n{count}")))
    rows = list(enumerate(captures.items(), start=FIRST_CAPTURE))
    loads = [_loaded(name, value, position) for position, (name, value) in rows]
    size = FIRST_CAPTURE + len(captures)
    writer.regions.append(ParallelRegion(index + 1, loads, preamble, body, length, count, size))
    writer.line(f"table = np.zeros({size}, np.int64)")
    for position, (name, value) in rows:
        writer.line(_stored(name, value, position))
    run = f"run_region(regions[{index}], table, {count}, control)"
    if failed is not None:
        writer.line(f"{failed} = {run}")
        return
    writer.fail_when(run, "IndexError")


# ---- captures ----------------------------------------------------------------------------------


def _captures_of_nests(
    writer: KernelWriter, body: tuple[Statement, ...], nests: list[Nest]
) -> dict[str, Value]:
    """The variables that nests need from around them, each with a value that it holds."""
    nodes = [node for nest in nests for node in nest.nodes]
    values = {
        value
        for node in (*nodes, *writer.updates.values())
        for value in (*node.inputs, *node.outputs)
        if value in writer.names
    }
    named = {writer.names[value]: value for value in values}
    named |= {value.name: value for value in writer.region.partials.values()}
    named |= {name: Value(int64, (), name) for name in writer.hoisted.values()}
    return {name: named[name] for name in sorted(names_read(body) & named.keys())}


def captures_among(body: tuple[Statement, ...], named: dict[str, Value]) -> dict[str, Value]:
    """The variables of `named` that statements read and do not assign."""
    captured = (names_read(body) - names_written(body)) & named.keys()
    return {name: named[name] for name in sorted(captured)}


def is_variable(name: str) -> bool:
    """Whether the name of a value is that of a variable, and no literal."""
    return name.isidentifier() and name[0].islower()


def variables_of_static_shape(writer: KernelWriter) -> dict[str, Value]:
    """The variables of the kernel, but for stacks, each with a value that it holds."""
    return {
        name: value
        for value, name in writer.names.items()
        if is_static(value.shape) and is_variable(name)
    }


def _stored(name: str, value: Value, position: int) -> str:
    """The line that puts a variable into the table."""
    if value.shape:
        return f"table[{position}] = {name}.ctypes.data"
    if value.dtype.is_floating:
        return f"table.view(np.float64)[{position}] = {name}"
    return f"table[{position}] = np.int64({name})"


def _loaded(name: str, value: Value, position: int) -> str:
    """The line that takes a variable from the table."""
    dtype = value.dtype.numpy_dtype.name
    if value.shape:
        shape = capacities(value.shape)
        return f"{name} = array_at(table[{position}], {shape}, np.{numpy_name(dtype)})"
    if value.dtype.is_floating:
        return f"{name} = np.{dtype}(table.view(np.float64)[{position}])"
    return f"{name} = {'bool' if dtype == 'bool' else f'np.{dtype}'}(table[{position}])"
