"""Logarithms: `log(x) = e * ln 2 + log(1 + f)` with `1 + f` between sqrt(1/2) and sqrt(2)."""

from __future__ import annotations

import math

import numpy as np

from ...jit.llvm_values import Number, fabs, fma, polynomial, where
from .coefficients import LOG_32, LOG_64
from .exponential import LN2, MANTISSA, exp, whole_as_float


def split(x: Number) -> tuple[Number, Number]:
    """`m` and the integer `e` with `x = m * 2 ** e`, for a positive normal number."""
    shift = MANTISSA[x.bits]
    bits = x.as_bits()
    root = np.sqrt(x.real(0.5))
    e = (bits - int(root.view(np.int32 if x.bits == 32 else np.int64))) >> shift
    return (bits - (e << shift)).as_float(), e


def log_of_parts(f: Number, e: Number) -> Number:
    """`log(1 + f) + e * ln 2`."""
    high, low = LN2[f.bits]
    n = whole_as_float(e)
    if f.bits == 32:
        z = f * f
        tail = fma(z * f, polynomial(f, LOG_32), n * low)
        return fma(n, high, fma(z, -0.5, tail) + f)
    s = f / (f + 2.0)
    z = s * s
    half = f * f * 0.5
    inner = fma(s, fma(z, polynomial(z, LOG_64), half), n * low)
    return fma(n, high, f - (half - inner))


def lifted(x: Number) -> tuple[Number, Number]:
    """A positive number made normal, and the power of two that this took, as an integer."""
    shift = MANTISSA[x.bits]
    tiny = x < float(np.finfo(x.real).smallest_normal)
    k = x.as_bits()
    return where(tiny, x * 2.0**shift, x), where(tiny, k.like(-shift), k.like(0))


def with_edges(x: Number, zero, logarithm: Number) -> Number:
    """The logarithm at its ends: `x` is 0 where `zero` holds, or infinite, below 0, NaN."""
    logarithm = where(x == math.inf, x, logarithm)
    logarithm = where(zero, x.like(-math.inf), logarithm)
    return where((x < 0.0) | (x != x), x.like(math.nan), logarithm)


def log(x: Number) -> Number:
    y, shift = lifted(x)
    m, e = split(y)
    return with_edges(x, x == 0.0, log_of_parts(m - 1.0, e + shift))


def log_of_sum(x: Number, low: Number, doublings: Number) -> Number:
    """`log((x + low) * 2 ** doublings)`, where `low` is below the precision of `x`, at least 1."""
    m, e = split(x)
    scale = (x.like(1.0).as_bits() - (e << MANTISSA[x.bits])).as_float()
    return log_of_parts(fma(low, scale, m - 1.0), e + doublings)


def log1p(x: Number) -> Number:
    u = x + 1.0
    lost = where(x < 1.0, x - (u - 1.0), 1.0 - (u - x))
    m, e = split(u)
    scale = u.like(1.0).as_bits() - (e << MANTISSA[x.bits])  # of 2 ** -e, past 2 ** 1022 negative
    big = u > 2.0 ** (MANTISSA[x.bits] + 2)
    f = fma(where(big, x.like(0.0), lost), where(big, x.like(0.0), scale.as_float()), m - 1.0)
    result = with_edges(u, u == 0.0, log_of_parts(f, e))
    return where(fabs(x) < float(np.finfo(x.real).tiny), x, result)


def softplus(x: Number) -> Number:
    return where(x > 0.0, x, x.like(0.0)) + log1p(exp(-fabs(x)))


FORMULAS = (log, log1p, softplus)
