"""Rows of different lengths in one array: masks of them, their order, their distribution."""

from __future__ import annotations

from .. import (
    as_dtype,
    boolean_mask,
    cast,
    convert_to_tensor,
    expand_dims,
    gather,
    int32,
    reduce_max,
    transpose,
)
from .. import bool as bool_
from .. import range as range_
from ..extend.operations import ops
from ..extend.registration import public


@public("dynamic_partition")
def dynamic_partition(data, partitions, num_partitions, name=None):
    """The slices of `data` distributed to a list of `num_partitions` tensors.

    `partitions` holds the number of the tensor for each slice; its shape is a prefix of that of
    `data`. The order of the slices is kept.

    >>> [slices.numpy().tolist() for slices in ag.dynamic_partition([5, 6, 7], [1, 0, 1], 2)]
    [[6], [5, 7]]
    """
    data, partitions = convert_to_tensor(data), convert_to_tensor(partitions)
    return [boolean_mask(data, partitions == position) for position in range(num_partitions)]


@public("sequence_mask")
def sequence_mask(lengths, maxlen=None, dtype=bool_, name=None):
    """For each length that many True, then False up to `maxlen`, along a new last axis.

    `maxlen` defaults to the largest length. The mask is converted to `dtype`.

    >>> ag.sequence_mask([1, 2]).numpy().tolist()
    [[True, False], [True, True]]
    """
    lengths = convert_to_tensor(lengths)
    maxlen = reduce_max(lengths) if maxlen is None else maxlen
    return cast(range_(maxlen, dtype=lengths.dtype) < expand_dims(lengths, -1), as_dtype(dtype))


@public("reverse_sequence")
def reverse_sequence(input, seq_lengths, seq_axis=None, batch_axis=0, name=None):
    """The first `seq_lengths[i]` entries along `seq_axis` reversed, for each i along `batch_axis`.

    >>> ag.reverse_sequence([[1, 2, 3], [4, 5, 6]], [2, 3], seq_axis=1).numpy()
    array([[2, 1, 3],
           [6, 5, 4]], dtype=int32)

    Raises ValueError without a `seq_axis`, or if it is the `batch_axis`.
    """
    x = convert_to_tensor(input)
    if seq_axis is None or x.dims is None:
        raise ValueError("reverse_sequence: seq_axis and the rank of the input have to be known")
    rank = len(x.dims)
    batch, axis = batch_axis % rank, seq_axis % rank
    if batch == axis:
        raise ValueError(f"reverse_sequence: axis {axis} is both batch_axis and seq_axis")
    order = [batch, axis, *(number for number in range(rank) if number not in (batch, axis))]
    rows = transpose(x, order)
    lengths = ops.cast(convert_to_tensor(seq_lengths), dtype=int32)[:, None]
    steps = range_(ops.shape(rows)[1])[None]
    from_end = ops.maximum(lengths - 1 - steps, 0)
    indices = ops.cast(steps < lengths, dtype=int32) * (from_end - steps) + steps
    rows = gather(rows, indices, batch_dims=1)
    return transpose(rows, [order.index(number) for number in range(rank)])
