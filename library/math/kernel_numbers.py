"""Numbers and functions that kernels of special functions share."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np

from ...extend.kernels import fma, intrinsic, named_function

EPSILON = 2.0**-54  # terms that are smaller change nothing
INFINITY, NAN, PI = math.inf, math.nan, math.pi
EULER = 0.5772156649015329
exp, log, log1p, expm1, sqrt, sin, cos, power, floor, erf, erfc, lgamma, digamma = (
    named_function(f"{name}_f64")
    for name in (
        *("exp", "log", "log1p", "expm1", "sqrt", "sin", "cos", "power", "floor", "erf", "erfc"),
        *("lgamma", "digamma"),
    )
)


@functools.cache
def bernoulli(order: int) -> Fraction:
    """Bernoulli's numbers, by their recurrence."""
    if order == 0:
        return Fraction(1)
    terms = (math.comb(order + 1, k) * bernoulli(k) for k in range(order))
    return -sum(terms, Fraction(0)) / (order + 1)


def zeta_of(order: int) -> float:
    """Riemann's zeta function at an integer from 2 on, by the formula of Euler and Maclaurin."""
    last = 100.0**-order
    rest = 100.0 / (order - 1) + 0.5 + order / 1200 - order * (order + 1) * (order + 2) / 720e6
    return math.fsum([*(k**-order for k in range(1, 100)), last * rest])


def series(coefficients) -> Callable:
    """The polynomial with these coefficients, as a function of kernels."""

    @intrinsic
    def call(writer, number):
        x = writer.number(number, np.dtype(np.float64))
        total = x.like(coefficients[-1])
        for coefficient in reversed(coefficients[:-1]):
            total = fma(total, x, coefficient)
        return total

    return call
