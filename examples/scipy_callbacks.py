"""Decorated functions as callbacks of SciPy: machine code that no longer goes through Python.

python examples/scipy_callbacks.py
"""

import math
import time

import numpy as np
from scipy import LowLevelCallable, integrate, ndimage

import allograph as ag

ORDERS = np.arange(1.0, 20.0)


def wave(x):
    total = 0.0
    for k in range(1, 20):
        total += math.cos(k * x) / k**2
    return math.exp(-x) * total


@ag.function
def native_wave(x):
    return ag.exp(-x) * ag.reduce_sum(ag.cos(ORDERS * x) / ORDERS**2)


def spread(window):
    mean = 0.0
    for value in window:
        mean += value
    mean /= 25
    total = 0.0
    for value in window:
        total += (value - mean) ** 2
    return math.sqrt(total / 25)


@ag.jit
def native_spread(window, size):
    mean = 0.0
    for value in window:
        mean += value
    mean /= size
    total = 0.0
    for value in window:
        total += (value - mean) ** 2
    return math.sqrt(total / size)


def seconds(call):
    """The shortest of three calls, and the result."""
    times, results = [], []
    for _ in range(3):
        start = time.perf_counter()
        results.append(call())
        times.append(time.perf_counter() - start)
    return min(times), results[-1]


def compare(what, python, native):
    slow, expected = seconds(python)
    fast, found = seconds(native)
    assert np.allclose(expected, found), what
    print(f"{what}: {slow * 1e3:.1f} ms in Python, {fast * 1e3:.2f} ms, {slow / fast:.0f}x")


def main():
    integrand = LowLevelCallable(native_wave.as_cfunc("float64(float64)").ctypes)
    compare(
        "integrate.quad",
        lambda: integrate.quad(wave, 0.0, 50.0, limit=2000)[0],
        lambda: integrate.quad(integrand, 0.0, 50.0, limit=2000)[0],
    )
    form = "int32(float64[25], intp, out float64, voidptr)"
    window = LowLevelCallable(native_spread.as_cfunc(form).ctypes)
    image = np.random.default_rng(0).random((120, 120))
    compare(
        "ndimage.generic_filter",
        lambda: ndimage.generic_filter(image, spread, 5),
        lambda: ndimage.generic_filter(image, window, 5),
    )


if __name__ == "__main__":
    main()
