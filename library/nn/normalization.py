"""Normalization: batch and layer normalization, weighted moments, local response normalization."""

from __future__ import annotations

from ... import cast, concat, convert_to_tensor, ones_like, pad, reduce_sum, reshape, squeeze
from ...extend.operations import ops
from ...extend.registration import public
from .functional import moments, relu


@public("nn.batch_normalization")
def batch_normalization(x, mean, variance, offset, scale, variance_epsilon, name=None):
    """`scale * (x - mean) / sqrt(variance + variance_epsilon) + offset`.

    The other arguments broadcast against `x`. `offset` and `scale` may be None.

    >>> ag.nn.batch_normalization([1.0, 3.0], 2.0, 1.0, 10.0, 5.0, 0.0).numpy()
    array([ 5., 15.], dtype=float32)
    """
    x = convert_to_tensor(x)
    factor = ops.rsqrt(cast(variance, x.dtype) + variance_epsilon)
    if scale is not None:
        factor = factor * scale
    shift = -cast(mean, x.dtype) * factor
    return x * factor + (shift if offset is None else shift + offset)


@public("nn.weighted_moments")
def weighted_moments(x, axes, frequency_weights, keepdims=False, name=None):
    """The weighted mean and variance over `axes`; the weights broadcast against `x`.

    >>> [float(one) for one in ag.nn.weighted_moments([1.0, 5.0], [0], [3.0, 1.0])]
    [2.0, 3.0]
    """
    x = convert_to_tensor(x)
    weights = cast(frequency_weights, x.dtype) + x * 0
    total = reduce_sum(weights, axes, True)
    mean = reduce_sum(x * weights, axes, True) / total
    variance = reduce_sum(weights * (x - mean) ** 2, axes, True) / total
    if keepdims:
        return mean, variance
    return squeeze(mean, axes), squeeze(variance, axes)


@public("nn.normalize_moments")
def normalize_moments(counts, mean_ss, variance_ss, shift, name=None):
    """The mean and the variance from the results of `nn.sufficient_statistics`.

    >>> [float(one) for one in ag.nn.normalize_moments(2.0, 4.0, 10.0, None)]
    [2.0, 1.0]
    """
    offset = convert_to_tensor(mean_ss) / counts
    variance = convert_to_tensor(variance_ss) / counts - offset * offset
    return (offset if shift is None else offset + shift), variance


@public("nn.crelu")
def crelu(features, axis=-1, name=None):
    """`relu(x)` and `relu(-x)`, concatenated along `axis`.

    >>> ag.nn.crelu([-1.0, 2.0]).numpy()
    array([0., 2., 1., 0.], dtype=float32)
    """
    x = convert_to_tensor(features)
    return relu(concat([x, -x], axis))


def layer_normalization(x, axes, offset, scale, epsilon):
    """`x` normalized to mean 0 and variance 1 over `axes`, then scaled and shifted."""
    mean, variance = moments(x, axes, keepdims=True)
    return batch_normalization(x, mean, variance, offset, scale, epsilon)


@public("nn.sufficient_statistics")
def sufficient_statistics(x, axes, shift=None, keepdims=False, name=None):
    """The count, the sum and the sum of squares of `x - shift` over `axes`, and `shift`.

    >>> [float(one) for one in ag.nn.sufficient_statistics([1.0, 3.0], [0])[:3]]
    [2.0, 4.0, 10.0]
    """
    x = convert_to_tensor(x)
    count = reduce_sum(cast(ones_like(x), x.dtype), axes, False)
    count = count if count.ndim == 0 else reshape(count, [-1])[0]
    moved = x if shift is None else x - shift
    return (
        count,
        reduce_sum(moved, axes, keepdims),
        reduce_sum(moved * moved, axes, keepdims),
        shift,
    )


@public("nn.local_response_normalization", "nn.lrn")
def local_response_normalization(input, depth_radius=5, bias=1, alpha=1, beta=0.5, name=None):
    """Each element divided by a power of the sum of squares of its neighbors in the last axis.

    The divisor is `(bias + alpha * sum(x ** 2)) ** beta`, summed over `depth_radius` neighbors on
    each side.

    Source: Krizhevsky et al., "ImageNet classification with deep convolutional networks", 2012.

    >>> ag.nn.lrn([[[[1.0, 1.0]]]], depth_radius=1).numpy().round(3).ravel()
    array([0.577, 0.577], dtype=float32)
    """
    x = convert_to_tensor(input)
    squares = pad(x * x, [[0, 0]] * (x.ndim - 1) + [[depth_radius, depth_radius]])
    channels = x.dims[-1]
    total = sum(squares[..., start : start + channels] for start in range(2 * depth_radius + 1))
    return x / (bias + alpha * total) ** beta
