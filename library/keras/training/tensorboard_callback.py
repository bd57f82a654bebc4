"""`keras.callbacks.TensorBoard`, which writes training metrics for TensorBoard."""

from __future__ import annotations

import os

from ....extend.registration import public
from ...tensorboard import summaries
from .callbacks import Callback


@public("keras.callbacks.TensorBoard")
class TensorBoard(Callback):
    """Writes the loss and the metrics of `fit` to `log_dir/train` and `log_dir/validation`.

    histogram_freq   write histograms of the weights every this many epochs (0: never)
    write_graph, write_images   accepted and ignored
    update_freq      "epoch"; or "batch" or a number of batches, to write within epochs too

    >>> import allograph as ag, tempfile, os
    >>> folder = tempfile.mkdtemp()
    >>> model = ag.keras.Sequential([ag.keras.layers.Dense(1)])
    >>> model.compile("sgd", "mse")
    >>> board = ag.keras.callbacks.TensorBoard(folder)
    >>> _ = model.fit(ag.ones([4, 2]), ag.ones([4, 1]), verbose=0, callbacks=[board])
    >>> os.listdir(folder)
    ['train']
    """

    def __init__(
        self, log_dir="logs", histogram_freq=0, write_graph=True, write_images=False,
        update_freq="epoch", **kwargs,
    ):  # fmt: skip
        self.log_dir = os.fspath(log_dir)
        self.histogram_freq = histogram_freq
        self.batches = {"epoch": 0, "batch": 1}.get(update_freq, update_freq)
        self._writers: dict[str, summaries.SummaryWriter] = {}
        self._step = 0

    def _write(self, run: str, values: dict, step: int) -> None:
        """Write scalars by name to one of the two folders."""
        if run not in self._writers:
            self._writers[run] = summaries.create_file_writer(os.path.join(self.log_dir, run))
        with self._writers[run].as_default(step):
            for name, value in values.items():
                summaries.scalar(name, value)

    def on_train_batch_end(self, batch, logs=None):
        self._step += 1
        if self.batches and self._step % self.batches == 0:
            values = {f"batch_{name}": value for name, value in (logs or {}).items()}
            self._write("train", values, self._step)

    def on_epoch_end(self, epoch, logs=None):
        runs: dict[str, dict] = {"train": {}, "validation": {}}
        for name, value in (logs or {}).items():
            run = "validation" if name.startswith("val_") else "train"
            runs[run]["epoch_" + name.removeprefix("val_")] = value
        for run, values in runs.items():
            if values:
                self._write(run, values, epoch)
        if self.histogram_freq and epoch % self.histogram_freq == 0:
            with self._writers["train"].as_default(epoch):
                for variable in self.model.weights:
                    summaries.histogram(variable.name.removesuffix(":0") + "/histogram", variable)

    def on_train_end(self, logs=None):
        for writer in self._writers.values():
            writer.close()
        self._writers.clear()
