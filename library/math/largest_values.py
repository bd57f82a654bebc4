"""The largest values along an axis, and whether predictions are among them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ... import as_dtype, cast, convert_to_tensor, int32, math
from ... import bool as bool_
from ...extend.errors import ShapeError
from ...extend.kernels import thresholds
from ...extend.operations import (
    FLOATS,
    REALS,
    SIGNED,
    Spec,
    full_constant,
    has_keys,
    has_unknown_shape,
    hidden_op,
    keys_of,
    normal_axis,
    op,
    ops,
    scatter_last_axis,
    stable_order,
)
from ...extend.registration import public
from ...extend.specs import is_compatible, show


def _order(x: np.ndarray, k: int) -> np.ndarray:
    """The indices of the `k` largest elements of each row, the largest first.

    Among equal elements the one with the smaller index comes first.
    """
    size = x.shape[-1]
    if (
        size < thresholds.DIGITS_FROM
        or 4 * k > size
        or not has_keys(x.dtype)
        or x.dtype.itemsize > 4
        or not k
    ):
        return stable_order(x, -1, True)[..., :k]
    # One 64-bit integer holds key and index, so no two are equal.
    both = (~keys_of(x)).astype(np.uint64) << np.uint64(32)
    both |= np.arange(size, dtype=np.uint64)
    first = np.sort(np.partition(both, k - 1, -1)[..., :k], -1)
    return (first & np.uint64(0xFFFFFFFF)).astype(np.int64)


class TopK(NamedTuple):
    """The `values` of the largest elements, and their `indices`."""

    values: object
    indices: object


@hidden_op
class LargestK:
    """The `k` largest elements of the last axis, and their indices."""

    may_raise = has_unknown_shape
    accepts = {"x": REALS, "k": SIGNED}
    moves_only = True

    def kernel(x, k):
        _check_k(x, int(k))
        order = _order(x, int(k)).astype(np.int32)
        return np.take_along_axis(x, order, -1), order

    def result(x, k):
        count = full_constant(k)
        count = None if count is None else int(count)
        if x.shape is None:
            return Spec(x.dtype, None), Spec(int32, None)
        _check_k(x, count)
        shape = (*x.shape[:-1], count)
        return Spec(x.dtype, shape), Spec(int32, shape)

    def gradient(dys, ys, x, k):
        return scatter_last_axis(dys[0], ys[1], ops.shape(x)[-1]), None


def _check_k(x, k: int | None) -> None:
    if not x.shape:
        raise ShapeError("top_k: a scalar has no last axis")
    size = x.shape[-1]
    if k is not None and (k < 0 or (size is not None and size < k)):
        raise ShapeError(f"top_k: the last axis of {show(x.shape)} does not have {k} elements")


@public("math.top_k", "nn.top_k")
def top_k(input, k=1, sorted=True, index_type=int32, name=None):
    """The `k` largest elements along the last axis, largest first, and their indices.

    Both have the shape `input.shape[:-1] + [k]`. Among equal elements the one with the smaller
    index comes first. The indices have the dtype `index_type`.

    >>> ag.math.top_k([1, 9, 5], k=2).indices.numpy()
    array([1, 2], dtype=int32)

    Raises ShapeError if there are fewer than `k` elements.
    """
    values, indices = LargestK(input, k)
    return TopK(values, cast(indices, as_dtype(index_type)))


@public("math.approx_max_k")
def approx_max_k(operand, k, reduction_dimension=-1, recall_target=0.95,
                 reduction_input_size_override=-1, aggregate_to_topk=True, name=None):  # fmt: skip
    """The `k` largest elements along an axis, largest first, and their int32 indices.

    They are exact: what an approximation would save on other devices is not saved here.

    >>> values, indices = ag.math.approx_max_k([1.0, 9.0, 5.0], 2)
    >>> values.numpy(), indices.numpy()
    (array([9., 5.], dtype=float32), array([1, 2], dtype=int32))
    """
    x = convert_to_tensor(operand)
    axis = normal_axis(reduction_dimension, len(x.dims))
    order = [other for other in range(len(x.dims)) if other != axis] + [axis]
    found = math.top_k(ops.transpose(x, perm=tuple(order)), k)
    back = tuple(np.argsort(order).tolist())
    return tuple(ops.transpose(one, perm=back) for one in found)


@public("math.approx_min_k")
def approx_min_k(operand, k, reduction_dimension=-1, recall_target=0.95,
                 reduction_input_size_override=-1, aggregate_to_topk=True, name=None):  # fmt: skip
    """The `k` smallest elements along an axis, smallest first, and their int32 indices.

    They are exact, as those of `math.approx_max_k`.

    >>> values, indices = ag.math.approx_min_k([1.0, 9.0, 5.0], 2)
    >>> values.numpy(), indices.numpy()
    (array([1., 5.], dtype=float32), array([0, 2], dtype=int32))
    """
    values, indices = approx_max_k(-convert_to_tensor(operand), k, reduction_dimension)
    return -values, indices


@op
class InTopK:
    """Whether the prediction for the target is finite and among the `k` largest of its row.

    `targets` is a vector of n class indices, `predictions` a matrix of shape [n, classes]. The
    result is a bool vector of length n.

    >>> import allograph as ag
    >>> ag.math.in_top_k([0, 1], [[0.9, 0.1], [0.8, 0.2]], 1).numpy()
    array([ True, False])

    Raises ShapeError unless there is a target for each row.
    """

    accepts = {"targets": SIGNED, "predictions": FLOATS, "k": REALS - FLOATS}
    public = ("math.in_top_k", "nn.in_top_k")

    def kernel(targets, predictions, k):
        _check_targets(targets, predictions)
        count = predictions.shape[-1]
        inside = (targets >= 0) & (targets < count)
        scores = np.take_along_axis(
            predictions, np.where(inside, targets, 0)[:, None].astype(np.int64), -1
        )
        larger = np.sum(predictions > scores, -1)
        return inside & np.isfinite(scores[:, 0]) & (larger < k)

    def result(targets, predictions, k):
        _check_targets(targets, predictions)
        return Spec(bool_, targets.shape)


def _check_targets(targets, predictions) -> None:
    if predictions.shape is None:
        return
    if len(predictions.shape) != 2 or not is_compatible(targets.shape, predictions.shape[:1]):
        shapes = f"{show(targets.shape)} and {show(predictions.shape)}"
        raise ShapeError(
            f"in_top_k: targets and predictions of shapes {shapes}",
            "It takes a target for each row of a matrix.",
        )
