"""Order: sort, argsort, the largest k, search, distinct values."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..apply import convert_to_tensor
from ..builder import fully_known
from ..dtypes import INTEGERS, NUMBERS, REALS, SIGNED, as_dtype, int32
from ..errors import ShapeError
from ..op import Spec, op
from ..shapes import show
from ..vocabulary import public
from .rules import same_as_input


def _same_shape_int32(x, *, axis, descending, stable):
    return Spec(int32, x.shape)


@op
class Sort:
    """The elements in order along an axis."""

    accepts = REALS
    result = same_as_input
    hidden = True

    def kernel(x, *, axis, descending):
        made = np.sort(x, axis)
        return np.flip(made, axis) if descending else made


@op
class Argsort:
    """The indices that put the elements in order."""

    accepts = REALS
    result = _same_shape_int32
    hidden = True

    def kernel(x, *, axis, descending, stable):
        if descending:
            last = x.shape[axis] - 1
            order = last - np.flip(np.argsort(np.flip(x, axis), axis, kind="stable"), axis)
        else:
            order = np.argsort(x, axis, kind="stable")
        return order.astype(np.int32)


def _descending(direction: str) -> bool:
    if direction not in ("ASCENDING", "DESCENDING"):
        raise ValueError(f"direction is ASCENDING or DESCENDING, not {direction!r}")
    return direction == "DESCENDING"


@public("sort")
def sort(values, axis=-1, direction="ASCENDING", name=None):
    """The elements in order along `axis`.

    >>> sort([3, 1, 2], direction="DESCENDING").numpy()
    array([3, 2, 1], dtype=int32)
    """
    return Sort(values, axis=axis, descending=_descending(direction))


@public("argsort")
def argsort(values, axis=-1, direction="ASCENDING", stable=False, name=None):
    """The indices that put the elements in order along `axis`; equal ones keep their order."""
    return Argsort(values, axis=axis, descending=_descending(direction), stable=stable)


class TopK(NamedTuple):
    """The values and where they were."""

    values: object
    indices: object


@op
class LargestK:
    """The `k` largest elements of the last axis, and their places."""

    accepts = REALS
    hidden = True

    def kernel(x, *, k):
        order = Argsort.kernel(x, axis=-1, descending=True, stable=True)[..., :k]
        return np.take_along_axis(x, order, -1), order

    def result(x, *, k):
        if x.shape is None:
            return Spec(x.dtype, None), Spec(int32, None)
        if not x.shape or (x.shape[-1] is not None and x.shape[-1] < k):
            raise ShapeError(f"top_k: fewer than {k} elements in the last axis of {show(x.shape)}")
        shape = (*x.shape[:-1], k)
        return Spec(x.dtype, shape), Spec(int32, shape)


@public("math.top_k", "nn.top_k")
def top_k(input, k=1, sorted=True, index_type=int32, name=None):
    """The `k` largest elements of the last axis, largest first, and their indices.

    >>> top_k([1, 9, 5], k=2).indices.numpy()
    array([1, 2], dtype=int32)
    """
    from .casting import cast
    from .reductions import static_axis

    values, indices = LargestK(input, k=static_axis(k))
    return TopK(values, cast(indices, as_dtype(index_type)))


@op
class Searchsorted:
    """Where values would be inserted into a sorted vector."""

    accepts = {"sorted_sequence": REALS, "values": REALS}
    hidden = True

    def kernel(sorted_sequence, values, *, side):
        return np.searchsorted(sorted_sequence, values, side).astype(np.int32)

    def result(sorted_sequence, values, *, side):
        return Spec(int32, values.shape)


@public("searchsorted")
def searchsorted(sorted_sequence, values, side="left", out_type=int32, name=None):
    """Where `values` would be inserted into a sorted vector.

    >>> searchsorted([1, 3, 5], [3, 4]).numpy()
    array([1, 2], dtype=int32)
    """
    from .casting import cast

    return cast(Searchsorted(sorted_sequence, values, side=side), out_type)


class Unique(NamedTuple):
    """The distinct values, and the index of each element's value among them."""

    y: object
    idx: object


@op
class Distinct:
    """The distinct values in order of appearance, and where each element went."""

    hidden = True

    def kernel(x):
        _, first, inverse = np.unique(x, return_index=True, return_inverse=True)
        order = np.argsort(first)
        places = np.empty_like(order)
        places[order] = np.arange(order.size)
        return x[np.sort(first)], places[inverse].astype(np.int32)

    def result(x):
        return Spec(x.dtype, (None,)), Spec(int32, x.shape)


@public("unique")
def unique(x, out_idx=int32, name=None):
    """The distinct values of a vector in order of appearance, and the index of each element.

    >>> unique([7, 5, 7]).y.numpy()
    array([7, 5], dtype=int32)
    """
    return Unique(*Distinct(x))


@op
class UnsortedSegmentSum:
    """Sums of the slices that share a segment number."""

    accepts = {"data": NUMBERS, "segment_ids": INTEGERS, "num_segments": SIGNED}
    public = ("math.unsorted_segment_sum",)

    def kernel(data, segment_ids, num_segments):
        made = np.zeros((int(num_segments), *data.shape[segment_ids.ndim :]), data.dtype)
        np.add.at(made, segment_ids, data)
        return made

    def result(data, segment_ids, num_segments):
        if data.shape is None or segment_ids.shape is None:
            return Spec(data.dtype, None)
        known = fully_known(num_segments)
        count = None if known is None else int(known)
        return Spec(data.dtype, (count, *data.shape[len(segment_ids.shape) :]))


@public("math.segment_sum")
def segment_sum(data, segment_ids, name=None):
    """Sums of the rows that share a segment number; the numbers are sorted and start at 0."""
    from .reductions import reduce_max

    ids = convert_to_tensor(segment_ids)
    return UnsortedSegmentSum(data, ids, reduce_max(ids) + 1)
