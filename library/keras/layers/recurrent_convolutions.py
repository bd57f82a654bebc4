"""Recurrent layers whose products are convolutions, for sequences of images."""

from __future__ import annotations

from .... import concat, split, zeros
from ....extend.errors import ShapeError
from ....extend.specs import as_shape, show
from ...nn import convolutions
from ...nn import functional as nn
from . import activations, initializers
from .base_layer import Layer, layer
from .convolution_layers import Convolving, layout_of
from .recurrent_layers import RNN, known_sizes
from .shape_inference import cure_of_rank


class ConvLSTMCell(Convolving):
    """An LSTM cell on arrays [batch, *space, channels]: `filters` states at each point of space.

    Source: Shi et al., "Convolutional LSTM network", 2015; gates i, f, c, o.
    """

    def __init__(
        self, filters, kernel_size, strides=1, padding="valid", data_format=None, dilation_rate=1,
        activation="tanh", recurrent_activation="sigmoid", recurrent_initializer="orthogonal",
        unit_forget_bias=True, **kwargs,
    ):  # fmt: skip
        super().__init__(
            filters, kernel_size, strides, padding, data_format, dilation_rate,
            activation=activation, **kwargs,
        )  # fmt: skip
        self.recurrent_activation = activations.get(recurrent_activation)
        self.recurrent_initializer = initializers.get(recurrent_initializer)
        self.unit_forget_bias = unit_forget_bias
        self.recurrent_kernel = None
        self.bias = self.__dict__.pop("bias")  # after the kernels, in the order of weights

    def build(self, input_shape):
        channels = self.channels_of(input_shape)
        self.kernel = self.add_weight(
            "kernel", (*self.kernel_size, channels, 4 * self.filters), None,
            self.kernel_initializer, self.kernel_regularizer,
        )  # fmt: skip
        self.recurrent_kernel = self.add_weight(
            "recurrent_kernel", (*self.kernel_size, self.filters, 4 * self.filters), None,
            self.recurrent_initializer,
        )  # fmt: skip
        if self.use_bias:
            self.bias = self.add_weight(
                "bias", [4 * self.filters], None, self._first_bias, self.bias_regularizer
            )

    def _first_bias(self, shape, dtype):
        start = self.bias_initializer(shape, dtype=dtype)
        if not self.unit_forget_bias:
            return start
        ones = initializers.Ones()([self.filters], dtype=dtype)
        return concat([start[: self.filters], ones, start[2 * self.filters :]], 0)

    @property
    def output_size(self) -> int:
        return self.filters

    def get_initial_state(self, inputs=None, batch_size=None, dtype=None) -> list:
        """Zeros in the shape of the outputs for these inputs."""
        first = self.data_format == "channels_first"
        known = known_sizes(inputs)
        space = [
            self._size_of(known[axis + (2 if first else 1)], axis) for axis in range(self.rank)
        ]
        batch = known[0]
        whole = [batch, self.filters, *space] if first else [batch, *space, self.filters]
        return [zeros(whole, dtype or self.dtype) for _ in range(2)]

    def _size_of(self, size, axis: int):
        """The size of a spatial axis of the outputs."""
        step = self.strides[axis]
        if self.padding == "same":
            return (size + step - 1) // step
        return (size - (self.kernel_size[axis] - 1) * self.dilation_rate[axis] - 1) // step + 1

    def call(self, inputs, states, training=None):
        h, c = states
        z = self.convolved(inputs)
        if self.bias is not None:
            z = nn.bias_add(z, self.bias, layout_of(self.data_format, self.rank))
        z = z + convolutions.convolution(
            h, self.recurrent_kernel, 1, "same", layout_of(self.data_format, self.rank)
        )
        axis = 1 if self.data_format == "channels_first" else self.rank + 1
        write, keep, new, read = split(z, 4, axis)
        gate = self.recurrent_activation
        c = gate(keep) * c + gate(write) * self.activation(new)
        h = gate(read) * self.activation(c)
        return h, [h, c]


class ConvLSTM(RNN):
    """Base class of convolutional LSTM layers; `rank` is the number of spatial axes."""

    rank = 2

    def __init__(
        self, filters, kernel_size, *args, return_sequences=False, return_state=False,
        go_backwards=False, stateful=False, unroll=False, name=None, dropout=0.0,
        recurrent_dropout=0.0, input_shape=None, batch_input_shape=None, **kwargs,
    ):  # fmt: skip
        if dropout or recurrent_dropout:
            raise ValueError(f"{type(self).__name__}: dropout of its cells is not supported")
        cell_type = type("Cell", (ConvLSTMCell,), {"rank": self.rank})
        super().__init__(
            cell_type(filters, kernel_size, *args, **kwargs), return_sequences, return_state,
            go_backwards, stateful, unroll, name=name, input_shape=input_shape,
            batch_input_shape=batch_input_shape,
        )  # fmt: skip

    def _build_for(self, inputs):
        first = inputs[0] if isinstance(inputs, (list, tuple)) else inputs
        if first.dims is not None and len(first.dims) != self.rank + 3:
            raise ShapeError(
                f"{self.name} takes [batch, time, {self.rank} axes of space, channels], "
                f"not {show(first.dims)}",
                cure_of_rank(first.dims, self.rank + 3),
            )
        Layer._build_for(self, first)

    def build(self, input_shape):
        sizes = as_shape(input_shape)
        self.cell.build([sizes[0], *sizes[2:]])

    def _initial_output(self, x):
        return self.cell.get_initial_state(x[0])[0]


def _of_rank(rank: int):
    body = {"rank": rank, "__doc__": DOC.format(rank), "__module__": __name__}
    return layer(type(f"ConvLSTM{rank}D", (ConvLSTM,), body))


DOC = """Applies a convolutional LSTM cell to each step of arrays over {} axes of space.

    The inputs have the shape [batch, time, *space, channels], the outputs [batch, *space, filters],
    with a time axis if `return_sequences` is set. The arguments are those of convolution layers
    and of `keras.layers.LSTM`.

    >>> images = ag.ones([2, 3, 8, 8, 1])
    >>> ag.keras.layers.ConvLSTM2D(4, 3, padding="same")(images).shape
    TensorShape([2, 8, 8, 4])
    """
ConvLSTM1D, ConvLSTM2D, ConvLSTM3D = map(_of_rank, (1, 2, 3))
