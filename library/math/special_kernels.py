"""Special functions in kernels: inverse error functions, and integrals.

`functions(TYPE)` has `special_NAME_TYPE` for each name of `FUNCTIONS`, here and in the modules for
Bessel functions and for gamma functions. Float32 numbers are computed in float64 too, and rounded
at the end.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable

import numpy as np

from ...extend.kernels import intrinsic, kernel_function, residue
from .bessel_kernels import (
    bessel,
    bessel_i0,
    bessel_i0e,
    bessel_i1,
    bessel_i1e,
    bessel_k0,
    bessel_k0e,
    bessel_k1,
    bessel_k1e,
)
from .gamma_kernels import betainc, igamma, igammac, polygamma, zeta
from .kernel_numbers import (
    EPSILON,
    EULER,
    INFINITY,
    NAN,
    PI,
    bernoulli,
    cos,
    erf,
    erfc,
    exp,
    floor,
    log,
    log1p,
    series,
    sin,
    sqrt,
)

# ---- error functions ---------------------------------------------------------------------------

WINITZKI = 0.147
SLOPE = 2.0 / math.sqrt(PI)


@kernel_function
def guess(level):
    """Roughly z where `level` is `log(1 - erf(z) ** 2)`: a formula of S. Winitzki."""
    u = 2.0 / (PI * WINITZKI) + 0.5 * level
    return sqrt(sqrt(u * u - level / WINITZKI) - u)


@kernel_function
def central(x):
    """The inverse of erf between -0.5 and 0.5, by Halley's method."""
    z = x * (1.0 + x * x * (PI / 12.0)) / SLOPE
    for _ in range(3):
        distance = (erf(z) - x) / (SLOPE * exp(-z * z))
        z -= distance / (1.0 + z * distance)
    return z


@kernel_function
def tail(y):
    """The inverse of erfc between 0 and 0.5."""
    z = guess(log(y * (2.0 - y)))
    for _ in range(4):
        distance = (y - erfc(z)) / (SLOPE * exp(-z * z))
        z -= distance / (1.0 + z * distance)
    return z


@kernel_function
def erfinv(x):
    size = abs(x)
    if size < 0.5:
        return central(x)
    if size < 1.0:
        z = tail(1.0 - size)
        return -z if x < 0.0 else z
    return x * INFINITY if size == 1.0 else NAN


@kernel_function
def erfcinv(y):
    if y > 0.5 and y < 1.5:
        return central(1.0 - y)
    if y > 0.0 and y <= 0.5:
        return tail(y)
    if y >= 1.5 and y < 2.0:
        return -tail(2.0 - y)
    if y == 0.0:
        return INFINITY
    return -INFINITY if y == 2.0 else NAN


@kernel_function
def ndtri(p):
    return -sqrt(2.0) * erfcinv(2.0 * p)


# ---- integrals ---------------------------------------------------------------------------------


@kernel_function
def dawsn(x):
    q = x * x
    if q != q or q == INFINITY:
        return 0.5 / x
    if q > 50.0:
        term, total, k = 1.0, 1.0, 0.0
        while term > EPSILON:
            term *= (2.0 * k + 1.0) / (2.0 * q)
            total += term
            k += 1.0
        return total / (2.0 * x)
    power_, total, k = 1.0, 1.0, 0.0
    term = 1.0
    while term > EPSILON * total:
        k += 1.0
        power_ *= q / k
        term = power_ / (2.0 * k + 1.0)
        total += term
    return x * exp(-q) * total


@kernel_function
def integral_series(x):
    """The sum of `x ** k / (k * k!)` from k = 1 on."""
    power_, total, k, term = 1.0, 0.0, 0.0, 1.0
    while abs(term) > EPSILON * abs(total):
        k += 1.0
        power_ *= x / k
        term = power_ / k
        total += term
    return total


@kernel_function
def expint(x):
    if x == 0.0:
        return -INFINITY
    if x != x or x == INFINITY:
        return x
    if x >= -1.0 and x <= 40.0:
        return EULER + log(abs(x)) + integral_series(x)
    if x > 40.0:
        term, total, k = 1.0, 1.0, 0.0
        while term > EPSILON and k < 60.0:
            k += 1.0
            term *= k / x
            total += term
        return exp(x) / x * total
    if x < -750.0:
        return -0.0
    b = 1.0 - x
    c, d = 1e300, 1.0 / b
    h, ratio, k = d, 0.0, 0.0
    while abs(ratio - 1.0) > 4.0 * EPSILON and k < 1000.0:
        k += 1.0
        a = -k * k
        b += 2.0
        d = 1.0 / (a * d + b)
        c = b + a / c
        ratio = c * d
        h *= ratio
    return -h * exp(x)


# Of Li2(z), in powers of log(1 - z) ** 2.
dilogarithm_series = series(
    [float(bernoulli(2 * k) / math.factorial(2 * k + 1)) for k in range(11)]
)


@kernel_function
def near_one(x):
    """Spence's function between 0.5 and 2."""
    level = log1p(x - 1.0)
    return 0.0 - level * (dilogarithm_series(level * level) + 0.25 * level)


@kernel_function
def spence(x):
    if not (x >= 0.0 and x < INFINITY):
        return NAN
    if x == 0.0:
        return PI * PI / 6.0
    if x < 0.5:
        return PI * PI / 6.0 - log(x) * log1p(-x) - near_one(1.0 - x)
    if x <= 2.0:
        return near_one(x)
    half, y = 0.5 * log(x) * log(x), 1.0 / x  # by the function of 1 / x
    if y >= 0.5:
        return -half - near_one(y)
    if y == 0.0:
        return -half - PI * PI / 6.0
    return -half - (PI * PI / 6.0 - log(y) * log1p(-y) - near_one(1.0 - y))


@intrinsic
def rounding_of_square(writer, number, square):
    """`number ** 2 - square`, the rounding error of the square."""
    x, rounded = (writer.number(operand, np.dtype(np.float64)) for operand in (number, square))
    return residue(-rounded, x, -x)


@kernel_function
def beyond_fours(x):
    """x without the multiples of 4."""
    return x - 4.0 * floor(0.25 * x)


@kernel_function
def fresnel(x):
    """The integrals of `sin(pi * t ** 2 / 2)` and of its cosine, from 0 to x >= 0."""
    if not x < INFINITY:
        return (0.5, 0.5) if x == INFINITY else (x, x)
    square = x * x
    angle = 0.5 * PI * square
    if x < 1.6:
        term, k = x, 0.0
        sine, cosine, q = 0.0, x, angle * angle
        odd = x * angle
        sine = odd / 3.0
        while abs(term) > EPSILON:
            k += 2.0
            term *= -q / (k * (k - 1.0))
            odd *= -q / (k * (k + 1.0))
            cosine += term / (2.0 * k + 1.0)
            sine += odd / (2.0 * k + 3.0)
        return sine, cosine
    if x > 1e16:
        return 0.5, 0.5
    # The continued fraction of erfc at a complex number, by Lentz.
    real, imag = 1.0, -2.0 * angle
    size = real * real + imag * imag
    d_real, d_imag = real / size, -imag / size
    h_real, h_imag = d_real, d_imag
    c_real, c_imag, n, change, k = 1e300, 0.0, -1.0, 1.0, 0.0
    while change > 8.0 * EPSILON and k < 1000.0:
        k += 1.0
        n += 2.0
        a = -n * (n + 1.0)
        real += 4.0
        d_real, d_imag = a * d_real + real, a * d_imag + imag
        size = d_real * d_real + d_imag * d_imag
        d_real, d_imag = d_real / size, -d_imag / size
        if c_imag == 0.0 and c_real == 1e300:
            c_real, c_imag = real, imag
        else:
            size = c_real * c_real + c_imag * c_imag
            c_real, c_imag = real + a * c_real / size, imag - a * c_imag / size
        e_real = c_real * d_real - c_imag * d_imag
        e_imag = c_real * d_imag + c_imag * d_real
        h_real, h_imag = h_real * e_real - h_imag * e_imag, h_real * e_imag + h_imag * e_real
        change = abs(e_real - 1.0) + abs(e_imag)
    h_real, h_imag = x * (h_real + h_imag), x * (h_imag - h_real)
    angle = 0.5 * PI * (beyond_fours(square) + beyond_fours(rounding_of_square(x, square)))
    turned_real = 1.0 - (cos(angle) * h_real - sin(angle) * h_imag)
    turned_imag = -(cos(angle) * h_imag + sin(angle) * h_real)
    return 0.5 * (turned_real + turned_imag), 0.5 * (turned_real - turned_imag)


@kernel_function
def fresnel_sin(x):
    value = fresnel(abs(x))[0]
    return -value if x < 0.0 else value


@kernel_function
def fresnel_cos(x):
    value = fresnel(abs(x))[1]
    return -value if x < 0.0 else value


# ---- by type -----------------------------------------------------------------------------------

FUNCTIONS = (
    *(bessel_i0, bessel_i0e, bessel_i1, bessel_i1e, bessel_k0, bessel_k0e, bessel_k1, bessel_k1e),
    *(erfinv, erfcinv, ndtri, dawsn, expint, spence, fresnel_sin, fresnel_cos),
    *(zeta, polygamma, igamma, igammac, betainc),
)


@functools.cache
def functions(type_: str) -> dict[str, Callable]:
    """The functions for numbers of a type, such as "f32"; of "l32" with sines of the C library."""
    named = {function.__name__: function for function in FUNCTIONS} | bessel(type_[0])
    return {
        f"special_{name}_{type_}": function if type_.endswith("64") else _of_float32(function)
        for name, function in named.items()
    }


def _of_float32(function: Callable) -> Callable:
    """The function of float32 numbers, by way of float64."""
    single, double = np.float32, np.float64

    @kernel_function
    def of_one(x):
        return single(function(double(x)))

    @kernel_function
    def of_two(x, y):
        return single(function(double(x), double(y)))

    @kernel_function
    def of_three(x, y, z):
        return single(function(double(x), double(y), double(z)))

    return (of_one, of_two, of_three)[function.__code__.co_argcount - 1]
