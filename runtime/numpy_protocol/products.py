"""NumPy's products and linear algebra, implemented with operations of the package."""

from __future__ import annotations

import functools

import numpy as np

from ..core.errors import UnimplementedError
from .promotion import floating, promoted_arrays, tensor, zero
from .registry import ag, axis_of, rank_of, traces
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


traces(np.linalg.outer, result="new", operands=2)(lambda x1, x2, /: outer(x1, x2))


def matmul(a, b):
    """The same as `np.matmul`: a vector is a row on the left and a column on the right."""
    x, y = promoted_arrays(a, b)
    if rank_of(x) == 1 and rank_of(y) == 1:
        return ag.tensordot(x, y, 1)
    if rank_of(y) == 1:
        return ag.linalg.matvec(x, y)
    if rank_of(x) == 1:
        return ag.squeeze(ag.matmul(x[None, :], y), [-2])
    return ag.matmul(x, y)


traces(np.linalg.matmul, result="new", operands=2)(lambda x1, x2, /: matmul(x1, x2))


@traces(np.tensordot, result="array")
def tensordot(a, b, axes=2):
    return ag.tensordot(*promoted_arrays(a, b), axes)


traces(np.linalg.tensordot)(lambda x1, x2, /, *, axes=2: tensordot(x1, x2, axes))


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


# ---- linear algebra --------------------------------------------------------------------------


@traces(np.linalg.norm, result="new")
def norm(x, ord=None, axis=None, keepdims=False):
    value = floating(x)
    rank = rank_of(value)
    if axis is None:
        if ord is None:
            result = ag.sqrt(_total(_squares(ag.reshape(value, [-1])), None, False))
            return ag.reshape(result, [1] * rank) if keepdims else result
        axis = tuple(range(rank))
    axes = axis if isinstance(axis, (tuple, list)) else (axis,)
    if len(axes) == 1:
        return vector_norm(value, axes[0], keepdims, 2 if ord is None else ord)
    return _matrix_norm(value, axes, ord, keepdims)


def _squares(value):
    if not value.dtype.is_complex:
        return ag.square(value)
    return ag.square(ag.math.real(value)) + ag.square(ag.math.imag(value))


def _total(value, axis, keepdims):
    return ag.reduce_sum(value, axis=axis, keepdims=keepdims)


def vector_norm(value, axis, keepdims, ord):
    """The norm of order `ord` of vectors along `axis`, as `np.linalg.norm` defines it."""
    size = ag.abs(value)
    if np.isinf(ord) and 0 in (size.dims or ()):
        raise UnimplementedError(f"a norm of order {ord} of empty vectors")
    if ord == np.inf:
        return ag.reduce_max(size, axis=axis, keepdims=keepdims)
    if ord == -np.inf:
        return ag.reduce_min(size, axis=axis, keepdims=keepdims)
    if ord == 0:
        counted = ag.cast(ag.not_equal(size, ag.zeros_like(size)), size.dtype)
        return _total(counted, axis, keepdims)
    if ord == 1:
        return _total(size, axis, keepdims)
    if ord == 2:
        return ag.sqrt(_total(_squares(value), axis, keepdims))
    total = _total(ag.pow(size, tensor(ord, size.dtype)), axis, keepdims)
    return ag.pow(total, ag.convert_to_tensor(1.0 / ord, size.dtype))


OF_SINGULAR_VALUES = {"nuc": "reduce_sum", 2: "reduce_max", -2: "reduce_min"}


def _matrix_norm(value, axes, ord, keepdims):
    rows, columns = (axis_of(axis, rank_of(value)) for axis in axes)
    if ord in (None, "fro"):
        return ag.sqrt(_total(_squares(value), (rows, columns), keepdims))
    if 0 in value.dims:
        raise UnimplementedError(f"a norm of order {ord} of empty matrices")
    if ord in OF_SINGULAR_VALUES:
        values = ag.linalg.svd(moveaxis(value, (rows, columns), (-2, -1)), compute_uv=False)
        result = getattr(ag, OF_SINGULAR_VALUES[ord])(values, axis=-1)
        for axis in sorted((rows, columns)) if keepdims else ():
            result = ag.expand_dims(result, axis)
        return result
    first, second = (rows, columns) if abs(ord) == 1 else (columns, rows)
    sums = _total(ag.abs(value), first, True)
    reduce = ag.reduce_max if ord > 0 else ag.reduce_min
    result = reduce(sums, axis=second, keepdims=True)
    return result if keepdims else ag.squeeze(result, sorted((rows, columns)))


@traces(np.linalg.vector_norm)
def linalg_vector_norm(x, /, *, axis=None, keepdims=False, ord=2):
    value = floating(x)
    if axis is None:
        result = vector_norm(ag.reshape(value, [-1]), 0, False, ord)
        return ag.reshape(result, [1] * rank_of(value)) if keepdims else result
    return vector_norm(value, axis, keepdims, ord)


@traces(np.linalg.matrix_norm)
def linalg_matrix_norm(x, /, *, keepdims=False, ord="fro"):
    return _matrix_norm(floating(x), (-2, -1), ord, keepdims)


traces(np.linalg.cross)(lambda x1, x2, /, *, axis=-1: cross(x1, x2, axis=axis))


@traces(np.linalg.vecdot)
def linalg_vecdot(x1, x2, /, *, axis=-1):
    x, y = promoted_arrays(x1, x2)
    return ag.reduce_sum(ag.multiply(ag.math.conj(x), y), axis=axis)


@traces(np.linalg.matrix_power)
def matrix_power(a, n):
    x = tensor(a)
    if n < 0:
        x, n = ag.linalg.inv(floating(x)), -n
    result = ag.broadcast_to(ag.eye(ag.shape(x)[-1], dtype=x.dtype), ag.shape(x))
    while n:
        result = ag.matmul(result, x) if n % 2 else result
        x, n = (ag.matmul(x, x) if n > 1 else x), n // 2
    return result


traces(np.linalg.multi_dot)(lambda arrays, *, out=None: functools.reduce(dot, arrays))
