"""NumPy's products, implemented with operations of the package."""

from __future__ import annotations

import numpy as np

from ...extend.operations import ag, promoted_arrays, rank_of, traces, zero
from .shape_functions import moveaxis


@traces(np.dot, result="new", operands=2)
def dot(a, b, out=None):
    return _product(*promoted_arrays(a, b), 2)


def _product(x, y, place: int):
    """The sums of products over the last axis of `x` and the last or, as `place` says, an axis
    further in front of `y`.
    """
    if 0 in (rank_of(x), rank_of(y)):
        product = ag.multiply(x, y)  # which NumPy adds to 0: no zero is negative
        is_exact = product.dtype.is_integer or product.dtype.is_bool
        return product if is_exact else ag.add(product, zero(product.dtype))
    return ag.tensordot(x, y, [[rank_of(x) - 1], [max(rank_of(y) - place, 0)]])


@traces(np.inner, result="new", operands=2)
def inner(a, b, /):
    x, y = promoted_arrays(a, b)
    return _product(x, y, 1)


@traces(np.vdot, result="new", operands=2)
def vdot(a, b, /):
    x, y = (ag.reshape(array, [-1]) for array in promoted_arrays(a, b))
    return ag.tensordot(ag.math.conj(x), y, 1)


@traces(np.outer, result="new", operands=2)
def outer(a, b, out=None):
    x, y = (ag.reshape(array, [-1]) for array in promoted_arrays(a, b))
    return ag.multiply(x[:, None], y[None, :])


@traces(np.tensordot, result="array")
def tensordot(a, b, axes=2):
    return ag.tensordot(*promoted_arrays(a, b), axes)


@traces(np.einsum, result="new", operands=0)
def einsum(
    subscripts, /, *operands, out=None, dtype=None, order="K", casting="safe", optimize=False
):
    return ag.einsum(subscripts, *promoted_arrays(*operands))


@traces(np.cross, result="new", operands=2)
def cross(a, b, axisa=-1, axisb=-1, axisc=-1, axis=None):
    if axis is not None:
        axisa = axisb = axisc = axis
    x, y = promoted_arrays(moveaxis(a, axisa, -1), moveaxis(b, axisb, -1))
    components = [
        ag.subtract(
            ag.multiply(x[..., i], y[..., j]),
            ag.multiply(x[..., j], y[..., i]),
        )
        for i, j in ((1, 2), (2, 0), (0, 1))
    ]
    return moveaxis(ag.stack(components, rank_of(components[0])), -1, axisc)
