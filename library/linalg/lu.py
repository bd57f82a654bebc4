"""The LU decomposition with partial pivoting, and what is computed from it."""

from __future__ import annotations

import numpy as np

from ... import as_dtype, convert_to_tensor, int32, linalg, one_hot, shape
from ...extend.errors import InvalidArgumentError
from ...extend.operations import PRECISE, Spec, hidden_op, ops, unknown_flops
from ...extend.registration import public
from .matrices import square_shape, triangle


def _factor_in_place(matrix, rows) -> None:
    """Gaussian elimination of one matrix; `rows` becomes the order of its rows."""
    size = len(matrix)
    for k in range(size):
        pivot = k + int(np.argmax(np.abs(matrix[k:, k])))
        if not matrix[pivot, k]:
            raise InvalidArgumentError("lu: the matrix is singular")
        if pivot != k:
            matrix[[k, pivot]] = matrix[[pivot, k]]
            rows[[k, pivot]] = rows[[pivot, k]]
        matrix[k + 1 :, k] /= matrix[k, k]
        matrix[k + 1 :, k + 1 :] -= np.outer(matrix[k + 1 :, k], matrix[k, k + 1 :])


@hidden_op
class Lu:
    """Both triangular factors in one matrix, and the order of the rows."""

    accepts = PRECISE
    flops = unknown_flops
    analytic = False

    def kernel(input, *, index_type):
        *batch, size, _ = square_shape(input.shape, "lu")
        factors = np.array(input, order="C").reshape(-1, size, size)
        order = np.tile(np.arange(size, dtype=index_type), (len(factors), 1))
        for matrix, rows in zip(factors, order, strict=True):
            _factor_in_place(matrix, rows)
        return factors.reshape(*batch, size, size), order.reshape(*batch, size)

    def result(input, *, index_type):
        found = square_shape(input.shape, "lu")
        rows = None if found is None else found[:-1]
        return Spec(input.dtype, found), Spec(as_dtype(index_type), rows)

    def gradient(dy, y, input, *, index_type):
        (factors, order), slope = y, dy[0]
        lower, upper = _unit_lower(factors), triangle(factors, False)
        below = ops.matmul(linalg.adjoint(lower), _below(slope))
        above = ops.matmul(triangle(slope, False), linalg.adjoint(upper))
        inner = linalg.triangular_solve(lower, _below(below) + triangle(above, False), adjoint=True)
        whole = linalg.adjoint(linalg.triangular_solve(upper, linalg.adjoint(inner), lower=False))
        return [ops.matmul(_permutation(order, input, transpose=True), whole)]


def _below(x):
    """The triangle below the diagonal."""
    return triangle(x, True) - linalg.set_diag(x * 0, linalg.diag_part(x))


def _unit_lower(factors):
    return linalg.set_diag(triangle(factors, True), linalg.diag_part(factors) * 0 + 1)


def _permutation(order, like, transpose=False):
    """The matrix that puts rows in an order, or back."""
    matrix = one_hot(order, shape(like)[-1], dtype=like.dtype)
    return linalg.matrix_transpose(matrix) if transpose else matrix


@public("linalg.lu")
def lu(input, output_idx_type=int32, name=None):
    """The LU decomposition of square matrices [..., n, n] with partial pivoting.

    Returns both factors in one matrix, and the order of the rows, [..., n]: the upper triangle with
    the diagonal is U, the triangle below is L, whose diagonal is 1. L @ U is `input` with its rows
    in this order.

    >>> factors, rows = ag.linalg.lu([[1.0, 2.0], [4.0, 4.0]])
    >>> factors.numpy().tolist(), rows.numpy().tolist()
    ([[4.0, 4.0], [0.25, 1.0]], [1, 0])

    Raises InvalidArgumentError for a singular matrix.
    """
    return Lu(input, index_type=as_dtype(output_idx_type).name, name=name)


@public("linalg.lu_reconstruct")
def lu_reconstruct(lower_upper, perm, validate_args=False, name=None):
    """The matrices of which `linalg.lu` gave `lower_upper` and `perm`.

    >>> ag.linalg.lu_reconstruct(*ag.linalg.lu([[1.0, 2.0], [4.0, 4.0]])).numpy().tolist()
    [[1.0, 2.0], [4.0, 4.0]]
    """
    factors = convert_to_tensor(lower_upper)
    product = ops.matmul(_unit_lower(factors), triangle(factors, False))
    return ops.matmul(_permutation(perm, factors, transpose=True), product)


@public("linalg.lu_solve")
def lu_solve(lower_upper, perm, rhs, validate_args=False, name=None):
    """The solution X of `A @ X = rhs`, where `linalg.lu(A)` gave `lower_upper` and `perm`.

    >>> factors, rows = ag.linalg.lu([[1.0, 2.0], [4.0, 4.0]])
    >>> ag.linalg.lu_solve(factors, rows, [[3.0], [8.0]]).numpy().tolist()
    [[1.0], [1.0]]
    """
    factors = convert_to_tensor(lower_upper)
    ordered = ops.matmul(_permutation(perm, factors), rhs)
    inner = linalg.triangular_solve(_unit_lower(factors), ordered)
    return linalg.triangular_solve(factors, inner, lower=False)


@public("linalg.lu_matrix_inverse")
def lu_matrix_inverse(lower_upper, perm, validate_args=False, name=None):
    """The inverse of A, where `linalg.lu(A)` gave `lower_upper` and `perm`.

    >>> ag.linalg.lu_matrix_inverse(*ag.linalg.lu([[2.0, 0.0], [0.0, 4.0]])).numpy().tolist()
    [[0.5, 0.0], [0.0, 0.25]]
    """
    factors = convert_to_tensor(lower_upper)
    identity = linalg.set_diag(factors * 0, linalg.diag_part(factors) * 0 + 1)
    return lu_solve(factors, perm, identity)
