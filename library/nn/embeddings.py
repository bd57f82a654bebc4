"""Rows of tables that are combined by sparse ids; means of losses; monotone regression."""

from __future__ import annotations

import numpy as np

from ... import (
    boolean_mask,
    cast,
    convert_to_tensor,
    float32,
    int32,
    ones_like,
    reduce_sum,
    reshape,
    shape,
    transpose,
)
from ...extend.operations import FLOATS, SIGNED, Spec, hidden_op, normal_axis, ops
from ...extend.registration import public
from .cross_entropies import embedding_lookup
from .normalization import batch_normalization

# ---- embeddings of sparse ids ----------------------------------------------------------------


def _rows_of(sparse) -> tuple:
    """The values of a sparse or ragged matrix, the row of each, and the number of rows."""
    if hasattr(sparse, "row_splits"):
        return sparse.values, sparse.value_rowids(), sparse.nrows()
    return sparse.values, sparse.indices[:, 0], sparse.dense_shape[0]


@public("nn.embedding_lookup_sparse")
def embedding_lookup_sparse(
    params, sp_ids, sp_weights, combiner=None, max_norm=None, name=None,
    allow_fast_lookup=False,
):  # fmt: skip
    """For each row of sparse ids, the rows of `params` with these ids, combined.

    sp_weights   the weight of each id, with the same indices; None for ones
    combiner     "mean" (the default), "sum", or "sqrtn": the sum over the norm of the weights
    max_norm     longer rows of `params` are scaled down to this norm

    The ids are a `SparseTensor` or a `RaggedTensor`. A row without ids gives zeros.

    >>> ids = ag.ragged.constant([[0, 1], [1]])
    >>> ag.nn.embedding_lookup_sparse([[1.0], [3.0]], ids, None).numpy().ravel()
    array([2., 3.], dtype=float32)
    """
    combiner = "mean" if combiner is None else combiner
    if combiner not in ("mean", "sum", "sqrtn"):
        raise ValueError(f"the combiner is 'mean', 'sum' or 'sqrtn', not {combiner!r}")
    ids, rows, count = _rows_of(sp_ids)
    found = embedding_lookup(params, ids, max_norm)
    if sp_weights is None:
        weights = ones_like(cast(ids, found.dtype))
    else:
        weights = cast(_rows_of(sp_weights)[0], found.dtype)
    spread = reshape(weights, [-1] + [1] * (found.ndim - 1))
    total = ops.unsorted_segment_sum(found * spread, rows, count)
    if combiner == "sum":
        return total
    sizes = weights * weights if combiner == "sqrtn" else weights
    sizes = ops.unsorted_segment_sum(sizes, rows, count)
    sizes = sizes**0.5 if combiner == "sqrtn" else sizes
    sizes = ops.select(sizes == 0, ones_like(sizes), sizes)
    return total / reshape(sizes, [-1] + [1] * (found.ndim - 1))


@public("nn.safe_embedding_lookup_sparse")
def safe_embedding_lookup_sparse(
    embedding_weights, sparse_ids, sparse_weights=None, combiner="mean", default_id=None,
    max_norm=None, name=None, allow_fast_lookup=False,
):  # fmt: skip
    """`nn.embedding_lookup_sparse` without negative ids and without weights that are not positive.

    A row that has no other ids gives the row `default_id` of the table, or zeros.

    >>> ids = ag.SparseTensor([[0, 0], [1, 0]], [1, -1], [2, 1])
    >>> ag.nn.safe_embedding_lookup_sparse([[1.0], [3.0]], ids).numpy().ravel()
    array([3., 0.], dtype=float32)
    """
    ids, at, dense_shape = sparse_ids.values, sparse_ids.indices, sparse_ids.dense_shape
    weights = None if sparse_weights is None else sparse_weights.values
    kept = ids >= 0
    kept = kept if weights is None or combiner == "sum" else ops.logical_and(kept, weights > 0)
    make = type(sparse_ids)
    at, ids = boolean_mask(at, kept), boolean_mask(ids, kept)
    weights = None if weights is None else make(at, boolean_mask(weights, kept), dense_shape)
    result = embedding_lookup_sparse(
        embedding_weights, make(at, ids, dense_shape), weights, combiner, max_norm
    )
    if default_id is None:
        return result
    counts = ops.unsorted_segment_sum(at[:, 0] * 0 + 1, at[:, 0], dense_shape[0])
    is_empty = reshape(counts == 0, [-1] + [1] * (result.ndim - 1))
    return ops.select(is_empty, embedding_lookup(embedding_weights, default_id, max_norm), result)


# ---- losses ----------------------------------------------------------------------------------


@public("nn.compute_average_loss")
def compute_average_loss(
    per_example_loss, sample_weight=None, global_batch_size=None, max_sequence_length=None
):
    """The sum of the losses of a batch over `global_batch_size`, by default their number.

    >>> float(ag.nn.compute_average_loss([1.0, 2.0, 3.0], global_batch_size=6))
    1.0
    """
    losses = convert_to_tensor(per_example_loss)
    if sample_weight is not None:
        losses = losses * cast(sample_weight, losses.dtype)
    count = shape(losses)[0] if global_batch_size is None else global_batch_size
    return reduce_sum(losses) / cast(count, losses.dtype)


@public("nn.batch_norm_with_global_normalization")
def batch_norm_with_global_normalization(
    input, mean, variance, beta, gamma, variance_epsilon, scale_after_normalization, name=None
):
    """`nn.batch_normalization`, which scales by `gamma` if `scale_after_normalization`.

    >>> norm = ag.nn.batch_norm_with_global_normalization
    >>> norm([1.0, 3.0], 2.0, 1.0, 10.0, 5.0, 0.0, False).numpy()
    array([ 9., 11.], dtype=float32)
    """
    scale = gamma if scale_after_normalization else None
    return batch_normalization(input, mean, variance, beta, scale, variance_epsilon)


# ---- monotone regression ---------------------------------------------------------------------


def _pooled(row: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The nearest falling sequence, and the number of the constant segment of each element.

    Source: Barlow et al., "Statistical inference under order restrictions", 1972: neighbors that
    rise are replaced by their mean.
    """
    means: list[float] = []
    counts: list[int] = []
    for one in row.tolist():
        means.append(one)
        counts.append(1)
        while len(means) > 1 and means[-1] >= means[-2]:
            mean, count = means.pop(), counts.pop()
            means[-1] = (means[-1] * counts[-1] + mean * count) / (counts[-1] + count)
            counts[-1] += count
    return np.repeat(means, counts), np.repeat(np.arange(len(means)), counts)


@hidden_op
class FallingRows:
    """The nearest falling sequence to each row of the last axis, and its constant segments."""

    accepts = FLOATS

    def kernel(x):
        rows = x.reshape(-1, x.shape[-1])
        pairs = [_pooled(row) for row in rows]
        values = np.array([one for one, _ in pairs], x.dtype).reshape(x.shape)
        return values, np.array([one for _, one in pairs], np.int32).reshape(x.shape)

    def result(x):
        return Spec(x.dtype, x.shape), Spec(int32, x.shape)

    def gradient(dys, ys, x):
        return (SegmentMeans(dys[0], ys[1]),)


@hidden_op
class SegmentMeans:
    """The mean of the elements of each segment of the last axis, at each of its elements."""

    accepts = {"x": FLOATS, "segments": SIGNED}

    def kernel(x, segments):
        result = np.empty_like(x)
        for place in np.ndindex(x.shape[:-1]):
            sums = np.bincount(segments[place], x[place]) / np.bincount(segments[place])
            result[place] = sums[segments[place]]
        return result

    def result(x, segments):
        return Spec(x.dtype, x.shape)

    def gradient(dy, y, x, segments):
        return SegmentMeans(dy, segments), None


@public("nn.isotonic_regression")
def isotonic_regression(inputs, decreasing=True, axis=-1):
    """The falling sequence with the least squared distance from `inputs`, along an axis.

    It rises with `decreasing=False`. The second result has the number of the constant segment of
    each element.

    >>> values, segments = ag.nn.isotonic_regression([3.0, 1.0, 2.0])
    >>> values.numpy(), segments.numpy()
    (array([3. , 1.5, 1.5], dtype=float32), array([0, 1, 1], dtype=int32))
    """
    x = convert_to_tensor(inputs)
    x = x if x.dtype.is_floating else cast(x, float32)
    axis = normal_axis(axis, x.ndim)
    order = [*(one for one in range(x.ndim) if one != axis), axis]
    rows = transpose(x, order)
    values, segments = FallingRows(rows if decreasing else -rows)
    back = [int(one) for one in np.argsort(order)]
    return transpose(values if decreasing else -values, back), transpose(segments, back)
