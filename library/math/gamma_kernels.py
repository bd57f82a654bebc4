"""The zeta function, and incomplete gamma and beta functions, in kernels, in float64."""

from __future__ import annotations

import math

import numpy as np

from ...extend.kernels import intrinsic, kernel_function
from .kernel_numbers import (
    EPSILON,
    EULER,
    INFINITY,
    NAN,
    PI,
    bernoulli,
    digamma,
    erfc,
    exp,
    expm1,
    floor,
    lgamma,
    log,
    log1p,
    power,
    series,
    sqrt,
    zeta_of,
)

# ---- zeta and gamma functions ------------------------------------------------------------------

TAIL = [float(bernoulli(2 * k) / math.factorial(2 * k)) for k in range(1, 13)]


@intrinsic
def zeta_tail(writer, exponent, start):
    """The terms of Euler and Maclaurin with derivatives of `start ** -exponent`, divided by that:
    each is the one before, times two factors.
    """
    x, a = (writer.number(number, np.dtype(np.float64)) for number in (exponent, start))
    total = x.like(0.0)
    for k in range(len(TAIL) - 1, 0, -1):
        step = (x + (2.0 * k - 1.0)) * (x + 2.0 * k) / (a * a) * (TAIL[k] / TAIL[k - 1])
        total = step * (total + 1.0)
    return x / a * TAIL[0] * (total + 1.0)


@kernel_function
def zeta(x, q):
    if x == 1.0:
        return INFINITY
    if x < 1.0 or q != q:
        return NAN
    if q <= 0.0:
        if q == floor(q):
            return INFINITY
        if x != floor(x):
            return NAN
    if x != x:
        return x
    if q > 1e8:
        return (1.0 / (x - 1.0) + 1.0 / (2.0 * q)) * power(q, 1.0 - x)
    if x == INFINITY and q > 1.0:
        return NAN  # as SciPy
    total, a = 0.0, q
    while a <= 12.0 or a < x:  # the series below has terms of x / a
        term = power(a, -x)
        total += term
        if a > 0.0 and term <= EPSILON * total:
            return total
        a += 1.0
    last = power(a, -x)
    return total + last * (a / (x - 1.0) + 0.5 + zeta_tail(x, a))


@kernel_function
def polygamma(n, x):
    if n == 0.0:
        return digamma(x)
    if n != floor(n):
        return NAN
    factor, k = 1.0, 1.0
    while k < n and factor < INFINITY:
        k += 1.0
        factor *= k
    if n < 0.0:
        factor = INFINITY
    value = factor * zeta(n + 1.0, x)
    return value if 2.0 * floor(0.5 * n) != n or n == INFINITY else -value


# What Stirling's formula for the logarithm of the gamma function lacks, in powers of 1 / x ** 2.
stirling_series = series([float(bernoulli(2 * k) / (2 * k * (2 * k - 1))) for k in range(1, 9)])


@kernel_function
def stirling(x):
    """`lgamma(x) - (x - 0.5) * log(x) + x - log(2 * pi) / 2`, from 10 on."""
    return stirling_series(1.0 / (x * x)) / x


# Of `(d - log1p(d)) / d ** 2`, in powers of d.
near_excess = series([(-1) ** k / (k + 2) for k in range(10)])


@kernel_function
def excess(x, mean):
    """`r - 1 - log(r)` for the ratio r of a number to its mean."""
    distance = (x - mean) / mean
    if abs(distance) < 0.01:
        return distance * distance * near_excess(distance)
    return distance - (log1p(distance) if abs(distance) < 0.5 else log(x / mean))


# Of lgamma(1 + a) / a without its first term, in powers of a.
near_lgamma = series([(-1) ** k * zeta_of(k) / k for k in range(2, 18)])


@kernel_function
def lgamma1p(a):
    """`lgamma(1 + a)`, for a >= 0, where the sum would round a away."""
    return a * (a * near_lgamma(a) - EULER) if a < 0.0625 else lgamma(1.0 + a)


@kernel_function
def gamma_density(a, x):
    """`x ** a * exp(-x) / gamma(a + 1)`."""
    if a < 10.0:
        return exp(a * log(x) - x - lgamma1p(a))
    return exp(-a * excess(x, a) - stirling(a)) / sqrt(2.0 * PI * a)


@kernel_function
def lower_series(a, x):
    term, total, n = 1.0, 1.0, a
    while term > EPSILON * total:
        n += 1.0
        term *= x / n
        total += term
    return total * gamma_density(a, x)


@kernel_function
def upper_fraction(a, x):
    b = x + 1.0 - a
    c, d, k = 1e300, 1.0 / b, 0.0
    h, ratio = d, 0.0
    while abs(ratio - 1.0) > 4.0 * EPSILON and k < 100000.0:
        k += 1.0
        n = -k * (k - a)
        b += 2.0
        d = n * d + b
        d = 1e300 if d == 0.0 else 1.0 / d
        c = b + n / c
        c = 1e-300 if c == 0.0 else c
        ratio = c * d
        h *= ratio
    return h * a * gamma_density(a, x)


@kernel_function
def upper_of_small(a, x):
    """The part above x, for orders below 1 and numbers about as small."""
    term, total, k = 1.0, 0.0, 0.0
    change = 1.0
    while abs(change) > EPSILON * abs(total):
        k += 1.0
        term *= -x / k
        change = term / (a + k)
        total += change
    level = a * log(x) - lgamma1p(a)
    return -expm1(level) - exp(level) * a * total


# Of the first term of N. Temme's expansion, in powers of the distance.
temme_series = series([-1 / 3, 1 / 12, -2 / 135, 1 / 864])


@kernel_function
def part_of_large(a, x, sign):
    """The part above x, or below for a sign of -1, for orders from 1e8 on: nearly a normal one."""
    distance = sqrt(2.0 * excess(x, a)) * (1.0 if x > a else -1.0)
    normal = 0.5 * erfc(sign * distance * sqrt(0.5 * a))
    density = exp(-0.5 * a * distance * distance) / sqrt(2.0 * PI * a)
    return normal + sign * density * temme_series(distance)


@kernel_function
def incomplete(a, x, is_upper):
    """The regularized incomplete gamma functions."""
    if a != a or x != x or a < 0.0 or x < 0.0:
        return NAN
    if a == 0.0:
        upper = NAN if x == 0.0 else 0.0
    elif x == 0.0:
        upper = 1.0
    elif a == INFINITY:
        upper = NAN if x == INFINITY else 1.0
    elif x == INFINITY:
        upper = 0.0
    elif a > 1e8:
        return part_of_large(a, x, 1.0 if is_upper else -1.0)
    elif a < 1.0 and x < 1.5:
        if not is_upper:
            return lower_series(a, x)
        upper = upper_of_small(a, x)
    elif x < a + 1.0:
        lower = lower_series(a, x)
        return 1.0 - lower if is_upper else lower
    else:
        upper = upper_fraction(a, x)
    return upper if is_upper else 1.0 - upper


@kernel_function
def igamma(a, x):
    return incomplete(a, x, False)


@kernel_function
def igammac(a, x):
    return incomplete(a, x, True)


@kernel_function
def rise(a, b):
    """`lgamma(a + b) - lgamma(a)`, for a from 10 on."""
    return (a - 0.5) * log1p(b / a) + b * (log(a + b) - 1.0) + stirling(a + b) - stirling(a)


@kernel_function
def beta_density(a, b, x, y):
    """`x ** a * y ** b / beta(a, b)`, where x and y add up to 1."""
    level = a * (log(x) if x < 0.5 else log1p(-y)) + b * (log(y) if y < 0.5 else log1p(-x))
    if a < 10.0 and b < 10.0:
        return exp(level + lgamma(a + b) - lgamma(a) - lgamma(b))
    if a < 10.0:
        return exp(level + rise(b, a) - lgamma(a))
    if b < 10.0:
        return exp(level + rise(a, b) - lgamma(b))
    level = a * excess((a + b) * x, a) + b * excess((a + b) * y, b)
    correction = stirling(a + b) - stirling(a) - stirling(b)
    return exp(correction - level) * sqrt(a * b / (2.0 * PI * (a + b)))


@kernel_function
def beta_fraction(a, b, x, y):
    """What the density is divided by, a continued fraction of y = 1 - x too, by Lentz's method."""
    level = a * y - b * x + 1.0
    h = a * level / (a + 1.0)
    h = 1e-300 if h == 0.0 else h
    c, d, ratio, m = h, 0.0, 0.0, 0.0
    while abs(ratio - 1.0) > 4.0 * EPSILON and m < 100000.0:
        m += 1.0
        odd, share = a + (2.0 * m - 1.0), m * (b - m) * x
        n = (a + (m - 1.0)) / odd * ((a + b + (m - 1.0)) / odd) * share * x
        term = m + share / odd + (a + m) / (odd + 2.0) * (level + m * (2.0 - x))
        d = 1.0 / (term + n * d)
        c = term + n / c
        ratio = c * d
        h *= ratio
    return h


@kernel_function
def betainc(a, b, x):
    if not (a >= 0.0 and b >= 0.0 and x >= 0.0 and x <= 1.0):
        return NAN
    if (a == 0.0 and b == 0.0) or (a == INFINITY and b == INFINITY):
        return NAN
    if x == 0.0 or x == 1.0:
        return x
    if a == 0.0 or b == INFINITY:
        return 1.0
    if b == 0.0 or a == INFINITY:
        return 0.0
    if x <= (a + 1.0) / (a + b + 2.0):
        return beta_density(a, b, x, 1.0 - x) / beta_fraction(a, b, x, 1.0 - x)
    return 1.0 - beta_density(b, a, 1.0 - x, x) / beta_fraction(b, a, 1.0 - x, x)
