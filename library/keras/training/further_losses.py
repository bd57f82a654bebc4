"""Losses of label sequences, of noisy labels, and of embeddings."""

from __future__ import annotations

from .... import (
    cast,
    convert_to_tensor,
    eye,
    matmul,
    one_hot,
    reduce_logsumexp,
    reduce_sum,
    reshape,
    shape,
    transpose,
    where,
    zeros_like,
)
from ....extend.operations import ops
from ...nn.sequence_losses import ctc_loss
from ..registry import register
from .losses import EPSILON, loss_class


def ctc(y_true, y_pred):
    """The CTC loss of label sequences [batch, length], padded with 0, and logits
    [batch, time, classes]; 0 is also the class that stands for no label.
    """
    labels, logits = cast(convert_to_tensor(y_true), "int32"), convert_to_tensor(y_pred)
    lengths = reduce_sum(cast(labels != 0, "int32"), -1)
    steps = zeros_like(lengths) + shape(logits)[1]
    return ctc_loss(labels, logits, lengths, steps, logits_time_major=False, blank_index=0)


def categorical_generalized_cross_entropy(y_true, y_pred, q=0.5):
    """`(1 - p ** q) / q` for the probability p of the label, which noisy labels disturb less."""
    p, labels = convert_to_tensor(y_pred), cast(convert_to_tensor(y_true), "int64")
    if len(labels.dims) == len(p.dims) and labels.dims[-1] == 1:
        labels = reshape(labels, shape(p)[:-1])
    right = reduce_sum(p * one_hot(labels, p.dims[-1], dtype=p.dtype), -1)
    return (1 - ops.maximum(right, EPSILON) ** q) / q


def circle(y_true, y_pred, ref_labels=None, ref_embeddings=None, remove_diagonal=True, gamma=80.0,
           margin=0.4):  # fmt: skip
    """The circle loss of normalized embeddings [batch, size] with integer labels.

    Source: Sun et al., "Circle loss", 2020.
    """
    x, labels = convert_to_tensor(y_pred), reshape(convert_to_tensor(y_true), [-1, 1])
    others = x if ref_embeddings is None else convert_to_tensor(ref_embeddings)
    names = labels if ref_labels is None else reshape(convert_to_tensor(ref_labels), [-1, 1])
    distances = 1 - matmul(x, others, transpose_b=True)
    alike = cast(ops.equal(labels, transpose(names)), x.dtype)
    differ = 1 - alike
    if remove_diagonal and ref_labels is None:
        alike = alike * (1 - eye(shape(x)[0], dtype=x.dtype))
    near = ops.maximum(distances + margin, 0) * (distances - margin) * gamma
    far = ops.maximum(1 + margin - distances, 0) * (1 - distances - margin) * gamma
    low = -1e9
    total = [
        reduce_logsumexp(where(mask > 0, terms, zeros_like(terms) + low), 1)
        for mask, terms in ((alike, near), (differ, far))
    ]
    loss = ops.softplus(total[0] + total[1])
    counted = reduce_sum(alike, 1) * reduce_sum(differ, 1)
    return where(counted > 0, loss, zeros_like(loss))


for _function, _name in (
    (ctc, "CTC"), (circle, "Circle"),
    (categorical_generalized_cross_entropy, "CategoricalGeneralizedCrossEntropy"),
):  # fmt: skip
    register("losses", _function)
    loss_class(_name, _function)
