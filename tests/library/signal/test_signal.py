"""Transforms of signals, against NumPy and SciPy, and their gradients."""

import numpy as np
import pytest
import scipy.fft

import allograph as ag

RNG = np.random.default_rng(5)
REAL = RNG.normal(size=(2, 6, 8))
COMPLEX = REAL + 1j * RNG.normal(size=(2, 6, 8))


def test_transforms_over_the_last_axes_are_numpys():
    for suffix, axes in (("", [-1]), ("2d", [-2, -1]), ("3d", [-3, -2, -1])):
        fft, ifft, rfft, irfft = (
            getattr(ag.signal, name + suffix) for name in ("fft", "ifft", "rfft", "irfft")
        )
        np.testing.assert_allclose(fft(COMPLEX), np.fft.fftn(COMPLEX, axes=axes))
        np.testing.assert_allclose(ifft(COMPLEX), np.fft.ifftn(COMPLEX, axes=axes))
        np.testing.assert_allclose(rfft(REAL), np.fft.rfftn(REAL, axes=axes))
        sizes = [5] * len(axes)
        np.testing.assert_allclose(rfft(REAL, sizes), np.fft.rfftn(REAL, sizes, axes))
        np.testing.assert_allclose(irfft(COMPLEX, sizes), np.fft.irfftn(COMPLEX, sizes, axes))
        np.testing.assert_allclose(irfft(rfft(REAL)), REAL)


def test_cosine_transforms_are_scipys():
    for kind in (1, 2, 3, 4):
        for norm in (None, "ortho") if kind > 1 else (None,):
            expected = scipy.fft.dct(REAL, kind, norm=norm)
            np.testing.assert_allclose(ag.signal.dct(REAL, kind, norm=norm), expected, atol=1e-12)
    both = ag.signal.idct(ag.signal.dct(REAL, norm="ortho"), norm="ortho")
    np.testing.assert_allclose(both, REAL)
    with pytest.raises(ValueError, match="type 5"):
        ag.signal.dct(REAL, 5)


def test_the_inverse_of_a_spectrogram_is_the_signal_in_graphs_of_unknown_sizes_too():
    @ag.function(input_signature=[ag.TensorSpec([None, None], ag.float64)])
    def there_and_back(signals):
        window = ag.signal.inverse_stft_window_fn(4)
        return ag.signal.inverse_stft(
            ag.signal.stft(signals, 8, 4), 8, 4, window_fn=window
        ), ag.signal.inverse_mdct(ag.signal.mdct(signals, 8))

    signals = RNG.normal(size=(3, 24))
    for found in there_and_back(signals):
        np.testing.assert_allclose(found[:, 4:-4], signals[:, 4:-4])


@pytest.mark.parametrize(
    "function",
    [
        lambda x: ag.math.real(ag.signal.rfft(x) * (1 + 2j)),
        lambda x: ag.signal.irfft2d(ag.complex(x, x * x), [4, 7]),
        lambda x: abs(ag.signal.stft(x, 4, 3)),
        lambda x: ag.signal.dct(x, 4),
    ],
)
def test_gradients_of_transforms_are_those_of_finite_differences(function):
    weights = RNG.normal(size=function(REAL).shape)
    x = ag.constant(REAL)
    with ag.GradientTape() as tape:
        tape.watch(x)
        y = ag.reduce_sum(function(x) * weights)
    direction = RNG.normal(size=REAL.shape)
    ends = [np.sum(function(REAL + step * direction) * weights) for step in (1e-6, -1e-6)]
    np.testing.assert_allclose(
        np.sum(tape.gradient(y, x) * direction), (ends[0] - ends[1]) / 2e-6, rtol=1e-5
    )
