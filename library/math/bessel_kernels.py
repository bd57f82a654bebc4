"""Bessel functions in kernels, in float64: series, recurrences and continued fractions."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable

from ...extend.kernels import kernel_function, named_function
from .kernel_numbers import EPSILON, EULER, INFINITY, NAN, PI, exp, floor, log, sqrt

LEVEL_OF_ONE = EULER - math.log(2.0)  # half of the least number is zero, which has no logarithm

# ---- modified Bessel functions -----------------------------------------------------------------


@kernel_function
def scaled_i(x, order):
    """`exp(-x) * I(x)` of order 0 or 1, for x >= 0."""
    if not x < INFINITY:
        return 0.0 if x == INFINITY else x
    if x <= 20.0:
        q = 0.25 * x * x
        term = 0.5 * x if order else 1.0
        total, k = term, 0.0
        while term > EPSILON * total:
            k += 1.0
            term *= q / (k * (k + order))
            total += term
        return total * exp(-x)
    term, total, k, least = 1.0, 1.0, 0.0, 4.0 * order
    while abs(term) > EPSILON and k < 60.0:
        k += 1.0
        odd = 2.0 * k - 1.0
        term *= (odd * odd - least) / (8.0 * k * x)
        total += term
    return total / sqrt(2.0 * PI * x)


@kernel_function
def bessel_i0e(x):
    return scaled_i(abs(x), 0)


@kernel_function
def bessel_i1e(x):
    value = scaled_i(abs(x), 1)
    return -value if x < 0.0 else value


@kernel_function
def bessel_i0(x):
    size = abs(x)
    return scaled_i(size, 0) * exp(size)


@kernel_function
def bessel_i1(x):
    size = abs(x)
    value = scaled_i(size, 1) * exp(size)
    return -value if x < 0.0 else value


@kernel_function
def small_k(x, order):
    """K(x) of order 0 or 1 by its series, for 0 < x <= 2."""
    q, level = 0.25 * x * x, log(x) + LEVEL_OF_ONE
    term, harmonic, k = 1.0, 0.0, 0.0
    if order == 0:
        total = -level
        while term > EPSILON:
            k += 1.0
            term *= q / (k * k)
            harmonic += 1.0 / k
            total += term * (harmonic - level)
        return total
    total = level - 0.5
    while term > EPSILON:
        k += 1.0
        term *= q / (k * (k + 1.0))
        harmonic += 1.0 / k
        total += term * (level - harmonic - 0.5 / (k + 1.0))
    return 1.0 / x + 0.5 * x * total


@kernel_function
def large_k(x, order):
    """`exp(x) * K(x)` of order 0 or 1 by Temme's continued fraction, for x > 2."""
    b = 2.0 * (1.0 + x)
    d = 1.0 / b
    h, delta = d, d
    before, after, quarter = 0.0, 1.0, 0.25
    q, c, a = quarter, quarter, -quarter
    total, k = 1.0 + q * delta, 1.0
    change = total
    while abs(change) > EPSILON * abs(total) and k < 10000.0:
        k += 1.0
        a -= 2.0 * (k - 1.0)
        c = -a * c / k
        new = (before - b * after) / a
        before, after = after, new
        q += c * new
        b += 2.0
        d = 1.0 / (b + a * d)
        delta = (b * d - 1.0) * delta
        h += delta
        change = q * delta
        total += change
    value = sqrt(PI / (2.0 * x)) / total
    return value * (x + 0.5 - quarter * h) / x if order else value


@kernel_function
def scaled_k(x, order, is_scaled):
    if x != x or x < 0.0:
        return NAN
    if x == 0.0:
        return INFINITY
    if x == INFINITY:
        return 0.0
    if x <= 2.0:
        value = small_k(x, order)
        return value * exp(x) if is_scaled else value
    value = large_k(x, order)
    return value if is_scaled else value * exp(-x)


@kernel_function
def bessel_k0(x):
    return scaled_k(x, 0, False)


@kernel_function
def bessel_k0e(x):
    return scaled_k(x, 0, True)


@kernel_function
def bessel_k1(x):
    return scaled_k(x, 1, False)


@kernel_function
def bessel_k1e(x):
    return scaled_k(x, 1, True)


# ---- Bessel functions --------------------------------------------------------------------------


@kernel_function
def by_recurrence(x):
    """J0, J1, Y0 and Y1 by Miller's recurrence from a high order down, for 2 <= x < 25."""
    k = 2.0 * floor(0.5 * (x + 46.0))
    above, here = 0.0, 1e-200
    evens, terms0, terms1 = 0.0, 0.0, 0.0
    sign = 1.0 if 2.0 * floor(0.25 * k) == 0.5 * k else -1.0  # of (-1) ** (k / 2)
    while k > 0.0:  # `here` is of the even order k
        half = 0.5 * k
        evens += here
        terms0 += sign * here / half
        below = (2.0 * k / x) * here - above
        above, here, k = here, below, k - 1.0
        half = 0.5 * (k - 1.0)
        sign = -sign
        if half > 0.0:  # of the odd order k: the sign is that of (-1) ** half
            terms1 -= sign * (k / (half * (half + 1.0))) * here
        below = (2.0 * k / x) * here - above
        above, here, k = here, below, k - 1.0
    scale = 1.0 / (here + 2.0 * evens)
    j0, j1 = here * scale, above * scale
    level = log(0.5 * x) + EULER
    y0 = (2.0 / PI) * (level * j0 - 2.0 * terms0 * scale)
    y1 = (2.0 / PI) * (level * j1 - j0 / x - j1 + terms1 * scale)
    return j0, j1, y0, y1


@functools.cache
def asymptotic(family: str) -> Callable:
    """J and Y of order 0 or 1 by Hankel's series, from 25 on, with sines of a family."""
    sin, cos = (named_function(f"{name}_{family}64") for name in ("sin", "cos"))

    @kernel_function
    def far(x, order):
        least, term, p, q, k = 4.0 * order, 1.0, 1.0, 0.0, 0.0
        sign = 1.0
        while abs(term) > EPSILON and k < 60.0:
            k += 1.0
            odd = 2.0 * k - 1.0
            term *= (least - odd * odd) / (8.0 * k * x)
            q += sign * term
            k += 1.0
            odd = 2.0 * k - 1.0
            term *= (least - odd * odd) / (8.0 * k * x)
            sign = -sign
            p += sign * term
        half = sqrt(0.5)
        cosine, sine = (cos(x) + sin(x)) * half, (sin(x) - cos(x)) * half
        if order:
            cosine, sine = sine, -cosine
        scale = sqrt(2.0 / (PI * x))
        return scale * (p * cosine - q * sine), scale * (p * sine + q * cosine)

    return far


@kernel_function
def small_j(x, order):
    """J(x) of order 0 or 1 by its series, for 0 <= x < 2."""
    q, term, k = -0.25 * x * x, 1.0, 0.0
    total = term
    while abs(term) > EPSILON:
        k += 1.0
        term *= q / (k * (k + order))
        total += term
    return total * (0.5 * x) if order else total


@kernel_function
def small_y(x, order):
    """Y(x) of order 0 or 1 by its series, for 0 < x < 2."""
    q, level = -0.25 * x * x, log(x) + LEVEL_OF_ONE
    term, harmonic, k = 1.0, 0.0, 0.0
    if order == 0:
        total = level
        while abs(term) > EPSILON:
            k += 1.0
            term *= q / (k * k)
            harmonic += 1.0 / k
            total += term * (level - harmonic)
        return (2.0 / PI) * total
    total = level - 0.5
    while abs(term) > EPSILON:
        k += 1.0
        term *= q / (k * (k + 1.0))
        harmonic += 1.0 / k
        total += term * (level - harmonic - 0.5 / (k + 1.0))
    return (total * x - 2.0 / x) / PI


@functools.cache
def bessel(family: str) -> dict[str, Callable]:
    """The four functions; those of large numbers need sines, of a family."""
    far = asymptotic(family)

    @kernel_function
    def bessel_j0(x):
        x = abs(x)
        if x < 2.0:
            return small_j(x, 0)
        if x < 25.0:
            return by_recurrence(x)[0]
        return far(x, 0)[0] if x < INFINITY else x - x

    @kernel_function
    def bessel_j1(x):
        size = abs(x)
        if size < 2.0:
            value = small_j(size, 1)
        elif size < 25.0:
            value = by_recurrence(size)[1]
        else:
            value = far(size, 1)[0] if size < INFINITY else size - size
        return -value if x < 0.0 else value

    @kernel_function
    def bessel_y0(x):
        if not x > 0.0:
            return -INFINITY if x == 0.0 else NAN
        if x < 2.0:
            return small_y(x, 0)
        if x < 25.0:
            return by_recurrence(x)[2]
        return far(x, 0)[1] if x < INFINITY else x - x

    @kernel_function
    def bessel_y1(x):
        if not x > 0.0:
            return -INFINITY if x == 0.0 else NAN
        if x < 2.0:
            return small_y(x, 1)
        if x < 25.0:
            return by_recurrence(x)[3]
        return far(x, 1)[1] if x < INFINITY else x - x

    own = (bessel_j0, bessel_j1, bessel_y0, bessel_y1)
    return {function.__name__: function for function in own}
