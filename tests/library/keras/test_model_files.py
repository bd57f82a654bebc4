"""Models in files: what is stored, and what a program needs to load it."""

import numpy as np
import pytest

import allograph as ag

X = np.random.default_rng(0).normal(size=(4, 6)).astype("float32")


def saved_and_loaded(model, folder, **options):
    model.save(folder / "model.keras")
    loaded = ag.keras.models.load_model(folder / "model.keras", **options)
    np.testing.assert_array_equal(loaded(X), model(X))
    return loaded


@pytest.mark.slow
def test_a_model_file_has_the_layers_the_weights_and_the_state_of_training(tmp_path):
    keras, layers = ag.keras, ag.keras.layers
    rate = keras.optimizers.schedules.ExponentialDecay(0.1, 10, 0.9)
    inner = keras.Sequential([layers.Dense(4, "relu", kernel_regularizer=keras.regularizers.l2(1))])
    model = keras.Sequential([inner, layers.Reshape((2, 2)), layers.Bidirectional(layers.GRU(2))])
    model.compile(keras.optimizers.Adam(rate), keras.losses.Huber(), ["mae"], run_eagerly=True)
    model.train_on_batch(X, X[:, :4])
    loaded = saved_and_loaded(model, tmp_path)
    assert loaded.optimizer.iterations.numpy() == 1
    for one in (loaded, model):
        one.train_on_batch(X, X[:, :4])
    np.testing.assert_array_equal(loaded(X), model(X))
    assert len(loaded.layers[0].layers[0].losses) == 1


def test_calls_of_placeholders_are_saved_with_their_operators(tmp_path):
    inputs = ag.keras.Input([6])
    hidden = ag.keras.layers.Dense(3)(inputs)
    joined = ag.keras.layers.Concatenate()([hidden * 2.0 + hidden, hidden])
    model = ag.keras.Model(inputs, ag.keras.layers.Dense(1, name="out")(joined))
    assert saved_and_loaded(model, tmp_path).get_layer("out").units == 1
    clone = ag.keras.models.clone_model(model)
    assert clone.count_params() == model.count_params()


def test_classes_of_the_user_are_found_by_their_registered_names(tmp_path):
    class Scaled(ag.keras.Model):
        def __init__(self, factor, **kwargs):
            super().__init__(**kwargs)
            self.factor, self.dense = factor, ag.keras.layers.Dense(2)

        def call(self, x):
            return self.dense(x) * self.factor

    model = Scaled(3.0)
    model(X)
    model.save(tmp_path / "model.keras")
    with pytest.raises(ValueError, match="register_keras_serializable"):
        ag.keras.models.load_model(tmp_path / "model.keras")
    assert saved_and_loaded(model, tmp_path, custom_objects={"Scaled": Scaled}).factor == 3.0


def test_what_a_file_cannot_hold_is_refused_with_a_cure(tmp_path):
    model = ag.keras.Sequential([ag.keras.layers.Lambda(lambda x: x)])
    with pytest.raises(TypeError, match="register_keras_serializable"):
        model.save(tmp_path / "model.keras")
    with pytest.raises(ValueError, match="'.keras'"):
        model.save(tmp_path / "model.h5")
    (tmp_path / "bad.keras").write_bytes(b"PK nothing")
    with pytest.raises(ag.errors.DataLossError):
        ag.keras.models.load_model(tmp_path / "bad.keras")
