"""Sorting: sort, argsort and searchsorted."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.dtypes import REALS, int32
from ...core.errors import ShapeError
from ...core.numpy_dtypes import is_floating
from ...core.public_names import public
from ...core.shapes import is_compatible, normal_axis, show
from ...ir.node_properties import has_unknown_shape
from ...ir.op import Spec
from ...tensors.operation import hidden_op, ops
from ..gradient_helpers import scatter_last_axis, swapped
from ..math.casting import cast
from ..math.reductions import static_axis
from .radix_keys import from_keys, has_keys, keys_of, stable_order


def _check_axis(x, axis: int) -> None:
    if x.shape is not None:
        normal_axis(axis, len(x.shape))


@hidden_op
class Sort:
    """The elements sorted along an axis."""

    may_raise = has_unknown_shape
    accepts = REALS
    moves_only = True

    def kernel(x: Any, *, axis, descending: bool):
        if is_floating(x.dtype) and has_keys(x.dtype):
            keys = np.sort(keys_of(x, zeros_are_equal=False), axis)
            result = from_keys(keys, x.dtype)
        else:
            result = np.sort(x, axis)
        return np.flip(result, axis) if descending else result

    def result(x, *, axis, descending):
        _check_axis(x, axis)
        return Spec(x.dtype, x.shape)

    def largest_shape(x, *, axis, descending):
        return x

    def gradient(dy, y, x, *, axis, descending):
        rank = len(x.dims)
        last = normal_axis(axis, rank) == rank - 1
        order = ops.argsort(x, axis=axis, descending=descending)
        rows, order = (dy, order) if last else (swapped(dy, axis, -1), swapped(order, axis, -1))
        result = scatter_last_axis(rows, order, ops.shape(rows)[-1])
        return (result if last else swapped(result, axis, -1),)


@hidden_op
class Argsort:
    """The indices that sort the elements; equal elements keep their order."""

    may_raise = has_unknown_shape
    accepts = REALS

    def kernel(x: Any, *, axis, descending: bool):
        return stable_order(x, axis, descending).astype(np.int32)

    def result(x, *, axis, descending):
        _check_axis(x, axis)
        return Spec(int32, x.shape)


def _descending(direction: str) -> bool:
    if direction not in ("ASCENDING", "DESCENDING"):
        raise ValueError(f"direction is ASCENDING or DESCENDING, not {direction!r}")
    return direction == "DESCENDING"


@public("sort")
def sort(values, axis=-1, direction="ASCENDING", name=None):
    """The elements sorted along `axis`, with the shape and dtype of `values`.

    `direction` is "ASCENDING" or "DESCENDING". NaN is larger than every number.

    >>> ag.sort([3, 1, 2], direction="DESCENDING").numpy()
    array([3, 2, 1], dtype=int32)

    Raises ShapeError if the axis does not exist, ValueError for another direction.
    """
    return Sort(values, axis=static_axis(axis), descending=_descending(direction), name=name)


@public("argsort")
def argsort(values, axis=-1, direction="ASCENDING", stable=False, name=None):
    """The indices that sort the elements along `axis`, int32 in the shape of `values`.

    `direction` is "ASCENDING" or "DESCENDING". The sort is always stable.

    >>> ag.argsort([3, 1, 2]).numpy()
    array([1, 2, 0], dtype=int32)

    Raises ShapeError if the axis does not exist, ValueError for another direction.
    """
    return Argsort(values, axis=static_axis(axis), descending=_descending(direction), name=name)


@hidden_op
class Searchsorted:
    """The indices at which values would be inserted into sorted rows."""

    may_raise = has_unknown_shape
    accepts = REALS

    def kernel(sorted_sequence, values, *, side):
        _check_leading_axes(sorted_sequence, values)
        if sorted_sequence.ndim == 1:
            return np.asarray(np.searchsorted(sorted_sequence, values, side), np.int32)
        result = np.empty(values.shape, np.int32)
        for batch in np.ndindex(values.shape[:-1]):
            result[batch] = np.searchsorted(sorted_sequence[batch], values[batch], side)
        return result

    def result(sorted_sequence, values, *, side):
        _check_leading_axes(sorted_sequence, values)
        return Spec(int32, values.shape)


def _check_leading_axes(rows, values) -> None:
    if rows.shape is None or values.shape is None or len(rows.shape) == 1:
        return
    if not rows.shape or not values.shape or not is_compatible(rows.shape[:-1], values.shape[:-1]):
        raise ShapeError(
            f"searchsorted: the leading axes of {show(rows.shape)} and {show(values.shape)} differ",
            "Give a row of values for each sorted row, or one sorted vector.",
        )


@public("searchsorted")
def searchsorted(sorted_sequence, values, side="left", out_type=int32, name=None):
    """The indices at which `values` would be inserted to keep `sorted_sequence` sorted.

    `sorted_sequence` is sorted along its last axis. `side="left"` inserts before equal elements,
    "right" after them. A sorted vector takes values of any shape; otherwise both have the same
    leading axes. The result has the shape of `values` and the dtype `out_type`.

    >>> ag.searchsorted([1, 3, 5], [3, 4]).numpy()
    array([1, 2], dtype=int32)

    Raises ShapeError if the leading axes differ, ValueError for another `side`.
    """
    if side not in ("left", "right"):
        raise ValueError(f"searchsorted: side is 'left' or 'right', not {side!r}")
    return cast(Searchsorted(sorted_sequence, values, side=side), out_type)
