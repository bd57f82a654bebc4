"""What datasets read of Dask arrays: blocks of rows."""

from __future__ import annotations

import math

from ....extend.errors import ShapeError


def in_blocks_of_rows(arrays: list) -> tuple:
    """The arrays, cut along the first axis alone, all at the rows where the first one is cut."""
    for array in arrays:
        if not hasattr(array, "chunks") or not hasattr(array, "blocks"):
            raise TypeError(
                f"from_dask takes Dask arrays, not {type(array).__name__}: for arrays in memory, "
                "use Dataset.from_tensor_slices"
            )
        if not array.ndim:
            raise ShapeError("from_dask: an array without axes has no rows")
    lengths = {array.shape[0] for array in arrays}
    if len(lengths) > 1:
        raise ShapeError(
            f"from_dask: the arrays have {', '.join(map(str, lengths))} rows",
            "Where Dask does not know the number (nan), call array.compute_chunk_sizes() first.",
        )
    rows = arrays[0].chunks[0]
    return tuple(_cut(array, rows) for array in arrays)


def _cut(array, rows: tuple):
    others = {axis: -1 for axis in range(1, array.ndim) if len(array.chunks[axis]) > 1}
    cut = others if array.chunks[0] == rows or math.isnan(sum(rows)) else {0: rows, **others}
    return array.rechunk(cut) if cut else array


def row_shape(array) -> list[int | None]:
    """The shape of a row; None for sizes that Dask does not know."""
    return [None if size != size else int(size) for size in array.shape[1:]]
