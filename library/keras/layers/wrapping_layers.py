"""Layers that hold another layer, and what layers say of their inputs."""

from __future__ import annotations

from .... import as_dtype, init_scope, matmul, random, reshape
from ....extend.errors import ShapeError
from ....extend.registration import expose
from ....extend.specs import as_shape, show
from ...nn.functional import l2_normalize
from ..registry import serializer
from .base_layer import Layer, layer


class InputSpec:
    """What a layer takes: the rank, the shape or the data type of an input.

    A layer whose attribute `input_spec` is one, or a list of them, refuses other inputs.

    >>> ag.keras.layers.InputSpec(ndim=4, axes={-1: 3})
    InputSpec(ndim=4, axes={-1: 3})
    """

    def __init__(
        self, dtype=None, shape=None, ndim=None, max_ndim=None, min_ndim=None, axes=None,
        allow_last_axis_squeeze=False, name=None, optional=False,
    ):  # fmt: skip
        self.dtype = None if dtype is None else as_dtype(dtype)
        self.shape = None if shape is None else as_shape(shape)
        self.ndim = ndim if self.shape is None else len(self.shape)
        self.max_ndim, self.min_ndim, self.axes = max_ndim, min_ndim, dict(axes or {})
        self.allow_last_axis_squeeze = allow_last_axis_squeeze
        self.name, self.optional = name, optional

    def get_config(self) -> dict:
        """The arguments of the constructor that were given."""
        keys = ("dtype", "shape", "ndim", "max_ndim", "min_ndim", "axes")
        return {key: getattr(self, key) for key in keys if getattr(self, key)}

    @classmethod
    def from_config(cls, config: dict) -> InputSpec:
        return cls(**config)

    def check(self, x, name: str) -> None:
        """Raise ShapeError, a ValueError, unless an input fits."""
        if x is None and self.optional:
            return
        dims = x.dims
        if dims is None:
            return
        rank = len(dims)
        wrong = (
            (self.ndim is not None and rank != self.ndim)
            or (self.max_ndim is not None and rank > self.max_ndim)
            or (self.min_ndim is not None and rank < self.min_ndim)
            or any(dims[axis] not in (None, size) for axis, size in self.axes.items())
            or any(
                None not in (one, other) and one != other
                for one, other in zip(dims, self.shape or (), strict=False)
            )
        )
        if wrong or (self.dtype is not None and x.dtype != self.dtype):
            raise ShapeError(f"{name} takes {self}, not {x.dtype.name}{show(dims)}")

    def __repr__(self):
        given = ", ".join(f"{key}={value}" for key, value in self.get_config().items())
        return f"InputSpec({given})"


expose(InputSpec, "keras.layers.InputSpec", "keras.InputSpec")


@layer
class Wrapper(Layer):
    """Base class of layers that hold another layer, in the attribute `layer`."""

    def __init__(self, layer, **kwargs):
        if not isinstance(layer, Layer):
            raise ValueError(f"{type(self).__name__} wraps a layer, not {layer!r}")
        super().__init__(**kwargs)
        self.layer = layer


@layer
class SpectralNormalization(Wrapper):
    """A layer whose kernel is divided by an estimate of its largest singular value.

    During training, each call improves the estimate by `power_iterations` products with the kernel.

    Source: Miyato et al., "Spectral normalization for generative adversarial networks", 2018.

    >>> layer = ag.keras.layers.SpectralNormalization(ag.keras.layers.Dense(4))
    >>> layer(ag.ones([2, 3]), training=True).shape
    TensorShape([2, 4])
    """

    def __init__(self, layer, power_iterations=1, **kwargs):
        super().__init__(layer, **kwargs)
        if power_iterations <= 0:
            raise ValueError(f"power_iterations is a positive number, not {power_iterations}")
        self.power_iterations = power_iterations

    def build(self, input_shape):
        if not self.layer.built:
            self.layer.build(input_shape)
        self.kernel = getattr(self.layer, "kernel", None)
        self.kernel = (
            getattr(self.layer, "embeddings", None) if self.kernel is None else self.kernel
        )
        if self.kernel is None:
            raise ValueError(f"{self.layer.name} has neither a kernel nor embeddings to normalize")
        with init_scope():
            start = random.normal([1, self.kernel.dims[-1]], 0.0, 0.02)
        self.vector_u = self.add_weight(
            "vector_u", [1, self.kernel.dims[-1]], None, lambda shape, dtype: start, trainable=False
        )

    def call(self, inputs, training=None):
        if training:
            self._normalize()
        return self.layer(inputs)

    def _normalize(self):
        matrix = reshape(self.kernel.value(), [-1, self.kernel.dims[-1]])
        u = self.vector_u.value()
        for _ in range(self.power_iterations):
            v = l2_normalize(matmul(u, matrix, transpose_b=True))
            u = l2_normalize(matmul(v, matrix))
        sigma = matmul(matmul(v, matrix), u, transpose_b=True)
        self.vector_u.assign(u)
        self.kernel.assign(reshape(matrix / sigma, self.kernel.dims))


serializer("layers")
