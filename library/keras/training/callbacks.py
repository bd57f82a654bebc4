"""Callbacks: hooks into training, the history, the progress bar."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from ....extend.registration import expose, public
from ...progress_bars import is_watched, new_bar


@public("keras.callbacks.Callback")
class Callback:
    """Base class of callbacks, whose methods `fit` calls; `self.model` is the model."""

    model: Any = None
    params: dict = {}

    def set_model(self, model) -> None:
        self.model = model

    def set_params(self, params: dict) -> None:
        self.params = params


_EVENTS = (
    "on_train_begin", "on_train_end", "on_epoch_begin", "on_epoch_end", "on_train_batch_begin",
    "on_train_batch_end", "on_test_begin", "on_test_end", "on_test_batch_begin",
    "on_test_batch_end", "on_predict_begin", "on_predict_end", "on_predict_batch_begin",
    "on_predict_batch_end",
)  # fmt: skip
GROWING = ("acc", "accuracy", "auc", "precision", "recall", "f1_score")
OLDER = {"on_train_batch_begin": "on_batch_begin", "on_train_batch_end": "on_batch_end"}


def _empty_event(event: str):
    def called(self, *args, logs=None):
        """Do nothing; subclasses may override it."""
        if hasattr(self, OLDER.get(event, "")):
            getattr(self, OLDER[event])(*args)

    called.__name__ = event
    return called


for _event in _EVENTS:
    setattr(Callback, _event, _empty_event(_event))


@public("keras.callbacks.History")
class History(Callback):
    """Records the metrics of each epoch: `history` maps names to lists, `epoch` has the numbers."""

    def __init__(self):
        self.history: dict[str, list[float]] = {}
        self.epoch: list[int] = []

    def on_epoch_end(self, epoch, logs=None):
        self.epoch.append(epoch)
        for key, value in (logs or {}).items():
            self.history.setdefault(key, []).append(value)


class Monitored(Callback):
    """Base class of callbacks that watch a metric: smaller is better, unless its name tells."""

    def __init__(self, monitor="val_loss", mode="auto", min_delta=0.0):
        if mode not in ("auto", "min", "max"):
            raise ValueError(f"mode is 'auto', 'min' or 'max', not {mode!r}")
        self.monitor, self.min_delta = monitor, abs(min_delta)
        grows = mode == "max" or (mode == "auto" and monitor.endswith(GROWING))
        self.sign = -1.0 if grows else 1.0

    def value_of(self, logs) -> float:
        """The metric, with its sign changed if it is to grow. Raises KeyError if it is missing."""
        if self.monitor not in (logs or {}):
            raise KeyError(f"there is no {self.monitor!r} to monitor, only {sorted(logs or {})}")
        return self.sign * float(logs[self.monitor])

    def is_better(self, value: float, best: float) -> bool:
        return value < best - self.min_delta


@public("keras.callbacks.EarlyStopping")
class EarlyStopping(Monitored):
    """Stops training when the metric `monitor` has not improved for `patience` epochs.

    >>> stop = ag.keras.callbacks.EarlyStopping("loss", patience=2)
    >>> stop.patience
    2
    """

    def __init__(
        self, monitor="val_loss", min_delta=0.0, patience=0, verbose=0, mode="auto", baseline=None,
        restore_best_weights=False, start_from_epoch=0,
    ):  # fmt: skip
        super().__init__(monitor, mode, min_delta)
        self.patience, self.start_from_epoch = patience, start_from_epoch
        self.baseline, self.restore_best_weights = baseline, restore_best_weights

    def on_train_begin(self, logs=None):
        self.best = np.inf if self.baseline is None else self.sign * self.baseline
        self.waited, self.weights = 0, None

    def on_epoch_end(self, epoch, logs=None):
        value = self.value_of(logs)
        if epoch < self.start_from_epoch:
            return
        if self.is_better(value, self.best):
            self.best, self.waited = value, 0
            if self.restore_best_weights:
                self.weights = self.model.get_weights()
            return
        self.waited += 1
        if self.waited >= max(self.patience, 1):
            self.model.stop_training = True

    def on_train_end(self, logs=None):
        if self.weights is not None:
            self.model.set_weights(self.weights)


@public("keras.callbacks.ReduceLROnPlateau")
class ReduceLROnPlateau(Monitored):
    """Multiplies the learning rate by `factor` after `patience` epochs without improvement.

    After that, `cooldown` epochs do not count. The rate stays at least `min_lr`.

    >>> ag.keras.callbacks.ReduceLROnPlateau("loss", factor=0.5, patience=3).factor
    0.5
    """

    def __init__(
        self, monitor="val_loss", factor=0.1, patience=10, verbose=0, mode="auto", min_delta=1e-4,
        cooldown=0, min_lr=0.0,
    ):  # fmt: skip
        super().__init__(monitor, mode, min_delta)
        if factor >= 1:
            raise ValueError(f"ReduceLROnPlateau: the factor is below 1, not {factor}")
        self.factor, self.patience, self.cooldown, self.min_lr = factor, patience, cooldown, min_lr

    def on_train_begin(self, logs=None):
        self.best, self.waited, self.rest = np.inf, 0, 0

    def on_epoch_end(self, epoch, logs=None):
        value = self.value_of(logs)
        if self.rest:
            self.rest, self.waited = self.rest - 1, 0
        if self.is_better(value, self.best):
            self.best, self.waited = value, 0
            return
        self.waited += not self.rest
        if self.waited >= self.patience and not self.rest:
            rate = self.model.optimizer.learning_rate
            rate.assign(max(float(rate) * self.factor, self.min_lr))
            self.rest, self.waited = self.cooldown, 0


@public("keras.callbacks.TerminateOnNaN")
class TerminateOnNaN(Callback):
    """Stops training when the loss is not a finite number.

    >>> ag.keras.callbacks.TerminateOnNaN().model is None
    True
    """

    def on_train_batch_end(self, batch, logs=None):
        if "loss" in (logs or {}) and not np.isfinite(float(logs["loss"])):
            self.model.stop_training = True


@public("keras.callbacks.LearningRateScheduler")
class LearningRateScheduler(Callback):
    """Sets the learning rate to `schedule(epoch, rate)` before each epoch."""

    def __init__(self, schedule, verbose=0):
        self.schedule = schedule

    def on_epoch_begin(self, epoch, logs=None):
        rate = self.model.optimizer.learning_rate
        rate.assign(self.schedule(epoch, float(rate)))


@public("keras.callbacks.LambdaCallback")
class LambdaCallback(Callback):
    """A callback from functions, which are keyword arguments with the names of events."""

    def __init__(self, **functions):
        unknown = set(functions) - set(_EVENTS)
        if unknown:
            raise TypeError(f"there is no event {', '.join(sorted(unknown))}")
        vars(self).update(functions)


class Lines(Callback):
    """Prints a line for each epoch."""

    def on_epoch_end(self, epoch, logs=None):
        print(_line(epoch, self.params, logs))


class Bar(Callback):
    """Shows a progress bar for each epoch, in the output of a cell or on a terminal."""

    def on_epoch_begin(self, epoch, logs=None):
        self.bar = new_bar(f"Epoch {epoch + 1}/{self.params['epochs']}", self.params["steps"])

    def on_train_batch_end(self, batch, logs=None):
        self.bar.advance()

    def on_epoch_end(self, epoch, logs=None):
        self.bar.close(_line(epoch, self.params, logs))


def _line(epoch: int, params: dict, logs: dict | None) -> str:
    values = " - ".join(f"{key}: {value:.4f}" for key, value in (logs or {}).items())
    return f"Epoch {epoch + 1}/{params['epochs']} - {values}"


def _report(verbose) -> list[Callback]:
    """The progress callbacks: a bar in a notebook, or on a terminal with rich; else lines."""
    if verbose in (0, False):
        return []
    if verbose != 2 and is_watched():
        return [Bar()]
    return [Lines()] if verbose != "auto" or sys.stdout.isatty() else []


class CallbackList:
    """All callbacks of a `fit`; as a context manager it signals begin and end of training."""

    def __init__(self, model, callbacks, verbose, epochs: int, steps: int | None):
        self.history = History()
        if isinstance(callbacks, CallbackList):
            callbacks = callbacks.all[1:]
        extra = list(callbacks) if isinstance(callbacks, (list, tuple)) else [callbacks]
        given = (one for one in extra if one is not None)
        self.all: list[Callback] = [self.history, *_report(verbose), *given]
        for one in self.all:
            if isinstance(one, type):
                raise TypeError(f"callbacks are objects: {one.__name__}(...), not the class")
            one.set_model(model)
            one.set_params({"epochs": epochs, "steps": steps, "verbose": verbose})

    def __enter__(self):
        self._notify("on_train_begin")
        return self

    def __exit__(self, *error):
        self._notify("on_train_end")

    def _notify(self, event: str, *args) -> None:
        for one in self.all:
            getattr(one, event)(*args)


def _notification(event: str):
    def notify(self, *args):
        self._notify(event, *args)

    return notify


for _event in _EVENTS:
    setattr(CallbackList, _event, _notification(_event))
expose(Lines, "keras.callbacks.ProgbarLogger")
