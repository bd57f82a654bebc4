"""Functions of `keras.ops` that neural networks are made of."""

from __future__ import annotations

import numpy as np

from .... import as_dtype, cast, float32, int32
from ....extend.operations import ag
from ..layers import activations
from ..layers.adaptive_pooling import pooled
from ..layers.convolution_layers import layout_of, overhang
from ..mixed_precision import dtype_of
from . import core_functions
from .operations import operation, operations
from .promotion import as_operand, operands

nn = operations("nn")

ALIASES = {"silu": ("swish",), "hard_silu": ("hard_swish",)}
for _name in (
    "celu", "elu", "glu", "hard_shrink", "hard_sigmoid", "hard_silu", "hard_tanh",
    "leaky_relu", "log_sigmoid", "log_softmax", "relu6", "selu", "sigmoid", "silu", "soft_shrink",
    "softmax", "softplus", "softsign", "sparse_plus", "sparse_sigmoid", "sparsemax", "squareplus",
    "tanh_shrink", "threshold",
):  # fmt: skip
    operation(getattr(activations, _name), _name, *ALIASES.get(_name, ()), group="nn")


@nn
def gelu(x, approximate=True):
    """x times the normal distribution of x, by `tanh` where it is approximated."""
    return activations.gelu(as_operand(x), approximate)


@nn
def relu(x):
    """`max(x, 0)` for each element."""
    return activations.relu(as_operand(x))


# ---- windows ---------------------------------------------------------------------------------


def _format(x, data_format) -> str:
    return layout_of(data_format, as_operand(x).ndim - 2)


@nn
def conv(inputs, kernel, strides=1, padding="valid", data_format=None, dilation_rate=1):
    """Convolution over one to three axes: inputs [batch, *space, channels], kernel
    [*sizes, channels / groups, outputs].
    """
    x, w = operands(inputs, kernel)
    return ag.nn.convolution(x, w, strides, padding, _format(x, data_format), dilation_rate)


@nn
def depthwise_conv(inputs, kernel, strides=1, padding="valid", data_format=None, dilation_rate=1):
    """Convolution of each channel by itself: kernel [*sizes, channels, multiplier]."""
    x, w = operands(inputs, kernel)
    *sizes, channels, multiplier = w.dims
    w = ag.reshape(w, [*sizes, 1, channels * multiplier])
    return ag.nn.convolution(x, w, strides, padding, _format(x, data_format), dilation_rate)


@nn
def separable_conv(
    inputs, depthwise_kernel, pointwise_kernel, strides=1, padding="valid", data_format=None,
    dilation_rate=1,
):  # fmt: skip
    """A convolution of each channel, then one across channels."""
    separate = depthwise_conv(
        inputs, depthwise_kernel, strides, padding, data_format, dilation_rate
    )
    return conv(separate, pointwise_kernel, data_format=data_format)


@nn
def conv_transpose(
    inputs, kernel, strides=1, padding="valid", output_padding=None, data_format=None,
    dilation_rate=1,
):  # fmt: skip
    """Transposed convolution: kernel [*sizes, outputs, channels]."""
    x, w = operands(inputs, kernel)
    rank, first = x.ndim - 2, data_format == "channels_first"

    def each(value) -> list:
        return list(value) if isinstance(value, (list, tuple)) else [value] * rank

    space = [
        size * step + _overlap(window, step, gap, padding, more)
        for size, window, step, gap, more in zip(
            core_functions.shape(x)[2:] if first else core_functions.shape(x)[1:-1],
            w.dims, each(strides), each(dilation_rate), each(output_padding), strict=False,
        )
    ]  # fmt: skip
    batch, outputs = core_functions.shape(x)[0], w.dims[-2]
    sizes = [batch, outputs, *space] if first else [batch, *space, outputs]
    return ag.nn.conv_transpose(
        x, w, sizes, strides, padding, layout_of(data_format, rank), dilation_rate
    )


def _overlap(window: int, step: int, gap: int, padding: str, more) -> int:
    """`overhang`, or what an output padding makes of it."""
    extent = (window - 1) * gap + 1
    if more is None:
        return overhang(extent, step, padding)
    before_and_after = 2 * (extent // 2) if padding == "same" else 0
    return extent - step - before_and_after + more


@nn
def max_pool(inputs, pool_size, strides=None, padding="valid", data_format=None):
    """The largest element of each window."""
    x = as_operand(inputs)
    return ag.nn.max_pool(x, pool_size, strides, padding, _format(x, data_format))


@nn
def average_pool(inputs, pool_size, strides=None, padding="valid", data_format=None):
    """The mean of each window."""
    x = as_operand(inputs)
    return ag.nn.avg_pool(x, pool_size, strides, padding, _format(x, data_format))


def _adaptive(reduce, inputs, output_size, data_format):
    x = as_operand(inputs)
    sizes = [output_size] * (x.ndim - 2) if isinstance(output_size, int) else output_size
    return pooled(reduce, x, sizes, data_format == "channels_first")


@nn
def adaptive_average_pool(inputs, output_size, data_format=None):
    """The means of windows chosen such that the result has `output_size`."""
    return _adaptive(ag.reduce_mean, inputs, output_size, data_format)


@nn
def adaptive_max_pool(inputs, output_size, data_format=None):
    """The largest elements of windows chosen such that the result has `output_size`."""
    return _adaptive(ag.reduce_max, inputs, output_size, data_format)


@nn
def space_to_depth(x, block_size, data_format="channels_last"):
    """Blocks of pixels become channels."""
    return ag.nn.space_to_depth(as_operand(x), block_size, layout_of(data_format, 2))


@nn
def depth_to_space(x, block_size, data_format="channels_last"):
    """Channels become blocks of pixels."""
    return ag.nn.depth_to_space(as_operand(x), block_size, layout_of(data_format, 2))


# ---- normalization ---------------------------------------------------------------------------


@nn
def moments(x, axes, keepdims=False, synchronized=False):
    """The mean and the variance over axes."""
    return ag.nn.moments(as_operand(x), axes, keepdims=keepdims)


@nn
def batch_normalization(x, mean, variance, axis, offset=None, scale=None, epsilon=1e-3):
    """`(x - mean) / sqrt(variance + epsilon) * scale + offset`, with vectors along `axis`."""
    x = as_operand(x)
    sizes = [1] * x.ndim
    sizes[axis] = -1
    vectors = [
        None if one is None else ag.reshape(as_operand(one, x.dtype), sizes)
        for one in (mean, variance, offset, scale)
    ]
    return ag.nn.batch_normalization(x, *vectors, epsilon)


def _along(vector, x, axis):
    """A vector, or an array over axes, in the axes of `x`."""
    if vector is None:
        return None
    axes = [axis] if isinstance(axis, int) else list(axis)
    places = {one % x.ndim for one in axes}
    sizes = [x.dims[place] if place in places else 1 for place in range(x.ndim)]
    return ag.reshape(as_operand(vector, x.dtype), sizes)


@nn
def layer_normalization(x, gamma=None, beta=None, axis=-1, epsilon=None, **kwargs):
    """`(x - mean) / sqrt(variance + epsilon) * gamma + beta`, with moments over `axis`.

    >>> ag.keras.ops.layer_normalization([1.0, 3.0], epsilon=0.0).numpy()
    array([-1.,  1.], dtype=float32)
    """
    x = as_operand(x)
    axes = [axis] if isinstance(axis, int) else list(axis)
    mean, variance = ag.nn.moments(x, axes, keepdims=True)
    epsilon = 1e-7 if epsilon is None else epsilon
    return ag.nn.batch_normalization(
        x, mean, variance, _along(beta, x, axis), _along(gamma, x, axis), epsilon
    )


@nn
def rms_normalization(x, scale=None, axis=-1, epsilon=None):
    """`x / sqrt(mean(x ** 2) + epsilon) * scale`, with the mean over `axis`."""
    x = as_operand(x)
    epsilon = 1e-7 if epsilon is None else epsilon
    result = x * ag.math.rsqrt(ag.reduce_mean(x * x, axis, keepdims=True) + epsilon)
    return result if scale is None else result * _along(scale, x, axis)


@nn
def normalize(x, axis=-1, order=2, epsilon=None):
    """Vectors along `axis` scaled to norm 1; norms below `epsilon` are taken as `epsilon`."""
    x = as_operand(x)
    epsilon = 1e-7 if epsilon is None else epsilon
    norm = ag.norm(x, order, axis, keepdims=True)
    return x / ag.maximum(norm, as_operand(epsilon, x.dtype))


# ---- classes and losses ----------------------------------------------------------------------


@nn
def one_hot(x, num_classes, axis=-1, dtype=None, sparse=False):
    """Vectors with a 1 at each index of `x`."""
    return ag.one_hot(as_operand(x), num_classes, axis=axis, dtype=dtype_of(dtype))


@nn
def multi_hot(inputs, num_classes=None, axis=-1, dtype=None, sparse=False, **kwargs):
    """Vectors with a 1 at each index that a row of `inputs` contains."""
    x = as_operand(inputs)
    along = axis if x.ndim == 1 else 1
    found = ag.one_hot(x, num_classes, axis=axis, dtype=dtype_of(dtype))
    return ag.reduce_max(found, 0 if x.ndim == 1 and along == -1 else along)


@nn
def binary_crossentropy(target, output, from_logits=False):
    """`-t * log(p) - (1 - t) * log(1 - p)` for each element."""
    target, output = operands(target, output)
    if from_logits:
        return ag.nn.sigmoid_cross_entropy_with_logits(target, output)
    p = ag.clip_by_value(output, 1e-7, 1 - 1e-7)
    return -(target * ag.math.log(p) + (1 - target) * ag.math.log(1 - p))


@nn
def categorical_crossentropy(target, output, from_logits=False, axis=-1):
    """`-sum(t * log(p))` along `axis`."""
    target, output = operands(target, output)
    return ag.keras.losses.categorical_crossentropy(target, output, from_logits, axis=axis)


@nn
def sparse_categorical_crossentropy(target, output, from_logits=False, axis=-1):
    """`-log(p[t])` along `axis`; the targets are class numbers."""
    return ag.keras.losses.sparse_categorical_crossentropy(
        as_operand(target), as_operand(output), from_logits, axis=axis
    )


@nn
def ctc_loss(target, output, target_length, output_length, mask_index=0):
    """The CTC loss of label sequences, given logits [batch, time, classes]."""
    return ag.nn.ctc_loss(
        as_operand(target, int32), as_operand(output), as_operand(target_length, int32),
        as_operand(output_length, int32), logits_time_major=False, blank_index=mask_index,
    )  # fmt: skip


@nn
def psnr(x1, x2, max_val):
    """The peak signal-to-noise ratio of two arrays, in decibels."""
    x1, x2 = operands(x1, x2)
    error = ag.reduce_mean(ag.math.squared_difference(x1, x2))
    top = as_operand(max_val, error.dtype)
    return (20 * ag.math.log(top) - 10 * ag.math.log(error)) / np.log(10).astype(error.dtype.name)


# ---- attention -------------------------------------------------------------------------------


@nn
def dot_product_attention(
    query, key, value, bias=None, mask=None, scale=None, is_causal=False, flash_attention=None,
    attn_logits_soft_cap=None,
):  # fmt: skip
    """Means of values [batch, time, heads, size] weighted by softmax(query * key * scale).

    `scale` defaults to the inverse root of the size. Where `mask` is False, or with `is_causal` for
    later steps, the weight is 0.
    """
    query, key, value = operands(query, key, value)
    size = query.dims[-1]
    scores = ag.einsum("btnh,bsnh->bnts", query, key) * (size**-0.5 if scale is None else scale)
    if attn_logits_soft_cap is not None:
        scores = ag.tanh(scores / attn_logits_soft_cap) * attn_logits_soft_cap
    if bias is not None:
        scores = scores + as_operand(bias, scores.dtype)
    if is_causal:
        steps = [ag.range(ag.shape(scores)[axis]) for axis in (2, 3)]
        earlier = steps[0][:, None] >= steps[1][None, :]
        mask = earlier if mask is None else ag.logical_and(as_operand(mask), earlier)
    if mask is not None:
        low = as_operand(-0.7 * as_dtype(scores.dtype).max, scores.dtype)
        scores = ag.where(as_operand(mask), scores, low)
    weights = ag.nn.softmax(ag.cast(scores, float32))
    return ag.einsum("bnts,bsnh->btnh", cast(weights, value.dtype), value)


@nn
def polar(abs_, angle):
    """Complex numbers of absolute values and angles."""
    size, angle = operands(abs_, angle)
    return ag.complex(size * ag.cos(angle), size * ag.sin(angle))
