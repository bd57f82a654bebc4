"""Sine, cosine and tangent: `x = n * pi / 2 + r`, and polynomials of `r`, at most pi / 4.

Pi / 2 comes in parts of 30 bits, so that `n` times each is exact (Cody and Waite, "Software manual
for the elementary functions", 1980). That holds up to `FAR`: a loop that meets larger numbers is
done again with the C library.
"""

from __future__ import annotations

import math

from ...jit.llvm_values import Number, fabs, fma, polynomial, residue, where
from .coefficients import COS_64, COS_WIDE, HALF_PI, SIN_64, SIN_WIDE
from .exponential import rounded, widened

FAR = 2.0**22


def far(x: Number) -> Number:
    """Whether `x` is out of reach for `sin`, `cos` and `tan`."""
    size = fabs(x)
    return (size > FAR) & (size < math.inf)


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
        made = r - step
        back = made - r
        low = low + ((r - (made - back)) - (step + back))
        r = made
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


def signed(x: Number, quadrant: Number) -> Number:
    """`-x` in the quadrants 2 and 3."""
    return (x.as_bits() ^ ((quadrant & 2) << (x.bits - 2))).as_float()


def wave(x: Number, short: bool, ahead: int) -> Number:
    k, r, c = turned(x, short)
    k = k + ahead
    odd = (k & 1) == 1
    sine, cosine = sine_parts(r, c, short), cosine_parts(r, c, short)
    return signed(where(odd, cosine[0] + cosine[1], sine[0] + sine[1]), k)


@widened
def sin(x: Number, short: bool = False) -> Number:
    return where(x == 0.0, x, wave(x, short, 0))


@widened
def cos(x: Number, short: bool = False) -> Number:
    return wave(x, short, 1)


@widened
def tan(x: Number, short: bool = False) -> Number:
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


FORMULAS = (far, sin, cos, tan)
