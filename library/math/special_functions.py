"""Special functions: outside of native code by SciPy, which is imported on first use."""

from __future__ import annotations

import math

import numpy as np

from ... import float32, float64
from ...extend.kernels import Family, native_routines
from ...extend.operations import (
    FLOATS,
    Operation,
    op,
    ops,
    same_as_input,
    scipy_module,
    through,
)


def _special_kernels():
    from .special_kernels import functions

    return functions


# On one number after the other, SciPy is several times as fast as kernels: these are for devices.
ON_DEVICES = (
    *("bessel_j0", "bessel_j1", "bessel_y0", "bessel_y1", "bessel_k0", "bessel_k0e", "bessel_k1"),
    *("bessel_k1e", "dawsn", "erfinv", "erfcinv", "ndtri"),
)


def _forms_on_devices() -> dict:
    forms = {f"{name} on a grid": f"special_{name}({{x}})" for name in ON_DEVICES}
    return dict.fromkeys(ON_DEVICES) | forms


native_routines(
    ON_DEVICES, _forms_on_devices, {"special": Family(1, _special_kernels, __package__)}
)


def by_scipy(name: str):
    """A kernel that calls `scipy.special`; 16-bit floats are computed in float32."""

    def computed(*arrays):
        module = scipy_module("special", name)
        dtype = arrays[0].dtype
        if dtype.itemsize < 4:
            arrays = [array.astype(np.float32) for array in arrays]
        return np.asarray(getattr(module, name)(*arrays)).astype(dtype, copy=False)

    computed.library = "scipy.special"  # type: ignore[attr-defined]  # imported by the first call, and slow: see `plan_cost`
    return computed


@op
class Nextafter:
    """The next float after `x1` in the direction of `x2`; the shapes broadcast.

    >>> float(ag.math.nextafter(ag.constant(0.0, ag.float64), 1.0))
    5e-324
    """

    accepts = {float32, float64}
    inputs = ("x1", "x2")
    scalar = "nextafter({x1}, {x2})"
    public = ("math.nextafter",)

    def gradient(dy, y, x1, x2):
        return dy, dy * 0


@op
class Erf:
    """The error function of each float.

    >>> float(ag.math.erf(0.0))
    0.0
    """

    accepts = FLOATS
    kernel = by_scipy("erf")
    scalar = "erf({x})"
    inputs = ("x",)
    public = ("math.erf",)

    def gradient(dy, y, x):
        return (dy * (2 / math.sqrt(math.pi)) * ops.exp(-x * x),)


@op
class Erfc:
    """`1 - erf(x)`, accurate for large `x`.

    >>> float(ag.math.erfc(0.0))
    1.0
    """

    accepts = FLOATS
    kernel = by_scipy("erfc")
    scalar = "erfc({x})"
    inputs = ("x",)
    public = ("math.erfc",)

    def gradient(dy, y, x):
        return (dy * (-2 / math.sqrt(math.pi)) * ops.exp(-x * x),)


@op
class Lgamma:
    """The logarithm of the absolute value of the gamma function.

    >>> ag.math.lgamma([1.0, 5.0]).numpy().round(3)
    array([0.   , 3.178], dtype=float32)
    """

    accepts = FLOATS
    kernel = by_scipy("gammaln")
    scalar = "lgamma({x})"
    inputs = ("x",)
    public = ("math.lgamma",)

    def gradient(dy, y, x):
        return (through(dy, ops.digamma(x)),)


@op
class Digamma:
    """The derivative of `lgamma`.

    >>> float(ag.math.digamma(1.0).numpy().round(3))
    -0.577...
    """

    accepts = FLOATS
    kernel = by_scipy("psi")
    scalar = "digamma({x})"
    inputs = ("x",)
    public = ("math.digamma",)

    def gradient(dy, y, x):
        return (through(dy, Polygamma(1, x)),)


@op
class Polygamma:
    """The derivative of order `a` of `digamma`; the shapes broadcast.

    >>> float(ag.math.polygamma(1.0, 1.0).numpy().round(3))
    1.644...
    """

    accepts = FLOATS
    kernel = by_scipy("polygamma")
    scalar = "special_polygamma({a}, {x})"
    inputs = ("a", "x")
    public = ("math.polygamma",)

    def gradient(dy, y, a, x):
        return None, through(dy, Polygamma(a + 1, x))


def _gamma_density(a, x):
    return ops.exp((a - 1) * ops.log(x) - x - ops.lgamma(a))


@op
class Igamma:
    """The regularized lower incomplete gamma function P(a, x); the shapes broadcast.

    >>> ag.math.igamma(1.0, [0.0, 1.0]).numpy().round(3)
    array([0.   , 0.632], dtype=float32)
    """

    accepts = FLOATS
    kernel = by_scipy("gammainc")
    scalar = "special_igamma({a}, {x})"
    inputs = ("a", "x")
    public = ("math.igamma",)

    def gradient(dy, y, a, x):
        return None, through(dy, _gamma_density(a, x))


@op
class Igammac:
    """The regularized upper incomplete gamma function, `1 - igamma(a, x)`; the shapes broadcast.

    >>> ag.math.igammac(1.0, [0.0, 1.0]).numpy().round(3)
    array([1.   , 0.368], dtype=float32)
    """

    accepts = FLOATS
    kernel = by_scipy("gammaincc")
    scalar = "special_igammac({a}, {x})"
    inputs = ("a", "x")
    public = ("math.igammac",)

    def gradient(dy, y, a, x):
        return None, through(-dy, _gamma_density(a, x))


# ---- Bessel functions and others -------------------------------------------------------------

UNARY = {"accepts": FLOATS, "result": same_as_input, "inputs": ("x",)}  # functions of one float
OF_SINES = {"bessel_j0", "bessel_j1", "bessel_y0", "bessel_y1"}  # where numbers are large
REDUCED_UP_TO = {32: 2.0**22, 64: 2.0**22}  # to which the sines in kernels are exact


def _declare(
    name: str, doc: str, example, slope, *, scipy_name=None, kernel=None, public=()
) -> Operation:
    """Register a function of `scipy.special`; `slope(x, y)` is its derivative."""
    kernel = kernel or by_scipy(scipy_name or name)
    shown = (
        f"{doc}\n\n    >>> float(ag.{public[0]}({example[0]}).numpy().round(3))\n    {example[1]}"
    )

    def gradient(dy, y, x):
        return (through(dy, slope(x, y)),)

    body = {**UNARY, "kernel": kernel, "gradient": gradient}
    if name not in ON_DEVICES:
        body["scalar"] = f"special_{name}({{x}})"
    if name in OF_SINES:
        body["slow_path_beyond"] = REDUCED_UP_TO
    return op(type(name, (), {**body, "public": public, "name": name, "__doc__": shown}))


def _at_zero(x, value: float, otherwise):
    """`otherwise(x)`, and `value` at 0."""
    is_zero = ops.equal(x, x * 0)
    return ops.select(is_zero, x * 0 + value, otherwise(ops.select(is_zero, x * 0 + 1, x)))


def _bessel(name: str, order: str, shown: tuple[str, str], slope, *also: str) -> Operation:
    public = ("math.special." + name, *also)
    return _declare(name, f"The {order} of each float.", shown, slope, public=public,
                    scipy_name=name.removeprefix("bessel_"))  # fmt: skip


bessel_i0 = _bessel(
    "bessel_i0", "modified Bessel function of the first kind and order 0", ("1.0", "1.266..."),
    lambda x, y: ops.bessel_i1(x), "math.bessel_i0",
)  # fmt: skip
bessel_i0e = _bessel(
    "bessel_i0e", "function `exp(-abs(x)) * bessel_i0(x)`", ("1.0", "0.46..."),
    lambda x, y: ops.bessel_i1e(x) - ops.sign(x) * y, "math.bessel_i0e",
)  # fmt: skip
bessel_i1 = _bessel(
    "bessel_i1", "modified Bessel function of the first kind and order 1", ("1.0", "0.564..."),
    lambda x, y: _at_zero(x, 0.5, lambda x: ops.bessel_i0(x) - y / x), "math.bessel_i1",
)  # fmt: skip
bessel_i1e = _bessel(
    "bessel_i1e", "function `exp(-abs(x)) * bessel_i1(x)`", ("1.0", "0.20..."),
    lambda x, y: _at_zero(
        x, 0.5, lambda x: ops.bessel_i0e(x) - y * (ops.sign(x) + 1 / x)
    ), "math.bessel_i1e",
)  # fmt: skip
bessel_j0 = _bessel(
    "bessel_j0", "Bessel function of the first kind and order 0", ("1.0", "0.764..."),
    lambda x, y: -ops.bessel_j1(x),
)  # fmt: skip
bessel_j1 = _bessel(
    "bessel_j1", "Bessel function of the first kind and order 1", ("1.0", "0.439..."),
    lambda x, y: _at_zero(x, 0.5, lambda x: ops.bessel_j0(x) - y / x),
)  # fmt: skip
bessel_k0 = _bessel(
    "bessel_k0", "modified Bessel function of the second kind and order 0", ("1.0", "0.421..."),
    lambda x, y: -ops.bessel_k1(x),
)  # fmt: skip
bessel_k0e = _bessel(
    "bessel_k0e", "function `exp(x) * bessel_k0(x)`", ("1.0", "1.144..."),
    lambda x, y: y - ops.bessel_k1e(x),
)  # fmt: skip
bessel_k1 = _bessel(
    "bessel_k1", "modified Bessel function of the second kind and order 1", ("1.0", "0.601..."),
    lambda x, y: -ops.bessel_k0(x) - y / x,
)  # fmt: skip
bessel_k1e = _bessel(
    "bessel_k1e", "function `exp(x) * bessel_k1(x)`", ("1.0", "1.636..."),
    lambda x, y: y * (1 - 1 / x) - ops.bessel_k0e(x),
)  # fmt: skip
bessel_y0 = _bessel(
    "bessel_y0", "Bessel function of the second kind and order 0", ("1.0", "0.087..."),
    lambda x, y: -ops.bessel_y1(x),
)  # fmt: skip
bessel_y1 = _bessel(
    "bessel_y1", "Bessel function of the second kind and order 1", ("1.0", "-0.78..."),
    lambda x, y: ops.bessel_y0(x) - y / x,
)  # fmt: skip
dawsn = _declare(
    "dawsn", "Dawson's integral `exp(-x**2)` times the integral of `exp(t**2)` from 0 to x.",
    ("1.0", "0.53..."), lambda x, y: 1 - 2 * x * y, public=("math.special.dawsn",),
)  # fmt: skip
expint = _declare(
    "expint", "The exponential integral Ei.", ("1.0", "1.894..."),
    lambda x, y: ops.exp(x) / x, scipy_name="expi", public=("math.special.expint",),
)  # fmt: skip
spence = _declare(
    "spence", "The integral of `log(t) / (1 - t)` from 1 to x, Spence's function.",
    ("0.0", "1.644..."),
    lambda x, y: -1 - _at_zero(x - 1, 0.0, lambda d: ops.log1p(d) / d - 1),
    public=("math.special.spence",),
)  # fmt: skip
erfinv = _declare(
    "erfinv", "The inverse of `erf`.", ("1.0", "inf"),
    lambda x, y: math.sqrt(math.pi) / 2 * ops.exp(y * y), public=("math.erfinv",),
)  # fmt: skip
ndtri = _declare(
    "ndtri", "The quantile function of the standard normal distribution, the inverse of its CDF.",
    ("0.5", "0.0"), lambda x, y: math.sqrt(2 * math.pi) * ops.exp(y * y * 0.5),
    public=("math.ndtri",),
)  # fmt: skip
erfcinv = _declare(
    "erfcinv", "The inverse of `erfc`.", ("0.0", "inf"),
    lambda x, y: -(math.sqrt(math.pi) / 2) * ops.exp(y * y), public=("math.erfcinv",),
)  # fmt: skip


def _fresnel(place: int):
    """A kernel for one of the two Fresnel integrals."""

    def computed(x):
        module = scipy_module("special", "fresnel")
        wide = x.astype(np.float32) if x.dtype.itemsize < 4 else x
        return np.asarray(module.fresnel(wide)[place]).astype(x.dtype, copy=False)

    computed.library = "scipy.special"  # type: ignore[attr-defined]
    return computed


fresnel_sin = _declare(
    "fresnel_sin", "The integral of `sin(pi * t**2 / 2)` from 0 to x.", ("1.0", "0.437..."),
    lambda x, y: ops.sin(x * x * (math.pi / 2)),
    kernel=_fresnel(0), public=("math.special.fresnel_sin",),
)  # fmt: skip
fresnel_cos = _declare(
    "fresnel_cos", "The integral of `cos(pi * t**2 / 2)` from 0 to x.", ("1.0", "0.77..."),
    lambda x, y: ops.cos(x * x * (math.pi / 2)),
    kernel=_fresnel(1), public=("math.special.fresnel_cos",),
)  # fmt: skip


@op
class Zeta:
    """The Hurwitz zeta function, the sum of `(q + n) ** -x` over n = 0, 1, ...

    >>> float(ag.math.zeta(2.0, 1.0).numpy().round(3))
    1.644...
    """

    accepts = FLOATS
    kernel = by_scipy("zeta")
    scalar = "special_zeta({x}, {q})"
    inputs = ("x", "q")
    public = ("math.zeta",)

    def gradient(dy, y, x, q):
        return None, through(dy, -x * Zeta(x + 1, q))


@op
class Betainc:
    """The regularized incomplete beta function of `a`, `b` and `x`; the shapes broadcast.

    >>> float(ag.math.betainc(1.0, 2.0, 0.5).numpy().round(3))
    0.75
    """

    accepts = FLOATS
    kernel = by_scipy("betainc")
    scalar = "special_betainc({a}, {b}, {x})"
    inputs = ("a", "b", "x")
    public = ("math.betainc",)

    def gradient(dy, y, a, b, x):
        log_beta = ops.lgamma(a) + ops.lgamma(b) - ops.lgamma(a + b)
        density = ops.exp((a - 1) * ops.log(x) + (b - 1) * ops.log1p(-x) - log_beta)
        return None, None, through(dy, density)
