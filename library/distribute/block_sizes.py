"""The sizes of the blocks of a result, by the shape rules of a trace."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ... import Tensor
from ...extend.errors import InvalidArgumentError


def result_chunks(
    name: str, shape_of: Callable[[list[tuple]], tuple], arguments: Sequence
) -> tuple[tuple[float, ...], ...]:
    """The chunks of the only result of a function for these arguments, Dask arrays among them;
    `shape_of` gives the shape of the result for blocks of given shapes.

    The arrays are aligned at their last axes. Sizes that depend on the content of the blocks are
    NaN, as in Dask. Raises InvalidArgumentError where the blocks would not fit together.
    """
    inputs = [one for one in arguments if is_dask(one) or isinstance(one, (np.ndarray, Tensor))]
    arrays = [one for one in inputs if is_dask(one)]
    rank = max(array.ndim for array in arrays)
    groups = [_groups(axis, arrays) for axis in range(-rank, 0)]
    found: list[dict[Any, int | None]] = [{} for _ in groups]
    for sizes in itertools.product(*(dict.fromkeys(one) for one in groups)):
        shapes = [
            tuple(size[at] for size in sizes[rank - array.ndim :])
            for at, array in enumerate(arrays)
        ]
        blocks = iter(shapes)
        all_shapes = [next(blocks) if is_dask(one) else tuple(one.shape) for one in inputs]
        for axis, size in enumerate(shape_of(all_shapes)):
            first = found[axis].setdefault(sizes[axis], size)
            if first != size:
                raise InvalidArgumentError(
                    f"blocks of the result of '{name}' do not fit together: along axis "
                    f"{axis} some have the size {first} and others {size}",
                    f"Cut the arguments into blocks of one size, or into fewer along axis {axis}.",
                )
    return tuple(
        tuple(math.nan if (size := table[one]) is None else size for one in group)
        for table, group in zip(found, groups, strict=True)
    )


def is_dask(argument) -> bool:
    return getattr(argument, "chunks", None) is not None


def _groups(axis: int, arrays: Sequence) -> list[tuple]:
    """For each block along an axis the sizes that it has in the arrays, None where unknown."""
    count = max(array.numblocks[axis] for array in arrays if array.ndim >= -axis)

    def size(array, at: int):
        if array.ndim < -axis:
            return None
        chunks = array.chunks[axis]
        found = chunks[at if len(chunks) > 1 else 0]
        return None if math.isnan(found) else int(found)

    return [tuple(size(array, at) for array in arrays) for at in range(count)]
