"""The functions of `math` on floats that have no instruction.

An `assert` leaves what raises, and what is not finite, to `math` itself. Numbers are scaled by
powers of two, which is exact. Loops are `while`, which Python itself runs where all numbers are
known.
"""

from __future__ import annotations

import math

import numpy as np

from .integers import integer
from .replacements import replaces

UP, DOWN = 2.0**32, 2.0**-32
FACTORIALS = 23  # gamma(n) is exact up to here
STIRLING = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156)


def _float(number):
    assert not isinstance(number, str)
    return float(number)


@replaces(math.isclose)
def isclose(a, b, *, rel_tol=1e-09, abs_tol=0.0):
    a, b = _float(a), _float(b)
    assert rel_tol >= 0 and abs_tol >= 0
    if a == b:
        return True
    if math.isinf(a) or math.isinf(b):
        return False
    return abs(b - a) <= max(abs(rel_tol * a), abs(rel_tol * b), abs_tol)


@replaces(math.dist)
def dist(p, q):
    assert len(p) == len(q)
    most, total = 0.0, 0.0
    for a, b in zip(p, q, strict=True):
        most = max(most, abs(_float(a) - _float(b)))
    for a, b in zip(p, q, strict=True):
        share = (_float(a) - _float(b)) / (most if most > 0.0 else 1.0)
        total += share * share
    assert math.isfinite(total)
    return most * math.sqrt(total)


@replaces(math.nextafter)
def nextafter(x, y):
    return float(np.nextafter(_float(x), _float(y)))


@replaces(math.ulp)
def ulp(x):
    x = abs(_float(x))
    if not math.isfinite(x):
        return x
    above = nextafter(x, math.inf)
    return x - nextafter(x, 0.0) if math.isinf(above) else above - x


@replaces(math.remainder)
def remainder(x, y):
    x, y = _float(x), _float(y)
    assert math.isfinite(x) and math.isfinite(y) and y != 0
    size, step = abs(x), abs(y)
    below = math.fmod(size, step)
    above = step - below
    if below < above:
        rest = below
    elif below > above:
        rest = -above
    else:  # halfway: to the even multiple
        rest = below - 2.0 * math.fmod(0.5 * (size - below), step)
    return math.copysign(1.0, x) * rest


@replaces(math.modf)
def modf(x):
    x = _float(x)
    assert math.isfinite(x)
    whole = float(np.trunc(x))
    return math.copysign(x - whole, x), whole


@replaces(math.frexp)
def frexp(x):
    part, exponent = _float(x), 0
    if part == 0 or not math.isfinite(part):
        return part, 0
    while abs(part) >= UP:
        part, exponent = part * DOWN, exponent + 32
    while abs(part) < DOWN:
        part, exponent = part * UP, exponent - 32
    while abs(part) >= 1:
        part, exponent = part * 0.5, exponent + 1
    while abs(part) < 0.5:
        part, exponent = part * 2, exponent - 1
    return part, exponent


@replaces(math.ldexp)
def ldexp(x, i):
    shift = integer(i)
    part, exponent = frexp(x)
    if part == 0 or not math.isfinite(part):
        return part
    exponent += shift
    assert exponent <= 1024
    if exponent < -1080:
        return math.copysign(0.0, part)
    last = 1.0
    while exponent < -1021:  # one rounding, of the number that is returned
        last, exponent = last * 0.5, exponent + 1
    while exponent >= 32:
        part, exponent = part * UP, exponent - 32
    while exponent <= -32:
        part, exponent = part * DOWN, exponent + 32
    while exponent > 0:
        part, exponent = part * 2, exponent - 1
    while exponent < 0:
        part, exponent = part * 0.5, exponent + 1
    return part * last


@replaces(math.gamma)
def gamma(x):
    x = _float(x)
    assert math.isfinite(x) and abs(x) < 171.5 and (x > 0 or x != np.floor(x))
    if x > 0:
        return _gamma(x)
    angle = math.fmod(-x, 2.0)
    sine = -math.sin(math.pi * angle) if angle <= 1 else math.sin(math.pi * (angle - 1))
    return math.pi / (sine * _gamma(1.0 - x))


def _gamma(x):
    """Of a positive number: Stirling's series for a larger one, over what lies between."""
    between = 1.0
    if x == np.floor(x) and x <= FACTORIALS:
        while x > 1:
            x -= 1.0
            between *= x
        return between
    while x < 20:
        between *= x
        x += 1.0
    series, inverse = 0.0, 1.0 / x
    for factor in STIRLING[::-1]:
        series = series * (inverse * inverse) + factor
    root = math.pow(x, 0.5 * x - 0.25)
    return (
        math.sqrt(2 * math.pi) * root * math.exp(-x) * root * math.exp(series * inverse) / between
    )


def rounded(x, places):
    """`round(x, places)` for up to 8 places, by all digits of the product, as Python rounds."""
    power, size = 10.0**places, abs(x)
    if not size < 2.0**52:
        return x
    product = size * power
    assert product < 2.0**51
    high = size * (2.0**27 + 1)
    high = high - (high - size)
    error = (high * power - product) + (size - high) * power
    below = float(np.floor(product))
    half = product - below - 0.5
    is_odd = math.fmod(below, 2.0) == 1.0
    if half > 0 or (half == 0 and (error > 0 or (error == 0 and is_odd))):
        below += 1.0
    return math.copysign(below / power, x)
