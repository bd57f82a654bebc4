"""Products of matrices in native code: loops for small ones, calls of BLAS, and tiles of our own
for large ones, whose blocks threads share.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence

from ...core import thresholds
from ...ir.graph import Node, Value, dims
from ...kernel_ir.nodes import Expression, Name, as_node, call, reshape
from ...lowering.matmul_schedule import (
    LibraryBlocks,
    ProductSchedule,
    ProductSizes,
    Tiling,
    VectorProduct,
    is_with_itself,
    product_sizes,
)
from .elements import own_indices
from .kernel_writer import KernelWriter, indices_of, numpy_type
from .parallel_loops import parallel_chunks, parallel_region

Blocks = VectorProduct | Tiling | LibraryBlocks | None


def matmul(writer: KernelWriter, node: Node) -> None:
    """A product of matrices, for each matrix of the batch."""
    a, b = node.inputs
    output = node.output
    out = writer.buffer(output)
    batch = dims(output)[:-2]
    indices = indices_of(range(len(batch)))
    writer.note_counters(*indices)
    left, right = (_matrix(writer.read(value), value, indices) for value in (a, b))
    names = left, right, _matrix(out, output, indices)
    sizes, schedule = product_sizes(node), writer.schedule
    assert isinstance(schedule, ProductSchedule)
    with writer.loops(indices, batch):
        if schedule.form == "loops":
            _by_loops(writer, names, output, sizes[:3])
        elif is_with_itself(node):
            _with_itself(writer, names, sizes, schedule.blocks)
        else:
            product(writer, names, sizes, schedule.blocks)


def product(writer: KernelWriter, names, sizes: ProductSizes, blocks: Blocks) -> None:
    """A product of two matrices to a third, by name. It is divided in `blocks`."""
    if isinstance(blocks, Tiling):
        _tiled(writer, names, sizes, blocks)
    elif isinstance(blocks, VectorProduct):
        _of_vector(writer, names, sizes, blocks)
    elif isinstance(blocks, LibraryBlocks):
        _in_blocks(writer, names, sizes, blocks)
    else:
        flags = *sizes.transposed, False
        writer.call("product_of_matrices", *map(_turned, names, flags))


def _with_itself(writer: KernelWriter, names, sizes: ProductSizes, blocks: Blocks) -> None:
    """The product of a matrix and its transpose, which is symmetric: half of a large one is
    computed, and half of each is a copy of the other.
    """
    left, _, out = names
    if blocks is None and sizes.rows > thresholds.HALVED_FROM:
        writer.call("product_with_itself", _turned(left, sizes.transposed[0]), out)
    else:
        product(writer, names, sizes, blocks)
    if sizes.rows > 1:
        with writer.loops("mn", [sizes.rows, "m"]):
            writer.let(out["n", "m"], out["m", "n"])


def _matrix(name: Expression, value: Value, indices: Sequence[Name]) -> Expression:
    """One matrix of a batch; what has no such axis, or size 1 in it, is used again."""
    chosen = own_indices(indices, Value(value.dtype, dims(value)[:-2], value.name))
    return name[chosen] if chosen else name


def _turned(matrix: Expression, flag: bool) -> Expression:
    return matrix.dot("T") if flag else matrix


# ---- loops -----------------------------------------------------------------------------------


def _by_loops(writer: KernelWriter, names, output: Value, sizes) -> None:
    """For small matrices, where a call costs more, and for integers, which BLAS has not."""
    dtype, name = numpy_type(output.dtype.numpy_dtype.name), writer.unused("s")
    a, b, y = (name.with_suffix(suffix) for suffix in ("_a", "_b", "_y"))
    for array, whole in zip((a, b, y), names, strict=True):
        writer.let(array, whole)
    if 1 < sizes[1] <= thresholds.FEW_COLUMNS:
        _few_columns(writer, name, dtype, sizes)
        return
    with writer.loops("mn", sizes[:2]):
        writer.let(name, dtype(0))
        with writer.loop("k", sizes[2]):
            writer.let(name, dtype(name + a["m", "k"] * b["k", "n"]))
        writer.let(y["m", "n"], name)


def _few_columns(writer: KernelWriter, name: Name, dtype: Expression, sizes) -> None:
    """A product row after row, with the sums of a row side by side."""
    rows, columns, terms = sizes
    a, b, y = (name.with_suffix(suffix) for suffix in ("_a", "_b", "_y"))
    sums = [name.with_suffix(f"_{column}") for column in range(columns)]
    with writer.loop("m", rows):
        writer.let(sums[0], dtype(0), *sums[1:])
        with writer.loop("k", terms):
            writer.let(name, a["m", "k"])
            for column, word in enumerate(sums):
                writer.let(word, dtype(word + name * b["k", column]))
        for column, word in enumerate(sums):
            writer.let(y["m", column], word)


# ---- vectors ---------------------------------------------------------------------------------


def _of_vector(writer: KernelWriter, names, sizes: ProductSizes, blocks: VectorProduct) -> None:
    """The product of a matrix and a vector, whose elements threads share where it takes long."""
    left, right, out = names
    matrix, vector = (left, right) if sizes.columns == 1 else (right, left)
    dtype_name, (rows, columns) = sizes.dtype.numpy_dtype.name, blocks[:2]
    if blocks.is_partial:
        _of_vector_by_parts(writer, (matrix, vector, out), sizes, blocks)
        return
    function = f"matvec_{'columns' if blocks.by_columns else 'rows'}_{dtype_name}"
    part = (0, rows) if blocks.by_columns else ()

    def write(first: Expression, count: Expression) -> None:
        writer.call(function, matrix, vector, out, *part, first, count)

    elements = columns if blocks.by_columns else rows
    parallel_chunks(writer, elements, blocks.chunks, write)


def _of_vector_by_parts(
    writer: KernelWriter, names, sizes: ProductSizes, blocks: VectorProduct
) -> None:
    """The sum of the rows of a matrix, each times an element: a sum for each chunk, then theirs."""
    chunks, columns, name = blocks.chunks, blocks.columns, writer.unused("s")
    assert chunks is not None
    sums = Value(sizes.dtype, (chunks.number, columns), "sums")
    array, (matrix, vector, out) = writer.work_array(sums), names
    function = f"matvec_columns_{sizes.dtype.numpy_dtype.name}"

    def write(first: Expression, count: Expression) -> None:
        row = array[first // chunks.length]
        writer.call(function, matrix, vector, row, first, count, 0, columns)

    parallel_chunks(writer, blocks.rows, chunks, write)
    total = name.with_suffix("_y")
    writer.let(total, reshape(out, columns))
    writer.call("copy_elements", total, array[0])
    with writer.loop("m", 1, chunks.number), writer.loop("n", columns):
        writer.update(total["n"], "+", array["m", "n"])
    writer.release(sums)


# ---- blocks of BLAS --------------------------------------------------------------------------


def _in_blocks(writer: KernelWriter, names, sizes: ProductSizes, blocks: LibraryBlocks) -> None:
    """A product by a call of BLAS for each block, whose rows or columns threads share."""
    name = writer.unused("s")
    lengths = dict(zip("mnk", sizes[:3], strict=True))
    steps = dict(zip("mnk", blocks[:3], strict=True))
    shared, other = "nm" if blocks.by_columns else "mn"
    numbers = {side: -(-lengths[side] // steps[side]) for side in "mn"}
    starts, ends, tiles = (
        {side: name.with_suffix(form.format(side)) for side in "mnk"}
        for form in ("_{}", "_{}_end", "_t{}")
    )

    def window(matrix: Expression, sides: str, flag: bool) -> Expression:
        parts = (slice(starts[side], ends[side]) for side in (sides[::-1] if flag else sides))
        return _turned(matrix[tuple(parts)], flag)

    def bound(side: str) -> None:
        writer.let(ends[side], call("min", starts[side] + steps[side], lengths[side]))

    def write(first: Expression, count: Expression) -> None:
        sides = ((shared, first, count), (other, as_node(0), numbers[other]))
        with contextlib.ExitStack() as stack:
            for side, begin, number in sides:
                stack.enter_context(writer.loop(tiles[side], begin, begin + number))
                writer.let(starts[side], tiles[side] * steps[side])
                bound(side)
            flags = *sizes.transposed, False
            operands = [*map(window, names, ("mk", "kn", "mn"), flags)]
            writer.let(starts["k"], 0)
            bound("k")
            writer.call("product_of_matrices", *operands)
            if steps["k"] < lengths["k"]:
                with writer.loop(starts["k"], steps["k"], lengths["k"], steps["k"]):
                    bound("k")
                    writer.call("product_added", *operands)

    parallel_chunks(writer, numbers[shared], blocks.chunks, write)


# ---- tiles -----------------------------------------------------------------------------------


def _tiled(writer: KernelWriter, names, sizes: ProductSizes, tiling: Tiling) -> None:
    """A product in tiles. Threads share the blocks where the whole takes long enough."""
    rows, columns, steps, dtype, transposed = sizes
    dtype_name, blocks = dtype.numpy_dtype.name, tiling.blocks
    left = (1, rows) if transposed[0] else (steps, 1)
    right = (1, steps) if transposed[1] else (columns, 1)
    block = *tiling[:3], tiling.together, tiling.packed
    geometry = (rows, columns, steps, *left, *right, *block, *map(int, tiling.in_place))
    function = f"tiled_blocks_{dtype_name}"
    if tiling.chunks is None or writer.region.is_private:
        writer.call(function, *names, 0, blocks, geometry)
        return

    def write() -> None:
        writer.call(function, *names, "first", 1, geometry)

    parallel_region(writer, 1, blocks, write)
