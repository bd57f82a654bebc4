"""Steps of reductions, and what else has no precise and no fast form."""

from __future__ import annotations

from .. import machine_numbers
from ..machine_numbers import Number, freely, where


def plus(total: Number, x: Number) -> Number:
    return freely("+", total, x)


def times(total: Number, x: Number) -> Number:
    return freely("*", total, x)


def maximum(x: Number, y: Number) -> Number:
    return machine_numbers.maximum(x, y)


def minimum(x: Number, y: Number) -> Number:
    return machine_numbers.minimum(x, y)


def larger(x: Number, y: Number) -> Number:
    return machine_numbers.larger(x, y)


def smaller(x: Number, y: Number) -> Number:
    return machine_numbers.smaller(x, y)


def sign(x: Number) -> Number:
    made = where(x > 0.0, x.like(1.0), where(x < 0.0, x.like(-1.0), x))
    return where(x == 0.0, x.like(0.0), made)


FORMULAS = (sign, plus, times, maximum, minimum, larger, smaller)
