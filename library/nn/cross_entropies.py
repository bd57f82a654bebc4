"""Cross-entropies and other losses, computed from logits without overflow."""

from __future__ import annotations

import math

from ... import cast, convert_to_tensor, gather, int64, one_hot, reduce_sum, shape, where
from ...extend.errors import ShapeError
from ...extend.operations import ops
from ...extend.registration import public
from ...extend.specs import is_compatible, show
from .functional import log_softmax


def _pair(labels, logits):
    """Both as tensors of one dtype. Raises ShapeError if their shapes differ."""
    logits = convert_to_tensor(logits)
    labels = convert_to_tensor(labels, dtype_hint=logits.dtype)
    if not is_compatible(labels.dims, logits.dims):
        raise ShapeError(
            f"labels of shape {show(labels.dims)} and logits of shape {show(logits.dims)}"
        )
    return cast(labels, logits.dtype), logits


@public("nn.sigmoid_cross_entropy_with_logits")
def sigmoid_cross_entropy_with_logits(labels=None, logits=None, name=None):
    """`-z * log(p) - (1 - z) * log(1 - p)` for each label z and logit, with p = sigmoid(logit).

    The result has the shape and dtype of `logits`.

    >>> ag.nn.sigmoid_cross_entropy_with_logits(labels=[1.0, 0.0], logits=[0.0, -1000.0]).numpy()
    array([0.6931472, 0.       ], dtype=float32)

    Raises ShapeError if the shapes differ.
    """
    z, x = _pair(labels, logits)
    is_positive = x >= 0  # one test for both, so that slopes meet at 0
    return where(is_positive, x, 0) - x * z + ops.log1p(ops.exp(where(is_positive, -x, x)))


@public("nn.weighted_cross_entropy_with_logits")
def weighted_cross_entropy_with_logits(labels, logits, pos_weight, name=None):
    """The sigmoid cross-entropy with the term of positive labels multiplied by `pos_weight`.

    Shapes and errors are those of `nn.sigmoid_cross_entropy_with_logits`.

    >>> ag.nn.weighted_cross_entropy_with_logits([1.0, 0.0], [0.0, 0.0], 2.0).numpy()
    array([1.3862944, 0.6931472], dtype=float32)
    """
    z, x = _pair(labels, logits)
    weight = 1 + (pos_weight - 1) * z
    return (1 - z) * x + weight * ops.softplus(-x)


@public("nn.softmax_cross_entropy_with_logits")
def softmax_cross_entropy_with_logits(labels, logits, axis=-1, name=None):
    """`-sum(labels * log(softmax(logits)))` along `axis`; labels are probabilities.

    Both have one shape. The result has that shape without `axis`.

    >>> ag.nn.softmax_cross_entropy_with_logits([[0.0, 1.0]], [[0.0, 0.0]]).numpy()
    array([0.6931472], dtype=float32)
    """
    labels, logits = _pair(labels, logits)
    return -reduce_sum(labels * log_softmax(logits, axis), axis)


@public("nn.sparse_softmax_cross_entropy_with_logits")
def sparse_softmax_cross_entropy_with_logits(labels, logits, name=None):
    """`-log(softmax(logits)[label])` along the last axis; labels are integers.

    The result has the shape of `labels`. The loss of a label out of range is NaN.

    >>> ag.nn.sparse_softmax_cross_entropy_with_logits([1], [[0.0, 0.0]]).numpy()
    array([0.6931472], dtype=float32)

    Raises ShapeError unless labels have the shape of the logits without the last axis.
    """
    labels, logits = convert_to_tensor(labels), convert_to_tensor(logits)
    expected = None if logits.dims is None else logits.dims[:-1]
    if not is_compatible(labels.dims, expected):
        raise ShapeError(
            f"labels of shape {show(labels.dims)}, where logits of shape {show(logits.dims)} "
            f"need {show(expected)}"
        )
    labels = cast(labels, int64)
    count = shape(logits, int64)[-1]
    targets = one_hot(labels, cast(count, "int32"), dtype=logits.dtype)
    loss = -reduce_sum(targets * log_softmax(logits), -1)
    inside = (labels >= 0) & (labels < count)
    return where(inside, loss, cast(float("nan"), logits.dtype))


@public("nn.l2_loss")
def l2_loss(t, name=None):
    """Half the sum of the squares of all elements, a scalar.

    >>> float(ag.nn.l2_loss([3.0, 4.0]))
    12.5
    """
    t = convert_to_tensor(t)
    return reduce_sum(t * t) / 2


@public("nn.embedding_lookup")
def embedding_lookup(params, ids, max_norm=None, name=None):
    """The rows of `params` at the indices `ids`.

    With `max_norm`, rows with a larger Euclidean norm are scaled down to it.

    >>> ag.nn.embedding_lookup([[1, 2], [3, 4]], [1, 1, 0]).numpy()
    array([[3, 4],
           [3, 4],
           [1, 2]], dtype=int32)
    """
    rows = gather(params, ids)
    if max_norm is None:
        return rows
    axes = list(range(convert_to_tensor(ids).ndim, rows.ndim))
    length = reduce_sum(rows * rows, axes, True) ** 0.5
    return rows * (max_norm / ops.maximum(length, max_norm))


@public("nn.log_poisson_loss")
def log_poisson_loss(targets, log_input, compute_full_loss=False, name=None):
    """`exp(log_input) - log_input * targets` for each element.

    `compute_full_loss` adds Stirling's approximation of log(targets!).

    >>> ag.nn.log_poisson_loss([2.0], [0.0]).numpy()
    array([1.], dtype=float32)
    """
    z, x = _pair(targets, log_input)
    loss = ops.exp(x) - x * z
    if not compute_full_loss:
        return loss
    safe = ops.maximum(z, 1)
    stirling = safe * ops.log(safe) - safe + 0.5 * ops.log(2 * math.pi * safe)
    return loss + where(z > 1, stirling, 0)


@public("nn.scale_regularization_loss")
def scale_regularization_loss(regularization_loss):
    """The sum of all elements of a penalty, a scalar.

    >>> float(ag.nn.scale_regularization_loss([1.0, 2.0]))
    3.0
    """
    return reduce_sum(convert_to_tensor(regularization_loss))
