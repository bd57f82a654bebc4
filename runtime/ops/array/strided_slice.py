"""Slices given by vectors: begin and size, or begin, end and step, for each axis."""

from __future__ import annotations

import numpy as np

from ...core.dtypes import ANY, SIGNED
from ...core.errors import OutOfBoundsError, ShapeError
from ...core.public_names import public
from ...core.shapes import show
from ...ir.constant_values import constant_dimensions, full_constant
from ...ir.op import Spec
from ...tensors.apply import convert_to_tensor, object_array
from ...tensors.operation import op, ops
from ..gradient_helpers import zero_of
from .shape_ops import as_constant


@op
class Slice:
    """`size[i]` elements from `begin[i]` on, along each axis i."""

    accepts = {"input": ANY, "begin": SIGNED, "size": SIGNED}
    hidden = True

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


@public("slice")
def slice_(input_, begin, size, name=None):
    """`size[i]` elements from `begin[i]` on, along each axis i; -1 takes the rest of the axis.

    `begin` and `size` are integer vectors with an element for each axis. The static shape is known
    if `size` is constant, even if `begin` is computed.

    >>> ag.slice([1, 2, 3, 4], [1], [2]).numpy()
    array([2, 3], dtype=int32)

    Raises OutOfBoundsError if a slice exceeds its axis, ShapeError for vectors of another length.
    """
    return Slice(input_, begin, size, name=name)


@public("strided_slice")
def strided_slice(
    input_, begin, end, strides=None, begin_mask=0, end_mask=0, ellipsis_mask=0, new_axis_mask=0,
    shrink_axis_mask=0, var=None, name=None,
):  # fmt: skip
    """`input_[begin[0]:end[0]:strides[0], ...]`.

    Bit i of a mask changes entry i: `begin_mask` and `end_mask` ignore `begin[i]` and `end[i]`,
    `ellipsis_mask` makes it an Ellipsis, `new_axis_mask` a new axis, and `shrink_axis_mask` the
    index `begin[i]`.

    >>> ag.strided_slice([1, 2, 3, 4], [0], [4], [2]).numpy()
    array([1, 3], dtype=int32)

    Raises ShapeError unless the length of `begin` is known.
    """
    begin = convert_to_tensor(begin)
    end = convert_to_tensor(end, dtype_hint=begin.dtype)
    key = []
    for index in range(_length(begin)):
        bit = 1 << index
        if bit & ellipsis_mask:
            key.append(Ellipsis)
        elif bit & new_axis_mask:
            key.append(None)
        elif bit & shrink_axis_mask:
            key.append(begin[index])
        else:
            start = None if bit & begin_mask else begin[index]
            stop = None if bit & end_mask else end[index]
            key.append(slice(start, stop, None if strides is None else strides[index]))
    return convert_to_tensor(input_)[tuple(key)]


def _length(vector) -> int:
    if not vector.dims or vector.dims[0] is None:
        raise ShapeError(
            f"strided_slice: the number of begins, of shape {show(vector.dims)}, is not known"
        )
    return vector.dims[0]
