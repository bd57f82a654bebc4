"""The error function and its complement."""

from __future__ import annotations

import math

from ...jit.llvm_values import Number, copysign, fabs, fma, polynomial, residue, where
from .coefficients import (
    ERF_32,
    ERF_64,
    ERFC_64,
    ERFC_LOG_32,
    ERFC_LOG_64,
    ERFC_WIDE,
    EXP2_OF_ERFC_32,
)
from .exponential import exp_times, small_power, widened

NEAR = {32: ERF_32, 64: ERF_64}
FAR = {32: (ERFC_LOG_32, 4.0), 64: (ERFC_LOG_64, 6.0)}
MIDDLE = 0.9375  # as in the fits


def erf(x: Number) -> Number:
    """Its series near 0, else `1 - exp(log(erfc(x)))`, of which only few bits matter."""
    size = fabs(x)
    near = fma(x, polynomial(x * x, NEAR[x.bits]), x)
    coefficients, end = FAR[x.bits]
    inside = where(size > end, x.like(end), size)
    in_twos = [coefficient / math.log(2) for coefficient in coefficients]
    terms = EXP2_OF_ERFC_32 if x.bits == 32 else None
    power, scale = small_power(polynomial(inside, in_twos), terms)
    return where(size < MIDDLE, near, copysign(fma(-power, scale, 1.0), x))


@widened
def erfc(x: Number, short: bool = False) -> Number:
    """`exp(-x * x) * g((x - 4) / (x + 4)) / (1 + 2 x)`, and 2 minus that for negative x.

    Source of the form: Shepherd and Laframboise, Mathematics of Computation 36, 1981.
    """
    size = fabs(x)
    y = where(size > 28.0, x.like(28.0), size)
    g = polynomial((y - 4.0) / (y + 4.0), ERFC_WIDE if short else ERFC_64)
    d = fma(y, 2.0, 1.0)
    ratio = g / d
    square = y * y
    # What the roundings of the square, of `d` and of the ratio lose goes into the exponent: g is
    # between 1 and 1.25, so that 0.9 is near enough to its inverse.
    lost = (residue(g, ratio, d) - ratio * (fma(y, 2.0, -d) + 1.0)) * 0.9
    made = exp_times(ratio, -square, lost + residue(square, y, y))
    if not short:
        near = fma(-size, polynomial(square, ERF_64), 1.0 - size)
        made = where(size < 0.75, near, made)
    return where(x < 0.0, 2.0 - made, made)


FORMULAS = (erf, erfc)
