"""Functions of `keras.ops` about matrices, transforms and special functions."""

from __future__ import annotations

import numpy as np

from .... import int32
from ....extend.operations import ag
from .operations import operation, operations
from .promotion import as_operand, common_dtype, floating, operands

linalg, special = operations("linalg"), operations("")


@linalg
def cholesky(x, upper=False):
    """The lower triangular L with `L @ L.T == x`, or its transpose."""
    found = ag.linalg.cholesky(as_operand(x))
    return ag.linalg.matrix_transpose(found) if upper else found


@linalg
def cholesky_inverse(x, upper=False):
    """The inverse of the matrix whose Cholesky factor is `x`."""
    factor = ag.linalg.matrix_transpose(as_operand(x)) if upper else as_operand(x)
    ones = ag.eye(factor.dims[-1], dtype=factor.dtype)
    return ag.linalg.cholesky_solve(factor, ag.broadcast_to(ones, ag.shape(factor)))


@linalg
def det(x):
    """The determinant."""
    return ag.linalg.det(as_operand(x))


@linalg
def inv(x):
    """The inverse."""
    return ag.linalg.inv(as_operand(x))


@linalg
def pinv(x, rcond=None):
    """The pseudo-inverse."""
    return ag.linalg.pinv(as_operand(x), rcond)


@linalg
def matrix_rank(x, tol=None):
    """The number of singular values above a tolerance."""
    return ag.linalg.matrix_rank(as_operand(x), tol)


@linalg
def eig(x):
    """The eigenvalues and the eigenvectors."""
    return tuple(ag.linalg.eig(as_operand(x)))


@linalg
def eigh(x):
    """The eigenvalues and the eigenvectors of a symmetric matrix."""
    return tuple(ag.linalg.eigh(as_operand(x)))


@linalg
def lu_factor(x):
    """The LU factors in one matrix, and the pivots."""
    x = as_operand(x)
    factors, places = ag.linalg.lu(x)
    return factors, places


@linalg
def qr(x, mode="reduced"):
    """Q and R with `Q @ R == x`."""
    if mode not in ("reduced", "complete"):
        raise ValueError(f"qr: mode is 'reduced' or 'complete', not {mode!r}")
    return tuple(ag.linalg.qr(as_operand(x), full_matrices=mode == "complete"))


@linalg
def svd(x, full_matrices=True, compute_uv=True):
    """The singular value decomposition: U, the values, and the conjugate transpose of V."""
    if not compute_uv:
        return ag.linalg.svd(as_operand(x), full_matrices, compute_uv=False)
    values, u, v = ag.linalg.svd(as_operand(x), full_matrices)
    return u, values, ag.linalg.adjoint(v)


@linalg
def solve(a, b):
    """The solution of `a @ x = b`; `b` is a vector or a matrix.

    >>> ag.keras.ops.solve([[2.0, 0.0], [0.0, 4.0]], [2.0, 4.0]).numpy()
    array([1., 1.], dtype=float32)
    """
    a, b = operands(a, b)
    if b.ndim == a.ndim - 1:
        return ag.linalg.solve(a, b[..., None])[..., 0]
    return ag.linalg.solve(a, b)


@linalg
def solve_triangular(a, b, lower=False):
    """The solution of `a @ x = b` for a triangular matrix."""
    a, b = operands(a, b)
    if b.ndim == a.ndim - 1:
        return ag.linalg.triangular_solve(a, b[..., None], lower=lower)[..., 0]
    return ag.linalg.triangular_solve(a, b, lower=lower)


@linalg
def lstsq(a, b, rcond=None):
    """The x with the least norm of `a @ x - b`, and of x among these."""
    a, b = operands(a, b)
    cutoff = rcond if rcond is None or rcond > 0 else None
    x = ag.linalg.pinv(a, cutoff) @ (b[:, None] if b.ndim == 1 else b)
    return x[:, 0] if b.ndim == 1 else x


@linalg
def norm(x, ord=None, axis=None, keepdims=False):
    """The norm of vectors or matrices, as NumPy counts them."""
    x = as_operand(x, floating(common_dtype(x)))
    return ag.experimental.numpy.linalg.norm(x, ord, axis, keepdims)


@linalg
def jvp(fun, primals, tangents, has_aux=False):
    """The results of a function, and their derivatives along tangents.

    >>> y, dy = ag.keras.ops.jvp(lambda x: x * x, [ag.constant(3.0)], [ag.constant(1.0)])
    >>> float(y), float(dy)
    (9.0, 6.0)
    """
    primals, tangents = [as_operand(x) for x in primals], [as_operand(x) for x in tangents]
    with ag.autodiff.ForwardAccumulator(primals, tangents) as accumulator:
        found = fun(*primals)
    result, *rest = found if has_aux else (found,)
    return (result, accumulator.jvp(result), *rest)


@special
def slogdet(x):
    """The sign and the logarithm of the absolute value of the determinant."""
    return tuple(ag.linalg.slogdet(as_operand(x)))


@special
def logdet(x):
    """The logarithm of the determinant of a positive definite matrix."""
    return ag.linalg.logdet(as_operand(x))


@special
def cdist(x, y):
    """The distances of all pairs of rows."""
    x, y = operands(x, y)
    return ag.norm(x[..., :, None, :] - y[..., None, :, :], axis=-1)


for _name in ("erf", "erfc", "erfinv", "rsqrt"):
    operation(getattr(ag.math, _name), _name)


@special
def logsumexp(x, axis=None, keepdims=False):
    """The logarithm of the sum of exponentials."""
    return ag.reduce_logsumexp(as_operand(x), axis, keepdims)


@special
def top_k(x, k, sorted=True):
    """The k largest elements of the last axis, and their indices."""
    return ag.math.top_k(as_operand(x), k, sorted)


@special
def in_top_k(targets, predictions, k):
    """Whether each target is among the k largest predictions."""
    return ag.math.in_top_k(as_operand(targets), as_operand(predictions), k)


def _segments(name: str):
    def reduce(data, segment_ids, num_segments=None, sorted=False):
        x, ids = as_operand(data), as_operand(segment_ids, int32)
        count = ag.reduce_max(ids) + 1 if num_segments is None else num_segments
        return getattr(ag.math, f"unsorted_segment_{name}")(x, ids, count)

    reduce.__name__ = f"segment_{name}"
    reduce.__doc__ = f"The {name} of the rows of each segment."
    operation(reduce)


for _name in ("sum", "max", "min", "prod"):
    _segments(_name)


# ---- transforms ------------------------------------------------------------------------------


def _parts(x) -> tuple:
    return ag.math.real(x), ag.math.imag(x)


def _complex(x):
    real, imaginary = operands(*x)
    return ag.complex(real, imaginary)


@special
def fft(x):
    """The Fourier transform of (real, imaginary) parts along the last axis."""
    return _parts(ag.signal.fft(_complex(x)))


@special
def fft2(x):
    """The Fourier transform of (real, imaginary) parts along the last two axes."""
    return _parts(ag.signal.fft2d(_complex(x)))


@special
def ifft2(x):
    """The inverse of `fft2`."""
    return _parts(ag.signal.ifft2d(_complex(x)))


@special
def rfft(x, fft_length=None):
    """The (real, imaginary) parts of the Fourier transform of real numbers."""
    return _parts(ag.signal.rfft(as_operand(x), None if fft_length is None else [fft_length]))


@special
def irfft(x, fft_length=None):
    """The inverse of `rfft`."""
    return ag.signal.irfft(_complex(x), None if fft_length is None else [fft_length])


@special
def extract_sequences(x, sequence_length, sequence_stride):
    """Windows of the last axis, as rows.

    >>> ag.keras.ops.extract_sequences([1, 2, 3, 4], 2, 1).numpy().tolist()
    [[1, 2], [2, 3], [3, 4]]
    """
    return ag.signal.frame(as_operand(x), sequence_length, sequence_stride)


@special
def view_as_complex(x):
    """Pairs along the last axis as complex numbers."""
    x = as_operand(x)
    dtype = x.dtype if x.dtype.is_floating else floating(x.dtype)
    x = as_operand(x, dtype)
    return ag.complex(x[..., 0], x[..., 1])


@special
def view_as_real(x):
    """Complex numbers as pairs along a new last axis."""
    x = as_operand(x)
    return ag.stack([ag.math.real(x), ag.math.imag(x)], -1)


def _window(window, sequence_length: int, fft_length: int, dtype):
    """The weights of a window, in the middle of `fft_length` numbers."""
    if window is None:
        weights = np.ones(sequence_length)
    elif isinstance(window, str):
        names = {"hann": np.hanning, "hamming": np.hamming}
        if window not in names:
            raise ValueError(f"a window is 'hann', 'hamming', None or weights, not {window!r}")
        weights = names[window](sequence_length + 1)[:-1]  # periodic
    else:
        weights = np.asarray(window)
    before = (fft_length - sequence_length) // 2
    return np.pad(weights, (before, fft_length - sequence_length - before)).astype(dtype.name)


@special
def stft(x, sequence_length, sequence_stride, fft_length, window="hann", center=True):
    """The (real, imaginary) parts of the spectra of windows of a signal."""
    x = as_operand(x)
    weights = _window(window, sequence_length, fft_length, x.dtype)
    if center:
        half = [[0, 0]] * (x.ndim - 1) + [[fft_length // 2] * 2]
        x = ag.pad(x, half, mode="REFLECT")
    rows = ag.signal.frame(x, fft_length, sequence_stride)
    return _parts(ag.signal.rfft(rows * weights, [fft_length]))


@special
def istft(x, sequence_length, sequence_stride, fft_length, length=None, window="hann", center=True):
    """The signal whose windows have these spectra: the inverse of `stft`."""
    spectra = _complex(x)
    rows = ag.signal.irfft(spectra, [fft_length])
    weights = _window(window, sequence_length, fft_length, rows.dtype)
    signal = ag.signal.overlap_and_add(rows * weights, sequence_stride)
    energy = ag.broadcast_to(weights**2, ag.shape(rows))
    signal = ag.math.divide_no_nan(signal, ag.signal.overlap_and_add(energy, sequence_stride))
    start = fft_length // 2 if center else 0
    if length is not None:
        return signal[..., start : start + length]
    return signal[..., start : ag.shape(signal)[-1] - start]
