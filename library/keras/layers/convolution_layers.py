"""Convolution and pooling layers over one, two or three spatial axes."""

from __future__ import annotations

from .... import cast, expand_dims, pad, reduce_max, reduce_mean, reduce_sum, repeat, reshape, shape
from ....extend.errors import ShapeError
from ....extend.registration import expose
from ....extend.specs import as_shape
from ...nn import convolutions
from ...nn import functional as nn
from . import activations, constraints, initializers, regularizers
from .base_layer import Layer, layer
from .shape_inference import cure_of_rank


def _per_axis(value, rank: int, name: str) -> tuple[int, ...]:
    values = tuple(value) if isinstance(value, (list, tuple)) else (value,) * rank
    if len(values) != rank:
        raise ValueError(f"{name} is a number or {rank} of them, not {value}")
    return tuple(int(one) for one in values)


def layout_of(data_format, rank: int) -> str:
    """The `data_format` of the functions in `nn`."""
    space = "DHW"[3 - rank :] if rank > 1 else "W"
    return f"NC{space}" if data_format == "channels_first" else f"N{space}C"


class Convolving(Layer):
    """Base class of convolution layers; `rank` is the number of spatial axes."""

    rank = 2

    def __init__(
        self, filters, kernel_size, strides=1, padding="valid", data_format=None, dilation_rate=1,
        groups=1, activation=None, use_bias=True, kernel_initializer="glorot_uniform",
        bias_initializer="zeros", kernel_regularizer=None, bias_regularizer=None,
        kernel_constraint=None, bias_constraint=None, **kwargs,
    ):  # fmt: skip
        super().__init__(**kwargs)
        self.filters, self.groups, self.use_bias = filters, groups, use_bias
        self.kernel_size = _per_axis(kernel_size, self.rank, "kernel_size")
        self.strides = _per_axis(strides, self.rank, "strides")
        self.dilation_rate = _per_axis(dilation_rate, self.rank, "dilation_rate")
        self.padding, self.data_format = padding.lower(), data_format
        self.activation = activations.get(activation)
        self.kernel_initializer = initializers.get(kernel_initializer)
        self.bias_initializer = initializers.get(bias_initializer)
        self.kernel_regularizer = regularizers.get(kernel_regularizer)
        self.bias_regularizer = regularizers.get(bias_regularizer)
        self.kernel_constraint = constraints.get(kernel_constraint)
        self.bias_constraint = constraints.get(bias_constraint)
        self.kernel = self.bias = None
        if self.padding not in ("valid", "same", "causal"):
            raise ValueError(f"padding is 'valid' or 'same', not {padding!r}")

    def build(self, input_shape):
        channels = self.channels_of(input_shape)
        self.kernel = self.add_weight(
            "kernel", self.kernel_shape(channels), None, self.kernel_initializer,
            self.kernel_regularizer, constraint=self.kernel_constraint,
        )  # fmt: skip
        if self.use_bias:
            count = self.outputs_of(channels)
            self.bias = self.add_weight(
                "bias", [count], None, self.bias_initializer, self.bias_regularizer,
                constraint=self.bias_constraint,
            )  # fmt: skip

    def channels_of(self, input_shape) -> int:
        """The number of channels. Raises ShapeError if it is unknown or the rank is wrong."""
        sizes = as_shape(input_shape)
        axis = 1 if self.data_format == "channels_first" else -1
        if sizes is None or len(sizes) != self.rank + 2 or sizes[axis] is None:
            raise ShapeError(
                f"{self.name} takes inputs of {self.rank + 2} axes with a known number of "
                f"channels, not of shape {sizes}",
                cure_of_rank(sizes, self.rank + 2),
            )
        if sizes[axis] % self.groups:
            raise ShapeError(f"{self.name}: {sizes[axis]} channels are not {self.groups} groups")
        return sizes[axis]  # type: ignore[return-value]

    def kernel_shape(self, channels: int) -> tuple:
        return (*self.kernel_size, channels // self.groups, self.filters)

    def outputs_of(self, channels: int) -> int:
        return self.filters

    def call(self, inputs):
        return self.finished(self.convolved(inputs))

    def convolved(self, inputs):
        """The convolution without bias and activation."""
        padding = self.padding
        if padding == "causal":
            extent = (self.kernel_size[0] - 1) * self.dilation_rate[0]
            padding = [(extent, 0)]
        layout = layout_of(self.data_format, self.rank)
        return convolutions.convolution(
            inputs, self.kernel, self.strides, padding, layout, self.dilation_rate
        )

    def finished(self, y):
        if self.bias is not None:
            y = nn.bias_add(y, self.bias, layout_of(self.data_format, self.rank))
        return self.activation(y)


def _over_axes(base, name: str, doc, ranks=(1, 2, 3)) -> list:
    """The layers of a base class over one, two and three spatial axes."""
    body = {"__doc__": doc, "__module__": __name__}
    return [layer(type(name.format(rank), (base,), {**body, "rank": rank})) for rank in ranks]


Conv1D, Conv2D, Conv3D = _over_axes(
    Convolving,
    "Conv{}D",
    """Convolution: the sum of products of each filter with each window of the inputs.

    The inputs have the shape [batch, *space, channels], the outputs [batch, *space, filters]. With
    `data_format="channels_first"` the channels follow the batch axis.

    >>> ag.keras.layers.Conv2D(5, 3)(ag.ones([1, 8, 9, 4])).shape
    TensorShape([1, 6, 7, 5])
    """,
)


class _Depthwise(Convolving):
    """Depthwise convolution: each channel is convolved with its own `depth_multiplier` filters."""

    def __init__(
        self, kernel_size, strides=1, padding="valid", depth_multiplier=1, data_format=None,
        dilation_rate=1, activation=None, use_bias=True, depthwise_initializer="glorot_uniform",
        bias_initializer="zeros", depthwise_regularizer=None, bias_regularizer=None,
        depthwise_constraint=None, bias_constraint=None, **kwargs,
    ):  # fmt: skip
        self.depth_multiplier = depth_multiplier
        super().__init__(
            depth_multiplier, kernel_size, strides, padding, data_format, dilation_rate,
            activation=activation, use_bias=use_bias, kernel_initializer=depthwise_initializer,
            bias_initializer=bias_initializer, kernel_regularizer=depthwise_regularizer,
            bias_regularizer=bias_regularizer, kernel_constraint=depthwise_constraint,
            bias_constraint=bias_constraint, **kwargs,
        )  # fmt: skip

    def kernel_shape(self, channels):
        return (*self.kernel_size, channels, self.depth_multiplier)

    def outputs_of(self, channels):
        return channels * self.depth_multiplier

    def convolved(self, inputs):
        return self._each_channel(inputs, self.kernel)

    def _each_channel(self, inputs, kernel):
        """Each channel convolved with its own filters: one group of a convolution each."""
        first = self.data_format == "channels_first"
        groups = inputs.dims[1 if first else -1]
        filters = reshape(kernel, [*self.kernel_size, 1, groups * self.depth_multiplier])
        layout = layout_of(self.data_format, self.rank)
        return convolutions.convolution(
            inputs, filters, self.strides, self.padding, layout, self.dilation_rate
        )


DepthwiseConv1D, DepthwiseConv2D = _over_axes(
    _Depthwise, "DepthwiseConv{}D", _Depthwise.__doc__, (1, 2)
)


class _Separable(_Depthwise):
    """Depthwise convolution, followed by a convolution with windows of one element."""

    def __init__(
        self, filters, kernel_size, strides=1, padding="valid", data_format=None, dilation_rate=1,
        depth_multiplier=1, activation=None, use_bias=True,
        depthwise_initializer="glorot_uniform", pointwise_initializer="glorot_uniform",
        bias_initializer="zeros", depthwise_regularizer=None, pointwise_regularizer=None,
        bias_regularizer=None, depthwise_constraint=None, pointwise_constraint=None,
        bias_constraint=None, **kwargs,
    ):  # fmt: skip
        super().__init__(
            kernel_size, strides, padding, depth_multiplier, data_format=data_format,
            dilation_rate=dilation_rate, activation=activation, use_bias=use_bias,
            depthwise_initializer=depthwise_initializer, bias_initializer=bias_initializer,
            depthwise_regularizer=depthwise_regularizer, bias_regularizer=bias_regularizer,
            depthwise_constraint=depthwise_constraint, bias_constraint=bias_constraint, **kwargs,
        )  # fmt: skip
        self.pointwise_initializer = initializers.get(pointwise_initializer)
        self.pointwise_regularizer = regularizers.get(pointwise_regularizer)
        self.pointwise_constraint = constraints.get(pointwise_constraint)
        self.filters, self.pointwise_kernel = filters, None
        self.bias = self.__dict__.pop("bias")  # after the kernels, in the order of weights

    def build(self, input_shape):
        channels = self.channels_of(input_shape)
        self.kernel = self.add_weight(
            "depthwise_kernel", self.kernel_shape(channels), None, self.kernel_initializer,
            self.kernel_regularizer, constraint=self.kernel_constraint,
        )  # fmt: skip
        shape = (*[1] * self.rank, channels * self.depth_multiplier, self.filters)
        self.pointwise_kernel = self.add_weight(
            "pointwise_kernel", shape, None, self.pointwise_initializer,
            self.pointwise_regularizer, constraint=self.pointwise_constraint,
        )  # fmt: skip
        if self.use_bias:
            self.bias = self.add_weight(
                "bias", [self.filters], None, self.bias_initializer, self.bias_regularizer,
                constraint=self.bias_constraint,
            )  # fmt: skip

    def convolved(self, inputs):
        y = self._each_channel(inputs, self.kernel)
        layout = layout_of(self.data_format, self.rank)
        return convolutions.convolution(y, self.pointwise_kernel, 1, "valid", layout)


SeparableConv1D, SeparableConv2D = _over_axes(
    _Separable, "SeparableConv{}D", _Separable.__doc__, (1, 2)
)


class TransposedConvolution(Convolving):
    """Transposed convolution: each input element is multiplied into a window of the outputs."""

    def kernel_shape(self, channels):
        return (*self.kernel_size, self.filters, channels)

    def convolved(self, inputs):
        first = self.data_format == "channels_first"
        sizes = shape(inputs)
        dims = inputs.dims or (None,) * (self.rank + 2)
        at = 2 if first else 1
        space = [
            self._output_size(sizes[at + i] if dims[at + i] is None else dims[at + i], i)
            for i in range(self.rank)
        ]
        batch = sizes[0] if dims[0] is None else dims[0]
        output_shape = [batch, self.filters, *space] if first else [batch, *space, self.filters]
        layout = layout_of(self.data_format, self.rank)
        return convolutions.conv_transpose(
            inputs,
            self.kernel,
            output_shape,
            self.strides,
            self.padding,
            layout,
            self.dilation_rate,
        )

    def _output_size(self, size, axis: int):
        """The size of a spatial axis of the outputs."""
        step, extent = (
            self.strides[axis],
            (self.kernel_size[axis] - 1) * self.dilation_rate[axis] + 1,
        )
        return size * step + overhang(extent, step, self.padding)


def overhang(extent: int, step: int, padding: str) -> int:
    """How much longer than its steps the result of a transposed convolution is along an axis."""
    return max(extent - step, 0) if padding == "valid" else 0


Conv1DTranspose, Conv2DTranspose, Conv3DTranspose = _over_axes(
    TransposedConvolution,
    "Conv{}DTranspose",
    TransposedConvolution.__doc__,  # type: ignore[arg-type]
)


# ---- pooling ---------------------------------------------------------------------------------


class _Pooling(Layer):
    """Base class of pooling layers."""

    rank = 2
    pool = staticmethod(convolutions.max_pool)

    def __init__(self, pool_size=2, strides=None, padding="valid", data_format=None, **kwargs):
        super().__init__(**kwargs)
        self.pool_size = _per_axis(pool_size, self.rank, "pool_size")
        self.strides = _per_axis(pool_size if strides is None else strides, self.rank, "strides")
        self.padding, self.data_format = padding, data_format

    def call(self, inputs):
        layout = layout_of(self.data_format, self.rank)
        return self.pool(inputs, self.pool_size, self.strides, self.padding, layout)


class _Averaging(_Pooling):
    pool = staticmethod(convolutions.avg_pool)


MaxPooling1D, MaxPooling2D, MaxPooling3D = _over_axes(
    _Pooling, "MaxPooling{}D", "The largest element of each window."
)
AveragePooling1D, AveragePooling2D, AveragePooling3D = _over_axes(
    _Averaging, "AveragePooling{}D", "The mean of each window."
)


class _Global(Layer):
    """Base class of layers that pool all spatial axes."""

    rank = 2
    reduce = staticmethod(reduce_mean)

    def __init__(self, data_format=None, keepdims=False, **kwargs):
        super().__init__(**kwargs)
        self.data_format, self.keepdims = data_format, keepdims

    def compute_mask(self, inputs, mask=None):
        return None  # there is no axis of steps any more

    def call(self, inputs):
        first = self.data_format == "channels_first"
        axes = [axis + (2 if first else 1) for axis in range(self.rank)]
        return self.reduce(inputs, axes, self.keepdims)


class _GlobalMax(_Global):
    reduce = staticmethod(reduce_max)


GlobalAveragePooling1D, GlobalAveragePooling2D, GlobalAveragePooling3D = _over_axes(
    _Global, "GlobalAveragePooling{}D", "The mean over all spatial axes."
)


def _mean_of_steps(self, inputs, mask=None):
    """The mean over the steps that count."""
    if mask is None or self.data_format == "channels_first":
        return _Global.call(self, inputs)
    kept = expand_dims(cast(mask, inputs.dtype), -1)
    return reduce_sum(inputs * kept, 1, self.keepdims) / reduce_sum(kept, 1, self.keepdims)


GlobalAveragePooling1D.call = _mean_of_steps
GlobalMaxPooling1D, GlobalMaxPooling2D, GlobalMaxPooling3D = _over_axes(
    _GlobalMax, "GlobalMaxPooling{}D", "The largest element over all spatial axes."
)
for _short, _class in {
    "Convolution1D": Conv1D,
    "Convolution2D": Conv2D,
    "Convolution3D": Conv3D,
    "Convolution1DTranspose": Conv1DTranspose,
    "Convolution2DTranspose": Conv2DTranspose,
    "Convolution3DTranspose": Conv3DTranspose,
    "SeparableConvolution1D": SeparableConv1D,
    "SeparableConvolution2D": SeparableConv2D,
    "MaxPool1D": MaxPooling1D,
    "MaxPool2D": MaxPooling2D,
    "MaxPool3D": MaxPooling3D,
    "AvgPool1D": AveragePooling1D,
    "AvgPool2D": AveragePooling2D,
    "AvgPool3D": AveragePooling3D,
    "GlobalAvgPool1D": GlobalAveragePooling1D,
    "GlobalAvgPool2D": GlobalAveragePooling2D,
    "GlobalAvgPool3D": GlobalAveragePooling3D,
    "GlobalMaxPool1D": GlobalMaxPooling1D,
    "GlobalMaxPool2D": GlobalMaxPooling2D,
    "GlobalMaxPool3D": GlobalMaxPooling3D,
}.items():
    expose(_class, f"keras.layers.{_short}")


# ---- padding, cropping and resizing ----------------------------------------------------------


def _pairs(value, rank: int) -> list:
    """(before, after) for each axis, from a number, a number for each axis, or pairs."""
    values = value if isinstance(value, (list, tuple)) else [value] * rank
    if rank == 1 and len(values) == 2:
        values = [values]
    return [tuple(one) if isinstance(one, (list, tuple)) else (one, one) for one in values]


class _ZeroPadding(Layer):
    """Base class of layers that pad the spatial axes."""

    rank = 2

    def __init__(self, padding=1, **kwargs):
        super().__init__(**kwargs)
        self.padding = _pairs(padding, self.rank)

    def call(self, inputs):
        return pad(inputs, [(0, 0), *self.padding, (0, 0)])


class _Cropping(Layer):
    """Base class of layers that crop the spatial axes."""

    rank = 2

    def __init__(self, cropping=0, **kwargs):
        super().__init__(**kwargs)
        self.cropping = _pairs(cropping, self.rank)

    def call(self, inputs):
        inner = (slice(one, -two if two else None) for one, two in self.cropping)
        return inputs[(slice(None), *inner)]


class _UpSampling(Layer):
    """Base class of layers that repeat the elements of the spatial axes."""

    rank = 2

    def __init__(self, size=2, **kwargs):
        super().__init__(**kwargs)
        self.size = _per_axis(size, self.rank, "size")

    def call(self, inputs):
        for axis, times in enumerate(self.size, 1):
            inputs = repeat(inputs, times, axis=axis)
        return inputs


ZeroPadding1D, ZeroPadding2D, ZeroPadding3D = _over_axes(
    _ZeroPadding, "ZeroPadding{}D", "Inputs [batch, *space, channels] with a border of zeros."
)
Cropping1D, Cropping2D, Cropping3D = _over_axes(
    _Cropping, "Cropping{}D", "Inputs [batch, *space, channels] with their borders removed."
)
UpSampling1D, UpSampling2D, UpSampling3D = _over_axes(
    _UpSampling, "UpSampling{}D", "Inputs [batch, *space, channels], each element repeated."
)
