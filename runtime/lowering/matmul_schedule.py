"""The schedule of a matrix product: loops, BLAS, or register tiles in blocks that threads share."""

from __future__ import annotations

import math
from typing import NamedTuple

from ..core.dtypes import DType
from ..ir.graph import Node
from . import cost_model
from .cost_model import Chunks
from .static_shapes import dims
from .target import Target


class ProductSizes(NamedTuple):
    """A product of rows x depth and depth x columns; `transposed` operands lie there transposed."""

    rows: int
    columns: int
    depth: int
    dtype: DType
    transposed: tuple[bool, bool] = (False, False)

    @property
    def multiplications(self) -> int:
        return self.rows * self.columns * self.depth

    @property
    def cost(self) -> float:
        """About how many nanoseconds it takes in tiles."""
        return self.multiplications * self.dtype.size / cost_model.PRODUCT_BYTES


class Tiling(NamedTuple):
    """The blocks of a product in tiles: their `rows`, `columns` and `depth`.

    in_place   the matrices are read where they lie, not packed
    chunks     of one block each, where threads share them
    """

    rows: int
    columns: int
    depth: int
    blocks: int
    in_place: bool
    chunks: Chunks | None

    def on_one_thread(self) -> Tiling:
        """The schedule inside of a parallel region, where nothing is divided any more."""
        return self._replace(chunks=None)


def product_sizes(node: Node) -> ProductSizes:
    """The sizes of one matrix product of a `matmul`, which may be of a batch."""
    transposed = node.attrs.get("transposed", (False, False))
    rows, columns = dims(node.output)[-2:]
    depth = dims(node.inputs[0])[-2 if transposed[0] else -1]
    return ProductSizes(rows, columns, depth, node.output.dtype, transposed)


def is_with_itself(node: Node) -> bool:
    """Whether a matrix is multiplied by its transpose: BLAS computes half of the result."""
    left, right = node.inputs
    one, other = node.attrs.get("transposed", (False, False))
    return left is right and one is not other and len(dims(node.output)) == 2


def is_by_loops(sizes: ProductSizes) -> bool:
    """Whether a call costs more than the product, or BLAS has no such type."""
    return not sizes.dtype.is_floating or sizes.multiplications <= cost_model.SMALL_PRODUCT


def is_tiled(sizes: ProductSizes, target: Target) -> bool:
    """Whether a product is computed in tiles, not by BLAS."""
    if sizes.dtype.name not in ("float32", "float64"):
        return False
    rows, columns = sizes.rows, sizes.columns
    width = target.tile_columns(sizes.dtype.size)
    full = _filled(rows, target.shortest_tile) * _filled(columns, width)
    waste, least = full / (rows * columns), cost_model.IN_PLACE_FROM
    if not is_in_place(sizes):
        waste *= 1 + cost_model.PACKED / rows + cost_model.PACKED / columns
        least = cost_model.TILED_FROM
    return sizes.multiplications >= least and waste <= cost_model.MOST_WASTE


def is_in_place(sizes: ProductSizes) -> bool:
    """Whether packing the matrices would take longer than it gains: few rows read the right one,
    and that stays in the cache.
    """
    size = sizes.columns * sizes.depth * sizes.dtype.size
    return (
        sizes.rows <= cost_model.FEW_ROWS
        and size <= cost_model.SMALL_MATRIX
        and not sizes.transposed[1]
    )


def tiling(sizes: ProductSizes, target: Target) -> Tiling:
    """The blocks of a product: enough for the cores, of about one size.

    The order in which an element is added up depends on the depth of a block alone.
    """
    rows, columns, depth, dtype, _ = sizes
    units = target.tile_rows, target.tile_columns(dtype.size)
    height, width = (
        _filled(-(-size // count), unit)
        for size, count, unit in zip(
            (rows, columns), _block_counts(sizes, target), units, strict=True
        )
    )
    stretches = -(-depth * dtype.size // cost_model.DEEPEST)
    blocks = -(-rows // height) * -(-columns // width)
    is_shared = blocks > 1 and sizes.cost >= cost_model.PARALLEL_FROM
    chunks = Chunks(1, blocks) if is_shared else None
    return Tiling(height, width, -(-depth // stretches), blocks, is_in_place(sizes), chunks)


def _block_counts(sizes: ProductSizes, target: Target) -> list[int]:
    """How many blocks there are along the rows, and along the columns."""
    lengths_of = (sizes.rows, sizes.columns)
    counts = [-(-sizes.rows // cost_model.TALLEST), -(-sizes.columns // cost_model.BROADEST)]
    wanted = 1.0
    if sizes.cost >= cost_model.PARALLEL_FROM:
        wanted = min(cost_model.BLOCKS_A_CORE * target.cores, sizes.cost / cost_model.BLOCK_COST)
    while math.prod(counts) < wanted:
        lengths = [-(-size // count) for size, count in zip(lengths_of, counts, strict=True)]
        side = 0 if lengths[0] >= lengths[1] else 1
        if lengths[side] < 2 * cost_model.LEAST_SIDES[side]:
            side = 1 - side
        if lengths[side] < 2 * cost_model.LEAST_SIDES[side]:
            break
        counts[side] *= 2
    return counts


def _filled(size: int, unit: int) -> int:
    """The next multiple."""
    return -(-size // unit) * unit
