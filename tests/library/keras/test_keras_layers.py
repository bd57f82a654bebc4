"""Layers against their formulas in NumPy, built eagerly and inside functions."""

import numpy as np
import pytest

import allograph as ag

layers = ag.keras.layers
RNG = np.random.default_rng(5)
SEQUENCES = RNG.normal(size=(2, 5, 3)).astype(np.float32)
IMAGES = RNG.normal(size=(2, 6, 5, 3)).astype(np.float32)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def close(found, expected):
    np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-4, atol=1e-5)


def both_ways(layer, *args, **kwargs):
    """The result of a layer, which is the same in a function."""
    eager = layer(*args, **kwargs)
    close(ag.function(lambda *args: layer(*args, **kwargs))(*args), eager)
    return np.asarray(eager)


# ---- weights ---------------------------------------------------------------------------------


class Scale(layers.Layer):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.shift = ag.Variable(1.0)

    def build(self, input_shape):
        self.factor = self.add_weight("factor", [input_shape[-1]], initializer="ones")
        self.seen = self.add_weight("seen", [], initializer="zeros", trainable=False)

    def call(self, x, training=None):
        if training:
            self.seen.assign_add(1.0)
        return x * self.factor + self.shift


def test_weights_are_made_once_in_the_order_of_their_making():
    layer = Scale()
    assert not layer.built
    assert not layer.weights[1:]
    layer(ag.ones([2, 3]))
    layer(ag.ones([2, 3]))
    assert [tuple(one.shape) for one in layer.weights] == [(), (3,), ()]
    assert layer.trainable_weights[0] is layer.shift
    assert layer.non_trainable_weights[0] is layer.seen


def test_building_by_hand_is_enough():
    layer = Scale()
    layer.build([None, 3])
    factor = layer.factor
    layer(ag.ones([2, 3]))
    assert layer.factor is factor


def test_an_untrainable_layer_has_no_trainable_weights():
    layer = Scale(trainable=False)
    layer(ag.ones([2, 3]))
    assert layer.trainable_weights == []
    assert len(layer.non_trainable_weights) == 3
    model = ag.keras.Sequential([layer, layers.Dense(2)])
    model(ag.ones([2, 3]))
    assert len(model.trainable_weights) == 2
    model.trainable = False
    assert model.trainable_weights == []


def test_names_are_counted():
    ag.keras.backend.clear_session()
    first, second = layers.Dense(2), layers.Dense(2)
    first(ag.ones([1, 1]))
    assert (first.name, second.name) == ("dense", "dense_1")
    assert [one.name for one in first.weights] == ["dense/kernel:0", "dense/bias:0"]
    assert layers.Dense(2, name="mine").name == "mine"


def test_layers_in_lists_and_dictionaries_are_found():
    class Many(ag.keras.Model):
        def __init__(self):
            super().__init__()
            self.some = [layers.Dense(2), layers.Dense(3)]
            self.more = {"last": layers.Dense(1)}

        def call(self, x):
            for layer in self.some:
                x = layer(x)
            return self.more["last"](x)

    model = Many()
    model(ag.ones([1, 4]))
    assert [tuple(one.shape) for one in model.trainable_variables[::2]] == [(4, 2), (2, 3), (3, 1)]


def test_weights_can_be_set_and_copied():
    one, other = layers.Dense(2), layers.Dense(2)
    x = ag.constant(SEQUENCES[:, 0])
    one(x), other(x)
    other.set_weights(one.get_weights())
    close(one(x), other(x))
    with pytest.raises(ValueError, match="weights"):
        one.set_weights([])


def test_floats_are_cast_to_the_type_of_the_layer():
    assert layers.Dense(2)(np.ones((1, 2))).dtype == ag.float32
    assert layers.Dense(2, dtype="float64")(np.ones((1, 2), np.float32)).dtype == ag.float64
    assert layers.Dense(2)(ag.constant([[1, 2]])).dtype == ag.float32


def test_a_layer_is_made_anew_from_its_configuration():
    layer = layers.Dense(3, activation="relu", kernel_regularizer=ag.keras.regularizers.L2(0.5))
    config = layer.get_config()
    assert config["units"] == 3
    assert config["activation"] == "relu"
    again = layers.Dense.from_config(config)
    assert again.units == 3
    assert again.activation is layer.activation
    assert again.kernel_regularizer.l2 == 0.5


def test_unknown_sizes_are_refused():
    with pytest.raises(ValueError, match="(?i)last dimension"):
        layers.Dense(2).build([None, None])
    with pytest.raises(ValueError, match="units"):
        layers.Dense(0)


def test_a_built_layer_knows_its_shapes():
    parts = [layers.Conv2D(4, 3, input_shape=[6, 5, 3]), layers.LeakyReLU(), layers.Flatten()]
    model = ag.keras.Sequential(parts)
    assert (model.input_shape, model.output_shape) == ((None, 6, 5, 3), (None, 48))
    assert parts[1].output_shape == (None, 4, 3, 4)
    dense = layers.Dense(2)
    with pytest.raises(AttributeError, match="not built"):
        dense.input_shape
    dense(ag.ones([7, 3]))
    assert (dense.input_shape, dense.output_shape) == ((None, 3), (None, 2))
    both = layers.Add()
    both([ag.ones([2, 3]), ag.ones([2, 3])])
    assert both.input_shape == [(None, 3), (None, 3)]
    assert layers.Conv2DTranspose(1, 1).name.startswith("conv2d_transpose")


# ---- losses and training ---------------------------------------------------------------------


def test_penalties_are_losses():
    layer = layers.Dense(2, kernel_regularizer="l2", bias_regularizer=ag.keras.regularizers.l1(1.0))
    layer(ag.ones([1, 2]))
    layer.bias.assign([1.0, -2.0])
    squares = 0.01 * float((layer.kernel.numpy() ** 2).sum())
    close([float(one) for one in layer.losses], [squares, 3.0])


def test_added_losses_are_those_of_the_last_call():
    class Watched(layers.Layer):
        def call(self, x):
            self.add_loss(ag.reduce_sum(x))
            return x

    model = ag.keras.Sequential([Watched(), Watched()])
    model(ag.ones([2, 2])), model(ag.ones([1, 2]))
    assert [float(one) for one in model.losses] == [2.0, 2.0]


def test_training_is_passed_down():
    model = ag.keras.Sequential([layers.Dropout(0.5), ag.keras.Sequential([layers.Dropout(0.5)])])
    x = ag.ones([100, 10])
    close(model(x), x)
    close(model(x, training=False), x)
    assert set(np.unique(model(x, training=True))) == {0.0, 4.0}


def test_a_layers_own_default_for_training_counts():
    class Noisy(layers.Layer):
        def call(self, x, training=True):
            return x * 0 if training else x

    close(Noisy()([[1.0]]), [[0.0]])
    close(Noisy()([[1.0]], training=False), [[1.0]])
    close(Noisy()(ag.constant([[1.0]]), False), [[1.0]])


def test_control_flow_on_tensors_in_a_call_is_staged():
    class Halving(layers.Layer):
        def call(self, x):
            while ag.reduce_max(x) > 1.0:
                x = x / 2
            return x

    close(both_ways(Halving(), ag.constant([[8.0, 3.0]])), [[1.0, 0.375]])


# ---- single layers ---------------------------------------------------------------------------


def test_dense_works_along_the_last_axis():
    layer = layers.Dense(4, activation="tanh")
    found = both_ways(layer, ag.constant(SEQUENCES))
    close(found, np.tanh(SEQUENCES @ layer.kernel.numpy() + layer.bias.numpy()))


def test_embedding_gathers_rows():
    layer = layers.Embedding(7, 3)
    places = np.array([[0, 6], [2, 2]])
    close(both_ways(layer, ag.constant(places)), layer.embeddings.numpy()[places])


def test_shapes_are_changed_per_sample():
    x = ag.constant(IMAGES)
    assert layers.Flatten()(x).shape == [2, 90]
    assert layers.Reshape([15, -1])(x).shape == [2, 15, 6]
    assert layers.Permute([3, 1, 2])(x).shape == [2, 3, 6, 5]
    assert layers.RepeatVector(4)(x[:, 0, 0]).shape == [2, 4, 3]
    close(layers.ZeroPadding2D(1)(x)[:, 1:-1, 1:-1], IMAGES)
    close(layers.Cropping2D([[1, 0], [2, 1]])(x), IMAGES[:, 1:, 2:-1])
    close(layers.UpSampling2D(2)(x)[:, ::2, 1::2], IMAGES)


def test_merging_layers_combine_their_inputs():
    a, b = ag.constant([[1.0, 5.0]]), ag.constant([[3.0, 4.0]])
    for kind, expected in {
        layers.Add: [4.0, 9.0], layers.Subtract: [-2.0, 1.0], layers.Multiply: [3.0, 20.0],
        layers.Maximum: [3.0, 5.0], layers.Minimum: [1.0, 4.0], layers.Average: [2.0, 4.5],
        layers.Concatenate: [1.0, 5.0, 3.0, 4.0],
    }.items():  # fmt: skip
        close(kind()([a, b]), [expected])


@pytest.mark.parametrize(
    "made, sizes",
    [
        (lambda: layers.Conv2D(4, 3, strides=2, padding="same"), [2, 3, 3, 4]),
        (lambda: layers.Conv2D(4, (3, 2), dilation_rate=2), [2, 2, 3, 4]),
        (lambda: layers.Conv2D(6, 3, groups=3), [2, 4, 3, 6]),
        (lambda: layers.DepthwiseConv2D(2, depth_multiplier=2), [2, 5, 4, 6]),
        (lambda: layers.Conv2DTranspose(4, 3, strides=2, padding="same"), [2, 12, 10, 4]),
        (lambda: layers.Conv2DTranspose(4, 3, strides=2), [2, 13, 11, 4]),
        (lambda: layers.MaxPool2D(), [2, 3, 2, 3]),
        (lambda: layers.AveragePooling2D(3, 1, "same"), [2, 6, 5, 3]),
        (lambda: layers.GlobalAveragePooling2D(), [2, 3]),
    ],
)
def test_sizes_of_images(made, sizes):
    layer = made()
    assert list(both_ways(layer, ag.constant(IMAGES)).shape) == sizes
    assert made().compute_output_shape([None, 6, 5, 3])[1:] == sizes[1:]


def test_a_causal_convolution_does_not_look_ahead():
    layer = layers.Conv1D(2, 3, padding="causal")
    whole = layer(SEQUENCES)
    assert whole.shape == [2, 5, 2]
    close(layer(SEQUENCES[:, :3]), whole[:, :3])


def test_batch_normalization_learns_the_mean_and_the_variance():
    layer = layers.BatchNormalization(momentum=0.5, epsilon=0.0)
    x = ag.constant(IMAGES)
    mean, variance = IMAGES.mean((0, 1, 2)), IMAGES.var((0, 1, 2))
    close(layer(x, training=True), (IMAGES - mean) / np.sqrt(variance))
    close(layer.moving_mean, mean / 2)
    close(layer.moving_variance, (1 + variance) / 2)
    moved = (IMAGES - layer.moving_mean.numpy()) / np.sqrt(layer.moving_variance.numpy())
    close(layer(x), moved)
    close(layer(x, training=False), moved)
    assert len(layer.trainable_weights) == 2


def test_layer_normalization_works_on_each_sample():
    found = both_ways(layers.LayerNormalization(axis=[1, 2, 3]), ag.constant(IMAGES))
    mean, variance = (f(axis=(1, 2, 3), keepdims=True) for f in (IMAGES.mean, IMAGES.var))
    close(found, (IMAGES - mean) / np.sqrt(variance + 1e-3))


# ---- recurrent layers ------------------------------------------------------------------------


def simple_steps(x, layer):
    w, u, b = (one.numpy() for one in layer.weights)
    h, made = np.zeros((2, 4)), []
    for t in range(x.shape[1]):
        h = np.tanh(x[:, t] @ w + h @ u + b)
        made.append(h)
    return np.stack(made, 1)


def lstm_steps(x, layer):
    w, u, b = (one.numpy() for one in layer.weights)
    h, c, made = np.zeros((2, 4)), np.zeros((2, 4)), []
    for t in range(x.shape[1]):
        i, f, new, o = np.split(x[:, t] @ w + h @ u + b, 4, 1)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(new)
        h = sigmoid(o) * np.tanh(c)
        made.append(h)
    return np.stack(made, 1)


def gru_steps(x, layer):
    w, u, b = (one.numpy() for one in layer.weights)
    h, made = np.zeros((2, 4)), []
    for t in range(x.shape[1]):
        xz, xr, xh = np.split(x[:, t] @ w + b[0], 3, 1)
        hz, hr, hh = np.split(h @ u + b[1], 3, 1)
        z = sigmoid(xz + hz)
        h = z * h + (1 - z) * np.tanh(xh + sigmoid(xr + hr) * hh)
        made.append(h)
    return np.stack(made, 1)


RECURRENT = {
    layers.SimpleRNN: simple_steps, layers.LSTM: lstm_steps, layers.GRU: gru_steps,
}  # fmt: skip


@pytest.mark.parametrize("kind", RECURRENT, ids=lambda kind: kind.__name__)
class TestRecurrent:
    def test_steps_follow_the_formula(self, kind):
        layer = kind(4, return_sequences=True, bias_initializer="uniform")
        found = both_ways(layer, ag.constant(SEQUENCES))
        close(found, RECURRENT[kind](SEQUENCES, layer))

    def test_the_last_step_comes_with_the_states(self, kind):
        layer = kind(4, return_state=True)
        last, *states = layer(SEQUENCES)
        close(last, RECURRENT[kind](SEQUENCES, layer)[:, -1])
        close(states[0], last)

    def test_going_backwards_is_going_over_the_reversed_steps(self, kind):
        layer = kind(4, return_sequences=True, go_backwards=True)
        close(both_ways(layer, ag.constant(SEQUENCES)),
              RECURRENT[kind](SEQUENCES[:, ::-1], layer))  # fmt: skip

    def test_masked_steps_leave_the_state_alone(self, kind):
        layer = kind(4)
        mask = np.array([[1, 1, 1, 0, 0]] * 2, bool)
        close(both_ways(layer, ag.constant(SEQUENCES), mask=ag.constant(mask)),
              layer(SEQUENCES[:, :3]))  # fmt: skip

    def test_going_on_from_a_state(self, kind):
        layer = kind(4, return_state=True)
        _, *states = layer(SEQUENCES[:, :2])
        close(layer(SEQUENCES[:, 2:], initial_state=states)[0], layer(SEQUENCES)[0])

    def test_a_stateful_layer_goes_on_by_itself(self, kind):
        layer = kind(4, stateful=True)
        whole = layer(SEQUENCES)
        layer.reset_states()
        layer(SEQUENCES[:, :2])
        close(layer(SEQUENCES[:, 2:]), whole)

    def test_gradients_in_a_function_are_the_eager_ones(self, kind):
        layer = kind(4)
        layer(SEQUENCES)

        def gradients(x):
            with ag.GradientTape() as tape:
                loss = ag.reduce_sum(layer(x) ** 2)
            return tape.gradient(loss, layer.trainable_variables)

        x = ag.constant(SEQUENCES)
        for one, other in zip(gradients(x), ag.function(gradients)(x)):
            close(one, other)


def test_a_loop_serves_sequences_of_any_length():
    layer = layers.GRU(4)
    layer.build([None, None, 3])
    signature = [ag.TensorSpec([None, None, 3])]
    run = ag.function(lambda x: layer(x), input_signature=signature)
    close(run(SEQUENCES), layer(SEQUENCES))
    close(run(SEQUENCES[:1, :2]), layer(SEQUENCES[:1, :2]))


def test_unrolling_gives_the_same_without_a_loop():
    layer = layers.LSTM(4, unroll=True)
    run = ag.function(lambda x: layer(x))
    close(run(ag.constant(SEQUENCES)), layer(SEQUENCES))
    graph = run.get_concrete_function(ag.TensorSpec([2, 5, 3])).graph
    assert "while" not in {node.op for node in graph.as_graph_def().node}


def test_the_resetting_gate_may_come_before_the_product():
    layer = layers.GRU(4, reset_after=False)
    layer(SEQUENCES)
    w, u, b = (one.numpy() for one in layer.weights)
    h = np.zeros((2, 4))
    for t in range(5):
        xz, xr, xh = np.split(SEQUENCES[:, t] @ w + b, 3, 1)
        z, r = sigmoid(xz + h @ u[:, :4]), sigmoid(xr + h @ u[:, 4:8])
        h = z * h + (1 - z) * np.tanh(xh + (r * h) @ u[:, 8:])
    close(layer(SEQUENCES), h)


def test_two_directions_are_merged():
    both = layers.Bidirectional(layers.GRU(4, return_sequences=True))
    found = both_ways(both, ag.constant(SEQUENCES))
    close(found[..., :4], gru_steps(SEQUENCES, both.forward_layer))
    backwards = gru_steps(SEQUENCES[:, ::-1], both.backward_layer)[:, ::-1]
    close(found[..., 4:], backwards)


def test_cells_can_be_stacked():
    cells = [layers.LSTMCell(4), layers.GRUCell(2)]
    layer = layers.RNN(cells, return_sequences=True)
    found = both_ways(layer, ag.constant(SEQUENCES))
    first = layers.RNN(cells[0], return_sequences=True)(SEQUENCES)
    close(found, layers.RNN(cells[1], return_sequences=True)(first))


def test_a_layer_is_distributed_over_time():
    dense = layers.Dense(2)
    close(both_ways(layers.TimeDistributed(dense), ag.constant(SEQUENCES)), dense(SEQUENCES))


# ---- masks -----------------------------------------------------------------------------------


@pytest.mark.slow
def test_padding_is_left_out_by_the_layers_after_an_embedding():
    parts = [layers.Embedding(9, 3, mask_zero=True), layers.GRU(4, return_sequences=True)]
    parts += [layers.Dropout(0.1), layers.LSTM(2)]
    model = ag.keras.Sequential(parts)
    short, padded = np.array([[1, 5]]), np.array([[1, 5, 0, 0]])
    close(model(padded), model(short))
    x = ag.keras.Input([None], dtype="int32")
    y = x
    for part in parts:
        y = part(y)
    chained = ag.keras.Model(x, y)
    close(chained(padded), model(short))
    close(ag.function(lambda x: chained(x))(ag.constant(padded)), model(short))


class Count(layers.Layer):
    def call(self, x, mask=None):
        return ag.reduce_sum(ag.cast(mask, ag.float32), 1)


def test_a_layer_of_ones_own_is_given_the_mask():
    model = ag.keras.Sequential([layers.Embedding(9, 3, mask_zero=True), Count()])
    close(model(np.array([[1, 5, 0, 0], [2, 0, 0, 0]])), [2.0, 1.0])


def test_training_may_be_a_tensor():
    norm, drop = layers.BatchNormalization(momentum=0.0), layers.Dropout(0.5)
    x = ag.constant(IMAGES)
    run = ag.function(lambda x, training: (norm(x, training=training), drop(x, training=training)))
    run(x, ag.constant(False))
    close(norm.moving_mean, np.zeros(3))
    close(run(x, ag.constant(False))[1], IMAGES)
    normal, dropped = run(x, ag.constant(True))
    close(norm.moving_mean, IMAGES.mean((0, 1, 2)))
    close(normal.numpy().mean((0, 1, 2)), np.zeros(3))
    assert (dropped.numpy() == 0).mean() > 0.3


def test_a_function_builds_the_layers_of_its_first_trace_alone():
    @ag.function
    def apply(layer, x):
        return layer(x)

    first, second = ag.keras.layers.Dense(2), ag.keras.layers.Dense(2)
    assert apply(first, ag.ones([4, 3])).shape == (4, 2)
    with pytest.raises(ValueError, match="non-first call"):
        apply(second, ag.ones([4, 3]))
    second.build([4, 3])
    assert apply(second, ag.ones([4, 3])).shape == (4, 2)


@pytest.mark.parametrize("rank", [1, 2, 3])
@pytest.mark.parametrize("padding, strides", [("valid", 1), ("same", 2)])
def test_a_convolutional_lstm_with_windows_of_one_element_is_an_lstm_at_each_point(
    rank, padding, strides
):
    x = ag.constant(np.random.default_rng(3).normal(size=(2, 4, *[3] * rank, 5)), "float32")
    convolving = getattr(layers, f"ConvLSTM{rank}D")(
        2, 1, strides, padding, return_sequences=True, return_state=True
    )
    found, h, c = convolving(x)
    recurrent = layers.LSTM(2, return_sequences=True)
    points = ag.transpose(x[(slice(None), slice(None), *[slice(None, None, strides)] * rank)],
                          [0, *range(2, rank + 2), 1, rank + 2])  # fmt: skip
    rows = ag.reshape(points, [-1, 4, 5])
    recurrent(rows)
    recurrent.set_weights([w.reshape(w.shape[-2:] if w.ndim > 1 else w.shape)
                           for w in convolving.get_weights()])  # fmt: skip
    expected = ag.reshape(recurrent(rows), [*points.shape[:-1], 2])
    np.testing.assert_allclose(
        ag.transpose(found, [0, *range(2, rank + 2), 1, rank + 2]), expected, atol=1e-5
    )
    assert h.shape == c.shape == found[:, 0].shape
    np.testing.assert_allclose(ag.function(convolving)(x)[0], found, atol=1e-5)


def test_a_spectrally_normalized_kernel_gets_the_largest_singular_value_one():
    layer = layers.SpectralNormalization(layers.Dense(4), power_iterations=60)
    layer(ag.ones([2, 3]), training=True)
    values = np.linalg.svd(layer.layer.kernel.numpy(), compute_uv=False)
    assert abs(values[0] - 1) < 1e-4
    kernel = layer.layer.kernel.numpy()
    layer(ag.ones([2, 3]))  # no training, no change
    assert (layer.layer.kernel.numpy() == kernel).all()


def test_a_layer_refuses_inputs_that_its_input_spec_does_not_allow():
    class Images(layers.Layer):
        def __init__(self):
            super().__init__()
            self.input_spec = layers.InputSpec(ndim=4, axes={-1: 3})

        def call(self, x):
            return x

    assert Images()(ag.ones([1, 2, 2, 3])).shape == [1, 2, 2, 3]
    for shape in ([2, 3], [1, 2, 2, 4]):
        with pytest.raises(ValueError, match="takes InputSpec"):
            Images()(ag.ones(shape))


def test_masks_go_from_layer_to_layer_wherever_these_are_called():
    ids = ag.constant([[1, 2, 0, 0], [3, 4, 5, 0]])
    embedding, lstm = layers.Embedding(9, 3, mask_zero=True), layers.LSTM(2)
    found = lstm(embedding(ids))
    np.testing.assert_allclose(found[:1], lstm(embedding(ids)[:1, :2]), atol=1e-6)
    np.testing.assert_allclose(ag.function(lambda ids: lstm(embedding(ids)))(ids), found, atol=1e-6)

    class Encoder(layers.Layer):
        def __init__(self):
            super().__init__()
            self.embedding, self.lstm = embedding, lstm

        def call(self, ids):
            return self.lstm(self.embedding(ids))

    np.testing.assert_allclose(Encoder()(ids), found, atol=1e-6)


def test_a_layer_of_the_user_ends_a_mask_unless_it_supports_masking():
    class Doubled(layers.Layer):
        def call(self, x):
            return x * 2.0

    class Passing(Doubled):
        supports_masking = True

    ids = ag.constant([[1, 2, 0]])
    embedding, lstm = layers.Embedding(9, 3, mask_zero=True), layers.LSTM(2)
    whole = lstm(embedding(ids) * 2.0)
    np.testing.assert_allclose(lstm(Doubled()(embedding(ids))), whole, atol=1e-6)
    short = lstm(embedding(ids)[:, :2] * 2.0)
    np.testing.assert_allclose(lstm(Passing()(embedding(ids))), short, atol=1e-6)


def test_losses_and_means_count_the_steps_of_the_mask():
    x = ag.constant([[[1.0], [3.0], [0.0]], [[5.0], [0.0], [0.0]]])
    masked = layers.Masking()(x)
    assert layers.GlobalAveragePooling1D()(masked).numpy().tolist() == [[2.0], [5.0]]
    loss = ag.keras.losses.MeanSquaredError()
    assert float(loss(ag.zeros([2, 3, 1]), masked)) == pytest.approx((1 + 9 + 25) / 3)
    both = layers.Bidirectional(layers.GRU(2, return_sequences=True))(masked)
    assert (both.numpy()[1, 1:] == 0).all()


def test_a_layer_knows_the_placeholders_of_its_call():
    x = ag.keras.Input([4])
    hidden = layers.Dense(3)
    model = ag.keras.Model(x, layers.Dense(1)(hidden(x)))
    features = ag.keras.Model(model.inputs, hidden.output)
    np.testing.assert_allclose(features(ag.ones([2, 4])), hidden(ag.ones([2, 4])))
    assert (model.input is x, model.outputs[0].shape.as_list()) == (True, [None, 1])
    with pytest.raises(AttributeError, match="not called with a placeholder"):
        layers.Dense(2).output  # noqa: B018


@pytest.mark.parametrize("name", ["SeparableConv2D", "DepthwiseConv2D"])
def test_convolutions_of_channels_take_the_names_of_their_kernels(name):
    layer = getattr(layers, name)(
        *[2] * (name == "SeparableConv2D"), kernel_size=2, depthwise_initializer="ones"
    )
    layer(ag.ones([1, 4, 4, 3]))
    assert (layer.kernel.numpy() == 1).all()
