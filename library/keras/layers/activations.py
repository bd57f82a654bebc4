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
    """The value itself."""
    return convert_to_tensor(x)


@activation
def relu(x, negative_slope=0.0, max_value=None, threshold=0.0):
    """`max(x, 0)`, or a variant: a slope below the threshold, a largest value.

    >>> ag.keras.activations.relu([-1.0, 5.0], max_value=3.0).numpy()
    array([0., 3.], dtype=float32)
    """
    x = convert_to_tensor(x)
    if not (negative_slope or threshold):
        made = Maximum(x, 0)
    else:
        made = where(x >= threshold, x, (x - threshold) * negative_slope)
    return made if max_value is None else clip_by_value(made, made.dtype.min, max_value)


@activation
def hard_sigmoid(x):
    """A sigmoid of three straight lines: 0, `x / 6 + 1/2`, 1."""
    return clip_by_value(convert_to_tensor(x) / 6 + 0.5, 0.0, 1.0)


@activation
def exponential(x):
    """The exponential."""
    return Exp(x)


@activation
def mish(x):
    """`x * tanh(softplus(x))`."""
    x = convert_to_tensor(x)
    return x * Tanh(lookup("nn.softplus")(x))


@activation
def softmax(x, axis=-1):
    """Exponentials that add up to 1 along `axis`."""
    return nn.softmax(x, axis)


@activation
def log_softmax(x, axis=-1):
    """The logarithm of `softmax`."""
    return nn.log_softmax(x, axis)


@activation
def gelu(x, approximate=False):
    """`x` times the probability that a normal number is below `x`."""
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
