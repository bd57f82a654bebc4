"""Functions of the C library as formulas, for devices, which have none."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..jit.llvm_values import Number, copysign, fabs, sqrt, where
from ..kernels import vector_math
from .log_gamma import log_gamma


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
