"""Training a model: `compile`, `fit`, `evaluate`, `predict`."""

from __future__ import annotations

import numpy as np

from .... import GradientTape, cast, concat, convert_to_tensor, expand_dims, function, shape
from ....extend import nest
from ....extend.errors import ShapeError
from ....extend.specs import show
from ...progress_bars import watched
from ..registry import Untracked
from . import losses, metrics, optimizers
from .callbacks import CallbackList
from .data_adapters import Batches, as_batch, split_off, unpack_x_y_sample_weight
from .named_outputs import metric_rows, part_of, weight_of


class Trainer:
    """The training methods of models; the methods for one step may be overridden."""

    optimizer = None
    loss = None
    stop_training = False

    def compile(
        self, optimizer="rmsprop", loss=None, metrics=None, loss_weights=None,
        weighted_metrics=None, run_eagerly=False, steps_per_execution=1, jit_compile=None,
    ):  # fmt: skip
        """Configure the optimizer, the loss and the metrics of `fit`.

        `optimizer`, `loss` and `metrics` are names or objects. For a model with several outputs,
        `loss` is a list or a dictionary, `metrics` a dictionary. The outputs of a model of
        placeholders have the names of its last layers. Losses by name are metrics too.
        """
        self.compiled_with = Untracked({
            "optimizer": optimizer, "loss": loss, "metrics": metrics, "loss_weights": loss_weights,
            "weighted_metrics": weighted_metrics,
        })  # fmt: skip
        self.optimizer = optimizers.get(optimizer)
        self.loss = loss
        self._loss_weights = loss_weights
        self._losses = None if loss is None else nest.map_structure(_as_loss, loss)
        for one in (metrics, weighted_metrics):
            if isinstance(one, str):
                raise ValueError(f"metrics are a list: metrics=[{one!r}]")
        self._metric_arguments = metric_rows(metrics, False) + metric_rows(weighted_metrics, True)
        self._mean_losses = {}
        if isinstance(loss, dict) and len(loss) > 1:
            self._mean_losses = {one: _metric("Mean")(name=f"{one}_loss") for one in loss}
        self._metrics: list | None = None
        self._mean_loss = _metric("Mean")(name="loss")
        self._run_eagerly, self._jit_compile = run_eagerly, jit_compile
        self._steps = Untracked({})

    # ---- one step ------------------------------------------------------------------------

    @property
    def metrics(self) -> list:
        """The mean loss and the metrics of `compile`, then metrics among the attributes."""
        attributes = [
            attribute for attribute in self._attributes() if isinstance(attribute, metrics.Metric)
        ]
        compiled = []
        if self.optimizer is not None:
            compiled = [self._mean_loss, *self._mean_losses.values(), *(self._metrics or ())]
        return list({id(attribute): attribute for attribute in [*compiled, *attributes]}.values())

    @property
    def metrics_names(self) -> list[str]:
        return [metric.name for metric in self.metrics]

    def compute_loss(self, x=None, y=None, y_pred=None, sample_weight=None, training=True):
        """The loss of a batch: the loss of `compile` plus the losses of the layers."""
        terms = list(self.losses)
        if self._losses is not None and y is not None:
            terms += self._loss_terms(y, y_pred, sample_weight)
        if not terms and self._losses is not None:
            raise ValueError("there are no labels y for the loss: call fit(x, y)")
        if not terms:
            raise ValueError("there is no loss: give one to `compile`, or use `add_loss`")
        return sum(terms[1:], convert_to_tensor(terms[0]))

    def _loss_terms(self, y, y_pred, sample_weight) -> list:
        if isinstance(self._losses, dict):
            return self._terms_by_name(y, y_pred, sample_weight)
        losses_ = nest.flatten(self._losses)
        pairs = list(zip(nest.flatten(y), nest.flatten(y_pred), strict=True))
        if len(losses_) == 1:
            losses_ = losses_ * len(pairs)
        weights = nest.flatten(self._loss_weights) if self._loss_weights else [1.0] * len(losses_)
        terms = zip(losses_, pairs, weights, strict=True)
        return [
            weight * _loss_of(loss, *_matched(*pair), sample_weight) for loss, pair, weight in terms
        ]

    def _terms_by_name(self, y, y_pred, sample_weight) -> list:
        """The weighted losses of outputs with names."""
        terms, names = [], getattr(self, "output_names", [])
        for name, loss in self._losses.items():
            pair = (
                part_of(y, name, names, "labels"), part_of(y_pred, name, names, "outputs"),
            )  # fmt: skip
            term = _loss_of(loss, *_matched(*pair), sample_weight)
            if name in self._mean_losses:
                self._mean_losses[name].update_state(term, _size(pair[0]))
            terms.append(weight_of(self._loss_weights, name, names or sorted(self._losses)) * term)
        return terms

    def compute_metrics(self, x, y, y_pred, sample_weight=None) -> dict:
        """Update the metrics with a batch; returns their results by name."""
        if self._metrics is None:
            self._metrics = [
                _named(_as_metric(one, *self._parts(output, y, y_pred)), output)
                for one, _, output in self._metric_arguments
            ]
        for one, (_, is_weighted, output) in zip(
            self._metrics, self._metric_arguments, strict=True
        ):
            parts = self._parts(output, y, y_pred)
            one.update_state(*parts, sample_weight if is_weighted else None)
        return self.get_metrics_result()

    def _parts(self, output: str | None, y, y_pred) -> tuple:
        """The labels and the predictions of an output; all of them for None."""
        if output is None:
            return y, y_pred
        names = getattr(self, "output_names", [])
        return part_of(y, output, names, "labels"), part_of(y_pred, output, names, "outputs")

    def get_metrics_result(self) -> dict:
        """The results of all metrics, by name."""
        return {metric.name: metric.result() for metric in self.metrics}

    def train_step(self, data) -> dict:
        """Train on a batch; returns the results of the metrics by name."""
        x, y, sample_weight = unpack_x_y_sample_weight(data)
        with GradientTape() as tape:
            y_pred = self(x, training=True)
            loss = self.compute_loss(x, y, y_pred, sample_weight)
        variables = self.trainable_variables
        gradients = tape.gradient(loss, variables)
        self.optimizer.apply_gradients(zip(gradients, variables, strict=True))
        self._mean_loss.update_state(loss, _size(x))
        return self.compute_metrics(x, y, y_pred, sample_weight)

    def test_step(self, data) -> dict:
        """Evaluate a batch without training; returns the results of the metrics by name."""
        x, y, sample_weight = unpack_x_y_sample_weight(data)
        y_pred = self(x, training=False)
        loss = self.compute_loss(x, y, y_pred, sample_weight, False)
        self._mean_loss.update_state(loss, _size(x))
        return self.compute_metrics(x, y, y_pred, sample_weight)

    def predict_step(self, data):
        """The predictions for a batch."""
        return self(unpack_x_y_sample_weight(data)[0], training=False)

    def _step(self, name: str):
        """A step method as a decorated function, which is cached."""
        (steps,) = self.__dict__.setdefault("_steps", Untracked({})).objects
        if name not in steps:
            method = getattr(self, name)
            eagerly = getattr(self, "_run_eagerly", False)
            jit = getattr(self, "_jit_compile", None)
            steps[name] = method if eagerly else function(method, jit_compile=jit)
        return steps[name]

    # ---- many steps ----------------------------------------------------------------------

    def fit(
        self, x=None, y=None, batch_size=None, epochs=1, verbose="auto", callbacks=None,
        validation_split=0.0, validation_data=None, shuffle=True, class_weight=None,
        sample_weight=None, initial_epoch=0, steps_per_epoch=None, validation_steps=None,
        validation_batch_size=None, validation_freq=1,
    ):  # fmt: skip
        """Train for a number of epochs; returns the `History`, with a list for each metric.

        `x` and `y` are arrays, or `x` is an iterable of batches (x, y) or (x, y, sample_weight).
        Epochs are numbered from `initial_epoch` up to, but excluding, `epochs`.

        >>> x = np.arange(8.0)[:, None]
        >>> model = ag.keras.Sequential([ag.keras.layers.Dense(1)])
        >>> model.compile(optimizer="sgd", loss="mse")
        >>> len(model.fit(x, 2 * x, epochs=3, verbose=0).history["loss"])
        3

        Raises RuntimeError if the model is not compiled, ValueError without data.
        """
        self.check_compiled()
        if not isinstance(epochs, (int, np.integer)):
            raise TypeError(f"epochs is an integer, not {epochs!r}")
        data = (x, y, sample_weight)
        if validation_split:
            data, validation_data = split_off(data, validation_split)
        batches = Batches(*data, batch_size, shuffle, steps_per_epoch, class_weight)
        reports = CallbackList(self, callbacks, verbose, epochs, batches.count)
        self.stop_training, self.first_epoch = False, initial_epoch
        step = self._step("train_step")
        with reports:
            for epoch in range(self.first_epoch, epochs):
                logs = self._epoch(batches, step, reports, epoch)
                if validation_data is not None and (epoch + 1) % validation_freq == 0:
                    size = validation_batch_size or batch_size
                    results = self._validate(validation_data, size, validation_steps, reports)
                    logs.update({f"val_{key}": value for key, value in results.items()})
                reports.on_epoch_end(epoch, logs)
                if self.stop_training:
                    break
        return reports.history

    def _epoch(self, batches, step, reports, epoch: int) -> dict:
        self.reset_metrics()
        reports.on_epoch_begin(epoch)
        logs: dict = {}
        for index, data in enumerate(batches):
            reports.on_train_batch_begin(index)
            logs = step(data)
            reports.on_train_batch_end(index, logs)
            if self.stop_training:
                break
        if not logs:
            raise ValueError("fit: there is no data")
        return _as_floats(logs)

    def _validate(self, data, batch_size, steps, reports) -> dict:
        data = data if isinstance(data, tuple) else (data,)
        padded = (*data, None, None)[:3]
        return self.evaluate(*padded[:2], batch_size, 0, padded[2], steps, True, reports)

    def evaluate(
        self, x=None, y=None, batch_size=None, verbose="auto", sample_weight=None, steps=None,
        return_dict=False, callbacks=None,
    ):  # fmt: skip
        """The loss and the metrics over all batches, as a float, a list of floats, or a dict."""
        self.check_compiled()
        self.reset_metrics()
        step, results = self._step("test_step"), {}
        batches = Batches(x, y, sample_weight, batch_size, False, steps)
        reports = CallbackList(self, callbacks, 0, 1, batches.count)
        reports.on_test_begin()
        for index, data in enumerate(_watched(batches, "evaluate", verbose)):
            reports.on_test_batch_begin(index)
            results = step(data)
            reports.on_test_batch_end(index, results)
        logs = _as_floats(results)
        reports.on_test_end(logs)
        if verbose not in (0, "auto"):
            print(" - ".join(f"{key}: {value:.4f}" for key, value in logs.items()))
        if return_dict:
            return logs
        return next(iter(logs.values())) if len(logs) == 1 else list(logs.values())

    def predict(self, x, batch_size=None, verbose="auto", steps=None, callbacks=None):
        """The predictions for all batches, as NumPy arrays."""
        step = self._step("predict_step")
        batches = Batches(x, None, None, batch_size, False, steps)
        reports, results = CallbackList(self, callbacks, 0, 1, batches.count), []
        reports.on_predict_begin()
        for index, data in enumerate(_watched(batches, "predict", verbose)):
            reports.on_predict_batch_begin(index)
            results.append(step(data))
            reports.on_predict_batch_end(index, {"outputs": results[-1]})
        reports.on_predict_end()
        if not results:
            raise ValueError("predict: there is no data")
        return nest.map_structure(lambda *batches: concat(list(batches), 0).numpy(), *results)

    def train_on_batch(self, x, y=None, sample_weight=None, return_dict=False):
        """Train on one batch; returns the loss and the metrics."""
        return self._on_batch("train_step", (x, y, sample_weight), return_dict)

    def test_on_batch(self, x, y=None, sample_weight=None, return_dict=False):
        """The loss and the metrics of one batch, without training."""
        return self._on_batch("test_step", (x, y, sample_weight), return_dict)

    def predict_on_batch(self, x):
        """The predictions for one batch, as NumPy arrays."""
        return nest.map_structure(lambda one: one.numpy(), self.predict_step(x))

    def _on_batch(self, step: str, data, return_dict: bool):
        self.check_compiled()
        data = nest.map_structure(as_batch, data)
        logs = _as_floats(self._step(step)(data))
        return logs if return_dict or len(logs) > 1 else next(iter(logs.values()))

    def reset_metrics(self) -> None:
        """Reset the state of all metrics."""
        for metric in self.metrics:
            metric.reset_state()

    def check_compiled(self) -> None:
        if self.optimizer is None:
            raise RuntimeError("the model is not compiled: call model.compile(optimizer, loss)")


def _watched(batches: Batches, label: str, verbose):
    """The batches, beside a progress bar unless `verbose` is 0 or 2."""
    return batches if verbose in (0, 2) else watched(batches, label, batches.count)


def _loss_of(loss, y, y_pred, sample_weight):
    """The value of a loss; a ShapeError names the loss and both shapes."""
    try:
        return loss(y, y_pred, sample_weight=sample_weight)
    except ShapeError as error:
        name = getattr(loss, "name", type(loss).__name__)
        raise error.reworded(
            f"the loss '{name}': y has shape {show(y.dims)}, "
            f"the output of the model {show(y_pred.dims)}",
            _cure_for_labels(name, y, y_pred),
        ) from None


def _cure_for_labels(name, y, y_pred) -> str:
    if y.dims and y_pred.dims and None is not y.dims[0] != y_pred.dims[0] is not None:
        return "Both have a first axis for the samples: a dataset gives batches after .batch(32)."
    if y.dtype.is_integer and y.ndim in (1, 2) and y.dims[1:] in ((), (1,)):
        return "For integer labels, use loss='sparse_categorical_crossentropy'."
    if name.startswith("sparse_") and y.dims == y_pred.dims:
        wanted = name.removeprefix("sparse_")
        return f"For a number for each class, use loss='{wanted}'; '{name}' takes class numbers."
    return "Make the last layer as wide as y, or choose a loss for labels of that shape."


def _matched(y, y_pred):
    """Labels in the dtype of float predictions, and as a column if the predictions are one."""
    if y_pred is None:
        raise TypeError("the model returns None: its `call` lacks a `return`")
    y, y_pred = convert_to_tensor(y), convert_to_tensor(y_pred)
    if y.dtype.is_floating == y_pred.dtype.is_floating:
        y = cast(y, y_pred.dtype)
    if y.ndim == 1 and y_pred.ndim == 2 and y_pred.dims[1] in (1, None):
        y = expand_dims(y, -1)
    return y, y_pred


def _size(x):
    """The number of samples of a batch, the weight of its loss."""
    return cast(shape(nest.flatten(x)[0])[0], "float32")


def _metric(name: str):
    return getattr(metrics, name)


def _as_loss(identifier):
    """The loss object for a name, a function or a loss."""
    loss = losses.get(identifier)
    if not callable(loss):
        raise TypeError(f"{identifier!r} is not a loss")
    if isinstance(loss, losses.Loss):
        return loss
    return losses.FunctionLoss(loss)


def _named(metric, output: str | None):
    """A metric, with the name of its output before its own."""
    if output is not None:
        metric.report_as(f"{output}_{metric.name}")
    return metric


def _as_metric(identifier, y, y_pred):
    """The metric for a name; "accuracy" depends on the shapes of labels and predictions."""
    if identifier not in ("accuracy", "acc"):
        metric = metrics.get(identifier)
        if isinstance(identifier, str):
            metric.report_as(identifier)
        return metric
    y, y_pred = (convert_to_tensor(nest.flatten(one)[0]) for one in (y, y_pred))
    if y_pred.dims[-1] == 1:
        function_ = metrics.binary_accuracy
    elif y.ndim < y_pred.ndim or y.dims[-1] == 1:
        function_ = metrics.sparse_categorical_accuracy
    else:
        function_ = metrics.categorical_accuracy
    return metrics.MeanMetricWrapper(function_, name=identifier)


def _as_floats(logs: dict) -> dict:
    return {key: float(np.asarray(value)) for key, value in logs.items()}
