"""Normalization layers: batch, layer and group normalization."""

from __future__ import annotations

import math

from .... import Tensor, cast, reduce_mean, reshape, where
from ....extend.operations import normal_axis, ops
from ....extend.specs import as_shape
from ...nn import functional as nn
from ...nn.normalization import batch_normalization
from . import initializers, regularizers
from .base_layer import Layer, layer


class _Normalizing(Layer):
    """Base class of normalization layers: a scale `gamma` and a shift `beta` along some axes."""

    def __init__(
        self, axis=-1, epsilon=1e-3, center=True, scale=True, beta_initializer="zeros",
        gamma_initializer="ones", beta_regularizer=None, gamma_regularizer=None, **kwargs,
    ):  # fmt: skip
        super().__init__(**kwargs)
        self.axis, self.epsilon, self.center, self.scale = axis, epsilon, center, scale
        self.beta_initializer = initializers.get(beta_initializer)
        self.gamma_initializer = initializers.get(gamma_initializer)
        self.beta_regularizer = regularizers.get(beta_regularizer)
        self.gamma_regularizer = regularizers.get(gamma_regularizer)
        self.gamma = self.beta = None

    def build(self, input_shape):
        sizes = as_shape(input_shape)
        self.axes = self.axes_of(len(sizes))
        self.sizes = [sizes[axis] for axis in self.axes]
        if self.scale:
            self.gamma = self.add_weight(
                "gamma", self.sizes, None, self.gamma_initializer, self.gamma_regularizer
            )
        if self.center:
            self.beta = self.add_weight(
                "beta", self.sizes, None, self.beta_initializer, self.beta_regularizer
            )

    def axes_of(self, rank: int) -> list[int]:
        """The axes that have separate scales, as nonnegative numbers."""
        axes = self.axis if isinstance(self.axis, (list, tuple)) else [self.axis]
        return sorted(normal_axis(axis, rank) for axis in axes)

    def along(self, weight, rank: int):
        """A weight reshaped to broadcast along its axes."""
        if weight is None or self.axes == list(range(rank - len(self.axes), rank)):
            return weight
        sizes = [1] * rank
        for axis, size in zip(self.axes, self.sizes, strict=True):
            sizes[axis] = size
        return reshape(weight, sizes)  # type: ignore[call-arg]

    def normalized(self, x, mean, variance):
        """`x` normalized by a mean and a variance, then scaled and shifted."""
        gamma, beta = self.along(self.gamma, x.ndim), self.along(self.beta, x.ndim)
        return batch_normalization(x, mean, variance, beta, gamma, self.epsilon)


@layer
class BatchNormalization(_Normalizing):
    """Normalizes each channel to mean 0 and variance 1.

    During training the mean and variance of the batch are used, otherwise their moving averages.

    Source: Ioffe & Szegedy, "Batch normalization", 2015.

    >>> layer = ag.keras.layers.BatchNormalization(name="norm")
    >>> layer([[1.0], [3.0]], training=True).numpy().round(2).tolist()
    [[-1.0], [1.0]]
    >>> [one.name for one in layer.non_trainable_weights]
    ['norm/moving_mean:0', 'norm/moving_variance:0']
    """

    def __init__(
        self, axis=-1, momentum=0.99, epsilon=1e-3, center=True, scale=True,
        moving_mean_initializer="zeros", moving_variance_initializer="ones", **kwargs,
    ):  # fmt: skip
        super().__init__(axis, epsilon, center, scale, **kwargs)
        self.momentum = momentum
        self.moving_mean_initializer = initializers.get(moving_mean_initializer)
        self.moving_variance_initializer = initializers.get(moving_variance_initializer)

    def build(self, input_shape):
        super().build(input_shape)
        self.moving_mean = self.add_weight(
            "moving_mean", self.sizes, None, self.moving_mean_initializer, trainable=False
        )
        self.moving_variance = self.add_weight(
            "moving_variance", self.sizes, None, self.moving_variance_initializer, trainable=False
        )

    def call(self, inputs, training=None):
        """Normalize by the batch and update the moving averages if `training`, else use them."""
        rank = inputs.ndim
        running = self.moving_mean.value(), self.moving_variance.value()
        is_staged = isinstance(training, Tensor)
        if not self.trainable or not (is_staged or training):
            return self.normalized(inputs, *(self.along(one, rank) for one in running))
        others = [axis for axis in range(rank) if axis not in self.axes]
        statistics = nn.moments(inputs, others)
        rate = 1 - self.momentum
        if is_staged:
            rate = cast(training, self.dtype) * rate
            statistics = tuple(
                where(training, *pair) for pair in zip(statistics, running, strict=True)
            )
        for moving, old, new in zip(
            (self.moving_mean, self.moving_variance), running, statistics, strict=True
        ):
            moving.assign_sub((old - new) * rate)
        return self.normalized(inputs, *(self.along(one, rank) for one in statistics))


@layer
class LayerNormalization(_Normalizing):
    """Normalizes each sample to mean 0 and variance 1 along `axis`.

    Source: Ba et al., "Layer normalization", 2016.

    >>> ag.keras.layers.LayerNormalization()([[1.0, 3.0]]).numpy().round(2)
    array([[-1.,  1.]], dtype=float32)
    """

    def call(self, inputs):
        mean, variance = nn.moments(inputs, self.axes, keepdims=True)
        return self.normalized(inputs, mean, variance)


@layer
class GroupNormalization(_Normalizing):
    """Normalizes each sample to mean 0 and variance 1 within each of `groups` groups of channels.

    Source: Wu & He, "Group normalization", 2018.
    """

    def __init__(self, groups=32, axis=-1, **kwargs):
        super().__init__(axis, **kwargs)
        self.groups = groups

    def call(self, inputs):
        rank, sizes = inputs.ndim, inputs.dims
        if self.axes != [rank - 1]:
            raise ValueError("GroupNormalization works along the last axis")
        groups = sizes[-1] if self.groups == -1 else self.groups
        split = reshape(inputs, [-1, math.prod(sizes[1:-1]), groups, sizes[-1] // groups])
        mean, variance = nn.moments(split, [1, 3], keepdims=True)
        normalized = batch_normalization(split, mean, variance, None, None, self.epsilon)
        normalized = reshape(normalized, [-1, *sizes[1:]])
        scaled = normalized if self.gamma is None else normalized * self.gamma
        return scaled if self.beta is None else scaled + self.beta


@layer
class RMSNormalization(Layer):
    """Inputs divided by the root of their mean square along `axis`, times a learned scale.

    Source: Zhang & Sennrich, "Root mean square layer normalization", 2019.

    >>> ag.keras.layers.RMSNormalization()([[3.0, 4.0]]).numpy().round(3)
    array([[0.849, 1.131]], dtype=float32)
    """

    def __init__(self, axis=-1, epsilon=1e-6, **kwargs):
        super().__init__(**kwargs)
        self.axis, self.epsilon = axis, epsilon

    def build(self, input_shape):
        axes = [self.axis] if isinstance(self.axis, int) else self.axis
        self.scale = self.add_weight("scale", [input_shape[axis] for axis in axes], None, "ones")

    def call(self, inputs):
        axes = [self.axis] if isinstance(self.axis, int) else list(self.axis)
        places = {one % inputs.ndim for one in axes}
        sizes = [inputs.dims[one] if one in places else 1 for one in range(inputs.ndim)]
        mean = reduce_mean(inputs * inputs, axes, True)
        return inputs * ops.rsqrt(mean + self.epsilon) * reshape(self.scale, sizes)
