"""Diagonals of matrices; leading axes are batches."""

from __future__ import annotations

import numpy as np

from ... import convert_to_tensor, reduce_sum, zeros_like
from ...extend.errors import ShapeError
from ...extend.operations import (
    ANY,
    BOOLS,
    NUMBERS,
    SIGNED,
    Spec,
    has_unknown_shape,
    hidden_op,
    op,
    ops,
    same_as_input,
)
from ...extend.registration import public
from ...extend.specs import is_compatible, show

# Diagonal k starts at row max(-k, 0) and column max(k, 0).


def _diagonal_length(rows, columns, k: int) -> int | None:
    if rows is None or columns is None:
        return None
    length = min(rows - max(-k, 0), columns - max(k, 0))
    if length < 0 or (length == 0 and k):
        raise ShapeError(
            f"diagonal {k} does not exist in a matrix of {rows} rows and {columns} columns"
        )
    return length


def _diagonal_shape(x, k: int):
    """The shape of diagonal `k`. Raises ShapeError if it does not exist."""
    if x.shape is None:
        return None
    if len(x.shape) < 2:
        raise ShapeError(f"a tensor of shape {show(x.shape)} is not a matrix")
    *batch, rows, columns = x.shape
    return (*batch, _diagonal_length(rows, columns, k))


def _diagonal_key(length: int, k: int) -> tuple:
    steps = np.arange(length)
    return ..., steps + max(-k, 0), steps + max(k, 0)


@hidden_op
class Diag:
    """Matrices with `diagonal` on diagonal `k` and zeros elsewhere."""

    may_raise = has_unknown_shape
    accepts = NUMBERS

    def kernel(diagonal, *, k):
        size = diagonal.shape[-1] + abs(k)
        result = np.zeros((*diagonal.shape[:-1], size, size), diagonal.dtype)
        result[_diagonal_key(diagonal.shape[-1], k)] = diagonal
        return result

    def result(diagonal, *, k):
        if diagonal.shape is None:
            return Spec(diagonal.dtype, None)
        if not diagonal.shape:
            raise ShapeError("diag: the diagonal is a scalar, not a vector")
        size = None if diagonal.shape[-1] is None else diagonal.shape[-1] + abs(k)
        return Spec(diagonal.dtype, (*diagonal.shape[:-1], size, size))

    def element(ix, diagonal, *, k, out):
        item = diagonal.at(*ix[:-2], ix[-2] - max(-k, 0))
        return (ix[-1] - ix[-2]).equals(k).choice(item, out.literal(0))

    def gradient(dy, y, diagonal, *, k):
        return (ops.diag_part(dy, k=k),)


@public("linalg.diag")
def diag(diagonal, name=None, k=0):
    """Square matrices with `diagonal` on diagonal `k` and zeros elsewhere.

    `k=0` is the main diagonal, positive `k` are above it, negative below. A diagonal of shape
    [..., n] gives matrices of shape [..., n + abs(k), n + abs(k)].

    >>> ag.linalg.diag([1, 2]).numpy().tolist()
    [[1, 0], [0, 2]]

    Raises ShapeError for a scalar.
    """
    return Diag(diagonal, k=k, name=name)


@hidden_op
class DiagPart:
    """Diagonal `k` of matrices."""

    may_raise = has_unknown_shape
    accepts = ANY

    def kernel(x, *, k):
        _diagonal_shape(x, k)
        return np.diagonal(x, k, -2, -1)

    def result(x, *, k):
        return Spec(x.dtype, _diagonal_shape(x, k))

    def element(ix, x, *, k, out):
        return x.at(*ix[:-1], ix[-1] + max(-k, 0), ix[-1] + max(k, 0))

    def gradient(dy, y, x, *, k):
        zeros = zeros_like(x)
        return (ops.set_diag(zeros, dy, k=k),)


@public("linalg.diag_part")
def diag_part(input, name=None, k=0):
    """Diagonal `k` of matrices of shape [..., rows, columns], along the last axis.

    `k=0` is the main diagonal, positive `k` are above it, negative below.

    >>> ag.linalg.diag_part([[1, 2], [3, 4]]).numpy()
    array([1, 4], dtype=int32)

    Raises ShapeError if the diagonal does not exist.
    """
    return DiagPart(input, k=k, name=name)


@hidden_op
class SetDiag:
    """Matrices with diagonal `k` replaced."""

    may_raise = has_unknown_shape
    accepts = ANY

    def kernel(x, diagonal, *, k):
        shape = _diagonal_shape(x, k)
        _check_diagonal(diagonal, shape)
        result = np.array(x)
        result[_diagonal_key(shape[-1], k)] = diagonal
        return result

    def result(x, diagonal, *, k):
        _check_diagonal(diagonal, _diagonal_shape(x, k))
        return Spec(x.dtype, x.shape)

    def element(ix, x, diagonal, *, k, out):
        item = diagonal.at(*ix[:-2], ix[-2] - max(-k, 0))
        return (ix[-1] - ix[-2]).equals(k).choice(item, x.at(*ix))

    def gradient(dy, y, x, diagonal, *, k):
        return ops.set_diag(dy, diagonal * 0, k=k), ops.diag_part(dy, k=k)


def _check_diagonal(diagonal, shape) -> None:
    if not is_compatible(diagonal.shape, shape):
        raise ShapeError(
            f"set_diag: a diagonal of shape {show(diagonal.shape)} where {show(shape)} is needed"
        )


@public("linalg.set_diag")
def set_diag(input, diagonal, name=None, k=0):
    """Matrices with diagonal `k` replaced by `diagonal`; the other elements are kept.

    >>> ag.linalg.set_diag([[1, 2], [3, 4]], [8, 9]).numpy().tolist()
    [[8, 2], [3, 9]]

    Raises ShapeError unless `diagonal` has the shape of that diagonal.
    """
    return SetDiag(input, diagonal, k=k, name=name)


@op
class BandPart:
    """Matrices with all elements outside a central band set to 0.

    `num_lower` diagonals below the main one and `num_upper` above it are kept. A negative number
    keeps all of them.

    >>> import allograph as ag
    >>> ag.linalg.band_part([[1, 2], [3, 4]], 0, -1).numpy().tolist()
    [[1, 2], [0, 4]]

    Raises ShapeError for a tensor of fewer than two axes.
    """

    may_raise = has_unknown_shape
    accepts = {"input": NUMBERS | BOOLS, "num_lower": SIGNED, "num_upper": SIGNED}
    public = ("linalg.band_part",)

    def kernel(input, num_lower, num_upper):
        rows, columns = input.shape[-2:]
        over = np.arange(columns) - np.arange(rows)[:, None]
        inside = ((num_lower < 0) | (-over <= num_lower)) & ((num_upper < 0) | (over <= num_upper))
        return np.where(inside, input, input.dtype.type(0))

    def result(input, num_lower, num_upper):
        if input.shape is not None and len(input.shape) < 2:
            raise ShapeError(f"band_part: a tensor of shape {show(input.shape)} is not a matrix")
        return same_as_input(input)

    def element(ix, input, num_lower, num_upper, *, out):
        lower, upper = num_lower.at(), num_upper.at()
        row, column = ix[-2:]
        below = (lower < 0).joined("or", row - column <= lower)
        above = (upper < 0).joined("or", column - row <= upper)
        return below.joined("and", above).choice(input.at(*ix), out.literal(0))

    def gradient(dy, y, input, num_lower, num_upper):
        return ops.band_part(dy, num_lower, num_upper), None, None


@public("linalg.trace")
def trace(x, name=None):
    """The sum of the main diagonal of matrices of shape [..., rows, columns].

    >>> ag.linalg.trace([[1, 2], [3, 4]])
    <ag.Tensor: shape=(), dtype=int32, numpy=5>
    """
    return reduce_sum(DiagPart(convert_to_tensor(x), k=0), axis=-1)
