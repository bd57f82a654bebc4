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
    a, b = abs(integer(a)), abs(integer(b))
    while b > 0:
        a, b = b, a % b
    return a


@replaces(math.lcm)
def lcm(a, b):
    common = gcd(a, b)
    return abs(integer(a)) // common * abs(integer(b)) if common > 0 else 0


@replaces(math.isqrt)
def isqrt(n):
    root = _natural(n)
    following = (root + 1) // 2
    while following < root:  # Newton's method, from above
        root = following
        following = (root + integer(n) // root) // 2
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


def chosen(count, size):
    """How many combinations of `size` items there are: a constant and no more than a few."""
    result = 1
    for taken in range(size):
        result = result * (count - taken) // (taken + 1)
    return result


def combination_of(index, count, size):
    """The numbers below `count` at an index among those of `itertools.combinations`.

    Counted from the last one, the index is a sum of `chosen(k, size) + chosen(l, size - 1) + ...`
    in one way. The root of a term is not far above its number.
    """
    if size == 2:
        return pair_of(index, count)
    rest, places = chosen(count, size) - 1 - index, ()
    for k in range(size, 0, -1):
        number = int(abs(rest * math.factorial(k)) ** (1 / k)) + k
        while chosen(number, k) > rest:
            number -= 1
        rest -= chosen(number, k)
        places += (count - 1 - number,)
    return places


def pair_of(index, count):
    """A pair of numbers below `count`, by its index among those of `itertools.combinations`."""
    most = 2 * count - 1
    first = int((most - math.sqrt(most * most - 8 * index)) / 2)
    if first * (most - first) // 2 > index:  # where the root was rounded
        first -= 1
    elif (first + 1) * (most - first - 1) // 2 <= index:
        first += 1
    return first, index - first * (most - first) // 2 + first + 1


def integer(number):
    is_integer = isinstance(number, (int, np.integer))
    return int(number) if is_integer else operator.index(number)


def _natural(number):
    number = integer(number)
    assert number >= 0
    return number
