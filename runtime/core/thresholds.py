"""Thresholds: from which sizes on passes and kernels divide, tile, block, fuse, share or keep.

They were chosen by measuring, and change no result but for the order in which sums are added. Code
reads them as `thresholds.NAME` when it compiles, so tests may set them for a while: then arrays of
a few elements go the ways of large ones (`tests/helpers/large_paths.py`).
"""

from __future__ import annotations

from .classes import NamedTuple


class ProductBlocks(NamedTuple):
    """How products are tiled: the most of each block, and what is packed.

    rows, columns  of the result
    depth          steps, by the size of an item
    together       rows that each panel of the right matrix is multiplied by; 0: those of a tile
    packed         columns of the right matrix that are packed together
    few_rows       rows of a left matrix that the right one is read in place for; 0: those of a tile
    small          bytes of a right matrix that is read in place
    few_columns    columns of a right matrix that the left one is read in place for, in low tiles
    alone          whether one thread is as fast as BLAS, so that others need not share the product
    """

    rows: int
    columns: int
    depth: dict[int, int]
    together: int
    packed: int
    few_rows: int
    small: int
    few_columns: int
    alone: bool


# ---- parallel regions --------------------------------------------------------------------------

LEAST_CORES = 1  # that kernels are generated for, where the process may use fewer
CHUNK_COST = 50_000  # nanoseconds of a chunk: long beside handing one to a thread
PARALLEL_FROM = 2.5 * CHUNK_COST  # nanoseconds of a loop: shorter ones are not worth waking threads
MOST_CHUNKS = 128  # of a loop, so that the table of partial results stays small
ENOUGH_CHUNKS = 8  # of a nest: with fewer, another of its loops may be shared instead
CHUNK_ALIGNMENT = 64  # elements: chunks of a vector begin where vector registers do
# Trip counts hidden from LLVM, which unrolls loops of fewer iterations completely, and then reads
# memory in an order that prefetching does not follow.
HIDDEN_TRIP_COUNT_FROM = 256
FEW_ELEMENTS = 1 << 12  # of rows whose loop is not vectorized around formulas
# Of a loop over a batch: chunks, and the rows of a chunk where they are multiplied by matrices.
MOST_BATCH_CHUNKS, ENOUGH_ROWS, ROWS_OF_PRODUCTS = 16, 16, 8
MOST_COPYING = 0.1  # of the time of such a loop, to copy arrays whose batch axis is another then
MOST_BREAKS = 3  # of a loop: each part of it is code of its own

# ---- register tiling of elementwise loops ------------------------------------------------------

TILE_CHUNK_BYTES = 24_000  # of all arrays of a loop that a chunk works on: three quarters of L1
CHECK_EVERY = 4  # iterations between tests whether a tile still changes; a power of two
MOST_VECTORS = 8  # vectors of one value in a tile, which hide the latency of instructions
TEMPORARY_REGISTERS = 4  # vector registers kept for what lives within an iteration
FEW_SCALARS = 3  # scalar operations that each tile may repeat; formulas of a short iteration

# ---- loop distribution -------------------------------------------------------------------------

WORTH_DISTRIBUTING = 0.1  # of the cycles of a loop that have to be saved
DISTRIBUTED_BYTES = 12_000  # of all arrays of a block
SHORTEST_DISTRIBUTED = 512  # elements: for fewer, loops end before they have gained anything

# ---- reductions --------------------------------------------------------------------------------

SUM_BLOCK = 2048  # elements of a partial sum, for accuracy
COLUMN_TILE = 2048  # columns whose accumulators stay in L1
SHORTEST_COLUMNS = 8  # columns: a loop over fewer gains nothing from reading in memory order
SHORTEST_PARTIAL = 64  # elements of a float32 partial sum: fewer are less than a few vectors
WORTH_SHARING_ROWS = 1 << 15  # elements of the largest nest of a row group: smaller ones fit in L2
MOST_ROW_STEPS = 256  # of a row group, so that planning takes no longer than linear time
MOST_CHOICES = 64  # operands that are joined in a loop: NumPy copies more of them faster
SHORTEST_ROW = 64  # elements: over shorter rows a loop cannot use vectors well

# ---- products of matrices ----------------------------------------------------------------------

SMALL_PRODUCT = 256  # multiplications: up to here loops do without a call of BLAS
# Multiplications up to which OpenBLAS stays on one thread, and the least sides of such a block. Its
# threads would wait for more work for milliseconds, on cores that threads of ours need.
LIBRARY_ALONE, LIBRARY_SIDE = 1 << 18, 64
HALVED_FROM = 64  # rows of the product of a matrix and its transpose: one half of more is computed
ROWS_OF_SUM = 32  # rows of a matrix: sums of fewer take long to add up
FEW_COLUMNS = 8  # columns of a small product whose sums all stay in registers
# Multiplications from which a product is tiled: packed, or in place. BLAS has more tile sizes,
# which fit smaller products better, and stays on one thread there.
TILED_FROM, IN_PLACE_FROM = 1 << 18, 1 << 15
MOST_WASTE = 1.25  # times the work, in tiles that are not full and in packing
LEAST_SIDES = 72, 64  # rows and columns of a block: for smaller ones packing takes too large a part
BLOCK_COST = 60_000  # nanoseconds of a block, when it is made smaller for threads
BLOCKS_A_CORE = 4
# With many registers, tiles have many rows. They stay in the first-level cache while the panels of
# the right matrix pass by. With few, a panel stays there while the rows pass by: it is shorter.
MANY_REGISTERS = 32  # for vectors: the constants of a formula fit in them, too
BLOCKS = ProductBlocks(528, 256, {4: 512, 8: 256}, 0, 256, 64, 1 << 22, 0, True)
BLOCKS_OF_FEW_REGISTERS = ProductBlocks(528, 1024, {4: 256, 8: 256}, 96, 128, 0, 1 << 20, 32, False)
MATRIX_BLOCK = 1 << 14  # bytes of a result in L1 while rows of a matrix are added to it
SMALL_SYSTEM = 16  # equations: up to here loops do without the checks of a call of LAPACK
SHARED_MATRIX = 1_000_000  # nanoseconds: from here on the threads of the library share a matrix

# ---- convolution -------------------------------------------------------------------------------

WINDOW_BLOCK = 12 << 20  # bytes of windows that are copied at once: part of L3
LONG_LINE = 12  # windows: gradients of filters add up that many before they write
MOST_EMPTY = 1.5  # times the work, in tiles of windows that are not full

# ---- sorts -------------------------------------------------------------------------------------

PARALLEL_SORT_FROM = 1 << 16  # elements of one row that threads sort together
SORT_CHUNK, MOST_SORT_CHUNKS = 1 << 16, 64  # elements, and chunks of a row
DIGITS_FROM = 1024  # elements of a row that NumPy sorts by digits: shorter ones use comparisons

# ---- loops of the graph ------------------------------------------------------------------------

REROLLED_FROM, FEWEST_REROLLED = 64, 8  # nodes, and iterations, of a straight line that is a loop
LEAST_SUMMED = 4  # iterations, of a loop after which one product adds up those of all iterations
MOST_PRODUCT_ROWS = 256  # of a factor in an iteration: larger products gain nothing from others
MOST_PRODUCT_BYTES = 1 << 26  # that are kept of the products, or factors, of all iterations
MOST_SAVED_BYTES = 1 << 25  # of an array of what all iterations save, which is filled first
MOST_REPEATED = 4096  # slices of known counts that are gathered by their places
SMALL_SLICE = 4096  # elements of a slice that is taken before a loop
SMALL_MATRIX = 256  # elements: a product with a smaller one is written as loops, and stays inside

# ---- kernels and their memory ------------------------------------------------------------------

FEW_DRAWS = 32  # random numbers whose blocks of bits are computed one by one
LOGGED_FROM = 1 << 16  # bytes of an array that has an undo log: a copy of fewer takes no longer
LOG_BLOCK = 1 << 6  # elements that are saved together; a power of two
KEEPS_GIL_TO = 1024  # elements that a kernel computes in a few microseconds
WORTH_COMPILING = 1024  # elements of a loop nest outside loops
SHARED_FROM = 3  # traces of a function, whose kernels may take numbers at run time
# Statements of a kernel some of which are calls of one function, and that are compiled less then.
CALLS_FROM, SAVED_BY_CALLS = 500, 24
WHOLE_LIMIT = 256  # nodes of one kernel: LLVM's time grows faster than the source
HANDED_OVER_FROM = 1 << 16  # bytes of a result of unknown size: fewer are copied
POOLED_FROM = 1 << 20  # bytes: to write less takes no longer than to find it
ON_STACK = 1 << 12  # bytes of an array in the frame of a function; larger ones are allocated

# ---- the NumPy program -------------------------------------------------------------------------

NEST_LIMIT = 64  # nodes of a nest: longer straight lines compile slowly
REUSE_FROM = 4096  # elements: smaller buffers are cheaper to allocate than to keep track of
ROWS_FROM = 1 << 20  # bytes of an array that is done by blocks of rows: others stay in the cache
ROWS_BLOCK, LONGEST_ROW = 1 << 18, 1 << 20  # bytes of a block, and of a row at most

MEASURED = {name: value for name, value in globals().items() if name.isupper()}


def changed() -> tuple:
    """The thresholds that are not the measured ones, which machine code in a cache depends on."""
    now = globals()
    return tuple((name, now[name]) for name, value in MEASURED.items() if now[name] != value)
