"""Inverse trigonometric and hyperbolic functions."""

from __future__ import annotations

import math

from ...jit.llvm_values import Number, copysign, fabs, fma, polynomial, sqrt, where
from .coefficients import ASIN_64, ASIN_WIDE, ATAN_64, ATAN_WIDE, PI
from .exponential import widened
from .logarithm import log, log1p

PI_HIGH, PI_LOW = PI


def arc(t: Number, short: bool) -> Number:
    """The angle whose tangent is `t`, between 0 and 1."""
    z = t * t
    return fma(t * z, polynomial(z, ATAN_WIDE if short else ATAN_64), t)


@widened
def atan(x: Number, short: bool = False) -> Number:
    size = fabs(x)
    steep = size > 1.0
    p = arc(where(steep, 1.0 / size, size), short)
    return copysign(where(steep, PI_HIGH / 2 - (p - PI_LOW / 2), p), x)


@widened
def atan2(y: Number, x: Number, short: bool = False) -> Number:
    high, wide = fabs(y), fabs(x)
    steep = high > wide
    small, large = where(steep, wide, high), where(steep, high, wide)
    t = where(small == large, where(large == 0.0, x.like(0.0), x.like(1.0)), small / large)
    p = arc(t, short)
    left = x.as_bits() < 0
    quarters = where(steep, x.like(1.0), where(left, x.like(2.0), x.like(0.0)))
    p = where(steep == left, p, -p)
    made = fma(quarters, PI_HIGH / 2, fma(quarters, PI_LOW / 2, p))
    return where((x != x) | (y != y), x + y, copysign(made, y))


def arc_of_sine(x: Number, short: bool) -> tuple[Number, Number, Number]:
    """Whether |x| is below 1/2, and in two parts an angle `a`.

    It is the result for |x|, or else that is `pi / 2 - 2 a`.
    """
    size = fabs(x)
    small = size < 0.5
    z = where(small, x * x, (1.0 - size) * 0.5)
    s = where(small, size, sqrt(z))
    return small, s, s * z * polynomial(z, ASIN_WIDE if short else ASIN_64)


@widened
def asin(x: Number, short: bool = False) -> Number:
    small, a, more = arc_of_sine(x, short)
    steep = (PI_HIGH / 2 - a * 2.0) - (more * 2.0 - PI_LOW / 2)
    return copysign(where(small, a + more, steep), x)


@widened
def acos(x: Number, short: bool = False) -> Number:
    small, a, more = arc_of_sine(x, short)
    a = a + more
    middle = PI_HIGH / 2 - (copysign(a, x) - PI_LOW / 2)
    ends = where(x < 0.0, PI_HIGH - (a * 2.0 - PI_LOW), a * 2.0)
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
