"""The public functions of convolution and pooling, for all layouts of axes."""

from __future__ import annotations

from ... import cast, convert_to_tensor, reduce_prod, reshape, shape, transpose
from ...extend.errors import ShapeError
from ...extend.operations import apply
from ...extend.registration import public
from ...extend.specs import show
from ..convolution.convolution import Convolution, ConvolutionInput
from ..convolution.pooling import AvgPool, MaxPool, MaxPoolPlaces


def per_axis(value, rank: int, name: str, channels_first: bool = False) -> tuple[int, ...]:
    """A number for each spatial axis, from one number, `rank` numbers, or one for every axis."""
    values = [int(one) for one in (value if isinstance(value, (list, tuple)) else [value])]
    if len(values) == rank + 2:
        batch_and_channels = (values[0], values[1]) if channels_first else (values[0], values[-1])
        if batch_and_channels != (1, 1):
            raise ValueError(f"{name} {values}: windows do not move along batches or channels")
        values = values[2:] if channels_first else values[1:-1]
    if len(values) == 1:
        values *= rank
    if len(values) != rank or min(values, default=1) < 1:
        raise ValueError(f"{name} is a positive number, or {rank} of them, not {value}")
    return tuple(values)


def padding_of(value, rank: int, channels_first: bool):
    """ "SAME", "VALID", or a pair (before, after) for each spatial axis."""
    if isinstance(value, str):
        if value.upper() not in ("SAME", "VALID"):
            raise ValueError(f"padding is 'SAME', 'VALID' or a list of pairs, not {value!r}")
        return value.upper()
    pairs = [tuple(int(one) for one in pair) for pair in value]
    if len(pairs) == rank + 2:
        pairs = pairs[2:] if channels_first else pairs[1:-1]
    if len(pairs) != rank:
        raise ValueError(f"padding is a pair for each of {rank} axes, not {value}")
    return tuple(pairs)


def _channels_first(data_format: str | None) -> bool:
    return data_format is not None and data_format.startswith("NC")


def _channels_last(x, channels_first: bool):
    """`x` with its channels as the last axis."""
    return transpose(x, [0, *range(2, x.ndim), 1]) if channels_first else x


def _restore_layout(x, channels_first: bool):
    """`x` with its channels moved back to the position of the caller's layout."""
    return transpose(x, [0, x.ndim - 1, *range(1, x.ndim - 1)]) if channels_first else x


def _rank_of_space(x, caller: str) -> int:
    if x.dims is None or len(x.dims) < 3:
        raise ShapeError(
            f"{caller}: an array of shape {show(x.dims)}; it is [batch, *space, channels]"
        )
    return len(x.dims) - 2


# ---- convolution -----------------------------------------------------------------------------


@public("nn.convolution")
def convolution(
    input, filters, strides=None, padding="VALID", data_format=None, dilations=None, name=None
):
    """Convolution over one or more spatial axes: products of `filters` with each window, summed.

    `input` has the shape [batch, *space, channels], or [batch, channels, *space] with a
    `data_format` "NC...". `filters` has the shape [*sizes, channels / groups, outputs]. Both are
    floats of one dtype. `padding` is "VALID", "SAME", or a pair (before, after) for each spatial
    axis. `strides` and `dilations` are a number, or a number for each spatial axis.

    >>> x, w = ag.ones([1, 4, 1]), ag.ones([2, 1, 1])
    >>> ag.nn.convolution(x, w).numpy().ravel()
    array([2., 2., 2.], dtype=float32)

    Raises ShapeError if the channels differ or no window fits.
    """
    x = convert_to_tensor(input)
    filters = convert_to_tensor(filters, dtype_hint=x.dtype)
    first = _channels_first(data_format)
    rank = _rank_of_space(filters, "convolution")
    x = _channels_last(x, first)
    attrs = {
        "strides": per_axis(strides or 1, rank, "strides", first),
        "padding": padding_of(padding, rank, first),
        "dilations": per_axis(dilations or 1, rank, "dilations", first),
        "groups": _groups(x, filters),
    }
    return _restore_layout(apply(Convolution, (x, filters), attrs), first)


def _groups(x, filters) -> int:
    """The number of groups of channels that are convolved separately."""
    if x.dims is None or None in (x.dims[-1], filters.dims[-2]):
        return 1
    return max(x.dims[-1] // max(filters.dims[-2], 1), 1)


@public("nn.conv1d")
def conv1d(input, filters, stride=1, padding="VALID", data_format="NWC", dilations=None, name=None):
    """Convolution over one axis: `input` [batch, width, channels], filters [width, channels, out].

    The other arguments are those of `nn.convolution`.

    >>> ag.nn.conv1d(ag.ones([1, 4, 1]), ag.ones([3, 1, 2])).shape
    TensorShape([1, 2, 2])
    """
    return convolution(input, filters, stride, padding, data_format, dilations)


@public("nn.conv2d")
def conv2d(
    input, filters, strides=1, padding="VALID", data_format="NHWC", dilations=None, name=None
):
    """Convolution of images of shape [batch, height, width, channels].

    `filters` has the shape [height, width, channels, outputs]. The other arguments are those of
    `nn.convolution`.

    >>> image = ag.reshape(ag.range(9.0), [1, 3, 3, 1])
    >>> ag.nn.conv2d(image, ag.ones([2, 2, 1, 1]), 1, "VALID").numpy()[0, ..., 0]
    array([[ 8., 12.],
           [20., 24.]], dtype=float32)

    Raises ShapeError if the channels differ or no window fits.
    """
    return convolution(input, filters, strides, padding, data_format, dilations)


@public("nn.conv3d")
def conv3d(
    input, filters, strides=1, padding="VALID", data_format="NDHWC", dilations=None, name=None
):
    """Convolution over three spatial axes: `input` [batch, depth, height, width, channels].

    `filters` has the shape [depth, height, width, channels, outputs]. The other arguments are those
    of `nn.convolution`.

    >>> ag.nn.conv3d(ag.ones([1, 3, 3, 3, 1]), ag.ones([2, 2, 2, 1, 4])).shape
    TensorShape([1, 2, 2, 2, 4])
    """
    return convolution(input, filters, strides, padding, data_format, dilations)


@public("nn.depthwise_conv2d")
def depthwise_conv2d(input, filter, strides, padding, data_format=None, dilations=None, name=None):
    """Depthwise convolution: each channel of images is convolved with its own filters.

    `filter` has the shape [height, width, channels, multiplier]. The result has
    channels * multiplier channels. The other arguments are those of `nn.convolution`.

    >>> ag.nn.depthwise_conv2d(ag.ones([1, 3, 3, 2]), ag.ones([2, 2, 2, 3]), 1, "VALID").shape
    TensorShape([1, 2, 2, 6])
    """
    filters = convert_to_tensor(filter)
    height, width, channels, multiplier = filters.dims
    if channels is None or multiplier is None:
        raise ShapeError("depthwise_conv2d: the number of channels has to be known while tracing")
    filters = reshape(filters, [height, width, 1, channels * multiplier])
    return convolution(input, filters, strides, padding, data_format, dilations)


@public("nn.separable_conv2d")
def separable_conv2d(
    input, depthwise_filter, pointwise_filter, strides, padding, data_format=None, dilations=None,
    name=None,
):  # fmt: skip
    """A depthwise convolution, followed by a convolution with filters of size 1.

    `depthwise_filter` has the shape [height, width, channels, multiplier], `pointwise_filter`
    [1, 1, channels * multiplier, outputs].

    >>> x, depthwise = ag.ones([1, 3, 3, 2]), ag.ones([2, 2, 2, 1])
    >>> ag.nn.separable_conv2d(x, depthwise, ag.ones([1, 1, 2, 5]), 1, "VALID").shape
    TensorShape([1, 2, 2, 5])
    """
    separate = depthwise_conv2d(input, depthwise_filter, strides, padding, data_format, dilations)
    return convolution(separate, pointwise_filter, 1, "VALID", data_format)


@public("nn.conv_transpose")
def conv_transpose(
    input, filters, output_shape, strides, padding="SAME", data_format=None, dilations=None,
    name=None,
):  # fmt: skip
    """Transposed convolution, the gradient of a convolution with respect to its input.

    `filters` has the shape [*sizes, outputs, channels]. `output_shape` is the shape of the result.
    The other arguments are those of `nn.convolution`.

    >>> ag.nn.conv_transpose(ag.ones([1, 2, 1]), ag.ones([2, 1, 1]), [1, 4, 1], 2).numpy().ravel()
    array([1., 1., 1., 1.], dtype=float32)

    Raises ShapeError unless the convolution of an array of `output_shape` has the shape of `input`.
    """
    x = convert_to_tensor(input)
    filters = convert_to_tensor(filters, dtype_hint=x.dtype)
    first = _channels_first(data_format)
    rank = _rank_of_space(filters, "conv_transpose")
    if first:
        sizes = convert_to_tensor(output_shape)
        output_shape = [sizes[0], *(sizes[2 + axis] for axis in range(rank)), sizes[1]]
    attrs = {
        "strides": per_axis(strides, rank, "strides", first),
        "padding": padding_of(padding, rank, first),
        "dilations": per_axis(dilations or 1, rank, "dilations", first),
        "groups": 1,
    }
    operands = (convert_to_tensor(output_shape), filters, _channels_last(x, first))
    return _restore_layout(apply(ConvolutionInput, operands, attrs), first)


@public("nn.conv2d_transpose")
def conv2d_transpose(
    input, filters, output_shape, strides, padding="SAME", data_format="NHWC", dilations=None,
    name=None,
):  # fmt: skip
    """Transposed convolution of images; see `nn.conv_transpose`.

    `filters` has the shape [height, width, outputs, channels].

    >>> ag.nn.conv2d_transpose(ag.ones([1, 2, 2, 1]), ag.ones([2, 2, 3, 1]), [1, 4, 4, 3], 2).shape
    TensorShape([1, 4, 4, 3])
    """
    return conv_transpose(input, filters, output_shape, strides, padding, data_format, dilations)


# ---- pooling ---------------------------------------------------------------------------------


def _pool(operation, input, ksize, strides, padding, data_format):
    x = convert_to_tensor(input)
    first = _channels_first(data_format)
    rank = _rank_of_space(x, "pooling")
    attrs = {
        "ksize": per_axis(ksize, rank, "ksize", first),
        "strides": per_axis(ksize if strides is None else strides, rank, "strides", first),
        "padding": padding_of(padding, rank, first),
    }
    return _restore_layout(apply(operation, (_channels_last(x, first),), attrs), first)


@public("nn.max_pool", "nn.max_pool1d", "nn.max_pool2d", "nn.max_pool3d")
def max_pool(input, ksize, strides, padding, data_format=None, name=None):
    """The largest element of each window of an array [batch, *space, channels].

    `ksize` is the window size and `strides` the distance of windows: a number, or a number for each
    spatial axis. With `padding` "SAME", the padding is ignored.

    >>> ag.nn.max_pool(ag.reshape(ag.range(16.0), [1, 4, 4, 1]), 2, 2, "VALID").numpy().ravel()
    array([ 5.,  7., 13., 15.], dtype=float32)
    """
    return _pool(MaxPool, input, ksize, strides, padding, data_format)


@public("nn.avg_pool", "nn.avg_pool1d", "nn.avg_pool2d", "nn.avg_pool3d")
def avg_pool(input, ksize, strides, padding, data_format=None, name=None):
    """The mean of each window of an array [batch, *space, channels]; padding is excluded.

    The arguments are those of `nn.max_pool`.

    >>> ag.nn.avg_pool(ag.reshape(ag.range(16.0), [1, 4, 4, 1]), 2, 2, "VALID").numpy().ravel()
    array([ 2.5,  4.5, 10.5, 12.5], dtype=float32)
    """
    return _pool(AvgPool, input, ksize, strides, padding, data_format)


@public("nn.max_pool_with_argmax")
def max_pool_with_argmax(
    input, ksize, strides, padding, data_format="NHWC", output_dtype="int64",
    include_batch_in_index=False, name=None,
):  # fmt: skip
    """The largest element of each window, and its index in the flattened image.

    With `include_batch_in_index` it is the index in the flattened batch. The indices have the dtype
    `output_dtype`.

    >>> x = ag.reshape(ag.range(16.0), [1, 4, 4, 1])
    >>> ag.nn.max_pool_with_argmax(x, 2, 2, "VALID")[1].numpy().ravel()
    array([ 5,  7, 13, 15])
    """
    x = convert_to_tensor(input)
    rank = _rank_of_space(x, "max_pool_with_argmax")
    attrs = {
        "ksize": per_axis(ksize, rank, "ksize"),
        "strides": per_axis(strides, rank, "strides"),
        "padding": padding_of(padding, rank, False),
    }
    pooled = apply(MaxPool, (x,), attrs)
    positions = apply(MaxPoolPlaces, (x, pooled), attrs)
    if not include_batch_in_index:
        positions = positions % cast(reduce_prod(shape(x)[1:]), positions.dtype)
    return pooled, cast(positions, output_dtype)


@public("nn.conv1d_transpose")
def conv1d_transpose(
    input, filters, output_shape, strides, padding="SAME", data_format="NWC", dilations=None,
    name=None,
):  # fmt: skip
    """Transposed convolution over one axis; see `nn.conv_transpose`.

    >>> ag.nn.conv1d_transpose(ag.ones([1, 2, 1]), ag.ones([2, 3, 1]), [1, 4, 3], 2).shape
    TensorShape([1, 4, 3])
    """
    return conv_transpose(input, filters, output_shape, strides, padding, data_format, dilations)


@public("nn.conv3d_transpose")
def conv3d_transpose(
    input, filters, output_shape, strides, padding="SAME", data_format="NDHWC", dilations=None,
    name=None,
):  # fmt: skip
    """Transposed convolution over three axes; see `nn.conv_transpose`.

    >>> x, w = ag.ones([1, 2, 2, 2, 1]), ag.ones([2, 2, 2, 3, 1])
    >>> ag.nn.conv3d_transpose(x, w, [1, 4, 4, 4, 3], 2).shape
    TensorShape([1, 4, 4, 4, 3])
    """
    return conv_transpose(input, filters, output_shape, strides, padding, data_format, dilations)


@public("nn.pool")
def pool(
    input, window_shape, pooling_type, strides=None, padding="VALID", data_format=None,
    dilations=None, name=None,
):  # fmt: skip
    """The largest element or the mean of each window, for the `pooling_type` "MAX" or "AVG".

    >>> ag.nn.pool(ag.reshape(ag.range(4.0), [1, 4, 1]), [2], "MAX", [2]).numpy().ravel()
    array([1., 3.], dtype=float32)

    Raises ValueError for another `pooling_type`, or for dilations other than 1.
    """
    if dilations not in (None, 1) and set(dilations) != {1}:
        raise ValueError("pool: windows with gaps are not supported")
    operations = {"MAX": MaxPool, "AVG": AvgPool}
    if pooling_type not in operations:
        raise ValueError(f"pool: pooling_type is 'MAX' or 'AVG', not {pooling_type!r}")
    return _pool(operations[pooling_type], input, window_shape, strides or 1, padding, data_format)


# ---- blocks of pixels ------------------------------------------------------------------------


@public("nn.space_to_depth")
def space_to_depth(input, block_size, data_format="NHWC", name=None):
    """Rearrange blocks of pixels into channels: [n, h, w, c] to [n, h / b, w / b, b * b * c].

    >>> image = ag.reshape(ag.range(4), [1, 2, 2, 1])
    >>> ag.nn.space_to_depth(image, 2).numpy().ravel()
    array([0, 1, 2, 3], dtype=int32)
    """
    first, b = _channels_first(data_format), block_size
    x = _channels_last(convert_to_tensor(input), first)
    height, width, channels = x.dims[1:]
    x = reshape(x, [-1, height // b, b, width // b, b, channels])
    x = transpose(x, [0, 1, 3, 2, 4, 5])
    return _restore_layout(reshape(x, [-1, height // b, width // b, b * b * channels]), first)


@public("nn.depth_to_space")
def depth_to_space(input, block_size, data_format="NHWC", name=None):
    """Rearrange channels into blocks of pixels: [n, h, w, b * b * c] to [n, h * b, w * b, c].

    >>> ag.nn.depth_to_space(ag.reshape(ag.range(4), [1, 1, 1, 4]), 2).numpy()[0, :, :, 0]
    array([[0, 1],
           [2, 3]], dtype=int32)
    """
    first, b = _channels_first(data_format), block_size
    x = _channels_last(convert_to_tensor(input), first)
    height, width, channels = x.dims[1:]
    x = reshape(x, [-1, height, width, b, b, channels // (b * b)])
    x = transpose(x, [0, 1, 3, 2, 4, 5])
    return _restore_layout(reshape(x, [-1, height * b, width * b, channels // (b * b)]), first)
