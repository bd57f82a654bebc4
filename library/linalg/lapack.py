"""Linear systems and decompositions in kernels: by the LAPACK of SciPy.

The routines are those that NumPy calls, on the same column-major matrices of float64, also for
operands of float32. So vectors have the same signs. A routine that fails, as for a singular matrix,
is a failure of the kernel.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np

from ...extend.kernels import Array, call_fortran, intrinsic, kernel_function
from .small_matrices import BY_LOOPS, check_diagonal, copied, transposed


@functools.cache
def functions() -> dict[str, Callable]:
    """The functions that kernels call."""
    own: tuple[Callable, ...] = (
        matrix_solved_by_lapack,
        matrix_inverse_by_lapack,
        matrix_determinant_by_lapack,
        matrix_log_determinant_by_lapack,
    )
    own += (
        matrix_cholesky_by_lapack,
        matrix_lower_solved_by_lapack,
        matrix_upper_solved_by_lapack,
        matrix_complex_solved_by_lapack,
        matrix_complex_inverse_by_lapack,
    )
    own += (matrix_qr_by_lapack, matrix_svd_by_lapack, matrix_eigh_by_lapack)
    return {function.__name__: function for function in (*own, *BY_LOOPS)}


def _routine(name: str, arguments: Callable, of_complex: bool = False) -> Callable:
    """A Fortran routine, called with `arguments` of what the function is given. It works in place;
    `report[0]` is 0 on success. Complex numbers are two floats of an array.
    """

    @intrinsic
    def call(writer, *given) -> None:
        dtype = next(one.dtype for one in given if isinstance(one, Array))
        call_fortran(writer, name, np.dtype(complex) if of_complex else dtype, arguments(*given))

    return call


# ---- systems of equations --------------------------------------------------------------------


def _solve(n, k, a, b, at, report):
    return n, k, a, n, at, b, n, report


def _factor(n, a, at, report):
    return n, n, a, n, at, report


def _invert(n, a, at, work, size, report):
    return n, a, n, at, work, size, report


gesv, complex_gesv = (_routine("lapack.gesv", _solve, flag) for flag in (False, True))
getrf, complex_getrf = (_routine("lapack.getrf", _factor, flag) for flag in (False, True))
getri, complex_getri = (_routine("lapack.getri", _invert, flag) for flag in (False, True))
# X of `matrix @ X = out` in row-major order: for BLAS, the transposes are on the other side.
trsm_lower = _routine("blas.trsm", lambda n, k, a, x: ("R", "U", "N", "N", k, n, 1.0, a, n, x, k))
trsm_upper = _routine("blas.trsm", lambda n, k, a, x: ("R", "L", "N", "N", k, n, 1.0, a, n, x, k))


@kernel_function
def matrix_solved_by_lapack(matrix, right, out):
    size = len(matrix)
    across = np.empty((size, size), np.float64)
    columns = np.empty((right.shape[1], size), np.float64)
    at, report = np.empty(size, np.int32), np.zeros(1, np.int32)
    transposed(matrix, across)
    transposed(right, columns)
    gesv(size, right.shape[1], across, columns, at, report)
    if report[0] != 0:
        raise ValueError
    transposed(columns, out)


@kernel_function
def factored(matrix, factors, at):
    """The LU factors of the transpose, and the rows exchanged; whether it is singular."""
    report = np.zeros(1, np.int32)
    copied(matrix, factors)
    getrf(len(matrix), factors, at, report)
    return report[0] != 0


@kernel_function
def matrix_inverse_by_lapack(matrix, out):
    size = len(matrix)
    inner, at = np.empty((size, size), np.float64), np.empty(size, np.int32)
    work, report = np.empty(64 * size, np.float64), np.zeros(1, np.int32)
    if factored(matrix, inner, at):  # the inverse of the transpose is the transpose of the inverse
        raise ValueError
    getri(size, inner, at, work, 64 * size, report)
    copied(inner, out)


# A complex matrix is two real ones: its components.


@kernel_function
def joined(real, imag, columns):
    """The complex numbers of a matrix, column after column."""
    for column in range(real.shape[1]):
        for row in range(len(real)):
            columns[column, row, 0] = real[row, column]
            columns[column, row, 1] = imag[row, column]


@kernel_function
def split_components(columns, real, imag):
    for row in range(len(real)):
        for column in range(real.shape[1]):
            real[row, column] = columns[column, row, 0]
            imag[row, column] = columns[column, row, 1]


@kernel_function
def matrix_complex_solved_by_lapack(real, imag, right, right_imag, out, out_imag):
    size, count = right.shape
    across = np.empty((size, size, 2), np.float64)
    columns = np.empty((count, size, 2), np.float64)
    at, report = np.empty(size, np.int32), np.zeros(1, np.int32)
    joined(real, imag, across)
    joined(right, right_imag, columns)
    complex_gesv(size, count, across, columns, at, report)
    if report[0] != 0:
        raise ValueError
    split_components(columns, out, out_imag)


@kernel_function
def matrix_complex_inverse_by_lapack(real, imag, out, out_imag):
    size = len(real)
    inner, at = np.empty((size, size, 2), np.float64), np.empty(size, np.int32)
    work, report = np.empty((64 * size, 2), np.float64), np.zeros(1, np.int32)
    joined(real, imag, inner)
    complex_getrf(size, inner, at, report)
    if report[0] != 0:
        raise ValueError
    complex_getri(size, inner, at, work, 64 * size, report)
    split_components(inner, out, out_imag)


@kernel_function
def matrix_determinant_by_lapack(matrix):
    size = len(matrix)
    work, at = np.empty((size, size), np.float64), np.empty(size, np.int32)
    factored(matrix, work, at)
    product = 1.0
    for i in range(size):
        product *= work[i, i]
        if at[i] != i + 1:
            product = -product
    return matrix.dtype.type(product)


@kernel_function
def matrix_log_determinant_by_lapack(matrix):
    """The sign of the determinant, and the logarithm of its absolute value."""
    size = len(matrix)
    work, at = np.empty((size, size), np.float64), np.empty(size, np.int32)
    sign, total = 1.0, 0.0
    if factored(matrix, work, at):
        sign, total = 0.0, -np.inf
    else:
        for i in range(size):
            item = work[i, i]
            if (at[i] != i + 1) != (item < 0):
                sign = -sign
            total += np.log(abs(item))
    return matrix.dtype.type(sign), matrix.dtype.type(total)


@kernel_function
def matrix_lower_solved_by_lapack(matrix, right, out):
    check_diagonal(matrix)
    out[:] = right
    trsm_lower(len(matrix), right.shape[1], matrix, out)


@kernel_function
def matrix_upper_solved_by_lapack(matrix, right, out):
    check_diagonal(matrix)
    out[:] = right
    trsm_upper(len(matrix), right.shape[1], matrix, out)


# ---- decompositions --------------------------------------------------------------------------


potrf = _routine("lapack.potrf", lambda n, a, report: ("U", n, a, n, report))
geqrf = _routine(
    "lapack.geqrf",
    lambda m, n, a, scales, work, size, report: (m, n, a, m, scales, work, size, report),
)
orgqr = _routine(
    "lapack.orgqr",
    lambda m, n, k, a, scales, work, size, report: (m, n, k, a, m, scales, work, size, report),
)
gesdd_reduced = _routine(
    "lapack.gesdd",
    lambda m, n, k, a, s, u, vt, work, size, integers, report: (
        *("S", m, n, a, m, s, u, m, vt, k, work, size, integers, report),
    ),
)
gesdd_full = _routine(
    "lapack.gesdd",
    lambda m, n, k, a, s, u, vt, work, size, integers, report: (
        *("A", m, n, a, m, s, u, m, vt, n, work, size, integers, report),
    ),
)
syevd = _routine(
    "lapack.syevd",
    lambda n, a, w, work, size, integers, count, report: (
        *("V", "L", n, a, n, w, work, size, integers, count, report),
    ),
)


@kernel_function
def matrix_cholesky_by_lapack(matrix, out):
    """The lower factor. For LAPACK it is the upper factor of the transpose."""
    size = len(matrix)
    work, report = np.empty((size, size), np.float64), np.zeros(1, np.int32)
    copied(matrix, work)
    potrf(size, work, report)
    if report[0] != 0:
        raise ValueError
    for row in range(size):
        for column in range(size):
            if column <= row:
                out[row, column] = work[row, column]
            else:
                out[row, column] = 0


@kernel_function
def matrix_qr_by_lapack(matrix, q, r):
    """Householder's reflections; of q are computed as many columns as it has."""
    rows, columns, width = len(matrix), matrix.shape[1], q.shape[1]
    rank, room = min(rows, columns), 64 * max(columns, width)
    across = np.empty((max(columns, width), rows), np.float64)
    scales, work = np.empty(rank, np.float64), np.empty(room, np.float64)
    report = np.zeros(1, np.int32)
    transposed(matrix, across)
    geqrf(rows, columns, across, scales, work, room, report)
    if report[0] != 0:
        raise ValueError
    for row in range(len(r)):
        for column in range(columns):
            if row <= column:
                r[row, column] = across[column, row]
            else:
                r[row, column] = 0
    orgqr(rows, width, rank, across, scales, work, room, report)
    if report[0] != 0:
        raise ValueError
    for row in range(rows):
        for column in range(width):
            q[row, column] = across[column, row]


@kernel_function
def matrix_svd_by_lapack(matrix, s, u, v):
    """Singular values, and the vectors as columns. In row-major order, LAPACK's V.T is V."""
    rows, columns, rank = len(matrix), matrix.shape[1], len(s)
    # At least what the documentation of xGESDD demands, and room for blocks of 64 columns.
    room = 4 * rank * rank + 7 * rank + rows + columns + 64 * (rows + columns) + rows * columns
    across = np.empty((columns, rows), np.float64)
    left, right = np.empty((u.shape[1], rows), np.float64), np.empty(v.shape, np.float64)
    values = np.empty(rank, np.float64)
    work, integers = np.empty(room, np.float64), np.empty(8 * rank, np.int32)
    report = np.zeros(1, np.int32)
    transposed(matrix, across)
    if u.shape[1] == rank and v.shape[1] == rank:
        gesdd_reduced(
            rows, columns, rank, across, values, left, right, work, room, integers, report
        )
    else:
        gesdd_full(rows, columns, rank, across, values, left, right, work, room, integers, report)
    if report[0] != 0:
        raise ValueError
    for i in range(rank):
        s[i] = values[i]
    transposed(left, u)
    copied(right, v)


@kernel_function
def matrix_eigh_by_lapack(matrix, w, v):
    """Eigenvalues, smallest first, and the vectors as columns; the lower triangle is read."""
    size = len(matrix)
    room, count = 1 + 6 * size + 2 * size * size + 64 * size, 3 + 5 * size
    across, values = np.empty((size, size), np.float64), np.empty(size, np.float64)
    work, integers = np.empty(room, np.float64), np.empty(count, np.int32)
    report = np.zeros(1, np.int32)
    transposed(matrix, across)
    syevd(size, across, values, work, room, integers, count, report)
    if report[0] != 0:
        raise ValueError
    for i in range(size):
        w[i] = values[i]
    transposed(across, v)
