"""Callbacks: their events, plateaus, and those that write files."""

import os

import numpy as np
import pytest

import allograph as ag

keras, callbacks = ag.keras, ag.keras.callbacks
X = np.arange(12, dtype=np.float32).reshape(4, 3) / 10
Y = np.ones((4, 1), np.float32)


def line():
    dense = keras.layers.Dense(1, kernel_initializer="ones")
    model = keras.Sequential([keras.Input([3]), dense])
    model.compile("adam", "mse", run_eagerly=True)
    return model


class Seen(callbacks.Callback):
    """Notes the names of events."""

    def __init__(self):
        self.events = []

    def __getattribute__(self, name):
        if name.startswith("on_"):
            self.events.append(name.removeprefix("on_"))
        return super().__getattribute__(name)


def test_evaluation_and_prediction_have_events_also_inside_of_training():
    seen, model = Seen(), line()
    model.evaluate(X, Y, batch_size=2, verbose=0, callbacks=[seen])
    step = ["test_batch_begin", "test_batch_end"]
    assert seen.events == ["test_begin", *step, *step, "test_end"]
    seen.events.clear()
    model.predict(X, verbose=0, callbacks=[seen])
    step = ["predict_batch_begin", "predict_batch_end"]
    assert seen.events == ["predict_begin", *step, "predict_end"]
    seen.events.clear()
    model.fit(X, Y, verbose=0, validation_data=(X, Y), callbacks=[seen])
    assert seen.events.index("test_end") < seen.events.index("epoch_end")


def test_the_older_names_of_events_of_batches_are_called():
    class Older(callbacks.Callback):
        seen: list = []

        def on_batch_end(self, batch, logs=None):
            self.seen.append((batch, f"{logs['loss']:.1f}"))

    line().fit(X, Y * 0, batch_size=2, shuffle=False, verbose=0, callbacks=[Older()])
    assert [batch for batch, _ in Older.seen] == [0, 1]


def test_the_learning_rate_falls_on_a_plateau_and_rests():
    model = line()
    rates = []
    note = callbacks.LambdaCallback(
        on_epoch_end=lambda *_: rates.append(round(float(model.optimizer.learning_rate), 8))
    )
    plateau = callbacks.ReduceLROnPlateau(
        "loss", factor=0.5, patience=1, min_delta=1e9, cooldown=1, min_lr=2e-4
    )
    model.fit(X, Y, epochs=6, verbose=0, callbacks=[plateau, note])
    assert rates[0] >= rates[1] >= rates[-1] == 2e-4 and rates[1] == 5e-4


def test_a_loss_that_is_not_finite_ends_training():
    model = line()
    history = model.fit(X * np.nan, Y, epochs=5, verbose=0, callbacks=[callbacks.TerminateOnNaN()])
    assert len(history.epoch) == 1


def test_models_weights_and_metrics_are_written(tmp_path):
    model = line()
    named = callbacks.ModelCheckpoint(tmp_path / "{epoch:02d}-{val_loss:.2f}.keras")
    best = callbacks.ModelCheckpoint(
        tmp_path / "best.weights.h5", "loss", save_best_only=True, save_weights_only=True
    )
    table = callbacks.CSVLogger(tmp_path / "log.csv")
    history = model.fit(
        X, Y, epochs=2, verbose=0, validation_data=(X, Y), callbacks=[named, best, table]
    ).history
    names = [f"{n + 1:02d}-{value:.2f}.keras" for n, value in enumerate(history["val_loss"])]
    assert set(names) <= set(os.listdir(tmp_path))
    loaded = keras.models.load_model(tmp_path / names[1])
    assert np.array_equal(loaded(X), model(X))
    loaded.load_weights(tmp_path / "best.weights.h5")
    rows = (tmp_path / "log.csv").read_text().splitlines()
    assert rows[0] == "epoch,loss,val_loss" and len(rows) == 3
    with pytest.raises(ValueError, match=r"ends in \.keras.*save_weights_only"):
        callbacks.ModelCheckpoint(tmp_path / "model.h5")


def test_an_interrupted_training_continues_with_the_same_weights(tmp_path):
    class Interrupt(callbacks.Callback):
        def on_epoch_begin(self, epoch, logs=None):
            if epoch == 2:
                raise KeyboardInterrupt

    def backup():
        return callbacks.BackupAndRestore(tmp_path)

    whole, first, second = line(), line(), line()
    options = {"epochs": 4, "verbose": 0, "shuffle": False}
    whole.fit(X, Y, **options)
    with pytest.raises(KeyboardInterrupt):
        first.fit(X, Y, **options, callbacks=[backup(), Interrupt()])
    history = second.fit(X, Y, **options, callbacks=[backup()])
    assert history.epoch == [2, 3] and os.listdir(tmp_path) == []
    np.testing.assert_array_equal(second.get_weights()[0], whole.get_weights()[0])


def test_models_of_texts_and_of_normalized_data_are_saved_whole(tmp_path):
    words = keras.layers.TextVectorization(output_sequence_length=4)
    words.adapt(["a b c", "b c d"])
    norm = keras.layers.Normalization()
    norm.adapt(X)
    texts = keras.Sequential(
        [keras.Input([1], dtype="string"), words, keras.layers.Embedding(9, 2)]
    )
    numbers = keras.Sequential([keras.Input([3]), norm, keras.layers.Dense(1)])
    for model, x in ((texts, ag.constant([["a b"], ["c z"]])), (numbers, X)):
        model.save(tmp_path / "model.keras")
        assert np.array_equal(keras.models.load_model(tmp_path / "model.keras")(x), model(x))
