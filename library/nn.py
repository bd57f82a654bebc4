"""Functions that neural networks are made of."""

from __future__ import annotations

from ..runtime.apply import convert_to_tensor
from ..runtime.op import TABLE
from ..runtime.ops.creation import ones_like, zeros_like
from ..runtime.ops.random import uniform
from ..runtime.ops.reductions import reduce_logsumexp, reduce_max, reduce_sum
from ..runtime.ops.shaping import shape
from ..runtime.ops.slicing import where
from ..runtime.vocabulary import public

maximum, minimum, exp, erf, sigmoid = (
    TABLE[name] for name in ("maximum", "minimum", "exp", "erf", "sigmoid")
)


@public("nn.relu")
def relu(features, name=None):
    """`max(x, 0)`.

    >>> relu([-1.0, 2.0]).numpy()
    array([0., 2.], dtype=float32)
    """
    return maximum(features, 0)


@public("nn.relu6")
def relu6(features, name=None):
    """`min(max(x, 0), 6)`."""
    return minimum(maximum(features, 0), 6)


@public("nn.leaky_relu")
def leaky_relu(features, alpha=0.2, name=None):
    """`x` where it is positive, else `alpha * x`."""
    x = convert_to_tensor(features)
    return where(x > 0, x, x * alpha)


@public("nn.elu")
def elu(features, name=None):
    """`x` where it is positive, else `exp(x) - 1`."""
    x = convert_to_tensor(features)
    return where(x > 0, x, TABLE["expm1"](minimum(x, 0)))


@public("nn.silu", "nn.swish")
def silu(features, beta=1.0):
    """`x * sigmoid(beta * x)`."""
    x = convert_to_tensor(features)
    return x * sigmoid(x * beta)


@public("nn.gelu")
def gelu(features, approximate=False, name=None):
    """`x` times the probability that a normal number is below `x`.

    >>> float(gelu(0.0))
    0.0
    """
    x = convert_to_tensor(features)
    if approximate:
        return 0.5 * x * (1.0 + TABLE["tanh"](0.7978845608028654 * (x + 0.044715 * x * x * x)))
    return 0.5 * x * (1.0 + erf(x * 0.7071067811865476))


@public("nn.softmax")
def softmax(logits, axis=-1, name=None):
    """Exponentials that add up to 1 along `axis`.

    >>> softmax([0.0, 0.0]).numpy()
    array([0.5, 0.5], dtype=float32)
    """
    x = convert_to_tensor(logits)
    powers = exp(x - reduce_max(x, axis, True))
    return powers / reduce_sum(powers, axis, True)


@public("nn.log_softmax")
def log_softmax(logits, axis=-1, name=None):
    """The logarithm of `softmax`, without underflow."""
    x = convert_to_tensor(logits)
    return x - reduce_logsumexp(x, axis, True)


@public("nn.l2_normalize", "math.l2_normalize")
def l2_normalize(x, axis=None, epsilon=1e-12, name=None):
    """Vectors scaled to length 1."""
    x = convert_to_tensor(x)
    return x * TABLE["rsqrt"](maximum(reduce_sum(x * x, axis, True), epsilon))


@public("nn.bias_add")
def bias_add(value, bias, data_format=None, name=None):
    """A vector added along the last axis."""
    return convert_to_tensor(value) + bias


@public("nn.dropout")
def dropout(x, rate, noise_shape=None, seed=None, name=None):
    """Elements set to 0 with probability `rate`, the others scaled up to keep the mean."""
    x = convert_to_tensor(x)
    kept = (
        uniform(shape(x) if noise_shape is None else noise_shape, dtype=x.dtype, seed=seed) >= rate
    )
    return where(kept, x / (1.0 - rate) * ones_like(x), zeros_like(x))
