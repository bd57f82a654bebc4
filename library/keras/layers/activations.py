"""Activations by name: functions from tensors to tensors."""

from __future__ import annotations

import numpy as np

from .... import (
    cast,
    clip_by_value,
    convert_to_tensor,
    cumsum,
    reduce_sum,
    shape,
    sort,
    split,
    where,
    zeros_like,
)
from ....extend.operations import NumpyNamespace, ops
from ....extend.registration import expose, lookup
from ...nn import functional as nn
from ..registry import TABLES, finder, keras_class

activation = keras_class("activations")

NUMPY = NumpyNamespace(np)


@activation
def linear(x):
    """The identity function."""
    return convert_to_tensor(x)


@activation
def relu(x, negative_slope=0.0, max_value=None, threshold=0.0):
    """`max(x, 0)`, optionally with a slope below the threshold and a maximal value.

    Below `threshold` the result is `negative_slope * (x - threshold)`.

    >>> ag.keras.activations.relu([-1.0, 5.0], max_value=3.0).numpy()
    array([0., 3.], dtype=float32)
    """
    x = convert_to_tensor(x)
    if not (negative_slope or threshold):
        result = nn.relu(x)
    else:
        result = where(x > threshold, x, -negative_slope * nn.relu(threshold - x))
    return result if max_value is None else ops.minimum(result, max_value)


@activation
def hard_sigmoid(x):
    """A piecewise linear sigmoid: `x / 6 + 0.5`, clipped to the range from 0 to 1."""
    return nn.relu6(convert_to_tensor(x) + 3.0) / 6


@activation
def exponential(x):
    """`exp(x)`."""
    return ops.exp(x)


@activation
def mish(x):
    """`x * tanh(softplus(x))`."""
    x = convert_to_tensor(x)
    return x * ops.tanh(lookup("nn.softplus")(x))


@activation
def softmax(x, axis=-1):
    """`exp(x)` divided by its sum along `axis`."""
    return nn.softmax(x, axis)


@activation
def log_softmax(x, axis=-1):
    """The logarithm of `softmax`."""
    return nn.log_softmax(x, axis)


@activation
def gelu(x, approximate=False):
    """`x` times the CDF of the standard normal distribution, or its tanh approximation."""
    return nn.gelu(x, approximate)


@activation
def silu(x):
    """`x * sigmoid(x)`."""
    x = convert_to_tensor(x)
    return x * ops.sigmoid(x)


@activation
def elu(x, alpha=1.0):
    """`x` where it is positive, else `alpha * (exp(x) - 1)`."""
    x = convert_to_tensor(x)
    return nn.elu(x) if alpha == 1 else where(x > 0, x, alpha * nn.elu(x))


@activation
def leaky_relu(x, negative_slope=0.2):
    """`x` where it is positive, else `negative_slope * x`."""
    x = convert_to_tensor(x)
    return nn.leaky_relu(cast(x, "float32") if x.dtype.is_integer else x, negative_slope)


@activation
def celu(x, alpha=1.0):
    """`max(x, 0) + min(alpha * (exp(x / alpha) - 1), 0)`.

    >>> ag.keras.activations.celu([-1.0, 2.0], alpha=2.0).numpy().round(3)
    array([-0.787,  2.   ], dtype=float32)
    """
    x = convert_to_tensor(x)
    return where(x > 0, x, alpha * ops.expm1(ops.minimum(x, 0) / alpha))


@activation
def glu(x, axis=-1):
    """The first half along an axis times the sigmoid of the second half.

    >>> ag.keras.activations.glu([2.0, 0.0]).numpy()
    array([1.], dtype=float32)
    """
    gated, gate = split(convert_to_tensor(x), 2, axis)
    return gated * ops.sigmoid(gate)


@activation
def hard_silu(x):
    """`x * hard_sigmoid(x)`."""
    x = convert_to_tensor(x)
    return x * hard_sigmoid(x)


@activation
def hard_tanh(x):
    """The elements limited to the range from -1 to 1."""
    return clip_by_value(convert_to_tensor(x), -1.0, 1.0)


@activation
def log_sigmoid(x):
    """The logarithm of the sigmoid, without overflow."""
    return -lookup("nn.softplus")(-convert_to_tensor(x))


@activation
def tanh_shrink(x):
    """`x - tanh(x)`."""
    x = convert_to_tensor(x)
    return x - ops.tanh(x)


@activation
def hard_shrink(x, threshold=0.5):
    """`x` where its absolute value is above the threshold, else 0."""
    x = convert_to_tensor(x)
    return where(abs(x) > threshold, x, zeros_like(x))


@activation
def soft_shrink(x, threshold=0.5):
    """`x` moved towards 0 by the threshold, or 0 if it is nearer.

    >>> ag.keras.activations.soft_shrink([-2.0, 0.3]).numpy()
    array([-1.5,  0. ], dtype=float32)
    """
    x = convert_to_tensor(x)
    return nn.relu(x - threshold) - nn.relu(-x - threshold)


@activation
def threshold(x, threshold, default_value):
    """`x` where it is above the threshold, else another value."""
    x = convert_to_tensor(x)
    return where(x > threshold, x, zeros_like(x) + default_value)


@activation
def squareplus(x, b=4):
    """`(x + sqrt(x ** 2 + b)) / 2`."""
    x = convert_to_tensor(x)
    return (x + ops.sqrt(x * x + b)) / 2


@activation
def sparse_plus(x):
    """0 below -1, `(x + 1) ** 2 / 4` up to 1, and `x` above."""
    x = convert_to_tensor(x)
    return where(x <= -1, zeros_like(x), where(x < 1, (x + 1) * (x + 1) / 4, x))


@activation
def sparse_sigmoid(x):
    """`(x + 1) / 2`, limited to the range from 0 to 1."""
    return ops.minimum(1.0, nn.relu((convert_to_tensor(x) + 1) / 2))


@activation
def sparsemax(x, axis=-1):
    """The nearest probabilities, of which many are 0.

    Source: Martins & Astudillo, "From softmax to sparsemax", 2016.

    >>> ag.keras.activations.sparsemax([0.5, 0.2, -1.0]).numpy().round(3)
    array([0.65, 0.35, 0.  ], dtype=float32)
    """
    x = NUMPY.moveaxis(convert_to_tensor(x), axis, -1)
    ordered = sort(x, direction="DESCENDING")
    sums = cumsum(ordered, -1)
    places = cast(ops.range(1, shape(x)[-1] + 1, 1), x.dtype)
    inside = ordered * places + 1 > sums
    count = reduce_sum(cast(inside, x.dtype), -1, True)
    total = reduce_sum(where(inside, ordered, zeros_like(x)), -1, True)
    return NUMPY.moveaxis(ops.maximum(x - (total - 1) / count, 0), -1, axis)


def _of_nn(name: str):
    TABLES["activations"][name] = expose(lookup("nn." + name), "keras.activations." + name)
    return TABLES["activations"][name]


selu, relu6, softplus, softsign, sigmoid, tanh = map(
    _of_nn, ("selu", "relu6", "softplus", "softsign", "sigmoid", "tanh")
)
for _alias, _function in (("swish", silu), ("hard_swish", hard_silu)):
    TABLES["activations"][_alias] = expose(_function, "keras.activations." + _alias)

get = finder("activations", default=linear)
