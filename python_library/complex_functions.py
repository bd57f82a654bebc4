"""The functions of `cmath`: of complex numbers, by those of `math` of their parts.

Where a number is not finite, or so large or small that an intermediate result may not be right,
an `assert` leaves the call to the original.
"""

from __future__ import annotations

import cmath
import math

import numpy as np

from .replacements import replaces

LEAST, MOST = 1e-150, 1e150  # whose squares are normal numbers


@replaces(cmath.exp)
def exp(z):
    x, y = _parts(z)
    size = math.exp(x)
    return complex(size * math.cos(y), size * math.sin(y))


@replaces(cmath.log)
def log(z, *base):
    result = _logarithm(z)
    return result / _logarithm(*base) if base else result


@replaces(cmath.log10)
def log10(z):
    result = _logarithm(z)
    return complex(np.real(result) / math.log(10.0), np.imag(result) / math.log(10.0))


@replaces(cmath.sqrt)
def sqrt(z):
    x, y = _root(*_parts(z))
    return complex(x, y)


@replaces(cmath.sinh)
def sinh(z):
    x, y = _parts(z)
    return complex(math.cos(y) * math.sinh(x), math.sin(y) * math.cosh(x))


@replaces(cmath.cosh)
def cosh(z):
    x, y = _parts(z)
    return complex(math.cos(y) * math.cosh(x), math.sin(y) * math.sinh(x))


@replaces(cmath.tanh)
def tanh(z):
    x, y = _parts(z)
    assert abs(x) < 300
    size, tangent, rest = math.tanh(x), math.tan(y), 1 / math.cosh(x)
    both = size * tangent
    scale = 1 + both * both
    return complex(size * (1 + tangent * tangent) / scale, tangent / scale * rest * rest)


@replaces(cmath.sin)
def sin(z):
    return _turned_back(sinh(_turned(z)))


@replaces(cmath.cos)
def cos(z):
    return cosh(_turned(z))


@replaces(cmath.tan)
def tan(z):
    return _turned_back(tanh(_turned(z)))


@replaces(cmath.asinh)
def asinh(z):
    x, y = _parts(z)
    (a, b), (c, d) = _root(1 + y, -x), _root(1 - y, x)
    return complex(math.asinh(a * d - c * b), math.atan2(y, a * c - b * d))


@replaces(cmath.acosh)
def acosh(z):
    x, y = _parts(z)
    (a, b), (c, d) = _root(x - 1, y), _root(x + 1, y)
    return complex(math.asinh(a * c + b * d), 2 * math.atan2(b, c))


@replaces(cmath.atanh)
def atanh(z):
    """Of numbers on the left, by those on the right."""
    x, y = _parts(z)
    sign = math.copysign(1.0, x)
    x, y = sign * x, sign * y
    rest = (1 - x) * (1 - x) + y * y
    assert x != 1 or abs(y) > LEAST
    real = math.log1p(4 * x / rest) / 4
    imag = -math.atan2(-2 * y, (1 - x) * (1 + x) - y * y) / 2
    return complex(sign * real, sign * imag)


@replaces(cmath.asin)
def asin(z):
    return _turned_back(asinh(_turned(z)))


@replaces(cmath.acos)
def acos(z):
    x, y = _parts(z)
    (a, b), (c, d) = _root(1 - x, -y), _root(1 + x, y)
    return complex(2 * math.atan2(a, c), math.asinh(c * b - d * a))


@replaces(cmath.atan)
def atan(z):
    return _turned_back(atanh(_turned(z)))


# ---- polar coordinates and tests ---------------------------------------------------------------


@replaces(cmath.phase)
def phase(z):
    x, y = _parts(z)
    return math.atan2(y, x)


@replaces(cmath.polar)
def polar(z):
    x, y = _parts(z)
    return abs(complex(x, y)), math.atan2(y, x)


@replaces(cmath.rect)
def rect(r, phi):
    assert math.isfinite(r) and math.isfinite(phi)
    return complex(r * math.cos(phi), r * math.sin(phi))


@replaces(cmath.isfinite)
def isfinite(z):
    z = complex(z)
    return math.isfinite(np.real(z)) and math.isfinite(np.imag(z))


@replaces(cmath.isinf)
def isinf(z):
    z = complex(z)
    return math.isinf(np.real(z)) or math.isinf(np.imag(z))


@replaces(cmath.isnan)
def isnan(z):
    z = complex(z)
    return math.isnan(np.real(z)) or math.isnan(np.imag(z))


@replaces(cmath.isclose)
def isclose(a, b, *, rel_tol=1e-09, abs_tol=0.0):
    a, b = complex(a), complex(b)
    assert isfinite(a) and isfinite(b) and rel_tol >= 0 and abs_tol >= 0
    return abs(a - b) <= max(rel_tol * max(abs(a), abs(b)), abs_tol)


# ---- their parts -------------------------------------------------------------------------------


def _parts(z):
    z = complex(z)
    x, y = np.real(z), np.imag(z)
    assert abs(x) < MOST and abs(y) < MOST
    return x, y


def _turned(z):
    x, y = _parts(z)
    return complex(-y, x)


def _turned_back(z):
    return complex(np.imag(z), -np.real(z))


def _logarithm(z):
    """Near the unit circle, by how much the square of the size is more than 1."""
    x, y = _parts(z)
    size, large, small = abs(complex(x, y)), max(abs(x), abs(y)), min(abs(x), abs(y))
    assert size > LEAST
    if 0.71 <= size <= 1.73:
        real = math.log1p((large - 1) * (large + 1) + small * small) / 2
    else:
        real = math.log(size)
    return complex(real, math.atan2(y, x))


def _root(x, y):
    """The parts of the square root of larger real part."""
    assert abs(x) > LEAST or abs(y) > LEAST or x == y == 0
    half = 2 * math.sqrt(abs(x) / 8 + abs(complex(x / 8, y / 8)))
    other = abs(y) / (2 * half) if half > 0 else 0.0
    if x >= 0:
        return half, math.copysign(other, y)
    return other, math.copysign(half, y)
