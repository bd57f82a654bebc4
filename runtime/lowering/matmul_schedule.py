"""The schedule of a matrix product: loops, BLAS, or register tiles in blocks that threads share."""

from __future__ import annotations

import itertools
import math

from ..core import thresholds
from ..core.classes import NamedTuple
from ..core.dtypes import DType
from ..ir.graph import Node, Value, dims
from . import cost_model
from .cost_model import Chunks, Target
from .nest_schedule import call_chunks


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


class VectorProduct(NamedTuple):
    """The product of a matrix, `rows` x `columns` in memory, and a vector: of each row, or of each
    column where `by_columns`. Threads share the elements of the result in `chunks`, or with
    `is_partial` the rows of the matrix, whose sums are added.
    """

    rows: int
    columns: int
    by_columns: bool
    chunks: Chunks | None
    is_partial: bool


class LibraryBlocks(NamedTuple):
    """The blocks that BLAS is called for: their `rows`, `columns` and `depth`, so small that it
    uses one thread. Threads of ours share the rows of blocks, or with `by_columns` their columns.
    """

    rows: int
    columns: int
    depth: int
    by_columns: bool
    chunks: Chunks | None


class Tiling(NamedTuple):
    """The blocks of a product in tiles: their `rows`, `columns` and `depth`.

    together   rows that each panel of the right matrix is multiplied by
    packed     columns of the right matrix that are packed together
    in_place   whether the left and the right matrix are read where they lie, not packed
    chunks     of one block each, where threads share them
    """

    rows: int
    columns: int
    depth: int
    blocks: int
    together: int
    packed: int
    in_place: tuple[bool, bool]
    chunks: Chunks | None


class ProductSchedule(NamedTuple):
    """How a matrix product runs: in loops, by BLAS, in tiles, or as that of a matrix and a vector;
    `blocks` say how it is divided. `transposed` are the operands that are read as the transpose of
    what lies in memory.
    """

    form: str
    blocks: Tiling | VectorProduct | LibraryBlocks | None
    transposed: tuple[Value, ...]


FORMS = {Tiling: "tiles", VectorProduct: "vector"}


def product_schedule(node: Node, target: Target) -> ProductSchedule:
    """The schedule of a `matmul` of known shapes."""
    sizes = product_sizes(node)
    transposed = tuple(itertools.compress(node.inputs, sizes.transposed))
    if is_by_loops(sizes):
        return ProductSchedule("loops", None, transposed)
    is_by_half = is_with_itself(node) and sizes.rows > thresholds.HALVED_FROM
    blocks = None if is_by_half else product_blocks(sizes, target)
    return ProductSchedule(FORMS.get(type(blocks), "BLAS"), blocks, transposed)


def product_sizes(node: Node) -> ProductSizes:
    """The sizes of one matrix product of a `matmul`, which may be of a batch."""
    transposed = node.attrs.get("transposed", (False, False))
    rows, columns = dims(node.output)[-2:]
    depth = dims(node.inputs[0])[-2 if transposed[0] else -1]
    return ProductSizes(rows, columns, depth, node.output.dtype, transposed)


def is_with_itself(node: Node) -> bool:
    """Whether a matrix is multiplied by its transpose: BLAS computes half of the result."""
    left, right = node.inputs
    left_transposed, right_transposed = node.attrs.get("transposed", (False, False))
    return left is right and left_transposed is not right_transposed and len(dims(node.output)) == 2


def is_by_loops(sizes: ProductSizes) -> bool:
    """Whether a call costs more than the product, or BLAS has no such type."""
    return not sizes.dtype.is_floating or sizes.multiplications <= thresholds.SMALL_PRODUCT


def is_tiled(sizes: ProductSizes, target: Target) -> bool:
    """Whether a product is computed in tiles, not by BLAS."""
    if sizes.dtype.name not in ("float32", "float64"):
        return False
    rows, columns = sizes.rows, sizes.columns
    width = target.tile_columns(sizes.dtype.size)
    full = _filled(rows, target.shortest_tile) * _filled(columns, width)
    waste, least = full / (rows * columns), thresholds.IN_PLACE_FROM
    if not is_in_place(sizes, target)[1]:
        if not blocks_for(target).alone and not _is_worth_sharing(sizes, target):
            return False
        waste *= 1 + cost_model.PACKED / rows + cost_model.PACKED / columns
        least = thresholds.TILED_FROM
    return sizes.multiplications >= least and waste <= thresholds.MOST_WASTE


def _is_worth_sharing(sizes: ProductSizes, target: Target) -> bool:
    return target.cores > 1 and sizes.cost >= thresholds.PARALLEL_FROM


def is_in_place(sizes: ProductSizes, target: Target) -> tuple[bool, bool]:
    """Whether packing the left matrix, and the right one, would take longer than it gains: few rows
    read the right one, and that stays in the cache. The rows of a tall tile stay where they lie.
    """
    most = blocks_for(target)
    size = sizes.columns * sizes.depth * sizes.dtype.size
    is_small = sizes.rows <= (most.few_rows or target.tile_rows) and size <= most.small
    right = is_small and not sizes.transposed[1]
    is_low, lies_in_rows = most.together != 0, not sizes.transposed[0]
    return sizes.columns <= most.few_columns if is_low else right or lies_in_rows, right


def is_of_vector(sizes: ProductSizes) -> bool:
    """Whether one operand is a vector, and the other a matrix."""
    is_real = sizes.dtype.name in ("float32", "float64")
    return is_real and 1 in (sizes.rows, sizes.columns)


def vector_product(sizes: ProductSizes) -> VectorProduct:
    """How the product of a matrix and a vector runs. Its chunks do not depend on the number of
    cores: the sums of each are added in their order.
    """
    is_left = sizes.columns == 1
    lies_transposed = sizes.transposed[0 if is_left else 1]
    by_columns = lies_transposed if is_left else not lies_transposed
    outputs, depth = (sizes.rows if is_left else sizes.columns), sizes.depth
    rows, columns = (depth, outputs) if by_columns else (outputs, depth)
    cost = rows * columns * sizes.dtype.size / cost_model.MATRIX_BYTES
    chunks = call_chunks(cost, rows)
    is_partial = by_columns and chunks is not None and chunks.length >= thresholds.ROWS_OF_SUM
    if by_columns and not is_partial:
        chunks = call_chunks(cost, columns)
    return VectorProduct(rows, columns, by_columns, chunks, is_partial)


def product_blocks(
    sizes: ProductSizes, target: Target
) -> VectorProduct | Tiling | LibraryBlocks | None:
    """How a product that is not computed by loops is divided; None for one call of BLAS."""
    if is_of_vector(sizes):
        return vector_product(sizes)
    return tiling(sizes, target) if is_tiled(sizes, target) else library_blocks(sizes)


def library_blocks(sizes: ProductSizes) -> LibraryBlocks | None:
    """The blocks of a product by BLAS; None where one call stays on one thread."""
    if sizes.multiplications <= thresholds.LIBRARY_ALONE:
        return None
    most, side = thresholds.LIBRARY_ALONE, thresholds.LIBRARY_SIDE
    rows, columns = min(sizes.rows, side), min(sizes.columns, side)
    depth = min(sizes.depth, max(most // (rows * columns), 1))
    rows = max(rows, min(sizes.rows, most // (columns * depth)))
    columns = max(columns, min(sizes.columns, most // (rows * depth)))
    along = -(-sizes.rows // rows), -(-sizes.columns // columns)
    chunks = call_chunks(sizes.cost, max(along))
    return LibraryBlocks(rows, columns, depth, along[1] > along[0], chunks)


def blocks_for(target: Target) -> thresholds.ProductBlocks:
    """The limits of blocks, by the number of vector registers."""
    few = target.vector_registers < thresholds.MANY_REGISTERS
    return thresholds.BLOCKS_OF_FEW_REGISTERS if few else thresholds.BLOCKS


def tiling(sizes: ProductSizes, target: Target) -> Tiling:
    """The blocks of a product: enough for the cores, of about one size.

    The order in which an element is added up depends on the depth of a block alone.
    """
    rows, columns, depth, dtype, _ = sizes
    most = blocks_for(target)
    units = target.tile_rows, target.tile_columns(dtype.size)
    height, width = (
        _filled(-(-size // count), unit)
        for size, count, unit in zip(
            (rows, columns), _block_counts(sizes, target), units, strict=True
        )
    )
    stretches = -(-depth // most.depth[dtype.size])
    blocks = -(-rows // height) * -(-columns // width)
    is_shared = blocks > 1 and sizes.cost >= thresholds.PARALLEL_FROM
    chunks = Chunks(1, blocks) if is_shared else None
    in_place = is_in_place(sizes, target)
    together = min(most.together or units[0], height)
    packed = min(most.packed, width)
    return Tiling(height, width, -(-depth // stretches), blocks, together, packed, in_place, chunks)


def _block_counts(sizes: ProductSizes, target: Target) -> list[int]:
    """How many blocks there are along the rows, and along the columns."""
    lengths_of, most = (sizes.rows, sizes.columns), blocks_for(target)
    counts = [-(-sizes.rows // most.rows), -(-sizes.columns // most.columns)]
    wanted = 1.0
    if _is_worth_sharing(sizes, target):
        wanted = min(thresholds.BLOCKS_A_CORE * target.cores, sizes.cost / thresholds.BLOCK_COST)
    while math.prod(counts) < wanted:
        lengths = [-(-size // count) for size, count in zip(lengths_of, counts, strict=True)]
        side = 0 if lengths[0] >= lengths[1] else 1
        if lengths[side] < 2 * thresholds.LEAST_SIDES[side]:
            side = 1 - side
        if lengths[side] < 2 * thresholds.LEAST_SIDES[side]:
            break
        counts[side] *= 2
    return counts


def _filled(size: int, unit: int) -> int:
    """The next multiple."""
    return -(-size // unit) * unit
