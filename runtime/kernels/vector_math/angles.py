"""Inverse trigonometric and hyperbolic functions."""

from __future__ import annotations

import math

import numpy as np

from ...jit.llvm_values import Number, copysign, fabs, fma, polynomial, sqrt, where
from .coefficients import (
    ACOSH_32,
    ASIN_64,
    ASIN_WIDE,
    ASINH_32,
    ATAN_64,
    ATAN_WIDE,
    ATANH_32,
    PI,
)
from .exponential import is_narrow, widened
from .logarithm import log, log1p, log_of_sum

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
    angle = fma(quarters, high / 2, fma(quarters, low / 2, p))
    return where((x != x) | (y != y), x + y, copysign(angle, y))


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


def log_of_two(most: Number, least: Number) -> Number:
    """`log(most + least)`, at least 1 and 0; where `most` is large, `least` is about as large."""
    large = most > 2.0**13
    total = most + least
    low = least - (total - most)
    none = most.like(0).as_bits()
    return log_of_sum(
        where(large, most * 0.5, total),
        where(large, most.like(0.0), low),
        where(large, none + 2, none),
    )


def narrow_asinh(x: Number) -> Number:
    """From its series near 0, else `log(sqrt(x * x + 1) + |x|)`."""
    size, z = fabs(x), x * x
    near = fma(size * z, polynomial(z, ASINH_32), size)
    root = where(size > 2.0**14, size, sqrt(fma(x, x, 1.0)))
    result = where(size < 0.55, near, log_of_two(root, size))
    return copysign(where(size < math.inf, result, size), x)


def narrow_acosh(x: Number) -> Number:
    """From its series near 1, else `log(x + sqrt(t * (t + 2)))` with `t = x - 1`."""
    t = x - 1.0
    close = t < 0.14
    root = sqrt(where(close, t + t, fma(t, t, t + t)))
    near = fma(root * t, polynomial(t, ACOSH_32), root)
    result = where(close, near, log_of_two(x, root))
    return where(x < math.inf, result, x)


def narrow_atanh(x: Number) -> Number:
    """From its series near 0, else half of `log(1 + 2 |x| / (1 - |x|))`."""
    size, z = fabs(x), x * x
    near = fma(size * z, polynomial(z, ATANH_32), size)
    ratio = (size + size) / (1.0 - size)
    total = ratio + 1.0
    far = log_of_sum(total, 1.0 - (total - ratio), x.like(0.0).as_bits()) * 0.5
    result = where(size < 0.49, near, far)
    edge = where(size == 1.0, x.like(math.inf), x.like(math.nan))
    return copysign(where(size < 1.0, result, edge), x)


def asinh(x: Number) -> Number:
    return narrow_asinh(x) if is_narrow(x) else wide_asinh(x)


def acosh(x: Number) -> Number:
    return narrow_acosh(x) if is_narrow(x) else wide_acosh(x)


def atanh(x: Number) -> Number:
    return narrow_atanh(x) if is_narrow(x) else wide_atanh(x)


@widened
def wide_asinh(x: Number, short: bool = False) -> Number:
    size = fabs(x)
    large = size > 2.0**28
    inside = where(large, x.like(1.0), size)
    square = inside * inside
    near = log1p(inside + square / (1.0 + sqrt(square + 1.0)))
    return copysign(where(large, log(size) + math.log(2), near), x)


@widened
def wide_acosh(x: Number, short: bool = False) -> Number:
    large = x > 2.0**28
    above = where(large, x.like(1.0), x) - 1.0
    near = log1p(above + sqrt(fma(above, above, above * 2.0)))
    return where(x < 1.0, x.like(math.nan), where(large, log(x) + math.log(2), near))


@widened
def wide_atanh(x: Number, short: bool = False) -> Number:
    size = fabs(x)
    return copysign(log1p(size * 2.0 / (1.0 - size)) * 0.5, x)


FORMULAS = (atan, atan2, asin, acos, asinh, acosh, atanh)
