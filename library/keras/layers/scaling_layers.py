"""Layers that scale elements, combine vectors, or mark steps."""

from __future__ import annotations

from .... import cast, convert_to_tensor, einsum, expand_dims, reduce_any, where
from ....extend.operations import normal_axis
from ....extend.registration import public
from ...nn import functional as nn
from . import activations, constraints, initializers, regularizers
from .base_layer import Layer, layer


@layer
class Identity(Layer):
    """Its inputs, unchanged."""

    def call(self, inputs):
        return inputs


@layer
class Rescaling(Layer):
    """`inputs * scale + offset`, as for images: `Rescaling(1 / 255)`.

    >>> ag.keras.layers.Rescaling(0.5, offset=1.0)([[2.0, 4.0]]).numpy()
    array([[2., 3.]], dtype=float32)
    """

    def __init__(self, scale, offset=0.0, **kwargs):
        super().__init__(**kwargs)
        self.scale, self.offset = scale, offset

    def call(self, inputs):
        return cast(inputs, self.dtype) * self.scale + self.offset


@layer
class Masking(Layer):
    """Marks the steps whose features all are `mask_value`; later layers skip them.

    >>> masking = ag.keras.layers.Masking()
    >>> masking.compute_mask(ag.constant([[[1.0], [0.0]]])).numpy()
    array([[ True, False]])
    """

    def __init__(self, mask_value=0.0, **kwargs):
        super().__init__(**kwargs)
        self.mask_value = mask_value

    def compute_mask(self, inputs, mask=None):
        """True for the steps that count."""
        return reduce_any(convert_to_tensor(inputs) != self.mask_value, -1)

    def call(self, inputs):
        counts = expand_dims(self.compute_mask(inputs), -1)
        return inputs * cast(counts, inputs.dtype)


@layer
class PReLU(Layer):
    """`x` where it is positive, else `alpha * x` with a trained `alpha` for each feature."""

    def __init__(
        self, alpha_initializer="zeros", alpha_regularizer=None, alpha_constraint=None,
        shared_axes=None, **kwargs,
    ):  # fmt: skip
        super().__init__(**kwargs)
        self.alpha_initializer = initializers.get(alpha_initializer)
        self.alpha_regularizer = regularizers.get(alpha_regularizer)
        self.alpha_constraint = constraints.get(alpha_constraint)
        self.shared_axes = shared_axes

    def build(self, input_shape):
        shared = self.shared_axes or ()
        sizes = [1 if axis in shared else n for axis, n in enumerate(input_shape)][1:]
        self.alpha = self.add_weight(
            "alpha", sizes, None, self.alpha_initializer, self.alpha_regularizer,
            constraint=self.alpha_constraint,
        )  # fmt: skip

    def call(self, inputs):
        return nn.relu(inputs) - self.alpha * nn.relu(-inputs)


@layer
class ThresholdedReLU(Layer):
    """`x` where it is above `theta`, else 0."""

    def __init__(self, theta=1.0, **kwargs):
        super().__init__(**kwargs)
        self.theta = theta

    def call(self, inputs):
        return where(inputs > self.theta, inputs, inputs * 0)


@layer
class UnitNormalization(Layer):
    """Its inputs divided by their Euclidean norm along `axis`."""

    def __init__(self, axis=-1, **kwargs):
        super().__init__(**kwargs)
        self.axis = axis

    def call(self, inputs):
        return nn.l2_normalize(inputs, self.axis, 1e-24)


@layer
class Dot(Layer):
    """The products of two inputs [batch, ...], summed over an axis of each.

    `normalize` makes them cosines.

    >>> ag.keras.layers.Dot(axes=1)([ag.ones([2, 3]), ag.ones([2, 3])]).numpy().tolist()
    [[3.0], [3.0]]
    """

    def __init__(self, axes, normalize=False, **kwargs):
        super().__init__(**kwargs)
        self.axes, self.normalize = axes, normalize

    def call(self, inputs):
        a, b = inputs
        axes = [self.axes] * 2 if isinstance(self.axes, int) else list(self.axes)
        first, second = (normal_axis(axis, x.ndim) for axis, x in zip(axes, (a, b), strict=True))
        if self.normalize:
            a, b = nn.l2_normalize(a, first), nn.l2_normalize(b, second)
        left = "abcdefg"[: a.ndim]
        right = "a" + "hijklmn"[: b.ndim - 1]
        right = right[:second] + left[first] + right[second + 1 :]
        rest = left.replace(left[first], "") + right[1:].replace(left[first], "")
        y = einsum(f"{left},{right}->{rest}", a, b)
        return expand_dims(y, -1) if y.ndim == 1 else y


@public("keras.layers.dot")
def dot(inputs, axes=-1, normalize=False, **kwargs):
    """A call of a new layer `Dot`."""
    return Dot(axes, normalize, **kwargs)(inputs)


@layer
class EinsumDense(Layer):
    """A dense layer with any pattern of axes: `einsum(equation, inputs, kernel) + bias`.

    >>> layer = ag.keras.layers.EinsumDense("abc,cd->abd", [None, 4], bias_axes="d")
    >>> layer(ag.ones([2, 3, 5])).shape
    TensorShape([2, 3, 4])
    """

    def __init__(
        self, equation, output_shape, activation=None, bias_axes=None,
        kernel_initializer="glorot_uniform", bias_initializer="zeros", **kwargs,
    ):  # fmt: skip
        super().__init__(**kwargs)
        self.equation, self.bias_axes = equation, bias_axes
        self.partial_shape = (output_shape,) if isinstance(output_shape, int) else output_shape
        self.activation = activations.get(activation)
        self.kernel_initializer = initializers.get(kernel_initializer)
        self.bias_initializer = initializers.get(bias_initializer)

    def build(self, input_shape):
        operands, output = self.equation.replace(" ", "").split("->")
        inputs, kernel = operands.replace("...", "").split(",")
        output = output.replace("...", "")
        skipped = len(input_shape) - len(inputs)
        sizes = dict(zip(inputs, list(input_shape)[skipped:], strict=True))
        sizes.update(
            (axis, size)
            for axis, size in zip(reversed(output), reversed(self.partial_shape), strict=False)
            if size is not None
        )
        self.kernel = self.add_weight(
            "kernel", [sizes[axis] for axis in kernel], None, self.kernel_initializer
        )
        self.bias = None
        if self.bias_axes:
            first = min(output.index(axis) for axis in self.bias_axes)
            shape = [sizes[axis] if axis in self.bias_axes else 1 for axis in output[first:]]
            self.bias = self.add_weight("bias", shape, None, self.bias_initializer)

    def call(self, inputs):
        y = einsum(self.equation, inputs, self.kernel)
        return self.activation(y if self.bias is None else y + self.bias)
