"""Scalar functions that native kernels call, written so that LLVM can vectorise them.

`functions(kind, bits)` gives the table for one kind of number. Integer division by zero raises,
which makes the executable repeat the call on the NumPy plan for the proper error.
"""

from __future__ import annotations

import functools
import math

import numpy as np


@functools.cache
def functions(kind: str, bits: int) -> dict:
    """Name -> compiled function, for floats of 32 or 64 bits ("f": formulas that become vectors,
    "l": the C library's functions) or integers ("i").
    """
    if kind == "i":
        return _for_integers()
    return {**_for_floats(bits), **(_formulas() if kind == "f" else {})}


def named(kind: str, bits: str) -> dict:
    """The same under their names in the text of a kernel, as `exp_f32`."""
    table = functions(kind, int(bits))
    return {f"{name}_{kind}{bits}": function for name, function in table.items()}


@functools.cache
def _formulas() -> dict:
    from .formulas import FORMULAS
    from .machine_numbers import as_intrinsics

    return as_intrinsics({name: {"f": formula} for name, formula in FORMULAS.items()})


@functools.cache
def _steps() -> dict:
    from .formulas import STEPS
    from .machine_numbers import as_intrinsics

    return as_intrinsics({name: {"f": formula} for name, formula in STEPS.items()})


def _jit(function):
    from numba import njit

    return njit(error_model="numpy", nogil=True, inline="never")(function)


@functools.cache
def _for_integers() -> dict:
    def floor_divide(x, y):
        if y == 0:
            raise ZeroDivisionError
        return x // y

    def floor_mod(x, y):
        if y == 0:
            raise ZeroDivisionError
        return x % y

    def power(x, y):
        if y < 0:
            raise ValueError
        made = x * 0 + 1
        while y > 0:
            if y & 1:
                made = made * x
            x = x * x
            y = y >> 1
        return made

    def sign(x):
        return (x > 0) - (x < 0)

    def maximum(x, y):
        return x if x >= y else y

    def minimum(x, y):
        return x if x <= y else y

    def rint(x):
        return x

    def plus(total, x):
        return total + x

    def times(total, x):
        return total * x

    made = (floor_divide, floor_mod, power, sign, maximum, minimum, rint, plus, times)
    table = {function.__name__: _jit(function) for function in made}
    return {**table, "mean_of": table["floor_divide"]}


# NumPy's own functions, which Numba knows by these names.
LIBRARY = {
    "floor_divide": np.floor_divide,
    "floor_mod": np.remainder,
    "floor": np.floor,
    "ceil": np.ceil,
    "rint": np.rint,
    "sqrt": np.sqrt,
    "isinf": np.isinf,
    "isfinite": np.isfinite,
    "exp": np.exp,
    "tanh": np.tanh,
    "log": np.log,
    "log1p": np.log1p,
    "expm1": np.expm1,
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "atan2": np.arctan2,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "asinh": np.arcsinh,
    "acosh": np.arccosh,
    "atanh": np.arctanh,
    "erf": math.erf,
    "erfc": math.erfc,
    "lgamma": math.lgamma,
}


@functools.cache
def _for_floats(bits: int) -> dict:
    real = np.float32 if bits == 32 else np.float64
    made = {function.__name__: _jit(function) for function in _arithmetic(real)}
    return {**LIBRARY, **made, **_steps()}


def _arithmetic(real) -> list:
    zero, one = real(0), real(1)

    def divide(x, y):
        return x / y

    def mean_of(x, n):
        return x / n

    def power(x, y):
        return real(x**y)

    def softplus(x):
        return (x if x > zero else zero) + np.log1p(np.exp(-abs(x))) if x == x else x

    def sigmoid(x):
        return one / (one + np.exp(-x))

    return [divide, mean_of, power, softplus, sigmoid]
