"""Recurrent layers, which apply a cell to each time step."""

from __future__ import annotations

from .... import (
    Variable,
    concat,
    convert_to_tensor,
    expand_dims,
    init_scope,
    reshape,
    reverse,
    shape,
    stack,
    transpose,
    where,
    while_loop,
    zeros,
    zeros_like,
)
from .... import tensor_set_item as set_item
from ....extend import nest
from ....extend.errors import ShapeError
from ....extend.graphs import BUILDER
from ....extend.specs import show
from ...nn import functional as nn
from .base_layer import Layer, layer
from .recurrent_cells import GRUCell, LSTMCell, SimpleRNNCell, StackedRNNCells
from .shape_inference import cure_of_rank


@layer
class RNN(Layer):
    """Applies a cell to each time step of inputs of shape [batch, time, features].

    return_sequences  return the outputs of all steps, [batch, time, units], not only the last
    return_state      also return the last states
    go_backwards      process the steps from the last to the first
    stateful          start from the states of the previous call
    unroll            unroll the loop over the steps, whose number has to be static

    >>> cell = ag.keras.layers.GRUCell(4)
    >>> ag.keras.layers.RNN(cell, return_sequences=True)(ag.ones([2, 5, 3])).shape
    TensorShape([2, 5, 4])
    """

    def __init__(
        self, cell, return_sequences=False, return_state=False, go_backwards=False, stateful=False,
        unroll=False, time_major=False, **kwargs,
    ):  # fmt: skip
        super().__init__(**kwargs)
        self.cell = StackedRNNCells(cell) if isinstance(cell, (list, tuple)) else cell
        self.return_sequences, self.return_state = return_sequences, return_state
        self.go_backwards, self.stateful, self.unroll = go_backwards, stateful, unroll
        self.time_major, self.states = time_major, None
        self.zero_output_for_mask = False  # for masked steps, else the output before them

    def _build_for(self, inputs):
        """The cell is built when it is called."""
        first = nest.flatten(inputs)[0]
        if first.dims is not None and len(first.dims) != 3:
            raise ShapeError(
                f"{self.name} takes [batch, time, features], not {show(first.dims)}",
                cure_of_rank(first.dims, 3),
            )
        self.built = True

    def build(self, input_shape):
        sizes = list(input_shape)
        if not isinstance(self.cell, StackedRNNCells):
            self.cell.build([sizes[0], sizes[2]])

    def call(self, inputs, mask=None, training=None, initial_state=None):
        """`mask` [batch, time] is False for steps to skip."""
        x = inputs if self.time_major else _swapped(inputs)
        if initial_state is None:
            initial_state = self._first_states(x[0])
        states = nest.pack_sequence_as(
            self.cell.get_initial_state(x[0]), nest.flatten(initial_state)
        )
        steps = [x] if mask is None else [x, _mask_of_steps(mask, x.ndim)]
        if self.go_backwards:
            steps = [reverse(step, [0]) for step in steps]
        is_loop = BUILDER.get() is not None and not self.unroll
        outputs, states = (self._looped if is_loop else self._unrolled)(steps, states)
        if self.stateful:
            self._keep(states)
        if self.return_sequences:
            if mask is not None and self.zero_output_for_mask:
                outputs = where(steps[1], outputs, zeros_like(outputs))
            result = outputs if self.time_major else _swapped(outputs)
        else:
            result = outputs[-1]
        return [result, *nest.flatten(states)] if self.return_state else result

    def compute_mask(self, inputs, mask=None):
        return mask if self.return_sequences else None

    # ---- steps ---------------------------------------------------------------------------

    def _step(self, step_inputs, states, previous):
        """One step. Where the mask is False, the previous output and states are kept."""
        output, following = self.cell(step_inputs[0], states)
        if len(step_inputs) == 1:
            return output, following
        is_step = step_inputs[1]
        output = where(is_step, output, previous)
        return output, nest.map_structure(
            lambda new, old: where(is_step, new, old), following, states
        )

    def _initial_output(self, x):
        """The output before the first step."""
        batch = shape(x)[1] if x.dims[1] is None else x.dims[1]
        return zeros([batch, self.cell.output_size], self.dtype)

    def _unrolled(self, steps, states):
        count = steps[0].dims[0]
        if count is None:
            raise ShapeError(f"{self.name}: the number of steps has to be known to unroll them")
        outputs, output = [], self._initial_output(steps[0])
        for index in range(count):
            output, states = self._step([step[index] for step in steps], states, output)
            outputs.append(output)
        return stack(outputs), states

    def _looped(self, steps, states):
        first = self._initial_output(steps[0])
        if not getattr(self.cell, "built", True):
            self._step([step[0] for step in steps], states, first)
        dims, sizes = steps[0].dims, shape(steps[0])
        count, batch = (sizes[i] if dims[i] is None else dims[i] for i in (0, 1))
        outputs = zeros([count, batch, *known_sizes(first)[1:]], self.dtype)

        def body(index, output, states, outputs):
            output, states = self._step([step[index] for step in steps], states, output)
            return index + 1, output, states, set_item(outputs, index, output)

        start = (0, first, states, outputs)
        _, _, states, outputs = while_loop(lambda index, *rest: index < count, body, start)
        return outputs, states

    # ---- states between calls ------------------------------------------------------------

    def _first_states(self, x):
        return self.cell.get_initial_state(x) if self.states is None else self.states

    def _keep(self, states) -> None:
        flat = nest.flatten(states)
        if self.states is None:
            with init_scope():
                starts = [self._zero_state(element) for element in flat]
            self.states = [Variable(start, False) for start in starts]
        for variable, value in zip(self.states, flat, strict=True):
            variable.assign(value)

    def _zero_state(self, like):
        if None in like.dims:
            raise ShapeError(f"{self.name}: a stateful layer has to know the size of its batches")
        return zeros(like.dims, like.dtype)

    def reset_states(self) -> None:
        """Reset the states of a stateful layer to 0."""
        for state in self.states or ():
            state.assign(state.value() * 0)

    reset_state = reset_states


def known_sizes(x) -> list:
    """The sizes of the axes: numbers, or scalar tensors where they are unknown."""
    return [shape(x)[axis] if size is None else size for axis, size in enumerate(x.dims)]


def _mask_of_steps(mask, rank: int):
    """A mask [batch, time] as [time, batch, 1, ...], for inputs of this rank."""
    steps = transpose(convert_to_tensor(mask))
    for _ in range(rank - 2):
        steps = expand_dims(steps, -1)
    return steps


def _swapped(x):
    """`x` with the batch axis and the time axis exchanged."""
    return transpose(x, [1, 0, *range(2, x.ndim)])


def _layer_of_cell(cell_type, doc: str):
    """The recurrent layer of one type of cell; it takes the options of both."""
    loop_options = (
        "return_sequences",
        "return_state",
        "go_backwards",
        "stateful",
        "unroll",
        "time_major",
    )
    layer_options = (*loop_options, "name", "trainable", "input_shape", "batch_input_shape")

    def start(self, units, *args, dropout=0.0, recurrent_dropout=0.0, **kwargs):
        if recurrent_dropout:
            raise ValueError(f"{type(self).__name__}: recurrent_dropout is not supported")
        options = {key: kwargs.pop(key) for key in layer_options if key in kwargs}
        RNN.__init__(self, cell_type(units, *args, **kwargs), **options)
        self.dropout = dropout

    def call(self, inputs, mask=None, training=None, initial_state=None):
        if training and self.dropout:
            sizes = shape(inputs)
            noise = [1, sizes[1], sizes[2]] if self.time_major else [sizes[0], 1, sizes[2]]
            inputs = nn.dropout(inputs, self.dropout, noise)
        return RNN.call(self, inputs, mask, training, initial_state)

    name = cell_type.__name__.removesuffix("Cell")
    body = {"__init__": start, "call": call, "__doc__": doc, "__module__": __name__}
    body["units"] = property(lambda self: self.cell.units)
    return layer(type(name, (RNN,), body))


SimpleRNN = _layer_of_cell(SimpleRNNCell, "Applies a `SimpleRNNCell` to each time step.")
GRU = _layer_of_cell(GRUCell, "Applies a `GRUCell` to each time step.")
LSTM = _layer_of_cell(
    LSTMCell,
    """Applies an `LSTMCell` to each time step.

    >>> ag.keras.layers.LSTM(4)(ag.ones([2, 5, 3])).shape
    TensorShape([2, 4])
    """,
)


MERGES = {
    "concat": lambda first, other: concat([first, other], -1),
    "sum": lambda first, other: first + other,
    "mul": lambda first, other: first * other,
    "ave": lambda first, other: (first + other) / 2,
    None: lambda first, other: [first, other],
}


@layer
class Bidirectional(Layer):
    """A recurrent layer and a second one that processes the steps backwards.

    `merge_mode` combines their outputs: "concat", "sum", "mul", "ave", or None for a list.

    >>> both = ag.keras.layers.Bidirectional(ag.keras.layers.GRU(4))
    >>> both(ag.ones([2, 5, 3])).shape
    TensorShape([2, 8])
    """

    def __init__(self, layer, merge_mode="concat", backward_layer=None, **kwargs):
        super().__init__(**kwargs)
        if merge_mode not in MERGES:
            raise ValueError(f"Bidirectional: there is no merge_mode {merge_mode!r}")
        self.forward_layer, self.merge_mode = layer, merge_mode
        if backward_layer is None:
            config = {**layer.get_config(), "go_backwards": not layer.go_backwards}
            config["name"] = f"backward_{layer.name}"
            backward_layer = type(layer).from_config(config)
        self.backward_layer = backward_layer
        for one in (self.forward_layer, backward_layer):
            one.zero_output_for_mask = True

    def compute_mask(self, inputs, mask=None):
        return self.forward_layer.compute_mask(inputs, mask)

    def call(self, inputs, mask=None, training=None):
        forward = self.forward_layer(inputs, mask=mask)
        backward = self.backward_layer(inputs, mask=mask)
        states = []
        if self.forward_layer.return_state:
            (forward, *one), (backward, *other) = forward, backward
            states = [*one, *other]
        if self.forward_layer.return_sequences:
            backward = reverse(backward, [1])
        result = MERGES[self.merge_mode](forward, backward)
        return [result, *states] if states else result


@layer
class TimeDistributed(Layer):
    """Applies a layer to each time step of inputs of shape [batch, time, ...]."""

    def __init__(self, layer, **kwargs):
        super().__init__(**kwargs)
        self.layer = layer

    def call(self, inputs, training=None):
        sizes, dims = shape(inputs), inputs.dims
        flat = reshape(inputs, [-1, *dims[2:]])
        result = self.layer(flat)
        time = sizes[1] if dims[1] is None else dims[1]
        return reshape(result, [-1, time, *result.dims[1:]])
