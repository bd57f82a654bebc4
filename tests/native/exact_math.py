"""What native mathematics is measured against: mpmath, at points where formulas tend to fail."""

import mpmath
import numpy as np
from scipy import special

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
    "erf": {32: (-4, 4), 64: (-6, 6)},
    "erfc": {32: (-4, 10.1), 64: (-6, 26.6)},
}


def points(name, bits, count, seed=0):
    """Numbers over the span, around 0 and 1, of every size, and next to simple numbers."""
    rng, real = np.random.default_rng(seed), REAL[bits]
    low, high = SPAN[name][bits]
    bit_patterns = rng.integers(0, 2**bits, count, dtype=f"uint{bits}").view(real)
    simple = np.arange(-64, 65).astype(real) / real(16)
    xs = [
        rng.uniform(low, high, count),
        rng.uniform(-2, 2, count),
        rng.uniform(0.5, 1.5, count),
        np.exp2(rng.uniform(-40, 4, count)) * rng.choice([-1, 1], count),
        bit_patterns,
        simple,
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


def largest_error(found, exact, *arguments):
    """The largest error of `found`, the place, in units in the last place."""
    worst, place = 0.0, None
    with mpmath.workprec(140):
        for result, *values in zip(found, *arguments, strict=True):
            error = units(result, exact(*(mpmath.mpf(float(value)) for value in values)))
            if not error <= worst:
                worst, place = error, values
    return worst, place


def on_arrays(function, arity=1):
    """A compiled loop that applies a function of native code to each element."""
    from numba import njit

    names = ", ".join("xyz"[:arity])
    items = ", ".join(f"{name}[i]" for name in "xyz"[:arity])
    scope = {"function": function}
    lines = f"def loop({names}, out):\n for i in range(out.size):\n  out[i] = function({items})\n"
    exec(lines, scope)
    return njit(error_model="numpy", nogil=True)(scope["loop"])
