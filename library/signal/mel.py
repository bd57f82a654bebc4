"""Spectra in the mel scale."""

from __future__ import annotations

import numpy as np

from ... import as_dtype, cast, convert_to_tensor, float32
from ...extend.registration import public
from .cosine import dct


def _mel(hertz):
    return 1127.0 * np.log1p(np.asarray(hertz, np.float64) / 700.0)


@public("signal.linear_to_mel_weight_matrix")
def linear_to_mel_weight_matrix(
    num_mel_bins=20, num_spectrogram_bins=129, sample_rate=8000, lower_edge_hertz=125.0,
    upper_edge_hertz=3800.0, dtype=float32, name=None,
):  # fmt: skip
    """The matrix [num_spectrogram_bins, num_mel_bins] that brings spectra to the mel scale.

    >>> spectra = ag.ones([5, 129])
    >>> (spectra @ ag.signal.linear_to_mel_weight_matrix()).shape
    TensorShape([5, 20])

    Raises ValueError unless the edges are ordered, and below half of the sample rate.
    """
    if not 0 <= lower_edge_hertz < upper_edge_hertz <= sample_rate / 2:
        raise ValueError(
            f"the edges {lower_edge_hertz} and {upper_edge_hertz} are not ordered between 0 and "
            f"half of the sample rate, {sample_rate / 2}"
        )
    bins = _mel(np.linspace(0.0, sample_rate / 2, num_spectrogram_bins)[1:])[:, None]
    edges = np.linspace(_mel(lower_edge_hertz), _mel(upper_edge_hertz), num_mel_bins + 2)
    lower, center, upper = edges[:-2], edges[1:-1], edges[2:]
    rising = (bins - lower) / (center - lower)
    falling = (upper - bins) / (upper - center)
    weights = np.maximum(0.0, np.minimum(rising, falling))
    return cast(np.pad(weights, [[1, 0], [0, 0]]), as_dtype(dtype))


@public("signal.mfccs_from_log_mel_spectrograms")
def mfccs_from_log_mel_spectrograms(log_mel_spectrograms, name=None):
    """The mel-frequency cepstral coefficients of logarithms of spectra in the mel scale.

    >>> ag.signal.mfccs_from_log_mel_spectrograms(ag.zeros([3, 20])).shape
    TensorShape([3, 20])
    """
    spectra = convert_to_tensor(log_mel_spectrograms)
    return dct(spectra, type=2) * (2.0 * spectra.dims[-1]) ** -0.5
