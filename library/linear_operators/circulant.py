"""Circulant operators: convolutions around a circle, which Fourier transforms make diagonal."""

from __future__ import annotations

from ... import (
    as_dtype,
    cast,
    complex64,
    concat,
    convert_to_tensor,
    linalg,
    reduce_mean,
    reduce_prod,
    reduce_sum,
    shape,
)
from ...extend.operations import ops
from ...extend.registration import expose
from ..signal.fourier import fft, ifft
from .operator import LinearOperator, kept


class LinearOperatorCirculant(LinearOperator):
    """A circulant matrix, or a batch, of the Fourier transform [..., n] of its first column.

    `input_output_dtype` is the data type of what it is multiplied by. A real one takes a spectrum
    whose matrix is real.

    >>> spectrum = ag.signal.fft(ag.cast([1.0, 2.0, 3.0], ag.complex64))
    >>> operator = ag.linalg.LinearOperatorCirculant(spectrum, input_output_dtype=ag.float32)
    >>> operator.to_dense().numpy().round(3).tolist()
    [[1.0, 3.0, 2.0], [2.0, 1.0, 3.0], [3.0, 2.0, 1.0]]
    """

    def __init__(self, spectrum, input_output_dtype=complex64, is_non_singular=None,
                 is_self_adjoint=None, is_positive_definite=None, is_square=True,
                 name=None):  # fmt: skip
        self._spectrum = kept(spectrum)
        if is_self_adjoint is None and not self._spectrum.dtype.is_complex:
            is_self_adjoint = True
        super().__init__(as_dtype(input_output_dtype), None, is_non_singular, is_self_adjoint,
                         is_positive_definite, is_square, name)  # fmt: skip

    @property
    def spectrum(self):
        return self._spectrum

    @property
    def block_depth(self):
        return 1

    def _values(self):
        """The eigenvalues, complex."""
        found = convert_to_tensor(self._spectrum)
        return cast(found, "complex128" if found.dtype.size in (8, 16) and found.dtype.name in (
            "float64", "complex128") else "complex64")  # fmt: skip

    def _shape(self):
        dims = convert_to_tensor(self._spectrum).dims
        return (*dims, dims[-1])

    def _shape_tensor(self):
        whole = shape(convert_to_tensor(self._spectrum))
        return concat([whole, whole[-1:]], 0)

    def convolution_kernel(self, name=None):
        """The first column of the matrix."""
        return self._as_output(ifft(self._values()))

    def _as_output(self, x):
        return cast(x if self.dtype.is_complex else ops.real(x), self.dtype)

    def _filtered(self, x, factors):
        values = self._values()
        rows = fft(cast(linalg.matrix_transpose(x), values.dtype))
        return self._as_output(linalg.matrix_transpose(ifft(rows * factors[..., None, :])))

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        values = self._values()
        x = linalg.adjoint(x) if adjoint_arg else x
        return self._filtered(x, ops.conj(values) if adjoint else values)

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        values = self._values()
        rhs = linalg.adjoint(rhs) if adjoint_arg else rhs
        return self._filtered(rhs, 1 / (ops.conj(values) if adjoint else values))

    def _diag_part(self):
        values = self._values()
        mean = self._as_output(reduce_mean(values, -1, keepdims=True))
        return self._as_output(values * 0) + mean

    def _determinant(self):
        return self._as_output(reduce_prod(self._values(), -1))

    def _log_abs_determinant(self):
        return cast(reduce_sum(ops.log(ops.abs(self._values())), -1), self.dtype)

    def _eigvals(self):
        return convert_to_tensor(self._spectrum)

    def _inverse(self):
        return LinearOperatorCirculant(1 / convert_to_tensor(self._spectrum), self.dtype,
                                       is_self_adjoint=self.is_self_adjoint)  # fmt: skip

    def _adjoint(self):
        return LinearOperatorCirculant(ops.conj(self._values()), self.dtype,
                                       is_non_singular=self.is_non_singular)  # fmt: skip

    def composed(self, right):
        if isinstance(right, LinearOperatorCirculant) and right.dtype is self.dtype:
            return LinearOperatorCirculant(self._values() * right._values(), self.dtype)
        return super().composed(right)


expose(LinearOperatorCirculant, "linalg.LinearOperatorCirculant")
