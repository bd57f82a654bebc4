"""Inverse trigonometric and hyperbolic functions."""

from __future__ import annotations

import math

import numpy as np

from ...jit.llvm_values import Number, copysign, fabs, fma, polynomial, sqrt, where
from .coefficients import ASIN_64, ASIN_WIDE, ATAN_64, ATAN_WIDE, PI
from .exponential import widened
from .logarithm import log, log1p

SINGLE_PI = float(np.float32(math.pi))
PI_PARTS = {32: (SINGLE_PI, math.pi - SINGLE_PI), 64: PI}


def arc(t: Number) -> Number:
    """The angle whose tangent is `t`, between 0 and 1."""
    z = t * t
    return fma(t * z, polynomial(z, {32: ATAN_WIDE, 64: ATAN_64}[t.bits]), t)


def atan(x: Number) -> Number:
    size, (high, low) = fabs(x), PI_PARTS[x.bits]
    steep = size > 1.0
    p = arc(where(steep, 1.0 / size, size))
    return copysign(where(steep, high / 2 - (p - low / 2), p), x)


def atan2(y: Number, x: Number) -> Number:
    tall, wide, (high, low) = fabs(y), fabs(x), PI_PARTS[x.bits]
    steep = tall > wide
    small, large = where(steep, wide, tall), where(steep, tall, wide)
    t = where(small == large, where(large == 0.0, x.like(0.0), x.like(1.0)), small / large)
    p = arc(t)
    left = x.as_bits() < 0
    quarters = where(steep, x.like(1.0), where(left, x.like(2.0), x.like(0.0)))
    p = where(steep == left, p, -p)
    made = fma(quarters, high / 2, fma(quarters, low / 2, p))
    return where((x != x) | (y != y), x + y, copysign(made, y))


def arc_of_sine(x: Number) -> tuple[Number, Number, Number]:
    """Whether |x| is below 1/2, and in two parts an angle `a`.

    It is the result for |x|, or else that is `pi / 2 - 2 a`.
    """
    size = fabs(x)
    small = size < 0.5
    z = where(small, x * x, (1.0 - size) * 0.5)
    s = where(small, size, sqrt(z))
    return small, s, s * z * polynomial(z, {32: ASIN_WIDE, 64: ASIN_64}[x.bits])


def asin(x: Number) -> Number:
    small, a, more = arc_of_sine(x)
    high, low = PI_PARTS[x.bits]
    left = high / 2 - a * 2.0
    lost = (high / 2 - left) - a * 2.0
    steep = left - (more * 2.0 - (lost + low / 2))
    return copysign(where(small, a + more, steep), x)


def acos(x: Number) -> Number:
    small, a, more = arc_of_sine(x)
    high, low = PI_PARTS[x.bits]
    a = a + more
    middle = high / 2 - (copysign(a, x) - low / 2)
    ends = where(x < 0.0, high - (a * 2.0 - low), a * 2.0)
    return where(small, middle, ends)


@widened
def asinh(x: Number, short: bool = False) -> Number:
    size = fabs(x)
    large = size > 2.0**28
    inside = where(large, x.like(1.0), size)
    square = inside * inside
    near = log1p(inside + square / (1.0 + sqrt(square + 1.0)))
    return copysign(where(large, log(size) + math.log(2), near), x)


@widened
def acosh(x: Number, short: bool = False) -> Number:
    large = x > 2.0**28
    above = where(large, x.like(1.0), x) - 1.0
    near = log1p(above + sqrt(fma(above, above, above * 2.0)))
    return where(x < 1.0, x.like(math.nan), where(large, log(x) + math.log(2), near))


@widened
def atanh(x: Number, short: bool = False) -> Number:
    size = fabs(x)
    return copysign(log1p(size * 2.0 / (1.0 - size)) * 0.5, x)


FORMULAS = (atan, atan2, asin, acos, asinh, acosh, atanh)
