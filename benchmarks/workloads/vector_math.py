"""Mathematics for the loops that are written for Numba by hand, float32.

Numba calls the C library for each element unless a vector library is installed. These are straight
lines of multiply-adds instead, so LLVM turns the loops around them into vector instructions; their
relative error is about 2e-7 in the ranges that the problems need. Polynomials are fitted here, when
the module is imported.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

f4, i4 = np.float32, np.int32
MATHS = {"fastmath": True, "error_model": "numpy"}


def chebyshev_points(low, high, count):
    """The Chebyshev points of an interval."""
    return (low + high) / 2 + (high - low) / 2 * np.polynomial.chebyshev.chebpts1(count)


def fitted(function, low, high, degree):
    """Coefficients, lowest power first, of the least-squares polynomial at Chebyshev points."""
    x = chebyshev_points(low, high, 8 * degree)
    return np.polynomial.Polynomial.fit(x, function(x), degree, [low, high]).convert().coef


def polynomial(coefficients):
    """A compiled function of x, by Horner's rule."""
    names = {f"c{power}": f4(value) for power, value in enumerate(coefficients)}
    source = ""
    for name in reversed(names):
        source = f"{name} + x * ({source})" if source else name
    return njit(eval(f"lambda x: {source}", names), **MATHS)


@njit
def bits_of(x):
    return f4(x).view(np.int32)


@njit
def float_of(bits):
    return i4(bits).view(np.float32)  # Numba computes int32 as int64


HALF_LN2 = math.log(2) / 2
EXP = polynomial(fitted(np.exp, -1.01 * HALF_LN2, 1.01 * HALF_LN2, 6))
PER_LN2, LN2, LN2_HIGH = f4(1 / math.log(2)), f4(math.log(2)), f4(355 / 512)
LN2_LOW = f4(math.log(2) - 355 / 512)
HALF, ONE, TWO = f4(0.5), f4(1), f4(2)


@njit(**MATHS)
def exp(x):
    x = min(max(x, f4(-87)), f4(88))
    n = np.floor(x * PER_LN2 + HALF)
    rest = (x - n * LN2_HIGH) - n * LN2_LOW
    return EXP(rest) * float_of((i4(n) + i4(127)) << i4(23))


@njit(**MATHS)
def tanh(x):
    return ONE - TWO / (exp(TWO * x) + ONE)


@njit(**MATHS)
def sigmoid(x):
    return ONE / (ONE + exp(-x))


def log_rest(x):
    """The remainder of the series of log(1 + x) after x - x*x/2, divided by x**3."""
    return (np.log1p(x) - x + x * x / 2) / x**3


LOG = polynomial(fitted(log_rest, math.sqrt(0.5) - 1, math.sqrt(2) - 1, 6))
ROOT_HALF_BITS = np.float32(math.sqrt(0.5)).view(np.int32)


@njit(**MATHS)
def log(x):
    """Of positive normal numbers."""
    bits = bits_of(x)
    exponent = i4(bits - ROOT_HALF_BITS) >> i4(23)
    f = float_of(bits - (exponent << i4(23))) - ONE
    return (f - f * f * (HALF - f * LOG(f))) + f4(exponent) * LN2


def ratio_fitted(function, low, high, above, below):
    """Coefficients of two polynomials whose quotient is `function`; the second begins with 1.

    The equation p(x) - y (q(x) - 1) = y is linear in both; weights 1 / q of the last solution
    turn its residual into the error of the quotient.
    """
    x = chebyshev_points(low, high, 400)
    y = function(x)
    weight = np.ones_like(x)
    for _ in range(8):
        powers = np.vander(x, max(above, below) + 1, True)
        equations = np.hstack([powers[:, : above + 1], -y[:, None] * powers[:, 1 : below + 1]])
        size = np.abs(equations).max(0)
        solved = (
            np.linalg.lstsq(equations / size * (weight / y)[:, None], weight, rcond=None)[0] / size
        )
        p, q = solved[: above + 1], np.r_[1.0, solved[above + 1 :]]
        weight = 1 / np.polynomial.polynomial.polyval(x, q)
    return p, q


def erf_over_x(squares):
    return np.array([math.erf(x) / x for x in np.sqrt(squares)])


ERF_EDGE = f4(3.95)  # from here on erf is 1 in float32
ERF_ABOVE, ERF_BELOW = map(polynomial, ratio_fitted(erf_over_x, 0.0, 3.96**2, 5, 5))


@njit(**MATHS)
def erf_fraction(x):
    """Numerator and denominator of erf, for callers that can save a division."""
    x = min(max(x, -ERF_EDGE), ERF_EDGE)
    return x * ERF_ABOVE(x * x), ERF_BELOW(x * x)


QUARTER = math.pi / 4
SIN = polynomial(fitted(lambda s: np.sin(np.sqrt(s)) / np.sqrt(s), 1e-9, 1.03 * QUARTER**2, 4))
COS = polynomial(fitted(lambda s: np.cos(np.sqrt(s)), 0.0, 1.03 * QUARTER**2, 4))
TWO_OVER_PI = f4(2 / math.pi)
HALF_PI_HIGH = f4(201 / 128)
HALF_PI_MIDDLE = f4(math.floor((math.pi / 2 - 201 / 128) * 2**24) / 2**24)
HALF_PI_LOW = f4(math.pi / 2 - 201 / 128 - float(HALF_PI_MIDDLE))


@njit(fastmath={"contract"}, error_model="numpy")
def sine_and_cosine(x):
    """Of arguments up to some thousands."""
    n = np.floor(x * TWO_OVER_PI + HALF)
    rest = ((x - n * HALF_PI_HIGH) - n * HALF_PI_MIDDLE) - n * HALF_PI_LOW
    square = rest * rest
    sine, cosine = rest * SIN(square), COS(square)
    quadrant = i4(n)
    swapped = (quadrant & i4(1)) != i4(0)
    first = cosine if swapped else sine
    second = sine if swapped else cosine
    flip_first = (quadrant & i4(2)) << i4(30)
    flip_second = ((quadrant + i4(1)) & i4(2)) << i4(30)
    return (
        float_of(bits_of(first) ^ flip_first),
        float_of(bits_of(second) ^ flip_second),
    )


@njit
def ordered(x):
    """An integer with the same order as the float: LLVM has vector instructions for its maximum."""
    bits = bits_of(x)
    return i4(bits ^ ((bits >> i4(31)) & i4(0x7FFFFFFF)))


@njit
def from_ordered(key):
    return float_of(key ^ ((key >> i4(31)) & i4(0x7FFFFFFF)))
