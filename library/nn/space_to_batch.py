"""Blocks of space moved into the batch axis and back, and convolutions with gaps."""

from __future__ import annotations

import numpy as np

from ... import (
    cast,
    concat,
    convert_to_tensor,
    get_static_value,
    int32,
    pad,
    reshape,
    shape,
    stack,
    transpose,
)
from ...extend.errors import ShapeError
from ...extend.registration import public
from ...extend.specs import show
from .convolutions import conv2d, conv_transpose


def _blocks(block_shape) -> list[int]:
    """The sizes of blocks. Raises ValueError if they are unknown while tracing."""
    known = get_static_value(convert_to_tensor(block_shape))
    if known is None or np.min(known, initial=1) < 1:
        raise ValueError(f"block_shape is a vector of known positive sizes, not {block_shape}")
    return [int(one) for one in known]


@public("space_to_batch", "space_to_batch_nd", "nn.space_to_batch")
def space_to_batch(input, block_shape, paddings, name=None):
    """Moves blocks of space into the batch: [n, h, w, c] to [n * b0 * b1, h / b0, w / b1, c].

    `paddings` are the zeros before and after each axis of space, a row for each.

    >>> ag.space_to_batch(ag.reshape(ag.range(4), [1, 2, 2]), [2, 2], [[0, 0], [0, 0]]).shape
    TensorShape([4, 1, 1])

    Raises ShapeError if the padded sizes are no multiples of the blocks.
    """
    x, blocks = convert_to_tensor(input), _blocks(block_shape)
    count = len(blocks)
    margins = cast(convert_to_tensor(paddings), int32)
    around = concat([[[0, 0]], margins, np.zeros([x.ndim - 1 - count, 2], np.int32)], 0)
    x = pad(x, around)
    for size, block in zip(x.dims[1:], blocks, strict=False):
        if size is not None and size % block:
            raise ShapeError(
                f"space_to_batch: padded sizes {show(x.dims[1 : 1 + count])} are no multiples of "
                f"the blocks {blocks}"
            )
    sizes, split = shape(x), []
    for axis, block in enumerate(blocks, 1):
        split += [sizes[axis] // block, block]
    x = reshape(x, concat([sizes[:1], stack(split), sizes[1 + count :]], 0))
    inner = range(2, 2 + 2 * count, 2)
    order = [*inner, 0, *(axis - 1 for axis in inner), *range(1 + 2 * count, x.ndim)]
    moved = transpose(x, order)
    batch = sizes[:1] * int(np.prod(blocks))
    return reshape(moved, concat([batch, shape(moved)[1 + count :]], 0))


@public("batch_to_space")
def batch_to_space(input, block_shape, crops, name=None):
    """Moves the batch back into blocks of space, and cuts the `crops` off; see `space_to_batch`.

    >>> ag.batch_to_space(ag.reshape(ag.range(4), [4, 1, 1]), [2, 2], [[0, 0], [0, 1]]).numpy()[0]
    array([[0],
           [2]], dtype=int32)
    """
    x, blocks = convert_to_tensor(input), _blocks(block_shape)
    count, sizes = len(blocks), shape(x)
    batch = sizes[:1] // int(np.prod(blocks))
    x = reshape(x, concat([np.array(blocks, np.int32), batch, sizes[1:]], 0))
    order = [count]
    for axis in range(count):
        order += [count + 1 + axis, axis]
    x = transpose(x, [*order, *range(1 + 2 * count, x.ndim)])
    grown = [sizes[1 + axis] * block for axis, block in enumerate(blocks)]
    x = reshape(x, concat([batch, stack(grown), sizes[1 + count :]], 0))
    cuts = cast(convert_to_tensor(crops), int32)
    window = [slice(cuts[axis, 0], grown[axis] - cuts[axis, 1]) for axis in range(count)]
    return x[(slice(None), *window)]


@public("required_space_to_batch_paddings")
def required_space_to_batch_paddings(input_shape, block_shape, base_paddings=None, name=None):
    """The paddings that make sizes multiples of blocks, and the crops that undo what they add.

    >>> paddings, crops = ag.required_space_to_batch_paddings([10, 3], [4, 2])
    >>> paddings.numpy().tolist(), crops.numpy().tolist()
    ([[0, 2], [0, 1]], [[0, 2], [0, 1]])
    """
    sizes, blocks = (cast(convert_to_tensor(one), int32) for one in (input_shape, block_shape))
    before = after = sizes * 0
    if base_paddings is not None:
        base = cast(convert_to_tensor(base_paddings), int32)
        before, after = base[:, 0], base[:, 1]
    more = -(sizes + before + after) % blocks
    return stack([before, after + more], 1), stack([more * 0, more], 1)


@public("nn.with_space_to_batch")
def with_space_to_batch(
    input, dilation_rate, padding, op, filter_shape=None, spatial_dims=None, data_format=None
):
    """`op` on the blocks of space that are `dilation_rate` apart, as if its windows had gaps.

    `op(input, num_spatial_dims, padding)` is called with the padding "VALID", or with `padding`
    where all rates are 1. "SAME" needs `filter_shape`.

    >>> smooth = lambda x, num_spatial_dims, padding: ag.nn.avg_pool(x, 2, 1, padding)
    >>> x = ag.reshape(ag.range(5.0), [1, 5, 1])
    >>> ag.nn.with_space_to_batch(x, [2], "VALID", smooth).numpy().ravel()
    array([1., 2., 3.], dtype=float32)
    """
    if (data_format is not None and data_format.startswith("NC")) or spatial_dims is not None:
        raise ValueError("with_space_to_batch: the axes of space are those after the first")
    x, rates = convert_to_tensor(input), _blocks(dilation_rate)
    if set(rates) == {1}:
        return op(x, num_spatial_dims=len(rates), padding=padding)
    base = [[0, 0]] * len(rates)
    if padding == "SAME":
        if filter_shape is None:
            raise ValueError("with_space_to_batch: padding='SAME' needs filter_shape")
        gaps = [(int(n) - 1) * rate for n, rate in zip(filter_shape, rates, strict=False)]
        base = [[one // 2, one - one // 2] for one in gaps]
    sizes = shape(x)[1 : 1 + len(rates)]
    paddings, crops = required_space_to_batch_paddings(sizes, rates, base)
    made = op(space_to_batch(x, rates, paddings), num_spatial_dims=len(rates), padding="VALID")
    return batch_to_space(made, rates, crops)


@public("nn.atrous_conv2d")
def atrous_conv2d(value, filters, rate, padding, name=None):
    """A convolution of images with filters whose elements are `rate` pixels apart.

    >>> x, w = ag.ones([1, 5, 5, 1]), ag.ones([2, 2, 1, 1])
    >>> ag.nn.atrous_conv2d(x, w, 2, "VALID").shape
    TensorShape([1, 3, 3, 1])
    """
    return conv2d(value, filters, 1, padding, dilations=rate)


@public("nn.atrous_conv2d_transpose")
def atrous_conv2d_transpose(value, filters, output_shape, rate, padding, name=None):
    """The transposed convolution of `nn.atrous_conv2d`; see `nn.conv_transpose`.

    >>> x, w = ag.ones([1, 3, 3, 1]), ag.ones([2, 2, 1, 1])
    >>> ag.nn.atrous_conv2d_transpose(x, w, [1, 5, 5, 1], 2, "VALID").shape
    TensorShape([1, 5, 5, 1])
    """
    return conv_transpose(value, filters, output_shape, 1, padding, dilations=rate)
