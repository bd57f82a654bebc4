"""exp and functions built on it: `exp(x) = 2 ** n * exp(r)` with `r = x - n * ln 2` near 0.

ln 2 comes in two parts, so that `n` times the first is exact (Cody and Waite, "Software manual for
the elementary functions", 1980).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...core.classes import NamedTuple
from ...jit import llvm_values
from ...jit.llvm_values import Number, copysign, fabs, fma, ldexp, polynomial, where
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
SHORT_TAIL = {32: EXP_FEW_32, 64: EXP_FEW_64}
LN2 = {32: LN2_32, 64: LN2_64}
MANTISSA = {32: 23, 64: 52}
BIAS = {32: 127, 64: 1023}
# Past these, exp is infinite or 0; below the third, its result or the factor for it is subnormal.
HIGHEST = {32: 89.0, 64: 710.0}
LOWEST = {32: -104.5, 64: -746.0}
SUBNORMAL = {32: -86.0, 64: -707.0}
LIFT = {32: 64, 64: 512}


def rounded(x: Number) -> tuple[Number, Number]:
    """The whole number nearest to a small `x`, as a float and as an integer.

    Adding 1.5 * 2 ** 52 leaves it in the last bits: few processors convert many numbers at once.
    """
    magic = 1.5 * 2.0 ** MANTISSA[x.bits]
    shifted = x + magic
    return shifted - magic, integer_of(shifted)


def integer_of(shifted: Number) -> Number:
    """The integer that such an addition has left in the last bits."""
    magic = shifted.real(1.5 * 2.0 ** MANTISSA[shifted.bits])
    return shifted.as_bits() - int(magic.view(np.int32 if shifted.bits == 32 else np.int64))


def whole_as_float(k: Number) -> Number:
    """The float of a small integer."""
    if k.bits == 32:  # which every processor converts in vectors
        return k.to_float()
    real: Any = {32: np.float32, 64: np.float64}[k.bits]
    magic = real(1.5 * 2.0 ** MANTISSA[k.bits])
    bits = int(magic.view(np.int32 if k.bits == 32 else np.int64))
    return (k + bits).as_float() - magic


def power_of_two(k: Number) -> Number:
    """`2.0 ** k` for an integer whose result is a normal number."""
    return ((k + BIAS[k.bits]) << MANTISSA[k.bits]).as_float()


def times_power_of_two(x: Number, shifted: Number) -> Number:
    """`x * 2 ** n`, rounded once, of an `x` near 1 and the whole number that is in the last bits.

    Without an instruction for it there are two factors that are both normal numbers, of which only
    the second can round.
    """
    if llvm_values.has_ldexp():
        return ldexp(x, integer_of(shifted))
    shift = MANTISSA[x.bits]
    bits, bias = shifted.as_bits(), BIAS[x.bits] << shift
    first = (bits << (shift - 1)) & -(1 << shift)  # n // 2, where floats have their exponents
    second = (bits << shift) - first
    return x * (first + bias).as_float() * (second + bias).as_float()


def clamped(x: Number, low: float, high: float) -> Number:
    """NaN stays NaN."""
    x = where(x > high, x.like(high), x)
    return where(x < low, x.like(low), x)


class Reduced(NamedTuple):
    """`x = n * ln 2 + r + c`, where `c` is below the precision of `r`.

    The last bits of `exponent` are those of the float `2 ** (n - 1)`, once they are shifted.
    """

    n: Number
    r: Number
    c: Number
    exponent: Number


def reduced(x: Number) -> Reduced:
    magic = 1.5 * 2.0 ** MANTISSA[x.bits] + BIAS[x.bits] - 1
    shifted = fma(x, 1 / math.log(2), magic)
    n = shifted - magic
    high, low = LN2[x.bits]
    first = fma(n, -high, x)
    r = fma(n, -low, first)
    return Reduced(n, r, fma(n, -low, first - r), shifted.as_bits())


def half_scale(exponent: Number) -> Number:
    """`2 ** (n - 1)`: that of the largest results is a float, while `2 ** n` is none."""
    return (exponent << MANTISSA[exponent.bits]).as_float()


def scaled(value: Number, x: Number, exponent: Number) -> Number:
    """`value * 2 ** n`, rounded once where that is subnormal."""
    lift = LIFT[x.bits]
    tiny = x < SUBNORMAL[x.bits]
    exponent = where(tiny, exponent + lift, exponent)
    return value * half_scale(exponent) * where(tiny, x.like(2.0 ** (1 - lift)), x.like(2.0))


def exp_tail(r: Number) -> Number:
    """`exp(r) - 1 - r` of a reduced `r`, exact to the precision of `r`."""
    return r * r * polynomial(r, TAIL[r.bits])


def short_tail(r: Number) -> Number:
    """The same, exact to the precision of 1."""
    return r * r * polynomial(r, SHORT_TAIL[r.bits])


def exp(x: Number) -> Number:
    x = clamped(x, LOWEST[x.bits], HIGHEST[x.bits])
    high, low = LN2[x.bits]
    magic = 1.5 * 2.0 ** MANTISSA[x.bits]
    shifted = fma(x, 1 / math.log(2), magic)
    n = shifted - magic
    r = fma(n, -low, fma(n, -high, x))
    near = polynomial(r, (1.0, 1.0, *SHORT_TAIL[x.bits]))
    return times_power_of_two(near, shifted)


def exp_times(factor: Number, x: Number, low: Number) -> Number:
    """`factor * exp(x + low)`, where `low` is below the precision of `x`."""
    x = clamped(x, LOWEST[x.bits], HIGHEST[x.bits])
    _, r, c, exponent = reduced(x)
    tail, lost = exp_tail(r), low + c
    grown = (tail + fma(tail + r, lost, lost)) + r
    return scaled(fma(grown, factor, factor), x, exponent)


def small_power(t: Number) -> tuple[Number, Number]:
    """`2 ** t` to half the usual precision relative to 1, for `t` between -120 and 120, as a number
    near 1 and a power of two: what adds to their product rounds once.

    The shifted `n` already holds the bits of `2 ** n`.
    """
    shift = MANTISSA[t.bits]
    shifted = t + (1.5 * 2.0**shift + BIAS[t.bits])
    f = t - (shifted - (1.5 * 2.0**shift + BIAS[t.bits]))
    natural = (1.0, 1.0, *SHORT_TAIL[t.bits])
    terms = [term * math.log(2) ** k for k, term in enumerate(natural)]
    return polynomial(f, terms), (shifted.as_bits() << shift).as_float()


def expm1(x: Number) -> Number:
    """With `p = exp(r) - 1` it is `2 ** n * p + (2 ** n - 1)`, of which half is computed first."""
    y = clamped(x, SUBNORMAL[x.bits], HIGHEST[x.bits])
    n, r, c, exponent = reduced(y)
    p = r + (exp_tail(r) + c)
    half = half_scale(exponent)
    result = fma(half, p, half - 0.5) * 2.0
    return where(n == 0.0, where(x == 0.0, x, p), where(x != x, x, result))


def sigmoid(x: Number) -> Number:
    """`2 ** n / (2 ** n + exp(-r))` with `x = n * ln 2 + r`.

    The sum is that of `2 ** n + 1`, of what its rounding lost, and of `exp(-r) - 1`.
    """
    y = clamped(x, LOWEST[x.bits], {32: 18.0, 64: 40.0}[x.bits])
    magic = 1.5 * 2.0 ** MANTISSA[x.bits]
    shifted = fma(y, 1 / math.log(2), magic)
    whole, n = shifted - magic, integer_of(shifted)
    high, low = LN2[x.bits]
    r = fma(whole, low, fma(whole, high, -y))
    power = power_of_two(where(n < -64, n.like(-64), n))
    total = power + 1.0
    lost = power - (total - 1.0)
    rest = fma(polynomial(r, (1.0, *SHORT_TAIL[x.bits])), r, lost)
    return times_power_of_two(1.0 / (total + rest), shifted)


def tanh(x: Number) -> Number:
    """By the addition theorem, with `|x| = n * ln 2 / 2 + r` and `s = 2 ** -n`, so that `tanh` of
    the first term is `(1 - s) / (1 + s)`.

    Rounding to a half and then down leaves r between -1/8 and 3/8 of ln 2: where n is 1, the
    numerator is not small. The denominator is computed from it, so most of its error cancels.
    """
    size, end = fabs(x), {32: 9.5, 64: 20.0}[x.bits]
    y = where(size > end, x.like(end), size)
    shift = MANTISSA[x.bits] - 1
    magic = 1.5 * 2.0**shift + BIAS[x.bits]
    doubled = fma(y, -2.0 / math.log(2), magic + 0.5).as_bits() & -2
    s = (doubled << shift).as_float()
    t = tanh_near_0(plus_multiple_of_half_ln2(y, doubled.as_float() - magic))
    top = fma(s + 1.0, t, 1.0 - s)
    return copysign(top / fma(s + s, 1.0 - t, top), x)


def plus_multiple_of_half_ln2(y: Number, n: Number) -> Number:
    """`y + n * ln 2 / 2` where it is small. In float32, one term is exact enough."""
    terms = (math.log(2),) if is_narrow(y) else LN2[y.bits]
    for term in terms:
        y = fma(n, term / 2, y)
    return y


def tanh_near_0(r: Number) -> Number:
    z = r * r
    return fma(r * z, polynomial(z, {32: TANH_32, 64: TANH_64}[r.bits]), r)


def is_narrow(x: Number) -> bool:
    """Whether a formula in float32 is exact enough: it takes fused multiply-add."""
    return x.bits == 32 and llvm_values.has_fused_multiply_add()


def widened(formula):
    """The formula of float64 for float32 too, rounded once at the end."""

    def wide(*numbers: Number) -> Number:
        if numbers[0].bits == 64:
            return formula(*numbers)
        return formula(*(number.to_float(64) for number in numbers), short=True).to_float(32)

    wide.__name__ = formula.__name__
    return wide


def hyperbolic(x: Number) -> tuple[Number, Number]:
    """Half of exp(|x|) and half of exp(-|x|)."""
    size, end = fabs(x), {32: 89.5, 64: 710.6}[x.bits]
    _, r, c, exponent = reduced(where(size > end, x.like(end), size))
    e = ((short_tail(r) + c) + r) + 1.0
    half = e * half_scale(exponent - 1) * 2.0
    return half, 0.25 / half


def sinh(x: Number) -> Number:
    z = x * x
    near = fma(x * z, polynomial(z, {32: SINH_WIDE, 64: SINH_64}[x.bits]), x)
    grown, shrunk = hyperbolic(x)
    return where(fabs(x) < 1.0, near, copysign(grown - shrunk, x))


def cosh(x: Number) -> Number:
    grown, shrunk = hyperbolic(x)
    return grown + shrunk


FORMULAS = (exp, expm1, sigmoid, tanh, sinh, cosh)
