"""Arrays of a few elements on the paths of large ones: other thresholds, and other threads."""

import contextlib
import math
import random

import allograph as ag
from allograph.runtime.core import thresholds

# Arrays of a few elements go the ways of large ones. Shares and wastes are such that all pays.
SMALLEST = dict.fromkeys(
    (
        "CHUNK_COST", "PARALLEL_FROM", "ENOUGH_CHUNKS", "CHUNK_ALIGNMENT", "HIDDEN_TRIP_COUNT_FROM",
        "FEW_ELEMENTS", "ENOUGH_ROWS", "ROWS_OF_PRODUCTS", "TILE_CHUNK_BYTES", "CHECK_EVERY",
        "DISTRIBUTED_BYTES", "SHORTEST_DISTRIBUTED", "SUM_BLOCK", "COLUMN_TILE", "SHORTEST_COLUMNS",
        "SHORTEST_PARTIAL", "WORTH_SHARING_ROWS", "SHORTEST_ROW", "SMALL_PRODUCT", "LIBRARY_ALONE",
        "LIBRARY_SIDE", "HALVED_FROM", "ROWS_OF_SUM", "TILED_FROM", "IN_PLACE_FROM", "BLOCK_COST",
        "SMALL_SYSTEM", "SHARED_MATRIX", "WINDOW_BLOCK", "LONG_LINE", "PARALLEL_SORT_FROM",
        "SORT_CHUNK", "DIGITS_FROM", "REROLLED_FROM", "LEAST_SUMMED", "SMALL_SLICE", "SMALL_MATRIX",
        "LOGGED_FROM", "LOG_BLOCK", "KEEPS_GIL_TO", "WORTH_COMPILING", "SHARED_FROM", "POOLED_FROM",
        "REUSE_FROM", "ON_STACK", "ROWS_FROM", "ROWS_BLOCK", "FEW_DRAWS", "HANDED_OVER_FROM",
        "CALLS_FROM", "SAVED_BY_CALLS",
    ),
    1,
) | {
    "LEAST_CORES": 4, "MOST_COPYING": math.inf, "WORTH_DISTRIBUTING": -math.inf,
    "MOST_WASTE": math.inf, "MOST_EMPTY": math.inf, "LEAST_SIDES": (1, 1),
    "FEWEST_REROLLED": 3,  # one that reads other values, and two that are a loop
    "BLOCKS": thresholds.BLOCKS._replace(rows=8, columns=16, depth={4: 3, 8: 2}),
    "BLOCKS_OF_FEW_REGISTERS": thresholds.BLOCKS_OF_FEW_REGISTERS._replace(
        rows=8, columns=16, depth={4: 3, 8: 2}, few_columns=0, small=1
    ),
}  # fmt: skip
# Limits of what is done at once: at these, small programs are divided, or stay as they are. More
# choices than MOST_CHOICES have no native form, so the small programs have as many as they need.
FEWEST = {
    "MOST_CHUNKS": 3, "MOST_BATCH_CHUNKS": 2, "MOST_SORT_CHUNKS": 2, "MOST_BREAKS": 0,
    "MOST_VECTORS": 2, "FEW_SCALARS": 1, "MOST_ROW_STEPS": 2, "MOST_CHOICES": 8, "FEW_COLUMNS": 1,
    "MOST_PRODUCT_ROWS": 1, "MOST_PRODUCT_BYTES": 1, "MOST_SAVED_BYTES": 1, "WHOLE_LIMIT": 1,
    "NEST_LIMIT": 1, "LONGEST_ROW": 1, "MOST_REPEATED": 1,
}  # fmt: skip


def chosen(kind: str, seed: int) -> dict:
    """The thresholds of a program: those measured, the smallest, or some of all others."""
    if kind != "mixed":
        return SMALLEST if kind == "1" else {}
    draw, others = random.Random(seed), SMALLEST | FEWEST
    return {name: value for name, value in others.items() if draw.random() < 0.5}


@contextlib.contextmanager
def set_to(values: dict):
    """What is compiled inside has these thresholds."""
    before = {name: getattr(thresholds, name) for name in values}
    vars(thresholds).update(values)
    try:
        yield
    finally:
        vars(thresholds).update(before)


@contextlib.contextmanager
def large_paths(kind: str = "1", threads: int = 0, seed: int = 0):
    """What is compiled inside has other thresholds, and is shared by so many threads."""
    set_threads = ag.config.threading.set_intra_op_parallelism_threads
    before = ag.config.threading.get_intra_op_parallelism_threads()
    set_threads(threads)
    try:
        with set_to(chosen(kind, seed)):
            yield
    finally:
        set_threads(before)
