"""Scalar functions that kernels call, written so that LLVM can vectorize them.

`functions(family, bits)` is the table for one type of number. Integer division by zero fails, and
the NumPy program then raises the proper error.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np

from ..jit.llvm_values import (
    Number,
    as_intrinsics,
    ceil,
    copysign,
    fabs,
    floor,
    library,
    rint,
    sqrt,
    where,
)
from ..jit.loop_hints import kernel_function


@functools.cache
def functions(family: str, bits: int) -> dict:
    """Functions by name, for floats of 32 or 64 bits ("f": formulas that are vectorized, "l": the
    functions of the C library) or integers ("i").
    """
    if family == "i":
        return INTEGERS
    from .vector_math import FORMULAS, STEPS  # many kernels have no such formula

    special = FORMULAS if family == "f" else LIBRARY
    return {**_plain(), **as_intrinsics({**STEPS, **special})}


@functools.cache
def _plain() -> dict:
    return as_intrinsics(PLAIN)  # type: ignore[arg-type]


def named(name: str) -> Callable:
    """The function of a name in kernels, such as `exp_f32`."""
    short, _, number = name.rpartition("_")
    family, bits = number[0], int(number[1:])
    if family != "i" and short in PLAIN:
        return _plain()[short]
    if family != "i" and short in IN_STEPS:
        return IN_STEPS[short](np.float32 if bits == 32 else np.float64)
    return functions(family, bits)[short]


# ---- integers --------------------------------------------------------------------------------


@kernel_function
def floor_divide(x, y):
    if y == 0:
        raise ZeroDivisionError
    return floor_divide_by_nonzero(x, y)


@kernel_function
def floor_divide_by_nonzero(x, y):
    if y < 0 and y + 1 == 0:  # processors trap where x is the lowest number; NumPy wraps
        return x * y
    return x // y


@kernel_function
def truncate_divide(x, y):
    if y == 0:
        raise ZeroDivisionError
    if y < 0 and y + 1 == 0:
        return x * y
    quotient = x // y
    return quotient + 1 if quotient < 0 and quotient * y != x else quotient


@kernel_function
def floor_mod(x, y):
    if y == 0:
        raise ZeroDivisionError
    return floor_mod_by_nonzero(x, y)


@kernel_function
def floor_mod_by_nonzero(x, y):
    if y < 0 and y + 1 == 0:
        return x * 0
    return x % y


@kernel_function
def truncate_mod(x, y):
    if y == 0:
        raise ZeroDivisionError
    if y < 0 and y + 1 == 0:
        return x * 0
    rest = x % y
    return rest - y if rest != 0 and (rest < 0) != (x < 0) else rest


@kernel_function
def power(x, y):
    if y < 0:
        raise ValueError
    result = x * 0 + 1
    while y > 0:
        if y & 1:
            result = result * x
        x = x * x
        y = y >> 1
    return result


@kernel_function
def sign(x):
    return (x > 0) - (x < 0)


@kernel_function
def maximum(x, y):
    return x if x >= y else y


@kernel_function
def minimum(x, y):
    return x if x <= y else y


@kernel_function
def same(x):
    return x


@kernel_function
def plus(total, x):
    return total + x


@kernel_function
def times(total, x):
    return total * x


INTEGERS = {
    "floor_divide": floor_divide,
    "floor_divide_by_nonzero": floor_divide_by_nonzero,
    "mean_of": floor_divide,
    "floor_mod": floor_mod,
    "floor_mod_by_nonzero": floor_mod_by_nonzero,
    "truncate_divide": truncate_divide,
    "truncate_mod": truncate_mod,
    "power": power,
    "sign": sign,
    "maximum": maximum,
    "minimum": minimum,
    "rint": same,
    "plus": plus,
    "times": times,
}


# ---- floats ----------------------------------------------------------------------------------


def _divide(x: Number, y: Number) -> Number:
    return x / y


def _is_infinite(x: Number) -> Number:
    return fabs(x) == float("inf")


def _is_finite(x: Number) -> Number:
    return fabs(x) < float("inf")


def _floor_mod(x: Number, y: Number) -> Number:
    """With the sign of `y`; 0 has it too."""
    rest = x.remainder(y)
    lifted = where((rest != 0.0) & ((y < 0.0) ^ (rest < 0.0)), rest + y, rest)
    return where(rest == 0.0, copysign(x.like(0.0), y), lifted)


def _floor_divide(x: Number, y: Number) -> Number:
    """As NumPy: from the quotient without the remainder, which is nearly whole."""
    rest = x.remainder(y)
    quotient = (x - rest) / y
    quotient = where((rest != 0.0) & ((y < 0.0) ^ (rest < 0.0)), quotient - 1.0, quotient)
    whole = floor(quotient)
    whole = where(quotient - whole > 0.5, whole + 1.0, whole)
    floored = where(quotient == 0.0, copysign(x.like(0.0), x / y), whole)
    return where(y == 0.0, x / y, floored)


PLAIN = {
    "divide": _divide,
    "mean_of": _divide,
    "floor_divide": _floor_divide,
    "floor_mod": _floor_mod,
    "truncate_mod": lambda x, y: x.remainder(y),
    "floor": floor,
    "ceil": ceil,
    "rint": rint,
    "sqrt": sqrt,
    "isinf": _is_infinite,
    "isfinite": _is_finite,
    "hypot": library("hypot"),
    "copysign": copysign,
    "nextafter": library("nextafter"),
    "lgamma": library("lgamma"),
}


def _sigmoid(x: Number) -> Number:
    return 1.0 / (library("exp")(-x) + 1.0)


def _softplus(x: Number) -> Number:
    result = where(x > 0.0, x, 0.0) + library("log1p")(library("exp")(-fabs(x)))
    return where(x == x, result, x)


NAMES = (
    *("exp", "tanh", "log", "log1p", "expm1", "sin", "cos", "tan", "asin", "acos", "atan"),
    *("atan2", "sinh", "cosh", "asinh", "acosh", "atanh", "erf", "erfc"),
)
LIBRARY = {
    **{name: library(name) for name in NAMES},
    "power": library("pow"),
    "sigmoid": _sigmoid,
    "softplus": _softplus,
}


# ---- functions with branches and loops -------------------------------------------------------


@functools.cache
def _log_add_exp(real):
    log_2 = real(np.log(2.0))

    @kernel_function
    def log_add_exp(x, y):
        distance = x - y
        if x == y:  # infinities too
            return x + log_2
        if distance > 0:
            return x + np.log1p(np.exp(-distance))
        return y + np.log1p(np.exp(distance))  # NaN too

    return log_add_exp


# Of the powers of 1 / x ** 2 in the asymptotic series of digamma, which has all digits from 10 on.
SERIES = (1 / 12, -1 / 120, 1 / 252, -1 / 240, 1 / 132, -691 / 32760, 1 / 12)


@functools.cache
def _digamma(real):
    """By reflection for negative numbers, and the recurrence up to where the series converges."""
    floor, tan, copysign = named("floor_f64"), named("tan_l64"), named("copysign_f64")
    a, b, c, d, e, f, g = SERIES
    infinity, pi = np.inf, np.pi

    @kernel_function
    def digamma(number):
        x, value = np.float64(number), 0.0
        if x == 0.0:
            return real(-copysign(infinity, x))
        if x < 0.0:
            rest = x - floor(x + 0.5)
            if rest == 0.0 or rest != rest:
                return real(np.nan)
            value = -pi / tan(pi * rest)
            x = 1.0 - x
        if not x < infinity:
            return real(x)
        while x < 10.0:
            value -= 1.0 / x
            x += 1.0
        z = 1.0 / (x * x)
        series = z * (a + z * (b + z * (c + z * (d + z * (e + z * (f + z * g))))))
        return real(value + np.log(x) - 0.5 / x - series)

    return digamma


IN_STEPS = {"digamma": _digamma, "log_add_exp": _log_add_exp}  # by the type of the number
