"""Metrics of classes: intersection over union, F-scores, the coefficient of determination."""

from __future__ import annotations

import numpy as np

from .... import (
    argmax,
    cast,
    convert_to_tensor,
    int64,
    one_hot,
    reduce_max,
    reduce_mean,
    reduce_sum,
    reshape,
    where,
    zeros_like,
)
from . import losses
from .metrics import Metric, metric


def _quotient(numerator, denominator):
    """0 where the denominator is 0."""
    some = denominator != 0
    return where(some, numerator / where(some, denominator, 1.0), 0.0)


@metric
class IoU(Metric):
    """The mean over some classes of intersection over union, from integer labels.

    >>> iou = ag.keras.metrics.IoU(num_classes=2, target_class_ids=[0])
    >>> iou.update_state([0, 0, 1], [0, 1, 1])
    >>> float(iou.result())
    0.5
    """

    sparse_y_true = sparse_y_pred = True

    def __init__(
        self, num_classes, target_class_ids, name=None, dtype=None, ignore_class=None,
        sparse_y_true=None, sparse_y_pred=None, axis=-1,
    ):  # fmt: skip
        super().__init__(name, dtype)
        self.num_classes, self.target_class_ids = num_classes, list(target_class_ids)
        self.ignore_class, self.axis = ignore_class, axis
        if sparse_y_true is not None:
            self.sparse_y_true = sparse_y_true
        if sparse_y_pred is not None:
            self.sparse_y_pred = sparse_y_pred
        self.total = self.add_weight("total", [num_classes, num_classes])

    def update_state(self, y_true, y_pred, sample_weight=None):
        """Count the pairs of a true and a predicted class."""
        true = y_true if self.sparse_y_true else argmax(convert_to_tensor(y_true), self.axis)
        predicted = y_pred if self.sparse_y_pred else argmax(convert_to_tensor(y_pred), self.axis)
        self._count(true, predicted, sample_weight)

    def _count(self, true, predicted, sample_weight):
        true = reshape(cast(true, int64), [-1])
        rows = one_hot(true, self.num_classes, dtype=self.dtype)
        columns = one_hot(reshape(cast(predicted, int64), [-1]), self.num_classes, dtype=self.dtype)
        if sample_weight is not None:
            rows = rows * reshape(cast(sample_weight, self.dtype), [-1, 1])
        if self.ignore_class is not None:
            rows = rows * cast(reshape(true != self.ignore_class, [-1, 1]), self.dtype)
        self.total.assign_add(reduce_sum(rows[:, :, None] * columns[:, None, :], 0))

    def result(self):
        counts = self.total.value()
        right = counts[range(self.num_classes), range(self.num_classes)]
        either = reduce_sum(counts, 0) + reduce_sum(counts, 1) - right
        ids = self.target_class_ids
        values = _quotient(right, either)
        valid = cast(either != 0, self.dtype)
        values = convert_to_tensor([values[number] * valid[number] for number in ids])
        return _quotient(reduce_sum(values), reduce_sum([valid[number] for number in ids]))


@metric
class MeanIoU(IoU):
    """The mean over all classes of intersection over union."""

    def __init__(self, num_classes, name=None, dtype=None, **options):
        super().__init__(num_classes, range(num_classes), name, dtype, **options)


@metric
class OneHotIoU(IoU):
    """`IoU` of one-hot labels and probabilities."""

    sparse_y_true = sparse_y_pred = False


@metric
class OneHotMeanIoU(MeanIoU):
    """`MeanIoU` of one-hot labels and probabilities."""

    sparse_y_true = sparse_y_pred = False


@metric
class BinaryIoU(IoU):
    """`IoU` of two classes: predictions at or above `threshold` are class 1."""

    def __init__(self, target_class_ids=(0, 1), threshold=0.5, name=None, dtype=None):
        super().__init__(2, target_class_ids, name, dtype)
        self.threshold = threshold

    def update_state(self, y_true, y_pred, sample_weight=None):
        self._count(y_true, convert_to_tensor(y_pred) >= self.threshold, sample_weight)


@metric
class FBetaScore(Metric):
    """The weighted harmonic mean of precision and recall of each class [batch, classes].

    `average` is None (a score for each class), "micro", "macro" or "weighted". Without a
    `threshold`, the class with the largest prediction is predicted.
    """

    def __init__(self, average=None, beta=1.0, threshold=None, name=None, dtype=None):
        super().__init__(name, dtype)
        self.average, self.beta, self.threshold = average, beta, threshold
        self.counts = None

    def update_state(self, y_true, y_pred, sample_weight=None):
        """Count right, wrong and missed predictions of each class."""
        y_true, y_pred = losses.as_pair(y_true, y_pred)
        if self.counts is None:
            self.counts = self.add_weight("counts", [3, y_pred.dims[-1]])
        if self.threshold is None:
            predicted = cast(y_pred == reduce_max(y_pred, -1, True), self.dtype)
        else:
            predicted = cast(y_pred > self.threshold, self.dtype)
        true = cast(y_true, self.dtype)
        cases = [true * predicted, (1 - true) * predicted, true * (1 - predicted)]
        totals = [reduce_sum(losses.weighted(case, sample_weight), 0) for case in cases]
        self.counts.assign_add(convert_to_tensor(totals))

    def result(self):
        right, wrong, missed = (self.counts.value()[row] for row in range(3))
        support = right + missed
        if self.average == "micro":
            right, wrong, missed = (reduce_sum(one) for one in (right, wrong, missed))
        precision = right / (right + wrong + losses.EPSILON)
        recall = right / (right + missed + losses.EPSILON)
        weight = self.beta**2
        score = precision * recall / (precision * weight + recall + losses.EPSILON) * (weight + 1)
        if self.average == "macro":
            return reduce_mean(score)
        if self.average == "weighted":
            return reduce_sum(score * support / reduce_sum(support))
        return score


@metric
class F1Score(FBetaScore):
    """The harmonic mean of precision and recall of each class [batch, classes]."""

    def __init__(self, average=None, threshold=None, name=None, dtype=None):
        super().__init__(average, 1.0, threshold, name, dtype)


@metric
class R2Score(Metric):
    """The coefficient of determination, averaged over the outputs [batch, outputs].

    >>> metric = ag.keras.metrics.R2Score()
    >>> metric.update_state([[1.0], [2.0], [3.0]], [[1.0], [2.0], [3.0]])
    >>> float(metric.result())
    1.0
    """

    def __init__(
        self, class_aggregation="uniform_average", num_regressors=0, name=None, dtype=None
    ):
        super().__init__(name, dtype)
        if class_aggregation not in (None, "uniform_average", "variance_weighted_average"):
            raise ValueError(f"R2Score: there is no class_aggregation {class_aggregation!r}")
        self.class_aggregation, self.num_regressors = class_aggregation, num_regressors
        self.sums = None

    def update_state(self, y_true, y_pred, sample_weight=None):
        """Add sums of squares."""
        y_true, y_pred = (cast(one, self.dtype) for one in losses.as_pair(y_true, y_pred))
        if self.sums is None:
            self.sums = self.add_weight("sums", [4, y_pred.dims[-1]])
        ones = y_true * 0 + 1
        rows = [ones, y_true, y_true * y_true, (y_true - y_pred) ** 2]
        totals = [reduce_sum(losses.weighted(one, sample_weight), 0) for one in rows]
        self.sums.assign_add(convert_to_tensor(totals))

    def result(self):
        count, total, squares, errors = (self.sums.value()[row] for row in range(4))
        spread = squares - total * total / count
        score = where(spread == 0, zeros_like(spread), 1 - errors / spread)
        if self.class_aggregation == "variance_weighted_average":
            score = reduce_sum(score * spread / reduce_sum(spread))
        elif self.class_aggregation:
            score = reduce_mean(score)
        if self.num_regressors:
            count = count[0]
            score = 1 - (1 - score) * (count - 1) / (count - self.num_regressors - 1)
        return score


class _AtThreshold(Metric):
    """Base class of metrics that choose the best threshold where another rate is large enough."""

    def __init__(self, value, num_thresholds=200, name=None, dtype=None):
        super().__init__(name, dtype)
        self.value = value
        inner = np.arange(1, num_thresholds - 1) / (num_thresholds - 1)
        self.thresholds = [0.0, *inner.tolist(), 1.0] if num_thresholds > 1 else [0.5]
        self.counts = self.add_weight("counts", [4, len(self.thresholds)])

    def update_state(self, y_true, y_pred, sample_weight=None):
        """Count right and wrong predictions at each threshold."""
        y_true, y_pred = losses.as_pair(y_true, y_pred)
        weight = losses.weighted(y_pred * 0 + 1, sample_weight)
        true, weight = (reshape(cast(one, self.dtype), [-1, 1]) for one in (y_true, weight))
        above = reshape(y_pred, [-1, 1]) > cast(self.thresholds, y_pred.dtype)
        above = cast(above, self.dtype)
        cases = [true * above, (1 - true) * above, true * (1 - above), (1 - true) * (1 - above)]
        totals = [reduce_sum(one * weight, 0) for one in cases]
        self.counts.assign_add(convert_to_tensor(totals))

    def result(self):
        hits, alarms, misses, rests = (self.counts.value()[row] for row in range(4))
        rates = {
            "precision": _quotient(hits, hits + alarms),
            "recall": _quotient(hits, hits + misses),
            "specificity": _quotient(rests, rests + alarms),
        }
        best, given = (rates[name] for name in self.rates)
        return reduce_max(where(given >= self.value, best, 0.0))


def _at(name: str, best: str, given: str):
    doc = f"The largest {best} of the thresholds at which the {given} is at least `value`."
    body = {"rates": (best, given), "__doc__": doc, "__module__": __name__}
    return metric(type(name, (_AtThreshold,), body))


PrecisionAtRecall = _at("PrecisionAtRecall", "precision", "recall")
RecallAtPrecision = _at("RecallAtPrecision", "recall", "precision")
SensitivityAtSpecificity = _at("SensitivityAtSpecificity", "recall", "specificity")
SpecificityAtSensitivity = _at("SpecificityAtSensitivity", "specificity", "recall")
