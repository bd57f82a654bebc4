"""Signals: filters, transforms and correlations."""

import numpy as np

from .program import program


def fir_filter_port(signal, taps):
    n, m = signal.shape[0], taps.shape[0]
    out = np.zeros(n - m + 1)
    for i in range(n - m + 1):
        for k in range(m):
            out[i] += taps[k] * signal[i + m - 1 - k]
    return out


@program(lambda r, n, m: (r.normal(size=n), r.normal(size=m)), (20, 4), (50_000, 32),
         fir_filter_port)  # fmt: skip
def fir_filter(signal, taps):
    size = len(signal) - len(taps) + 1
    out = np.zeros(size)
    for k in range(len(taps)):
        start = len(taps) - 1 - k
        out += taps[k] * signal[start : start + size]
    return out


@program(lambda r, n: (r.normal(size=n), 0.2, 0.4, 0.2, -0.6, 0.3), 15, 50_000)
def biquad(signal, b0, b1, b2, a1, a2):
    out = np.zeros_like(signal)
    x1 = x2 = y1 = y2 = 0.0
    for i in range(len(signal)):
        x0 = signal[i]
        y0 = b0 * x0 + b1 * x1 + b2 * x2 - a1 * y1 - a2 * y2
        out[i] = y0
        x2, x1 = x1, x0
        y2, y1 = y1, y0
    return out


@program(lambda r, n: (r.normal(size=n),), 12, 300)
def fourier_sums(signal):
    n = signal.shape[0]
    out = np.zeros((n, 2))
    for k in range(n):
        real, imaginary = 0.0, 0.0
        for t in range(n):
            angle = 2 * np.pi * k * t / n
            real += signal[t] * np.cos(angle)
            imaginary -= signal[t] * np.sin(angle)
        out[k, 0], out[k, 1] = real, imaginary
    return out


@program(lambda r, n: (r.normal(size=n), np.zeros(n)), 16, 4096)
def fast_fourier(real, imaginary):
    n = len(real)
    j = 0
    for i in range(1, n):
        bit = n >> 1
        while j & bit:
            j ^= bit
            bit >>= 1
        j ^= bit
        if i < j:
            real[i], real[j] = real[j], real[i]
            imaginary[i], imaginary[j] = imaginary[j], imaginary[i]
    size = 2
    while size <= n:
        half = size // 2
        for start in range(0, n, size):
            for k in range(half):
                angle = -2 * np.pi * k / size
                c, s = np.cos(angle), np.sin(angle)
                a, b = start + k, start + k + half
                x = real[b] * c - imaginary[b] * s
                y = real[b] * s + imaginary[b] * c
                real[b], imaginary[b] = real[a] - x, imaginary[a] - y
                real[a] += x
                imaginary[a] += y
        size *= 2


def autocorrelation_port(signal, lags):
    n = signal.shape[0]
    mean = signal.mean()
    out = np.zeros(lags)
    for lag in range(lags):
        for i in range(n - lag):
            out[lag] += (signal[i] - mean) * (signal[i + lag] - mean)
    return out / out[0]


@program(lambda r, n, k: (r.normal(size=n), k), (20, 4), (20_000, 50), autocorrelation_port)
def autocorrelation(signal, lags):
    centered = signal - signal.mean()
    out = np.zeros(lags)
    for lag in range(lags):
        out[lag] = np.dot(centered[: len(signal) - lag], centered[lag:])
    return out / out[0]


@program(lambda r, n: (r.normal(size=n),), 16, 65_536)
def haar(signal):
    out = signal.copy()
    size = len(signal)
    while size > 1:
        half = size // 2
        even, odd = out[0:size:2].copy(), out[1:size:2].copy()
        out[:half] = (even + odd) / np.sqrt(2)
        out[half:size] = (even - odd) / np.sqrt(2)
        size = half
    return out


@program(lambda r, n: (r.normal(size=n), 0.1), 15, 60_000)
def exponential_average(signal, rate):
    out = np.empty_like(signal)
    out[0] = signal[0]
    for i in range(1, signal.size):
        out[i] = rate * signal[i] + (1 - rate) * out[i - 1]
    return out


@program(lambda r, n: (r.normal(size=n) + 1j * r.normal(size=n), 0.3), 9, 100_000)
def demodulate(samples, frequency):
    shift = np.exp(-2j * np.pi * frequency * np.arange(len(samples)))
    mixed = samples * shift
    return np.angle(mixed[1:] * np.conj(mixed[:-1]))
