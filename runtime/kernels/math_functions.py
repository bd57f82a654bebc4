"""Scalar functions that kernels call, written so that LLVM can vectorize them.

`functions(family, bits)` is the table for one type of number. Integer division by zero fails, and
the NumPy program then raises the proper error.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

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
    return as_intrinsics(PLAIN)


def named(name: str) -> Callable:
    """The function of a name in kernels, such as `exp_f32`."""
    short, _, number = name.rpartition("_")
    family, bits = number[0], int(number[1:])
    is_plain = family != "i" and short in PLAIN
    return (_plain() if is_plain else functions(family, bits))[short]


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
    made = where(quotient == 0.0, copysign(x.like(0.0), x / y), whole)
    return where(y == 0.0, x / y, made)


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
    "lgamma": library("lgamma"),
}


def _sigmoid(x: Number) -> Number:
    return 1.0 / (library("exp")(-x) + 1.0)


def _softplus(x: Number) -> Number:
    made = where(x > 0.0, x, 0.0) + library("log1p")(library("exp")(-fabs(x)))
    return where(x == x, made, x)


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
