"""Activations by name: functions from tensors to tensors."""

from __future__ import annotations

from ....runtime.core.public_names import expose, lookup
from ....runtime.ops.array.clipping import clip_by_value
from ....runtime.ops.array.masking import where
from ....runtime.ops.math.elementwise import Maximum
from ....runtime.ops.math.transcendental import Exp, Sigmoid, Tanh
from ....runtime.tensors.apply import convert_to_tensor
from ...nn import functional as nn
from ..registry import TABLES, finder, keras_class

activation = keras_class("activations")


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
        result = Maximum(x, 0)
    else:
        result = where(x >= threshold, x, (x - threshold) * negative_slope)
    return result if max_value is None else clip_by_value(result, result.dtype.min, max_value)


@activation
def hard_sigmoid(x):
    """A piecewise linear sigmoid: `x / 6 + 0.5`, clipped to the range from 0 to 1."""
    return clip_by_value(convert_to_tensor(x) / 6 + 0.5, 0.0, 1.0)


@activation
def exponential(x):
    """`exp(x)`."""
    return Exp(x)


@activation
def mish(x):
    """`x * tanh(softplus(x))`."""
    x = convert_to_tensor(x)
    return x * Tanh(lookup("nn.softplus")(x))


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
    return x * Sigmoid(x)


for _name in ("elu", "selu", "relu6", "leaky_relu", "softplus", "softsign", "sigmoid", "tanh"):
    TABLES["activations"][_name] = expose(lookup("nn." + _name), "keras.activations." + _name)
TABLES["activations"]["swish"] = expose(silu, "keras.activations.swish")

get = finder("activations", default=linear)
