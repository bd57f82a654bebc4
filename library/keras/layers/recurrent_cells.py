"""Recurrent cells: one time step of a recurrent layer."""

from __future__ import annotations

from .... import concat, matmul, shape, split, zeros
from . import activations, initializers, regularizers
from .base_layer import Layer, last_size, layer


class Cell(Layer):
    """Base class of cells: `call(inputs, states)` returns the output and the list of next states.

    `gates` is the number of preactivations of each unit.
    """

    gates = 1

    def __init__(
        self, units, activation="tanh", recurrent_activation="sigmoid", use_bias=True,
        kernel_initializer="glorot_uniform", recurrent_initializer="orthogonal",
        bias_initializer="zeros", kernel_regularizer=None, recurrent_regularizer=None,
        bias_regularizer=None, **kwargs,
    ):  # fmt: skip
        super().__init__(**kwargs)
        self.units, self.use_bias = int(units), use_bias
        self.activation = activations.get(activation)
        self.recurrent_activation = activations.get(recurrent_activation)
        self.kernel_initializer = initializers.get(kernel_initializer)
        self.recurrent_initializer = initializers.get(recurrent_initializer)
        self.bias_initializer = initializers.get(bias_initializer)
        self.kernel_regularizer = regularizers.get(kernel_regularizer)
        self.recurrent_regularizer = regularizers.get(recurrent_regularizer)
        self.bias_regularizer = regularizers.get(bias_regularizer)
        self.kernel = self.recurrent_kernel = self.bias = None

    @property
    def state_size(self):
        """The size of the state, or a list of sizes."""
        return self.units

    @property
    def output_size(self) -> int:
        return self.units

    def build(self, input_shape):
        size, width = last_size(input_shape, self.name), self.gates * self.units
        self.kernel = self.add_weight(
            "kernel", [size, width], None, self.kernel_initializer, self.kernel_regularizer
        )
        self.recurrent_kernel = self.add_weight(
            "recurrent_kernel", [self.units, width], None, self.recurrent_initializer,
            self.recurrent_regularizer,
        )  # fmt: skip
        if self.use_bias:
            self.bias = self.add_weight(
                "bias", self.bias_shape(width), None, self.first_bias, self.bias_regularizer
            )

    def bias_shape(self, width: int) -> list[int]:
        return [width]

    def first_bias(self, shape, dtype):
        """The initial values of the bias."""
        return self.bias_initializer(shape, dtype=dtype)

    def get_initial_state(self, inputs=None, batch_size=None, dtype=None) -> list:
        """The initial states of a batch: zeros."""
        sizes = self.state_size
        sizes = sizes if isinstance(sizes, (list, tuple)) else [sizes]
        if batch_size is None:
            batch_size = shape(inputs)[0] if inputs.dims[0] is None else inputs.dims[0]
        return [zeros([batch_size, size], dtype or self.dtype) for size in sizes]

    def projected(self, inputs, bias):
        """The inputs times the kernel, plus the bias."""
        product = matmul(inputs, self.kernel)
        return product if bias is None else product + bias


@layer
class SimpleRNNCell(Cell):
    """`h = activation(x @ kernel + h @ recurrent_kernel + bias)`."""

    def call(self, inputs, states, training=None):
        (h,) = states
        h = self.activation(self.projected(inputs, self.bias) + matmul(h, self.recurrent_kernel))
        return h, [h]


@layer
class LSTMCell(Cell):
    """A long short-term memory cell: input, forget and output gates control its state.

    Source: Hochreiter & Schmidhuber, "Long short-term memory", 1997; gates i, f, c, o.
    """

    gates = 4

    def __init__(self, units, *args, unit_forget_bias=True, **kwargs):
        super().__init__(units, *args, **kwargs)
        self.unit_forget_bias = unit_forget_bias

    @property
    def state_size(self):
        return [self.units, self.units]

    def first_bias(self, shape, dtype):
        if not self.unit_forget_bias:
            return super().first_bias(shape, dtype)
        rest = self.bias_initializer([self.units * 4], dtype=dtype)
        ones = initializers.Ones()([self.units], dtype=dtype)
        return concat([rest[: self.units], ones, rest[self.units * 2 :]], 0)

    def call(self, inputs, states, training=None):
        h, c = states
        z = self.projected(inputs, self.bias) + matmul(h, self.recurrent_kernel)
        write, keep, new, read = split(z, 4, 1)
        gate = self.recurrent_activation
        c = gate(keep) * c + gate(write) * self.activation(new)
        h = gate(read) * self.activation(c)
        return h, [h, c]


@layer
class GRUCell(Cell):
    """A gated recurrent unit: an update gate and a reset gate control its state.

    Source: Cho et al., "Learning phrase representations using RNN encoder-decoder", 2014. With
    `reset_after` the reset gate is applied after the product with the recurrent kernel.
    """

    gates = 3

    def __init__(self, units, *args, reset_after=True, **kwargs):
        super().__init__(units, *args, **kwargs)
        self.reset_after = reset_after

    def bias_shape(self, width):
        return [2, width] if self.reset_after else [width]

    def call(self, inputs, states, training=None):
        (h,) = states
        input_bias = recurrent_bias = None
        if self.bias is not None:
            bias = self.bias.value()
            input_bias, recurrent_bias = (bias[0], bias[1]) if self.reset_after else (bias, None)
        x_z, x_r, x_h = split(self.projected(inputs, input_bias), 3, 1)
        new = self._new_after if self.reset_after else self._new_before
        z, candidate = new(h, x_z, x_r, x_h, recurrent_bias)
        h = z * h + (1 - z) * candidate
        return h, [h]

    def _new_after(self, h, x_z, x_r, x_h, bias):
        product = matmul(h, self.recurrent_kernel)
        product = product if bias is None else product + bias
        h_z, h_r, h_h = split(product, 3, 1)
        gate = self.recurrent_activation
        return gate(x_z + h_z), self.activation(x_h + gate(x_r + h_r) * h_h)

    def _new_before(self, h, x_z, x_r, x_h, bias):
        kernel, count = self.recurrent_kernel.value(), self.units
        h_z, h_r = split(matmul(h, kernel[:, : 2 * count]), 2, 1)
        gate = self.recurrent_activation
        new = matmul(gate(x_r + h_r) * h, kernel[:, 2 * count :])
        return gate(x_z + h_z), self.activation(x_h + new)


@layer
class StackedRNNCells(Layer):
    """Several cells stacked into one cell."""

    def __init__(self, cells, **kwargs):
        super().__init__(**kwargs)
        self.cells = list(cells)

    @property
    def state_size(self):
        return [_as_list(cell.state_size) for cell in self.cells]

    @property
    def output_size(self) -> int:
        return self.cells[-1].output_size

    def get_initial_state(self, inputs=None, batch_size=None, dtype=None) -> list:
        return [cell.get_initial_state(inputs, batch_size, dtype) for cell in self.cells]

    def call(self, inputs, states, training=None):
        following = []
        for cell, state in zip(self.cells, states, strict=True):
            inputs, state = cell(inputs, state)
            following.append(state)
        return inputs, following


def _as_list(size) -> list:
    return list(size) if isinstance(size, (list, tuple)) else [size]
