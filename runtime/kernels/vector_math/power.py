"""`x ** y = exp(y * log(x))`, with a logarithm in two parts, since `y` enlarges its error."""

from __future__ import annotations

import math

import numpy as np

from ...jit.llvm_values import Number, fabs, fma, polynomial, residue, rint, where
from .coefficients import (
    EXP_32,
    EXP_WIDE,
    LN2_LONG,
    LOG_LONG,
    LOG_PAIR,
    LOG_WIDE,
    TWO_OVER_LN2_32,
    TWO_THIRDS,
)
from .exponential import (
    MANTISSA,
    clamped,
    exp_times,
    is_narrow,
    power_of_two,
    rounded,
    times_power_of_two,
    whole_as_float,
    widened,
)
from .logarithm import lifted, split

LARGEST_32 = float(np.finfo(np.float32).max)
MOST_TWOS = 200.0  # 2 to a larger power is infinite in float32


def long_log(x: Number) -> tuple[Number, Number]:
    """The logarithm of a positive number to some 64 bits: a number and a correction.

    With `s = f / (2 + f)` it is `e * ln 2 + 2 s + 2 / 3 s ** 3 + s ** 5 * polynomial(s * s)`.
    """
    y, shift = lifted(x)
    m, e = split(y)
    n, f, d = whole_as_float(e + shift), m - 1.0, m + 1.0
    inverse = 1.0 / d
    s = f * inverse
    s_low = (residue(f, s, d) - s * (m - (d - 1.0))) * inverse
    z = s * s
    z_low = fma(s * 2.0, s_low, -residue(z, s, s))
    cube = z * s
    cube_low = fma(z_low, s, fma(z, s_low, -residue(cube, z, s)))
    third = cube * TWO_THIRDS[0]
    third_low = -residue(third, cube, cube.like(TWO_THIRDS[0]))
    third_low = third_low + fma(cube_low, TWO_THIRDS[0], cube * TWO_THIRDS[1])
    high, middle, low = LN2_LONG
    start = n * high
    most = start + s * 2.0
    lost = s * 2.0 - (most - start)
    total = most + third
    lost = lost + (third - (total - most))
    tail = fma(n, low, fma(s_low, 2.0, third_low)) + cube * z * polynomial(z, LOG_LONG)
    lost = lost + fma(n, middle, tail)
    logarithm = total + lost
    return logarithm, (total - logarithm) + lost


def positive_power(x: Number, y: Number) -> Number:
    high, low = long_log(x)
    product = y * high
    lost = fma(y, low, -residue(product, y, high))
    inside = fabs(product) < 800.0
    return exp_times(x.like(1.0), product, where(inside, lost, x.like(0.0)))


def short_power(x: Number, y: Number) -> Number:
    """To the precision of float32, of a float32 number: it is normal in float64."""
    m, e = split(x)
    f = m - 1.0
    s = f / (f + 2.0)
    z = s * s
    logarithm = fma(s * z, polynomial(z, LOG_WIDE), s * 2.0) * (1 / math.log(2))
    product = y * (whole_as_float(e) + logarithm)
    product = where(product > 1000.0, x.like(1000.0), product)
    product = where(product < -1000.0, x.like(-1000.0), product)
    n, k = rounded(product)
    r = (product - n) * math.log(2)
    return (fma(r * r, polynomial(r, EXP_WIDE), r) + 1.0) * power_of_two(k)


def log2_of_parts(m: Number, n: Number) -> tuple[Number, Number]:
    """`n + log2(m)` of float32 to some 31 bits: a number and a correction."""
    f, d = m - 1.0, m + 1.0
    inverse = 1.0 / d
    s = f * inverse
    s_low = fma(-s, m - (d - 1.0), fma(-s, d, f)) * inverse
    z = s * s
    in_twos = [coefficient / math.log(2) for coefficient in LOG_PAIR]
    high, low = TWO_OVER_LN2_32
    first = s * high
    lost = fma(s_low, fma(z, high, high), fma(s, low, fma(s, high, -first)))
    cube, factor = s * z, polynomial(z, in_twos)
    part = fma(cube, factor, first)
    lost = lost + fma(cube, factor, first - part)
    total = n + part
    return total, lost + (part - (total - n))


def narrow_power(x: Number, y: Number) -> Number:
    """`2 ** (y * log2 |x|)` with the sign of `x ** y`, in float32."""
    size, infinity = fabs(x), x.like(math.inf)
    normal, shift = lifted(size)
    m, e = split(normal)
    most, low = log2_of_parts(m, whole_as_float(e + shift))
    most = where(size == 0.0, -infinity, most)
    most = where(size < infinity, most, size)
    finite = clamped(y, -LARGEST_32, LARGEST_32)  # -1 to an infinite power is 1
    product = finite * most
    lost = fma(finite, low, fma(finite, most, -product))
    lost = where(fabs(product) < MOST_TWOS, lost, x.like(0.0))
    whole, negative = rint(y), x.as_bits() < 0
    # Of a number that is neither 0 nor infinite; with other exponents the product is finite.
    undefined = negative & (whole != y) & (fabs(product) < infinity)
    product = where(undefined, x.like(math.nan), clamped(product, -MOST_TWOS, MOST_TWOS))
    magic = 1.5 * 2.0 ** MANTISSA[32]
    shifted = product + magic
    r = (product - (shifted - magic)) + lost
    terms = (1.0, 1.0, *EXP_32)
    near = polynomial(r, [term * math.log(2) ** power for power, term in enumerate(terms)])
    result = times_power_of_two(near, shifted)
    result = where((y == 0.0) | (x == 1.0), x.like(1.0), result)
    half_y = y * 0.5
    odd = (whole == y) & (rint(half_y) != half_y)
    return where(negative & odd, -result, result)


def power(x: Number, y: Number) -> Number:
    return narrow_power(x, y) if is_narrow(x) else wide_power(x, y)


@widened
def wide_power(x: Number, y: Number, short: bool = False) -> Number:
    size = fabs(x)
    result = (short_power if short else positive_power)(size, y)
    zero, unit, infinity = x.like(0.0), x.like(1.0), x.like(math.inf)
    grows = y > 0.0
    result = where(size == 0.0, where(grows, zero, infinity), result)
    result = where(size == math.inf, where(grows, infinity, zero), result)
    result = where(size == 1.0, unit, result)
    whole = rint(y) == y
    odd = whole & (rint(y * 0.5) != y * 0.5)
    negative = x.as_bits() < 0
    result = where(negative & odd, -result, result)
    defined = whole | (x >= 0.0) | (size == math.inf)
    result = where(defined, result, x.like(math.nan))
    result = where((x != x) | (y != y), x + y, result)
    return where((y == 0.0) | (x == 1.0), unit, result)


FORMULAS = (power,)
