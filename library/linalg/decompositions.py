"""Matrix decompositions: QR, singular values, eigenvalues; and functions built on them.

Leading axes are batches.
"""

from __future__ import annotations

import math

import numpy as np

from ... import (
    cast,
    convert_to_tensor,
    expand_dims,
    linalg,
    reduce_max,
    reduce_sum,
    reshape,
    split,
)
from ...extend.errors import InvalidArgumentError, ShapeError
from ...extend.operations import PRECISE, Spec, hidden_op, op, ops, through, unknown_flops
from ...extend.registration import public
from ...extend.specs import show
from .diagonals import diag, diag_part
from .matrices import adjoint_of, by_numpy, square_shape, triangle


@hidden_op
class Qr:
    """The QR decomposition: orthonormal columns and an upper triangular matrix."""

    accepts = PRECISE
    flops = unknown_flops
    analytic = False

    def kernel(input, *, full_matrices):
        _matrix(input.shape, "qr")
        return tuple(np.linalg.qr(input, "complete" if full_matrices else "reduced"))

    def result(input, *, full_matrices):
        shape = _matrix(input.shape, "qr")
        if shape is None:
            return Spec(input.dtype, None), Spec(input.dtype, None)
        *batch, rows, columns = shape
        inner = rows if full_matrices else _smaller(rows, columns)
        return (
            Spec(input.dtype, (*batch, rows, inner)),
            Spec(input.dtype, (*batch, inner, columns)),
        )

    def gradient(dy, y, input, *, full_matrices):
        (dq, dr), (q, r) = dy, y
        if r.dims is None or r.dims[-1] != r.dims[-2]:
            raise InvalidArgumentError("qr: there is a gradient for reduced, tall matrices only")
        m = ops.matmul(r, adjoint_of(dr)) - ops.matmul(adjoint_of(dq), q)
        below = triangle(m, True)
        lower = below - diag(diag_part(m))
        both = dq + ops.matmul(q, below + adjoint_of(lower))
        return [adjoint_of(ops.triangular_solve(r, adjoint_of(both), lower=False))]


def _matrix(shape, op_name: str):
    if shape is not None and len(shape) < 2:
        raise ShapeError(f"{op_name}: {show(shape)} is not the shape of a matrix")
    return shape


def _smaller(rows, columns):
    return None if None in (rows, columns) else min(rows, columns)


@public("linalg.qr")
def qr(input, full_matrices=False, name=None):
    """The QR decomposition of matrices of shape [..., m, n].

    Returns `q` with orthonormal columns, [..., m, k], and the upper triangular `r`, [..., k, n],
    with `q @ r` equal to `input`. k is min(m, n), or m with `full_matrices=True`. The dtype is
    float32, float64, complex64 or complex128.

    >>> q, r = ag.linalg.qr([[3.0], [4.0]])
    >>> abs(q.numpy()).round(1).tolist(), abs(r.numpy()).round(1).tolist()
    ([[0.6...], [0.8...]], [[5.0]])
    """
    return Qr(input, full_matrices=full_matrices, name=name)


@hidden_op
class Svd:
    """Singular values, largest first, and the left and right singular vectors as columns."""

    accepts = PRECISE
    flops = unknown_flops
    analytic = False

    def kernel(input, *, full_matrices):
        _matrix(input.shape, "svd")
        u, s, vh = by_numpy(np.linalg.svd, input, full_matrices=full_matrices, op_name="svd")
        return s, u, np.swapaxes(vh, -1, -2).conj()

    def result(input, *, full_matrices):
        real = input.dtype.real_dtype
        shape = _matrix(input.shape, "svd")
        if shape is None:
            return Spec(real, None), Spec(input.dtype, None), Spec(input.dtype, None)
        *batch, rows, columns = shape
        least = _smaller(rows, columns)
        return (
            Spec(real, (*batch, least)),
            Spec(input.dtype, (*batch, rows, rows if full_matrices else least)),
            Spec(input.dtype, (*batch, columns, columns if full_matrices else least)),
        )

    def gradient(dy, y, input, *, full_matrices):
        if full_matrices or input.dtype.is_complex:
            raise InvalidArgumentError("svd: there is a gradient for real, reduced forms only")
        (ds, du, dv), (s, u, v) = dy, y
        inverse_gaps = _inverse_gaps(s * s)
        inner = diag(ds) + _skewed(ops.matmul(adjoint_of(u), du), inverse_gaps, s, True)
        inner = inner + _skewed(ops.matmul(adjoint_of(v), dv), inverse_gaps, s, False)
        cotangent = ops.matmul(ops.matmul(u, inner), adjoint_of(v))
        scale = expand_dims(ops.reciprocal(s), -2)
        cotangent = cotangent + _outside_span(u, through(du, scale), adjoint_of(v))
        beyond = _outside_span(v, through(dv, scale), adjoint_of(u))
        return [cotangent + adjoint_of(beyond)]


def _inverse_gaps(values):
    """1 / (values[j] - values[i]) at row i and column j, 0 on the diagonal and where equal."""
    gaps = expand_dims(values, -2) - expand_dims(values, -1)
    same = gaps == 0
    safe = ops.select(same, cast(1, values.dtype), gaps)
    return ops.select(same, cast(0, values.dtype), 1 / safe)


def _skewed(x, inverse_gaps, s, times_columns: bool):
    """The component of the cotangent of singular vectors within their span."""
    skew = (x - adjoint_of(x)) * inverse_gaps
    return skew * expand_dims(s, -2) if times_columns else expand_dims(s, -1) * skew


def _outside_span(u, du, vt):
    """The component of the cotangent of singular vectors outside their span."""
    rest = du - ops.matmul(u, ops.matmul(adjoint_of(u), du))
    return ops.matmul(rest, vt)


@public("linalg.svd")
def svd(tensor, full_matrices=False, compute_uv=True, name=None):
    """The singular value decomposition of matrices of shape [..., m, n].

    Returns `s`, `u` and `v`, with k = min(m, n): the real singular values in descending order,
    [..., k], and the left and right singular vectors as columns, [..., m, k] and [..., n, k]. With
    `full_matrices=True`, `u` and `v` are square. With `compute_uv=False` only `s` is returned.

    >>> s, u, v = ag.linalg.svd([[3.0, 0.0], [0.0, -2.0]])
    >>> s.numpy()
    array([3., 2.], dtype=float32)
    >>> np.allclose(u @ ag.linalg.diag(s) @ ag.transpose(v), [[3, 0], [0, -2]])
    True
    """
    results = Svd(tensor, full_matrices=full_matrices)
    return results if compute_uv else results[0]


@hidden_op
class Eigh:
    """Eigenvalues of a symmetric matrix, smallest first, and the eigenvectors as columns."""

    accepts = PRECISE
    flops = unknown_flops
    analytic = False

    def kernel(input):
        square_shape(input.shape, "eigh")
        values, vectors = by_numpy(np.linalg.eigh, input, op_name="eigh")
        return values.astype(input.dtype), vectors

    def result(input):
        shape = square_shape(input.shape, "eigh")
        values = None if shape is None else shape[:-1]
        return Spec(input.dtype, values), Spec(input.dtype, shape)

    def gradient(dy, y, input):
        (dw, dv), (w, v) = dy, y
        inner = diag(dw) + ops.matmul(adjoint_of(v), dv) * _inverse_gaps(w)
        cotangent = ops.matmul(ops.matmul(v, inner), adjoint_of(v))
        return [(cotangent + adjoint_of(cotangent)) / 2]


@public("linalg.eigh")
def eigh(tensor, name=None):
    """Eigenvalues and eigenvectors of symmetric or Hermitian matrices of shape [..., n, n].

    Returns the eigenvalues in ascending order, [..., n], and the eigenvectors as columns,
    [..., n, n].

    >>> values, vectors = ag.linalg.eigh([[2.0, 0.0], [0.0, 1.0]])
    >>> values.numpy()
    array([1., 2.], dtype=float32)
    """
    return Eigh(tensor, name=name)


@public("linalg.eigvalsh")
def eigvalsh(tensor, name=None):
    """Eigenvalues of symmetric or Hermitian matrices of shape [..., n, n], in ascending order.

    >>> ag.linalg.eigvalsh([[2.0, 0.0], [0.0, 1.0]]).numpy()
    array([1., 2.], dtype=float32)
    """
    return Eigh(tensor)[0]


# ---- functions built on decompositions -------------------------------------------------------


@public("linalg.pinv")
def pinv(a, rcond=None, name=None):
    """The Moore-Penrose pseudo-inverse of matrices of shape [..., m, n], of shape [..., n, m].

    Singular values up to `rcond` times the largest are treated as 0. The default of `rcond` is
    10 * max(m, n) times the machine epsilon.

    >>> ag.linalg.pinv([[2.0, 0.0], [0.0, 0.0]]).numpy().round(3) + 0.0
    array([[0.5, 0. ],
           [0. , 0. ]], dtype=float32)
    """
    s, u, v = svd(a)
    if rcond is None:
        rcond = 10.0 * max(u.dims[-2], v.dims[-2]) * np.finfo(s.dtype.numpy_dtype).eps
    small = s <= rcond * reduce_max(s, -1, True)
    one = cast(1, s.dtype)
    inverse = ops.select(small, cast(0, s.dtype), 1 / ops.select(small, one, s))
    return ops.matmul(v * cast(expand_dims(inverse, -2), v.dtype), adjoint_of(u))


@public("linalg.matrix_rank")
def matrix_rank(a, tol=None, name=None):
    """The rank of matrices of shape [..., m, n], as int32 of shape [...].

    It is the number of singular values above `tol`, by default the rounding error of the largest.

    >>> int(ag.linalg.matrix_rank([[1.0, 1.0], [1.0, 1.0]]))
    1
    """
    s, u, v = svd(a)
    if tol is None:
        eps = np.finfo(s.dtype.numpy_dtype).eps
        tol = eps * max(u.dims[-2], v.dims[-2]) * reduce_max(s, -1, True)
    return reduce_sum(cast(s > tol, "int32"), -1)


@public("linalg.cross")
def cross(a, b, name=None):
    """The cross product of vectors of length 3 along the last axis.

    >>> ag.linalg.cross([1, 0, 0], [0, 1, 0]).numpy()
    array([0, 0, 1], dtype=int32)
    """
    a = convert_to_tensor(a)
    b = convert_to_tensor(b, dtype_hint=a.dtype)
    forward, backward = [1, 2, 0], [2, 0, 1]
    return _components(a, forward) * _components(b, backward) - _components(
        a, backward
    ) * _components(b, forward)


def _components(x, order):
    return ops.stack(*(x[..., index] for index in order), axis=-1)


@public("linalg.normalize")
def normalize(tensor, ord="euclidean", axis=None, name=None):
    """`tensor` divided by its norm along `axis` (None: of all elements), and that norm.

    `ord` is an order of `ag.norm`. The norm keeps the reduced axes with size 1.

    >>> unit, length = ag.linalg.normalize([3.0, 4.0])
    >>> unit.numpy().round(3), length.numpy()
    (array([0.6, 0.8], dtype=float32), array([5.], dtype=float32))
    """
    tensor = convert_to_tensor(tensor)
    length = linalg.norm(tensor, ord, axis, keepdims=True)
    return tensor / cast(length, tensor.dtype), length


@op
class Expm:
    """The matrix exponential of square matrices of shape [..., n, n].

    >>> ag.linalg.expm([[0.0, 1.0], [0.0, 0.0]]).numpy()
    array([[1., 1.],
           [0., 1.]], dtype=float32)
    """

    accepts = PRECISE
    flops = unknown_flops
    analytic = False
    public = ("linalg.expm",)

    def kernel(input):
        """Scaling and squaring: the Taylor series of the scaled matrix, squared repeatedly."""
        square_shape(input.shape, "expm")
        matrix = input.astype(np.result_type(input.dtype, np.float64))
        size = np.abs(matrix).sum(-2).max(initial=0.0)
        halvings = max(0, math.ceil(math.log2(size)) + 1) if np.isfinite(size) and size else 0
        matrix = matrix / 2.0**halvings
        power = total = np.broadcast_to(np.eye(matrix.shape[-1]), matrix.shape)
        for order in range(1, 19):  # the rest is below 0.5 ** 19 / 19!
            power = power @ matrix / order
            total = total + power
        for _ in range(halvings):
            total = total @ total
        return total.astype(input.dtype)

    def result(input):
        return Spec(input.dtype, square_shape(input.shape, "expm"))

    def gradient(dy, y, input):
        """The upper right block of the exponential of [[A, dy], [0, A]] (Van Loan, 1978)."""
        adjoint, zero = adjoint_of(input), dy * 0
        rows = [ops.concat(adjoint, dy, axis=-1), ops.concat(zero, adjoint, axis=-1)]
        whole = ops.expm(ops.concat(*rows, axis=-2))
        upper = split(whole, 2, -2)[0]
        return [split(upper, 2, -1)[1]]


@public("linalg.tensor_diag")
def tensor_diag(diagonal, name=None):
    """A tensor of shape [*s, *s] with `diagonal`, of shape s, on its diagonal; zeros elsewhere.

    >>> ag.linalg.tensor_diag([1, 2]).numpy()
    array([[1, 0],
           [0, 2]], dtype=int32)
    """
    diagonal = convert_to_tensor(diagonal)
    sizes = diagonal.dims
    return reshape(diag(reshape(diagonal, [-1])), [*sizes, *sizes])


@public("linalg.tensor_diag_part")
def tensor_diag_part(input, name=None):
    """The diagonal, of shape s, of a tensor of shape [*s, *s].

    >>> ag.linalg.tensor_diag_part([[1, 2], [3, 4]]).numpy()
    array([1, 4], dtype=int32)
    """
    x = convert_to_tensor(input)
    half = x.dims[: len(x.dims) // 2]
    count = math.prod(half)
    return reshape(diag_part(reshape(x, [count, count])), list(half))
