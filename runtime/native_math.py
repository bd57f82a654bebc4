"""Scalar functions that native kernels call, written so that LLVM can vectorise them.

`functions(kind, bits)` gives the table for one kind of number. Integer division by zero raises, which
makes the executable repeat the call on the NumPy plan for the proper error.
"""

from __future__ import annotations

import functools
import math

import numpy as np


@functools.cache
def functions(kind: str, bits: int) -> dict:
    """Name -> compiled function, for floats ("f") of 32 or 64 bits, or integers ("i")."""
    return _for_floats(bits) if kind == "f" else _for_integers()


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

    made = (floor_divide, floor_mod, power, sign, maximum, minimum, rint)
    table = {function.__name__: _jit(function) for function in made}
    table["mean_of"] = table["floor_divide"]
    return table


@functools.cache
def _for_floats(bits: int) -> dict:
    real = np.float32 if bits == 32 else np.float64
    table = {function.__name__: _jit(function) for function in _float_functions(real)}
    table.update({function.__name__: _jit(function) for function in _exponentials(real, bits)})
    return table


def _float_functions(real) -> list:
    zero, one = real(0), real(1)

    def divide(x, y):
        return x / y

    def mean_of(x, n):
        return x / real(n)

    def floor_divide(x, y):
        return np.floor_divide(x, y)

    def floor_mod(x, y):
        return np.remainder(x, y)

    def power(x, y):
        return real(x**y)

    def sign(x):
        return x if x != x else real((x > zero) * 1.0 - (x < zero) * 1.0)

    def maximum(x, y):
        return x if (x >= y or x != x) else y

    def minimum(x, y):
        return x if (x <= y or x != x) else y

    def floor(x):
        return real(math.floor(x)) if abs(x) < 1e18 else x

    def ceil(x):
        return real(math.ceil(x)) if abs(x) < 1e18 else x

    def rint(x):
        return real(np.rint(x))

    def sqrt(x):
        return np.sqrt(x)

    def isinf(x):
        return np.isinf(x)

    def isfinite(x):
        return np.isfinite(x)

    def log(x):
        return np.log(x)

    def log1p(x):
        return np.log1p(x)

    def expm1(x):
        return np.expm1(x)

    def sin(x):
        return np.sin(x)

    def cos(x):
        return np.cos(x)

    def tan(x):
        return np.tan(x)

    def asin(x):
        return np.arcsin(x)

    def acos(x):
        return np.arccos(x)

    def atan(x):
        return np.arctan(x)

    def atan2(y, x):
        return np.arctan2(y, x)

    def sinh(x):
        return np.sinh(x)

    def cosh(x):
        return np.cosh(x)

    def asinh(x):
        return np.arcsinh(x)

    def acosh(x):
        return np.arccosh(x)

    def atanh(x):
        return np.arctanh(x)

    def erf(x):
        return real(math.erf(x))

    def erfc(x):
        return real(math.erfc(x))

    def lgamma(x):
        return real(math.lgamma(x))

    def softplus(x):
        return (x if x > zero else zero) + np.log1p(np.exp(-abs(x))) if x == x else x

    _ = one
    return [value for value in locals().values() if callable(value) and hasattr(value, "__code__")]


def _exponentials(real, bits: int) -> list:
    """exp, sigmoid and tanh without branches; the polynomials are Taylor's after reduction to ln 2.

    exp(x) = 2**n * exp(r), |r| <= ln(2)/2, where the series of degree 7 (float32) or 13 (float64)
    is exact to rounding. Source: Cody and Waite, "Software manual for the elementary functions", 1980.
    """
    degree = 7 if bits == 32 else 13
    coefficients = tuple(real(1.0 / math.factorial(k)) for k in range(degree, -1, -1))
    high = real(0.693359375) if bits == 32 else real(6.93147180369123816490e-01)
    low = real(-2.12194440e-4) if bits == 32 else real(1.90821492927058770002e-10)
    inverse = real(1.4426950408889634)
    largest = real(88.72283) if bits == 32 else real(709.782712893384)
    smallest = real(-87.33654) if bits == 32 else real(-708.3964185322641)
    one, two, half = real(1), real(2), real(0.5)
    infinity, zero = real(np.inf), real(0)
    bias, shift = (127, 23) if bits == 32 else (1023, 52)
    whole = np.int32 if bits == 32 else np.int64
    from numba import njit, types
    from numba.extending import intrinsic

    @intrinsic
    def as_float(context, value):
        target = types.float32 if bits == 32 else types.float64

        def generate(context, builder, signature, args):
            return builder.bitcast(args[0], context.get_value_type(target))

        return target(types.int32 if bits == 32 else types.int64), generate

    @njit(error_model="numpy")
    def polynomial(r):
        made = coefficients[0]
        for k in range(1, degree + 1):
            made = made * r + coefficients[k]
        return made

    def exp(x):
        y = x if x < largest else largest
        y = y if y > smallest else smallest
        n = np.floor(y * inverse + half)
        r = y - n * high - n * low
        m = whole(n)
        first = m >> 1
        scale = as_float(whole((first + bias) << shift)) * as_float(whole((m - first + bias) << shift))
        made = polynomial(r) * scale
        made = infinity if x > largest else made
        made = zero if x < smallest else made
        return x if x != x else made

    fast_exp = njit(error_model="numpy")(exp)

    def sigmoid(x):
        return one / (one + fast_exp(-x))

    def tanh(x):
        y = abs(x)
        e = fast_exp(-two * y)
        far = (one - e) / (one + e)
        q = x * x
        near = y + y * q * (real(-1 / 3) + q * (real(2 / 15) + q * (real(-17 / 315) + q * (real(62 / 2835) + q * (
            real(-1382 / 155925) + q * (real(21844 / 6081075) - q * real(929569 / 638512875)))))))  # fmt: skip
        made = near if y < real(0.25) else far
        return np.copysign(made, x) if x == x else x

    return [exp, sigmoid, tanh]
