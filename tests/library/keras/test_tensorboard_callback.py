"""`keras.callbacks.TensorBoard`: what training leaves in the folder."""

import re

import allograph as ag


def trained(folder, **options):
    model = ag.keras.Sequential([ag.keras.layers.Dense(1, name="last")])
    model.compile("sgd", "mse", metrics=["mae"])
    x, y = ag.ones([8, 2]), ag.ones([8, 1])
    board = ag.keras.callbacks.TensorBoard(folder, **options)
    model.fit(
        x, y, batch_size=4, epochs=2, verbose=0, validation_data=(x, y), callbacks=[board]
    )  # fmt: skip
    found = {}
    for part in folder.iterdir():
        (path,) = part.iterdir()
        found[part.name] = re.findall(rb"(?:epoch|batch)_[a-z_]+|last/[a-z/]+", path.read_bytes())
    return found


def test_epochs_go_to_two_folders(tmp_path):
    found = trained(tmp_path)
    assert found["train"] == [b"epoch_loss", b"epoch_mae"] * 2
    assert found["validation"] == [b"epoch_loss", b"epoch_mae"] * 2


def test_batches_and_weights_are_written_when_asked_for(tmp_path):
    found = trained(tmp_path, update_freq="batch", histogram_freq=2)["train"]
    assert found.count(b"batch_loss") == 4
    assert sorted(one for one in found if one.startswith(b"last")) == [
        b"last/bias/histogram", b"last/kernel/histogram",
    ]  # fmt: skip


def test_a_callback_serves_two_trainings(tmp_path):
    model = ag.keras.Sequential([ag.keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    board = ag.keras.callbacks.TensorBoard(tmp_path)
    for _ in range(2):
        model.fit(ag.ones([4, 2]), ag.ones([4, 1]), verbose=0, callbacks=[board])
    assert len(list((tmp_path / "train").iterdir())) == 2
