"""Slices given as vectors: a begin and a size, or a begin, an end and a step, for each axis."""

from __future__ import annotations

import numpy as np

from ...core.dtypes import ANY, SIGNED
from ...core.errors import OutOfBoundsError, ShapeError
from ...core.public_names import public
from ...core.shapes import show
from ...ir.constant_values import fully_known, known_dimensions
from ...ir.op import Spec
from ...tensors.apply import as_text, convert_to_tensor
from ...tensors.operation import op, ops
from ..gradient_helpers import zero_of
from .shape_ops import settled


@op
class Slice:
    """`size[i]` elements from `begin[i]` on along each axis."""

    accepts = {"input": ANY, "begin": SIGNED, "size": SIGNED}
    hidden = True

    def kernel(input, begin, size):
        rows = list(zip(begin.tolist(), size.tolist(), input.shape, strict=True))
        _check_windows(rows, input.shape)
        made = np.asarray(input)[
            tuple(
                slice(start, total if count == -1 else start + count)
                for start, count, total in rows
            )
        ]
        return made if hasattr(made, "dtype") else as_text(made)

    def result(input, begin, size):
        counts, starts = known_dimensions(size), known_dimensions(begin)
        if input.shape is None or counts is None or starts is None:
            rank = next(
                (len(one) for one in (input.shape, counts, starts) if one is not None), None
            )
            return Spec(input.dtype, None if rank is None else (None,) * rank)
        if not len(input.shape) == len(counts) == len(starts):
            raise ShapeError(
                f"slice: {len(starts)} starts and {len(counts)} sizes for shape {show(input.shape)}"
            )
        rows = list(zip(starts, counts, input.shape, strict=True))
        _check_windows(rows, input.shape)
        return Spec(input.dtype, tuple(
            (None if None in (start, total) else total - start) if count == -1 else count
            for start, count, total in rows
        ))  # fmt: skip

    def partial(input, begin, size):
        if input.known is None or fully_known(begin) is None or fully_known(size) is None:
            return None
        return settled(Slice.kernel(input.known, begin.known, size.known), input.dtype)

    def element(ix, input, begin, size, *, out):
        places = []
        for axis, index in enumerate(ix):
            if begin.known is not None:
                start = int(begin.known[axis])
                places.append(f"({start} + {index})" if start else index)
            else:
                places.append(input.checked(axis, f"{begin.at(str(axis))} + {index}"))
        return input.at(*places)

    def gradient(dy, y, input, begin, size):
        after = ops.shape(input) - begin - ops.shape(y)
        paddings = ops.stack(begin, after, axis=1)
        return ops.pad(dy, paddings, zero_of(dy), mode="CONSTANT"), None, None


def _check_windows(rows, shape) -> None:
    """OutOfBoundsError for a window, start and size, that leaves its axis."""
    for axis, (start, count, total) in enumerate(rows):
        low = 0 if start is None else start
        high = low if count in (None, -1) else low + count
        if low < 0 or high < low or (total is not None and high > total):
            many = "the rest" if count == -1 else f"{count} elements"
            where = f"axis {axis} with size {total} (the shape is {show(shape)})"
            raise OutOfBoundsError(f"slice: {many} from {start} on leave {where}")


@public("slice")
def slice_(input_, begin, size, name=None):
    """`size[i]` elements from `begin[i]` on along each axis; -1 means all that is left.

    The shape is known where `size` is, even if `begin` is computed.

    >>> slice_([1, 2, 3, 4], [1], [2]).numpy()
    array([2, 3], dtype=int32)

    Raises OutOfBoundsError where it leaves an axis.
    """
    return Slice(input_, begin, size, name=name)


@public("strided_slice")
def strided_slice(
    input_, begin, end, strides=None, begin_mask=0, end_mask=0, ellipsis_mask=0, new_axis_mask=0,
    shrink_axis_mask=0, var=None, name=None,
):  # fmt: skip
    """`input_[begin[0]:end[0]:strides[0], ...]`.

    Bit i of a mask makes entry i special: without a begin, without an end, an Ellipsis, a new
    axis, or a plain index at `begin[i]`.

    >>> strided_slice([1, 2, 3, 4], [0], [4], [2]).numpy()
    array([1, 3], dtype=int32)
    """
    begin = convert_to_tensor(begin)
    end = convert_to_tensor(end, dtype_hint=begin.dtype)
    key = []
    for place in range(_length(begin)):
        bit = 1 << place
        if bit & ellipsis_mask:
            key.append(Ellipsis)
        elif bit & new_axis_mask:
            key.append(None)
        elif bit & shrink_axis_mask:
            key.append(begin[place])
        else:
            start = None if bit & begin_mask else begin[place]
            stop = None if bit & end_mask else end[place]
            key.append(slice(start, stop, None if strides is None else strides[place]))
    return convert_to_tensor(input_)[tuple(key)]


def _length(vector) -> int:
    if not vector.dims or vector.dims[0] is None:
        raise ShapeError(
            f"strided_slice: the number of begins, of shape {show(vector.dims)}, is not known"
        )
    return vector.dims[0]
