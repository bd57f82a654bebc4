"""The functions of `math` on integers.

Loops are `while`, which Python itself runs where all numbers are known.
"""

from __future__ import annotations

import math
import operator

import numpy as np

from .replacements import replaces


@replaces(math.gcd)
def gcd(a, b):
    a, b = abs(_integer(a)), abs(_integer(b))
    while b > 0:
        a, b = b, a % b
    return a


@replaces(math.lcm)
def lcm(a, b):
    common = gcd(a, b)
    return abs(_integer(a)) // common * abs(_integer(b)) if common > 0 else 0


@replaces(math.isqrt)
def isqrt(n):
    root = _natural(n)
    following = (root + 1) // 2
    while following < root:  # Newton's method, from above
        root = following
        following = (root + _integer(n) // root) // 2
    return root


@replaces(math.factorial)
def factorial(n):
    result, factor = 1, _natural(n)
    while factor > 1:
        result *= factor
        factor -= 1
    return result


@replaces(math.perm)
def perm(n, k):
    n, k = _natural(n), _natural(k)
    result, at = 1, 0
    while at < k and result > 0:
        result *= n - at
        at += 1
    return result


@replaces(math.comb)
def comb(n, k):
    n, k = _natural(n), _natural(k)
    result, at = 1 if k <= n else 0, 0
    while at < min(k, n - k):
        result = result * (n - at) // (at + 1)
        at += 1
    return result


def _integer(number):
    is_integer = isinstance(number, (int, np.integer))
    return int(number) if is_integer else operator.index(number)


def _natural(number):
    number = _integer(number)
    assert number >= 0
    return number
