"""Slices at index vectors, combined with updates by differences, maxima and minima."""

from __future__ import annotations

import numpy as np

from ...extend.operations import NUMBERS, REALS, SIGNED, op, ops, scattered, scattering


def _extremes_cotangents(dy, y, tensor, indices, updates) -> tuple:
    """The cotangents of a scattered maximum or minimum, divided among those that attain it."""
    picked = ops.gather_nd(y, indices)
    own = ops.cast(tensor == y, dtype=dy.dtype)
    hits = ops.cast(updates == picked, dtype=dy.dtype)
    share = dy / ops.maximum(ops.tensor_scatter_nd_add(own, indices, hits), 1)
    return own * share, None, hits * ops.gather_nd(share, indices)


@op
class TensorScatterNdSub:
    """`tensor` with `updates` subtracted from the slices at the index vectors `indices`.

    Updates of repeated indices accumulate. Shapes and errors are those of
    `tensor_scatter_nd_update`.

    >>> ag.tensor_scatter_nd_sub([10, 20], [[1], [1]], [5, 6]).numpy()
    array([10,  9], dtype=int32)
    """

    componentwise = True
    accepts = {"tensor": NUMBERS, "indices": SIGNED, "updates": NUMBERS}
    public = ("tensor_scatter_nd_sub",)
    kernel = scattering("tensor_scatter_nd_sub", np.subtract)
    result = scattered
    native_result = "overwrites"

    def gradient(dy, y, tensor, indices, updates):
        return dy, None, -ops.gather_nd(dy, indices)


@op
class TensorScatterNdMax:
    """`tensor` with the elementwise maximum of its slices at `indices` and `updates` there.

    Shapes and errors are those of `tensor_scatter_nd_update`.

    >>> ag.tensor_scatter_nd_max([1, 7], [[0], [1]], [5, 6]).numpy()
    array([5, 7], dtype=int32)
    """

    accepts = {"tensor": REALS, "indices": SIGNED, "updates": REALS}
    public = ("tensor_scatter_nd_max",)
    kernel = scattering("tensor_scatter_nd_max", np.maximum)
    result = scattered
    native_result = "overwrites"
    gradient = _extremes_cotangents


@op
class TensorScatterNdMin:
    """`tensor` with the elementwise minimum of its slices at `indices` and `updates` there.

    Shapes and errors are those of `tensor_scatter_nd_update`.

    >>> ag.tensor_scatter_nd_min([1, 7], [[0], [1]], [5, 6]).numpy()
    array([1, 6], dtype=int32)
    """

    accepts = {"tensor": REALS, "indices": SIGNED, "updates": REALS}
    public = ("tensor_scatter_nd_min",)
    kernel = scattering("tensor_scatter_nd_min", np.minimum)
    result = scattered
    native_result = "overwrites"
    gradient = _extremes_cotangents
