"""Layers that change their inputs during training only, or add a loss."""

from __future__ import annotations

import math

from .... import random, reduce_sum, shape, where
from .base_layer import Layer, layer
from .core_layers import Dropout


@layer
class SpatialDropout1D(Dropout):
    """Dropout of whole channels of sequences [batch, steps, channels]."""

    def _noise_shape(self, inputs):
        sizes = shape(inputs)
        return [sizes[0], 1, sizes[2]]


@layer
class SpatialDropout3D(Dropout):
    """Dropout of whole channels of volumes [batch, depth, height, width, channels]."""

    def _noise_shape(self, inputs):
        sizes = shape(inputs)
        return [sizes[0], 1, 1, 1, sizes[4]]


@layer
class GaussianDropout(Layer):
    """During training, multiplies with normally distributed noise of mean 1."""

    def __init__(self, rate, seed=None, **kwargs):
        super().__init__(**kwargs)
        self.rate, self.seed = rate, seed

    def call(self, inputs, training=None):
        if not training or not self.rate:
            return inputs
        deviation = math.sqrt(self.rate / (1 - self.rate))
        return inputs * random.normal(shape(inputs), 1.0, deviation, inputs.dtype, self.seed)


@layer
class AlphaDropout(Layer):
    """Dropout that keeps mean and variance of the outputs of `selu`.

    Source: Klambauer et al., "Self-normalizing neural networks", 2017.
    """

    def __init__(self, rate, noise_shape=None, seed=None, **kwargs):
        super().__init__(**kwargs)
        self.rate, self.noise_shape, self.seed = rate, noise_shape, seed

    def call(self, inputs, training=None):
        if not training or not self.rate:
            return inputs
        low = -1.0507009873554805 * 1.6732632423543772
        sizes = shape(inputs) if self.noise_shape is None else self.noise_shape
        kept = random.uniform(sizes, seed=self.seed) >= self.rate
        scale = ((1 - self.rate) * (1 + self.rate * low**2)) ** -0.5
        return where(kept, inputs, low) * scale - scale * low * self.rate


@layer
class ActivityRegularization(Layer):
    """Passes its inputs on, and adds a penalty on their size to the losses.

    >>> layer = ag.keras.layers.ActivityRegularization(l1=0.5)
    >>> _ = layer(ag.constant([[1.0, -3.0]]))
    >>> [float(one) for one in layer.losses]
    [2.0]
    """

    def __init__(self, l1=0.0, l2=0.0, **kwargs):
        super().__init__(**kwargs)
        self.l1, self.l2 = l1, l2

    def call(self, inputs):
        penalty = self.l1 * reduce_sum(abs(inputs)) + self.l2 * reduce_sum(inputs * inputs)
        self.add_loss(penalty)
        return inputs
