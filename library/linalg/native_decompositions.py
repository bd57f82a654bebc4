"""The native code of decompositions: what is loaded when a program needs it."""

from __future__ import annotations

from collections.abc import Callable

from ...extend.kernels import Family, native_routines

OPERATIONS = (
    "matrix_solve", "triangular_solve", "inv", "det", "slogdet", "cholesky", "qr", "svd", "eigh",
    "complex_matrix_solve", "complex_inv",
)  # fmt: skip


def _forms() -> dict:
    from .emit_decompositions import FORMS

    return FORMS


def _lapack() -> Callable:
    from .lapack import functions

    return functions


native_routines(OPERATIONS, _forms, {"matrix": Family(0, _lapack, __package__)})
