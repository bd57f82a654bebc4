"""Products of matrices in native code: loops for small ones, calls of BLAS, and tiles of our own
for large ones, whose blocks threads share.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ...core.dtypes import int64
from ...core.shapes import is_static
from ...ir.graph import Node, Value
from ...kernels.matmul_microkernel import tile_columns, tile_rows
from ...lowering.fuse_loop_nests import nodes_of
from ...lowering.kernel_cost import SHARED_FROM
from ...lowering.program import LibraryCall, Nest, Program, Step
from ...parallel.thread_pool import cores

if TYPE_CHECKING:
    from .loop_nests import NestWriter

SMALL = 256  # products of numbers: fewer take less time than a call of BLAS
FEW = 8  # columns of a small product: sums for all of them at once stay in registers
BYTES_A_NANOSECOND = 160.0  # of factors that are multiplied and added up, in tiles
PACKED = 12  # rows, or columns, whose products take as long as packing one of the other matrix
# In tiles from here on, packed or where they lie. BLAS has tiles of more sizes: below it is up to
# twice as fast, and stays on one thread there.
TILED_FROM, IN_PLACE_FROM = 1 << 18, 1 << 15
FEW_ROWS, SMALL_MATRIX = 64, 1 << 18  # of products in place: rows of the left, bytes of the right
MOST_WASTE = 1.25  # times the work, in tiles that are not full and in packing
TALL, BROAD, DEEP = 528, 256, 2048  # the largest block: rows, columns, and bytes of its depth
LEAST_SIDES = 72, 64  # rows and columns of a block: smaller ones take a tenth longer, to pack
BLOCK_TIME = 60_000  # nanoseconds
BLOCKS_A_CORE = 4


def matmul(writer: NestWriter, node: Node, depth: int) -> None:
    """A product of matrices, for each matrix of the batch."""
    a, b = node.inputs
    made = node.output
    turned = node.attrs.get("turned", (False, False))
    out = writer.buffer(made, depth)
    batch = made.shape[:-2]
    indices = [f"i{axis}" for axis in range(len(batch))]
    for index, size in zip(indices, batch, strict=True):
        writer.line(depth, f"for {index} in range({size}):")
        depth += 1
    left, right = (_matrix(writer.read(value), value, indices) for value in (a, b))
    target = _matrix(out, made, indices)
    rows, columns = made.shape[-2:]
    sizes = (rows, columns, a.shape[-2 if turned[0] else -1])
    if not made.dtype.is_floating or math.prod(sizes) <= SMALL:
        _by_loops(writer, (left, right, target), made, sizes, depth)
    elif is_tiled(sizes, made.dtype.numpy_dtype.name, turned):
        tiled(writer, (left, right, target), (a, b, made), sizes, turned, depth, indices)
    else:
        left, right = (
            f"{name}.T" if flag else name for name, flag in zip((left, right), turned, strict=True)
        )
        kind = "column" if columns == 1 else "row" if rows == 1 else "matrices"
        writer.line(depth, f"product_of_{kind}({left}, {right}, {target})")


def _matrix(name: str, value: Value, indices: list[str]) -> str:
    """One matrix of a batch; what has no such axis, or size 1 in it, is used again."""
    own = value.shape[:-2]
    places = indices[len(indices) - len(own) :]
    chosen = ["0" if size == 1 else index for size, index in zip(own, places, strict=True)]
    return f"{name}[{', '.join(chosen)}]" if chosen else name


# ---- transposed operands ---------------------------------------------------------------------


def as_they_lie(program: Program) -> list[Step]:
    """The steps of a program, where products read transposed matrices from where they lie: the
    transposed one is not made if only products read it. They get an attribute, `turned`.
    """
    readers: dict[Value, list[Node | None]] = {value: [None] for value in program.outputs}
    for step in program.steps:
        for node in nodes_of(step):
            for value in node.inputs:
                readers.setdefault(value, []).append(node)
    given = {
        _made(step): step.nodes[0].inputs[0]
        for step in program.steps
        if _is_transpose(step) and all(map(_may_read, readers.get(_made(step), [None])))
    }
    if not given:
        return list(program.steps)
    kept = (step for step in program.steps if not (_is_transpose(step) and _made(step) in given))
    return [_turned(step, given) for step in kept]


def _is_transpose(step: Step) -> bool:
    """Whether a step does nothing but transpose a matrix."""
    if not isinstance(step, Nest) or len(step.nodes) != 1:
        return False
    (node,) = step.nodes
    return (
        node.op.name == "transpose"
        and len(node.output.shape) == 2
        and node.attrs["perm"] in (None, (1, 0))
    )


def _made(step: Nest) -> Value:
    return step.nodes[0].output


def _may_read(node: Node | None) -> bool:
    """Whether a node is a product of two matrices by BLAS or in tiles."""
    if node is None or node.op.name != "matmul" or not node.output.dtype.is_floating:
        return False
    if not all(is_static(value.shape) and len(value.shape) == 2 for value in node.inputs):
        return False
    if 1 in node.output.shape:
        return False
    return math.prod(node.output.shape) * node.inputs[0].shape[1] > SMALL


def _turned(step: Step, given: dict[Value, Value]) -> Step:
    if not isinstance(step, LibraryCall) or not any(one in given for one in step.node.inputs):
        return step
    node = step.node
    inputs = tuple(given.get(value, value) for value in node.inputs)
    attrs = {**node.attrs, "turned": tuple(value in given for value in node.inputs)}
    return LibraryCall(replace(node, inputs=inputs, attrs=attrs))


# ---- loops -----------------------------------------------------------------------------------


def _by_loops(writer: NestWriter, names, made: Value, sizes, depth: int) -> None:
    """For small matrices, where a call costs more, and for integers, which BLAS has not."""
    kind, name = f"np.{made.dtype.numpy_dtype.name}", f"s{next(writer.count)}"
    for text, whole in zip(("_a", "_b", "_y"), names, strict=True):
        writer.line(depth, f"{name}{text} = {whole}")
    if 1 < sizes[1] <= FEW:
        _few_columns(writer, name, kind, sizes, depth)
        return
    for index, size in zip("mnk", sizes, strict=True):
        if index == "k":
            writer.line(depth, f"{name} = {kind}(0)")
        writer.line(depth, f"for {index} in range({size}):")
        depth += 1
    writer.line(depth, f"{name} = {kind}({name} + {name}_a[m, k] * {name}_b[k, n])")
    writer.line(depth - 1, f"{name}_y[m, n] = {name}")


def _few_columns(writer: NestWriter, name: str, kind: str, sizes, depth: int) -> None:
    """A product row after row, with the sums of a row side by side."""
    rows, columns, terms = sizes
    sums = [f"{name}_{column}" for column in range(columns)]
    writer.line(depth, f"for m in range({rows}):")
    writer.line(depth + 1, f"{' = '.join(sums)} = {kind}(0)")
    writer.line(depth + 1, f"for k in range({terms}):")
    writer.line(depth + 2, f"{name} = {name}_a[m, k]")
    for column, word in enumerate(sums):
        writer.line(depth + 2, f"{word} = {kind}({word} + {name} * {name}_b[k, {column}])")
    for column, word in enumerate(sums):
        writer.line(depth + 1, f"{name}_y[m, {column}] = {word}")


# ---- tiles -----------------------------------------------------------------------------------


def is_tiled(sizes: tuple[int, int, int], dtype: str, turned) -> bool:
    """Whether a product of so many rows, columns and steps is computed in tiles."""
    if dtype not in ("float32", "float64"):
        return False
    rows, columns, _ = sizes
    computed = _filled(rows, tile_rows()) * _filled(columns, tile_columns(dtype))
    waste, least = computed / (rows * columns), IN_PLACE_FROM
    if not is_in_place(sizes, dtype, turned):
        waste *= 1 + PACKED / rows + PACKED / columns
        least = TILED_FROM
    return math.prod(sizes) >= least and waste <= MOST_WASTE


def is_in_place(sizes: tuple[int, int, int], dtype: str, turned) -> bool:
    """Whether to pack the matrices would take longer than it gains: few rows read the right one,
    and that stays in the cache.
    """
    rows, columns, depth = sizes
    size = columns * depth * np.dtype(dtype).itemsize
    return rows <= FEW_ROWS and size <= SMALL_MATRIX and not turned[1]


def tiled(
    writer: NestWriter, names, arrays, sizes, turned, depth: int, indices: Sequence[str] = ()
) -> None:
    """A product of two matrices to a third: by name, and of which arrays they are parts, at the
    places that `indices` hold. Where `turned`, what lies there is the transposed matrix. Blocks are
    shared by threads where the whole takes long enough.
    """
    rows, columns, steps = sizes
    kind = arrays[2].dtype.numpy_dtype.name
    cost = math.prod(sizes) * arrays[2].dtype.size / BYTES_A_NANOSECOND
    tall, broad, deep = block_of(sizes, kind, cost)
    left = (1, rows) if turned[0] else (steps, 1)
    right = (1, steps) if turned[1] else (columns, 1)
    blocks = -(-rows // tall) * -(-columns // broad)
    in_place = int(is_in_place(sizes, kind, turned))
    geometry = (*sizes, *left, *right, tall, broad, deep, in_place)
    call = f"tiled_blocks_{kind}({', '.join(names)}"
    if blocks == 1 or cost < SHARED_FROM or writer.in_part:
        writer.line(depth, f"{call}, 0, {blocks}, {geometry})")
        return

    def write(at: int) -> None:
        writer.line(at, f"{call}, first, 1, {geometry})")

    values = {re.split(r"[.[]", name)[0]: one for name, one in zip(names, arrays, strict=True)}
    values |= {index: Value(int64, (), index) for index in indices}
    writer.divided(1, blocks, write, lambda _: values, depth)


def block_of(sizes: tuple[int, int, int], dtype: str, cost: float) -> tuple[int, int, int]:
    """The rows, columns and depth of a block: enough blocks for the cores, of about one size.

    The order in which an element is added up depends on the depth alone.
    """
    rows, columns, depth = sizes
    units = tile_rows(), tile_columns(dtype)
    counts = [-(-rows // TALL), -(-columns // BROAD)]
    wanted = min(BLOCKS_A_CORE * cores(), cost / BLOCK_TIME) if cost >= SHARED_FROM else 1
    while math.prod(counts) < wanted:
        lengths = [-(-size // count) for size, count in zip(sizes[:2], counts, strict=True)]
        side = 0 if lengths[0] >= lengths[1] else 1
        if lengths[side] < 2 * LEAST_SIDES[side]:
            side = 1 - side
        if lengths[side] < 2 * LEAST_SIDES[side]:
            break
        counts[side] *= 2
    tall, broad = (
        _filled(-(-size // count), unit)
        for size, count, unit in zip(sizes[:2], counts, units, strict=True)
    )
    stretches = -(-depth * np.dtype(dtype).itemsize // DEEP)
    return tall, broad, -(-depth // stretches)


def _filled(size: int, unit: int) -> int:
    """The next multiple."""
    return -(-size // unit) * unit
