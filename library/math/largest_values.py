"""The largest values along an axis, and whether predictions are among them."""

from __future__ import annotations

import numpy as np

from ... import bool as bool_
from ... import convert_to_tensor, math
from ...extend.errors import ShapeError
from ...extend.operations import FLOATS, REALS, SIGNED, Spec, normal_axis, op, ops
from ...extend.registration import public
from ...extend.specs import is_compatible, show


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
