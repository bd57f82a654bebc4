"""Layers and optimizers in checkpoints and saved models."""

import numpy as np
import pytest

import allograph as ag

keras, layers = ag.keras, ag.keras.layers
X = np.random.default_rng(2).normal(size=(4, 3)).astype(np.float32)


def model():
    """Without a bias before the normalization: its gradient would be rounding errors alone, which
    Adam makes as large as any other.
    """
    return keras.Sequential(
        [layers.Dense(4, use_bias=False), layers.BatchNormalization(), layers.Dense(1)]
    )


def step(model, optimizer):
    with ag.GradientTape() as tape:
        loss = ag.reduce_sum(model(X, training=True) ** 2)
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))


@pytest.mark.slow
@pytest.mark.parametrize("staged", [False, True])
def test_training_goes_on_from_a_checkpoint(tmp_path, staged):
    """Also where layers and slots are made after the checkpoint was restored."""
    one, adam = model(), keras.optimizers.Adam(0.1)
    for _ in range(3):
        step(one, adam)
    path = ag.train.Checkpoint(model=one, optimizer=adam).save(tmp_path / "ck")
    other, again = model(), keras.optimizers.Adam(0.5)
    status = ag.train.Checkpoint(model=other, optimizer=again).restore(path)
    run = ag.function(lambda: step(other, again)) if staged else lambda: step(other, again)
    for _ in range(2):
        step(one, adam)
        run()
    status.assert_existing_objects_matched()
    for a, b in zip(one.get_weights(), other.get_weights(), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)
    assert int(again.iterations) == 5


def test_a_module_with_a_model_is_saved_and_loaded(tmp_path):
    class Server(ag.Module):
        def __init__(self):
            self.model = model()

        @ag.function(input_signature=[ag.TensorSpec([None, 3])])
        def __call__(self, x):
            return self.model(x)

    server = Server()
    expected = server(X)
    ag.saved_model.save(server, tmp_path / "saved")
    loaded = ag.saved_model.load(tmp_path / "saved")
    np.testing.assert_allclose(loaded(X), expected, rtol=1e-5)
    assert len(loaded.variables) == 7


def test_an_optimizers_variables_are_none_of_the_module_that_holds_it():
    class Trainer(ag.Module):
        def __init__(self):
            self.optimizer = keras.optimizers.Adam()
            self.weight = ag.Variable(1.0)

    trainer = Trainer()
    trainer.optimizer.apply_gradients([(ag.constant(1.0), trainer.weight)])
    assert len(trainer.variables) == 1
    assert len(trainer.optimizer.variables) == 4
