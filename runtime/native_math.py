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
    return {**table, **_sums(), "mean_of": table["floor_divide"]}


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
    made = {
        function.__name__: _jit(function)
        for function in (*_arithmetic(real), *_exponentials(real, bits))
    }
    return {**LIBRARY, **made, **_sums()}


def _sums() -> dict:
    """Steps of a reduction, whose order the compiler may choose: only so can it use vectors."""
    from numba import njit

    def plus(total, x):
        return total + x

    def times(total, x):
        return total * x

    def larger(extreme, x):
        return x if x > extreme else extreme

    def smaller(extreme, x):
        return x if x < extreme else extreme

    flags = {
        plus: {"reassoc"},
        times: {"reassoc"},
        larger: {"nnan", "nsz"},
        smaller: {"nnan", "nsz"},
    }
    return {f.__name__: njit(fastmath=free, error_model="numpy")(f) for f, free in flags.items()}


def _arithmetic(real) -> list:
    zero = real(0)

    def divide(x, y):
        return x / y

    def mean_of(x, n):
        return x / n

    def power(x, y):
        return real(x**y)

    def sign(x):
        return x if x != x else real((x > zero) * 1.0 - (x < zero) * 1.0)

    def maximum(x, y):
        return x if (x >= y or x != x) else y

    def minimum(x, y):
        return x if (x <= y or x != x) else y

    def softplus(x):
        return (x if x > zero else zero) + np.log1p(np.exp(-abs(x))) if x == x else x

    return [divide, mean_of, power, sign, maximum, minimum, softplus]


def _exponentials(real, bits: int) -> list:
    """exp, sigmoid and tanh without branches; the polynomials are Taylor's after reduction to ln 2.

    exp(x) = 2**n * exp(r), |r| <= ln(2)/2, where the series of degree 7 (float32) or 13 (float64)
    is exact to rounding. Source: Cody and Waite, "Software manual for the elementary functions",
    1980.
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
    from numba import njit

    as_float = _bits_as_float(bits)
    polynomial, tail = horner(coefficients), horner(coefficients[:-1])  # exp(r), (exp(r) - 1) / r

    @njit(error_model="numpy")
    def reduced(x):
        """`n` and `r` with x = n * ln 2 + r, for x within the range where exp is finite."""
        y = x if x < largest else largest
        y = y if y > smallest else smallest
        n = np.floor(y * inverse + half)
        return n, y - n * high - n * low

    @njit(error_model="numpy")
    def power_of_two(m):
        return as_float(whole((m + bias) << shift))

    def exp(x):
        n, r = reduced(x)
        m = whole(n)
        first = m >> 1
        made = polynomial(r) * (power_of_two(first) * power_of_two(m - first))
        made = infinity if x > largest else made
        made = zero if x < smallest else made
        return x if x != x else made

    @njit(error_model="numpy")
    def below_zero(x):
        """exp(x) - 1 for x <= 0, exact near 0 too."""
        n, r = reduced(x)
        scale = power_of_two(whole(n))
        return scale * (r * tail(r)) + (scale - one)

    fast_exp = njit(error_model="numpy")(exp)

    def sigmoid(x):
        return one / (one + fast_exp(-x))

    def tanh(x):
        e = below_zero(-two * abs(x))
        made = -e / (e + two)
        made = made if x > zero else -made
        return x if x == zero or x != x else made

    return [exp, sigmoid, tanh]


def horner(coefficients):
    """The polynomial with these coefficients, highest power first, written out: a loop over them
    would keep the loop around it from using vectors."""
    from numba import njit

    names = [f"c{k}" for k in range(len(coefficients))]
    text = names[0]
    for name in names[1:]:
        text = f"({text} * x + {name})"
    return njit(error_model="numpy")(
        eval(
            f"lambda x: {text}",
            {"__name__": __name__, **dict(zip(names, coefficients, strict=True))},
        )
    )


def _bits_as_float(bits: int):
    """The number whose bits an integer holds."""
    from numba import types
    from numba.extending import intrinsic

    source, target = (types.int32, types.float32) if bits == 32 else (types.int64, types.float64)

    def generate(context, builder, signature, args):
        return builder.bitcast(args[0], context.get_value_type(target))

    @intrinsic
    def as_float(context, value):
        return target(source), generate

    return as_float
