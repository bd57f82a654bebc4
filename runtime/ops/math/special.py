"""Elementwise special functions, computed by SciPy, which is imported on first use."""

from __future__ import annotations

import math

import numpy as np

from ...core.dtypes import FLOATS, float32, float64
from ...tensors.operation import op, ops
from ..gradient_helpers import through
from ..scipy_modules import scipy_module
from ..shape_rules import broadcast_together, same_as_input


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
    kernel = np.nextafter
    result = broadcast_together
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
    result = same_as_input
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
    result = same_as_input
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
    result = same_as_input
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
    result = same_as_input
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
    result = broadcast_together
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
    result = broadcast_together
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
    result = broadcast_together
    inputs = ("a", "x")
    public = ("math.igammac",)

    def gradient(dy, y, a, x):
        return None, through(-dy, _gamma_density(a, x))
