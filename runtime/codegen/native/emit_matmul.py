"""Products of matrices in native code: loops for small ones, calls of BLAS, and tiles of our own
for large ones, whose blocks threads share.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...core import thresholds
from ...core.dtypes import int64
from ...ir.graph import Node, Value, dims
from ...lowering.matmul_schedule import (
    LibraryBlocks,
    ProductSchedule,
    ProductSizes,
    Tiling,
    VectorProduct,
    is_with_itself,
    product_sizes,
)
from .kernel_writer import KernelWriter
from .parallel_loops import parallel_chunks, parallel_region


def matmul(writer: KernelWriter, node: Node, depth: int) -> None:
    """A product of matrices, for each matrix of the batch."""
    a, b = node.inputs
    output = node.output
    out = writer.buffer(output, depth)
    batch = dims(output)[:-2]
    indices = [f"i{axis}" for axis in range(len(batch))]
    for index, size in zip(indices, batch, strict=True):
        depth = writer.for_loop(depth, index, f"range({size})")
    left, right = (_matrix(writer.read(value), value, indices) for value in (a, b))
    names, arrays = (left, right, _matrix(out, output, indices)), (a, b, output)
    sizes, schedule = product_sizes(node), writer.schedule
    assert isinstance(schedule, ProductSchedule)
    if schedule.form == "loops":
        _by_loops(writer, names, output, sizes[:3], depth)
        return
    if is_with_itself(node):
        _with_itself(writer, names, arrays, sizes, schedule.blocks, depth)
    else:
        product(writer, names, arrays, sizes, schedule.blocks, depth, indices)


def product(
    writer: KernelWriter,
    names,
    arrays,
    sizes: ProductSizes,
    blocks: VectorProduct | Tiling | LibraryBlocks | None,
    depth: int,
    indices: Sequence[str] = (),
) -> None:
    """A product of two matrices to a third: by name, and of which arrays they are matrices, at
    `indices`. It is divided in `blocks`.
    """
    # What a parallel region reads: the arrays, and the indices of the batch.
    values = {writer.read(value): value for value in arrays}
    values |= {index: Value(int64, (), index) for index in indices}
    if isinstance(blocks, Tiling):
        _tiled(writer, names, values, sizes, blocks, depth)
    elif isinstance(blocks, VectorProduct):
        _of_vector(writer, names, values, sizes, blocks, depth)
    elif isinstance(blocks, LibraryBlocks):
        _in_blocks(writer, names, values, sizes, blocks, depth)
    else:
        flags = *sizes.transposed, False
        operands = [f"{name}.T" if flag else name for name, flag in zip(names, flags, strict=True)]
        writer.line(depth, f"product_of_matrices({', '.join(operands)})")


def _with_itself(
    writer: KernelWriter,
    names,
    arrays,
    sizes: ProductSizes,
    blocks: VectorProduct | Tiling | LibraryBlocks | None,
    depth: int,
) -> None:
    """The product of a matrix and its transpose, which is symmetric: half of a large one is
    computed, and half of each is a copy of the other.
    """
    left, _, out = names
    if blocks is None and sizes.rows > thresholds.HALVED_FROM:
        line = f"product_with_itself({left}{'.T' * sizes.transposed[0]}, {out})"
        writer.line(depth, line)
    else:
        product(writer, names, arrays, sizes, blocks, depth)
    if sizes.rows > 1:
        writer.for_loop(depth, "m", f"range({sizes.rows})")
        writer.for_loop(depth + 1, "n", "range(m)")
        writer.line(depth + 2, f"{out}[n, m] = {out}[m, n]")


def _matrix(name: str, value: Value, indices: list[str]) -> str:
    """One matrix of a batch; what has no such axis, or size 1 in it, is used again."""
    own = dims(value)[:-2]
    own_indices = indices[len(indices) - len(own) :]
    chosen = ["0" if size == 1 else index for size, index in zip(own, own_indices, strict=True)]
    return f"{name}[{', '.join(chosen)}]" if chosen else name


# ---- loops -----------------------------------------------------------------------------------


def _by_loops(writer: KernelWriter, names, output: Value, sizes, depth: int) -> None:
    """For small matrices, where a call costs more, and for integers, which BLAS has not."""
    dtype_name, name = f"np.{output.dtype.numpy_dtype.name}", f"s{next(writer.count)}"
    for suffix, whole in zip(("_a", "_b", "_y"), names, strict=True):
        writer.line(depth, f"{name}{suffix} = {whole}")
    if 1 < sizes[1] <= thresholds.FEW_COLUMNS:
        _few_columns(writer, name, dtype_name, sizes, depth)
        return
    for index, size in zip("mnk", sizes, strict=True):
        if index == "k":
            writer.line(depth, f"{name} = {dtype_name}(0)")
        depth = writer.for_loop(depth, index, f"range({size})")
    writer.line(depth, f"{name} = {dtype_name}({name} + {name}_a[m, k] * {name}_b[k, n])")
    writer.line(depth - 1, f"{name}_y[m, n] = {name}")


def _few_columns(writer: KernelWriter, name: str, dtype_name: str, sizes, depth: int) -> None:
    """A product row after row, with the sums of a row side by side."""
    rows, columns, terms = sizes
    sums = [f"{name}_{column}" for column in range(columns)]
    writer.for_loop(depth, "m", f"range({rows})")
    writer.line(depth + 1, f"{' = '.join(sums)} = {dtype_name}(0)")
    writer.for_loop(depth + 1, "k", f"range({terms})")
    writer.line(depth + 2, f"{name} = {name}_a[m, k]")
    for column, word in enumerate(sums):
        writer.line(depth + 2, f"{word} = {dtype_name}({word} + {name} * {name}_b[k, {column}])")
    for column, word in enumerate(sums):
        writer.line(depth + 1, f"{name}_y[m, {column}] = {word}")


# ---- vectors ---------------------------------------------------------------------------------


def _of_vector(
    writer: KernelWriter,
    names,
    values: dict[str, Value],
    sizes: ProductSizes,
    blocks: VectorProduct,
    depth: int,
) -> None:
    """The product of a matrix and a vector, whose elements threads share where it takes long."""
    left, right, out = names
    matrix, vector = (left, right) if sizes.columns == 1 else (right, left)
    dtype_name, (rows, columns) = sizes.dtype.numpy_dtype.name, blocks[:2]
    if blocks.is_partial:
        _of_vector_by_parts(writer, (matrix, vector, out), values, sizes, blocks, depth)
        return
    call = f"matvec_{'columns' if blocks.by_columns else 'rows'}_{dtype_name}"
    operands = f"{matrix}, {vector}, {out}" + f", 0, {rows}" * blocks.by_columns

    def write(at: int, first: str, count: str) -> None:
        writer.line(at, f"{call}({operands}, {first}, {count})")

    elements = columns if blocks.by_columns else rows
    parallel_chunks(writer, values, elements, blocks.chunks, write, depth)


def _of_vector_by_parts(
    writer: KernelWriter,
    names,
    values: dict[str, Value],
    sizes: ProductSizes,
    blocks: VectorProduct,
    depth: int,
) -> None:
    """The sum of the rows of a matrix, each times an element: a sum for each chunk, then theirs."""
    chunks, columns, name = blocks.chunks, blocks.columns, f"s{next(writer.count)}"
    assert chunks is not None
    sums = Value(sizes.dtype, (chunks.number, columns), "sums")
    array, (matrix, vector, out) = writer.work_array(sums, depth), names

    def write(at: int, first: str, count: str) -> None:
        operands = f"{matrix}, {vector}, {array}[{first} // {chunks.length}], {first}, {count}"
        call = f"matvec_columns_{sizes.dtype.numpy_dtype.name}"
        writer.line(at, f"{call}({operands}, 0, {columns})")

    parallel_chunks(writer, values | {array: sums}, blocks.rows, chunks, write, depth)
    writer.line(depth, f"{name}_y = {out}.reshape({columns})")
    writer.line(depth, f"copy_elements({name}_y, {array}[0])")
    writer.for_loop(depth, "m", f"range(1, {chunks.number})")
    writer.for_loop(depth + 1, "n", f"range({columns})")
    writer.line(depth + 2, f"{name}_y[n] += {array}[m, n]")
    writer.release(sums)


# ---- blocks of BLAS --------------------------------------------------------------------------


def _in_blocks(
    writer: KernelWriter,
    names,
    values: dict[str, Value],
    sizes: ProductSizes,
    blocks: LibraryBlocks,
    depth: int,
) -> None:
    """A product by a call of BLAS for each block, whose rows or columns threads share."""
    name = f"s{next(writer.count)}"
    lengths = dict(zip("mnk", sizes[:3], strict=True))
    steps = dict(zip("mnk", blocks[:3], strict=True))
    shared, other = "nm" if blocks.by_columns else "mn"
    numbers = {side: -(-lengths[side] // steps[side]) for side in "mn"}

    def window(matrix: str, sides: str, flag: bool) -> str:
        first, second = (
            f"{name}_{side} : {name}_{side}_end" for side in (sides[::-1] if flag else sides)
        )
        return f"{matrix}[{first}, {second}]{'.T' if flag else ''}"

    def bound(at: int, side: str) -> None:
        end = f"min({name}_{side} + {steps[side]}, {lengths[side]})"
        writer.line(at, f"{name}_{side}_end = {end}")

    def write(at: int, first: str, count: str) -> None:
        for side, begin, number in ((shared, first, count), (other, "0", str(numbers[other]))):
            at = writer.for_loop(at, f"{name}_t{side}", f"range({begin}, {begin} + {number})")
            writer.line(at, f"{name}_{side} = {name}_t{side} * {steps[side]}")
            bound(at, side)
        flags = *sizes.transposed, False
        operands = [window(*one) for one in zip(names, ("mk", "kn", "mn"), flags, strict=True)]
        writer.line(at, f"{name}_k = 0")
        bound(at, "k")
        writer.line(at, f"product_of_matrices({', '.join(operands)})")
        if steps["k"] < lengths["k"]:
            writer.for_loop(at, f"{name}_k", f"range({steps['k']}, {lengths['k']}, {steps['k']})")
            bound(at + 1, "k")
            writer.line(at + 1, f"product_added({', '.join(operands)})")

    parallel_chunks(writer, values, numbers[shared], blocks.chunks, write, depth)


# ---- tiles -----------------------------------------------------------------------------------


def _tiled(
    writer: KernelWriter,
    names,
    values: dict[str, Value],
    sizes: ProductSizes,
    tiling: Tiling,
    depth: int,
) -> None:
    """A product in tiles. Threads share the blocks where the whole takes long enough."""
    rows, columns, steps, dtype, transposed = sizes
    dtype_name, blocks = dtype.numpy_dtype.name, tiling.blocks
    left = (1, rows) if transposed[0] else (steps, 1)
    right = (1, steps) if transposed[1] else (columns, 1)
    block = *tiling[:3], tiling.together, tiling.packed
    geometry = (rows, columns, steps, *left, *right, *block, *map(int, tiling.in_place))
    call = f"tiled_blocks_{dtype_name}({', '.join(names)}"
    if tiling.chunks is None or writer.region.is_private:
        writer.line(depth, f"{call}, 0, {blocks}, {geometry})")
        return

    def write(at: int) -> None:
        writer.line(at, f"{call}, first, 1, {geometry})")

    parallel_region(writer, 1, blocks, write, lambda _: values, depth)
