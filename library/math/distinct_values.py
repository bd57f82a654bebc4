"""The distinct values of a vector, with the index of each element among them, and counts."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ... import cast, int32
from ...extend.errors import ShapeError
from ...extend.operations import ANY, Spec, hidden_op
from ...extend.registration import public
from ...extend.specs import show


class Unique(NamedTuple):
    """The distinct values `y`, and `idx`: for each element the index of its value in `y`."""

    y: object
    idx: object


class UniqueWithCounts(NamedTuple):
    """The distinct values `y`, the index `idx` of each element in `y`, and the `count` of each."""

    y: object
    idx: object
    count: object  # type: ignore[assignment]  # tuples have a method of this name


@hidden_op
class Distinct:
    """The distinct values in order of appearance, the index of each element, and the counts."""

    accepts = ANY

    def kernel(x):
        _check_vector(x)
        _, first, inverse, counts = np.unique(
            x, return_index=True, return_inverse=True, return_counts=True
        )
        order = np.argsort(first)
        ranks = np.empty_like(order)
        ranks[order] = np.arange(order.size)
        return x[first[order]], ranks[inverse].astype(np.int32), counts[order].astype(np.int32)

    def result(x):
        _check_vector(x)
        return Spec(x.dtype, (None,)), Spec(int32, x.shape), Spec(int32, (None,))


def _check_vector(x) -> None:
    if x.shape is not None and len(x.shape) != 1:
        raise ShapeError(
            f"unique: a tensor of shape {show(x.shape)} is no vector", "Use ag.reshape(x, [-1])."
        )


@public("unique")
def unique(x, out_idx=int32, name=None):
    """The distinct values of a vector, in order of first appearance, and each element's index.

    Returns a named tuple `(y, idx)` with `y[idx[i]] == x[i]`. The dtype of `idx` is `out_idx`.

    >>> ag.unique([7, 5, 7]).y.numpy()
    array([7, 5], dtype=int32)

    Raises ShapeError unless `x` is a vector.
    """
    values, indices, _ = Distinct(x)
    return Unique(values, cast(indices, out_idx))


@public("unique_with_counts")
def unique_with_counts(x, out_idx=int32, name=None):
    """The distinct values of a vector, each element's index among them, and their counts.

    Returns a named tuple `(y, idx, count)`. `y` is in order of first appearance. The dtype of `idx`
    and `count` is `out_idx`.

    >>> ag.unique_with_counts([7, 5, 7]).count.numpy()
    array([2, 1], dtype=int32)

    Raises ShapeError unless `x` is a vector.
    """
    values, indices, counts = Distinct(x)
    return UniqueWithCounts(values, cast(indices, out_idx), cast(counts, out_idx))
