"""The zeta function, and incomplete gamma and beta functions, in kernels, in float64."""

from __future__ import annotations

import math

import numpy as np

from ...extend.kernels import intrinsic, kernel_function
from .kernel_numbers import (
    EPSILON,
    INFINITY,
    NAN,
    PI,
    bernoulli,
    digamma,
    exp,
    expm1,
    floor,
    lgamma,
    log,
    log1p,
    power,
    series,
    sqrt,
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
    total, a = 0.0, q
    while a <= 12.0:
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


@kernel_function
def excess(x):
    """`x - log1p(x)`."""
    return x - log1p(x)


@kernel_function
def gamma_density(a, x):
    """`x ** a * exp(-x) / gamma(a + 1)`."""
    if a < 10.0:
        return exp(a * log(x) - x - lgamma(a + 1.0))
    return exp(-a * excess((x - a) / a) - stirling(a)) / sqrt(2.0 * PI * a)


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
    level = a * log(x) - lgamma(1.0 + a)
    return -expm1(level) - exp(level) * a * total


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
def beta_density(a, b, x):
    """`x ** a * (1 - x) ** b / beta(a, b)`."""
    if a < 10.0 and b < 10.0:
        return exp(a * log(x) + b * log1p(-x) + lgamma(a + b) - lgamma(a) - lgamma(b))
    if a < 10.0:
        return exp(a * log(x) + b * log1p(-x) + rise(b, a) - lgamma(a))
    if b < 10.0:
        return exp(a * log(x) + b * log1p(-x) + rise(a, b) - lgamma(b))
    distance = (a + b) * x - a
    level = a * excess(distance / a) + b * excess(-distance / b)
    correction = stirling(a + b) - stirling(a) - stirling(b)
    return exp(correction - level) * sqrt(a * b / (2.0 * PI * (a + b)))


@kernel_function
def beta_fraction(a, b, x):
    """The factor of the density, times a, by Lentz's method."""
    c, d = 1.0, 1.0 - (a + b) * x / (a + 1.0)
    d = 1e300 if d == 0.0 else 1.0 / d
    h, ratio, m = d, 0.0, 0.0
    while abs(ratio - 1.0) > 4.0 * EPSILON and m < 100000.0:
        m += 1.0
        n = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m))
        d = 1.0 / (1.0 + n * d)
        c = 1.0 + n / c
        h *= d * c
        n = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0))
        d = 1.0 / (1.0 + n * d)
        c = 1.0 + n / c
        ratio = d * c
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
        return beta_density(a, b, x) * beta_fraction(a, b, x) / a
    return 1.0 - beta_density(b, a, 1.0 - x) * beta_fraction(b, a, 1.0 - x) / b
