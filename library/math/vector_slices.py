"""Slices given by vectors: begin and size, or begin, end and step, for each axis."""

from __future__ import annotations

from ... import convert_to_tensor
from ...extend.errors import ShapeError
from ...extend.operations import ops
from ...extend.registration import public
from ...extend.specs import show


@public("slice")
def slice_(input_, begin, size, name=None):
    """`size[i]` elements from `begin[i]` on, along each axis i; -1 takes the rest of the axis.

    `begin` and `size` are integer vectors with an element for each axis. The static shape is known
    if `size` is constant, even if `begin` is computed.

    >>> ag.slice([1, 2, 3, 4], [1], [2]).numpy()
    array([2, 3], dtype=int32)

    Raises OutOfBoundsError if a slice exceeds its axis, ShapeError for vectors of another length.
    """
    return ops.slice(input_, begin, size, name=name)


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
