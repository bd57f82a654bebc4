"""Linear systems and decompositions of small matrices in kernels, by loops.

The CPU has some of them for matrices for which the checks of a call of LAPACK take longer than the
work. On a device, each matrix is for one thread. As LAPACK does, elimination takes the largest
pivot of each column, and float64 is what float32 is computed in. Shapes of new arrays are those of
arguments, which are known when a kernel is compiled.
"""

from __future__ import annotations

import numpy as np

from ...extend.kernels import kernel_function


@kernel_function
def copied(matrix, out):
    for row in range(len(matrix)):
        for column in range(matrix.shape[1]):
            out[row, column] = matrix[row, column]


@kernel_function
def transposed(matrix, out):
    for row in range(len(matrix)):
        for column in range(matrix.shape[1]):
            out[column, row] = matrix[row, column]


# ---- systems of equations --------------------------------------------------------------------


@kernel_function
def set_identity(matrix):
    for row in range(len(matrix)):
        for column in range(len(matrix)):
            matrix[row, column] = float(row == column)


@kernel_function
def eliminated(a, x):
    """Make `a` its upper factor, and do the same with the rows of `x`; the sign of the exchanges of
    rows, and whether `a` is singular.
    """
    size, columns = len(a), x.shape[1]
    sign, is_singular = 1.0, False
    for k in range(size):
        best = k
        for i in range(k + 1, size):
            if abs(a[i, k]) > abs(a[best, k]):
                best = i
        if a[best, k] == 0:
            is_singular = True
        else:
            if best != k:
                sign = -sign
                for j in range(k, size):
                    a[k, j], a[best, j] = a[best, j], a[k, j]
                for j in range(columns):
                    x[k, j], x[best, j] = x[best, j], x[k, j]
            for i in range(k + 1, size):
                factor = a[i, k] / a[k, k]
                for j in range(k + 1, size):
                    a[i, j] -= factor * a[k, j]
                for j in range(columns):
                    x[i, j] -= factor * x[k, j]
    return sign, is_singular


@kernel_function
def solve_in_place(a, x):
    """Make `x` the solution of `a @ solution = x`; `a` is lost."""
    size, columns = len(a), x.shape[1]
    _, is_singular = eliminated(a, x)
    if is_singular:
        raise ValueError
    for k in range(size - 1, -1, -1):
        for i in range(k + 1, size):
            factor = a[k, i]
            for j in range(columns):
                x[k, j] -= factor * x[i, j]
        for j in range(columns):
            x[k, j] /= a[k, k]


@kernel_function
def matrix_solved_by_loops(matrix, right, out):
    a, x = np.empty(matrix.shape, np.float64), np.empty(right.shape, np.float64)
    copied(matrix, a)
    copied(right, x)
    solve_in_place(a, x)
    copied(x, out)


@kernel_function
def matrix_inverse_by_loops(matrix, out):
    a, x = np.empty(matrix.shape, np.float64), np.empty(matrix.shape, np.float64)
    copied(matrix, a)
    set_identity(x)
    solve_in_place(a, x)
    copied(x, out)


@kernel_function
def matrix_determinant_by_loops(matrix):
    a, none = np.empty(matrix.shape, np.float64), np.empty((1, 0), np.float64)
    copied(matrix, a)
    product, _ = eliminated(a, none)
    for i in range(len(a)):
        product *= a[i, i]
    return matrix.dtype.type(product)


@kernel_function
def matrix_log_determinant_by_loops(matrix):
    """The sign of the determinant, and the logarithm of its absolute value."""
    a, none = np.empty(matrix.shape, np.float64), np.empty((1, 0), np.float64)
    copied(matrix, a)
    sign, is_singular = eliminated(a, none)
    total = 0.0
    if is_singular:
        sign, total = 0.0, -np.inf
    else:
        for i in range(len(a)):
            if a[i, i] < 0:
                sign = -sign
            total += np.log(abs(a[i, i]))
    return matrix.dtype.type(sign), matrix.dtype.type(total)


# A complex matrix is two real ones: its components.


@kernel_function
def matrix_complex_solved_by_loops(real, imag, right, right_imag, out, out_imag):
    """Elimination with the largest pivot of each column, as LAPACK does it."""
    size, count = right.shape
    a, b = np.empty(real.shape, np.float64), np.empty(real.shape, np.float64)
    x, y = np.empty(right.shape, np.float64), np.empty(right.shape, np.float64)
    copied(real, a)
    copied(imag, b)
    copied(right, x)
    copied(right_imag, y)
    for k in range(size):
        best = k
        for i in range(k + 1, size):
            if abs(a[i, k]) + abs(b[i, k]) > abs(a[best, k]) + abs(b[best, k]):
                best = i
        if a[best, k] == 0 and b[best, k] == 0:
            raise ValueError
        for j in range(k, size):
            a[k, j], a[best, j] = a[best, j], a[k, j]
            b[k, j], b[best, j] = b[best, j], b[k, j]
        for j in range(count):
            x[k, j], x[best, j] = x[best, j], x[k, j]
            y[k, j], y[best, j] = y[best, j], y[k, j]
        scale = max(abs(a[k, k]), abs(b[k, k]))  # the square of a small number would be 0
        c, d = a[k, k] / scale, b[k, k] / scale
        square = c * c + d * d
        for j in range(k, size):
            p, q = a[k, j], b[k, j]
            a[k, j], b[k, j] = (p * c + q * d) / square / scale, (q * c - p * d) / square / scale
        for j in range(count):
            p, q = x[k, j], y[k, j]
            x[k, j], y[k, j] = (p * c + q * d) / square / scale, (q * c - p * d) / square / scale
        for i in range(size):
            if i != k:
                p, q = a[i, k], b[i, k]
                for j in range(k + 1, size):
                    a[i, j] -= p * a[k, j] - q * b[k, j]
                    b[i, j] -= p * b[k, j] + q * a[k, j]
                for j in range(count):
                    x[i, j] -= p * x[k, j] - q * y[k, j]
                    y[i, j] -= p * y[k, j] + q * x[k, j]
    copied(x, out)
    copied(y, out_imag)


@kernel_function
def matrix_complex_inverse_by_loops(real, imag, out, out_imag):
    right, zeros = np.empty(real.shape, np.float64), np.zeros(real.shape, np.float64)
    set_identity(right)
    matrix_complex_solved_by_loops(real, imag, right, zeros, out, out_imag)


# ---- triangles -------------------------------------------------------------------------------


@kernel_function
def check_diagonal(matrix):
    for i in range(len(matrix)):
        if matrix[i, i] == 0:
            raise ValueError


@kernel_function
def matrix_lower_solved_by_loops(matrix, right, out):
    check_diagonal(matrix)
    columns = right.shape[1]
    for i in range(len(matrix)):
        for column in range(columns):
            out[i, column] = right[i, column]
        for j in range(i):
            factor = matrix[i, j]
            for column in range(columns):
                out[i, column] -= factor * out[j, column]
        for column in range(columns):
            out[i, column] /= matrix[i, i]


@kernel_function
def matrix_upper_solved_by_loops(matrix, right, out):
    check_diagonal(matrix)
    size, columns = len(matrix), right.shape[1]
    for i in range(size - 1, -1, -1):
        for column in range(columns):
            out[i, column] = right[i, column]
        for j in range(i + 1, size):
            factor = matrix[i, j]
            for column in range(columns):
                out[i, column] -= factor * out[j, column]
        for column in range(columns):
            out[i, column] /= matrix[i, i]


@kernel_function
def matrix_cholesky_by_loops(matrix, out):
    size = len(matrix)
    for i in range(size):
        for j in range(i + 1):
            total = matrix[i, j]
            for k in range(j):
                total -= out[i, k] * out[j, k]
            if j < i:
                out[i, j] = total / out[j, j]
            elif total <= 0:
                raise ValueError
            else:
                out[i, i] = np.sqrt(total)
        for j in range(i + 1, size):
            out[i, j] = 0


BY_LOOPS = (
    matrix_solved_by_loops, matrix_inverse_by_loops, matrix_determinant_by_loops,
    matrix_log_determinant_by_loops, matrix_complex_solved_by_loops,
    matrix_complex_inverse_by_loops, matrix_lower_solved_by_loops, matrix_upper_solved_by_loops,
    matrix_cholesky_by_loops,
)  # fmt: skip
