"""Fourier transforms of `numpy.fft`, with the operations of `ag.signal`."""

from __future__ import annotations

import numpy as np

from ...extend.errors import UnimplementedError
from ...extend.operations import ag, axes_of, axis_of, floating, rank_of, sizes_of, traces

# The exponent of the size that a transform is divided by, forward and back.
NORMS = {None: (0.0, 1.0), "backward": (0.0, 1.0), "ortho": (0.5, 0.5), "forward": (1.0, 0.0)}
OPPOSITE = {None: "forward", "backward": "forward", "ortho": "ortho", "forward": "backward"}


def _precise(value):
    x = floating(value)
    if x.dtype.size == 2:
        raise UnimplementedError("a transform of halves")
    return x


def _complex(value):
    x = _precise(value)
    wide = x.dtype.name in ("float64", "complex128")
    return x if x.dtype.is_complex else ag.cast(x, "complex128" if wide else "complex64")


def _of_size(x, axis: int, n):
    """An array that is cut, or padded with zeros, to a size along an axis."""
    if n is None or x.dims[axis] == n:
        return x
    kept = x[(slice(None),) * axis + (slice(0, n),)]
    missing = ag.maximum(n - sizes_of(kept)[axis], 0)
    return ag.pad(kept, [[0, missing if at == axis else 0] for at in range(rank_of(x))])


def _along(function, x, axis: int, power: float, size=None):
    """A function of the last axis, applied to another; over the size to a power."""
    rank = rank_of(x)
    order = [other for other in range(rank) if other != axis]
    moved = function(x if axis == rank - 1 else ag.transpose(x, [*order, axis]))
    size = sizes_of(moved)[-1] if size is None else size
    if power:
        moved = _scaled(moved, ag.cast(size, _real(moved.dtype)) ** -power)
    back = [*range(axis), rank - 1, *range(axis, rank - 1)]
    return moved if axis == rank - 1 else ag.transpose(moved, back)


def _scaled(x, scale):
    """The array times a real number. Both parts keep the signs of their zeros, as in NumPy."""
    if not x.dtype.is_complex:
        return x * scale
    return ag.complex(ag.math.real(x) * scale, ag.math.imag(x) * scale)


def _real(dtype) -> str:
    return "float64" if dtype.name in ("float64", "complex128") else "float32"


def _forward(x, n, axis: int, norm):
    return _along(ag.signal.fft, _of_size(x, axis, n), axis, NORMS[norm][0])


def _inverse(x, n, axis: int, norm):
    # `signal.ifft` divides by the size: the rest of the exponent is left.
    return _along(ag.signal.ifft, _of_size(x, axis, n), axis, NORMS[norm][1] - 1.0)


def _real_forward(x, n, axis: int, norm):
    x = _of_size(x, axis, n)
    return _along(ag.signal.rfft, x, axis, NORMS[norm][0], sizes_of(x)[axis])


def _real_inverse(x, n, axis: int, norm):
    if n is not None:
        x = _of_size(x, axis, n // 2 + 1)

    def transform(moved):
        return ag.signal.irfft(moved, fft_length=None if n is None else [n])

    return _along(transform, x, axis, NORMS[norm][1] - 1.0)


def _of_one_axis(function, prepared, transform):
    """Register a transform along one axis of what is `prepared` for it."""

    def implementation(a, n=None, axis=-1, norm=None, out=None):
        x = prepared(a)
        return transform(x, n, axis_of(axis, rank_of(x)), norm)

    return traces(function)(implementation)


_of_one_axis(np.fft.fft, _complex, _forward)
_of_one_axis(np.fft.ifft, _complex, _inverse)
rfft = _of_one_axis(np.fft.rfft, _precise, _real_forward)
irfft = _of_one_axis(np.fft.irfft, _complex, _real_inverse)


@traces(np.fft.hfft)
def hfft(a, n=None, axis=-1, norm=None, out=None):
    return irfft(ag.math.conj(_complex(a)), n, axis, OPPOSITE[norm])


@traces(np.fft.ihfft)
def ihfft(a, n=None, axis=-1, norm=None, out=None):
    return ag.math.conj(rfft(a, n, axis, OPPOSITE[norm]))


def _sizes_and_axes(x, s, axes) -> list[tuple]:
    """The axes of a transform of several, each with the size that is wanted, or None."""
    if axes is None:
        axes = range(rank_of(x)) if s is None else range(-len(s), 0)
    known = axes_of(tuple(axes), rank_of(x))
    return list(zip(known, s or [None] * len(known), strict=True))


def _of_axes(function, transform):
    """Register a transform along several axes, one after the other."""

    def implementation(a, s=None, axes=None, norm=None, out=None):
        x = _complex(a)
        for axis, n in _sizes_and_axes(x, s, axes):
            x = transform(x, n, axis, norm)
        return x

    traces(function)(implementation)


_of_axes(np.fft.fftn, _forward)
_of_axes(np.fft.ifftn, _inverse)


@traces(np.fft.rfftn)
def rfftn(a, s=None, axes=None, norm=None, out=None):
    x = _precise(a)
    *others, (last, n) = _sizes_and_axes(x, s, axes)
    x = _real_forward(x, n, last, norm)
    for axis, size in others:
        x = _forward(x, size, axis, norm)
    return x


@traces(np.fft.irfftn)
def irfftn(a, s=None, axes=None, norm=None, out=None):
    x = _complex(a)
    *others, (last, n) = _sizes_and_axes(x, s, axes)
    for axis, size in others:
        x = _inverse(x, size, axis, norm)
    return _real_inverse(x, n, last, norm)


traces(np.fft.fftshift)(lambda x, axes=None: ag.signal.fftshift(x, axes))
traces(np.fft.ifftshift)(lambda x, axes=None: ag.signal.ifftshift(x, axes))
