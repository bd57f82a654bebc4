"""Gamma and Poisson distributed numbers in kernels: the streams of NumPy's Philox generator.

Sources: Marsaglia and Tsang, "A simple method for generating gamma variables", 2000; Ahrens and
Dieter, "Computer methods for sampling from gamma, beta, Poisson and binomial distributions", 1974,
for small shapes; Hörmann, "The transformed rejection method for generating Poisson random
variables", 1993, for rates from 10 on.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np

from ...extend.kernels import kernel_function, named_function, unit64, ziggurat_tables
from .draw_kernels import STATE, generator_of, normal_of, of_all, of_each, words_of

EXPONENTIAL_START = ziggurat_tables.EXPONENTIAL_START

U64 = np.uint64


@functools.cache
def functions() -> dict[str, Callable]:
    """`variate_DISTRIBUTION_TYPE(out, key0, key1, counter, parameter)`; in `variate_each`, each
    number has a parameter of its own.
    """
    table = {}
    for name, draw in (("gamma", _gamma()), ("poisson", _poisson())):
        for dtype in (np.float32, np.float64, np.int32, np.int64):
            suffix = f"{np.dtype(dtype).kind}{np.dtype(dtype).itemsize * 8}"
            table[f"variate_{name}_{suffix}"] = _fill(draw, dtype, of_all)
            table[f"variate_each_{name}_{suffix}"] = _fill(draw, dtype, of_each)
    return table


def _fill(draw: Callable, dtype, at: Callable):
    start = generator_of(True)[0]
    word, count = words_of(64, True)

    @kernel_function(polls=True)
    def fill(out, key0, key1, counter, parameter):
        state, words = np.empty(STATE, U64), np.empty(count, word)
        start(state, words, key0, key1, counter)
        for index in range(out.size):
            of_number = np.float64(at(parameter, index))
            if not of_number >= 0:
                raise ValueError
            out[index] = dtype(draw(state, words, of_number))

    return fill


def _exponential():
    """Standard exponential numbers, by the ziggurat method."""
    following = generator_of(True)[1]
    limits, widths, densities = ziggurat_tables.exponential_ziggurat()

    @kernel_function
    def exponential(state, words):
        while True:
            bits = following(state, words) >> U64(3)
            layer, size = np.int64(bits & U64(255)), bits >> U64(8)
            x = np.float64(np.int64(size)) * widths[layer]
            if size < limits[layer]:
                return x
            if layer == 0:
                return EXPONENTIAL_START - np.log1p(-unit64(following(state, words)))
            step = densities[layer - 1] - densities[layer]
            if step * unit64(following(state, words)) + densities[layer] < np.exp(-x):
                return x

    return exponential


def _gamma():
    following, normal, exponential = generator_of(True)[1], normal_of(64, True), _exponential()
    power = named_function("power_f64")

    @kernel_function
    def of_small_shape(state, words, shape):
        while True:
            unit = unit64(following(state, words))
            limit = exponential(state, words)
            if unit <= 1.0 - shape:
                x = power(unit, 1.0 / shape)
                if x <= limit:
                    return x
            else:
                y = -np.log((1.0 - unit) / shape)
                x = power(1.0 - shape + shape * y, 1.0 / shape)
                if x <= limit + y:
                    return x

    @kernel_function
    def of_large_shape(state, words, shape):
        scale = shape - 1.0 / 3.0
        width = 1.0 / np.sqrt(9.0 * scale)
        while True:
            x = normal(state, words)
            cube = 1.0 + width * x
            if cube <= 0.0:
                continue
            cube = cube * cube * cube
            unit = unit64(following(state, words))
            if unit < 1.0 - 0.0331 * (x * x) * (x * x):
                return scale * cube
            if np.log(unit) < 0.5 * x * x + scale * (1.0 - cube + np.log(cube)):
                return scale * cube

    @kernel_function
    def gamma(state, words, shape):
        if shape == 0.0:
            return 0.0
        if shape == 1.0:
            return exponential(state, words)
        if shape < 1.0:
            return of_small_shape(state, words, shape)
        return of_large_shape(state, words, shape)

    return gamma


def _poisson():
    following, floor, lgamma = (
        generator_of(True)[1],
        named_function("floor_f64"),
        named_function("lgamma_f64"),
    )

    @kernel_function
    def of_small_rate(state, words, rate):
        """How many uniform numbers have a product above exp(-rate)."""
        limit, product, count = np.exp(-rate), unit64(following(state, words)), 0
        while product > limit:
            product *= unit64(following(state, words))
            count += 1
        return count

    @kernel_function
    def of_large_rate(state, words, rate):
        b = 0.931 + 2.53 * np.sqrt(rate)
        a = -0.059 + 0.02483 * b
        inverse, bound = 1.1239 + 1.1328 / (b - 3.4), 0.9277 - 3.6224 / (b - 2.0)
        while True:
            u = unit64(following(state, words)) - 0.5
            v = unit64(following(state, words))
            distance = 0.5 - abs(u)
            count = np.int64(floor((2.0 * a / distance + b) * u + rate + 0.43))
            if distance >= 0.07 and v <= bound:
                return count
            if count < 0 or (distance < 0.013 and v > distance):
                continue
            height = np.log(v) + np.log(inverse) - np.log(a / (distance * distance) + b)
            if height <= -rate + count * np.log(rate) - lgamma(count + 1.0):
                return count

    @kernel_function
    def poisson(state, words, rate):
        if rate >= 9.2e18:  # above it, numbers may not fit into 64 bits
            raise ValueError
        if rate >= 10.0:
            return of_large_rate(state, words, rate)
        return np.int64(0) if rate == 0.0 else of_small_rate(state, words, rate)

    return poisson
