"""Reduction steps, and other functions that have one form for both precisions."""

from __future__ import annotations

from ...jit.llvm_values import Number, larger, reassociable, smaller, where


def plus(total: Number, x: Number) -> Number:
    return reassociable("+", total, x)


def times(total: Number, x: Number) -> Number:
    return reassociable("*", total, x)


def maximum(x: Number, y: Number) -> Number:
    """The larger one: NaN if either is, and of equal numbers the second, as in NumPy."""
    return where((x > y) | (x != x), x, y)


def minimum(x: Number, y: Number) -> Number:
    return where((x < y) | (x != x), x, y)


def sign(x: Number) -> Number:
    result = where(x > 0.0, x.like(1.0), where(x < 0.0, x.like(-1.0), x))
    return where(x == 0.0, x.like(0.0), result)


FORMULAS = (sign, plus, times, maximum, minimum, larger, smaller)
