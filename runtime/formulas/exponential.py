"""exp and what is made of it: `exp(x) = 2 ** n * exp(r)` with `r = x - n * ln 2` near 0.

ln 2 comes in two parts, so that `n` times the first is exact (Cody and Waite, "Software manual for
the elementary functions", 1980).
"""

from __future__ import annotations

import math

import numpy as np

from ..machine_numbers import Number, copysign, fabs, fma, polynomial, where
from .coefficients import (
    EXP_32,
    EXP_64,
    EXP_FEW_32,
    EXP_FEW_64,
    LN2_32,
    LN2_64,
    SINH_64,
    SINH_WIDE,
    TANH_32,
    TANH_64,
)

TAIL = {32: EXP_32, 64: EXP_64}
LN2 = {32: LN2_32, 64: LN2_64}
MANTISSA = {32: 23, 64: 52}
BIAS = {32: 127, 64: 1023}
LIMIT = {32: 110.0, 64: 760.0}  # past it the scale alone gives infinity or 0


def rounded(x: Number) -> tuple[Number, Number]:
    """The whole number nearest to a small `x`, as a float and as an integer.

    Adding 1.5 * 2 ** 52 leaves it in the last bits: few processors convert many numbers at once.
    """
    magic = x.real(1.5 * 2.0 ** MANTISSA[x.bits])
    shifted = x + magic
    bits = int(magic.view(np.int32 if x.bits == 32 else np.int64))
    return shifted - magic, shifted.as_bits() - bits


def whole_as_float(k: Number) -> Number:
    """The float of a small integer."""
    real = {32: np.float32, 64: np.float64}[k.bits]
    magic = real(1.5 * 2.0 ** MANTISSA[k.bits])
    bits = int(magic.view(np.int32 if k.bits == 32 else np.int64))
    return (k + bits).as_float() - magic


def power_of_two(k: Number) -> Number:
    """`2.0 ** k` for an integer whose result is a normal number."""
    return ((k + BIAS[k.bits]) << MANTISSA[k.bits]).as_float()


def scaled(x: Number, k: Number) -> Number:
    """`x * 2 ** k` in two steps: the result may be subnormal or infinite, the factors are not."""
    first = k >> 1
    return x * power_of_two(first) * power_of_two(k - first)


def clamped(x: Number, low: float, high: float) -> Number:
    """NaN stays NaN."""
    x = where(x > high, x.like(high), x)
    return where(x < low, x.like(low), x)


def reduced(x: Number) -> tuple[Number, Number, Number]:
    """`k` and `r + c` with `x = k * ln 2 + r + c`; `c` is below the precision of `r`."""
    high, low = LN2[x.bits]
    n, k = rounded(x * (1 / math.log(2)))
    first = fma(n, -high, x)
    r = fma(n, -low, first)
    return k, r, fma(n, -low, first - r)


def exp_tail(r: Number) -> Number:
    """`exp(r) - 1 - r` of a reduced `r`."""
    return r * r * polynomial(r, TAIL[r.bits])


def exp(x: Number) -> Number:
    k, r, _ = reduced(clamped(x, -LIMIT[x.bits], LIMIT[x.bits]))
    return scaled((exp_tail(r) + r) + 1.0, k)


def exp_times(factor: Number, x: Number, low: Number) -> Number:
    """`factor * exp(x + low)`, where `low` is below the precision of `x`."""
    k, r, c = reduced(clamped(x, -LIMIT[x.bits], LIMIT[x.bits]))
    tail, lost = exp_tail(r), low + c
    grown = (tail + fma(tail + r, lost, lost)) + r
    return scaled(fma(grown, factor, factor), k)


def small_exp(x: Number) -> Number:
    """exp to half the usual precision relative to 1: for `1 - exp(x)`, `x` between -80 and 80.

    The shifted `n` already holds the bits of `2 ** n`, and `n * ln 2` needs no second part.
    """
    shift = MANTISSA[x.bits]
    magic = 1.5 * 2.0**shift + BIAS[x.bits]
    shifted = fma(x, 1 / math.log(2), magic)
    r = fma(shifted - magic, -math.log(2), x)
    near = fma(r * r, polynomial(r, {32: EXP_FEW_32, 64: EXP_FEW_64}[x.bits]), r) + 1.0
    return near * (shifted.as_bits() << shift).as_float()


def expm1_parts(x: Number) -> tuple[Number, Number]:
    """`exp(x) - 1` is `2 ** k * p + (2 ** k - 1)`: this gives `k` and `p`."""
    k, r, c = reduced(x)
    return k, r + (exp_tail(r) + c)


def expm1(x: Number) -> Number:
    k, p = expm1_parts(clamped(x, -LIMIT[x.bits], LIMIT[x.bits] * 0.95))
    k = where(k < -BIAS[x.bits] + 2, k.like(-BIAS[x.bits] + 2), k)
    # Half the result first: the largest ones have a power of two that is no float.
    half = power_of_two(k - 1)
    made = fma(half, p, half - 0.5) * 2.0
    overflowing = k > BIAS[x.bits] + 1
    made = where(overflowing, x.like(math.inf), made)
    made = where(k == 0, where(x == 0.0, x, p), made)
    return where(x != x, x, made)


def sigmoid(x: Number) -> Number:
    e = exp(-fabs(x))
    return where(x < 0.0, e, x.like(1.0)) / (e + 1.0)


def tanh(x: Number) -> Number:
    """From its series near 0, else `1 - 2 / (exp(2 x) + 1)`."""
    size = fabs(x)
    z = x * x
    near = fma(size * z, polynomial(z, {32: TANH_32, 64: TANH_64}[x.bits]), size)
    end = 10.0 if x.bits == 32 else 20.0
    e = small_exp(where(size > end, x.like(end), size) * 2.0)
    return copysign(where(size < 0.6, near, 1.0 - 2.0 / (e + 1.0)), x)


def widened(formula):
    """The formula of float64 for float32 too, rounded once at the end."""

    def wide(*numbers: Number) -> Number:
        if numbers[0].bits == 64:
            return formula(*numbers)
        return formula(*(number.to_float(64) for number in numbers), short=True).to_float(32)

    wide.__name__ = formula.__name__
    wide.arity = formula.__code__.co_argcount - 1
    return wide


def hyperbolic(x: Number) -> tuple[Number, Number]:
    """Half of exp(|x|) and half of exp(-|x|)."""
    size = fabs(x)
    k, r, _ = reduced(where(size > 720.0, x.like(720.0), size))
    e = (exp_tail(r) + r) + 1.0
    half = scaled(e, k - 1)
    return half, 0.25 / half


@widened
def sinh(x: Number, short: bool = False) -> Number:
    z = x * x
    near = fma(x * z, polynomial(z, SINH_WIDE if short else SINH_64), x)
    grown, shrunk = hyperbolic(x)
    return where(fabs(x) < 1.0, near, copysign(grown - shrunk, x))


@widened
def cosh(x: Number, short: bool = False) -> Number:
    grown, shrunk = hyperbolic(x)
    return grown + shrunk


FORMULAS = (exp, expm1, sigmoid, tanh, sinh, cosh)
