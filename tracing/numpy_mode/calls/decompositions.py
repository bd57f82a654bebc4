"""Decompositions of matrices in NumPy mode: the functions of `np.linalg` with several results."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ....runtime.ir.op import TABLE as OPS
from ..refusal import RefusedError
from ..traced_array import TracedArray, wrap


def _decomposed(name: str, a, **attrs) -> list:
    """The results of the operation `name` on matrices."""
    if not isinstance(a, TracedArray) or a.computed or a.dtype not in (np.float32, np.float64):
        raise RefusedError(f"np.linalg.{name} of anything but arrays of float32 or float64")
    return list(map(wrap, OPS[name](a.read(), **attrs)))


def _named(function, *results):
    """Results as the named tuple that a function of `np.linalg` returns."""
    return type(function(np.eye(1)))(*results)


def qr_factors(a, mode="reduced"):
    if mode not in ("reduced", "complete"):
        raise RefusedError(f"np.linalg.qr with mode={mode!r}")
    return _named(np.linalg.qr, *_decomposed("qr", a, full_matrices=mode == "complete"))


def singular_values(a, full_matrices=True, compute_uv=True, hermitian=False):
    if hermitian:
        raise RefusedError("np.linalg.svd of Hermitian matrices")
    values, left, right = _decomposed("svd", a, full_matrices=bool(full_matrices and compute_uv))
    if not compute_uv:
        return values
    return _named(np.linalg.svd, left, values, right.swapaxes(-1, -2).copy())


def symmetric_eigenvalues(a, *triangle, **named_triangle):
    if triangle or named_triangle:
        raise RefusedError("np.linalg.eigh of a chosen triangle")
    return _named(np.linalg.eigh, *_decomposed("eigh", a))


def signed_log_determinant(a):
    return _named(np.linalg.slogdet, *_decomposed("slogdet", a))


FORMS: dict[Any, Callable] = {
    np.linalg.eigh: symmetric_eigenvalues,
    np.linalg.eigvalsh: lambda a, *triangle: symmetric_eigenvalues(a, *triangle)[0],
    np.linalg.qr: qr_factors,
    np.linalg.slogdet: signed_log_determinant,
    np.linalg.svd: singular_values,
    np.linalg.svdvals: lambda x, /: singular_values(x, compute_uv=False),
}
