"""The error function and its complement."""

from __future__ import annotations

import math

from ...jit.llvm_values import Number, copysign, fabs, fma, polynomial, residue, where
from .coefficients import ERF_32, ERF_64, ERFC_64, ERFC_LOG_64, ERFC_ROOT_32, ERFC_WIDE
from .exponential import exp_times, small_power, widened

END = {32: 4.0, 64: 6.0}  # from here on erf is 1
MIDDLE = {32: 1.140625, 64: 0.9375}  # as in the fits


def erf(x: Number) -> Number:
    """Its series near 0, else 1 - erfc(x), of which only few bits matter."""
    size, end, middle = fabs(x), END[x.bits], MIDDLE[x.bits]
    near = fma(x, polynomial(x * x, ERF_32 if x.bits == 32 else ERF_64), x)
    inside = where(size > end, x.like(end), size)
    far = _less_erfc_32(inside) if x.bits == 32 else _less_erfc_64(inside)
    return where(size < middle, near, copysign(far, x))


def _less_erfc_32(x: Number) -> Number:
    """`1 - erfc(x)`, of which a polynomial is the fourth root: no other formula needs so few
    instructions.
    """
    root = polynomial(x, ERFC_ROOT_32)
    square = root * root
    return fma(-square, square, 1.0)


def _less_erfc_64(x: Number) -> Number:
    """`1 - exp(log(erfc(x)))`."""
    in_twos = [coefficient / math.log(2) for coefficient in ERFC_LOG_64]
    power, scale = small_power(polynomial(x, in_twos))
    return fma(-power, scale, 1.0)


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
    result = exp_times(ratio, -square, lost + residue(square, y, y))
    if not short:
        near = fma(-size, polynomial(square, ERF_64), 1.0 - size)
        result = where(size < 0.75, near, result)
    return where(x < 0.0, 2.0 - result, result)


FORMULAS = (erf, erfc)
