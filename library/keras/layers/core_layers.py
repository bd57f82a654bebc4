"""Core layers: dense, embedding, dropout, activations, and changes of shape."""

from __future__ import annotations

import math

import numpy as np

from .... import (
    cast,
    cond,
    convert_to_tensor,
    expand_dims,
    gather,
    matmul,
    random,
    reshape,
    shape,
    tensordot,
    transpose,
)
from ....extend import nest
from ....extend.errors import ShapeError
from ....extend.operations import ops
from ....extend.specs import CompositeTensor, as_shape, show
from ....extend.tracing import call_user_code
from ...nn import functional as nn
from . import activations, constraints, initializers, regularizers
from .base_layer import Layer, last_size, layer


@layer
class Dense(Layer):
    """A fully connected layer: `activation(inputs @ kernel + bias)` over the last axis.

    Inputs of shape [..., n] give outputs of shape [..., units].

    >>> layer = ag.keras.layers.Dense(4, activation="relu")
    >>> layer(ag.ones([2, 3])).shape
    TensorShape([2, 4])
    >>> [tuple(weight.shape) for weight in layer.weights]
    [(3, 4), (4,)]
    """

    least_rank = 2

    def __init__(
        self, units, activation=None, use_bias=True, kernel_initializer="glorot_uniform",
        bias_initializer="zeros", kernel_regularizer=None, bias_regularizer=None,
        kernel_constraint=None, bias_constraint=None, **kwargs,
    ):  # fmt: skip
        super().__init__(**kwargs)
        if not isinstance(units, (int, np.integer)) or units <= 0:
            raise ValueError(f"Dense: units is a positive integer, not {units!r}")
        self.units = int(units)
        self.activation = activations.get(activation)
        self.use_bias = use_bias
        self.kernel_initializer = initializers.get(kernel_initializer)
        self.bias_initializer = initializers.get(bias_initializer)
        self.kernel_regularizer = regularizers.get(kernel_regularizer)
        self.bias_regularizer = regularizers.get(bias_regularizer)
        self.kernel_constraint = constraints.get(kernel_constraint)
        self.bias_constraint = constraints.get(bias_constraint)
        self.kernel = self.bias = None

    def build(self, input_shape):
        size = last_size(input_shape, self.name)
        self.kernel = self.add_weight(
            "kernel", [size, self.units], None, self.kernel_initializer, self.kernel_regularizer,
            constraint=self.kernel_constraint,
        )  # fmt: skip
        if self.use_bias:
            self.bias = self.add_weight(
                "bias", [self.units], None, self.bias_initializer, self.bias_regularizer,
                constraint=self.bias_constraint,
            )  # fmt: skip

    def call(self, inputs):
        x = cast(inputs, self.dtype)
        if x.ndim == 2:
            y = matmul(x, self.kernel)
        else:
            y = tensordot(x, self.kernel, [[x.ndim - 1], [0]])
        return self.activation(y if self.bias is None else y + self.bias)


@layer
class Embedding(Layer):
    """A table of `input_dim` vectors of length `output_dim`; integer inputs select rows.

    Inputs of shape [...] give outputs of shape [..., output_dim].

    >>> ag.keras.layers.Embedding(10, 4)(ag.constant([[1, 2, 3]])).shape
    TensorShape([1, 3, 4])
    """

    def __init__(
        self, input_dim, output_dim, embeddings_initializer="uniform", embeddings_regularizer=None,
        mask_zero=False, input_length=None, **kwargs,
    ):  # fmt: skip
        super().__init__(**kwargs)
        self.input_dim, self.output_dim = int(input_dim), int(output_dim)
        self.embeddings_initializer = initializers.get(embeddings_initializer)
        self.embeddings_regularizer = regularizers.get(embeddings_regularizer)
        self.mask_zero = mask_zero

    def build(self, input_shape=None):
        self.embeddings = self.add_weight(
            "embeddings", [self.input_dim, self.output_dim], None, self.embeddings_initializer,
            self.embeddings_regularizer,
        )  # fmt: skip

    def call(self, inputs):
        x = inputs if isinstance(inputs, CompositeTensor) else convert_to_tensor(inputs)
        return gather(self.embeddings, x if x.dtype.is_integer else cast(x, "int32"))

    def compute_mask(self, inputs, mask=None):
        """True for inputs other than 0 if `mask_zero` is set, else None."""
        return convert_to_tensor(inputs) != 0 if self.mask_zero else None


@layer
class Dropout(Layer):
    """During training, sets elements to 0 with probability `rate` and scales up the others."""

    def __init__(self, rate, noise_shape=None, seed=None, **kwargs):
        super().__init__(**kwargs)
        if not 0 <= rate <= 1:
            raise ValueError(f"Dropout: the rate is at least 0 and at most 1, not {rate}")
        self.rate, self.noise_shape, self.seed = rate, noise_shape, seed

    def call(self, inputs, training=None):
        """`training` may be a bool or a scalar bool tensor."""
        if training is None or self.rate == 0:
            return inputs
        if isinstance(training, (int, np.generic)):
            return self._dropped(inputs) if training else inputs
        return cond(training, lambda: self._dropped(inputs), lambda: inputs)

    def _dropped(self, inputs):
        if self.rate == 1:
            return inputs * 0
        return nn.dropout(inputs, self.rate, self._noise_shape(inputs), self.seed)

    def _noise_shape(self, inputs):
        if self.noise_shape is None:
            return None
        sizes = shape(inputs)
        return [sizes[i] if size is None else size for i, size in enumerate(self.noise_shape)]


@layer
class SpatialDropout2D(Dropout):
    """Dropout of whole channels of images [batch, height, width, channels]."""

    def _noise_shape(self, inputs):
        sizes = shape(inputs)
        return [sizes[0], 1, 1, sizes[3]]


@layer
class GaussianNoise(Layer):
    """During training, adds normally distributed noise."""

    def __init__(self, stddev, seed=None, **kwargs):
        super().__init__(**kwargs)
        self.stddev, self.seed = stddev, seed

    def call(self, inputs, training=None):
        if not training:
            return inputs
        return inputs + random.normal(shape(inputs), 0.0, self.stddev, inputs.dtype, self.seed)


@layer
class Activation(Layer):
    """An activation function as a layer."""

    def __init__(self, activation, **kwargs):
        super().__init__(**kwargs)
        self.activation = activations.get(activation)

    def call(self, inputs):
        return self.activation(inputs)


@layer
class ReLU(Layer):
    """`max(x, 0)`, optionally with a slope below the threshold and a maximal value."""

    def __init__(self, max_value=None, negative_slope=0.0, threshold=0.0, **kwargs):
        super().__init__(**kwargs)
        self.max_value, self.negative_slope, self.threshold = max_value, negative_slope, threshold

    def call(self, inputs):
        return activations.relu(inputs, self.negative_slope, self.max_value, self.threshold)


@layer
class LeakyReLU(Layer):
    """`x` where it is positive, else `negative_slope * x`."""

    def __init__(self, alpha=0.3, negative_slope=None, **kwargs):
        super().__init__(**kwargs)
        self.alpha = alpha if negative_slope is None else negative_slope

    def call(self, inputs):
        return nn.leaky_relu(inputs, self.alpha)


@layer
class ELU(Layer):
    """`x` where it is positive, else `alpha * (exp(x) - 1)`."""

    def __init__(self, alpha=1.0, **kwargs):
        super().__init__(**kwargs)
        self.alpha = alpha

    def call(self, inputs):
        return activations.elu(inputs, self.alpha)


@layer
class Softmax(Layer):
    """`exp(x)` divided by its sum along `axis`."""

    def __init__(self, axis=-1, **kwargs):
        super().__init__(**kwargs)
        self.axis = axis

    def call(self, inputs):
        return nn.softmax(inputs, self.axis)


@layer
class Flatten(Layer):
    """All axes after the batch axis flattened into one.

    >>> ag.keras.layers.Flatten()(ag.ones([2, 3, 4])).shape
    TensorShape([2, 12])
    """

    def compute_mask(self, inputs, mask=None):
        return None  # there is no axis of steps any more

    def call(self, inputs):
        x = convert_to_tensor(inputs)
        sizes = x.dims
        if sizes is None or None in sizes[1:]:
            return reshape(x, [shape(x)[0], -1])
        return reshape(x, [-1, math.prod(sizes[1:])])


@layer
class Reshape(Layer):
    """The axes after the batch axis reshaped to `target_shape`; one dimension may be -1."""

    def __init__(self, target_shape, **kwargs):
        super().__init__(**kwargs)
        self.target_shape = tuple(target_shape)

    def call(self, inputs):
        sizes = self.target_shape
        input_sizes = as_shape(inputs.dims and inputs.dims[1:])
        if -1 in sizes and input_sizes is not None and None not in input_sizes:
            product = -math.prod(sizes)
            sizes = tuple(
                math.prod(input_sizes) // product if size == -1 else size for size in sizes
            )
        return reshape(inputs, [-1 if -1 not in sizes else shape(inputs)[0], *sizes])


@layer
class Permute(Layer):
    """The axes after the batch axis permuted; `dims` counts them from 1."""

    def __init__(self, dims, **kwargs):
        super().__init__(**kwargs)
        self.dims = tuple(dims)

    def call(self, inputs):
        return transpose(inputs, [0, *self.dims])


@layer
class RepeatVector(Layer):
    """Repeats the inputs `n` times: [batch, features] becomes [batch, n, features]."""

    def __init__(self, n, **kwargs):
        super().__init__(**kwargs)
        self.n = n

    def call(self, inputs):
        return ops.tile(expand_dims(inputs, 1), [1, self.n, 1])


@layer
class Lambda(Layer):
    """A function as a layer."""

    def __init__(self, function, output_shape=None, arguments=None, **kwargs):
        super().__init__(**kwargs)
        self.function, self.arguments = function, arguments or {}

    def call(self, inputs):
        return call_user_code(self.function, inputs, **self.arguments)


@layer
class InputLayer(Layer):
    """Declares the input shape of the first layer of a model."""

    def __init__(self, input_shape=None, batch_size=None, shape=None, **kwargs):
        super().__init__(**kwargs)
        sizes = input_shape if shape is None else shape
        self._declared_shape = None if sizes is None else (batch_size, *sizes)

    def call(self, inputs):
        x = nest.flatten(inputs)[0]
        expected = self._declared_shape
        if expected is not None and x.dims is not None and len(x.dims) != len(expected):
            raise ShapeError(
                f"the inputs have the shape {show(x.dims)}, where {show(expected)} was declared"
            )
        return inputs
