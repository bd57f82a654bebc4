"""Sine, cosine and tangent: `x = n * pi / 2 + r`, and polynomials of `r`, at most pi / 4.

Pi / 2 comes in parts of 30 bits, so that `n` times each is exact (Cody and Waite, "Software manual
for the elementary functions", 1980). That holds up to a limit, which the operations state: a loop
that meets a larger number is done again with the C library.

Those of float32 stay in float32 where the processor has fused multiply-add: it subtracts `n` times
a part without rounding the product. Otherwise they take float64.
"""

from __future__ import annotations

import math

from ...jit.llvm_values import Number, fabs, fma, polynomial, residue, where
from .coefficients import (
    COS_32,
    COS_64,
    COS_WIDE,
    HALF_PI,
    HALF_PI_32,
    SIN_32,
    SIN_64,
    SIN_WIDE,
    TAN_32,
)
from .exponential import MANTISSA, is_narrow, rounded, widened


def magnitude(x: Number) -> Number:
    """`|x|` of a finite number; else 0, for which every formula is good enough."""
    size = fabs(x)
    return where(size < math.inf, size, x.like(0.0))


def turned(x: Number, short: bool) -> tuple[Number, Number, Number]:
    """`k`, `r` and `c` with `x = k * pi / 2 + r + c`; `c` is below the precision of `r`."""
    n, k = rounded(x * (2 / math.pi))
    first, *others, last = HALF_PI
    r = x - n * first
    if short:
        return k, (r - n * others[0]) - n * (others[1] + last), x.like(0.0)
    low = x.like(0.0)
    for part in (*others, last):
        # Two numbers for a difference: the rounded one, and what the rounding lost (Knuth).
        step = n * part
        rest = r - step
        back = rest - r
        low = low + ((r - (rest - back)) - (step + back))
        r = rest
    total = r + low
    return k, total, (r - total) + low


def sine_parts(r: Number, c: Number, short: bool) -> tuple[Number, Number]:
    """The sine of `r + c`, as a number and a correction."""
    z = r * r
    return r, fma(z * r, polynomial(z, SIN_WIDE if short else SIN_64), fma(z * -0.5, c, c))


def cosine_parts(r: Number, c: Number, short: bool) -> tuple[Number, Number]:
    z = r * r
    half = z * 0.5
    most = 1.0 - half
    lost = (1.0 - most) - half
    return most, lost + fma(z * z, polynomial(z, COS_WIDE if short else COS_64), -(r * c))


def sum_of(parts: tuple[Number, Number]) -> Number:
    return parts[0] + parts[1]


def narrow_turned(x: Number) -> tuple[Number, Number, Number]:
    """`k`, `r` and `c` with `x = k * pi / 2 + r + c` of float32; `c` is small.

    The product with the rounded 2 / pi may select the next `k`: `r` may be above pi / 4.
    """
    magic = 1.5 * 2.0 ** MANTISSA[32]
    shifted = fma(x, 2 / math.pi, magic)
    n, (high, middle, low) = shifted - magic, HALF_PI_32
    first = fma(n, -high, x)
    r = fma(n, -middle, first)
    step = first - r
    lost = (first - step) - r  # of the step, where little is left of the angle
    return shifted.as_bits(), r, fma(n, -low, fma(n, -middle, step) + lost)


def sine_and_cosine(x: Number) -> tuple[Number, Number, Number]:
    """`k`, and the sine and the cosine of `r`, where `x` is `k * pi / 2 + r`; all of float32."""
    magic = 1.5 * 2.0 ** MANTISSA[32]
    shifted = fma(x, 2 / math.pi, magic)
    n, r = shifted - magic, x
    for part in HALF_PI_32:
        r = fma(n, -part, r)
    z = r * r
    sine = fma(z * r, polynomial(z, SIN_32), r)
    return shifted.as_bits(), sine, polynomial(z, (1.0, -0.5, *COS_32))


def chosen(k: Number, sine: Number, cosine: Number) -> Number:
    """The sine of `k * pi / 2 + r` from sine and cosine of `r`: negative in quadrants 2 and 3."""
    result = where((k & 1) == 1, cosine, sine)
    return (result.as_bits() ^ ((k & 2) << (result.bits - 2))).as_float()


@widened
def wide_sin(x: Number, short: bool = False) -> Number:
    k, r, c = turned(x, short)
    return chosen(k, sum_of(sine_parts(r, c, short)), sum_of(cosine_parts(r, c, short)))


@widened
def wide_cos(x: Number, short: bool = False) -> Number:
    k, r, c = turned(x, short)
    return chosen(k + 1, sum_of(sine_parts(r, c, short)), sum_of(cosine_parts(r, c, short)))


def sin(x: Number) -> Number:
    result = chosen(*sine_and_cosine(x)) if is_narrow(x) else wide_sin(x)
    return where(x == 0.0, x, result)


def cos(x: Number) -> Number:
    if not is_narrow(x):
        return wide_cos(x)
    k, sine, cosine = sine_and_cosine(x)
    return chosen(k + 1, sine, cosine)


def narrow_tan(x: Number) -> Number:
    """The tangent of `r + c`, or else -1 divided by it."""
    k, r, c = narrow_turned(x)
    z = r * r
    tangent = r + fma(z * r, polynomial(z, TAN_32), fma(z, c, c))
    odd = (k & 1) == 1
    result = where(odd, x.like(-1.0), tangent) / where(odd, tangent, x.like(1.0))
    return where(x == 0.0, x, result)


def tan(x: Number) -> Number:
    return narrow_tan(x) if is_narrow(x) else wide_tan(x)


@widened
def wide_tan(x: Number, short: bool = False) -> Number:
    k, r, c = turned(x, short)
    odd = (k & 1) == 1
    (s, s_low), (w, w_low) = sine_parts(r, c, short), cosine_parts(r, c, short)
    top, top_low = where(odd, -w, s), where(odd, -w_low, s_low)
    bottom, bottom_low = where(odd, s, w), where(odd, s_low, w_low)
    above, below = top + top_low, bottom + bottom_low
    quotient = above / below
    if not short:
        above_lost = (top - above) + top_low
        below_lost = (bottom - below) + bottom_low
        rest = residue(above, quotient, below) + (above_lost - quotient * below_lost)
        quotient = quotient + rest / below
    return where(x == 0.0, x, quotient)


FORMULAS = (magnitude, sin, cos, tan)
