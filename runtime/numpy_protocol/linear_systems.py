"""Decompositions and linear systems of `numpy.linalg`."""

from __future__ import annotations

import functools

import numpy as np

from ..core.errors import UnimplementedError
from .promotion import floating, promoted
from .registry import ag, rank_of, traces

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
