"""Models: compile, fit, evaluate, predict; chains of layers; callbacks."""

import numpy as np
import pytest

import allograph as ag

keras, layers = ag.keras, ag.keras.layers
RNG = np.random.default_rng(21)
X = RNG.normal(size=(100, 3)).astype(np.float32)
WEIGHTS = np.array([[1.0], [-2.0], [0.5]], np.float32)
Y = X @ WEIGHTS + 0.25
CLASSES = (Y[:, 0] > 0).astype(np.int64)


@pytest.fixture(autouse=True)
def seed():
    ag.random.set_seed(3)


def line(**options):
    model = keras.Sequential([layers.Dense(1)])
    model.compile(keras.optimizers.SGD(0.1), "mse", **options)
    return model


@pytest.mark.slow
def test_a_line_is_found():
    model = line(metrics=["mae"])
    history = model.fit(X, Y, epochs=30, batch_size=10, verbose=0)
    assert set(history.history) == {"loss", "mae"}
    assert len(history.history["loss"]) == 30
    np.testing.assert_allclose(model.weights[0], WEIGHTS, atol=1e-3)
    loss, error = model.evaluate(X, Y, verbose=0)
    assert max(loss, error) < 1e-2
    np.testing.assert_allclose(model.predict(X, batch_size=33), Y, atol=1e-2)


def test_one_step_is_one_step_of_gradient_descent():
    model = line()
    model.build([None, 3])
    kernel, bias = (one.numpy() for one in model.weights)
    error = X @ kernel + bias - Y
    model.train_on_batch(X, Y)
    np.testing.assert_allclose(model.weights[0], kernel - 0.1 * 2 * X.T @ error / 100, rtol=1e-4)
    np.testing.assert_allclose(model.weights[1], bias - 0.1 * 2 * error.mean(0), rtol=1e-4)


@pytest.mark.parametrize("eagerly", [False, True])
@pytest.mark.slow
def test_classes_are_told_apart(eagerly):
    model = keras.Sequential([layers.Dense(8, activation="tanh"), layers.Dense(2)])
    model.compile(
        "adam",
        keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=["accuracy"],
        run_eagerly=eagerly,
    )
    model.optimizer.learning_rate = 0.05
    found = model.fit(X, CLASSES, epochs=20, verbose=0).history["accuracy"]
    assert found[-1] > 0.95


@pytest.mark.parametrize(
    "units, loss, labels",
    [
        (1, "binary_crossentropy", CLASSES[:, None]),
        (2, "categorical_crossentropy", np.eye(2)[CLASSES]),
        (2, "sparse_categorical_crossentropy", CLASSES),
    ],
)
def test_accuracy_means_what_the_labels_say(units, loss, labels):
    activation = "sigmoid" if units == 1 else "softmax"
    model = keras.Sequential([layers.Dense(units, activation=activation)])
    model.compile("adam", loss, metrics=["accuracy"])
    told = model.evaluate(X, labels, verbose=0, return_dict=True)["accuracy"]
    chances = model.predict(X)
    found = chances[:, 0] > 0.5 if units == 1 else chances.argmax(-1)
    np.testing.assert_allclose(told, (found == CLASSES).mean(), rtol=1e-6)


@pytest.mark.slow
def test_weights_of_samples_and_classes():
    model = line()
    model.build([None, 3])
    half = np.repeat([1.0, 0.0], 50)
    whole = model.evaluate(X[:50], Y[:50], verbose=0)
    np.testing.assert_allclose(
        model.evaluate(X, Y, 100, 0, sample_weight=half), whole / 2, rtol=1e-5
    )
    found = []
    for weights in (
        {"class_weight": {0: 0.5, 1: 2.0}},
        {"sample_weight": np.where(CLASSES == 0, 0.5, 2.0)},
    ):
        model = keras.Sequential([layers.Dense(2, kernel_initializer="ones")])
        model.compile("sgd", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
        model.fit(X, CLASSES, shuffle=False, epochs=2, verbose=0, **weights)
        found.append(model.predict(X))
    np.testing.assert_allclose(*found, rtol=1e-5)


def test_labels_are_brought_to_the_predictions():
    model = keras.Sequential([layers.Dense(1)])
    model.compile("sgd", lambda y, found: ag.reduce_mean((y - found) ** 2))
    model(X)
    expected = ((model.predict(X) - Y) ** 2).mean()
    for labels in (Y, Y[:, 0], Y.astype(np.float64)):
        np.testing.assert_allclose(model.test_on_batch(X, labels), expected, rtol=1e-5)


def test_validation_data_are_only_looked_at():
    model = line()
    history = model.fit(X, Y, validation_split=0.2, epochs=2, verbose=0).history
    assert set(history) == {"loss", "val_loss"}
    np.testing.assert_allclose(
        history["val_loss"][-1], model.evaluate(X[80:], Y[80:], verbose=0), rtol=1e-5
    )
    history = model.fit(X, Y, validation_data=(X, Y), verbose=0).history
    assert "val_loss" in history


def test_batches_come_from_an_iterable():
    model = line()
    batches = [(X[i : i + 25], Y[i : i + 25]) for i in range(0, 100, 25)]
    model.fit(batches, epochs=20, verbose=0)
    assert model.evaluate(iter(batches), verbose=0) < 0.05


@pytest.mark.slow
def test_batches_come_from_a_dataset():
    model = line()
    batches = ag.data.Dataset.from_tensor_slices((X, Y)).shuffle(100).batch(20)
    model.fit(batches, epochs=20, verbose=0, validation_data=batches)
    assert model.evaluate(batches, verbose=0) < 0.05
    assert model.predict(batches).shape == (100, 1)
    history = model.fit(batches.repeat(), steps_per_epoch=3, epochs=2, verbose=0)
    assert len(history.history["loss"]) == 2


@pytest.mark.slow
def test_a_training_step_of_ones_own():
    class Custom(keras.Model):
        def __init__(self):
            super().__init__()
            self.out = layers.Dense(1)
            self.tracker = keras.metrics.Mean(name="my_loss")

        def call(self, x):
            return self.out(x)

        def train_step(self, data):
            x, y = data[:2]
            with ag.GradientTape() as tape:
                loss = ag.reduce_mean((self(x, training=True) - y) ** 2)
                if loss > 1000.0:
                    loss = loss / 2
            gradients = tape.gradient(loss, self.trainable_variables)
            self.optimizer.apply_gradients(zip(gradients, self.trainable_variables))
            self.tracker.update_state(loss)
            return {"my_loss": self.tracker.result()}

    model = Custom()
    model.compile(keras.optimizers.SGD(0.1))
    history = model.fit(X, Y, epochs=10, verbose=0).history
    assert list(history) == ["my_loss"]
    assert history["my_loss"][-1] < history["my_loss"][0] / 10


@pytest.mark.slow
def test_penalties_and_running_means_take_part():
    model = keras.Sequential(
        [layers.BatchNormalization(momentum=0.0), layers.Dense(1, kernel_regularizer="l2")]
    )
    model.compile("sgd", "mse")
    model.fit(X, Y, batch_size=100, verbose=0)
    np.testing.assert_allclose(model.layers[0].moving_mean, X.mean(0), atol=1e-5)
    plain = ((model.predict(X) - Y) ** 2).mean()
    penalty = 0.01 * (model.layers[1].kernel.numpy() ** 2).sum()
    np.testing.assert_allclose(model.evaluate(X, Y, 100, 0), plain + penalty, rtol=1e-4)


def test_an_uncompiled_model_says_so():
    with pytest.raises(RuntimeError, match="compile"):
        keras.Sequential([layers.Dense(1)]).fit(X, Y)


# ---- models ----------------------------------------------------------------------------------


def test_placeholders_make_a_model():
    x = keras.Input([3])
    hidden = layers.Dense(4, activation="relu", name="hidden")(x)
    skip = layers.Concatenate()([hidden, x * 2.0])
    model = keras.Model(x, [layers.Dense(2)(skip) + 1.0, hidden])
    out, inner = model(X)
    assert (out.shape, inner.shape) == ([100, 2], [100, 4])
    np.testing.assert_allclose(inner, model.get_layer("hidden")(X))
    joined = np.concatenate([inner, 2 * X], 1)
    np.testing.assert_allclose(
        out, joined @ model.weights[2].numpy() + model.weights[3].numpy() + 1, rtol=1e-4, atol=1e-5
    )
    assert len(model.trainable_weights) == 4


def test_a_layer_used_twice_is_one_layer():
    shared = layers.Dense(3)
    x = keras.Input([3])
    model = keras.Model(x, shared(shared(x)))
    assert len(model.weights) == 2
    np.testing.assert_allclose(model(X), shared(shared(X)))


def test_several_inputs_by_place_and_by_name():
    a, b = keras.Input([3], name="a"), keras.Input([3], name="b")
    model = keras.Model([a, b], layers.Subtract()([a, b]))
    np.testing.assert_allclose(model([X, X / 2]), X / 2)
    np.testing.assert_allclose(model({"a": X, "b": X}), 0 * X)
    with pytest.raises(ValueError, match="2 inputs"):
        model([X])
    with pytest.raises(ValueError, match="not an input"):
        keras.Model(a, layers.Add()([a, b]))


def test_a_placeholder_has_no_value():
    with pytest.raises(TypeError, match="Lambda"):
        ag.nn.relu(keras.Input([3]))


def test_several_outputs_have_several_losses():
    x = keras.Input([3])
    model = keras.Model(x, [layers.Dense(1)(x), layers.Dense(1)(x)])
    model.compile("adam", ["mse", "mae"], loss_weights=[1.0, 10.0])
    one, other = model.predict(X)
    expected = ((one - Y) ** 2).mean() + 10 * abs(other - Y).mean()
    np.testing.assert_allclose(model.evaluate(X, [Y, Y], 100, 0), expected, rtol=1e-5)


def test_a_sequence_is_built_once_its_input_is_known():
    model = keras.Sequential([layers.Input([3]), layers.Dense(4), layers.Dense(1)])
    assert [tuple(one.shape) for one in model.weights] == [(3, 4), (4,), (4, 1), (1,)]
    model = keras.Sequential([layers.Dense(4, input_shape=[3])])
    assert len(model.weights) == 2
    model = keras.Sequential()
    model.add(layers.Dense(2))
    model.build([None, 3])
    assert model.count_params() == 8
    assert len(model.layers) == 1


def test_weights_are_saved_and_loaded(tmp_path):
    one, other = line(), line()
    one(X), other(X)
    one.save_weights(tmp_path / "weights.npz")
    other.load_weights(tmp_path / "weights.npz")
    np.testing.assert_array_equal(one(X), other(X))


def test_a_sequence_is_made_anew_from_its_configuration():
    model = keras.Sequential([layers.Dense(4, activation="relu"), layers.Dropout(0.5)])
    again = keras.Sequential.from_config(model.get_config())
    assert [type(one) for one in again.layers] == [layers.Dense, layers.Dropout]
    assert again.layers[0].units == 4


def test_the_summary_counts(capsys):
    model = line()
    model(X)
    model.summary()
    told = capsys.readouterr().out
    assert "Dense" in told
    assert "Total: 4; trainable: 4; others: 0" in told


# ---- callbacks -------------------------------------------------------------------------------


@pytest.mark.slow
def test_training_stops_early_and_keeps_the_best_weights():
    model = line()
    model.fit(X, Y, epochs=30, verbose=0)
    model.optimizer.learning_rate = 3.0
    stop = keras.callbacks.EarlyStopping("loss", patience=3, restore_best_weights=True)
    model.fit(X, Y, epochs=50, verbose=0, callbacks=[stop])
    assert len(stop.model.optimizer.variables) == 2
    assert np.isfinite(model.evaluate(X, Y, verbose=0))


def test_callbacks_are_called_in_order():
    told = []

    class Teller(keras.callbacks.Callback):
        def on_epoch_begin(self, epoch, logs=None):
            told.append(("begin", epoch))

        def on_epoch_end(self, epoch, logs=None):
            told.append(("end", epoch, "loss" in logs))

    line().fit(X, Y, epochs=2, verbose=0, callbacks=[Teller()])
    assert told == [("begin", 0), ("end", 0, True), ("begin", 1), ("end", 1, True)]


@pytest.mark.slow
def test_the_learning_rate_may_follow_the_epoch():
    model = line()
    schedule = keras.callbacks.LearningRateScheduler(lambda epoch, rate: rate / 2)
    model.fit(X, Y, epochs=3, verbose=0, callbacks=[schedule])
    np.testing.assert_allclose(float(model.optimizer.learning_rate), 0.1 / 8)


def test_an_epoch_is_a_line(capsys):
    line().fit(X, Y, epochs=2, verbose=2)
    told = capsys.readouterr().out.splitlines()
    assert len(told) == 2
    assert told[1].startswith("Epoch 2/2 - loss: ")


def test_labels_become_categories():
    np.testing.assert_array_equal(
        keras.utils.to_categorical([[0], [2]], num_classes=4), [[1, 0, 0, 0], [0, 0, 1, 0]]
    )


def test_a_step_of_the_user_gets_the_components_that_were_given():
    seen = []

    class Own(ag.keras.Model):
        def __init__(self):
            super().__init__()
            self.out = ag.keras.layers.Dense(1)

        def call(self, x):
            return self.out(x)

        def train_step(self, data):
            seen.append(len(data) if isinstance(data, tuple) else 1)
            return {"loss": ag.constant(0.0)}

    x, y = np.ones((4, 2), np.float32), np.ones((4, 1), np.float32)
    for data in ((x,), (x, y), (x, y, np.ones(4, np.float32))):
        model = Own()
        model.compile("sgd", "mse", run_eagerly=True)
        arrays = dict(zip(("x", "y", "sample_weight"), data, strict=False))
        model.fit(**arrays, batch_size=4, verbose=0)
    assert seen == [1, 2, 3]


# ---- several outputs -----------------------------------------------------------------------------


def two_outputs():
    x = ag.keras.Input((4,))
    hidden = ag.keras.layers.Dense(8, activation="tanh")(x)
    size = ag.keras.layers.Dense(1, name="size")(hidden)
    kind = ag.keras.layers.Dense(3, name="kind")(hidden)
    return ag.keras.Model(x, [size, kind])


LOSSES = {"size": "mse", "kind": ag.keras.losses.SparseCategoricalCrossentropy(from_logits=True)}
RNG = np.random.default_rng(0)
FEATURES = RNG.random((20, 4), np.float32)
LABELS = {"size": RNG.random((20, 1), np.float32), "kind": RNG.integers(0, 3, 20)}


@pytest.mark.parametrize("labels", [LABELS, list(LABELS.values())], ids=["by name", "in order"])
def test_losses_by_name_are_those_of_the_outputs_of_the_last_layers(labels):
    model = two_outputs()
    assert model.output_names == ["size", "kind"]
    model.compile("sgd", LOSSES, loss_weights={"kind": 0.5}, metrics={"kind": ["accuracy"]})
    logs = model.fit(FEATURES, labels, batch_size=20, verbose=0).history
    assert sorted(logs) == ["kind_accuracy", "kind_loss", "loss", "size_loss"]
    (size,), (kind,), (loss,) = logs["size_loss"], logs["kind_loss"], logs["loss"]
    assert loss == pytest.approx(size + 0.5 * kind, rel=1e-5)


def test_a_loss_of_an_output_that_does_not_exist_names_the_similar_one():
    model = two_outputs()
    model.compile("sgd", {"size": "mse", "kinds": "mse"})
    with pytest.raises(ValueError, match="no part 'kinds'. Did you mean 'kind'?"):
        model.fit(FEATURES, list(LABELS.values()), verbose=0)


def test_weights_are_in_the_file_that_was_named(tmp_path):
    model = two_outputs()
    model.save_weights(tmp_path / "a.weights.h5")
    assert [one.name for one in tmp_path.iterdir()] == ["a.weights.h5"]
    other = two_outputs()
    other.load_weights(tmp_path / "a.weights.h5")
    np.testing.assert_array_equal(other(FEATURES)[0], model(FEATURES)[0])
