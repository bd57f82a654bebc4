"""Cosine transforms of real signals over the last axis, by Fourier transforms."""

from __future__ import annotations

import math

import numpy as np

from ... import cast, concat, convert_to_tensor, reverse
from ...extend.errors import ShapeError
from ...extend.operations import ops
from ...extend.registration import public
from ...extend.specs import show
from .fourier import FourierTransform, as_complex, cropped_or_padded, real_transform
from .short_time import frame, overlap_and_add
from .windows import vorbis_window

INVERSES = {1: 1, 2: 3, 3: 2, 4: 4}


def _phases(angles, dtype):
    return cast(np.exp(-1j * np.asarray(angles)), dtype)


def _by_fourier(x, size: int, before, after):
    """The real part of `after` times the transform of length 2 * size of `before` times x."""
    spectrum = as_complex(x)
    spectrum = spectrum * _phases(before, spectrum.dtype)
    spectrum = cropped_or_padded(spectrum, -1, 2 * size)
    spectrum = FourierTransform(spectrum, axes=(-1,), inverse=False)[..., :size]
    return ops.real(spectrum * _phases(after, spectrum.dtype))


@public("signal.dct")
def dct(input, type=2, n=None, axis=-1, norm=None, name=None):
    """The cosine transform of the types 1 to 4 over the last axis, which is cut or padded to `n`.

    `norm="ortho"` makes the transform orthogonal; type 1 has no such form.

    >>> ag.signal.dct([1.0, 1.0]).numpy().round(3).tolist()
    [4.0, 0.0]

    Raises ValueError for another type, axis or `norm`.
    """
    if type not in INVERSES or axis != -1 or norm not in (None, "ortho"):
        raise ValueError(f"dct: type {type!r}, axis {axis!r} and norm {norm!r} are not supported")
    x = cropped_or_padded(convert_to_tensor(input), -1, n)
    size = x.dims[-1]
    if size is None:
        raise ShapeError(f"dct: the last size of {show(x.dims)} is not known", "Give `n`.")
    if type == 1:
        if norm is not None or size < 2:
            raise ValueError("dct: type 1 takes at least 2 elements and no norm")
        return ops.real(
            real_transform(concat([x, reverse(x[..., 1:-1], [len(x.dims) - 1])], -1), (-1,))
        )
    return _of_type(type, x, size, norm == "ortho")


def _of_type(number: int, x, size: int, orthogonal: bool):
    steps = np.arange(size) * math.pi / (2 * size)
    scale = math.sqrt(0.5 / size)
    if number == 2:
        y = 2 * _by_fourier(x, size, steps * 0, steps)
        first = np.where(np.arange(size) == 0, math.sqrt(0.5), 1.0) * scale
        return y * cast(first, y.dtype) if orthogonal else y
    if number == 3:
        if orthogonal:
            x = x * cast(np.where(np.arange(size) == 0, math.sqrt(2.0), 1.0) * scale, x.dtype)
        return 2 * _by_fourier(x, size, steps, steps * 0) - x[..., :1]
    y = 2 * _by_fourier(x, size, steps, steps + math.pi / (4 * size))
    return y * scale if orthogonal else y


@public("signal.idct")
def idct(input, type=2, n=None, axis=-1, norm=None, name=None):
    """The cosine transform that undoes `signal.dct` of this type, up to a factor.

    With `norm="ortho"` the factor is 1. Otherwise it is 2 * n, and 2 * (n - 1) for type 1.

    >>> ag.signal.idct(ag.signal.dct([1.0, 3.0], norm="ortho"), norm="ortho").numpy().round(3)
    array([1., 3.], dtype=float32)
    """
    if type not in INVERSES:
        raise ValueError(f"idct: type {type!r} is not supported")
    return dct(input, INVERSES[type], n, axis, norm)


@public("signal.mdct")
def mdct(signals, frame_length, window_fn=vorbis_window, pad_end=False, norm=None, name=None):
    """The modified cosine transform of `signals` [..., samples]: [..., frames, frame_length // 2].

    Frames start every `frame_length // 2` samples.

    >>> ag.signal.mdct(ag.ones([16]), 8).shape
    TensorShape([3, 4])
    """
    half = frame_length // 2
    frames = frame(signals, frame_length, half, pad_end)
    window = _window(window_fn, frame_length, frames.dtype)
    frames = frames * window
    quarter = half // 2
    a, b = frames[..., :quarter], frames[..., quarter:half]
    c, d = frames[..., half : half + quarter], frames[..., half + quarter :]
    last = [len(frames.dims) - 1]
    folded = concat([-reverse(c, last) - d, a - reverse(b, last)], -1)
    return dct(folded, type=4, norm=norm)


def _window(window_fn, frame_length: int, dtype):
    """The window; without a function, one that makes `inverse_mdct` the inverse."""
    if window_fn is None:
        return cast(math.sqrt(0.5), dtype)
    return window_fn(frame_length, dtype=dtype)


@public("signal.inverse_mdct")
def inverse_mdct(mdcts, window_fn=vorbis_window, norm=None, name=None):
    """The signal of which `signal.mdct` gave `mdcts` [..., frames, half].

    The first and the last `half` samples lack a frame.

    >>> mdcts = ag.signal.mdct(ag.ones([16]), 8)
    >>> ag.signal.inverse_mdct(mdcts).numpy()[4:12].round(3).tolist()
    [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]
    """
    mdcts = convert_to_tensor(mdcts)
    half = mdcts.dims[-1]
    result = idct(mdcts, type=4, norm=norm)
    if norm is None:
        result = result * (0.5 / half)
    last, middle = [len(mdcts.dims) - 1], half // 2
    first, second = result[..., :middle], result[..., middle:]
    frames = concat([second, -reverse(second, last), -reverse(first, last), -first], -1)
    return overlap_and_add(frames * _window(window_fn, 2 * half, frames.dtype), half)
