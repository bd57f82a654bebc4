"""The operators of complex numbers of Python, whose last digits and zeros are not those of NumPy.

An `assert` leaves what raises to Python.
"""

from __future__ import annotations

import math

MOST = 100  # integers up to here are exponents of products


def quotient(z, w):
    """`z / w`."""
    z, w = complex(z), complex(w)
    a, b, c, d = z.real, z.imag, w.real, w.imag
    by_real = abs(c) >= abs(d)
    large, small = (c, d) if by_real else (d, c)
    first, second = (a, b) if by_real else (b, a)
    ratio = small / large
    scale = large + small * ratio
    imag = b - a * ratio if by_real else b * ratio - a
    return complex((first + second * ratio) / scale, imag / scale)


def power(z, w):
    """`z ** w`."""
    z, x, y = complex(z), w.real, w.imag
    if y == 0 and abs(x) <= MOST and x == math.floor(x):
        result = _product(z, int(x))
    else:
        result = _by_logarithms(z, float(x), float(y))
    assert not (math.isinf(result.real) or math.isinf(result.imag))
    return result


def _product(z, count):
    rest, result = abs(count), 1 + 0j
    while rest:
        if rest & 1:
            result = result * z
        rest >>= 1
        if rest:
            z = z * z
    return result if count > 0 else quotient(1 + 0j, result)


def _by_logarithms(z, x, y):
    size, angle = abs(z), math.atan2(z.imag, z.real)
    assert 0.0 < size < math.inf
    scale, turned = size**x, angle * x
    if y != 0:
        scale, turned = scale / math.exp(angle * y), turned + y * math.log(size)
    return complex(scale * math.cos(turned), scale * math.sin(turned))
