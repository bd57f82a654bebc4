"""Metrics: statistics that accumulate over batches in variables."""

from __future__ import annotations

from .... import (
    Variable,
    argmax,
    as_dtype,
    cast,
    convert_to_tensor,
    float32,
    init_scope,
    ones_like,
    reduce_mean,
    reduce_sum,
    reshape,
    size,
    squeeze,
    where,
)
from ....extend.operations import ops
from ....extend.tracing import call_user_code
from ...module import Module
from ..layers import initializers
from ..registry import Configured, finder_of, keras_class, register, serializer, snake
from . import losses

metric = keras_class("metrics")


class Metric(Configured, Module):
    """Base class of metrics.

    `update_state` accumulates a batch, `result` returns the metric, `reset_state` starts again.

    >>> mean = ag.keras.metrics.Mean()
    >>> _ = mean([1.0, 2.0]), mean(6.0)
    >>> float(mean.result())
    3.0
    """

    part_of_layers = False  # the variables of a metric are not weights of the model

    def __init__(self, name=None, dtype=None):
        self._name = name or snake(type(self).__name__)
        self.dtype = as_dtype(dtype or float32)
        self._state: list[Variable] = []

    def report_as(self, name: str) -> None:
        """Give the metric the name under which `fit` and `evaluate` report it."""
        self._name = name

    def add_weight(self, name=None, shape=(), initializer="zeros", dtype=None, **kwargs):
        """Create a variable of the state."""
        if not (name is None or isinstance(name, str)):
            name, shape = None, name
        dtype = self.dtype if dtype is None else as_dtype(dtype)
        with init_scope():
            start = initializers.get(initializer)(shape, dtype=dtype)
        variable = Variable(start, False, f"{self.name}/{name or 'state'}")
        self._state.append(variable)
        return variable

    add_variable = add_weight

    def update_state(self, *args, **kwargs):
        """Accumulate a batch."""
        raise NotImplementedError(f"{type(self).__name__} has no method `update_state`")

    def result(self):
        """The value of the metric for the batches so far."""
        raise NotImplementedError(f"{type(self).__name__} has no method `result`")

    def reset_state(self) -> None:
        """Reset the state to 0."""
        for variable in self.variables:
            variable.assign(variable.value() * 0)

    def reset_states(self) -> None:
        """The older name of `reset_state`."""
        self.reset_state()

    def __call__(self, *args, **kwargs):
        call_user_code(self.update_state, *args, **kwargs)
        return call_user_code(self.result)

    def __repr__(self):
        return f"<{type(self).__name__} name={self.name}>"


metric(Metric)


@metric
class Sum(Metric):
    """The sum of all values."""

    def __init__(self, name=None, dtype=None):
        super().__init__(name, dtype)
        self.total = self.add_weight("total")

    def update_state(self, values, sample_weight=None):
        values = cast(convert_to_tensor(values), self.dtype)
        self.total.assign_add(reduce_sum(losses.weighted(values, sample_weight)))

    def result(self):
        return self.total.value()


@metric
class Mean(Metric):
    """The weighted mean of all values; 0 without any."""

    def __init__(self, name=None, dtype=None):
        super().__init__(name, dtype)
        self.total = self.add_weight("total")
        self.count = self.add_weight("count")

    def update_state(self, values, sample_weight=None):
        values = cast(convert_to_tensor(values), self.dtype)
        count = cast(size(values), self.dtype)
        if sample_weight is not None:
            count = reduce_sum(losses.weighted(ones_like(values), sample_weight))
        self.total.assign_add(reduce_sum(losses.weighted(values, sample_weight)))
        self.count.assign_add(count)

    def result(self):
        count = self.count.value()
        return where(count > 0, self.total.value() / where(count > 0, count, 1.0), 0.0)


@metric
class MeanMetricWrapper(Mean):
    """The mean of a function of true and predicted values."""

    def __init__(self, fn, name=None, dtype=None, **options):
        super().__init__(name or fn.__name__, dtype)
        self.fn, self.options = fn, options

    def update_state(self, y_true, y_pred, sample_weight=None):
        super().update_state(call_user_code(self.fn, y_true, y_pred, **self.options), sample_weight)


# ---- accuracy --------------------------------------------------------------------------------


def _registered(function, *names: str):
    return register("metrics", function, *names)


def accuracy(y_true, y_pred):
    """1 where label and prediction are equal, else 0."""
    y_true, y_pred = losses.as_pair(y_true, y_pred)
    return cast(y_true == y_pred, float32)


@_registered
def binary_accuracy(y_true, y_pred, threshold=0.5):
    """The fraction of predictions on the correct side of the threshold, over the last axis."""
    y_true, y_pred = losses.as_pair(y_true, y_pred)
    return reduce_mean(cast(y_true == cast(y_pred > threshold, y_true.dtype), float32), -1)


@_registered
def categorical_accuracy(y_true, y_pred):
    """1 where the largest prediction has the index of the largest label, else 0.

    >>> ag.keras.metrics.categorical_accuracy([[0, 1], [1, 0]], [[0.2, 0.8], [0.1, 0.9]]).numpy()
    array([1., 0.], dtype=float32)
    """
    return cast(argmax(convert_to_tensor(y_true), -1) == argmax(y_pred, -1), float32)


def _labels(y_true, y_pred):
    """Integer labels without a last axis of size 1, and predictions."""
    y_true, y_pred = convert_to_tensor(y_true), convert_to_tensor(y_pred)
    if y_true.dims is not None and y_true.ndim == y_pred.ndim and y_true.dims[-1] == 1:
        y_true = squeeze(y_true, -1)
    return cast(y_true, "int64"), y_pred


@_registered
def sparse_categorical_accuracy(y_true, y_pred):
    """1 where the largest prediction has the index of the integer label, else 0.

    >>> ag.keras.metrics.sparse_categorical_accuracy([1, 0], [[0.2, 0.8], [0.1, 0.9]]).numpy()
    array([1., 0.], dtype=float32)
    """
    labels, y_pred = _labels(y_true, y_pred)
    return cast(labels == argmax(y_pred, -1), float32)


@_registered
def sparse_top_k_categorical_accuracy(y_true, y_pred, k=5):
    """1 where the integer label is the index of one of the `k` largest predictions, else 0."""
    labels, y_pred = _labels(y_true, y_pred)
    return cast(ops.in_top_k(labels, y_pred, k), float32)


@_registered
def top_k_categorical_accuracy(y_true, y_pred, k=5):
    """1 where the index of the largest label is one of the `k` largest predictions, else 0."""
    return sparse_top_k_categorical_accuracy(argmax(convert_to_tensor(y_true), -1), y_pred, k)


def _wrapper(name: str, function, **fixed):
    """The metric class of the mean of a function; its constructor takes the function's options."""

    def start(self, name=None, dtype=None, **options):
        stem = snake(type(self).__name__)
        MeanMetricWrapper.__init__(self, function, name or stem, dtype, **{**fixed, **options})

    body = {"__init__": start, "__doc__": function.__doc__, "__module__": __name__}
    return metric(type(name, (MeanMetricWrapper,), body))


_WRAPPED = {
    "Accuracy": accuracy,
    "BinaryAccuracy": binary_accuracy,
    "CategoricalAccuracy": categorical_accuracy,
    "SparseCategoricalAccuracy": sparse_categorical_accuracy,
    "TopKCategoricalAccuracy": top_k_categorical_accuracy,
    "SparseTopKCategoricalAccuracy": sparse_top_k_categorical_accuracy,
    "MeanSquaredError": losses.mean_squared_error,
    "MeanAbsoluteError": losses.mean_absolute_error,
    "MeanAbsolutePercentageError": losses.mean_absolute_percentage_error,
    "MeanSquaredLogarithmicError": losses.mean_squared_logarithmic_error,
    "LogCoshError": losses.log_cosh,
    "Poisson": losses.poisson,
    "Hinge": losses.hinge,
    "SquaredHinge": losses.squared_hinge,
    "CategoricalHinge": losses.categorical_hinge,
    "KLDivergence": losses.kl_divergence,
    "BinaryCrossentropy": losses.binary_crossentropy,
    "CategoricalCrossentropy": losses.categorical_crossentropy,
    "SparseCategoricalCrossentropy": losses.sparse_categorical_crossentropy,
}
for _name, _function in _WRAPPED.items():
    _wrapper(_name, _function)


@metric
class RootMeanSquaredError(Mean):
    """The square root of the mean squared error."""

    def update_state(self, y_true, y_pred, sample_weight=None):
        y_true, y_pred = losses.as_pair(y_true, y_pred)
        super().update_state((y_pred - y_true) ** 2, sample_weight)

    def result(self):
        return super().result() ** 0.5


@metric
class CosineSimilarity(Mean):
    """The mean cosine of the angle between labels and predictions."""

    def update_state(self, y_true, y_pred, sample_weight=None):
        super().update_state(-losses.cosine_similarity(y_true, y_pred), sample_weight)


# ---- confusion counts ------------------------------------------------------------------------


class _Counts(Metric):
    """Counts of true and false predictions above and below a threshold."""

    def __init__(self, thresholds=None, name=None, dtype=None):
        super().__init__(name, dtype)
        self.threshold = 0.5 if thresholds is None else float(thresholds)
        self.hits, self.false_alarms, self.misses, self.rests = (
            self.add_weight(name) for name in ("hits", "false_alarms", "misses", "rests")
        )

    def update_state(self, y_true, y_pred, sample_weight=None):
        y_true, y_pred = losses.as_pair(y_true, y_pred)
        true, predicted = y_true > 0.5, y_pred > self.threshold
        for count, cases in (
            (self.hits, true & predicted),
            (self.false_alarms, ~true & predicted),
            (self.misses, true & ~predicted),
            (self.rests, ~true & ~predicted),
        ):
            count.assign_add(reduce_sum(losses.weighted(cast(cases, self.dtype), sample_weight)))

    def share(self, numerator, *others):
        """`numerator` divided by the sum of all counts; 0 if that is 0."""
        total = numerator.value() + sum(other.value() for other in others)
        return where(total > 0, numerator.value() / where(total > 0, total, 1.0), 0.0)


def _counting(name: str, result, doc: str):
    body = {"result": result, "__doc__": doc, "__module__": __name__}
    return metric(type(name, (_Counts,), body))


for _name, _result, _doc in (
    ("Precision", lambda self: self.share(self.hits, self.false_alarms),
     "The fraction of positive predictions that are correct."),
    ("Recall", lambda self: self.share(self.hits, self.misses),
     "The fraction of positive labels that are predicted."),
    ("TruePositives", lambda self: self.hits.value(),
     "The number of correct positive predictions."),
    ("FalsePositives", lambda self: self.false_alarms.value(),
     "The number of incorrect positive predictions."),
    ("FalseNegatives", lambda self: self.misses.value(),
     "The number of incorrect negative predictions."),
    ("TrueNegatives", lambda self: self.rests.value(),
     "The number of correct negative predictions."),
):  # fmt: skip
    _counting(_name, _result, _doc)


@metric
class AUC(Metric):
    """The area under the ROC curve, approximated with `num_thresholds` thresholds."""

    def __init__(self, num_thresholds=200, name=None, dtype=None, from_logits=False):
        super().__init__(name, dtype)
        thresholds = [index / (num_thresholds - 1) for index in range(1, num_thresholds - 1)]
        self.thresholds = [-1e-7, *thresholds, 1 + 1e-7]
        self.from_logits = from_logits
        self.hits, self.false_alarms = (
            self.add_weight(name, [num_thresholds]) for name in ("hits", "false_alarms")
        )
        self.positives, self.negatives = (self.add_weight(name) for name in ("true", "false"))

    def update_state(self, y_true, y_pred, sample_weight=None):
        y_true, y_pred = losses.as_pair(y_true, y_pred)
        y_pred = ops.sigmoid(y_pred) if self.from_logits else y_pred
        weight = cast(losses.weighted(ones_like(y_pred), sample_weight), self.dtype)
        weight = reshape(weight, [-1, 1])
        true = reshape(cast(y_true, self.dtype), [-1, 1]) * weight
        false = weight - true
        above = cast(reshape(y_pred, [-1, 1]) > cast(self.thresholds, y_pred.dtype), self.dtype)
        self.hits.assign_add(reduce_sum(true * above, 0))
        self.false_alarms.assign_add(reduce_sum(false * above, 0))
        self.positives.assign_add(reduce_sum(true))
        self.negatives.assign_add(reduce_sum(false))

    def result(self):
        heights = self.hits.value() / _at_least_tiny(self.positives)
        widths = self.false_alarms.value() / _at_least_tiny(self.negatives)
        return reduce_sum((widths[:-1] - widths[1:]) * (heights[:-1] + heights[1:]) / 2)


def _at_least_tiny(variable):
    value = variable.value()
    return where(value > 0, value, 1e-7)


find = finder_of("metrics")


@keras_class("metrics")
def get(identifier):
    """The metric for a name, a function, a configuration, or a metric.

    >>> ag.keras.metrics.get("mse")
    <MeanMetricWrapper name=mean_squared_error>
    """
    member = find(identifier)
    return member if member is None or isinstance(member, Metric) else MeanMetricWrapper(member)


serializer("metrics")
