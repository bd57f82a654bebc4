"""Neural network functions: activations, softmax, moments, bias, dropout."""

from __future__ import annotations

from ... import (
    convert_to_tensor,
    math,
    random,
    reduce_max,
    reduce_mean,
    reduce_sum,
    reshape,
    shape,
    where,
    zeros_like,
)
from ...extend.errors import ShapeError
from ...extend.operations import ops
from ...extend.registration import public
from ...extend.specs import show


@public("nn.relu")
def relu(features, name=None):
    """`max(x, 0)` for each element.

    >>> ag.nn.relu([-1.0, 2.0]).numpy()
    array([0., 2.], dtype=float32)
    """
    # Of equal operands the first one gets the gradient: it is 0 at 0.
    return ops.maximum(0, convert_to_tensor(features), name=name)


@public("nn.relu6")
def relu6(features, name=None):
    """`min(max(x, 0), 6)` for each element.

    >>> ag.nn.relu6([-1.0, 2.0, 8.0]).numpy()
    array([0., 2., 6.], dtype=float32)
    """
    return ops.minimum(6, relu(features), name=name)


@public("nn.leaky_relu")
def leaky_relu(features, alpha=0.2, name=None):
    """`x` where it is positive, else `alpha * x`.

    >>> ag.nn.leaky_relu([-1.0, 2.0]).numpy()
    array([-0.2,  2. ], dtype=float32)
    """
    x = convert_to_tensor(features)
    return where(x > 0, x, x * alpha)


@public("nn.elu")
def elu(features, name=None):
    """`x` where it is positive, else `exp(x) - 1`.

    >>> ag.nn.elu([-1.0, 2.0]).numpy().round(3)
    array([-0.632,  2.   ], dtype=float32)
    """
    x = convert_to_tensor(features)
    return where(x >= 0, x, ops.expm1(ops.minimum(x, 0)))


_SELU_ALPHA, _SELU_SCALE = 1.6732632423543772, 1.0507009873554805


@public("nn.selu")
def selu(features, name=None):
    """The scaled exponential linear unit, which preserves mean 0 and variance 1.

    Source: Klambauer et al., "Self-normalizing neural networks", 2017.

    >>> ag.nn.selu([-1.0, 2.0]).numpy().round(3)
    array([-1.111,  2.101], dtype=float32)
    """
    x = convert_to_tensor(features)
    return _SELU_SCALE * where(x >= 0, x, _SELU_ALPHA * ops.expm1(ops.minimum(x, 0)))


@public("nn.silu", "nn.swish")
def silu(features, beta=1.0):
    """`x * sigmoid(beta * x)` for each element.

    >>> ag.nn.silu([0.0, 2.0]).numpy().round(3)
    array([0.   , 1.762], dtype=float32)
    """
    x = convert_to_tensor(features)
    return x * ops.sigmoid(x * beta)


@public("nn.gelu")
def gelu(features, approximate=False, name=None):
    """`x` times the CDF of the standard normal distribution; `approximate` uses a tanh.

    >>> ag.nn.gelu([0.0, 2.0]).numpy().round(3)
    array([0.   , 1.954], dtype=float32)
    """
    x = convert_to_tensor(features)
    if approximate:
        return 0.5 * x * (1.0 + ops.tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)))
    return 0.5 * x * (1.0 + ops.erf(x * 0.7071067811865476))


@public("nn.softmax", "math.softmax")
def softmax(logits, axis=-1, name=None):
    """`exp(logits)` divided by its sum along `axis`, without overflow.

    >>> ag.nn.softmax([0.0, 0.0]).numpy()
    array([0.5, 0.5], dtype=float32)
    """
    powers = ops.exp(_below_zero(logits, axis))
    return ops.divide(powers, reduce_sum(powers, axis, True), name=name)


def _below_zero(logits, axis):
    """Logits minus their maximum along `axis`, which is a constant for gradients."""
    x = convert_to_tensor(logits)
    return x - ops.stop_gradient(reduce_max(x, axis, True))


@public("nn.log_softmax", "math.log_softmax")
def log_softmax(logits, axis=-1, name=None):
    """The logarithm of `softmax`, without underflow.

    >>> ag.nn.log_softmax([0.0, 0.0]).numpy().round(3)
    array([-0.693, -0.693], dtype=float32)
    """
    x = _below_zero(logits, axis)
    return ops.subtract(x, ops.log(reduce_sum(ops.exp(x), axis, True)), name=name)


@public("nn.l2_normalize", "math.l2_normalize", "linalg.l2_normalize")
def l2_normalize(x, axis=None, epsilon=1e-12, name=None):
    """Vectors along `axis` (all elements for None) scaled to Euclidean norm 1.

    Squared norms below `epsilon` are treated as `epsilon`.

    >>> ag.nn.l2_normalize([3.0, 4.0]).numpy().round(3)
    array([0.6, 0.8], dtype=float32)
    """
    x = convert_to_tensor(x)
    return x * ops.rsqrt(ops.maximum(reduce_sum(x * x, axis, True), epsilon))


@public("nn.moments")
def moments(x, axes, shift=None, keepdims=False, name=None):
    """The mean and the variance over `axes`, as a pair of tensors.

    `keepdims=True` keeps the reduced axes with size 1.

    >>> [float(one) for one in ag.nn.moments([1.0, 3.0], axes=[0])]
    [2.0, 1.0]
    """
    x = convert_to_tensor(x)
    return reduce_mean(x, axes, keepdims), math.reduce_variance(x, axes, keepdims)


@public("nn.bias_add")
def bias_add(value, bias, data_format=None, name=None):
    """`value` plus the vector `bias` along the channel axis.

    That is the last axis, or the second for a `data_format` "NC...".

    >>> ag.nn.bias_add([[1, 2], [3, 4]], [10, 20]).numpy()
    array([[11, 22],
           [13, 24]], dtype=int32)

    Raises ShapeError if `bias` is not a vector.
    """
    value = convert_to_tensor(value)
    bias = convert_to_tensor(bias, dtype_hint=value.dtype)
    if bias.ndim not in (1, None):
        raise ShapeError(f"bias_add: the bias is a vector, not of shape {show(bias.dims)}")
    if data_format is not None and data_format.startswith("NC") and value.ndim > 2:
        bias = reshape(bias, [-1] + [1] * (value.ndim - 2))
    return ops.add(value, bias, name=name)


@public("nn.dropout")
def dropout(
    x, rate=None, noise_shape=None, seed=None, name=None, *, keep_prob=None, keep_probability=None
):
    """Sets elements to 0 with probability `rate` and divides the others by `1 - rate`.

    `noise_shape` is the shape of the random mask, which is broadcast to that of `x`. The older
    argument `keep_prob` is `1 - rate`.

    >>> ag.nn.dropout([1.0, 2.0], rate=0.0).numpy()
    array([1., 2.], dtype=float32)

    Raises ValueError unless `0 <= rate < 1`.
    """
    x = convert_to_tensor(x)
    keep = keep_probability if keep_prob is None else keep_prob
    if (rate is None) == (keep is None):
        raise ValueError("dropout: give either rate or keep_prob")
    rate = 1 - keep if rate is None else rate
    if isinstance(rate, (int, float)) and not 0 <= rate < 1:
        raise ValueError(f"dropout: the rate is at least 0 and below 1, not {rate}")
    if isinstance(rate, (int, float)) and rate == 0:
        return x
    sizes = shape(x) if noise_shape is None else noise_shape
    is_kept = random.uniform(sizes, dtype=x.dtype, seed=seed) >= rate
    return where(is_kept, x / (1.0 - rate), zeros_like(x))
