"""Losses: functions of true and predicted values, and objects that reduce them to a scalar."""

from __future__ import annotations

import functools
import inspect
import math

from .... import (
    cast,
    clip_by_value,
    convert_to_tensor,
    expand_dims,
    float32,
    reduce_all,
    reduce_max,
    reduce_mean,
    reduce_sum,
    shape,
    squeeze,
    where,
    zeros_like,
)
from ....extend.errors import DTypeError, InvalidArgumentError, ShapeError
from ....extend.operations import check, ops
from ....extend.specs import is_compatible, show
from ....extend.tracing import call_user_code
from ...nn import functional as nn
from ...nn.cross_entropies import (
    sigmoid_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits,
    sparse_softmax_cross_entropy_with_logits,
)
from ..layers.call_context import mask_of
from ..registry import Configured, finder, keras_class, register, snake

EPSILON = 1e-7


def as_pair(y_true, y_pred):
    """Both as floats of one dtype and of one rank, if they differ by a last axis of size 1."""
    y_pred = convert_to_tensor(y_pred)
    y_pred = y_pred if y_pred.dtype.is_floating else cast(y_pred, float32)
    y_true = cast(convert_to_tensor(y_true), y_pred.dtype)
    return _same_rank(y_true, y_pred)


def _same_rank(y_true, y_pred):
    """The pair with a last axis of size 1 added to the labels, or removed from them."""
    true_dims, pred_dims = y_true.dims, y_pred.dims
    if true_dims is None or pred_dims is None or len(true_dims) == len(pred_dims):
        return y_true, y_pred
    if len(true_dims) == len(pred_dims) + 1 and true_dims[-1] == 1:
        return squeeze(y_true, -1), y_pred
    if len(pred_dims) == len(true_dims) + 1 and pred_dims[-1] == 1:
        return expand_dims(y_true, -1), y_pred
    if not true_dims:
        return y_true, y_pred
    raise ShapeError(
        f"labels of shape {show(true_dims)} and predictions of shape {show(pred_dims)}, "
        "which would have the same number of axes"
    )


def _same_shape(y_true, y_pred):
    """The pair. Raises ShapeError if the labels are no vectors like the predictions."""
    if not is_compatible(y_true.dims, y_pred.dims):
        raise ShapeError(
            f"labels of shape {show(y_true.dims)} and predictions of shape {show(y_pred.dims)}, "
            "which would have one shape",
            "For integer labels, use sparse_categorical_crossentropy.",
        )
    return y_true, y_pred


def _checked_labels(labels, logits):
    """The labels. The graph raises InvalidArgumentError for labels of no class."""
    count = cast(shape(logits)[-1], labels.dtype)
    are_classes = reduce_all((labels >= 0) & (labels < count))
    message = ["the labels ", labels, " are not all from 0 to ", count - 1, ", the last class"]
    check(are_classes, message, 3, InvalidArgumentError)
    return labels


def _function(*names: str):
    """Register a loss: the mean over the last axis of an elementwise function of two tensors."""

    def decorate(elementwise):
        @functools.wraps(elementwise)
        def loss(y_true, y_pred, *args, **kwargs):
            y_true, y_pred = as_pair(y_true, y_pred)
            return reduce_mean(elementwise(y_true, y_pred, *args, **kwargs), -1)

        return _registered(loss, *names)

    return decorate


def _registered(loss, *names: str):
    """Register a loss function as a loss and as a metric, under these names."""
    for family in ("losses", "metrics"):
        register(family, loss, *names)
    return loss


# ---- functions -------------------------------------------------------------------------------


@_function("mse", "MSE")
def mean_squared_error(y_true, y_pred):
    """The mean of `(y_true - y_pred) ** 2` over the last axis."""
    return (y_pred - y_true) ** 2


@_function("mae", "MAE")
def mean_absolute_error(y_true, y_pred):
    """The mean of `abs(y_true - y_pred)` over the last axis."""
    return abs(y_pred - y_true)


@_function("mape", "MAPE")
def mean_absolute_percentage_error(y_true, y_pred):
    """The mean of `100 * abs((y_true - y_pred) / y_true)` over the last axis."""
    return 100 * abs((y_true - y_pred) / ops.maximum(abs(y_true), EPSILON))


@_function("msle", "MSLE")
def mean_squared_logarithmic_error(y_true, y_pred):
    """The mean of `(log(y_true + 1) - log(y_pred + 1)) ** 2` over the last axis."""
    logs = [ops.log1p(ops.maximum(y, EPSILON)) for y in (y_true, y_pred)]
    return (logs[0] - logs[1]) ** 2


@_function()
def huber(y_true, y_pred, delta=1.0):
    """The Huber loss: half the squared error up to `delta`, linear beyond; mean of last axis."""
    error = y_pred - y_true
    near = clip_by_value(error, -delta, delta)
    return near * (error - 0.5 * near)


@_function("logcosh")
def log_cosh(y_true, y_pred):
    """The mean of `log(cosh(y_pred - y_true))` over the last axis."""
    x = y_pred - y_true
    return x + ops.softplus(-2 * x) - math.log(2)


@_function()
def poisson(y_true, y_pred):
    """The mean of `y_pred - y_true * log(y_pred)` over the last axis."""
    return y_pred - y_true * ops.log(y_pred + EPSILON)


@_function()
def hinge(y_true, y_pred):
    """The mean of `max(1 - y_true * y_pred, 0)` over the last axis.

    The labels are -1 and 1, or 0 and 1.
    """
    return ops.maximum(1 - _signs(y_true) * y_pred, 0)


@_function()
def squared_hinge(y_true, y_pred):
    """The mean of `max(1 - y_true * y_pred, 0) ** 2` over the last axis."""
    return ops.maximum(1 - _signs(y_true) * y_pred, 0) ** 2


def _signs(labels):
    """Labels with 0 replaced by -1, if all are 0 or 1."""
    return where(reduce_all((labels == 0) | (labels == 1)), 2 * labels - 1, labels)


@_function()
def binary_crossentropy(y_true, y_pred, from_logits=False, label_smoothing=0.0):
    """The mean of `-y * log(p) - (1 - y) * log(1 - p)` over the last axis.

    With `from_logits`, p is the sigmoid of `y_pred`. `label_smoothing` moves labels towards 0.5.

    >>> ag.keras.losses.binary_crossentropy([[1.0]], [[0.5]]).numpy().round(3)
    array([0.693], dtype=float32)
    """
    if label_smoothing:
        y_true = y_true * (1 - label_smoothing) + 0.5 * label_smoothing
    if from_logits:
        return sigmoid_cross_entropy_with_logits(y_true, y_pred)
    p = clip_by_value(y_pred, EPSILON, 1 - EPSILON)
    return -(y_true * ops.log(p) + (1 - y_true) * ops.log(1 - p))


def categorical_crossentropy(y_true, y_pred, from_logits=False, label_smoothing=0.0, axis=-1):
    """`-sum(y_true * log(p))` along `axis`; `y_true` contains probabilities or one-hot vectors.

    With `from_logits`, p is the softmax of `y_pred`. `label_smoothing` moves labels towards the
    uniform distribution.

    >>> ag.keras.losses.categorical_crossentropy([[0.0, 1.0]], [[0.5, 0.5]]).numpy().round(3)
    array([0.693], dtype=float32)
    """
    y_true, y_pred = _same_shape(*as_pair(y_true, y_pred))
    if label_smoothing:
        y_true = y_true * (1 - label_smoothing) + label_smoothing / y_pred.shape[axis]
    if from_logits:
        return softmax_cross_entropy_with_logits(y_true, y_pred, axis)
    p = y_pred / reduce_sum(y_pred, axis, True)
    return -reduce_sum(y_true * ops.log(clip_by_value(p, EPSILON, 1 - EPSILON)), axis)


def sparse_categorical_crossentropy(y_true, y_pred, from_logits=False, ignore_class=None, axis=-1):
    """`-log(p[label])` along the last axis; `y_true` contains integer labels.

    With `from_logits`, p is the softmax of `y_pred`. The loss of labels equal to `ignore_class`
    is 0.

    >>> ag.keras.losses.sparse_categorical_crossentropy([1], [[0.5, 0.5]]).numpy().round(3)
    array([0.693], dtype=float32)
    """
    logits, labels = convert_to_tensor(y_pred), cast(convert_to_tensor(y_true), "int64")
    if labels.dims is not None and len(labels.dims) == logits.ndim and labels.dims[-1] == 1:
        labels = squeeze(labels, -1)
    if not logits.dtype.is_floating:
        raise DTypeError(
            f"the predictions are {logits.dtype.name} with shape {show(logits.dims)}, not floats",
            "The labels are the first argument, the predictions the second.",
        )
    if not from_logits:
        logits = ops.log(clip_by_value(logits, EPSILON, 1 - EPSILON))
    if ignore_class is None:
        return sparse_softmax_cross_entropy_with_logits(_checked_labels(labels, logits), logits)
    kept = labels != ignore_class
    labels = _checked_labels(where(kept, labels, 0), logits)
    loss = sparse_softmax_cross_entropy_with_logits(labels, logits)
    return where(kept, loss, 0)


@_function()
def binary_focal_crossentropy(
    y_true, y_pred, apply_class_balancing=False, alpha=0.25, gamma=2.0, from_logits=False,
    label_smoothing=0.0,
):  # fmt: skip
    """The binary cross entropy times `(1 - p) ** gamma`, p being that of the label.

    With `apply_class_balancing`, positive labels have the weight `alpha`, the others `1 - alpha`.
    """
    if label_smoothing:
        y_true = y_true * (1 - label_smoothing) + 0.5 * label_smoothing
    share = ops.sigmoid(y_pred) if from_logits else y_pred
    p = clip_by_value(share, EPSILON, 1 - EPSILON)
    loss = -(y_true * ops.log(p) + (1 - y_true) * ops.log(1 - p))
    loss = loss * (1 - (y_true * share + (1 - y_true) * (1 - share))) ** gamma
    return loss * (y_true * alpha + (1 - y_true) * (1 - alpha)) if apply_class_balancing else loss


def categorical_focal_crossentropy(
    y_true, y_pred, alpha=0.25, gamma=2.0, from_logits=False, label_smoothing=0.0, axis=-1
):
    """The categorical cross entropy with each term times `alpha * (1 - p) ** gamma`."""
    y_true, y_pred = _same_shape(*as_pair(y_true, y_pred))
    if label_smoothing:
        y_true = y_true * (1 - label_smoothing) + label_smoothing / y_pred.shape[axis]
    p = nn.softmax(y_pred, axis) if from_logits else y_pred / reduce_sum(y_pred, axis, True)
    p = clip_by_value(p, EPSILON, 1 - EPSILON)
    return reduce_sum(-y_true * ops.log(p) * alpha * (1 - p) ** gamma, axis)


def categorical_hinge(y_true, y_pred):
    """`max(1 + the largest prediction of other classes - that of the class, 0)`."""
    y_true, y_pred = _same_shape(*as_pair(y_true, y_pred))
    right = reduce_sum(y_true * y_pred, -1)
    return ops.maximum(reduce_max((1 - y_true) * y_pred, -1) - right + 1, 0)


def tversky(y_true, y_pred, alpha=0.5, beta=0.5, axis=None):
    """1 minus the Tversky index: `alpha` weighs false positives, `beta` false negatives."""
    y_true, y_pred = as_pair(y_true, y_pred)
    both = reduce_sum(y_true * y_pred, axis)
    wrong = reduce_sum((1 - y_true) * y_pred, axis)
    missed = reduce_sum(y_true * (1 - y_pred), axis)
    return 1 - (both + EPSILON) / (both + wrong * alpha + missed * beta + EPSILON)


def dice(y_true, y_pred, axis=None):
    """1 minus the Dice coefficient, twice the overlap divided by the sum of both."""
    y_true, y_pred = as_pair(y_true, y_pred)
    both = reduce_sum(y_true * y_pred, axis)
    total = reduce_sum(y_true, axis) + reduce_sum(y_pred, axis)
    return 1 - (2 * both + EPSILON) / (total + EPSILON)


def kl_divergence(y_true, y_pred):
    """`sum(y_true * log(y_true / y_pred))` over the last axis."""
    y_true, y_pred = (clip_by_value(y, EPSILON, 1.0) for y in as_pair(y_true, y_pred))
    return reduce_sum(y_true * ops.log(y_true / y_pred), -1)


def cosine_similarity(y_true, y_pred, axis=-1):
    """The negative cosine of the angle between vectors along `axis`: -1 for equal directions."""
    y_true, y_pred = as_pair(y_true, y_pred)
    units = [nn.l2_normalize(y, axis, EPSILON**2) for y in (y_true, y_pred)]
    return -reduce_sum(units[0] * units[1], axis)


_registered(categorical_crossentropy)
_registered(sparse_categorical_crossentropy)
_registered(categorical_focal_crossentropy)
_registered(categorical_hinge)
register("losses", dice)
register("losses", tversky)
_registered(kl_divergence, "kld", "KLD", "kullback_leibler_divergence")
_registered(cosine_similarity)


# ---- objects ---------------------------------------------------------------------------------

REDUCTIONS = {
    "none": lambda values: values,
    "sum": reduce_sum,
    "sum_over_batch_size": reduce_mean,
    "auto": reduce_mean,
    "mean": reduce_mean,
    None: lambda values: values,
}


class Reduction:
    """The names of the reductions of a loss over a batch."""

    AUTO, NONE, SUM, SUM_OVER_BATCH_SIZE = "auto", "none", "sum", "sum_over_batch_size"


keras_class("losses")(Reduction)


def weighted(values, sample_weight):
    """`values` times weights, which may lack the last axes or have an extra one of size 1."""
    if sample_weight is None:
        return values
    weight = cast(convert_to_tensor(sample_weight), values.dtype)
    if weight.ndim == values.ndim + 1 and weight.dims[-1] == 1:
        weight = squeeze(weight, -1)
    while weight.ndim and weight.ndim < values.ndim:
        weight = expand_dims(weight, -1)
    return values * weight


class Loss(Configured):
    """Base class of losses: `call(y_true, y_pred)` for each sample, reduced to a scalar.

    reduction  "sum_over_batch_size" (the mean), "sum" or "none"
    """

    def __init__(self, reduction="sum_over_batch_size", name=None):
        if reduction not in REDUCTIONS:
            raise ValueError(f"there is no reduction {reduction!r}")
        self.reduction = reduction
        self.name = name or snake(type(self).__name__)

    def call(self, y_true, y_pred):
        """The loss of each sample."""
        raise NotImplementedError(f"{type(self).__name__} has no method `call`")

    def __call__(self, y_true, y_pred, sample_weight=None):
        values = convert_to_tensor(call_user_code(self.call, y_true, y_pred))
        mask = mask_of(y_pred)
        if mask is not None and mask.ndim <= values.ndim:
            return self._masked(weighted(values, sample_weight), mask)
        reduced = REDUCTIONS[self.reduction](weighted(values, sample_weight))
        ignored = getattr(self, "options", {}).get("ignore_class")
        if ignored is None or REDUCTIONS[self.reduction] is not reduce_mean:
            return reduced
        kept = cast(convert_to_tensor(y_true) != ignored, values.dtype)
        return reduced / ops.maximum(
            reduce_mean(kept), EPSILON
        )  # the mean over samples that are not ignored

    def _masked(self, values, mask):
        """The loss of the steps that count; the mean is over these."""
        kept = weighted(zeros_like(values) + 1, mask)
        if REDUCTIONS[self.reduction] is not reduce_mean:
            return REDUCTIONS[self.reduction](values * kept)
        return reduce_sum(values * kept) / ops.maximum(reduce_sum(kept), EPSILON)


keras_class("losses")(Loss)


class FunctionLoss(Loss):
    """The loss that a function computes for each sample."""

    def __init__(self, function):
        super().__init__(name=function.__name__)
        self.function = function

    def call(self, y_true, y_pred):
        return call_user_code(self.function, y_true, y_pred)


def loss_class(name: str, function):
    """The loss class of a function, whose constructor also takes the function's options."""
    options = {
        key: parameter.default
        for key, parameter in list(inspect.signature(function).parameters.items())[2:]
    }

    def start(self, *args, reduction="sum_over_batch_size", name=None, **kwargs):
        unknown = set(kwargs) - set(options)
        if unknown or len(args) > len(options):
            raise TypeError(f"{type(self).__name__} has no option {', '.join(unknown) or args}")
        Loss.__init__(self, reduction, name)
        self.options = {**options, **dict(zip(options, args, strict=False)), **kwargs}

    def call(self, y_true, y_pred):
        return function(y_true, y_pred, **self.options)

    body = {"__init__": start, "call": call, "__doc__": function.__doc__, "__module__": __name__}
    return keras_class("losses")(type(name, (Loss,), body))


MeanSquaredError = loss_class("MeanSquaredError", mean_squared_error)
MeanAbsoluteError = loss_class("MeanAbsoluteError", mean_absolute_error)
for _name, _loss_function in {
    "MeanAbsolutePercentageError": mean_absolute_percentage_error,
    "MeanSquaredLogarithmicError": mean_squared_logarithmic_error,
    "Huber": huber,
    "LogCosh": log_cosh,
    "Poisson": poisson,
    "Hinge": hinge,
    "SquaredHinge": squared_hinge,
    "BinaryCrossentropy": binary_crossentropy,
    "CategoricalCrossentropy": categorical_crossentropy,
    "SparseCategoricalCrossentropy": sparse_categorical_crossentropy,
    "BinaryFocalCrossentropy": binary_focal_crossentropy,
    "CategoricalFocalCrossentropy": categorical_focal_crossentropy,
    "CategoricalHinge": categorical_hinge,
    "Dice": dice,
    "Tversky": tversky,
    "KLDivergence": kl_divergence,
    "CosineSimilarity": cosine_similarity,
}.items():
    loss_class(_name, _loss_function)

get = finder("losses")
