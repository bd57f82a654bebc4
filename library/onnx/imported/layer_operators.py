"""Activations and normalizations of ONNX."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .... import convert_to_tensor
from ....extend.errors import UnimplementedError
from ....extend.operations import ops as by_name
from .operator_table import like, operator, reduced

ops: Any = by_name  # operations get their calls from modules that mypy does not see here


def _where_below(x, limit, below, above):
    return ops.select(ops.less(x, like(limit, x)), below, above)


def _scaled(x, factor):
    return ops.multiply(x, like(factor, x))


@operator("PRelu")
def prelu(x, slope):
    """A vector of slopes belongs to the channels, as in the first versions."""
    x, slope = convert_to_tensor(x), convert_to_tensor(slope)
    if len(x.dims) > 2 and len(slope.dims) == 1 and slope.dims[0] == x.dims[1] != x.dims[-1]:
        slope = _for_channels(slope, x)
    return _where_below(x, 0, ops.multiply(x, slope), x)


@operator("Selu")
def selu(x, *, alpha=1.6732632423543772, gamma=1.0507009873554805):
    return _scaled(_where_below(x, 0, _scaled(ops.expm1(x), alpha), x), gamma)


@operator("Celu")
def celu(x, *, alpha=1.0):
    below = _scaled(ops.expm1(_scaled(x, 1 / alpha)), alpha)
    return _where_below(x, 0, below, x)


@operator("Gelu")
def gelu(x, *, approximate="none"):
    if approximate == "tanh":
        cubed = _scaled(ops.multiply(ops.multiply(x, x), x), 0.044715)
        share = ops.tanh(_scaled(ops.add(x, cubed), math.sqrt(2 / math.pi)))
    else:
        share = ops.erf(_scaled(x, math.sqrt(0.5)))
    return ops.multiply(_scaled(x, 0.5), ops.add(share, like(1, x)))


@operator("Mish")
def mish(x):
    return ops.multiply(x, ops.tanh(ops.softplus(x)))


@operator("HardSigmoid")
def hard_sigmoid(x, *, alpha=0.2, beta=0.5):
    line = ops.add(_scaled(x, alpha), like(beta, x))
    return ops.minimum(ops.maximum(line, like(0, x)), like(1, x))


@operator("HardSwish")
def hard_swish(x):
    return ops.multiply(x, hard_sigmoid(x, alpha=1 / 6))


@operator("ThresholdedRelu")
def thresholded_relu(x, *, alpha=1.0):
    return ops.select(ops.greater(x, like(alpha, x)), x, _scaled(x, 0))


@operator("Shrink")
def shrink(x, *, bias=0.0, lambd=0.5):
    less = ops.subtract(x, like(bias, x))
    above = ops.select(ops.greater(x, like(lambd, x)), less, _scaled(x, 0))
    return _where_below(x, -lambd, ops.add(x, like(bias, x)), above)


def _normalized(x, axes: list[int], epsilon: float):
    """`x` with the mean 0 and the variance 1 along these axes."""
    mean = ops.reduce_mean(x, axis=tuple(axes), keepdims=True)
    distance = ops.subtract(x, mean)
    variance = ops.reduce_mean(ops.multiply(distance, distance), axis=tuple(axes), keepdims=True)
    return ops.multiply(distance, ops.rsqrt(ops.add(variance, like(epsilon, x))))


def _for_channels(value, x):
    """A vector along the second axis."""
    return ops.reshape(value, np.array([1, -1, *[1] * (len(x.dims) - 2)], np.int64))


@operator("InstanceNormalization")
def instance_normalization(x, scale, bias, *, epsilon=1e-5):
    found = _normalized(x, list(range(2, len(x.dims))), epsilon)
    return ops.add(ops.multiply(found, _for_channels(scale, x)), _for_channels(bias, x))


@operator("LayerNormalization")
def layer_normalization(x, scale, bias=None, *, axis=-1, epsilon=1e-5, stash_type=1, count=1):
    if count > 1:
        raise UnimplementedError("LayerNormalization with its mean as a result")
    rank = len(x.dims)
    found = ops.multiply(_normalized(x, list(range(axis % rank, rank)), epsilon), scale)
    return found if bias is None else ops.add(found, bias)


@operator("MeanVarianceNormalization")
def mean_variance_normalization(x, *, axes=(0, 2, 3)):
    return _normalized(x, list(axes), 1e-9)


@operator("LRN")
def local_response_normalization(x, *, size, alpha=1e-4, beta=0.75, bias=1.0):
    """Each channel over the squares of those around it."""
    channels = x.dims[1]
    if channels is None:
        raise UnimplementedError("LRN over an open number of channels")
    before = (size - 1) // 2
    margins = np.zeros((len(x.dims), 2), np.int64)
    margins[1] = before, size - 1 - before
    squares = ops.pad(ops.multiply(x, x), margins, like(0, x), mode="CONSTANT")
    total = squares[:, :channels]
    for at in range(1, size):
        total = ops.add(total, squares[:, at : at + channels])
    scale = ops.add(_scaled(total, alpha / size), like(bias, x))
    return ops.divide(x, ops.pow(scale, like(beta, x)))


@operator("LpNormalization")
def lp_normalization(x, *, axis=-1, p=2):
    return ops.divide_no_nan(x, reduced_function(x, axes=[axis], op_type=f"ReduceL{p}"))


@operator("ReduceL1", "ReduceL2", "ReduceSumSquare", "ReduceLogSum", "ReduceLogSumExp")
def reduced_function(x, axes_operand=None, *, op_type="", **options):
    """A sum of a function of the elements, and a function of that sum."""
    options["op_type"] = "ReduceSum"
    if op_type == "ReduceL1":
        return reduced(ops.abs(x), axes_operand, **options)
    if op_type == "ReduceLogSum":
        return ops.log(reduced(x, axes_operand, **options))
    if op_type == "ReduceLogSumExp":
        top = ops.reduce_max(x, axis=None, keepdims=False)
        total = reduced(ops.exp(ops.subtract(x, top)), axes_operand, **options)
        return ops.add(ops.log(total), top)
    total = reduced(ops.multiply(x, x), axes_operand, **options)
    return ops.sqrt(total) if op_type == "ReduceL2" else total
