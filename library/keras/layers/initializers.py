"""Initializers: objects that return the initial values of weights for a shape and a dtype."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .... import as_dtype, convert_to_tensor, eye, float32, linalg, ones, random, zeros
from ....extend.operations import ops
from ....extend.registration import expose
from ....extend.specs import as_shape
from ..registry import Configured, finder, keras_class, snake

initializer = keras_class("initializers")


class Initializer(Configured):
    """Base class of initializers: `initializer(shape, dtype)` returns a tensor."""

    def __call__(self, shape, dtype=float32, **kwargs) -> Any:
        raise NotImplementedError(f"{type(self).__name__} does not define `__call__`")


initializer(Initializer)


def _sizes(shape) -> tuple[int, ...]:
    return tuple(int(size) for size in as_shape(shape))  # type: ignore[arg-type, union-attr]


@keras_class("initializers", "constant")
class Constant(Initializer):
    """All elements equal to `value`, or the array `value`, which is broadcast to the shape.

    >>> ag.keras.initializers.Constant(3.0)([2]).numpy()
    array([3., 3.], dtype=float32)
    """

    def __init__(self, value=0.0) -> None:
        self.value = value

    def __call__(self, shape, dtype=float32, **kwargs) -> Any:
        value = convert_to_tensor(np.asarray(self.value))
        array = np.broadcast_to(value.numpy(), _sizes(shape))
        return convert_to_tensor(array.astype(as_dtype(dtype).numpy_dtype))


@keras_class("initializers", "zeros", "zero")
class Zeros(Initializer):
    """All elements 0."""

    def __call__(self, shape, dtype=float32, **kwargs) -> Any:
        return zeros(_sizes(shape), dtype)


@keras_class("initializers", "ones", "one")
class Ones(Initializer):
    """All elements 1."""

    def __call__(self, shape, dtype=float32, **kwargs) -> Any:
        return ones(_sizes(shape), dtype)


@keras_class("initializers", "normal", "random_normal")
class RandomNormal(Initializer):
    """Normally distributed values."""

    def __init__(self, mean=0.0, stddev=0.05, seed=None) -> None:
        self.mean, self.stddev, self.seed = mean, stddev, seed

    def __call__(self, shape, dtype=float32, **kwargs) -> Any:
        return random.normal(_sizes(shape), self.mean, self.stddev, dtype, self.seed)


@keras_class("initializers", "truncated_normal")
class TruncatedNormal(RandomNormal):
    """Normally distributed values within two standard deviations of the mean."""

    def __call__(self, shape, dtype=float32, **kwargs) -> Any:
        return random.truncated_normal(_sizes(shape), self.mean, self.stddev, dtype, self.seed)


@keras_class("initializers", "uniform", "random_uniform")
class RandomUniform(Initializer):
    """Uniformly distributed values, `minval <= x < maxval`."""

    def __init__(self, minval=-0.05, maxval=0.05, seed=None) -> None:
        self.minval, self.maxval, self.seed = minval, maxval, seed

    def __call__(self, shape, dtype=float32, **kwargs) -> Any:
        return random.uniform(_sizes(shape), self.minval, self.maxval, dtype, self.seed)


@keras_class("initializers", "identity", "IdentityInitializer")
class Identity(Initializer):
    """The identity matrix, times `gain`."""

    def __init__(self, gain=1.0) -> None:
        self.gain = gain

    def __call__(self, shape, dtype=float32, **kwargs):
        rows, columns = _sizes(shape)
        return eye(rows, columns, dtype=dtype) * self.gain


@keras_class("initializers", "orthogonal", "OrthogonalInitializer")
class Orthogonal(Initializer):
    """A matrix with orthogonal columns or rows, times `gain`.

    Source: Saxe et al., "Exact solutions to the nonlinear dynamics of learning", 2014.

    >>> q = ag.keras.initializers.Orthogonal()([3, 3])
    >>> np.allclose(ag.matmul(q, q, transpose_a=True), np.eye(3), atol=1e-5)
    True
    """

    def __init__(self, gain=1.0, seed=None) -> None:
        self.gain, self.seed = gain, seed

    def __call__(self, shape, dtype=float32, **kwargs) -> Any:
        *rows, columns = _sizes(shape)
        count = math.prod(rows)
        drawn = random.normal([max(count, columns), min(count, columns)], seed=self.seed).numpy()
        q, r = np.linalg.qr(drawn)
        q = q * np.asarray(ops.sign(linalg.diag_part(r)))  # type: ignore[call-arg]
        q = q.T if count < columns else q
        values = self.gain * q.reshape(_sizes(shape))
        return convert_to_tensor(values.astype(as_dtype(dtype).numpy_dtype))


def fans(shape) -> tuple[float, float]:
    """The fan-in and fan-out of a weight: the number of inputs and outputs of a unit."""
    sizes = _sizes(shape)
    if len(sizes) < 2:
        return (math.prod(sizes),) * 2
    window = math.prod(sizes[:-2])
    return sizes[-2] * window, sizes[-1] * window


@keras_class("initializers", "variance_scaling")
class VarianceScaling(Initializer):
    """Random values with the variance `scale / fan`, where `mode` selects the fan.

    mode          "fan_in", "fan_out" or "fan_avg"
    distribution  "truncated_normal", "untruncated_normal" or "uniform"
    """

    def __init__(
        self, scale=1.0, mode="fan_in", distribution="truncated_normal", seed=None
    ) -> None:
        self.scale, self.mode, self.distribution, self.seed = scale, mode, distribution, seed
        if scale <= 0:
            raise ValueError(f"VarianceScaling: the scale is positive, not {scale}")
        if mode not in ("fan_in", "fan_out", "fan_avg"):
            raise ValueError(f"VarianceScaling: there is no mode {mode!r}")

    def __call__(self, shape, dtype=float32, **kwargs):
        fan_in, fan_out = fans(shape)
        fan = {"fan_in": fan_in, "fan_out": fan_out, "fan_avg": (fan_in + fan_out) / 2}[self.mode]
        variance = self.scale / max(1.0, fan)
        sizes, seed = _sizes(shape), self.seed
        if self.distribution == "uniform":
            limit = math.sqrt(3 * variance)
            return random.uniform(sizes, -limit, limit, dtype, seed)
        if self.distribution == "untruncated_normal":
            return random.normal(sizes, 0.0, math.sqrt(variance), dtype, seed)
        cut = 0.87962566103423978  # deviation of the truncated distribution
        return random.truncated_normal(sizes, 0.0, math.sqrt(variance) / cut, dtype, seed)


def _scaled(name: str, scale: float, mode: str, distribution: str, source: str):
    """An initializer that is `VarianceScaling` with fixed settings."""

    def start(self, seed=None):
        VarianceScaling.__init__(self, scale, mode, distribution, seed)

    body = {"__init__": start, "__doc__": f"Source: {source}", "__module__": __name__}
    return keras_class("initializers", snake(name))(type(name, (VarianceScaling,), body))


_GLOROT = 'Glorot & Bengio, "Understanding the difficulty of training deep networks", 2010.'
_HE = 'He et al., "Delving deep into rectifiers", 2015.'
_LECUN = 'LeCun et al., "Efficient backprop", 1998.'
GlorotUniform = _scaled("GlorotUniform", 1.0, "fan_avg", "uniform", _GLOROT)
GlorotNormal = _scaled("GlorotNormal", 1.0, "fan_avg", "truncated_normal", _GLOROT)
HeUniform = _scaled("HeUniform", 2.0, "fan_in", "uniform", _HE)
HeNormal = _scaled("HeNormal", 2.0, "fan_in", "truncated_normal", _HE)
LecunUniform = _scaled("LecunUniform", 1.0, "fan_in", "uniform", _LECUN)
LecunNormal = _scaled("LecunNormal", 1.0, "fan_in", "truncated_normal", _LECUN)

for _class in (Constant, Zeros, Ones, RandomNormal, RandomUniform, TruncatedNormal, Orthogonal):
    expose(_class, f"{snake(_class.__name__)}_initializer")

get = finder("initializers")
