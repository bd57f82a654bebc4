"""Systems of equations whose matrices are zero beyond a few diagonals, given by these diagonals.

Row r of the bands holds diagonal `upper - r`, aligned with the rows of the matrix: its element i is
`matrix[i, i + upper - r]`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import convert_to_tensor, expand_dims, linalg, reduce_sum, roll, shape, stack, where
from ...extend.errors import InvalidArgumentError, ShapeError
from ...extend.operations import PRECISE, Spec, hidden_op, ops, scipy_module, unknown_flops
from ...extend.registration import public
from ...extend.specs import broadcast, show
from .matrices import conjugate


def _solution_shape(bands, rhs, count: int):
    """The shape of X in `matrix @ X = rhs`."""
    if bands is None or rhs is None:
        return None
    fits = len(bands) >= 2 and len(rhs) >= 2 and bands[-2] in (count, None)
    if not fits or (None not in (bands[-1], rhs[-2]) and bands[-1] != rhs[-2]):
        raise ShapeError(
            f"diagonals of shape {show(bands)} and a right side of shape {show(rhs)} do not fit",
            f"They are [..., {count}, n] and [..., n, k].",
        )
    return (*(broadcast(bands[:-2], rhs[:-2]) or ()), *rhs[-2:])


def _in_columns(bands, upper: int):
    """The bands aligned with the columns, as LAPACK takes them."""
    result = np.zeros_like(bands)
    for row in range(bands.shape[-2]):
        offset = upper - row
        size = bands.shape[-1] - abs(offset)
        if size > 0:
            source = bands[row, max(-offset, 0) :][:size]
            result[row, max(offset, 0) :][:size] = source
    return result


@hidden_op
class BandedSolve:
    """X in `matrix @ X = rhs`, for a matrix with `lower` and `upper` diagonals beside its own."""

    accepts = PRECISE
    flops = unknown_flops
    analytic = False

    def kernel(bands, rhs, *, lower, upper):
        total = _solution_shape(bands.shape, rhs.shape, lower + upper + 1)
        solve = scipy_module("linalg", "a banded solve").solve_banded
        batch = total[:-2]
        bands = np.broadcast_to(bands, (*batch, *bands.shape[-2:]))
        rhs = np.broadcast_to(rhs, total)
        solution = np.empty(total, rhs.dtype)
        for index in np.ndindex(batch):
            columns = _in_columns(bands[index], upper)
            try:
                solution[index] = solve((lower, upper), columns, rhs[index], check_finite=False)
            except np.linalg.LinAlgError as error:
                raise InvalidArgumentError(f"banded solve: {error}") from None
        return solution

    def result(bands, rhs, *, lower, upper):
        return Spec(rhs.dtype, _solution_shape(bands.shape, rhs.shape, lower + upper + 1))

    def gradient(dy, y, bands, rhs, *, lower, upper):
        adjoint = _adjoint_bands(bands, lower, upper)
        slope = ops.banded_solve(adjoint, dy, lower=upper, upper=lower)
        rows = [
            -reduce_sum(slope * conjugate(_shifted(y, upper - row, -2)), -1)
            for row in range(lower + upper + 1)
        ]
        return stack(rows, -2), slope


def _shifted(x, offset: int, axis: int):
    """Element `i + offset` at i, and 0 where there is none."""
    if not offset:
        return x
    size = shape(x)[axis]
    places = ops.range(0, size, 1) + offset
    inside = ops.logical_and(places >= 0, places < size)
    if axis == -2:
        inside = expand_dims(inside, -1)
    return where(inside, roll(x, -offset, axis), x * 0)


def _adjoint_bands(bands, lower: int, upper: int):
    """The bands of the conjugate transpose."""
    total = lower + upper
    rows = [_shifted(bands[..., total - row, :], lower - row, -1) for row in range(total + 1)]
    return conjugate(stack(rows, -2))


def _as_columns(bands, rhs):
    """The right side as a matrix, and whether it was a vector."""
    rhs = convert_to_tensor(rhs, dtype_hint=bands.dtype)
    is_vector = len(rhs.dims) == len(bands.dims) - 1
    return (expand_dims(rhs, -1) if is_vector else rhs), is_vector


def _tridiagonal(diagonals, diagonals_format: str):
    """The three diagonals as bands [..., 3, n]."""
    if diagonals_format == "compact":
        return convert_to_tensor(diagonals)
    if diagonals_format == "sequence":
        bands: list[Any] = list(map(convert_to_tensor, diagonals))
        above, main, below = bands
        size = main.dims[-1]
        if above.dims[-1] == size - 1:
            above = ops.concat(above, main[..., :1] * 0, axis=-1)
        if below.dims[-1] == size - 1:
            below = ops.concat(main[..., :1] * 0, below, axis=-1)
        return stack([above, main, below], -2)
    if diagonals_format == "matrix":
        matrix = convert_to_tensor(diagonals)
        zero = matrix[..., :1, 0] * 0
        above = ops.concat(linalg.diag_part(matrix, k=1), zero, axis=-1)
        below = ops.concat(zero, linalg.diag_part(matrix, k=-1), axis=-1)
        return stack([above, linalg.diag_part(matrix), below], -2)
    raise ValueError(
        f"diagonals_format is 'compact', 'sequence' or 'matrix', not {diagonals_format!r}"
    )


@public("linalg.tridiagonal_solve")
def tridiagonal_solve(
    diagonals, rhs, diagonals_format="compact", transpose_rhs=False, conjugate_rhs=False, name=None,
    partial_pivoting=True, perturb_singular=False,
):  # fmt: skip
    """The solution X of `A @ X = rhs` for tridiagonal matrices A.

    `diagonals` is [..., 3, n]: the diagonal above (its last element is ignored), the main one, the
    one below (its first is ignored). With `diagonals_format="sequence"` it is a tuple of the three,
    with "matrix" the matrices. `rhs` is [..., n] or [..., n, k].

    >>> bands = [[1.0, 1.0, 0.0], [2.0, 2.0, 2.0], [0.0, 0.0, 0.0]]
    >>> ag.linalg.tridiagonal_solve(bands, [3.0, 3.0, 2.0]).numpy().tolist()
    [1.0, 1.0, 1.0]

    Raises InvalidArgumentError for a singular matrix.
    """
    bands = _tridiagonal(diagonals, diagonals_format)
    rhs, is_vector = _as_columns(bands, rhs)
    if transpose_rhs and not is_vector:
        rhs = ops.transpose(rhs, perm=(*range(len(rhs.dims) - 2), -1, -2))
    solution = BandedSolve(bands, conjugate(rhs) if conjugate_rhs else rhs, lower=1, upper=1)
    return solution[..., 0] if is_vector else solution


@public("linalg.tridiagonal_matmul")
def tridiagonal_matmul(diagonals, rhs, diagonals_format="compact", name=None):
    """`A @ rhs` for tridiagonal matrices A, given as for `linalg.tridiagonal_solve`.

    >>> bands = [[1.0, 1.0, 0.0], [2.0, 2.0, 2.0], [0.0, 0.0, 0.0]]
    >>> ag.linalg.tridiagonal_matmul(bands, [[1.0], [1.0], [1.0]]).numpy().tolist()
    [[3.0], [3.0], [2.0]]
    """
    bands = _tridiagonal(diagonals, diagonals_format)
    rhs = convert_to_tensor(rhs, dtype_hint=bands.dtype)
    products = [
        expand_dims(bands[..., row, :], -1) * _shifted(rhs, 1 - row, -2) for row in range(3)
    ]
    return products[0] + products[1] + products[2]


@public("linalg.banded_triangular_solve")
def banded_triangular_solve(bands, rhs, lower=True, adjoint=False, name=None):
    """The solution X of `A @ X = rhs` for triangular matrices A with few diagonals.

    `bands` is [..., d, n], each diagonal aligned with the rows. For a lower triangle the first one
    is the main diagonal, for an upper one the last. `rhs` is [..., n, k].

    >>> bands = [[2.0, 2.0], [0.0, 1.0]]
    >>> ag.linalg.banded_triangular_solve(bands, [[2.0], [3.0]]).numpy().tolist()
    [[1.0], [1.0]]

    Raises InvalidArgumentError for a singular matrix.
    """
    bands = convert_to_tensor(bands)
    rhs, is_vector = _as_columns(bands, rhs)
    below, above = (bands.dims[-2] - 1, 0) if lower else (0, bands.dims[-2] - 1)
    if adjoint:
        bands = _adjoint_bands(bands, below, above)
        below, above = above, below
    solution = BandedSolve(bands, rhs, lower=below, upper=above)
    return solution[..., 0] if is_vector else solution
