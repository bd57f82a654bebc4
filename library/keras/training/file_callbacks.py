"""Callbacks that write files: models, tables of metrics, and backups of training."""

from __future__ import annotations

import contextlib
import csv
import io
import os

import numpy as np

from ....extend.registration import public
from ...file_io.array_format import read_archive
from ...file_io.atomic_files import replace_file
from .callbacks import Callback, Monitored


@public("keras.callbacks.ModelCheckpoint")
class ModelCheckpoint(Monitored):
    """Saves the model, or its weights, after each epoch.

    filepath           a name ending in .keras; `{epoch}` and names of metrics are filled in
    save_best_only     only if the metric `monitor` is the best so far
    save_weights_only  the weights, with `Model.save_weights`, under any name
    save_freq          "epoch", or a number of batches

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "{epoch:02d}.keras")
    >>> model = ag.keras.Sequential([ag.keras.layers.Dense(1)])
    >>> model.compile("sgd", "mse")
    >>> saving = ag.keras.callbacks.ModelCheckpoint(path)
    >>> history = model.fit(np.ones((2, 1)), np.ones(2), verbose=0, callbacks=[saving])
    >>> os.listdir(os.path.dirname(path))
    ['01.keras']
    """

    def __init__(
        self, filepath, monitor="val_loss", verbose=0, save_best_only=False,
        save_weights_only=False, mode="auto", save_freq="epoch", initial_value_threshold=None,
    ):  # fmt: skip
        super().__init__(monitor, mode)
        self.filepath = os.fspath(filepath)
        if not save_weights_only and not self.filepath.endswith(".keras"):
            raise ValueError(
                f"ModelCheckpoint: the file of a model ends in .keras, not as {self.filepath!r}; "
                "or give save_weights_only=True"
            )
        if save_freq != "epoch" and not (isinstance(save_freq, int) and save_freq > 0):
            raise ValueError(f"save_freq is 'epoch' or a number of batches, not {save_freq!r}")
        self.save_best_only, self.save_weights_only = save_best_only, save_weights_only
        self.save_freq, self.batches, self.epoch = save_freq, 0, 0
        start = initial_value_threshold
        self.best = np.inf if start is None else self.sign * start

    def on_epoch_begin(self, epoch, logs=None):
        self.epoch = epoch

    def on_train_batch_end(self, batch, logs=None):
        self.batches += 1
        if self.save_freq != "epoch" and self.batches % self.save_freq == 0:
            self._save(logs, batch + 1)

    def on_epoch_end(self, epoch, logs=None):
        if self.save_freq == "epoch":
            self._save(logs, 0)

    def _save(self, logs, batch: int) -> None:
        if self.save_best_only:
            value = self.value_of(logs)
            if not self.is_better(value, self.best):
                return
            self.best = value
        metrics = {key: float(np.asarray(value)) for key, value in (logs or {}).items()}
        path = self.filepath.format(epoch=self.epoch + 1, batch=batch, **metrics)
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        (self.model.save_weights if self.save_weights_only else self.model.save)(path)


@public("keras.callbacks.CSVLogger")
class CSVLogger(Callback):
    """Writes the metrics of each epoch as a row of a CSV file.

    >>> import tempfile
    >>> ag.keras.callbacks.CSVLogger(tempfile.mkdtemp() + "/log.csv", separator=";").separator
    ';'
    """

    def __init__(self, filename, separator=",", append=False):
        self.filename, self.separator, self.append = os.fspath(filename), separator, append

    def on_train_begin(self, logs=None):
        exists = os.path.exists(self.filename) and os.path.getsize(self.filename)
        self.names = [] if not (self.append and exists) else None
        if not self.append:
            open(self.filename, "w", encoding="utf-8").close()

    def on_epoch_end(self, epoch, logs=None):
        metrics = {key: float(value) for key, value in (logs or {}).items()}
        with open(self.filename, "a", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, delimiter=self.separator)
            if self.names == []:
                writer.writerow(["epoch", *metrics])
            self.names = list(metrics)
            writer.writerow([epoch, *metrics.values()])


@public("keras.callbacks.BackupAndRestore")
class BackupAndRestore(Callback):
    """Keeps a backup of the training; `fit` after an interruption continues from it.

    The backup in the folder `backup_dir` has the weights, the state of the optimizer and the
    number of the epoch. It is removed when training ends, unless `delete_checkpoint` is False.

    >>> import tempfile
    >>> ag.keras.callbacks.BackupAndRestore(tempfile.mkdtemp()).delete_checkpoint
    True
    """

    def __init__(
        self, backup_dir, save_freq="epoch", double_checkpoint=False, delete_checkpoint=True
    ):
        if save_freq != "epoch":
            raise ValueError(f"BackupAndRestore: save_freq is 'epoch', not {save_freq!r}")
        self.path = os.path.join(os.fspath(backup_dir), "backup.npz")
        self.delete_checkpoint = delete_checkpoint

    def _variables(self) -> list:
        return [*self.model.weights, *self.model.optimizer.variables]

    def on_train_begin(self, logs=None):
        if not self.model.weights:
            raise ValueError("BackupAndRestore: build the model first, with keras.Input")
        os.makedirs(os.path.dirname(self.path), exist_ok=True)
        self.finished = False
        if not os.path.exists(self.path):
            return
        self.model.optimizer.build(self.model.trainable_variables)
        variables = self._variables()
        epoch, *values = read_archive(
            self.path, [(), *(tuple(one.shape.as_list()) for one in variables)]
        )
        for variable, value in zip(variables, values, strict=True):
            variable.assign(value)
        self.model.first_epoch = max(self.model.first_epoch, int(epoch))

    def on_epoch_end(self, epoch, logs=None):
        buffer = io.BytesIO()
        np.savez(buffer, np.int64(epoch + 1), *(variable.numpy() for variable in self._variables()))
        replace_file(self.path, [buffer.getbuffer()])
        self.finished = self.model.stop_training or epoch + 1 >= self.params["epochs"]

    def on_train_end(self, logs=None):
        if self.finished and self.delete_checkpoint:
            with contextlib.suppress(FileNotFoundError):
                os.remove(self.path)
