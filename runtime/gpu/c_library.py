"""Functions of the C library as formulas, for devices, which have none."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..jit.llvm_values import Number, as_intrinsics, copysign, fabs, polynomial, sqrt, where
from ..jit.loop_hints import kernel_function
from ..kernels import vector_math
from ..kernels.math_functions import named

EULER = 0.5772156649015329
ORDERS = 30  # of the power series at 2: each is four times as small as the last one, or smaller
ASYMPTOTIC_FROM = 10.0
# B(2k) / (2k (2k - 1)) of Bernoulli's numbers B.
STIRLING = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156, -3617 / 122400)


def _zeta_without_one(order: int) -> float:
    """The sum of `n ** -order` from n = 2 on, by Euler and Maclaurin from n = 60 on."""
    n = 60
    first = math.fsum(k**-order for k in range(2, n))
    rest = n ** (1 - order) / (order - 1) + n**-order / 2 + order * n ** (-order - 1) / 12
    third = order * (order + 1) * (order + 2) * n ** (-order - 3) / 720
    fifth = math.prod(range(order, order + 5)) * n ** (-order - 5) / 30240
    return first + rest - third + fifth


AT_TWO = (
    1 - EULER,
    *((-1) ** order * _zeta_without_one(order) / order for order in range(2, ORDERS)),
)


def _beyond_two(z: Number) -> Number:
    """`lgamma(2 + z)` for `z` between -0.5 and 0.5."""
    return z * polynomial(z, AT_TWO)


def _correction(x: Number) -> Number:
    """The difference between the function and Stirling's formula."""
    return polynomial(1.0 / (x * x), STIRLING) / x


_forms = as_intrinsics({"beyond_two": _beyond_two, "correction": _correction})
_at_two, _stirling = _forms["beyond_two"], _forms["correction"]
_floor, _sin, _log, _log1p = map(named, ("floor_f64", "sin_f64", "log_f64", "log1p_f64"))
PI, HALF_LOG_TWO_PI, INFINITY = math.pi, 0.5 * math.log(2.0 * math.pi), np.inf


@kernel_function
def log_gamma(x):
    """The logarithm of the absolute value of the gamma function of a float64."""
    if x != x:
        return x
    size = abs(x)
    if not size < INFINITY:
        return x
    if x <= 0.0 and x == _floor(x):
        return INFINITY
    is_negative, outside = x < 0.0, 0.0
    if is_negative:  # by reflection
        outside = _log(PI / abs(_sin(PI * (x - _floor(x + 0.5))))) - _log(size)
    x = size
    if x < 0.5:
        value = _at_two(x) - _log1p(x) - _log(x)
    elif x < 1.5:
        value = _at_two(x - 1.0) - _log1p(x - 1.0)
    elif x < 2.5:
        value = _at_two(x - 2.0)
    elif x < ASYMPTOTIC_FROM:
        factor = 1.0
        while x >= 2.5:
            x -= 1.0
            factor *= x
        value = _at_two(x - 2.0) + _log(factor)
    else:
        value = (x - 0.5) * _log(x) - x + HALF_LOG_TWO_PI + _stirling(x)
    return outside - value if is_negative else value


def _hypot(x: Number, y: Number) -> Number:
    """Scaled by a power of two, so that squares neither overflow nor vanish."""
    x, y = fabs(x), fabs(y)
    large, small = where(x > y, x, y), where(x > y, y, x)
    ratio = where(large > 0.0, small / large, large)
    hypotenuse = large * sqrt(ratio * ratio + 1.0)
    return where((x == float("inf")) | (y == float("inf")), x.like(float("inf")), hypotenuse)


def _nextafter(x: Number, y: Number) -> Number:
    """The next number after `x` in the direction of `y`."""
    bits = x.as_bits()
    grows = (y > x) == (x > 0.0)
    nearby = where(grows, bits + 1, bits - 1).as_float()
    least = np.finfo(x.dtype).smallest_subnormal
    neighbor = where(x == 0.0, copysign(x.like(float(least)), y), nearby)
    return where((x == y) | (y != y), y, where(x != x, x, neighbor))


LIBRARY: dict[str, Any] = {
    "nextafter": _nextafter,
    **vector_math.FORMULAS,
    "pow": vector_math.FORMULAS["power"],
    "hypot": _hypot,
    "sqrt": sqrt,
    "lgamma": log_gamma,
}
IN_STEPS = {"lgamma"}
