"""What native mathematics is measured against: mpmath, at points where formulas tend to fail."""

import functools

import mpmath
import numpy as np
from kernel_compilation import compiled
from scipy import special

from allograph.runtime.jit import llvm_values
from allograph.runtime.jit.kernel_types import ArrayType

REAL = {32: np.float32, 64: np.float64}

# name: (exact, NumPy's or SciPy's function)
EXACT = {
    "exp": (mpmath.exp, np.exp),
    "expm1": (mpmath.expm1, np.expm1),
    "sigmoid": (lambda x: 1 / (1 + mpmath.exp(-x)), special.expit),
    "softplus": (lambda x: mpmath.log1p(mpmath.exp(x)), lambda x: np.logaddexp(x, x.dtype.type(0))),
    "log": (mpmath.log, np.log),
    "log1p": (mpmath.log1p, np.log1p),
    "tanh": (mpmath.tanh, np.tanh),
    "sinh": (mpmath.sinh, np.sinh),
    "cosh": (mpmath.cosh, np.cosh),
    "sin": (mpmath.sin, np.sin),
    "cos": (mpmath.cos, np.cos),
    "tan": (mpmath.tan, np.tan),
    "asin": (mpmath.asin, np.arcsin),
    "acos": (mpmath.acos, np.arccos),
    "atan": (mpmath.atan, np.arctan),
    "asinh": (mpmath.asinh, np.arcsinh),
    "acosh": (mpmath.acosh, np.arccosh),
    "atanh": (mpmath.atanh, np.arctanh),
    "erf": (mpmath.erf, special.erf),
    "erfc": (mpmath.erfc, special.erfc),
}

# Where the result is neither 0 nor infinite nor a constant, for float32 and float64.
SPAN = {
    "exp": {32: (-104, 88.8), 64: (-745.2, 709.8)},
    "expm1": {32: (-18, 88.8), 64: (-40, 709.8)},
    "sigmoid": {32: (-104, 18), 64: (-745.2, 40)},
    "softplus": {32: (-104, 100), 64: (-745.2, 100)},
    "log": {32: (0, 1e38), 64: (0, 1e308)},
    "log1p": {32: (-1, 1e38), 64: (-1, 1e308)},
    "tanh": {32: (-10, 10), 64: (-20, 20)},
    "sinh": {32: (-89.5, 89.5), 64: (-710.5, 710.5)},
    "cosh": {32: (-89.5, 89.5), 64: (-710.5, 710.5)},
    **{name: {32: (-(2**18), 2**18), 64: (-(2**22), 2**22)} for name in ("sin", "cos", "tan")},
    **{name: {32: (-1, 1), 64: (-1, 1)} for name in ("asin", "acos", "atanh")},
    **{name: {32: (-1e38, 1e38), 64: (-8e307, 8e307)} for name in ("atan", "asinh")},
    "acosh": {32: (1, 1e38), 64: (1, 1e308)},
    "erf": {32: (-4, 4), 64: (-6, 6)},
    "erfc": {32: (-4, 10.1), 64: (-6, 26.6)},
}


def points(name, bits, count, seed=0):
    """Numbers over the span, around 0 and 1, of every size, and next to simple numbers."""
    rng, real = np.random.default_rng(seed), REAL[bits]
    low, high = SPAN[name][bits]
    bit_patterns = rng.integers(0, 2**bits, count, dtype=f"uint{bits}").view(real)
    simple = np.arange(-64, 65).astype(real) / real(16)
    quarters = (np.arange(-40, 41) * (np.pi / 4)).astype(real)
    xs = [
        rng.uniform(low, high, count),
        rng.uniform(-2, 2, count),
        rng.uniform(0.5, 1.5, count),
        np.exp2(rng.uniform(-40, 4, count)) * rng.choice([-1, 1], count),
        bit_patterns,
        simple,
        quarters,
        np.nextafter(simple, real(np.inf)),
        np.nextafter(simple, real(-np.inf)),
    ]
    with np.errstate(all="ignore"):
        made = np.concatenate([x.astype(real) for x in xs])
    return made[np.isfinite(made) & (made >= low) & (made <= high)]


def special_points(bits):
    """Where NumPy's answer is a matter of convention."""
    limits = np.finfo(REAL[bits])
    sizes = [0.0, 0.5, 1.0, 2.0, 1000.0, 1e30, np.inf]
    sizes += [limits.max, limits.smallest_normal, limits.smallest_subnormal]
    return np.array([np.nan, *sizes, *(-x for x in sizes)], REAL[bits])


def units(found, exact):
    """The distance of a float from an exact number, in units in the last place of the latter."""
    limits = np.finfo(type(found))
    if not np.isfinite(found):
        return 0.0 if abs(exact) >= mpmath.mpf(float(limits.max)) else np.inf
    exponent = mpmath.mag(exact) - 1 if exact else limits.minexp
    unit = mpmath.ldexp(1, max(exponent, limits.minexp) - limits.nmant)
    return float(abs(mpmath.mpf(float(found)) - exact) / unit)


def pairs(name, bits, count, seed=0):
    """Operands of `power` whose result is a normal number, or of `atan2`."""
    rng, real = np.random.default_rng(seed), REAL[bits]
    reach = np.log(np.finfo(real).max)
    sizes = rng.uniform(-reach, reach, count)
    near_one = rng.choice([-1, 1], count) * np.exp2(-rng.uniform(0, bits, count))
    x = np.exp(np.concatenate([sizes, near_one])).astype(real)
    if name == "power":
        with np.errstate(divide="ignore"):
            y = rng.uniform(-1, 1, 2 * count) * reach / np.log(x.astype(float))
        keep = np.isfinite(y) & (abs(y) < 1e30)
        return x[keep], y[keep].astype(real)
    x = x / real(32)
    y = x * np.concatenate([np.exp(rng.uniform(-3, 3, count)), 1 + near_one])
    signs = rng.choice([-1, 1], (2, 2 * count)).astype(real)
    return x * signs[0], y.astype(real) * signs[1]


def largest_error(found, exact, *arguments):
    """The largest error of `found`, the place, in units in the last place."""
    worst, place = 0.0, None
    with mpmath.workprec(140):
        for result, *values in zip(found, *arguments, strict=True):
            error = units(result, exact(*(mpmath.mpf(float(value)) for value in values)))
            if not error <= worst:
                worst, place = error, values
    return worst, place


def text_of(arity=1):
    """A loop that applies a function of native code to each element."""
    names = ", ".join("xyz"[:arity])
    items = ", ".join(f"{name}[i]" for name in "xyz"[:arity])
    return f"""
def kernel({names}, out):
    for i in range(out.size):
        out[i] = function({items})
    return ()
"""


def on_arrays(function, *operands):
    """The results of a function of native code for each element."""
    out = np.empty_like(operands[0])
    dtypes = tuple(one.dtype for one in (*operands, out))
    _kernel(function, dtypes, llvm_values.has_fused_multiply_add())(*operands, out)
    return out


@functools.cache
def _kernel(function, dtypes, is_fused):
    """A kernel for arrays of any length. What a test says of the processor is a part of its key."""
    rows = [ArrayType(dtype, (None,)) for dtype in dtypes]
    return compiled(text_of(len(rows) - 1), rows, function=function)
