"""Products of matrices in native code: loops for small ones, calls of BLAS, and tiles of our own
for large ones, whose blocks threads share.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...core.dtypes import int64
from ...ir.graph import Node, Value
from ...lowering.cost_model import FEW_COLUMNS
from ...lowering.matmul_schedule import ProductSizes, Tiling, is_with_itself, product_sizes
from ...lowering.schedule import ProductSchedule
from ...lowering.static_shapes import dims
from .kernel_writer import KernelWriter
from .parallel_loops import parallel_region


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
    target = _matrix(out, output, indices)
    sizes, schedule = product_sizes(node), writer.schedule
    assert isinstance(schedule, ProductSchedule)
    if schedule.form == "loops":
        _by_loops(writer, (left, right, target), output, sizes[:3], depth)
    elif schedule.tiling is not None:
        names, arrays = (left, right, target), (a, b, output)
        tiled(writer, names, arrays, sizes, schedule.tiling, depth, indices)
    else:
        left, right = (
            f"{name}.T" if flag else name
            for name, flag in zip((left, right), sizes.transposed, strict=True)
        )
        if is_with_itself(node) and sizes.rows > 1:
            _with_itself(writer, left, target, sizes.rows, depth)
            return
        dtype_name = "column" if sizes.columns == 1 else "row" if sizes.rows == 1 else "matrices"
        writer.line(depth, f"product_of_{dtype_name}({left}, {right}, {target})")


def _with_itself(writer: KernelWriter, left: str, target: str, rows: int, depth: int) -> None:
    """The product of a matrix and its transpose: one half, which the other is equal to."""
    writer.line(depth, f"product_with_itself({left}, {target})")
    writer.for_loop(depth, "m", f"range({rows})")
    writer.for_loop(depth + 1, "n", "range(m)")
    writer.line(depth + 2, f"{target}[n, m] = {target}[m, n]")


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
    if 1 < sizes[1] <= FEW_COLUMNS:
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


# ---- tiles -----------------------------------------------------------------------------------


def tiled(
    writer: KernelWriter,
    names,
    arrays,
    sizes: ProductSizes,
    tiling: Tiling,
    depth: int,
    indices: Sequence[str] = (),
) -> None:
    """A product of two matrices to a third: by name, and of which arrays they are matrices, at
    `indices`. Threads share the blocks where the whole takes long enough.
    """
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

    values = {writer.read(value): value for value in arrays}
    values |= {index: Value(int64, (), index) for index in indices}
    parallel_region(writer, 1, blocks, write, lambda _: values, depth)
