"""Values brought to a common mean and scale."""

from __future__ import annotations

from ..runtime.apply import convert_to_tensor
from ..runtime.ops.casting import cast
from ..runtime.ops.joining import concat
from ..runtime.ops.reductions import reduce_sum
from ..runtime.ops.shaping import squeeze
from ..runtime.ops.transcendental import Rsqrt
from ..runtime.vocabulary import public
from .nn import moments, relu


@public("nn.batch_normalization")
def batch_normalization(x, mean, variance, offset, scale, variance_epsilon, name=None):
    """`scale * (x - mean) / sqrt(variance + variance_epsilon) + offset`.

    `offset` and `scale` may be None.

    >>> ag.nn.batch_normalization([1.0, 3.0], 2.0, 1.0, 10.0, 5.0, 0.0).numpy()
    array([ 5., 15.], dtype=float32)
    """
    x = convert_to_tensor(x)
    factor = Rsqrt(cast(variance, x.dtype) + variance_epsilon)
    if scale is not None:
        factor = factor * scale
    shift = -cast(mean, x.dtype) * factor
    return x * factor + (shift if offset is None else shift + offset)


@public("nn.weighted_moments")
def weighted_moments(x, axes, frequency_weights, keepdims=False, name=None):
    """The mean and the variance over `axes`, with weights.

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
    """The mean and the variance from a count, a sum and a sum of squares.

    >>> [float(one) for one in ag.nn.normalize_moments(2.0, 4.0, 10.0, None)]
    [2.0, 1.0]
    """
    offset = convert_to_tensor(mean_ss) / counts
    variance = convert_to_tensor(variance_ss) / counts - offset * offset
    return (offset if shift is None else offset + shift), variance


@public("nn.crelu")
def crelu(features, axis=-1, name=None):
    """`relu(x)` and `relu(-x)`, joined along `axis`.

    >>> ag.nn.crelu([-1.0, 2.0]).numpy()
    array([0., 2., 1., 0.], dtype=float32)
    """
    x = convert_to_tensor(features)
    return relu(concat([x, -x], axis))


def layer_normalization(x, axes, offset, scale, epsilon):
    """`x` with mean 0 and variance 1 over `axes`, then scaled and shifted."""
    mean, variance = moments(x, axes, keepdims=True)
    return batch_normalization(x, mean, variance, offset, scale, epsilon)
