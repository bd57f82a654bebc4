"""Masks as indices, for native code: the number of true elements is the computed size.

    y = x[m]        with x of shape (40,)

becomes `compressed(x, m, count)` of shape (<=40,), where `count` is the number of true elements.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from ...core.dtypes import int64
from ...core.shapes import normal_axis
from ...ir.extents import Extent, has_extents
from ...ir.graph import Node, Value, dims
from ...ir.op import TABLE
from ..not_native import NotNativeError


def picked_by_mask(rewriter, node: Node) -> Value:
    x, mask = map(rewriter.value, node.inputs)
    if x.shape and normal_axis(node.attrs["axis"], len(x.shape)):
        raise NotNativeError("a mask of another axis than the first", node.where)
    return _compressed(rewriter, node, x, mask)


def nonzero(rewriter, node: Node) -> Value:
    """A row of indices for each true element."""
    mask = rewriter.value(node.inputs[0])
    if not mask.dtype.is_bool:
        mask = rewriter.added("not_equal", mask, rewriter.constant(mask.dtype.numpy_dtype.type(0)))
    rows = np.argwhere(np.ones(_fixed(mask, node), bool)).astype(np.int64)
    table = rewriter.constant(rows.reshape(*dims(mask), len(dims(mask))))
    return _compressed(rewriter, node, table, mask)


def places_under(rewriter, node: Node) -> list[Value]:
    """A vector of indices for each axis."""
    mask, x = map(rewriter.value, node.inputs)
    sizes, first = _fixed(mask, node), normal_axis(node.attrs["axis"], len(x.shape or ()))
    _check_same(rewriter, node, mask.shape, x.shape[first : first + len(sizes)])
    grids = np.indices(sizes, np.int64)
    return [_compressed(rewriter, node, rewriter.constant(grid), mask, checked=True)
            for grid in grids]  # fmt: skip


def replaced_by_mask(rewriter, node: Node) -> Value:
    x, mask, value = map(rewriter.value, node.inputs)
    _check_same(rewriter, node, mask.shape, x.shape[: len(mask.shape)])
    return rewriter.result(node, (x, mask, value))


# ---- parts -----------------------------------------------------------------------------------


def _compressed(rewriter, node: Node, x: Value, mask: Value, checked: bool = False) -> Value:
    rank = len(mask.shape or ())
    if not rank or has_extents(dims(x)[rank:]):
        raise NotNativeError("a mask of no axes, or before axes of computed size", node.where)
    if not checked:
        _check_same(rewriter, node, dims(mask), dims(x)[:rank])
    count = _count_of(rewriter, mask)
    size = Extent(math.prod(map(int, dims(mask))), count)
    output = Value(x.dtype, (size, *dims(x)[rank:]), node.outputs[0].name)
    op = TABLE["compressed"]
    rewriter.add(replace(node, op=op, inputs=(x, mask, count), attrs={}, outputs=(output,)))
    return output


def _count_of(rewriter, mask: Value) -> Value:
    """The number of true elements, which equal masks share."""
    key = ("count", mask)
    if key not in rewriter.known:
        numbers, axes = rewriter.added("cast", mask, dtype=int64), tuple(range(len(dims(mask))))
        rewriter.known[key] = rewriter.added("reduce_sum", numbers, axis=axes, keepdims=False)
    return rewriter.known[key]


def _check_same(rewriter, node: Node, mask: tuple, axes: tuple) -> None:
    """A mask has the sizes of the axes that it covers."""
    if len(mask) != len(axes):
        raise NotNativeError("a mask of more axes than the array", node.where)
    for own, axis_size in zip(mask, axes, strict=True):
        if None in (own, axis_size):
            raise NotNativeError("a mask of rows without a known limit", node.where)
        if isinstance(own, Extent) or isinstance(axis_size, Extent):
            rewriter.require_equal(own, axis_size)
        elif own != axis_size:
            raise NotNativeError(f"a mask of {own} elements for an axis of {axis_size}", node.where)


def _fixed(mask: Value, node: Node) -> tuple[int, ...]:
    """The sizes of a mask: what it has memory for."""
    if len(mask.shape or ()) > 1 and has_extents(mask.shape):
        raise NotNativeError("indices of the true elements of a matrix of computed size")
    return tuple(map(int, dims(mask)))
