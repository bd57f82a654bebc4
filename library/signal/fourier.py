"""Fourier transforms over the last axes, computed by NumPy."""

from __future__ import annotations

import math

import numpy as np

from ... import (
    cast,
    complex64,
    complex128,
    convert_to_tensor,
    float32,
    float64,
    get_static_value,
    pad,
    roll,
    shape,
)
from ...extend.errors import ShapeError
from ...extend.operations import Spec, hidden_op, normal_axis, ops, unknown_flops
from ...extend.registration import expose, public
from ...extend.specs import show

COMPLEX_OF = {float32: complex64, float64: complex128}


def _checked(dims, axes, name: str):
    """The dimensions, if these axes exist. Raises ShapeError otherwise."""
    if dims is not None and len(dims) < -min(axes, default=0):
        raise ShapeError(f"{name}: {show(dims)} has fewer than {-min(axes)} axes")
    return dims


def _with_last(dims, axis: int, size):
    if dims is None:
        return None
    axis += len(dims)
    return (*dims[:axis], size, *dims[axis + 1 :])


@hidden_op
class FourierTransform:
    """The discrete Fourier transform over `axes`, which count from the end."""

    accepts = {complex64, complex128}
    flops = unknown_flops
    analytic = False

    def kernel(x, *, axes, inverse: bool):
        _checked(x.shape, axes, "fft")
        return (np.fft.ifftn if inverse else np.fft.fftn)(x, axes=axes)

    def result(x, *, axes, inverse):
        return Spec(x.dtype, _checked(x.shape, axes, "fft"))

    def gradient(dy, y, x, *, axes, inverse):
        count = _count(dy, axes)
        slope = FourierTransform(dy, axes=axes, inverse=not inverse)
        return [slope / count if inverse else slope * count]


def _count(x, axes):
    """How many elements a transform sums, in the dtype of `x`."""
    sizes = shape(x)
    return cast(math.prod(sizes[axis] for axis in axes), x.dtype)


@hidden_op
class RealFourierTransform:
    """The first half of the Fourier transform of real numbers: the other half is its conjugate."""

    accepts = {float32, float64}
    flops = unknown_flops
    analytic = False

    def kernel(x, *, axes):
        _checked(x.shape, axes, "rfft")
        return np.fft.rfftn(x, axes=axes)

    def result(x, *, axes):
        dims = _checked(x.shape, axes, "rfft")
        size = None if dims is None or dims[axes[-1]] is None else dims[axes[-1]] // 2 + 1
        return Spec(COMPLEX_OF[x.dtype], _with_last(dims, axes[-1], size))

    def gradient(dy, y, x, *, axes):
        missing = shape(x)[axes[-1]] - shape(dy)[axes[-1]]
        whole = _padded(dy, axes[-1], missing)
        slope = FourierTransform(whole, axes=axes, inverse=True)
        return [ops.real(slope * _count(slope, axes))]


def _padded(x, axis: int, count):
    """With zeros at the end of an axis that counts from the end."""
    rank = len(x.dims)
    return pad(x, [[0, count if at == axis + rank else 0] for at in range(rank)])


@hidden_op
class InverseRealFourierTransform:
    """Real numbers of which `x` is the real Fourier transform; `size` is that of the last axis."""

    accepts = {complex64, complex128}
    flops = unknown_flops
    analytic = False

    def kernel(x, *, axes, size: int):
        sizes = [x.shape[axis] for axis in axes[:-1]]
        return np.fft.irfftn(x, [*sizes, size], axes)

    def result(x, *, axes, size):
        dims = _checked(x.shape, axes, "irfft")
        return Spec(x.dtype.real_dtype, _with_last(dims, axes[-1], size))

    def gradient(dy, y, x, *, axes, size):
        once = np.full(size // 2 + 1, 2.0)
        once[0] = 1.0
        if size % 2 == 0:
            once[-1] = 1.0
        weights = np.reshape(once, (-1, *[1] * (-axes[-1] - 1)))
        slope = RealFourierTransform(dy, axes=axes)
        return [slope * cast(weights, slope.dtype) / _count(cast(dy, slope.dtype), axes)]


def cropped_or_padded(x, axis: int, size):
    """The first `size` elements along an axis, followed by zeros where there are fewer."""
    have = x.dims[axis]
    if size is None or have == size:
        return x
    if have is None:
        x = _padded(x, axis, size)
    elif have < size:
        return _padded(x, axis, size - have)
    return x[(..., slice(size), *[slice(None)] * (-axis - 1))]


def _sizes(lengths, count: int, name: str) -> list:
    """The sizes of `fft_length` as integers, which the shape of the result needs."""
    if lengths is None:
        return [None] * count
    known = lengths if isinstance(lengths, (list, tuple)) else get_static_value(lengths)
    if known is None:
        raise ValueError(f"{name}: fft_length depends on a tensor; make it a Python number")
    sizes = [int(one) for one in np.atleast_1d(known)]
    if len(sizes) != count:
        raise ShapeError(f"{name}: fft_length has {len(sizes)} sizes for {count} axes")
    return sizes


def real_transform(x, axes, lengths=None, name="rfft"):
    """The Fourier transform of a real tensor over `axes`, which are cut or padded to `lengths`."""
    x = convert_to_tensor(x)
    for axis, size in zip(axes, _sizes(lengths, len(axes), name), strict=True):
        x = cropped_or_padded(x, axis, size)
    return RealFourierTransform(x, axes=tuple(axes))


def inverse_real_transform(x, axes, lengths=None, name="irfft"):
    """The inverse of `real_transform`, for a result of the sizes `lengths`."""
    x = convert_to_tensor(x)
    _checked(x.dims, axes, name)
    *others, last = _sizes(lengths, len(axes), name)
    for axis, size in zip(axes, others, strict=False):
        x = cropped_or_padded(x, axis, size)
    if last is None:
        half = x.dims[axes[-1]]
        if half is None:
            raise ShapeError(
                f"{name}: the last size of {show(x.dims)} is not known", "Give fft_length."
            )
        last = 2 * (half - 1)
    x = cropped_or_padded(x, axes[-1], last // 2 + 1)
    return InverseRealFourierTransform(x, axes=tuple(axes), size=last)


def _define(rank: int, suffix: str) -> None:
    """The four transforms over the last `rank` axes."""
    axes = tuple(range(-rank, 0))
    where = "the last axis" if rank == 1 else f"the last {rank} axes"
    ones = "ag.ones([" + ", ".join(["2"] * rank) + "])"

    def fft(input, name=None):
        return FourierTransform(input, axes=axes, inverse=False)

    def ifft(input, name=None):
        return FourierTransform(input, axes=axes, inverse=True)

    def rfft(input_tensor, fft_length=None, name=None):
        return real_transform(input_tensor, axes, fft_length, f"rfft{suffix}")

    def irfft(input_tensor, fft_length=None, name=None):
        return inverse_real_transform(input_tensor, axes, fft_length, f"irfft{suffix}")

    docs = {
        fft: (f"The Fourier transform of complex numbers over {where}.",
              f"ag.signal.fft{suffix}(ag.cast({ones}, ag.complex64))", 2.0**rank),
        ifft: (f"The inverse of `signal.fft{suffix}`, over {where}.",
               f"ag.signal.ifft{suffix}(ag.cast({ones}, ag.complex64))", 1.0),
        rfft: (f"The first half of the Fourier transform of real numbers over {where}.\n\n"
               "    The axes are cut, or padded with zeros, to the sizes `fft_length`.",
               f"ag.signal.rfft{suffix}({ones})", 2.0**rank),
        irfft: (f"The inverse of `signal.rfft{suffix}`, over {where}.\n\n"
                "    `fft_length` has the sizes of the result; by default the last one is even.",
                f"ag.signal.irfft{suffix}(ag.signal.rfft{suffix}({ones}))", 1.0),
    }  # fmt: skip
    for function, (says, call, first) in docs.items():
        function.__name__ = function.__qualname__ = function.__name__ + suffix
        example = f"float(abs({call}.numpy().reshape(-1)[0]))"
        function.__doc__ = f"{says}\n\n    >>> {example}\n    {first}\n    "
        globals()[function.__name__] = public(f"signal.{function.__name__}")(function)


for _rank, _suffix in ((1, ""), (2, "2d"), (3, "3d")):
    _define(_rank, _suffix)


def _from_the_end(axes, x):
    rank = len(x.dims)
    listed = range(rank) if axes is None else np.atleast_1d(get_static_value(axes))
    return tuple(int(normal_axis(int(axis), rank)) - rank for axis in listed)


def _resized(x, axes, lengths, name):
    for axis, size in zip(axes, _sizes(lengths, len(axes), name), strict=True):
        x = cropped_or_padded(x, axis, size)
    return x


@public("fftnd", "signal.fftnd")
def fftnd(input, fft_length=None, axes=None, norm=None, name=None):
    """The Fourier transform of complex numbers over any axes, by default all.

    >>> float(abs(ag.fftnd(ag.cast(ag.ones([2, 2]), ag.complex64))[0, 0]))
    4.0
    """
    x = convert_to_tensor(input)
    axes = _from_the_end(axes, x)
    return FourierTransform(_resized(x, axes, fft_length, "fftnd"), axes=axes, inverse=False)


@public("ifftnd", "signal.ifftnd")
def ifftnd(input, fft_length=None, axes=None, norm=None, name=None):
    """The inverse of `fftnd`.

    >>> float(abs(ag.ifftnd(ag.cast(ag.ones([2, 2]), ag.complex64))[0, 0]))
    1.0
    """
    x = convert_to_tensor(input)
    axes = _from_the_end(axes, x)
    return FourierTransform(_resized(x, axes, fft_length, "ifftnd"), axes=axes, inverse=True)


@public("rfftnd", "signal.rfftnd")
def rfftnd(input, fft_length=None, axes=None, norm=None, name=None):
    """The first half of the Fourier transform of real numbers over any axes, by default all.

    >>> ag.rfftnd(ag.ones([2, 4])).shape
    TensorShape([2, 3])
    """
    x = convert_to_tensor(input)
    return real_transform(x, _from_the_end(axes, x), fft_length, "rfftnd")


@public("irfftnd", "signal.irfftnd")
def irfftnd(input, fft_length=None, axes=None, norm=None, name=None):
    """The inverse of `rfftnd`.

    >>> ag.irfftnd(ag.rfftnd(ag.ones([2, 4]))).shape
    TensorShape([2, 4])
    """
    x = convert_to_tensor(input)
    return inverse_real_transform(x, _from_the_end(axes, x), fft_length, "irfftnd")


def _shift_axes(x, axes) -> list[int]:
    return list(range(len(x.dims))) if axes is None else [int(one) for one in np.atleast_1d(axes)]


@public("signal.fftshift")
def fftshift(x, axes=None, name=None):
    """`x` with the element of frequency 0 in the middle of the axes, by default all.

    >>> ag.signal.fftshift([0, 1, 2, -2, -1]).numpy().tolist()
    [-2, -1, 0, 1, 2]
    """
    x = convert_to_tensor(x)
    axes = _shift_axes(x, axes)
    return roll(x, [shape(x)[axis] // 2 for axis in axes], axes)


@public("signal.ifftshift")
def ifftshift(x, axes=None, name=None):
    """The inverse of `signal.fftshift`.

    >>> ag.signal.ifftshift([-2, -1, 0, 1, 2]).numpy().tolist()
    [0, 1, 2, -2, -1]
    """
    x = convert_to_tensor(x)
    axes = _shift_axes(x, axes)
    return roll(x, [-(shape(x)[axis] // 2) for axis in axes], axes)


def as_complex(real, imaginary=None):
    """Complex numbers of real ones."""
    return ops.complex(real, real * 0 if imaginary is None else imaginary)


for _alias in ("fft", "ifft"):
    expose(globals()[_alias], _alias)
