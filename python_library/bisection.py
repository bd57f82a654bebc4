"""The functions of `bisect`, without keys."""

from __future__ import annotations

import bisect

from .replacements import replaces


@replaces(bisect.bisect_left)
def bisect_left(a, x, lo=0, hi=None):
    low, high = _bounds(a, lo, hi)
    while low < high:
        middle = (low + high) // 2
        if a[middle] < x:
            low = middle + 1
        else:
            high = middle
    return low


@replaces(bisect.bisect_right)
def bisect_right(a, x, lo=0, hi=None):
    low, high = _bounds(a, lo, hi)
    while low < high:
        middle = (low + high) // 2
        if x < a[middle]:
            high = middle
        else:
            low = middle + 1
    return low


@replaces(bisect.insort_left, changes=True)
def insort_left(a, x, lo=0, hi=None):
    _insert(a, bisect_left(a, x, lo, hi), x)


@replaces(bisect.insort_right, changes=True)
def insort_right(a, x, lo=0, hi=None):
    _insert(a, bisect_right(a, x, lo, hi), x)


def _bounds(a, lo, hi):
    assert lo >= 0
    return lo, len(a) if hi is None else hi


def _insert(a, place, x):
    a.append(x)
    at = len(a) - 1
    while at > place:
        a[at] = a[at - 1]
        at -= 1
    a[place] = x
