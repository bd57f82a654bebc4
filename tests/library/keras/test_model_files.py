"""Models in files: what is stored, and what a program needs to load it."""

import zipfile

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


def test_the_error_of_a_file_that_is_no_model_has_no_error_of_its_reader_behind_it(tmp_path):
    path = tmp_path / "text.keras"
    path.write_text("no archive")
    with pytest.raises(ag.errors.DataLossError, match="not a zip file") as caught:
        ag.keras.models.load_model(path)
    assert caught.value.__cause__ is None and caught.value.__context__ is None


def changed_file(folder, old, new):
    """A file of a model in whose description one string stands for another."""
    path = folder / "changed.keras"
    ag.keras.Sequential([ag.keras.Input([2]), ag.keras.layers.Dense(1)]).save(path)
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    config = members["config.json"].decode()
    assert old in config
    members["config.json"] = config.replace(old, new).encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


@pytest.mark.parametrize(
    "old, new",
    [
        ('"units": 1', '"units": 1000000000'),  # weights that the file cannot hold
        ('"Dense"', '"Sequential"'),
        ('"units": 1', '"units": 1, "nonsense": 2'),
        ('"Dense"', '"Lambda"'),
    ],
)
def test_a_description_that_its_file_contradicts_is_refused(tmp_path, old, new):
    with pytest.raises(ag.errors.DataLossError):
        ag.keras.models.load_model(changed_file(tmp_path, old, new))


def test_a_file_of_a_model_opens_no_other_file(tmp_path):
    (tmp_path / "secret.txt").write_text("password")
    layers = ag.keras.layers
    model = ag.keras.Sequential([layers.TextVectorization(vocabulary=["word"]), layers.Dense(1)])
    text = model.to_json().replace('["word"]', f'"{(tmp_path / "secret.txt").as_posix()}"')
    with pytest.raises(ValueError, match="names a file"):
        ag.keras.models.model_from_json(text)
    own = layers.StringLookup(vocabulary=str(tmp_path / "secret.txt"))
    assert own.get_vocabulary() == ["[UNK]", "password"]
    assert type(own).from_config(own.get_config()).get_vocabulary() == ["[UNK]", "password"]


def test_a_file_names_no_method_that_is_not_an_operator(tmp_path):
    config = '{"name": "step", "operator": "__reduce__", "others": []}'
    step = f'"OperatorStep", "config": {config}}}, {{"class_name": "Dense"'
    path = changed_file(tmp_path, '"Dense"', step)
    with pytest.raises(ValueError, match="'__reduce__' is not an operator"):
        ag.keras.models.load_model(path)
