"""Slices given by vectors: begin and size for each axis."""

from __future__ import annotations

import numpy as np

from ...core.dtypes import ANY, SIGNED
from ...core.errors import OutOfBoundsError, ShapeError
from ...core.shapes import show
from ...ir.constant_values import constant_dimensions, full_constant
from ...ir.op import Spec
from ...tensors.apply import object_array
from ...tensors.operation import hidden_op, ops
from ..gradient_helpers import zero_of
from .shape_ops import as_constant


@hidden_op
class Slice:
    """`size[i]` elements from `begin[i]` on, along each axis i."""

    accepts = {"input": ANY, "begin": SIGNED, "size": SIGNED}

    def kernel(input, begin, size):
        windows = list(zip(begin.tolist(), size.tolist(), input.shape, strict=True))
        _check_windows(windows, input.shape)
        result = np.asarray(input)[
            tuple(
                slice(start, total if count == -1 else start + count)
                for start, count, total in windows
            )
        ]
        return result if hasattr(result, "dtype") else object_array(result)

    def result(input, begin, size):
        counts, starts = constant_dimensions(size), constant_dimensions(begin)
        if input.shape is None or counts is None or starts is None:
            rank = next(
                (len(dims) for dims in (input.shape, counts, starts) if dims is not None), None
            )
            return Spec(input.dtype, None if rank is None else (None,) * rank)
        if not len(input.shape) == len(counts) == len(starts):
            raise ShapeError(
                f"slice: {len(starts)} starts and {len(counts)} sizes for shape {show(input.shape)}"
            )
        windows = list(zip(starts, counts, input.shape, strict=True))
        _check_windows(windows, input.shape)
        return Spec(input.dtype, tuple(
            (None if None in (start, total) else total - start) if count == -1 else count
            for start, count, total in windows
        ))  # fmt: skip

    def partial(input, begin, size):
        if input.constant is None or full_constant(begin) is None or full_constant(size) is None:
            return None
        return as_constant(Slice.kernel(input.constant, begin.constant, size.constant), input.dtype)

    def element(ix, input, begin, size, *, out):
        positions = []
        for axis, index in enumerate(ix):
            if begin.constant is not None:
                start = int(begin.constant[axis])
                positions.append(start + index if start else index)
            else:
                positions.append(input.checked(axis, begin.at(axis) + index))
        return input.at(*positions)

    def gradient(dy, y, input, begin, size):
        after = ops.shape(input) - begin - ops.shape(y)
        paddings = ops.stack(begin, after, axis=1)
        return ops.pad(dy, paddings, zero_of(dy), mode="CONSTANT"), None, None


def _check_windows(windows, shape) -> None:
    """Raise OutOfBoundsError for a window that exceeds its axis."""
    for axis, (start, count, total) in enumerate(windows):
        low = 0 if start is None else start
        high = low if count in (None, -1) else low + count
        if low < 0 or high < low or (total is not None and high > total):
            many = "the rest" if count == -1 else f"{count} elements"
            where = f"axis {axis} with size {total} (the shape is {show(shape)})"
            raise OutOfBoundsError(f"slice: {many} from {start} on leave {where}")
