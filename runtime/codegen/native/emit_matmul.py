"""Products of matrices in native code: loops for small ones, calls of BLAS, and tiles of our own
for large ones, whose blocks threads share.
"""

from __future__ import annotations

import contextlib
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


def matmul(writer: KernelWriter, node: Node) -> None:
    """A product of matrices, for each matrix of the batch."""
    a, b = node.inputs
    output = node.output
    out = writer.buffer(output)
    batch = dims(output)[:-2]
    indices = [f"i{axis}" for axis in range(len(batch))]
    left, right = (_matrix(writer.read(value), value, indices) for value in (a, b))
    names, arrays = (left, right, _matrix(out, output, indices)), (a, b, output)
    sizes, schedule = product_sizes(node), writer.schedule
    assert isinstance(schedule, ProductSchedule)
    with writer.loops(indices, batch):
        if schedule.form == "loops":
            _by_loops(writer, names, output, sizes[:3])
        elif is_with_itself(node):
            _with_itself(writer, names, arrays, sizes, schedule.blocks)
        else:
            product(writer, names, arrays, sizes, schedule.blocks, indices)


def product(
    writer: KernelWriter,
    names,
    arrays,
    sizes: ProductSizes,
    blocks: VectorProduct | Tiling | LibraryBlocks | None,
    indices: Sequence[str] = (),
) -> None:
    """A product of two matrices to a third: by name, and of which arrays they are matrices, at
    `indices`. It is divided in `blocks`.
    """
    # What a parallel region reads: the arrays, and the indices of the batch.
    values = {writer.read(value): value for value in arrays}
    values |= {index: Value(int64, (), index) for index in indices}
    if isinstance(blocks, Tiling):
        _tiled(writer, names, values, sizes, blocks)
    elif isinstance(blocks, VectorProduct):
        _of_vector(writer, names, values, sizes, blocks)
    elif isinstance(blocks, LibraryBlocks):
        _in_blocks(writer, names, values, sizes, blocks)
    else:
        flags = *sizes.transposed, False
        operands = [f"{name}.T" if flag else name for name, flag in zip(names, flags, strict=True)]
        writer.line(f"product_of_matrices({', '.join(operands)})")


def _with_itself(
    writer: KernelWriter,
    names,
    arrays,
    sizes: ProductSizes,
    blocks: VectorProduct | Tiling | LibraryBlocks | None,
) -> None:
    """The product of a matrix and its transpose, which is symmetric: half of a large one is
    computed, and half of each is a copy of the other.
    """
    left, _, out = names
    if blocks is None and sizes.rows > thresholds.HALVED_FROM:
        line = f"product_with_itself({left}{'.T' * sizes.transposed[0]}, {out})"
        writer.line(line)
    else:
        product(writer, names, arrays, sizes, blocks)
    if sizes.rows > 1:
        with writer.loops("mn", [sizes.rows, "m"]):
            writer.line(f"{out}[n, m] = {out}[m, n]")


def _matrix(name: str, value: Value, indices: list[str]) -> str:
    """One matrix of a batch; what has no such axis, or size 1 in it, is used again."""
    own = dims(value)[:-2]
    own_indices = indices[len(indices) - len(own) :]
    chosen = ["0" if size == 1 else index for size, index in zip(own, own_indices, strict=True)]
    return f"{name}[{', '.join(chosen)}]" if chosen else name


# ---- loops -----------------------------------------------------------------------------------


def _by_loops(writer: KernelWriter, names, output: Value, sizes) -> None:
    """For small matrices, where a call costs more, and for integers, which BLAS has not."""
    dtype_name, name = f"np.{output.dtype.numpy_dtype.name}", f"s{next(writer.count)}"
    for suffix, whole in zip(("_a", "_b", "_y"), names, strict=True):
        writer.line(f"{name}{suffix} = {whole}")
    if 1 < sizes[1] <= thresholds.FEW_COLUMNS:
        _few_columns(writer, name, dtype_name, sizes)
        return
    with writer.loops("mn", sizes[:2]):
        writer.line(f"{name} = {dtype_name}(0)")
        with writer.loop("k", f"range({sizes[2]})"):
            writer.line(f"{name} = {dtype_name}({name} + {name}_a[m, k] * {name}_b[k, n])")
        writer.line(f"{name}_y[m, n] = {name}")


def _few_columns(writer: KernelWriter, name: str, dtype_name: str, sizes) -> None:
    """A product row after row, with the sums of a row side by side."""
    rows, columns, terms = sizes
    sums = [f"{name}_{column}" for column in range(columns)]
    with writer.loop("m", f"range({rows})"):
        writer.line(f"{' = '.join(sums)} = {dtype_name}(0)")
        with writer.loop("k", f"range({terms})"):
            writer.line(f"{name} = {name}_a[m, k]")
            for column, word in enumerate(sums):
                writer.line(f"{word} = {dtype_name}({word} + {name} * {name}_b[k, {column}])")
        for column, word in enumerate(sums):
            writer.line(f"{name}_y[m, {column}] = {word}")


# ---- vectors ---------------------------------------------------------------------------------


def _of_vector(
    writer: KernelWriter,
    names,
    values: dict[str, Value],
    sizes: ProductSizes,
    blocks: VectorProduct,
) -> None:
    """The product of a matrix and a vector, whose elements threads share where it takes long."""
    left, right, out = names
    matrix, vector = (left, right) if sizes.columns == 1 else (right, left)
    dtype_name, (rows, columns) = sizes.dtype.numpy_dtype.name, blocks[:2]
    if blocks.is_partial:
        _of_vector_by_parts(writer, (matrix, vector, out), values, sizes, blocks)
        return
    call = f"matvec_{'columns' if blocks.by_columns else 'rows'}_{dtype_name}"
    operands = f"{matrix}, {vector}, {out}" + f", 0, {rows}" * blocks.by_columns

    def write(first: str, count: str) -> None:
        writer.line(f"{call}({operands}, {first}, {count})")

    elements = columns if blocks.by_columns else rows
    parallel_chunks(writer, values, elements, blocks.chunks, write)


def _of_vector_by_parts(
    writer: KernelWriter,
    names,
    values: dict[str, Value],
    sizes: ProductSizes,
    blocks: VectorProduct,
) -> None:
    """The sum of the rows of a matrix, each times an element: a sum for each chunk, then theirs."""
    chunks, columns, name = blocks.chunks, blocks.columns, f"s{next(writer.count)}"
    assert chunks is not None
    sums = Value(sizes.dtype, (chunks.number, columns), "sums")
    array, (matrix, vector, out) = writer.work_array(sums), names

    def write(first: str, count: str) -> None:
        operands = f"{matrix}, {vector}, {array}[{first} // {chunks.length}], {first}, {count}"
        call = f"matvec_columns_{sizes.dtype.numpy_dtype.name}"
        writer.line(f"{call}({operands}, 0, {columns})")

    parallel_chunks(writer, values | {array: sums}, blocks.rows, chunks, write)
    writer.line(f"{name}_y = {out}.reshape({columns})")
    writer.line(f"copy_elements({name}_y, {array}[0])")
    with writer.loops("mn", [f"1, {chunks.number}", columns]):
        writer.line(f"{name}_y[n] += {array}[m, n]")
    writer.release(sums)


# ---- blocks of BLAS --------------------------------------------------------------------------


def _in_blocks(
    writer: KernelWriter,
    names,
    values: dict[str, Value],
    sizes: ProductSizes,
    blocks: LibraryBlocks,
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

    def bound(side: str) -> None:
        end = f"min({name}_{side} + {steps[side]}, {lengths[side]})"
        writer.line(f"{name}_{side}_end = {end}")

    def write(first: str, count: str) -> None:
        sides = ((shared, first, count), (other, "0", str(numbers[other])))
        with contextlib.ExitStack() as stack:
            for side, begin, number in sides:
                tiles = f"range({begin}, {begin} + {number})"
                stack.enter_context(writer.loop(f"{name}_t{side}", tiles))
                writer.line(f"{name}_{side} = {name}_t{side} * {steps[side]}")
                bound(side)
            flags = *sizes.transposed, False
            operands = [window(*one) for one in zip(names, ("mk", "kn", "mn"), flags, strict=True)]
            writer.line(f"{name}_k = 0")
            bound("k")
            writer.line(f"product_of_matrices({', '.join(operands)})")
            if steps["k"] < lengths["k"]:
                rest = f"range({steps['k']}, {lengths['k']}, {steps['k']})"
                with writer.loop(f"{name}_k", rest):
                    bound("k")
                    writer.line(f"product_added({', '.join(operands)})")

    parallel_chunks(writer, values, numbers[shared], blocks.chunks, write)


# ---- tiles -----------------------------------------------------------------------------------


def _tiled(
    writer: KernelWriter,
    names,
    values: dict[str, Value],
    sizes: ProductSizes,
    tiling: Tiling,
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
        writer.line(f"{call}, 0, {blocks}, {geometry})")
        return

    def write() -> None:
        writer.line(f"{call}, first, 1, {geometry})")

    parallel_region(writer, 1, blocks, write, lambda _: values)
