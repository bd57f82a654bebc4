"""Fits the polynomials of `runtime/kernels/vector_math` and writes `coefficients.py` there.

    python benchmarks/fit_polynomials.py

Each entry of POLYNOMIALS is a smooth function that a formula needs on a short interval. The Remez
algorithm finds the polynomial with the smallest maximum error. The degree is the lowest one whose
error stays below a small fraction of a unit in the last place.
"""

from __future__ import annotations

import pathlib
import sys

import mpmath as mp

mp.mp.dps = 60
HALF_LN2 = mp.log(2) / 2 * mp.mpf("1.0005")
TARGET = (
    pathlib.Path(__file__).parents[1] / "runtime" / "kernels" / "vector_math" / "coefficients.py"
)


def series_tail(function, terms, order):
    """`(function(x) - terms(x)) / x ** order`, also where the difference cancels."""

    def tail(x):
        with mp.workdps(120):
            x = x if abs(x) > mp.mpf("1e-12") else mp.mpf("1e-12")
            return (function(x) - terms(x)) / x**order

    return tail


def of_square(function):
    """An even function of x as a function of z = x * x."""
    return lambda z: function(mp.sqrt(z))


def scaled_erfc(t):
    """`(1 + 2 x) exp(x * x) erfc(x)` with t = (x - 4) / (x + 4)."""
    x = 4 * (1 + t) / (1 - t)
    return (1 + 2 * x) * mp.exp(x * x) * mp.erfc(x)


def scaled_acosh(t):
    """`(acosh(1 + t) / sqrt(2 t) - 1) / t`."""
    with mp.workdps(120):
        t = t if t > mp.mpf("1e-24") else mp.mpf("1e-24")
        return (mp.acosh(1 + t) / mp.sqrt(2 * t) - 1) / t


EXP_TAIL = series_tail(mp.exp, lambda x: 1 + x, 2)
LOG_TAIL = series_tail(lambda f: mp.log(1 + f), lambda f: f - f * f / 2, 3)
ATANH_TAIL = of_square(series_tail(lambda s: 2 * mp.atanh(s), lambda s: 2 * s, 3))
SIN_TAIL = of_square(series_tail(mp.sin, lambda x: x, 3))
COS_TAIL = of_square(series_tail(mp.cos, lambda x: 1 - x * x / 2, 4))
ATAN_TAIL = of_square(series_tail(mp.atan, lambda x: x, 3))
ASIN_TAIL = of_square(series_tail(mp.asin, lambda x: x, 3))
TAN_TAIL = of_square(series_tail(mp.tan, lambda x: x, 3))
ASINH_TAIL = of_square(series_tail(mp.asinh, lambda x: x, 3))
HALF_ATANH_TAIL = of_square(series_tail(mp.atanh, lambda x: x, 3))
SINH_TAIL = of_square(series_tail(mp.sinh, lambda x: x, 3))
TANH_TAIL = of_square(series_tail(mp.tanh, lambda x: x, 3))
ERF_TAIL = of_square(series_tail(mp.erf, lambda x: x, 1))
ATANH3 = of_square(series_tail(lambda s: 2 * mp.atanh(s), lambda s: 2 * s + 2 * s**3 / 3, 5))

LOG_INTERVAL = (mp.sqrt(2) / 2 - 1, mp.sqrt(2) - 1)
S_INTERVAL = (0, ((mp.sqrt(2) - 1) / (mp.sqrt(2) + 1)) ** 2 * mp.mpf("1.001"))
QUARTER = (0, (mp.pi / 4 * mp.mpf("1.001")) ** 2)
WIDE_QUARTER = (0, (mp.pi / 4 * mp.mpf("1.02")) ** 2)  # of float32, whose quotients are off
TANH_REACH = (0, (HALF_LN2 * mp.mpf("0.75")) ** 2)
MIDDLE = mp.mpf("0.9375")  # where erf changes from its series to 1 - erfc
MIDDLE_32 = mp.mpf("1.140625")

# name: function, interval, weight of its error in the result, bits of the result.
# "wide" polynomials serve float32 through float64 arithmetic.
POLYNOMIALS = {
    "EXP_32": (EXP_TAIL, (-HALF_LN2, HALF_LN2), abs, 27),
    "EXP_64": (EXP_TAIL, (-HALF_LN2, HALF_LN2), abs, 56),
    "EXP_FEW_32": (EXP_TAIL, (-HALF_LN2, HALF_LN2), lambda x: x * x, 23.5),
    "EXP_FEW_64": (EXP_TAIL, (-HALF_LN2, HALF_LN2), lambda x: x * x, 53),
    "EXP_WIDE": (EXP_TAIL, (-HALF_LN2, HALF_LN2), abs, 32),
    "LOG_32": (LOG_TAIL, LOG_INTERVAL, lambda f: f * f, 26),
    "LOG_64": (ATANH_TAIL, S_INTERVAL, lambda z: z / 2, 56),
    "LOG_WIDE": (ATANH_TAIL, S_INTERVAL, lambda z: z / 2, 42),
    "LOG_PAIR": (ATANH_TAIL, S_INTERVAL, lambda z: z / 2, 33),
    "LOG_LONG": (ATANH3, S_INTERVAL, lambda z: z * z / 2, 68),
    "SIN_32": (SIN_TAIL, WIDE_QUARTER, lambda z: z, 27),
    "SIN_64": (SIN_TAIL, QUARTER, lambda z: z, 57),
    "SIN_WIDE": (SIN_TAIL, QUARTER, lambda z: z, 31),
    "COS_32": (COS_TAIL, WIDE_QUARTER, lambda z: z * z / mp.cos(mp.sqrt(z)), 27),
    "COS_64": (COS_TAIL, QUARTER, lambda z: z * z / mp.cos(mp.sqrt(z)), 57),
    "COS_WIDE": (COS_TAIL, QUARTER, lambda z: z * z / mp.cos(mp.sqrt(z)), 31),
    "TAN_32": (TAN_TAIL, WIDE_QUARTER, lambda z: z * mp.sqrt(z) / mp.tan(mp.sqrt(z)), 26),
    "ATAN_64": (ATAN_TAIL, (0, 1), lambda z: z * mp.sqrt(z) / mp.atan(mp.sqrt(z)), 56),
    "ATAN_WIDE": (ATAN_TAIL, (0, 1), lambda z: z * mp.sqrt(z) / mp.atan(mp.sqrt(z)), 28),
    "ASIN_64": (ASIN_TAIL, (0, mp.mpf("0.2501")), lambda z: z, 56),
    "ASIN_WIDE": (ASIN_TAIL, (0, mp.mpf("0.2501")), lambda z: z, 29),
    "SINH_64": (SINH_TAIL, (0, 1), lambda z: z, 56),
    "SINH_WIDE": (SINH_TAIL, (0, 1), lambda z: z, 29),
    "ASINH_32": (ASINH_TAIL, (0, mp.mpf("0.36")), lambda z: z, 26.5),
    "ACOSH_32": (scaled_acosh, (0, mp.mpf("0.15")), lambda t: t, 26.5),
    "ATANH_32": (HALF_ATANH_TAIL, (0, mp.mpf("0.25")), lambda z: z, 26.5),
    "TANH_64": (TANH_TAIL, TANH_REACH, lambda z: z, 56),
    "TANH_32": (TANH_TAIL, TANH_REACH, lambda z: z, 27),
    "ERF_32": (ERF_TAIL, (0, MIDDLE_32**2), lambda z: 1, 25.5),
    "ERF_64": (ERF_TAIL, (0, MIDDLE**2), lambda z: 1, 56),
    "ERFC_ROOT_32": (
        lambda x: mp.root(mp.erfc(x), 4),
        (MIDDLE_32, 4),
        lambda x: 4 * mp.erfc(x) ** mp.mpf("0.75") / mp.erf(x),
        25.5,
    ),
    "ERFC_LOG_64": (
        lambda x: mp.log(mp.erfc(x)),
        (MIDDLE, mp.mpf("6.1")),
        lambda x: mp.erfc(x) / mp.erf(x),
        55,
    ),
    "ERFC_WIDE": (scaled_erfc, (-1, mp.mpf(7) / 15), lambda t: 1 / scaled_erfc(t), 29),
    "ERFC_64": (scaled_erfc, (-1, mp.mpf(24) / 32), lambda t: 1 / scaled_erfc(t), 56),
}


def value_at(coefficients, x):
    return mp.polyval(list(reversed(coefficients)), x)


def chebyshev_points(low, high, count):
    """Inside the interval, where no weight is 0: an even count leaves its middle out."""
    middle, half = (low + high) / mp.mpf(2), (high - low) / mp.mpf(2)
    return [middle - half * mp.cos(mp.pi * (k + mp.mpf("0.5")) / count) for k in range(count)]


def remez(function, weight, low, high, degree, rounds=8):
    """The coefficients, lowest power first, and the largest weighted error."""
    grid = chebyshev_points(low, high, 12 * (degree + 2))
    values = [function(x) for x in grid]
    weights = [weight(x) for x in grid]
    indices = [round(k * (len(grid) - 1) / (degree + 1)) for k in range(degree + 2)]
    for _ in range(rounds):
        equations = [
            [grid[p] ** k for k in range(degree + 1)] + [(-1) ** i / mp.mpf(weights[p])]
            for i, p in enumerate(indices)
        ]
        solved = mp.lu_solve(mp.matrix(equations), mp.matrix([values[p] for p in indices]))
        coefficients = [solved[k] for k in range(degree + 1)]
        errors = [
            w * (value_at(coefficients, x) - y)
            for x, y, w in zip(grid, values, weights, strict=True)
        ]
        extrema = alternation(errors, degree + 2)
        if extrema is None or extrema == indices:
            break
        indices = extrema
    return coefficients, max(map(abs, errors))


def alternation(errors, count):
    """Indices of the largest errors of alternating sign, or None if there are too few."""
    runs: list[int] = []
    for index, error in enumerate(errors):
        if error == 0:
            continue
        if runs and (errors[runs[-1]] > 0) == (error > 0):
            runs[-1] = max(runs[-1], index, key=lambda p: abs(errors[p]))
        else:
            runs.append(index)
    while len(runs) > count:
        runs.pop(0 if abs(errors[runs[0]]) < abs(errors[runs[-1]]) else -1)
    return runs if len(runs) == count else None


def fit(name):
    """The lowest degree that is precise enough."""
    function, (low, high), weight, bits = POLYNOMIALS[name]
    for degree in range(2, 40):
        coefficients, error = remez(function, weight, mp.mpf(low), mp.mpf(high), degree)
        if error < mp.mpf(2) ** -bits:
            print(f"{name:12} degree {degree:2}  error 2 ** {float(mp.log(error, 2)):.1f}")
            return coefficients
    raise SystemExit(f"{name}: no degree is enough")


def split_constant(value, bits, count):
    """`value` as a sum of numbers of at most `bits` bits, of which the last takes the rest."""
    terms = []
    for _ in range(count - 1):
        exponent = int(mp.floor(mp.log(abs(value), 2)))
        unit = mp.mpf(2) ** (exponent - bits + 1)
        term = mp.floor(value / unit) * unit
        terms.append(float(term))
        value -= term
    return [*terms, float(value)]


def main():
    lines = [
        '"""Written by benchmarks/fit_polynomials.py: coefficients, the lowest power first."""',
        "",
        "from __future__ import annotations",
        "",
        f"LN2_32 = {tuple(split_constant(mp.log(2), 12, 2))}",
        f"LN2_64 = {tuple(split_constant(mp.log(2), 32, 2))}",
        f"LN2_LONG = {tuple(split_constant(mp.log(2), 40, 3))}",
        f"TWO_OVER_LN2_32 = {tuple(split_constant(2 / mp.log(2), 24, 2))}",
        f"TWO_THIRDS = {tuple(split_constant(mp.mpf(2) / 3, 53, 2))}",
        f"PI = {tuple(split_constant(mp.pi, 53, 2))}",
        f"HALF_PI = {tuple(split_constant(mp.pi / 2, 30, 4))}",
        f"HALF_PI_32 = {tuple(split_constant(mp.pi / 2, 24, 3))}",
        "",
    ]
    for name in POLYNOMIALS:
        lines.append(f"{name} = (")
        lines += [f"    {float(c)!r}," for c in fit(name)]
        lines.append(")")
    TARGET.write_text("\n".join(lines) + "\n", encoding="utf-8")
    sys.stdout.write(f"wrote {TARGET.name}\n")


if __name__ == "__main__":
    main()
