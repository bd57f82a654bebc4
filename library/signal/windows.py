"""Windows: weights of the samples of a frame, as vectors."""

from __future__ import annotations

import math

from ... import as_dtype, cast, concat, cumsum, float32, ones, reverse
from ... import range as range_
from ...extend.operations import ag, ops
from ...extend.registration import public


def _raised_cosine(length, periodic: bool, dtype, first: float, second: float):
    """`first - second * cos(2 pi n / count)`; an odd window is symmetric, periodic or not."""
    dtype = as_dtype(dtype)
    if isinstance(length, int) and length == 1:
        return ones([1], dtype)
    even = 1 - length % 2
    count = length + int(bool(periodic)) * even - 1
    steps = cast(range_(length), dtype)
    return first - second * ops.cos(2 * math.pi * steps / cast(count, dtype))


@public("signal.hann_window")
def hann_window(window_length, periodic=True, dtype=float32, name=None):
    """A Hann window: a raised cosine that starts at 0.

    `periodic` windows are for spectra, the others for filters.

    >>> ag.signal.hann_window(4).numpy().round(3).tolist()
    [0.0, 0.5, 1.0, 0.5]
    """
    return _raised_cosine(window_length, periodic, dtype, 0.5, 0.5)


@public("signal.hamming_window")
def hamming_window(window_length, periodic=True, dtype=float32, name=None):
    """A Hamming window: a raised cosine that starts at 0.08.

    >>> ag.signal.hamming_window(4, dtype=ag.float64).numpy().round(3).tolist()
    [0.08, 0.54, 1.0, 0.54]
    """
    return _raised_cosine(window_length, periodic, dtype, 0.54, 0.46)


@public("signal.kaiser_window")
def kaiser_window(window_length, beta=12.0, dtype=float32, name=None):
    """A Kaiser window; a large `beta` makes it narrow.

    >>> ag.signal.kaiser_window(3, 1.0, ag.float64).numpy().round(3).tolist()
    [0.79, 1.0, 0.79]
    """
    dtype = as_dtype(dtype)
    if window_length == 1:
        return ones([1], dtype)
    beta = cast(beta, dtype)
    half = (window_length - 1) / 2
    steps = (cast(range_(window_length), dtype) - half) / half
    inside = beta * ops.sqrt(1 - steps * steps)
    return ops.exp(inside - beta) * ag.math.bessel_i0e(inside) / ag.math.bessel_i0e(beta)


@public("signal.kaiser_bessel_derived_window")
def kaiser_bessel_derived_window(window_length, beta=12.0, dtype=float32, name=None):
    """A Kaiser-Bessel derived window, for `signal.mdct`; its length is even.

    >>> ag.signal.kaiser_bessel_derived_window(2, dtype=ag.float64).numpy().round(3).tolist()
    [0.707, 0.707]
    """
    half = window_length // 2
    sums = cumsum(kaiser_window(half + 1, beta, dtype))
    rising = ops.sqrt(sums[:-1] / sums[-1])
    return concat([rising, reverse(rising, [0])], 0)


@public("signal.vorbis_window")
def vorbis_window(window_length, dtype=float32, name=None):
    """The window of Vorbis, for `signal.mdct`.

    >>> ag.signal.vorbis_window(2, ag.float64).numpy().round(3).tolist()
    [0.707, 0.707]
    """
    dtype = as_dtype(dtype)
    steps = (cast(range_(window_length), dtype) + 0.5) * (math.pi / window_length)
    inner = ops.sin(steps)
    return ops.sin(math.pi / 2 * inner * inner)
