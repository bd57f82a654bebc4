"""Norms, decompositions and linear systems of `numpy.linalg`."""

from __future__ import annotations

import functools

import numpy as np

from ...extend.errors import UnimplementedError
from ...extend.operations import (
    ag,
    axis_of,
    floating,
    numpy_matmul,
    numpy_tensor,
    promoted,
    promoted_arrays,
    rank_of,
    traces,
)
from ..numpy_functions.products import cross, dot, outer, tensordot
from ..numpy_functions.shape_functions import diagonal, trace

traces(np.linalg.inv, result="new")(lambda a: ag.linalg.inv(floating(a)))
traces(np.linalg.det, result="new")(lambda a: ag.linalg.det(floating(a)))
traces(np.linalg.slogdet, result="new")(
    lambda a: _named(np.linalg.slogdet, ag.linalg.slogdet(floating(a)))
)


def _of_triangle(a, UPLO: str):  # noqa: N803 - NumPy's name
    """A Hermitian matrix by its elements of the lower or the upper triangle, in the lower one."""
    return floating(a) if UPLO in ("L", "l") else ag.linalg.adjoint(floating(a))


@traces(np.linalg.eigh, result="new")
def eigh(a, UPLO="L"):  # noqa: N803 - NumPy's name
    return _named(np.linalg.eigh, ag.linalg.eigh(_of_triangle(a, UPLO)))


traces(np.linalg.eigvalsh, result="new")(
    lambda a, UPLO="L": ag.linalg.eigvalsh(_of_triangle(a, UPLO))  # noqa: N803 - NumPy's name
)


@functools.cache
def _result_type(function) -> type:
    """The named tuple that a function of NumPy returns."""
    return type(function(np.eye(1)))


def _named(function, parts):
    return _result_type(function)(*parts)


@traces(np.linalg.cholesky, result="new")
def cholesky(a, /, *, upper=False):
    x = floating(a)
    if not upper:
        return ag.linalg.cholesky(x)
    return ag.linalg.adjoint(ag.linalg.cholesky(ag.linalg.adjoint(x)))


@traces(np.linalg.pinv, hermitian=(False,))
def pinv(a, rcond=None, hermitian=False, *, rtol=None):
    limit = rtol if rcond is None else rcond
    if limit is None:
        return ag.linalg.pinv(floating(a))
    return ag.linalg.pinv(floating(a), rcond=limit)


@traces(np.linalg.qr, mode=("reduced", "complete", "r"), result="new")
def qr(a, mode="reduced"):
    result = ag.linalg.qr(floating(a), full_matrices=mode == "complete")
    return result[1] if mode == "r" else _named(np.linalg.qr, result)


@traces(np.linalg.svd, hermitian=(False,), result="new")
def svd(a, full_matrices=True, compute_uv=True, hermitian=False):
    x = floating(a)
    if not compute_uv:
        return ag.linalg.svd(x, compute_uv=False)
    values, left, right = ag.linalg.svd(x, full_matrices=full_matrices)
    return _named(np.linalg.svd, (left, values, ag.linalg.adjoint(right)))


traces(np.linalg.svdvals, result="new")(lambda x, /: ag.linalg.svd(floating(x), compute_uv=False))


@traces(np.linalg.matrix_rank, hermitian=(False,))
def matrix_rank(A, tol=None, hermitian=False, *, rtol=None):  # noqa: N803 - NumPy's name
    x = floating(A)
    if rank_of(x) < 2:
        raise UnimplementedError("the rank of a vector")
    values = ag.linalg.svd(x, compute_uv=False)
    if tol is None:
        largest = ag.reduce_max(values, axis=-1, keepdims=True)
        precision = np.finfo(values.dtype.numpy_dtype).eps
        sizes = ag.cast(ag.maximum(ag.shape(x)[-1], ag.shape(x)[-2]), values.dtype)
        share = sizes * precision if rtol is None else ag.cast(rtol, values.dtype)[..., None]
        limit = largest * share
    else:
        limit = ag.cast(tol, values.dtype)[..., None]
    return ag.reduce_sum(ag.cast(values > limit, "int64"), axis=-1)


@traces(np.linalg.solve, result="new", operands=2)
def solve(a, b):
    x, y = promoted(floating(a), floating(b))
    if rank_of(y) == 1:
        return ag.squeeze(ag.linalg.solve(x, y[:, None]), [-1])
    return ag.linalg.solve(x, y)


# ---- norms and products ----------------------------------------------------------------------


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
    total = _total(ag.pow(size, numpy_tensor(ord, size.dtype)), axis, keepdims)
    return ag.pow(total, ag.convert_to_tensor(1.0 / ord, size.dtype))


OF_SINGULAR_VALUES = {"nuc": "reduce_sum", 2: "reduce_max", -2: "reduce_min"}


def _matrix_norm(value, axes, ord, keepdims):
    rows, columns = (axis_of(axis, rank_of(value)) for axis in axes)
    if ord in (None, "fro"):
        return ag.sqrt(_total(_squares(value), (rows, columns), keepdims))
    if 0 in value.dims:
        raise UnimplementedError(f"a norm of order {ord} of empty matrices")
    if ord in OF_SINGULAR_VALUES:
        order = [axis for axis in range(rank_of(value)) if axis not in (rows, columns)]
        matrices = ag.transpose(value, [*order, rows, columns])
        values = ag.linalg.svd(matrices, compute_uv=False)
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


@traces(np.linalg.matrix_power)
def matrix_power(a, n):
    x = numpy_tensor(a)
    if n < 0:
        x, n = ag.linalg.inv(floating(x)), -n
    result = ag.broadcast_to(ag.eye(ag.shape(x)[-1], dtype=x.dtype), ag.shape(x))
    while n:
        result = ag.matmul(result, x) if n % 2 else result
        x, n = (ag.matmul(x, x) if n > 1 else x), n // 2
    return result


# ---- functions of `numpy` by names of `numpy.linalg` -----------------------------------------

traces(np.linalg.outer, result="new", operands=2)(lambda x1, x2, /: outer(x1, x2))
traces(np.linalg.matmul, result="new", operands=2)(lambda x1, x2, /: numpy_matmul(x1, x2))
traces(np.linalg.tensordot)(lambda x1, x2, /, *, axes=2: tensordot(x1, x2, axes))
traces(np.linalg.cross)(lambda x1, x2, /, *, axis=-1: cross(x1, x2, axis=axis))
traces(np.linalg.multi_dot)(lambda arrays, *, out=None: functools.reduce(dot, arrays))
traces(np.linalg.matrix_transpose)(lambda x, /: ag.linalg.matrix_transpose(numpy_tensor(x)))
traces(np.linalg.diagonal)(lambda x, /, *, offset=0: diagonal(x, offset, -2, -1))
traces(np.linalg.trace)(lambda x, /, *, offset=0, dtype=None: trace(x, offset, -2, -1, dtype))


@traces(np.linalg.vecdot)
def vecdot(x1, x2, /, *, axis=-1):
    x, y = promoted_arrays(x1, x2)
    return ag.reduce_sum(ag.multiply(ag.math.conj(x), y), axis=axis)
