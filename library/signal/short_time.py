"""Frames of a signal, and their spectra."""

from __future__ import annotations

import functools

from ... import (
    concat,
    convert_to_tensor,
    expand_dims,
    float32,
    gather,
    pad,
    reduce_sum,
    reshape,
    shape,
    transpose,
)
from ... import range as range_
from ...extend.operations import normal_axis, ops
from ...extend.registration import public
from .fourier import inverse_real_transform, real_transform
from .windows import hann_window


@public("signal.frame")
def frame(signal, frame_length, frame_step, pad_end=False, pad_value=0, axis=-1, name=None):
    """Frames of `frame_length` samples, which start every `frame_step` samples along `axis`.

    The axis becomes two, [frames, frame_length]. With `pad_end`, frames that reach beyond the end
    are filled with `pad_value`.

    >>> ag.signal.frame([1, 2, 3, 4, 5], 3, 2).numpy().tolist()
    [[1, 2, 3], [3, 4, 5]]
    """
    signal = convert_to_tensor(signal)
    rank = len(signal.dims)
    axis = normal_axis(axis, rank)
    known = signal.dims[axis]
    size = shape(signal)[axis] if known is None else known
    if pad_end:
        count = -(-size // frame_step)
        missing = (count - 1) * frame_step + frame_length - size
        missing = ops.maximum(missing, 0) if known is None else max(missing, 0)
        sides = [[0, missing if at == axis else 0] for at in range(rank)]
        signal = pad(signal, sides, constant_values=pad_value)
    else:
        count = 1 + (size - frame_length) // frame_step
        count = ops.maximum(count, 0) if known is None else max(count, 0)
    starts = expand_dims(range_(count) * frame_step, 1)
    return gather(signal, starts + expand_dims(range_(frame_length), 0), axis=axis)


@public("signal.overlap_and_add")
def overlap_and_add(signal, frame_step, name=None):
    """The signal of which `signal` [..., frames, frame_length] has the frames, summed.

    >>> ag.signal.overlap_and_add([[1, 1, 1], [1, 1, 1]], 2).numpy().tolist()
    [1, 1, 2, 1, 1]
    """
    signal = convert_to_tensor(signal)
    rank, sizes = len(signal.dims), shape(signal)
    frames, length = sizes[-2], sizes[-1]
    places = expand_dims(range_(frames) * frame_step, 1) + expand_dims(range_(length), 0)
    first = transpose(signal, [rank - 2, rank - 1, *range(rank - 2)])
    total = (frames - 1) * frame_step + length
    if None not in signal.dims[-2:]:
        total = (signal.dims[-2] - 1) * frame_step + signal.dims[-1]
    summed = ops.unsorted_segment_sum(first, places, total)
    return transpose(summed, [*range(1, rank - 1), 0])


def _power_of_two(length: int) -> int:
    return 1 << max(length - 1, 0).bit_length()


@public("signal.stft")
def stft(
    signals, frame_length, frame_step, fft_length=None, window_fn=hann_window, pad_end=False,
    name=None,
):  # fmt: skip
    """The short-time Fourier transform: the spectrum of each frame of `signals` [..., samples].

    The result is complex, [..., frames, fft_length // 2 + 1]. `fft_length` is by default the least
    power of 2 from `frame_length`; `window_fn=None` weights no samples.

    >>> ag.signal.stft(ag.ones([64]), 16, 8).shape
    TensorShape([7, 9])
    """
    frames = frame(signals, frame_length, frame_step, pad_end)
    if window_fn is not None:
        frames = frames * window_fn(frame_length, dtype=frames.dtype)
    return real_transform(frames, (-1,), [fft_length or _power_of_two(frame_length)], "stft")


@public("signal.inverse_stft")
def inverse_stft(
    stfts, frame_length, frame_step, fft_length=None, window_fn=hann_window, name=None
):
    """The signal whose frames have the spectra `stfts` [..., frames, bins].

    To get the signal of `signal.stft` back, let `window_fn` be that of
    `signal.inverse_stft_window_fn`.

    >>> spectra = ag.signal.stft(ag.ones([64]), 16, 8)
    >>> window = ag.signal.inverse_stft_window_fn(8)
    >>> signal = ag.signal.inverse_stft(spectra, 16, 8, window_fn=window)
    >>> float(signal[30].numpy().round(3))
    1.0
    """
    frames = inverse_real_transform(
        stfts, (-1,), [fft_length or _power_of_two(frame_length)], "inverse_stft"
    )
    missing = frame_length - frames.dims[-1]
    if missing > 0:
        frames = pad(frames, [[0, 0]] * (len(frames.dims) - 1) + [[0, missing]])
    frames = frames[..., :frame_length]
    if window_fn is not None:
        frames = frames * window_fn(frame_length, dtype=frames.dtype)
    return overlap_and_add(frames, frame_step)


@public("signal.inverse_stft_window_fn")
def inverse_stft_window_fn(frame_step, forward_window_fn=hann_window, name=None):
    """The window with which `signal.inverse_stft` undoes `signal.stft`, as a function of a length.

    >>> window = ag.signal.inverse_stft_window_fn(2)
    >>> window(4, dtype=ag.float64).numpy().round(3).tolist()
    [0.0, 1.0, 1.0, 1.0]
    """

    @functools.wraps(forward_window_fn)
    def window(frame_length, dtype=float32):
        forward = forward_window_fn(frame_length, dtype=dtype)
        steps = -(-frame_length // frame_step)
        power = forward * forward
        whole = pad(power, [[0, steps * frame_step - frame_length]])
        sums = reduce_sum(reshape(whole, [steps, frame_step]), 0)
        repeated = concat([sums] * steps, 0)[:frame_length]
        return forward / repeated

    return window
