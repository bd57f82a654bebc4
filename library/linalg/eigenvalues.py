"""Eigenvalues of matrices that are not symmetric, and functions of matrices."""

from __future__ import annotations

import numpy as np

from ... import cast, complex64, complex128, convert_to_tensor, expand_dims, linalg, reshape, shape
from ...extend.errors import InvalidArgumentError
from ...extend.operations import PRECISE, Spec, hidden_op, op, ops, scipy_module, unknown_flops
from ...extend.registration import public
from ...extend.specs import is_complex
from .matrices import by_numpy, square_shape


def _complex(dtype):
    return complex128 if dtype.real_dtype.size == 8 else complex64


@hidden_op
class Eig:
    """Eigenvalues and eigenvectors, which are complex."""

    accepts = PRECISE
    flops = unknown_flops
    analytic = False

    def kernel(input):
        square_shape(input.shape, "eig")
        values, vectors = by_numpy(np.linalg.eig, input, op_name="eig")
        dtype = np.result_type(input.dtype, np.complex64)
        return values.astype(dtype), vectors.astype(dtype)

    def result(input):
        found = square_shape(input.shape, "eig")
        dtype = _complex(input.dtype)
        return Spec(dtype, None if found is None else found[:-1]), Spec(dtype, found)

    def gradient(dy, y, input):
        (dw, dv), (w, v) = dy, y
        gaps = expand_dims(w, -2) - expand_dims(w, -1)
        gaps = linalg.set_diag(gaps, w * 0 + 1)
        adjoint = linalg.adjoint(v)
        slopes = ops.matmul(adjoint, dv)
        along = cast(expand_dims(ops.real(linalg.diag_part(slopes)), -2), v.dtype)
        inner = (slopes - ops.matmul(adjoint, v) * along) / ops.conj(gaps)
        inner = linalg.set_diag(inner, dw)
        whole = ops.matmul(ops.matrix_solve(adjoint, inner), adjoint)
        return [whole if input.dtype.is_complex else ops.real(whole)]


@public("linalg.eig", "eig")
def eig(tensor, name=None):
    """Eigenvalues [..., n] and eigenvectors, as columns [..., n, n], of square matrices.

    The results are complex. Their order is not defined; `linalg.eigh` is for symmetric matrices.

    >>> values, vectors = ag.linalg.eig([[0.0, -1.0], [1.0, 0.0]])
    >>> values.numpy().round(3).tolist()
    [1j, -1j]
    """
    return Eig(tensor, name=name)


@public("linalg.eigvals", "eigvals")
def eigvals(tensor, name=None):
    """Eigenvalues of square matrices, complex, of shape [..., n].

    >>> ag.linalg.eigvals([[2.0, 1.0], [0.0, 3.0]]).numpy().real.tolist()
    [2.0, 3.0]
    """
    return Eig(tensor)[0]


@public("linalg.eigh_tridiagonal")
def eigh_tridiagonal(
    alpha, beta, eigvals_only=True, select="a", select_range=None, tol=None, name=None
):
    """Eigenvalues of the symmetric tridiagonal matrix with these diagonals, in ascending order.

    `alpha` is the diagonal of length n, `beta` the one beside it, of length n - 1. With
    `eigvals_only=False`, the eigenvectors are the second result. `select="i"` keeps the values with
    the indices from `select_range[0]` to `select_range[1]`.

    >>> ag.linalg.eigh_tridiagonal([2.0, 2.0], [1.0]).numpy().round(3)
    array([1., 3.], dtype=float32)

    Raises ValueError for another `select`.
    """
    if select not in ("a", "i"):
        raise ValueError(f"eigh_tridiagonal: select is 'a' or 'i', not {select!r}")
    alpha, beta = convert_to_tensor(alpha), convert_to_tensor(beta)
    beside = linalg.diag(beta, k=1)
    values, vectors = linalg.eigh(linalg.diag(alpha) + beside + linalg.adjoint(beside))
    if select == "i":
        first, last = select_range
        values, vectors = values[..., first : last + 1], vectors[..., first : last + 1]
    return values if eigvals_only else (values, vectors)


# ---- functions of matrices -------------------------------------------------------------------


def _each_by_scipy(name: str, matrices):
    """A function of `scipy.linalg` for each matrix of a batch."""
    square_shape(matrices.shape, name)
    function = getattr(scipy_module("linalg", f"linalg.{name}"), name)
    result = np.empty(matrices.shape, np.result_type(matrices.dtype, np.complex64))
    with np.errstate(all="ignore"):
        for index in np.ndindex(matrices.shape[:-2]):
            result[index] = function(matrices[index])
    return result


@op
class Sqrtm:
    """The principal square root of square matrices of shape [..., n, n].

    >>> ag.linalg.sqrtm([[4.0, 0.0], [0.0, 9.0]]).numpy().round(3).tolist()
    [[2.0, 0.0], [0.0, 3.0]]

    Raises InvalidArgumentError if the root of a real matrix is not real.
    """

    accepts = PRECISE
    flops = unknown_flops
    analytic = False
    public = ("linalg.sqrtm", "matrix_square_root")

    def kernel(input):
        root = _each_by_scipy("sqrtm", input)
        if is_complex(input.dtype):
            return root.astype(input.dtype, copy=False)
        if not np.allclose(root.imag, 0, atol=1e-6):
            raise InvalidArgumentError("sqrtm: the root is not real; cast the matrix to complex64")
        return root.real.astype(input.dtype)

    def result(input):
        return Spec(input.dtype, square_shape(input.shape, "sqrtm"))

    def gradient(dy, y, input):
        """X of `A^H X + X A^H = dy`, as one system of n * n equations."""
        adjoint = linalg.adjoint(y)
        size = shape(adjoint)[-1]
        one = linalg.set_diag(adjoint * 0, linalg.diag_part(adjoint) * 0 + 1)
        system = _kronecker(adjoint, one, size) + _kronecker(
            one, linalg.matrix_transpose(adjoint), size
        )
        column = ops.concat(shape(dy)[:-2], ops.stack(size * size, 1, axis=0), axis=0)
        return [reshape(ops.matrix_solve(system, reshape(dy, column)), shape(dy))]


def _kronecker(a, b, size):
    """The Kronecker products of square matrices of one size."""
    product = expand_dims(expand_dims(a, -2), -1) * expand_dims(expand_dims(b, -2), -4)
    sizes = ops.concat(shape(a)[:-2], ops.stack(size * size, size * size, axis=0), axis=0)
    return reshape(product, sizes)


@op
class Logm:
    """The principal logarithm of complex square matrices of shape [..., n, n].

    >>> matrix = ag.constant([[1.0, 0.0], [0.0, 1.0]], ag.complex64)
    >>> abs(ag.linalg.logm(matrix).numpy()).tolist()
    [[0.0, 0.0], [0.0, 0.0]]
    """

    accepts = {complex64, complex128}
    flops = unknown_flops
    analytic = False
    public = ("linalg.logm",)

    def kernel(input):
        return _each_by_scipy("logm", input).astype(input.dtype, copy=False)

    def result(input):
        return Spec(input.dtype, square_shape(input.shape, "logm"))
